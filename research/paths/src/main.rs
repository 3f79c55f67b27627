//! Candidate keys by chosen paths: keys and pairs a text, recall of planted copies, and what the filters let pass.
//!
//! In: a file of JSON lines with `text`. One text in twenty gets an edited copy: 5 to 35 % of its words (or Chinese characters)
//! are replaced, deleted or inserted in runs of 1 to 8. A planted pair counts where its set cosine is at least the threshold.
//! Each further argument is one variant: `name=value,...`, see [`Variant`]. The last line of a variant is a row of Markdown with the
//! columns [`filter::HEADER`]; its recalls have 95 % intervals of Wilson over the planted pairs.
//!
//! Usage: cargo run --release -- FILE TEXTS VARIANT...

mod bands;
mod corpus;
mod filter;
mod paths;

use std::time::Instant;

use corpus::Corpus;
use paths::Total;

/// One search to measure.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Bands instead of paths: how many, and of how many bins; 0 for paths.
    pub bands: usize,
    pub rows: usize,
    /// Repetitions, and features that a text selects a level in the mean.
    pub reps: usize,
    pub a: f64,
    /// Repetitions more with even selection.
    pub even: usize,
    /// A path of more texts than this is split.
    pub bucket: f64,
    /// The exponent of the rarity weight ln(n / df + 1)^w.
    pub w: f64,
    /// The part of the texts whose features are counted and whose paths are split.
    pub rate: f64,
    /// Features that fewer texts than this have are left out; 2 needs counts of all texts.
    pub least_df: u32,
    pub depth: usize,
    pub similarity: f64,
    /// Other draws.
    pub seed: u64,
    /// Not 0: a path ends where the product of its features' frequencies lets at most this many texts be expected on it. There are
    /// no split paths and no families then.
    pub product: f64,
    /// 0 for the exact total of a text's weights, 1 for the mean weight times its size, more for an estimate from so many features.
    pub total: Total,
}

impl Variant {
    fn parse(text: &str) -> Self {
        let mut variant = Self {
            bands: 0,
            rows: 4,
            reps: 4,
            a: 2.0,
            even: 0,
            bucket: 128.0,
            w: 2.0,
            rate: 0.0625,
            least_df: 0,
            depth: 6,
            similarity: 0.65,
            seed: 0,
            product: 0.0,
            total: Total::Exact,
        };
        for option in text.split(',').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').expect("name=value");
            let number: f64 = value.parse().expect("a number");
            match key {
                "bands" => variant.bands = number as usize,
                "rows" => variant.rows = number as usize,
                "T" => variant.reps = number as usize,
                "E" => variant.even = number as usize,
                "a" => variant.a = number,
                "B" => variant.bucket = number,
                "w" => variant.w = number,
                "rate" => variant.rate = number,
                "df" => variant.least_df = number as u32,
                "seed" => variant.seed = number as u64,
                "P" => variant.product = number,
                "depth" => variant.depth = number as usize,
                "W" if number < 2.0 => variant.total = [Total::Exact, Total::Mean][number as usize],
                "W" => variant.total = Total::Sampled(number as usize),
                "s" => variant.similarity = number,
                _ => panic!("unknown option {key}"),
            }
        }
        variant
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let texts = arguments[2].parse().expect("how many texts");
    let start = Instant::now();
    let corpus = Corpus::read(&arguments[1], texts);
    println!(
        "{}: {} texts, {:.0} features each, {} planted pairs, read in {:.0} s",
        arguments[1],
        corpus.len(),
        corpus.features.len() as f64 / corpus.len() as f64,
        corpus.pairs.len(),
        start.elapsed().as_secs_f64()
    );
    let hashes = filter::simhashes(&corpus);
    println!("{}", filter::HEADER);
    for text in &arguments[3..] {
        let variant = Variant::parse(text);
        let start = Instant::now();
        let (keys, told) = if variant.bands > 0 {
            (bands::keys(&corpus, variant.bands, variant.rows), String::new())
        } else {
            paths::keys(&corpus, &variant)
        };
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{text}: {told}keys in {:.2} us a text",
            1e6 * seconds / corpus.len() as f64
        );
        filter::report(text, &corpus, &hashes, keys, variant.similarity);
    }
}
