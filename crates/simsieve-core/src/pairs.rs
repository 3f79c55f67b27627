//! All near pairs of a run, exact copies among them.

use rayon::prelude::*;

use crate::documents::Documents;
use crate::error::{Error, Result};
use crate::exact;
use crate::fetch::Verifier;
use crate::hamming;
use crate::kernel::Kernel;
use crate::monitor::Monitor;
use crate::offers::pairs_of_few_features;
use crate::recipe::Threshold;
use crate::search::{Edge, Filter, Rows, all_pairs};
use crate::work;

/// Two near documents, `a` before `b` in position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPair {
    /// Position of the first.
    pub a: u32,
    /// Position of the second.
    pub b: u32,
    /// Bits in which their fingerprints differ.
    pub distance: u32,
    /// Their similarity; NaN under a distance, where none is computed.
    pub similarity: f64,
}

/// Every pair of documents that is a candidate and near, sorted by (a, b).
///
/// # Errors
/// [`Error::TooMany`] where there are more than `max_pairs`.
pub fn near_pairs(
    documents: &Documents,
    max_pairs: u64,
    threads: usize,
    monitor: &mut dyn Monitor,
) -> Result<Vec<NearPair>> {
    let copy_of = exact::collapse(documents, threads)?;
    let rows = Rows::of(documents, &copy_of);
    let families = families(documents, &copy_of, &rows);
    let sizes: Vec<u64> = families.iter().map(|family| family.len() as u64).collect();
    let within: u64 = sizes.iter().map(|size| size * (size - 1) / 2).sum();
    // Copies alone may be too many: then the search among the rest is spared.
    refuse_beyond(max_pairs, within, "at least ")?;
    let near = match documents.recipe.threshold {
        Threshold::Similarity(_) => by_similarity(documents, &rows, &sizes, within, max_pairs, threads, monitor)?,
        Threshold::Distance(bits) => by_distance(documents, &rows, bits, max_pairs, threads, monitor)?,
    };
    let between: u64 = near.iter().map(|near| weight(near, &sizes)).sum();
    refuse_beyond(max_pairs, within + between, "")?;
    let mut pairs = Vec::with_capacity((within + between) as usize);
    let ordered = |x: u32, y: u32, distance, similarity| NearPair {
        a: x.min(y),
        b: x.max(y),
        distance,
        similarity,
    };
    let same = match documents.recipe.threshold {
        Threshold::Similarity(_) => 1.0,
        Threshold::Distance(_) => f64::NAN,
    };
    for family in &families {
        for (at, &x) in family.iter().enumerate() {
            pairs.extend(family[..at].iter().map(|&y| ordered(x, y, 0, same)));
        }
    }
    for (edge, similarity) in near {
        for &x in &families[edge.earlier as usize] {
            let others = families[edge.later as usize].iter();
            pairs.extend(others.map(|&y| ordered(x, y, edge.distance, similarity.unwrap_or(f64::NAN))));
        }
    }
    pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
    Ok(pairs)
}

/// A candidate that is near, with its similarity where that was computed.
type Near = (Edge, Option<f64>);

/// Candidates by the recipe, verified on the features as they come: only near ones are held, and the search ends where
/// there are more than the caller allows.
fn by_similarity(
    documents: &Documents,
    rows: &Rows,
    sizes: &[u64],
    count: u64,
    max_pairs: u64,
    threads: usize,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Near>> {
    let pool = work::pool(threads)?;
    let filter = Filter::new(documents, rows);
    let mut found = Vec::new();
    let mut count = count;
    let mut take = |mut edges: Vec<Edge>, monitor: &mut dyn Monitor| {
        pool.install(|| edges.par_sort_unstable());
        let near = verify(documents, rows, &edges, &pool, monitor)?;
        count += near.iter().map(|near| weight(near, sizes)).sum::<u64>();
        found.extend(near);
        refuse_beyond(max_pairs, count, "at least ")
    };
    pairs_of_few_features(documents, filter, &pool, monitor, &mut take)?;
    all_pairs(filter, threads, monitor, take)?;
    Ok(found)
}

/// Pairs of documents that one pair of rows stands for.
fn weight((edge, _): &Near, sizes: &[u64]) -> u64 {
    sizes[edge.earlier as usize] * sizes[edge.later as usize]
}

/// Under a distance the bits decide, and the exact search is the fastest source.
fn by_distance(
    documents: &Documents,
    rows: &Rows,
    max_distance: u32,
    max_pairs: u64,
    threads: usize,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Near>> {
    let (words, width) = (documents.scheme.words(), documents.scheme.width());
    let values: Vec<u64> = rows
        .positions
        .iter()
        .flat_map(|&position| documents.fingerprint(position))
        .copied()
        .collect();
    let kernel = Kernel::active();
    let found = hamming::near_pairs(
        &hamming::Rows {
            values: &values,
            valid: None,
            words,
            width,
        },
        &hamming::Search {
            max_distance,
            max_pairs,
            threads,
            kernel,
        },
        monitor,
    )?;
    let near = |pair: hamming::Pair| {
        (
            Edge {
                later: pair.j,
                distance: pair.distance,
                earlier: pair.i,
            },
            None,
        )
    };
    Ok(found.into_iter().map(near).collect())
}

/// The positions of each row's exact copies, its own first.
fn families(documents: &Documents, copy_of: &[u32], rows: &Rows) -> Vec<Vec<u32>> {
    let mut row_of = vec![u32::MAX; documents.len()];
    for (row, &position) in rows.positions.iter().enumerate() {
        row_of[position as usize] = row as u32;
    }
    let mut families: Vec<Vec<u32>> = rows.positions.iter().map(|&position| vec![position]).collect();
    for (place, &position) in documents.order.iter().enumerate() {
        let first = copy_of[place] as usize;
        if first != place {
            families[row_of[documents.order[first] as usize] as usize].push(position);
        }
    }
    families
}

fn refuse_beyond(max_pairs: u64, count: u64, at_least: &str) -> Result<()> {
    if count > max_pairs {
        return Err(Error::TooMany(format!(
            "the answer has {at_least}{count} pairs, more than max_pairs = {max_pairs}; raise it, take a stricter threshold, \
             or use dedup, which needs no pairs"
        )));
    }
    Ok(())
}

/// The edges that are near, with their similarity; edges of one later row stand together, so that its features are
/// taken once.
fn verify(
    documents: &Documents,
    rows: &Rows,
    edges: &[Edge],
    pool: &rayon::ThreadPool,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Near>> {
    const GROUP: usize = 1 << 14;
    let mut near = Vec::new();
    for (at, group) in edges.chunks(GROUP).enumerate() {
        monitor.tick("verify", (at * GROUP) as u64, edges.len() as u64)?;
        let same_row: Vec<&[Edge]> = group.chunk_by(|a, b| a.later == b.later).collect();
        let found: Result<Vec<Vec<Near>>> = pool.install(|| {
            let of_rows = same_row.par_iter();
            of_rows
                .map_init(
                    || Verifier::new(documents, rows),
                    |verifier, edges| verify_row(edges, verifier),
                )
                .collect()
        });
        near.extend(found?.into_iter().flatten());
    }
    Ok(near)
}

fn verify_row(edges: &[Edge], verifier: &mut Verifier) -> Result<Vec<Near>> {
    let mut near = Vec::new();
    for &edge in edges {
        if let Some(similarity) = verifier.near(edge.later, edge.earlier)? {
            near.push((edge, similarity));
        }
    }
    Ok(near)
}
