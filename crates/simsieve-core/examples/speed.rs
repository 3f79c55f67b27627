//! How fast texts become fingerprints on one core: `cargo run --release --example speed -- FILE [scheme]`, a document a line.
//! A scheme that needs a model has one fitted on these documents first.
#![allow(missing_docs)]

use std::sync::Arc;
use std::time::Instant;

use simsieve_core::base::context::Context;
use simsieve_core::base::kernel::Kernel;
use simsieve_core::collection::fit::fit_texts;
use simsieve_core::encode::fingerprint::Sums;
use simsieve_core::encode::model::{Counter, DEFAULT_LIMIT};
use simsieve_core::encode::scheme::{OpenScheme, Scheme, Scratch};
use simsieve_core::encode::sketch::{self, SKETCH_WORDS};

/// Seconds of this thread on a processor, where the system gives them: other work on the machine does not count.
fn cpu_seconds(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds: Option<f64> = told.and_then(|line| line.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |told| told / 1e9)
}

/// The scheme, with a model of the texts where it needs one.
fn ready(spec: &str, texts: &[&str]) -> Scheme {
    let scheme = OpenScheme::parse(spec).expect("a scheme");
    if !scheme.weights().needs_model() {
        return scheme.ready().expect("weights without a model");
    }
    let features = scheme.features_to_count().expect("a scheme that takes a model");
    let mut counter = Counter::new(features, DEFAULT_LIMIT).expect("a limit that is allowed");
    fit_texts(&mut counter, &scheme, texts, 0, &Context::silent(0)).expect("texts are never refused");
    scheme.with_model(Arc::new(counter.finish())).expect("its own model")
}

fn main() {
    let begin = Instant::now();
    let path = std::env::args().nth(1).expect("a file");
    let data = std::fs::read_to_string(path).expect("readable UTF-8");
    // The system counts a thread's time in steps of some milliseconds: enough text for some hundred of them.
    let times = (60_000_000 / data.len().max(1)).max(1);
    let texts: Vec<&str> = data.lines().cycle().take(data.lines().count() * times).collect();
    let lines = &texts[..texts.len() / times];
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
        let scheme = ready(spec, lines);
        let mut scratch = Scratch::default();
        let (mut sums, mut sketch) = (Sums::default(), [0; SKETCH_WORDS]);
        let mut best = [f64::MAX; 4];
        let mut words = vec![0; scheme.words()];
        let mut features = 0;
        for _ in 0..5 {
            let mut parts = [0.0; 4];
            let start = cpu_seconds(begin);
            for text in &texts {
                scheme.normaliser().run(text, &mut scratch.text);
            }
            parts[0] = cpu_seconds(begin) - start;
            let start = cpu_seconds(begin);
            features = 0;
            for text in &texts {
                scheme.extract(text, &mut scratch).expect("texts are never refused");
                features += scratch.features.len();
            }
            parts[1] = cpu_seconds(begin) - start;
            let start = cpu_seconds(begin);
            for text in &texts {
                scheme.extract(text, &mut scratch).expect("texts are never refused");
                scheme.fingerprint(Kernel::active(), &mut scratch, &mut words);
            }
            parts[2] = cpu_seconds(begin) - start;
            let start = cpu_seconds(begin);
            for text in &texts {
                scheme.extract(text, &mut scratch).expect("texts are never refused");
                scheme.fingerprint(Kernel::active(), &mut scratch, &mut words);
                sketch::write(Kernel::active(), scratch.features.hashes(), &[], &mut sums, &mut sketch);
            }
            parts[3] = cpu_seconds(begin) - start;
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
