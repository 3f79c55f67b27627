//! The forecast of a run with loaded documents: one table of the recipe is made, and its pairs are tested.
//!
//! A pair that agrees in `c` of `T` tables meets in a random table with probability `c / T`. So each pair of the table
//! counts `T / c`. The sum is an unbiased estimate of the pairs that meet in any table (Horvitz and Thompson, JASA
//! 1952). It costs one table of `T`, and some verifications.

use std::time::Instant;

use super::calibrate::{head_cost, look_cost, trimmed, walked};
use super::{ASSUMED_NEAR, held_lists, passing_bytes, tables};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::dedup::candidates::stream::{REJECTIONS_TO_COUNT_FEATURES, REJECTIONS_TO_INDEX};
use crate::dedup::candidates::{Filter, Rows, SMALL_BUCKET, keys_of};
use crate::dedup::documents::SchemeDocuments;
use crate::dedup::recipe::Source;
use crate::dedup::recipe::choose::byte_chance;
use crate::dedup::verify::Verifier;

/// The forecast of the search, the decisions and the recall; counts are of all documents together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survey {
    /// Distinct texts that can be near anything.
    pub rows: u64,
    /// Pairs that meet in a table.
    pub looks: f64,
    /// Pairs that pass the filters and whose earlier row is kept.
    pub candidates: f64,
    /// Pairs of these compared by their features.
    pub verified: f64,
    /// Bytes in addition to those held now.
    pub bytes: f64,
    /// Seconds of one thread.
    pub search: f64,
    /// Seconds of one thread.
    pub decide: f64,
    /// Seconds of one thread.
    pub recall: f64,
}

/// Below `2^FEW_LOG2` records a run without tables takes less than a second.
const FEW_LOG2: u32 = 13;
/// Most pairs of the table that are tested, evenly spread over the buckets.
const TESTED: f64 = 30_000.0;
/// Pair tests timed at once.
const LOOKS: u64 = 2048;
/// Bytes of the counts of features that define rarity, and of their classes.
const RARITY: f64 = 21e6;
/// With queries by rare features, the decisions take this many times their verifications: 2.9 and 2.8 on 200,000
/// generated documents, long and short (benches/generate.py).
const BY_RARITY: f64 = 2.5;
/// Pairs verified to time the verification.
const VERIFIED: usize = 64;
/// The counts of one table; each pair is weighted by the inverse of its chance to meet.
#[derive(Debug, Default)]
struct Seen {
    looks: f64,
    candidates: f64,
    near: f64,
    /// Failed verifications.
    failed: f64,
    /// Kept rows with a failed verification.
    rejected_rows: f64,
    /// Pairs that passed: (later, earlier).
    passed: Vec<(u32, u32)>,
}

/// Surveys loaded documents; `None` for few documents with every pair tested, where a forecast costs as much as the
/// run.
///
/// Complexity: a table of the recipe, about 50,000 pair tests, 64 verifications.
///
/// # Errors
/// A source has changed, or its copies cannot be compared.
pub fn survey(documents: SchemeDocuments<'_>, sample: u64, ctx: &Context<'_>) -> Result<Option<Survey>> {
    let (recipe, threads) = (documents.recipe, ctx.threads().max(1));
    if recipe.source == Source::Brute && documents.run.collection.len() < 1 << FEW_LOG2 {
        return Ok(None);
    }
    let rows = Rows::of(&documents.run.collection, documents.run.copies(ctx)?);
    let filter = Filter::new(documents, &rows, ctx.kernel());
    if recipe.source == Source::Brute {
        return Ok(Some(every_pair(&filter, threads)));
    }
    let n = rows.len() as f64;
    let table = (mix(recipe.seed ^ 0x7AB1E) % tables(recipe) as u64) as usize;
    // The least of three, without waits of the thread.
    let (mut keys, mut table_ns) = (Vec::new(), f64::INFINITY);
    for _ in 0..3 {
        let start = Instant::now();
        keys = keys_of(&filter, table);
        std::hint::black_box(walked(&keys));
        table_ns = table_ns.min(start.elapsed().as_secs_f64() * 1e9);
    }
    let seen = look(&filter, &keys);
    let look_ns = look_cost(&filter, LOOKS);

    let by_similarity = recipe.threshold.by_similarity();
    let verify_ns = if by_similarity {
        verify_cost(documents, &rows, &seen.passed)?
    } else {
        0.0
    };
    // Failed verifications, until the prefix index of large buckets avoids the rest.
    let before_counting = REJECTIONS_TO_COUNT_FEATURES as f64;
    let failed = seen
        .failed
        .min(before_counting + f64::from(REJECTIONS_TO_INDEX) * seen.rejected_rows.min(n));
    let verified = if by_similarity { seen.near + failed } else { seen.near };
    // A short text is cut twice, and so is a text whose large buckets are indexed.
    let short_texts = filter.short_text_rows().len() as f64;
    let indexed = if seen.failed > before_counting {
        (seen.failed - failed).min(n)
    } else {
        0.0
    };
    let by_rarity = short_texts + indexed > 0.0;
    let deciding = if by_rarity { BY_RARITY } else { 1.0 };
    let kept = n - seen.near.min(n);
    let sampled = (sample as f64).min(kept);
    let head_ns = if documents.encoding.scheme.weights().by_feature() && by_similarity {
        head_cost(&documents.encoding.sketches)
    } else {
        look_ns
    };
    let features = rows
        .positions
        .iter()
        .map(|&at| f64::from(documents.encoding.sizes[at as usize]))
        .sum::<f64>()
        / n.max(1.0);
    let lists = if by_similarity {
        held_lists(n, features, threads)
    } else {
        0.0
    };
    let room = n * passing_bytes(recipe, threads) as f64;
    Ok(Some(Survey {
        rows: rows.len() as u64,
        looks: seen.looks,
        candidates: seen.candidates,
        verified,
        bytes: room + 12.0 * seen.candidates * (1.0 + ASSUMED_NEAR) + lists + if by_rarity { RARITY } else { 0.0 },
        search: (table_ns * tables(recipe) as f64 + seen.looks * look_ns) / 1e9,
        decide: ((verified + short_texts + indexed) * verify_ns * deciding + n * 100.0) / 1e9,
        recall: sampled * kept / 2.0 * head_ns / 1e9,
    }))
}

/// Without a table: a random sample of pairs gives the cost of a test and the share that passes.
fn every_pair(filter: &Filter, threads: usize) -> Survey {
    let n = filter.rows().len() as u64;
    let pairs = n as f64 * n.saturating_sub(1) as f64 / 2.0;
    let row = |at: u64| (mix(at) % n.max(1)) as u32;
    let tested = if n < 2 { 0 } else { TESTED as u64 };
    let passed = (0..tested)
        .map(|at| (row(2 * at), row(2 * at + 1)))
        .filter(|&(a, b)| a != b && filter.candidate(a.min(b), a.max(b)).is_some())
        .count();
    let look_ns = look_cost(filter, LOOKS);
    let candidates = pairs * passed as f64 / tested.max(1) as f64;
    Survey {
        rows: n,
        looks: pairs,
        candidates,
        verified: candidates.min(n as f64),
        bytes: n as f64 * passing_bytes(filter.recipe(), threads) as f64,
        search: 0.0,
        decide: pairs * look_ns / 1e9,
        recall: 0.0,
    }
}

/// Tests the pairs of a table's buckets, or a sample of them.
fn look(filter: &Filter, keys: &[u64]) -> Seen {
    let buckets = || {
        keys.chunk_by(|a, b| a >> 32 == b >> 32)
            .filter(|bucket| bucket.len() > 1)
    };
    // Some rows of a large bucket represent all.
    let members = |bucket: &[u64]| bucket.len().min(SMALL_BUCKET);
    let pairs_of = |rows: usize| (rows * (rows - 1) / 2) as f64;
    let all: f64 = buckets().map(|bucket| pairs_of(members(bucket))).sum();
    let every = (all / TESTED).ceil().max(1.0);
    let near_from = near_from(filter);
    let mut seen = Seen::default();
    for bucket in buckets().step_by(every as usize) {
        let step = bucket.len().div_ceil(SMALL_BUCKET);
        let rows: Vec<u32> = bucket.iter().step_by(step).map(|&key| key as u32).collect();
        // Both rows and their earlier rows are sampled.
        let share = every * pairs_of(bucket.len()) / pairs_of(rows.len()).max(1.0);
        test_bucket(filter, &rows, share, near_from, &mut seen);
    }
    seen
}

/// Walks a bucket approximately as the decisions will: a row that agrees as near pairs do is dropped.
fn test_bucket(filter: &Filter, rows: &[u32], share: f64, near_from: u32, seen: &mut Seen) {
    const LISTED: usize = 4096;
    let tables = filter.tables() as f64;
    let mut kept: Vec<(u32, bool)> = Vec::new();
    for &later in rows {
        let mut near = 0.0_f64;
        let mut failed = 0.0;
        for (earlier, is_rejected) in &mut kept {
            let (agreeing, bytes) = filter.agreement(*earlier, later);
            if agreeing == 0 {
                // Equal keys of different bytes.
                continue;
            }
            let weight = share * tables / f64::from(agreeing);
            seen.looks += weight;
            if filter.candidate(*earlier, later).is_none() {
                continue;
            }
            seen.candidates += weight;
            if seen.passed.len() < LISTED {
                seen.passed.push((later, *earlier));
            }
            if bytes >= near_from {
                near = near.max(weight);
            } else {
                failed += weight;
                if !*is_rejected {
                    *is_rejected = true;
                    seen.rejected_rows += share;
                }
            }
        }
        if near > 0.0 {
            seen.near += near;
        } else {
            seen.failed += failed;
            kept.push((later, false));
        }
    }
}

/// The agreement in sketch bytes from which a pair is probably near; 0 under a distance, where each candidate is near.
fn near_from(filter: &Filter) -> u32 {
    let recipe = filter.recipe();
    recipe.threshold.jaccards(filter.weights()).map_or(0, |(equals, _)| {
        (byte_chance(equals) * recipe.sketch_bytes as f64) as u32
    })
}

/// Nanoseconds to verify a pair: pairs that passed or, if there are few, neighbours in the order.
fn verify_cost(documents: SchemeDocuments<'_>, rows: &Rows, passed: &[(u32, u32)]) -> Result<f64> {
    let others: Vec<(u32, u32)> = (1..rows.len().min(VERIFIED + 1) as u32)
        .map(|row| (row, row - 1))
        .collect();
    let pairs = if passed.len() < 8 { &others } else { passed };
    let step = pairs.len().div_ceil(VERIFIED).max(1);
    let pairs: Vec<(u32, u32)> = pairs.iter().copied().step_by(step).collect();
    let mut verifier = Verifier::new(documents, rows);
    trimmed(pairs.len(), |at| verifier.near(pairs[at].0, pairs[at].1).map(drop))
}
