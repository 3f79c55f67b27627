//! A run in the core alone, for profilers: `cargo run --release --example dedup -- FILE [threads]`.
#![allow(missing_docs)]

use std::sync::Arc;
use std::time::Instant;

use simsieve_core::documents::{Documents, Options};
use simsieve_core::monitor::Silent;
use simsieve_core::order::KeepOrder;
use simsieve_core::read::{DEFAULT_MAX_RECORD_BYTES, SourceSpec, Store};
use simsieve_core::recipe::Threshold;
use simsieve_core::scheme::{DEFAULT, Scheme};
use simsieve_core::{decide, error, recall};

fn main() -> error::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_default();
    let threads = arguments.next().and_then(|threads| threads.parse().ok()).unwrap_or(1);
    let start = Instant::now();
    let store = Store::open(&[SourceSpec::new(path)], DEFAULT_MAX_RECORD_BYTES, &mut Silent)?;
    eprintln!(
        "{:6.2} s opened, {} records",
        start.elapsed().as_secs_f64(),
        store.len()
    );
    let options = Options {
        scheme: Scheme::parse(DEFAULT)?,
        text_field: "text".to_owned(),
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(&["first"])?,
        threshold: Threshold::Similarity(0.65),
        recall: 0.98,
        seed: 0,
        recipe_for: None,
        threads,
        batch: 0,
    };
    let documents = Documents::load(Arc::new(store), &options, &mut Silent)?;
    eprintln!(
        "{:6.2} s fingerprinted; {}",
        start.elapsed().as_secs_f64(),
        documents.recipe.describe()
    );
    let decisions = decide::decide(&documents, threads, &mut Silent)?;
    eprintln!(
        "{:6.2} s decided, {:?}",
        start.elapsed().as_secs_f64(),
        decisions.counts
    );
    let sampled = recall::measure(&documents, &decisions, 1000, 0, threads, &mut Silent)?;
    eprintln!("{:6.2} s {sampled:?}", start.elapsed().as_secs_f64());
    Ok(())
}
