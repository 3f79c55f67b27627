//! The forecast of a recipe's cost: tested pairs, candidates, memory, disk, and the recall.
//!
//! In: a recipe, the number and length of documents, and what a search by the recipe is expected to meet in a sample of the texts
//! ([`Expected`]). Out: numbers, and the reasons for the recipe in words. Nothing here changes a candidate.

mod expected;
mod peek;
mod reasons;
#[cfg(test)]
mod sample_tests;
pub mod small_parts;
#[cfg(test)]
mod tests;
mod texts;

pub use expected::{Expected, expect, expected};
pub use peek::peek;
pub use reasons::{describe, why};
pub use texts::mean_bytes;

use crate::base::error::{Error, Result};
use crate::base::stats::binomial_tail;
use crate::base::tuning::Tuning;
use crate::encode::feature_bits::BIT_WORDS;
use crate::encode::paths::Overlap;
use crate::encode::scheme::Scheme;
use crate::encode::sketch::SKETCH_WORDS;
use crate::encode::weight::Weights;
use crate::recipe::{BRUTE_BELOW, Recipe, Threshold};
use crate::search::documents::SchemeDocuments;
use crate::search::feature_bits::{held_bytes, row_bytes, wide_bytes, words};
use crate::search::sample;
use crate::search::tables::Tables;

/// The task to forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// Documents.
    pub documents: u64,
    /// Mean length of a text, in bytes of UTF-8.
    pub mean_bytes: u64,
    /// Features of a text in the mean, where texts were looked at ([`peek`]).
    pub mean_features: Option<f64>,
    /// Threads, at least 1.
    pub threads: usize,
}

/// The forecast of a run; counts are of all documents together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Search keys of a document in the mean.
    pub keys: f64,
    /// Pairs that meet in a key.
    pub looks: f64,
    /// Pairs of these that pass the filters.
    pub candidates: f64,
    /// Pairs of these compared by features; none under a distance, where bits decide.
    pub verified: f64,
    /// The most memory held at one time, in bytes.
    pub bytes: f64,
}

/// The most documents of a collection: positions are 32 bits, and one value means none.
pub const MOST_DOCUMENTS: u64 = u32::MAX as u64 - 1;
/// The assumed share of documents that are near another.
pub const ASSUMED_NEAR: f64 = 0.2;
/// Bytes of a search key in memory and in a file; split paths add an eighth.
const HELD_KEY_BYTES: f64 = 5.7;
const KEY_BYTES: f64 = 9.0;
/// Bytes of a pair that the search finds.
const EDGE_BYTES: f64 = 12.0;
/// Pairs that a text's keys find, for each key, where no sample says more.
const EDGES_A_KEY: f64 = 0.5;
/// Keys that a candidate pair has in common.
const EDGES_A_PAIR: f64 = 3.0;
/// Bytes of a record's place in its source: lengths of 16 bits, and one place for 32 records.
const PLACE_BYTES: f64 = 2.25;
/// Bytes a document that a run with a run directory holds in memory. One part is its place. The other is, at a time,
/// rows by position, copies, clusters, or what the walk needs: a place in the index of features, rejections, and a bit
/// for each kept row.
const STAYING_BYTES: f64 = PLACE_BYTES + 5.25;
/// Bytes a document that stages gather before they write them, where the memory allows: digests with places, keys, edges.
const GATHERED_BYTES: f64 = 64.0;
/// The part of the memory that stages gather at most; see [`RunDir::gathered_bytes`](crate::storage::run_dir::RunDir::gathered_bytes).
const GATHERED_OF: f64 = 4.0;
/// Bytes a document in a run directory that the columns of the plan do not have: rows, assignments, decisions.
const DECIDED_BYTES: f64 = 4.0 + 16.0 + 19.0 + 4.0;
/// Features for each byte of a text, where texts were not looked at: nearly one for each character.
const FEATURES_A_BYTE: f64 = 0.8;
/// Bytes of a process that has only loaded simsieve.
const PROCESS: f64 = 35e6;

/// The recipe for this many documents.
///
/// # Errors
/// [`Error::Config`] for more than [`MOST_DOCUMENTS`], or as [`Recipe::new`].
pub fn recipe(scheme: &Scheme, threshold: Threshold, recall: f64, seed: u64, documents: u64) -> Result<Recipe> {
    if documents > MOST_DOCUMENTS {
        return Err(Error::Config(msg!(
            "{documents} documents are more than 2^32 - 2, the most that one run takes; split the collection"
        )));
    }
    Recipe::new(scheme, threshold, recall, seed, documents)
}

/// The search keys of a document; one if every pair is tested.
pub fn keys(recipe: &Recipe, scheme: &Scheme) -> usize {
    (keys_of(recipe, scheme).round() as usize).max(1)
}

/// The tables that a search within a distance chooses.
fn tables(recipe: &Recipe, scheme: &Scheme) -> Tables {
    Tables::choose(recipe, scheme.width(), Tuning::DEFAULT)
}

/// The probability that a pair at the threshold is found by a path of two features. The first is for texts of equally
/// many features. The second is for the worst case: a text and a part of it, and under a containment the largest kept text that is
/// allowed. Elsewhere every pair is found.
pub fn reach(recipe: &Recipe) -> (f64, f64) {
    let threshold = recipe.threshold;
    let equal = match threshold {
        Threshold::Containment { least, .. } => Some(least),
        _ => threshold.least_cosine(),
    };
    match (recipe.paths, equal) {
        (Some(options), Some(cosine)) => {
            let rates = options.rates(0);
            let worst = match threshold {
                Threshold::Containment { .. } => threshold.pair_of_paths(),
                _ => Overlap::of_part(threshold.least_share().unwrap_or(1.0)),
            };
            (rates.found(Overlap::of_equals(cosine), 2), rates.found(worst, 2))
        }
        _ => (1.0, 1.0),
    }
}

/// The probability that a pair at the threshold is found by a path of two features, by the ratio of its sizes: smaller to larger, from
/// 1 down to the least that near texts have. Under a containment it is that of the kept text to the dropped one, up to the largest
/// allowed. Empty where every pair is found.
pub fn reach_by_size(recipe: &Recipe) -> Vec<(f64, f64)> {
    /// A step of ratios this near the last one says no more than that.
    const NEAR_LAST: f64 = 0.02;
    const RATIOS: [f64; 13] = [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];
    let (threshold, Some(options)) = (recipe.threshold, recipe.paths) else {
        return Vec::new();
    };
    let ratios: Vec<f64> = if let Threshold::Containment { least, max_ratio } = threshold {
        let before = RATIOS
            .into_iter()
            .filter(|&ratio| ratio < max_ratio * (1.0 - NEAR_LAST));
        // A kept text may be smaller than the dropped one, down to the share that it has to contain.
        let smaller = (least < 1.0).then_some(least).into_iter();
        smaller.chain(before).chain([max_ratio]).collect()
    } else {
        let last = threshold.least_share().unwrap_or(1.0);
        let tenths = (1..=10).rev().map(|tenths| f64::from(tenths) / 10.0);
        tenths.filter(|&ratio| ratio > last + NEAR_LAST).chain([last]).collect()
    };
    let rates = options.rates(0);
    let found = |ratio: f64| Some((ratio, rates.found(threshold.pair_of_sizes(ratio)?, 2)));
    ratios.into_iter().filter_map(found).collect()
}

/// The least similarity, to three decimals, whose recall can be reached; `None` if the recipe reaches its own, and under a containment.
pub fn least_similarity(recipe: &Recipe, scheme: &Scheme) -> Option<f64> {
    let reaches = |recipe: &Recipe| reach(recipe).0 >= recipe.recall - 1e-9;
    if recipe.threshold.is_directed() || reaches(recipe) {
        return None;
    }
    let at = |thousandths: u32| recipe_at(recipe, scheme, recipe.threshold.at(f64::from(thousandths) / 1000.0));
    let found = (1..=1000).find(|&thousandths| at(thousandths).is_ok_and(|recipe| reaches(&recipe)));
    found.map(|thousandths| f64::from(thousandths) / 1000.0)
}

/// Under a containment the largest ratio of sizes, to one decimal and at least 1, whose recall can be reached; `None` if the recipe
/// reaches its own.
pub fn largest_ratio(recipe: &Recipe, scheme: &Scheme) -> Option<f64> {
    let Threshold::Containment { least, max_ratio } = recipe.threshold else {
        return None;
    };
    let reaches = |recipe: &Recipe| reach(recipe).1 >= recipe.recall - 1e-9;
    if reaches(recipe) {
        return None;
    }
    let at = |tenths: u32| {
        let max_ratio = f64::from(tenths) / 10.0;
        recipe_at(recipe, scheme, Threshold::Containment { least, max_ratio })
    };
    let mut tenths = (10..=(10.0 * max_ratio) as u32).rev();
    let found = tenths.find(|&tenths| at(tenths).is_ok_and(|recipe| reaches(&recipe)));
    Some(f64::from(found.unwrap_or(10)) / 10.0)
}

/// The recipe for the same documents at another threshold.
fn recipe_at(recipe: &Recipe, scheme: &Scheme, threshold: Threshold) -> Result<Recipe> {
    Recipe::new(scheme, threshold, recipe.recall, recipe.seed, 1 << recipe.log2_n)
}

/// The search keys of a text in the mean and the pairs that met in a key, of a search that was made; `None` where every pair of few
/// records was compared. `rows` are the distinct texts that can be near anything.
pub fn met(documents: SchemeDocuments<'_>, rows: u64) -> Option<(f64, u64)> {
    let found = documents.search.found.get()?;
    if documents.recipe.paths.is_some() {
        let valid = documents.encoding.valid.iter().filter(|&&valid| valid).count();
        return Some((found.keys as f64 / valid.max(1) as f64, found.tested));
    }
    match tables(documents.recipe, &documents.encoding.scheme).len() {
        0 if (documents.run.collection.len() as u64) < BRUTE_BELOW => None,
        0 => Some((0.0, rows * rows.saturating_sub(1) / 2)),
        tables => Some((tables as f64, found.tested)),
    }
}

/// The forecast of a run by this recipe; `expected` is what a sample says of the search.
pub fn forecast(recipe: &Recipe, scheme: &Scheme, work: &Work, expected: Option<&Expected>) -> Forecast {
    let n = work.documents as f64;
    let by_similarity = recipe.threshold.by_similarity();
    let rows = expected.map_or(n, |expected| expected.rows().min(n));
    let pairs = rows * (rows - 1.0).max(0.0) / 2.0;
    let near = expected.map_or(n * ASSUMED_NEAR, |expected| expected.near).min(pairs);
    let tables = tables(recipe, scheme);
    let is_brute = recipe.paths.is_none() && tables.is_empty();
    let keys = expected.map_or_else(|| keys_of(recipe, scheme), |expected| expected.keys);
    let looks = match expected {
        Some(expected) => expected.looks,
        // The sample was taken in another run.
        None if recipe.paths.is_some() => near,
        _ if is_brute => pairs,
        _ => (pairs * tables.met() + near).min(pairs),
    };
    let strangers = expected.map_or_else(|| strangers(recipe, scheme, pairs), |expected| expected.strangers);
    let candidates = (strangers + near).min(looks.max(near));
    let verified = match expected {
        _ if !by_similarity => 0.0,
        Some(expected) => near + verified_strangers(rows, expected.kept_strangers, expected.by_bits),
        None => candidates,
    };
    Forecast {
        keys,
        looks,
        candidates,
        verified,
        bytes: memory_bytes(recipe, scheme, work, expected.map(|_| candidates))
            + n * HELD_KEY_BYTES * (keys - keys_of(recipe, scheme)).max(0.0)
            + expected.map_or(0.0, |expected| walked_bits(recipe, scheme, expected, verified)),
    }
}

/// The number of verified pairs among `strangers` pairs of texts that are not near. After as many rejections as rows, and
/// at least [`Tuning::rejections`], feature bits leave the share `by_bits`. Later rows meet more earlier rows.
fn verified_strangers(rows: f64, strangers: f64, by_bits: f64) -> f64 {
    let before = f64::max(rows * rows / strangers.max(1.0), Tuning::DEFAULT.rejections as f64).min(strangers);
    before + by_bits * (strangers - before)
}

/// Unrelated ones of these pairs that are within a distance; none under a similarity, where only texts say how many pass the filter.
fn strangers(recipe: &Recipe, scheme: &Scheme, pairs: f64) -> f64 {
    if recipe.threshold.by_similarity() {
        return 0.0;
    }
    pairs * binomial_tail(scheme.width(), 0.5, scheme.width().saturating_sub(recipe.max_bits))
}

/// What a run takes with and without a run directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunBytes {
    /// The most memory with all columns in memory.
    pub in_memory: u64,
    /// The most memory with a run directory.
    pub with_directory: u64,
    /// Bytes of the directory's columns: documents and feature bits.
    pub disk_columns: u64,
    /// Bytes of its search keys.
    pub disk_keys: u64,
    /// Bytes of the pairs that the search finds.
    pub disk_pairs: u64,
    /// Bytes of rows, assignments and decisions.
    pub disk_decisions: u64,
}

/// The bytes that a run takes, of memory and of disk, where it may hold `memory` bytes. Where these are too few for a
/// run with a run directory, the least that would do are returned.
pub fn bytes_of_run(recipe: &Recipe, scheme: &Scheme, work: &Work, memory: u64) -> RunBytes {
    let n = work.documents as f64;
    let staying = PROCESS + n * STAYING_BYTES + verifying(recipe, work);
    // The sample is gone before anything is decided.
    let sampled = PROCESS + n * PLACE_BYTES + sampled(recipe, scheme, work);
    let gathered = (memory as f64 / GATHERED_OF).min(n * GATHERED_BYTES);
    let held = (staying + gathered).max(sampled);
    let keys = recipe.paths.map_or(0.0, |_| KEY_BYTES * keys_of(recipe, scheme));
    let bits = row_bytes(recipe, scheme, features_of(work)) as f64;
    let columns = n * (column_bytes(recipe, scheme) as f64 - PLACE_BYTES + bits);
    RunBytes {
        in_memory: memory_bytes(recipe, scheme, work, None) as u64,
        with_directory: if held <= memory as f64 {
            held as u64
        } else {
            (staying * GATHERED_OF / (GATHERED_OF - 1.0))
                .min(staying + n * GATHERED_BYTES)
                .max(sampled) as u64
        },
        disk_columns: columns as u64,
        disk_keys: (n * keys) as u64,
        disk_pairs: edges_bytes(recipe, scheme, n, None) as u64,
        disk_decisions: (n * DECIDED_BYTES) as u64,
    }
}

/// Keys of a text, without those of split paths.
fn keys_of(recipe: &Recipe, scheme: &Scheme) -> f64 {
    let of_tables = || tables(recipe, scheme).len() as f64;
    recipe.paths.map_or_else(of_tables, |paths| f64::from(paths.first))
}

/// Bytes of each document for good, its label apart: fingerprint, sketch, digest, size, order, copies, place in its source, whether it has a
/// fingerprint.
pub fn column_bytes(recipe: &Recipe, scheme: &Scheme) -> u64 {
    let sketch = if recipe.threshold.by_similarity() {
        SKETCH_WORDS
    } else {
        0
    };
    (8 * (scheme.words() + sketch)) as u64 + 16 + 4 + 4 + 4 + libm::ceil(PLACE_BYTES) as u64 + 1
}

/// Bytes a document for search and decisions, in addition to the columns: keys, rows, assignments and decisions.
fn passing_bytes(recipe: &Recipe, scheme: &Scheme) -> u64 {
    let keys = match recipe.paths {
        Some(_) => HELD_KEY_BYTES * keys_of(recipe, scheme),
        None if tables(recipe, scheme).is_empty() => 8.0,
        None => 16.0,
    };
    keys as u64 + 8 + 24 + 26
}

fn memory_bytes(recipe: &Recipe, scheme: &Scheme, work: &Work, candidates: Option<f64>) -> f64 {
    let n = work.documents as f64;
    let bits = row_bytes(recipe, scheme, features_of(work));
    let columns = column_bytes(recipe, scheme) + passing_bytes(recipe, scheme) + bits;
    let (verifying, sampled) = (verifying(recipe, work), sampled(recipe, scheme, work));
    let found = edges_bytes(recipe, scheme, n, candidates);
    PROCESS + n * columns as f64 + found + verifying + sampled
}

/// Rows of large buckets among those that are met twice: a sample does not see such buckets of a large collection.
const MEMBERS: f64 = 0.05;

/// Bytes of what the walk makes of the rows that it meets twice, where the search has no bits that are as wide: feature bits, and of
/// those of large buckets wider ones and postings. Where one pair for two rows is verified, all may get wide bits.
fn walked_bits(recipe: &Recipe, scheme: &Scheme, expected: &Expected, verified: f64) -> f64 {
    let (rows, features) = (expected.rows(), expected.features);
    let met = expected.strangers / rows.max(1.0);
    let has_wide = row_bytes(recipe, scheme, features) >= 8 * BIT_WORDS as u64;
    if has_wide || !recipe.threshold.by_similarity() || scheme.weights() != Weights::Once {
        return 0.0;
    }
    let twice = 1.0 - (1.0 + met) * libm::exp(-met);
    let (tuning, members) = (Tuning::DEFAULT, MEMBERS * rows * twice);
    let bits = (8.0 * words(features) as f64 * members).min(tuning.most_bits as f64 / 2.0);
    let postings = (members * features).min(tuning.free_postings as f64);
    let narrow = held_bytes(rows, rows * twice, features, tuning) + bits;
    let are_wide = 2.0 * verified >= rows;
    let wide = if are_wide {
        wide_bytes(rows * twice, features, tuning)
    } else {
        0.0
    };
    narrow.max(wide) + 8.0 * postings
}

/// Bytes of the pairs that the search finds: a pair comes once for each key that it has in common, and large buckets hold
/// memberships instead. `candidates` are those that a sample says.
fn edges_bytes(recipe: &Recipe, scheme: &Scheme, n: f64, candidates: Option<f64>) -> f64 {
    let most = n * keys_of(recipe, scheme).max(1.0);
    let found = match candidates {
        Some(candidates) => EDGES_A_PAIR * candidates,
        None if recipe.threshold.by_similarity() => EDGES_A_KEY * most,
        None => EDGES_A_PAIR * (strangers(recipe, scheme, n * (n - 1.0).max(0.0) / 2.0) + n * ASSUMED_NEAR),
    };
    EDGE_BYTES * found.min(most)
}

/// Features of a text in the mean.
fn features_of(work: &Work) -> f64 {
    work.mean_features.unwrap_or(FEATURES_A_BYTE * work.mean_bytes as f64)
}

/// Bytes of the feature lists that verifiers hold.
fn verifying(recipe: &Recipe, work: &Work) -> f64 {
    if recipe.threshold.by_similarity() {
        // Eight bytes each.
        held_lists(work.documents as f64, features_of(work), work.threads)
    } else {
        0.0
    }
}

/// Bytes of the sample, with what is made of it.
fn sampled(recipe: &Recipe, scheme: &Scheme, work: &Work) -> f64 {
    match recipe.paths {
        Some(options) => {
            let weighted = scheme.weights() != Weights::Once;
            let texts = (work.documents as f64, work.mean_bytes as f64, features_of(work));
            sample::held_bytes(texts, weighted, options, work.threads)
        }
        None => 0.0,
    }
}

/// Bytes of feature lists that verifiers hold at a time, at most 32 MiB each.
fn held_lists(rows: f64, features: f64, threads: usize) -> f64 {
    const MOST: f64 = 32.0 * 1024.0 * 1024.0;
    let speculated = rows.min(Tuning::DEFAULT.window as f64) * 2.0 * ASSUMED_NEAR * features * 8.0;
    let walked = rows * ASSUMED_NEAR / 4.0 * features * 8.0;
    speculated.min(MOST * threads as f64) + walked.min(MOST)
}
