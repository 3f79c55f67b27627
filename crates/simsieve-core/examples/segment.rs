//! How fast texts become words on one core: `cargo run --release --example segment -- FILE`, a text a line; the least
//! of seven times, of the processor where the system gives it. Nothing is made of the words; their ends are added up,
//! so that none can be left out.
#![allow(missing_docs)]

use std::sync::LazyLock;
use std::time::Instant;

use simsieve_core::text::segment::{CutScratch, Mode, Segmenter};

/// Seconds that this thread has had a processor; on systems that do not give it, seconds of the clock.
fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let data = std::fs::read_to_string(path).expect("readable UTF-8");
    let texts: Vec<&str> = data.lines().collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let start = seconds();
    let segmenter = Segmenter::builtin();
    println!("the dictionary is ready after {:.3} s", seconds() - start);
    let mut scratch = CutScratch::default();
    for (name, mode) in Mode::ALL {
        for hmm in [true, false] {
            let (mut best, mut words, mut ends) = (f64::MAX, 0_u64, 0);
            for _ in 0..7 {
                (words, ends) = (0, 0);
                let start = seconds();
                for text in &texts {
                    segmenter.cut(text, mode, hmm, &mut scratch, |place| {
                        words += 1;
                        ends += place.end;
                    });
                }
                best = best.min(seconds() - start);
            }
            println!(
                "{name}, hmm {hmm}: {:.1} MB/s, {:.0} ns a word, {words} words, ends {ends}",
                bytes as f64 / best / 1e6,
                best / words as f64 * 1e9
            );
        }
    }
}
