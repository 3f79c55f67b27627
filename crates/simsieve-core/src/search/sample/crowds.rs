//! The second freeze: paths of many texts that the first sample was too small to see are split.
//!
//! The sample holds the features of its texts, so of a large collection of long texts it has few. A second sample holds keys and
//! sketches alone, some 150 bytes a text. Its texts are picked by the same hash, so it too is a function of the set of texts. A path that
//! stands for more than [`Bounds::crowd`] texts is split, or is a family. What its texts become is counted by the next pass.

use std::collections::HashMap;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::ingest::record_reader::{BLOCK_BYTES, RecordReader, RecordWork};
use crate::encode::encoder::{EncodedBatch, Encoder, SearchOptions, WorkerScratch};
use crate::encode::paths::{FAMILY, Fate, Paths};
use crate::encode::scheme::{Scheme, UnusableText};
use crate::encode::sketch::SKETCH_WORDS;
use crate::hamming;
use crate::recipe::Recipe;
use crate::search::candidates::buckets::MOST_TESTED;
use crate::search::sample::freeze::{LEAST_SAMPLED, NEAR_OF, PathTexts, SIMILAR};
use crate::search::sample::frozen::Frozen;
use crate::search::sample::similar::rough_cosine;
use crate::search::sample::texts::{is_sampled, sample_hash};
use crate::source::{Fields, Record, Sources};
use crate::text::FieldKind;

/// When a collection has a second freeze, and what it bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// A path of more texts than this is split: its pairs are not all tested.
    pub(crate) crowd: f64,
    /// Smaller collections have no second freeze.
    pub(crate) records: f64,
    /// One text of `2^log2` is in the second sample, of fewer where it has too many words.
    pub(crate) log2: u32,
    /// Words of the second sample at most: 256 MiB.
    pub(crate) words: usize,
    /// Passes at most: each splits what the one before has left.
    pub(crate) passes: usize,
    /// A pass is the last where so small a share of the keys is crowded.
    pub(crate) share: f64,
}

impl Bounds {
    /// Those of every collection.
    pub(crate) const DEFAULT: Self = Self {
        crowd: MOST_TESTED as f64,
        records: (1 << 20) as f64,
        log2: 6,
        words: 1 << 25,
        passes: 3,
        share: 0.01,
    };

    /// Where the second sample of so many records begins: a row has some 30 words.
    pub(crate) fn first_log2(&self, records: f64) -> u32 {
        let words = 32 * records as u64;
        words
            .div_ceil(self.words as u64)
            .next_power_of_two()
            .ilog2()
            .max(self.log2)
    }

    /// Whether a sample whose texts stand for `rate` texts each may not see a crowd of so many records; not where there is no sample.
    pub(crate) fn are_passed(&self, rate: Option<f64>, records: f64) -> bool {
        records >= self.records && rate.is_some_and(|rate| (LEAST_SAMPLED + 1.0) * rate >= self.crowd)
    }
}

/// Words of a text's hash and digest, which its sketch and its keys follow.
const HEAD: usize = 3;

/// The rows of sampled texts, each normalised form once.
#[derive(Debug, Default)]
pub(crate) struct KeySample {
    rows: Vec<u64>,
    /// Where each row begins, by the digest of its text.
    places: HashMap<u128, usize>,
    log2: u32,
}

impl KeySample {
    /// An empty sample of one text of `2^log2`.
    pub(crate) fn new(log2: u32) -> Self {
        Self {
            log2,
            ..Self::default()
        }
    }

    /// Adds [rows](put), and takes fewer texts where there are too many words.
    pub(crate) fn add(&mut self, rows: &[u64], bounds: &Bounds) {
        each(rows, |row| self.push(row));
        while self.rows.len() > bounds.words && self.places.len() > 1 {
            self.log2 += 1;
            let rows = std::mem::take(&mut self.rows);
            self.places.clear();
            each(&rows, |row| self.push(row));
        }
    }

    /// Adds a row; of a form that is there its hash, where that stays longer.
    fn push(&mut self, row: &[u64]) {
        let hash = row[1];
        if !is_sampled(hash, self.log2) {
            return;
        }
        let digest = u128::from(row[2]) | u128::from(row[3]) << 64;
        let place = *self.places.entry(digest).or_insert(self.rows.len());
        if place == self.rows.len() {
            self.rows.extend_from_slice(row);
        } else if hash.trailing_zeros() > self.rows[place + 1].trailing_zeros() {
            self.rows[place + 1] = hash;
        }
    }

    /// The new fates of crowded paths, and the share of the keys that these have. Each sampled text stands for `scale * 2^log2`.
    pub(crate) fn crowds(&self, paths: &Paths, recipe: &Recipe, scale: f64, bounds: &Bounds) -> Crowds {
        let mut order: Vec<(u128, usize)> = self.places.iter().map(|(&digest, &place)| (digest, place)).collect();
        order.sort_unstable();
        let row = |text: usize| &self.rows[order[text].1 + 1..][..self.rows[order[text].1] as usize];
        let sketch = |text: usize| &row(text)[HEAD..][..SKETCH_WORDS];
        let of_text = |text: usize| {
            let keys = row(text)[HEAD + SKETCH_WORDS..].iter();
            keys.filter(|&key| key & FAMILY == 0)
                .map(move |&key| (key, text as u32))
        };
        let mut keys: Vec<(u64, u32)> = (0..order.len()).flat_map(of_text).collect();
        keys.sort_unstable();
        let rate = scale * libm::exp2(f64::from(self.log2));
        let most = (bounds.crowd / rate).max(LEAST_SAMPLED);
        let (mut crowded, words) = (0, self.rows.len() - order.len() * (1 + HEAD + SKETCH_WORDS));
        let mut fates = Vec::new();
        let least = recipe.threshold.least_cosine();
        for bucket in keys.chunk_by(|a, b| a.0 == b.0) {
            let key = bucket[0].0;
            // A path that is as long as allowed stays a leaf.
            if bucket.len() as f64 <= LEAST_SAMPLED || paths.fates.get(key).is_some() {
                continue;
            }
            let texts = PathTexts {
                path: key,
                count: bucket.len(),
                text: |at: usize| bucket[at].1 as usize,
            };
            let pass = |a: usize, b: usize| hamming::distance(sketch(a), sketch(b)) <= recipe.max_bits;
            let cosine = |a: usize, b: usize| rough_cosine(sketch(a), sketch(b));
            // Texts that pass the filter and are not near cost a comparison of features each.
            let do_pass = texts.are_family(NEAR_OF, pass);
            if bucket.len() as f64 <= most && !do_pass {
                continue;
            }
            crowded += bucket.len();
            let are_near = |a: usize, b: usize| least.is_none_or(|least| cosine(a, b) >= least);
            let is_family =
                do_pass && texts.are_family(NEAR_OF, are_near) || paths.rates.even > 0 && texts.mean(cosine) >= SIMILAR;
            fates.push((key, if is_family { Fate::Family } else { Fate::Split }));
        }
        Crowds {
            fates,
            share: crowded as f64 / keys.len().max(1) as f64,
            mean_keys: words as f64 / order.len().max(1) as f64,
        }
    }
}

/// What a pass has found.
#[derive(Debug)]
pub(crate) struct Crowds {
    fates: Vec<(u64, Fate)>,
    share: f64,
    mean_keys: f64,
}

impl Crowds {
    /// Gives the paths their new fates; whether another pass may find more.
    pub(crate) fn split(self, paths: &mut Paths, bounds: &Bounds) -> bool {
        paths.fates.extend(&self.fates);
        paths.mean_keys = paths.mean_keys.max(self.mean_keys);
        self.share > bounds.share
    }
}

/// Calls `take` with each row, its number of words first.
fn each(rows: &[u64], mut take: impl FnMut(&[u64])) {
    let mut at = 0;
    while let Some(&words) = rows.get(at) {
        let Some(row) = rows.get(at..=at + words as usize) else {
            return;
        };
        take(row);
        at += row.len();
    }
}

/// Splits the crowded paths of each scheme whose sample was too small to see them, of a collection of `scale` times as many records.
pub(super) fn split(
    each: &mut [Option<Frozen>],
    (sources, text_field, batch): (&Sources, &[String], usize),
    schemes: &[(&Scheme, &Recipe)],
    scale: f64,
    bounds: &Bounds,
    ctx: &Context<'_>,
) -> Result<()> {
    let records = sources.len() as f64 * scale;
    let rate = |at: usize| each[at].as_ref().and_then(Frozen::rate);
    let mut left: Vec<usize> = (0..each.len())
        .filter(|&at| bounds.are_passed(rate(at), records))
        .collect();
    let log2 = bounds.first_log2(records).saturating_sub((scale as u64).max(1).ilog2());
    for _ in 0..bounds.passes {
        if left.is_empty() {
            break;
        }
        let paths = |at: usize| each[at].as_ref().map(|frozen| &*frozen.paths);
        let encoder = |&at: &usize| Encoder::new(schemes[at].0, search(paths(at)), ctx.kernel());
        let work = Keyed {
            encoders: left.iter().map(encoder).collect(),
            log2,
        };
        let takes = FieldKind::of_all(left.iter().map(|&at| schemes[at].0.takes()));
        let reader = RecordReader {
            sources,
            fields: &Fields::of_text(text_field, takes),
            block_bytes: BLOCK_BYTES,
            batch,
            stage: "sample",
            from: 0,
            to: sources.len(),
        };
        let mut samples: Vec<KeySample> = left.iter().map(|_| KeySample::new(log2)).collect();
        reader.each_batch(&work, ctx, |batch, _| {
            for (sample, rows) in samples.iter_mut().zip(&batch) {
                sample.add(rows, bounds);
            }
            Ok(())
        })?;
        drop(work);
        let mut samples = samples.into_iter();
        left.retain(|&at| {
            let (Some(frozen), Some(sample)) = (&mut each[at], samples.next()) else {
                return false;
            };
            let found = sample.crowds(&frozen.paths, schemes[at].1, scale, bounds);
            found.split(std::sync::Arc::make_mut(&mut frozen.paths), bounds)
        });
    }
    Ok(())
}

/// What a row of a sample is made of.
pub(crate) const fn search(paths: Option<&Paths>) -> SearchOptions<'_> {
    SearchOptions {
        sketches: true,
        paths,
        bits: 0,
    }
}

/// The rows of those of some texts that are sampled. A text that the scheme cannot use has none.
pub(crate) fn rows_of<'a>(
    texts: impl Iterator<Item = Result<Option<&'a str>>>,
    encoder: &Encoder<'_>,
    log2: u32,
) -> Result<Vec<u64>> {
    let (mut scratch, mut rows) = (WorkerScratch::default(), Vec::new());
    for text in texts {
        if let Some(text) = text? {
            put(text, encoder, log2, &mut scratch, &mut rows).unwrap_or_default();
        }
    }
    Ok(rows)
}

/// Adds the row of a text, if it is sampled: how many words follow, its hash, its digest, its sketch and its keys.
fn put(
    text: &str,
    encoder: &Encoder<'_>,
    log2: u32,
    scratch: &mut WorkerScratch,
    out: &mut Vec<u64>,
) -> Result<(), UnusableText> {
    let hash = sample_hash(text);
    if !is_sampled(hash, log2) {
        return Ok(());
    }
    let mut batch = EncodedBatch::default();
    encoder.encode(text, scratch, &mut batch)?;
    if batch.valid[0] {
        let digest = batch.digests[0];
        out.push((HEAD + SKETCH_WORDS + batch.keys.len()) as u64);
        out.extend([hash, digest as u64, (digest >> 64) as u64]);
        out.extend_from_slice(&batch.sketches);
        out.extend_from_slice(&batch.keys);
    }
    Ok(())
}

/// The work of the second sample on each record.
struct Keyed<'a> {
    encoders: Vec<Encoder<'a>>,
    log2: u32,
}

impl RecordWork for Keyed<'_> {
    type Scratch = WorkerScratch;
    type Batch = Vec<Vec<u64>>;

    fn scratch(&self) -> WorkerScratch {
        WorkerScratch::default()
    }

    fn batch(&self, _records: usize) -> Result<Self::Batch> {
        Ok(self.encoders.iter().map(|_| Vec::new()).collect())
    }

    fn add(
        &self,
        record: Record<'_>,
        scratch: &mut WorkerScratch,
        batch: &mut Self::Batch,
    ) -> Result<(), UnusableText> {
        for (encoder, rows) in self.encoders.iter().zip(batch) {
            put(&record.text, encoder, self.log2, scratch, rows)?;
        }
        Ok(())
    }

    fn add_failed(&self, _batch: &mut Self::Batch) {}
}

#[cfg(test)]
#[path = "crowds_tests.rs"]
mod tests;
