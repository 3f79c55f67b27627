//! Fitting a model: one streamed pass over documents, nothing of them kept but counts.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::ingest::record_reader::{RecordReader, RecordWork};
use crate::encode::model::neighbours::pairs_of;
use crate::encode::model::{Counter, DEFAULT_LIMIT, Model};
use crate::encode::scheme::{OpenScheme, Scratch, UnusableText};
use crate::encode::weight::Weights;
use crate::source::{Failure, Fields, Record, Sources};

/// How a model is made of records.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whose features are counted.
    pub scheme: OpenScheme,
    /// Where the text is; several fields are joined.
    pub text_field: Vec<String>,
    /// The most prefixes to keep.
    pub limit: usize,
    /// Documents a batch; 0 for batches of about a quarter of a MiB. Never changes a result.
    pub batch: usize,
}

impl Options {
    /// The options of a scheme, everything else as by default.
    pub fn new(scheme: &OpenScheme) -> Self {
        Self {
            scheme: scheme.clone(),
            text_field: vec!["text".to_owned()],
            limit: DEFAULT_LIMIT,
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
struct FitBatch {
    documents: u64,
    hashes: Vec<u64>,
    pairs: Vec<u128>,
}

/// The work of a fit on each record: its features, without weights.
struct Count<'a> {
    scheme: &'a OpenScheme,
}

impl RecordWork for Count<'_> {
    type Scratch = Scratch;
    type Batch = FitBatch;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn batch(&self, _records: usize) -> Result<FitBatch> {
        Ok(FitBatch::default())
    }

    fn add(&self, record: Record<'_>, scratch: &mut Scratch, batch: &mut FitBatch) -> Result<(), UnusableText> {
        take(self.scheme, &record.text, scratch, batch)
    }

    fn add_failed(&self, _batch: &mut FitBatch) {}
}

/// Fits a model on every document of `sources`. Records that fail are left out.
///
/// Complexity: linear in the bytes; memory of 16 bytes a prefix that is kept, of 64 more where neighbours are counted, and of the
/// batches in work.
pub fn fit_store(sources: &Sources, options: &Options, ctx: &Context<'_>) -> Result<Fitted> {
    const BLOCK_BYTES: u64 = 1 << 18;
    let mut counter = Counter::new(options.scheme.features_to_count()?, options.limit)?;
    let fields = Fields::of_text(&options.text_field, options.scheme.takes());
    let reader = RecordReader {
        sources,
        fields: &fields,
        block_bytes: BLOCK_BYTES,
        batch: options.batch,
        stage: "fit",
        from: 0,
        to: sources.len(),
    };
    let work = Count {
        scheme: &options.scheme,
    };
    let pool = ctx.pool()?;
    let mut failures = Vec::new();
    reader.each_batch(&work, ctx, |batch, failed| {
        pool.install(|| counter.add_with_pairs(batch.documents, &batch.hashes, &batch.pairs));
        failures.extend(failed);
        Ok(())
    })?;
    let model = pool.install(|| counter.finish());
    Ok(Fitted { model, failures })
}

/// Adds the documents that `texts` are; the first has the number `first` in messages.
///
/// # Errors
/// [`Error::Text`](crate::base::error::Error::Text) for the first text that the scheme cannot use.
pub fn fit_texts<S: AsRef<str> + Sync>(
    counter: &mut Counter,
    scheme: &OpenScheme,
    texts: &[S],
    first: usize,
    ctx: &Context<'_>,
) -> Result<()> {
    const GROUP: usize = 64;
    let pool = ctx.pool()?;
    let at_a_time = GROUP * pool.current_num_threads();
    for (at, group) in texts.chunks(at_a_time).enumerate() {
        let start = at * at_a_time;
        ctx.tick("fit", start as u64, texts.len() as u64)?;
        let batches: Vec<Result<FitBatch>> = pool.install(|| {
            let work = |scratch: &mut Scratch, (chunk, texts): (usize, &[S])| {
                let mut batch = FitBatch::default();
                for (row, text) in texts.iter().enumerate() {
                    if let Err(refusal) = take(scheme, text.as_ref(), scratch, &mut batch) {
                        return Err(refusal.of_text(first + start + chunk * GROUP + row));
                    }
                }
                Ok(batch)
            };
            let chunks = group.par_chunks(GROUP).enumerate();
            chunks.map_init(Scratch::default, work).collect()
        });
        for batch in batches {
            let batch = batch?;
            pool.install(|| counter.add_with_pairs(batch.documents, &batch.hashes, &batch.pairs));
        }
    }
    Ok(())
}

fn take(scheme: &OpenScheme, text: &str, scratch: &mut Scratch, batch: &mut FitBatch) -> Result<(), UnusableText> {
    scheme.take_features(text, scratch)?;
    // A document without features is near to nothing, and says nothing of the features of others.
    batch.documents += u64::from(!scratch.features.is_empty());
    batch.hashes.extend_from_slice(scratch.features.hashes());
    if scheme.weights() == Weights::Entropy {
        pairs_of(scratch.known(), &mut batch.pairs);
    }
    Ok(())
}
