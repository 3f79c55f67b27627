//! How fast texts become fingerprints on one core: `cargo run --release --example speed -- FILE [scheme]`, a document a line.
#![allow(missing_docs)]

use std::time::Instant;

use simsieve_core::kernel::Kernel;
use simsieve_core::scheme::{Scheme, Scratch};
use simsieve_core::sketch::{Bins, Sketcher};

fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let data = std::fs::read_to_string(path).expect("readable UTF-8");
    let texts: Vec<&str> = data.lines().collect();
    let bytes: usize = texts.iter().map(|t| t.len()).sum();
    let all = [
        "chars128",
        "chars64",
        "chars256",
        "chars64:n=3,weights=log",
        "chars128:n=3,weights=log",
        "words64",
        "words64:n=3",
    ];
    let chosen = std::env::args().nth(2);
    let specs = chosen.as_deref().map_or(all.to_vec(), |spec| vec![spec]);
    for spec in specs {
        let scheme = Scheme::parse(spec).expect("a scheme");
        let mut scratch = Scratch::default();
        let sketcher = Sketcher::new(150, 0);
        let mut bins = Bins::default();
        let mut sketch = vec![0; 150];
        let mut best = [f64::MAX; 4];
        let mut words = vec![0; scheme.words()];
        let mut features = 0;
        for _ in 0..7 {
            let mut parts = [0.0; 4];
            let start = Instant::now();
            for text in &texts {
                scheme.normaliser().run(text, &mut scratch.text);
            }
            parts[0] = start.elapsed().as_secs_f64();
            let start = Instant::now();
            features = 0;
            for text in &texts {
                scheme.extract(text, &mut scratch).expect("texts are never refused");
                features += scratch.features.len();
            }
            parts[1] = start.elapsed().as_secs_f64();
            let start = Instant::now();
            for text in &texts {
                scheme.extract(text, &mut scratch).expect("texts are never refused");
                scheme.fingerprint(Kernel::active(), &mut scratch, &mut words);
            }
            parts[2] = start.elapsed().as_secs_f64();
            let start = Instant::now();
            for text in &texts {
                scheme.extract(text, &mut scratch).expect("texts are never refused");
                scheme.fingerprint(Kernel::active(), &mut scratch, &mut words);
                sketcher.write(scratch.features.hashes(), &mut bins, &mut sketch);
            }
            parts[3] = start.elapsed().as_secs_f64();
            for (best, part) in best.iter_mut().zip(parts) {
                *best = best.min(part);
            }
        }
        let rate = |seconds: f64| bytes as f64 / seconds / 1e6;
        println!(
            "{spec:28} {} texts, {:.2} features a byte; MB/s: normalise {:.0}, features {:.0}, fingerprint {:.0}, sketch {:.0}",
            texts.len(),
            features as f64 / bytes as f64,
            rate(best[0]),
            rate(best[1]),
            rate(best[2]),
            rate(best[3])
        );
    }
}
