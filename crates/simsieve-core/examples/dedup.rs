//! A run in the core alone, for profilers: `cargo run --release --example dedup -- FILE [threads]`.
#![allow(missing_docs)]

use std::sync::Arc;

use simsieve_core::base::context::Context;
use simsieve_core::base::error;
use simsieve_core::collection::keep_order::KeepOrder;
use simsieve_core::collection::relation::{Bounds, Rules};
use simsieve_core::dedup::loading;
use simsieve_core::dedup::{decide, recall};
use simsieve_core::encode::scheme::{DEFAULT, Scheme};
use simsieve_core::forecast::describe;
use simsieve_core::recipe::Threshold;
use simsieve_core::search::documents::Options;
use simsieve_core::source::{DEFAULT_MAX_RECORD_BYTES, SourceSpec, Sources};
use simsieve_core::text::conflict::Conflict;

/// Seconds of all processors that this process has used, where the system gives them.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |at: usize| stat.split(' ').nth(at).and_then(|field| field.parse::<f64>().ok());
    (ticks(13).unwrap_or(0.0) + ticks(14).unwrap_or(0.0)) / 100.0
}

fn main() -> error::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_default();
    let threads = arguments.next().and_then(|threads| threads.parse().ok()).unwrap_or(1);
    let store = Sources::open(&[SourceSpec::new(path)], DEFAULT_MAX_RECORD_BYTES, &Context::silent(1))?;
    eprintln!("{:6.2} CPU s opened, {} records", cpu(), store.len());
    let options = Options {
        scheme: Scheme::parse(DEFAULT)?,
        text_field: vec!["text".to_owned()],
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(&["first"])?,
        rules: Rules {
            bounds: Bounds {
                conflict: Conflict::parse_all(&std::env::var("CONFLICT").into_iter().collect::<Vec<_>>())?,
                ..Bounds::default()
            },
            ..Rules::default()
        },
        threshold: Threshold::Similarity(std::env::var("SIM").map_or(0.65, |v| v.parse().unwrap_or(0.65))),
        recall: 0.98,
        seed: 0,
        recipe_for: None,
        looked_up: false,
        batch: 0,
        run_dir: None,
        settled: None,
    };
    let documents = loading::load(Arc::new(store), &options, &Context::silent(threads))?;
    let how = describe(&documents.recipes[0], &options.scheme);
    eprintln!("{:6.2} CPU s fingerprinted; {how}", cpu());
    let decisions = decide::decide(&documents, &Context::silent(threads))?;
    eprintln!("{:6.2} CPU s decided, {:?}", cpu(), decisions.counts);
    let sampled = recall::measure(&documents, &decisions, 1000, 0, &Context::silent(threads))?;
    eprintln!("{:6.2} CPU s {sampled:?}", cpu());
    Ok(())
}
