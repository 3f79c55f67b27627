//! Fitting a model: one streamed pass over documents, nothing of them kept but counts.

use rayon::prelude::*;

use super::neighbours::pairs_of;
use super::{Counter, DEFAULT_LIMIT, Model};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::read::{Failure, Fields, Store};
use crate::scheme::{Scheme, Scratch};
use crate::weights::Weights;
use crate::{MAX_TEXT_BYTES, work};

/// How a model is made of records.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whose features are counted.
    pub scheme: Scheme,
    /// Where the text is.
    pub text_field: String,
    /// The most prefixes to keep.
    pub limit: usize,
    /// Threads to work with; 0 for all there are.
    pub threads: usize,
    /// Documents a batch; 0 for batches of about half a MiB. Never changes a result.
    pub batch: usize,
}

impl Options {
    /// The options of a scheme, everything else as by default.
    pub fn new(scheme: &Scheme) -> Self {
        Self {
            scheme: scheme.clone(),
            text_field: "text".to_owned(),
            limit: DEFAULT_LIMIT,
            threads: 0,
            batch: 0,
        }
    }
}

/// A model, and what was left out of it.
#[derive(Debug)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// Records that are no documents, by position.
    pub failures: Vec<(usize, Failure)>,
}

/// What one batch came to.
#[derive(Default)]
struct Batch {
    documents: u64,
    hashes: Vec<u64>,
    pairs: Vec<u128>,
    failures: Vec<(usize, Failure)>,
}

/// Fits a model on every document of `store`. Records that fail are left out.
///
/// Complexity: linear in the bytes; memory of 16 bytes a prefix that is kept, of 64 more where neighbours are counted, and of the
/// batches in work.
pub fn fit_store(store: &Store, options: &Options, monitor: &mut dyn Monitor) -> Result<Fitted> {
    const BLOCK_BYTES: u64 = 1 << 19;
    let mut counter = Counter::new(&options.scheme, options.limit)?;
    let fields = Fields {
        text: options.text_field.clone(),
        id: String::new(),
        values: Vec::new(),
    };
    let mut ranges = store.blocks(BLOCK_BYTES);
    if options.batch > 0 {
        let cut = |range: std::ops::Range<usize>| {
            let end = range.end;
            range
                .step_by(options.batch)
                .map(move |start| start..(start + options.batch).min(end))
        };
        ranges = ranges.into_iter().flat_map(cut).collect();
    }
    let pool = work::pool(options.threads)?;
    let (mut done, total) = (0, store.len() as u64);
    let mut failures = Vec::new();
    for group in ranges.chunks(2 * pool.current_num_threads()) {
        monitor.tick("fit", done, total)?;
        let batches: Vec<Result<Batch>> = pool.install(|| {
            let hands = || (Vec::new(), Scratch::default());
            let work = |hands: &mut (Vec<u8>, Scratch), range: &std::ops::Range<usize>| {
                let (bytes, scratch) = hands;
                let mut batch = Batch::default();
                let block = store.read_block(range.clone(), bytes)?;
                for position in range.clone() {
                    match store.parse(position, block.record(position), &fields) {
                        Ok(record) if take(&options.scheme, &record.text, scratch, &mut batch) => {}
                        Ok(_) => batch.failures.push((position, too_long(store, position))),
                        Err(failure) => batch.failures.push((position, failure)),
                    }
                }
                Ok(batch)
            };
            group.par_iter().map_init(hands, work).collect()
        });
        for batch in batches {
            let batch = batch?;
            failures.extend(batch.failures);
            pool.install(|| counter.add_with_pairs(batch.documents, &batch.hashes, &batch.pairs));
        }
        done = group.last().map_or(done, |range| range.end as u64);
    }
    monitor.tick("fit", total, total)?;
    store.check_unchanged()?;
    let model = pool.install(|| counter.finish());
    Ok(Fitted { model, failures })
}

/// Adds the documents that `texts` are.
///
/// # Errors
/// [`Error::Config`] for a text whose normalised form is longer than 1 GiB.
pub fn fit_texts<S: AsRef<str> + Sync>(
    counter: &mut Counter,
    scheme: &Scheme,
    texts: &[S],
    threads: usize,
    monitor: &mut dyn Monitor,
) -> Result<()> {
    const GROUP: usize = 64;
    let pool = work::pool(threads)?;
    for (at, group) in texts.chunks(GROUP * pool.current_num_threads()).enumerate() {
        monitor.tick(
            "fit",
            (at * GROUP * pool.current_num_threads()) as u64,
            texts.len() as u64,
        )?;
        let batches: Vec<Result<Batch>> = pool.install(|| {
            let work = |scratch: &mut Scratch, texts: &[S]| {
                let mut batch = Batch::default();
                for text in texts {
                    if !take(scheme, text.as_ref(), scratch, &mut batch) {
                        return Err(Error::Config(
                            "a text has more than 1 GiB when normalised; split it".to_owned(),
                        ));
                    }
                }
                Ok(batch)
            };
            group.par_chunks(GROUP).map_init(Scratch::default, work).collect()
        });
        for batch in batches {
            let batch = batch?;
            pool.install(|| counter.add_with_pairs(batch.documents, &batch.hashes, &batch.pairs));
        }
    }
    Ok(())
}

fn too_long(store: &Store, position: usize) -> Failure {
    let place = store.locate(position);
    Failure::new(
        "too_long",
        format!("{place}: the normalised text has more than 1 GiB; split it"),
    )
}

/// Takes a text's features; `false` where it is too long to have any.
fn take(scheme: &Scheme, text: &str, scratch: &mut Scratch, batch: &mut Batch) -> bool {
    scheme.take_features(text, scratch);
    if scratch.text.compact().len() > MAX_TEXT_BYTES {
        return false;
    }
    // A document without features is near to nothing, and says nothing of the features of others.
    batch.documents += u64::from(!scratch.features.is_empty());
    batch.hashes.extend_from_slice(scratch.features.hashes());
    if scheme.weights() == Weights::Entropy {
        pairs_of(scratch.known(), &mut batch.pairs);
    }
    true
}
