//! The forecast of the decisions of loaded documents: the search is made, and some rows are decided as a trial.

use std::time::Instant;

use super::{ASSUMED_NEAR, held_lists};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::dedup::candidates::{Edge, Filter, Rows, candidates, members_of, some_earlier_of};
use crate::dedup::documents::SchemeDocuments;
use crate::dedup::forecast::calibrate::head_cost;
use crate::dedup::recipe::{BRUTE_BELOW, SearchMethod};
use crate::dedup::verify::Verifier;

/// The forecast of the decisions and the recall; counts are of all documents together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survey {
    /// Distinct texts that can be near anything.
    pub rows: u64,
    /// Pairs that met in a key and were tested: counted.
    pub looks: f64,
    /// Pairs that pass the filters and whose earlier row is kept.
    pub candidates: f64,
    /// Pairs of these compared by their features.
    pub verified: f64,
    /// Bytes in addition to those held now.
    pub bytes: f64,
    /// Seconds of one thread that the search took.
    pub search: f64,
    /// Seconds of one thread.
    pub decide: f64,
    /// Seconds of one thread.
    pub recall: f64,
    /// Present if unrelated texts share so many features that the features hardly separate them.
    pub alike: Option<Alike>,
}

/// Texts drawn at random that have few different features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alike {
    /// Texts that were drawn.
    pub texts: u32,
    /// The different features of all of them.
    pub different: u64,
    /// Features of one of them in the mean.
    pub features: u64,
    /// Characters of a window of which unrelated texts share one in [`RARELY`]; `None` where features are no windows, and where no
    /// window is that long.
    pub window: Option<u32>,
}

/// Rows that are decided as a trial.
const TRIED: u64 = 512;
/// Verifications of one of these rows at most, and of all.
const MOST_OF_A_ROW: usize = 16;
const MOST_VERIFIED: usize = 512;
/// Texts that are drawn for [`Alike`].
const DRAWN: u64 = 64;
/// They are alike if a text has one of this many of all different features; if one is near another it says nothing.
const ALIKE_OF: u64 = 4;
/// See [`Alike::window`].
const RARELY: f64 = 10_000.0;
/// The longest window that a scheme has.
const LONGEST_WINDOW: f64 = 64.0;

/// Surveys loaded documents; `None` for few documents with every pair tested, where a forecast costs as much as the
/// run.
///
/// Complexity: the search, whose result the decisions use, and some hundred verifications.
///
/// # Errors
/// A source has changed, or its copies cannot be compared.
pub fn survey(documents: SchemeDocuments<'_>, sample: u64, ctx: &Context<'_>) -> Result<Option<Survey>> {
    let recipe = documents.recipe;
    let brute = recipe.method == SearchMethod::Brute;
    // A run of fewer records takes less than a second.
    if brute && (documents.run.collection.len() as u64) < BRUTE_BELOW {
        return Ok(None);
    }
    let rows = Rows::of(&documents.run.collection, documents.run.copies(ctx)?)?;
    let filter = Filter::new(documents, &rows, ctx.kernel());
    let start = Instant::now();
    let found = candidates(documents, &rows, ctx)?;
    let search = start.elapsed().as_secs_f64() * ctx.threads().max(1) as f64;
    let n = rows.len() as f64;
    let looks = if brute {
        n * (n - 1.0) / 2.0
    } else {
        found.tested as f64
    };

    let members = members_of(found);
    let mut verifier = Verifier::new(documents, &rows);
    let (mut tried, mut candidates, mut dropped) = (0.0, 0.0, 0.0);
    let (mut asked, mut list) = (Vec::new(), Vec::new());
    for at in 0..TRIED.min(rows.len() as u64) {
        if asked.len() >= MOST_VERIFIED {
            break;
        }
        let row = (mix(mix(recipe.seed) ^ at) % rows.len() as u64) as u32;
        let (mut own, members_for_one): (Vec<Edge>, f64) = some_earlier_of(&filter, found, &members, row, &mut list);
        own.sort_unstable();
        let (mut strange, mut near, first) = (0.0, 0.0, asked.len());
        for edge in own.iter().take(MOST_OF_A_ROW) {
            asked.push((edge.later, edge.earlier));
            if verifier.near(edge.later, edge.earlier)?.is_near() {
                near = 1.0;
                break;
            }
            strange += 1.0;
        }
        // What was not looked at is like what was.
        let share = if near > 0.0 {
            1.0
        } else {
            members_for_one * own.len() as f64 / (asked.len() - first).max(1) as f64
        };
        candidates += strange * share + near;
        dropped += near;
        tried += 1.0;
    }
    let seconds = seconds_of(&asked, Verifier::new(documents, &rows))?;
    let tried = f64::max(tried, 1.0);
    let by_similarity = recipe.threshold.by_similarity();
    let kept = n - n * dropped / tried;
    let sampled = if recipe.is_exact() {
        0.0
    } else {
        (sample as f64).min(kept)
    };
    let features: f64 = rows
        .positions
        .iter()
        .map(|&at| f64::from(documents.encoding.sizes[at as usize]))
        .sum();
    let lists = if by_similarity {
        held_lists(n, features / n.max(1.0), ctx.threads())
    } else {
        0.0
    };
    let candidates = n * candidates / tried;
    let alike = if by_similarity && dropped * 2.0 < tried {
        alike(documents, &rows, &mut verifier)?
    } else {
        None
    };
    Ok(Some(Survey {
        rows: rows.len() as u64,
        looks,
        candidates,
        verified: if by_similarity { candidates } else { 0.0 },
        bytes: n * 58.0 * (1.0 + ASSUMED_NEAR) + lists,
        search,
        decide: (n * seconds / tried) + n * 100e-9,
        recall: sampled * kept / 2.0 * head_cost(&filter) / 1e9,
        alike,
    }))
}

/// Seconds of one thread that verifications take whose texts were read a moment ago: a run reads neighbours together, and its first
/// texts from a disk would stand for all.
fn seconds_of(asked: &[(u32, u32)], mut verifier: Verifier<'_>) -> Result<f64> {
    let start = Instant::now();
    for &(later, earlier) in asked {
        verifier.near(later, earlier)?;
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Whether unrelated texts have mostly the same features: each of some texts has a large part of all features of all of them.
fn alike(documents: SchemeDocuments<'_>, rows: &Rows, verifier: &mut Verifier<'_>) -> Result<Option<Alike>> {
    let seed = mix(!documents.recipe.seed);
    let mut drawn: Vec<u32> = (0..DRAWN)
        .map(|at| (mix(seed ^ at) % rows.len().max(1) as u64) as u32)
        .filter(|&row| (row as usize) < rows.len())
        .collect();
    drawn.sort_unstable();
    drawn.dedup();
    if (drawn.len() as u64) < DRAWN / 2 {
        return Ok(None);
    }
    let mut all = Vec::new();
    for &row in &drawn {
        all.extend_from_slice(verifier.list(row)?.hashes());
    }
    let features = all.len() as u64 / drawn.len() as u64;
    all.sort_unstable();
    all.dedup();
    let different = all.len() as u64;
    if features * ALIKE_OF < different {
        return Ok(None);
    }
    let scheme = &documents.encoding.scheme;
    // Each further character of a window makes as many times more windows.
    let longer = libm::log(RARELY * features as f64) / libm::log(different.max(2) as f64);
    let window = (f64::from(scheme.window().size()) * longer).ceil();
    Ok(Some(Alike {
        texts: drawn.len() as u32,
        different,
        features,
        window: (scheme.has_windows() && window <= LONGEST_WINDOW).then_some(window as u32),
    }))
}
