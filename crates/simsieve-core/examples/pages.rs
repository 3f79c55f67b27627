//! How fast pages are read on one core:
//! `cargo run --release --example pages -- FILE...`, each compressed JSON lines with a field `html`.
#![allow(missing_docs)]

use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::time::Instant;

use simsieve_core::text::html::{Hash, Options, PageScratch, Weight, dom_features, dom_fold, main_text, text};

/// Seconds of this thread on a processor, where the system gives them: other work on the machine does not count.
fn cpu_seconds(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds: Option<f64> = told.and_then(|line| line.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |told| told / 1e9)
}

fn measure(name: &str, pages: &[String], mut work: impl FnMut(&str)) {
    let bytes: usize = pages.iter().map(String::len).sum();
    let begin = Instant::now();
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = cpu_seconds(begin);
        for page in pages {
            work(page);
        }
        best = best.min(cpu_seconds(begin) - start);
    }
    println!("  {name:34} {:4.0} MB/s", bytes as f64 / best / 1e6);
}

fn main() {
    for path in std::env::args().skip(1) {
        let file = std::fs::File::open(&path).expect("a file");
        let pages: Vec<String> = BufReader::new(flate2::read::GzDecoder::new(file))
            .lines()
            .map(|line| {
                let record: serde_json::Value = serde_json::from_str(&line.expect("text")).expect("JSON");
                record["html"].as_str().expect("a field html").to_owned()
            })
            .collect();
        let mut scratch = PageScratch::default();
        let mut out = String::new();
        println!("{path}: {} pages", pages.len());
        let dom64 = Options::default();
        let steps = Options {
            levels: 2,
            classes: true,
            weight: Weight::Nearest(0.8),
            hash: Hash::Xxh3,
        };
        let paths = Options {
            levels: 0,
            classes: true,
            weight: Weight::Once,
            hash: Hash::Xxh3,
        };
        for (name, options, width) in [
            ("dom64", dom64, 64),
            ("2 levels, classes, 128 bits", steps, 128),
            ("paths, classes, 128 bits", paths, 128),
        ] {
            measure(name, &pages, |page| {
                let features = dom_features(page, &options, &mut scratch).expect("features");
                black_box(dom_fold(features, width).expect("a width"));
            });
        }
        measure("text", &pages, |page| {
            text(page, &mut scratch, &mut out).expect("a text");
        });
        measure("main text", &pages, |page| {
            main_text(page, &mut scratch, &mut out).expect("a text");
        });
    }
}
