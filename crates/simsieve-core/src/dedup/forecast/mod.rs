//! The forecast of a recipe's cost: tested pairs, candidates, memory, time, and the recall.
//!
//! In: a recipe, the number and length of documents, and the costs of the steps ([`calibrate`]). Out: numbers, and the
//! reasons for the recipe in words. Nothing here changes a candidate.
//!
//! Unrelated texts meet in a table because real texts on different subjects have some similarity. It was measured in
//! three classes of length (docs/explanation/bakeoff.md). The number of a user's own texts that are almost near is
//! unknown until they are loaded: then [`survey`] counts, in one table of the loaded documents.

mod calibrate;
mod survey;
#[cfg(test)]
mod tests;

pub use calibrate::calibrate;
pub use survey::{Survey, survey};

use crate::base::error::{Error, Result};
use crate::base::stats::binomial_tail;
use crate::dedup::candidates::stream::MAX_SCANNED_MEMBERS;
use crate::dedup::recipe::choose::{background, band_choices, byte_chance, candidate_cost, longest_sketch};
use crate::dedup::recipe::{Recipe, Source, Threshold};
use crate::encode::scheme::Scheme;
use crate::encode::weight::Weights;

/// The costs of the steps on this machine, in nanoseconds of one thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Fingerprint and sketch of a text.
    pub text: f64,
    /// To make, sort and walk a row's key, for one table.
    pub key: f64,
    /// To filter a pair that meets in a table, if both rows miss the caches.
    pub look: f64,
    /// To verify a candidate: fetch, cut and compare both texts.
    pub verify: f64,
    /// A pair of the recall sample: 64 sketch bytes compared.
    pub head: f64,
}

/// The task to forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// Documents.
    pub documents: u64,
    /// Mean length of a text, in bytes of UTF-8.
    pub mean_bytes: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// Kept documents in the recall sample.
    pub sample: u64,
}

/// The forecast of a run; counts are of all documents together, seconds of one thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Pairs that meet in a table.
    pub looks: f64,
    /// Pairs of these that pass the filters.
    pub candidates: f64,
    /// Pairs of these compared by features; none under a distance, where bits decide.
    pub verified: f64,
    /// The most memory held at one time, in bytes.
    pub bytes: f64,
    /// Seconds to read, fingerprint and sketch.
    pub load: f64,
    /// Seconds to make the tables and test pairs.
    pub search: f64,
    /// Seconds to verify and decide.
    pub decide: f64,
    /// Seconds to measure the recall.
    pub recall: f64,
}

/// The most documents of a collection: positions are 32 bits, and one value means none.
pub const MOST_DOCUMENTS: u64 = u32::MAX as u64 - 1;
/// The assumed share of documents that are near another.
pub const ASSUMED_NEAR: f64 = 0.2;
/// The share of unrelated pairs in a band that pass both filters at usual thresholds (bakeoff.md, "Step by step":
/// 0.0033 for short, 0.004 for medium, 0.0036 for long texts).
const PASSING: f64 = 0.004;
/// Nanoseconds to read and parse a byte of JSON lines, which texts in memory do not need.
const READ_BYTE: f64 = 1.0;
/// Bytes of a process that has only loaded simsieve.
const PROCESS: f64 = 35e6;
/// Upper bounds, in bytes, of short and of medium texts.
const CLASSES: [u64; 2] = [300, 2500];

/// The recipe for this many documents.
///
/// # Errors
/// [`Error::Config`] for more than [`MOST_DOCUMENTS`], or as [`Recipe::new`].
pub fn recipe(scheme: &Scheme, threshold: Threshold, recall: f64, documents: u64) -> Result<Recipe> {
    if documents > MOST_DOCUMENTS {
        return Err(Error::Config(format!(
            "{documents} documents are more than 2^32 - 2, the most that one run takes; split the collection"
        )));
    }
    Recipe::new(scheme, threshold, recall, 0, documents)
}

/// The number of a recipe's tables; one if every pair is tested.
pub fn tables(recipe: &Recipe) -> usize {
    match &recipe.source {
        Source::Brute => 1,
        Source::Bands { bands, .. } => *bands,
        Source::Blocks { masks } => masks.len(),
    }
}

/// The probability that two unrelated texts meet in a table, summed over the recipe's tables.
pub fn meeting(recipe: &Recipe, mean_bytes: u64) -> f64 {
    match &recipe.source {
        Source::Brute => 1.0,
        Source::Bands { bands, rows } => {
            let class = CLASSES.iter().filter(|&&bound| mean_bytes >= bound).count();
            *bands as f64 * byte_chance(background(class, *rows)).powi(*rows as i32)
        }
        Source::Blocks { masks } => masks.iter().map(|mask| 0.5_f64.powi(ones(mask) as i32)).sum(),
    }
}

/// The share of unrelated pairs in a table that pass the filters.
pub fn passing(recipe: &Recipe, weights: Weights, width: u32) -> f64 {
    let bits = binomial_tail(width, 0.5, width.saturating_sub(recipe.max_bits));
    match (&recipe.source, recipe.threshold) {
        (Source::Brute, Threshold::Distance(_)) => bits,
        (Source::Blocks { masks }, _) => {
            // The bits of the key are equal; the others are random.
            let met = masks.first().map_or(0, |mask| ones(mask)).min(width);
            binomial_tail(width - met, 0.5, (width - met).saturating_sub(recipe.max_bits))
        }
        (source, _) => {
            let met = if let Source::Bands { rows, .. } = source {
                *rows as u32
            } else {
                0
            };
            let bytes = recipe.sketch_bytes as u32;
            let agree = binomial_tail(
                bytes - met,
                byte_chance(background(CLASSES.len(), 1)),
                recipe.min_agreement.saturating_sub(met),
            );
            let agree = if weights.by_feature() { agree } else { 1.0 };
            let floor = if met > 0 { PASSING } else { 0.0 };
            (agree * bits.max(0.5)).max(floor).min(1.0)
        }
    }
}

/// The probability that a pair at the threshold is found: with equally many features, and with one text a part of the
/// other, the worst case. Under a distance every pair is found.
pub fn reach(recipe: &Recipe, weights: Weights) -> (f64, f64) {
    match (&recipe.source, recipe.threshold.jaccards(weights)) {
        (Source::Bands { bands, rows }, Some((equals, least))) => {
            let found = |jaccard: f64| -(*bands as f64 * (-jaccard.powi(*rows as i32)).ln_1p()).exp_m1();
            (found(equals), found(least))
        }
        _ => (1.0, 1.0),
    }
}

/// The least similarity, to three decimals, whose recall can be reached at this many documents; `None` if the recipe
/// reaches its own.
pub fn least_similarity(recipe: &Recipe, weights: Weights) -> Option<f64> {
    if reach(recipe, weights).0 >= recipe.recall {
        return None;
    }
    let reaches = |thousandths: &u32| {
        let threshold = recipe.threshold.at(f64::from(*thousandths) / 1000.0);
        let choices = |(equals, _)| band_choices(equals, recipe.recall, recipe.log2_n);
        threshold
            .jaccards(weights)
            .is_some_and(|jaccards| !choices(jaccards).is_empty())
    };
    (1..=1000)
        .find(reaches)
        .map(|thousandths| f64::from(thousandths) / 1000.0)
}

/// The forecast of a run by this recipe.
pub fn forecast(recipe: &Recipe, scheme: &Scheme, work: &Work, costs: &Costs) -> Forecast {
    let (n, weights) = (work.documents as f64, scheme.weights());
    let by_similarity = recipe.threshold.by_similarity();
    let pairs = n * (n - 1.0).max(0.0) / 2.0;
    let near = (n * ASSUMED_NEAR).min(pairs);
    let strangers = pairs * meeting(recipe, work.mean_bytes);
    let looks = strangers + near;
    let candidates = strangers * passing(recipe, weights, scheme.width()) + near;
    let verified = if by_similarity { candidates } else { 0.0 };
    let brute = recipe.source == Source::Brute;
    // In larger tables both rows miss the caches more often; the cost was measured at 2^17 rows.
    let look = costs.look * candidate_cost(recipe.log2_n) / candidate_cost(17);
    let looking = if brute && by_similarity && n > MAX_SCANNED_MEMBERS as f64 {
        // By rarest features: each text is cut once to count them, and once to query them.
        n * costs.verify
    } else {
        looks * look
    };
    let keys = if brute {
        0.0
    } else {
        n * tables(recipe) as f64 * costs.key
    };
    let kept = n - near;
    let sampled = (work.sample as f64).min(kept);
    let head = if by_similarity { costs.head } else { look };
    Forecast {
        looks,
        candidates,
        verified,
        bytes: memory(recipe, scheme, work, candidates),
        load: n * (costs.text + READ_BYTE * work.mean_bytes as f64) / 1e9,
        search: (keys + looking) / 1e9,
        decide: (verified * costs.verify + n * 100.0) / 1e9,
        recall: sampled * kept / 2.0 * head / 1e9,
    }
}

/// Permanent bytes of each document: fingerprint, sketch, digest, size, order, place, label and flags.
pub fn column_bytes(recipe: &Recipe, scheme: &Scheme) -> u64 {
    (scheme.words() * 8 + recipe.sketch_bytes) as u64 + 16 + 4 + 4 + 12 + 16 + 8 + 1
}

/// Bytes a document for search and decisions, in addition to the columns: the keys of eight tables and memory to sort
/// them, assignments, decisions, and the heads of the recall sample.
pub(crate) fn passing_bytes(recipe: &Recipe, threads: usize) -> u64 {
    let batch = tables(recipe).min(8);
    (8 * (batch + threads.min(batch)) + 24 + 26) as u64 + if recipe.sketch_bytes > 0 { 64 } else { 0 }
}

fn memory(recipe: &Recipe, scheme: &Scheme, work: &Work, candidates: f64) -> f64 {
    let n = work.documents as f64;
    let columns = column_bytes(recipe, scheme) + passing_bytes(recipe, work.threads);
    let verifying = if recipe.sketch_bytes > 0 {
        // About one feature for each byte, eight bytes each.
        held_lists(n, 0.8 * work.mean_bytes as f64, work.threads)
    } else {
        0.0
    };
    // Large buckets hold memberships instead of pairs.
    let found = (12.0 * candidates).min(16.0 * n * tables(recipe) as f64);
    PROCESS + n * columns as f64 + found + verifying
}

/// Bytes of feature lists that verifiers hold at a time, at most 32 MiB each.
pub(crate) fn held_lists(rows: f64, features: f64, threads: usize) -> f64 {
    const MOST: f64 = 32.0 * 1024.0 * 1024.0;
    const WINDOW: f64 = 4096.0;
    let speculated = rows.min(WINDOW) * 2.0 * ASSUMED_NEAR * features * 8.0;
    let walked = rows * ASSUMED_NEAR / 4.0 * features * 8.0;
    speculated.min(MOST * threads as f64) + walked.min(MOST)
}

/// The reasons for the recipe, one sentence for each choice.
pub fn why(recipe: &Recipe, scheme: &Scheme) -> Vec<String> {
    match (&recipe.source, recipe.threshold) {
        (Source::Brute, Threshold::Similarity(_) | Threshold::Jaccard(_)) => {
            vec!["Every pair is looked at: below 8,192 documents tables would cost more than they save.".to_owned()]
        }
        (Source::Brute, Threshold::Distance(bits)) => vec![format!(
            "Every pair is looked at: at {bits} of {} bits no choice of agreeing blocks costs less for this many documents.",
            scheme.width()
        )],
        (Source::Blocks { masks }, Threshold::Distance(bits)) => vec![format!(
            "Two fingerprints within {bits} bits agree in one of {} choices of blocks: no pair within the distance is missed.",
            masks.len()
        )],
        (Source::Bands { bands, rows }, threshold) => {
            let Some((equals, _)) = threshold.jaccards(scheme.weights()) else {
                return Vec::new();
            };
            let mut sentences = why_bands(recipe, (*bands, *rows), equals);
            if let Threshold::Jaccard(jaccard) = threshold {
                sentences.push(format!(
                    "Bands are made for a Jaccard similarity of {jaccard}, whatever the sizes of two texts: a part of a text is \
                     found as surely as a text of its size."
                ));
            }
            sentences
        }
        _ => Vec::new(),
    }
}

fn why_bands(recipe: &Recipe, (bands, rows): (usize, usize), jaccard: f64) -> Vec<String> {
    let mut choices = band_choices(jaccard, recipe.recall, recipe.log2_n);
    choices.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let most = longest_sketch(recipe.log2_n);
    let chosen = match &choices[..] {
        [] => format!(
            "No bands of a sketch of {most} bytes reach the recall of {}; {bands} bands of one byte come nearest.",
            recipe.recall
        ),
        [_] => format!(
            "{bands} bands of {rows} bytes are the only ones that reach the recall of {} within {most} sketch bytes.",
            recipe.recall
        ),
        [best, next, ..] => format!(
            "{bands} bands of {rows} bytes cost least of those that reach the recall of {}; {} bands of {} would cost {:.1} times \
             as much.",
            recipe.recall,
            next.bands,
            next.rows,
            next.cost / best.cost
        ),
    };
    let sketch = format!(
        "Sketches have {} bytes: {} for the bands, the others to separate near pairs from unrelated ones.",
        recipe.sketch_bytes,
        bands * rows
    );
    vec![chosen, sketch]
}

fn ones(mask: &[u64]) -> u32 {
    mask.iter().map(|word| word.count_ones()).sum()
}
