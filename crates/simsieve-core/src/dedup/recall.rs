//! The recall of a run's own search: samples kept documents and searches near ones among all earlier kept ones.
//!
//! A kept document near an earlier kept one is a miss of the search: as a candidate the later one would have been
//! dropped. The sampler does not use the search's keys. It compares the sketches of all pairs, at a bound that a near pair misses
//! with probability 10^-6, and then features. A search of every pair, and one within a distance, misses nothing and is not sampled.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::dedup::candidates::Filter;
use crate::dedup::decide::Decisions;
use crate::dedup::documents::Documents;
use crate::dedup::verify::Verifier;

/// The counts of the sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampled {
    /// Sampled kept documents.
    pub sampled: u64,
    /// Documents of these near an earlier kept one: missed by the search.
    pub missed: u64,
    /// Kept documents that can be near others, without old ones.
    pub kept: u64,
    /// Documents dropped as near, without exact copies.
    pub near: u64,
    /// The search misses nothing, so there is nothing to sample.
    pub exact: bool,
}

/// Rows that are sampled at a time.
const GROUP: usize = 32;
/// After this many comparisons by features, or one for four kept documents, no further group is sampled: a number instead of the clock, so a run can be
/// repeated. If families share half of their text, thousands of rows can pass the filter of one sampled row.
const MOST_COMPARED: u64 = 100_000;

/// The sampler's filter loses a near pair with at most this probability.
const MISS: f64 = 1e-6;

/// The counts of one scan of some rows.
struct Seen {
    near: u64,
    compared: u64,
}

/// Samples up to `sample` kept documents by a seeded hash of their positions; fewer if each needs many comparisons. Old
/// documents are compared but not sampled.
///
/// Complexity: one comparison of 64 bytes for every sampled and every kept document; nothing for an exact search.
pub fn measure(
    documents: &Documents,
    decisions: &Decisions,
    sample: usize,
    seed: u64,
    ctx: &Context<'_>,
) -> Result<Sampled> {
    let rows = &decisions.rows;
    // Old documents are not decided: they are compared, but not sampled.
    let new = decisions.kept_rows.partition_point(|&row| row < rows.old);
    let mut chosen = decisions.kept_rows[new..].to_vec();
    chosen.sort_by_cached_key(|&row| mix(mix(seed) ^ u64::from(rows.positions[row as usize])));
    let searched: Vec<_> = documents.searched();
    let exact = searched.iter().all(|part| part.recipe.is_exact());
    chosen.truncate(if exact { 0 } else { sample });
    let pool = ctx.pool()?;
    let scans: Vec<KeptScan> = searched
        .iter()
        .map(|&part| {
            let bits = part.recipe.bits_within(part.encoding.scheme.weights(), MISS);
            let filter = Filter::new(part, rows, ctx.kernel());
            let filter = if part.recipe.threshold.by_similarity() {
                filter.within(bits)
            } else {
                filter
            };
            KeptScan {
                filter,
                kept: &decisions.kept_rows,
            }
        })
        .collect();
    let (mut sampled, mut missed, mut compared) = (0, 0, 0);
    let total = chosen.len() as u64;
    for group in chosen.chunks_mut(GROUP) {
        if compared > MOST_COMPARED.max(decisions.kept_rows.len() as u64 / 4) {
            break;
        }
        ctx.tick("recall", sampled, total)?;
        // Neighbours in the keep order scan the same range of kept documents together.
        group.sort_unstable();
        let seen: Result<Vec<Seen>> = pool.install(|| {
            group
                .par_chunks(GROUP / 2)
                .map_init(
                    || searched.iter().map(|&part| Verifier::new(part, rows)).collect(),
                    |verifiers: &mut Vec<Verifier>, rows| look(&scans, rows, verifiers),
                )
                .collect()
        });
        for seen in seen? {
            missed += seen.near;
            compared += seen.compared;
        }
        sampled += group.len() as u64;
    }
    ctx.tick("recall", total, total)?;
    Ok(Sampled {
        sampled,
        missed,
        kept: (decisions.kept_rows.len() - new) as u64,
        near: decisions.counts.near,
        exact,
    })
}

/// The number of sampled rows near an earlier kept one under any of the schemes.
fn look(scans: &[KeptScan], sampled: &[u32], verifiers: &mut [Verifier]) -> Result<Seen> {
    let mut near = vec![false; sampled.len()];
    let mut compared = 0;
    for (scan, verifier) in scans.iter().zip(verifiers) {
        compared += scan.look(sampled, &mut near, verifier)?;
    }
    Ok(Seen {
        near: near.into_iter().filter(|&near| near).count() as u64,
        compared,
    })
}

/// The kept rows, compared with sampled ones.
struct KeptScan<'a> {
    filter: Filter<'a>,
    kept: &'a [u32],
}

impl KeptScan<'_> {
    /// Marks the sampled rows near an earlier kept one, and returns the number of compared pairs.
    fn look(&self, sampled: &[u32], near: &mut [bool], verifier: &mut Verifier) -> Result<u64> {
        const TILE: usize = 512;
        let mut compared = 0;
        let (mut found, mut column) = (Vec::new(), Vec::new());
        let last = sampled.last().copied().unwrap_or(0);
        for tile in self.kept.chunks(TILE).take_while(|tile| tile[0] < last) {
            self.filter.fetch(tile, &mut column);
            for (&row, near) in sampled.iter().zip(&mut *near).filter(|(_, near)| !**near) {
                let own = self.filter.words_of(row);
                let earlier = tile.partition_point(|&earlier| earlier < row);
                found.clear();
                self.filter.near(own, &column[..earlier * own.len()], &mut found);
                for &at in &found {
                    let Some(edge) = self.filter.candidate(tile[at as usize], row) else {
                        continue;
                    };
                    compared += 1;
                    if verifier.near(row, edge.earlier)?.is_some() {
                        *near = true;
                        break;
                    }
                }
            }
        }
        Ok(compared)
    }
}
