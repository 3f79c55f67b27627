//! The recall of a run's own search: samples kept documents and searches near ones among all earlier kept ones.
//!
//! A kept document near an earlier kept one is a miss of the search: as a candidate the later one would have been
//! dropped. The sampler does not use the search's tables. It compares full sketches, at a bound that a near pair misses
//! with probability 10^-6, and then features. Sketches of counted weights give no such bound: then it compares bits,
//! and then features. Under a distance it compares bits alone.

use std::ops::Range;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::dedup::candidates::agree::{agreeing_nibbles, agreement, nibble_words, push_nibbles};
use crate::dedup::decide::Decisions;
use crate::dedup::documents::{Documents, SchemeDocuments};
use crate::dedup::verify::Verifier;
use crate::hamming;

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
}

/// Rows that are sampled at a time.
const GROUP: usize = 128;
/// After this many comparisons by features no further group is sampled: a number instead of the clock, so a run can be
/// repeated. If families share half of their text, thousands of rows can pass the filter of one sampled row.
const MOST_COMPARED: u64 = 300_000;

/// Sketch bytes whose nibbles are compared first. Unrelated texts pass as often as by whole bytes. Texts that share
/// half of their features with a sampled one hardly pass; by 64 whole bytes one in five does.
const HEAD: usize = 128;

/// The counts of one scan of some rows.
struct Seen {
    near: u64,
    compared: u64,
}

/// Samples up to `sample` kept documents by a seeded hash of their positions; fewer if each needs many comparisons. Old
/// documents are compared but not sampled.
///
/// Complexity: one comparison of 64 bytes for every sampled and every kept document.
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
    let searched = documents.searched();
    let affordable = searched.iter().map(|&part| affordable(part, decisions.kept_rows.len()));
    chosen.truncate(affordable.fold(sample, usize::min));
    let pool = ctx.pool()?;
    let scans: Vec<KeptScan> = searched
        .iter()
        .map(|&part| KeptScan::new(part, decisions, ctx.kernel()))
        .collect();
    let (mut sampled, mut missed, mut compared) = (0, 0, 0);
    let total = chosen.len() as u64;
    for group in chosen.chunks_mut(GROUP) {
        if compared > MOST_COMPARED {
            break;
        }
        ctx.tick("recall", sampled, total)?;
        // Neighbours in the keep order scan the same range of kept documents together.
        group.sort_unstable();
        let seen: Result<Vec<Seen>> = pool.install(|| {
            group
                .par_chunks(GROUP / 4)
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
    })
}

/// The number of samples within the time limit. Counted weights filter only by bits, and many unrelated texts pass.
/// Then the number of compared pairs is bounded, instead of the time, so a run can be repeated.
fn affordable(documents: SchemeDocuments<'_>, kept: usize) -> usize {
    const MOST_LOOKS: usize = 10_000_000;
    if documents.encoding.scheme.weights().by_feature() {
        usize::MAX
    } else {
        (MOST_LOOKS / kept.max(1)).max(10)
    }
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

/// The kept documents laid out for a scan.
struct KeptScan<'a> {
    documents: SchemeDocuments<'a>,
    decisions: &'a Decisions,
    /// The nibbles of the first [`HEAD`] sketch bytes of every kept row, with the words of each; none if bits filter.
    heads: Vec<u64>,
    words: usize,
    /// The agreement of a near pair in the first 64 bytes, and in all.
    least_head: [u32; 2],
    kernel: Kernel,
}

impl<'a> KeptScan<'a> {
    fn new(documents: SchemeDocuments<'a>, decisions: &'a Decisions, kernel: Kernel) -> Self {
        let by_sketches =
            documents.recipe.threshold.by_similarity() && documents.encoding.scheme.weights().by_feature();
        let head = HEAD.min(documents.recipe.sketch_bytes);
        let heads = if by_sketches {
            heads_of(documents, decisions, &decisions.kept_rows, head)
        } else {
            Vec::new()
        };
        Self {
            documents,
            decisions,
            heads,
            words: nibble_words(head),
            least_head: [64, head].map(|bytes| {
                documents
                    .recipe
                    .agreement_over(documents.encoding.scheme.weights(), bytes)
            }),
            kernel,
        }
    }

    /// Marks the sampled rows near an earlier kept one, and returns the number of compared pairs.
    fn look(&self, sampled: &[u32], near: &mut [bool], verifier: &mut Verifier) -> Result<u64> {
        const TILE: usize = 1024;
        let kept = &self.decisions.kept_rows;
        let mut compared = 0;
        let mut found = Vec::new();
        let own = if self.heads.is_empty() {
            Vec::new()
        } else {
            heads_of(self.documents, self.decisions, sampled, 16 * self.words)
        };
        for start in (0..kept.len()).step_by(TILE) {
            let tile = &kept[start..kept.len().min(start + TILE)];
            for (at, (&row, near)) in sampled.iter().zip(&mut *near).enumerate() {
                if *near {
                    continue;
                }
                let head = own.get(at * self.words..(at + 1) * self.words).unwrap_or_default();
                let earlier = tile.partition_point(|&earlier| earlier < row);
                found.clear();
                self.may_be_near(row, head, start..start + earlier, &mut found);
                for &at in &found {
                    compared += 1;
                    if verifier.near(row, tile[at as usize])?.is_some() {
                        *near = true;
                        break;
                    }
                }
            }
        }
        Ok(compared)
    }

    /// Adds to `found` which of some kept rows may be near `row` by its head; indices count from the first of them.
    fn may_be_near(&self, row: u32, head: &[u64], kept: Range<usize>, found: &mut Vec<u32>) {
        let positions = &self.decisions.rows.positions;
        let position_of = |at: u32| positions[self.decisions.kept_rows[kept.start + at as usize] as usize];
        let own = positions[row as usize];
        if !self.documents.encoding.valid[own as usize] {
            // It has a fingerprint only under another scheme.
            return;
        }
        if self.heads.is_empty() {
            let bits = |at: u32| {
                let (x, y) = (
                    self.documents.encoding.fingerprint(own),
                    self.documents.encoding.fingerprint(position_of(at)),
                );
                hamming::distance(x, y)
            };
            let stands = |at: u32| self.documents.encoding.valid[position_of(at) as usize];
            found.extend((0..kept.len() as u32).filter(|&at| stands(at) && bits(at) <= self.documents.recipe.max_bits));
            return;
        }
        let heads = &self.heads[kept.start * self.words..kept.end * self.words];
        agreeing_nibbles(self.kernel, head, heads, self.least_head, found);
        let least = self.documents.recipe.min_agreement;
        found.retain(|&at| {
            let (x, y) = (
                self.documents.encoding.sketch(own),
                self.documents.encoding.sketch(position_of(at)),
            );
            agreement(self.kernel, x, y) >= least
        });
    }
}

/// The nibbles of the first `bytes` of some rows' sketches, contiguous.
fn heads_of(documents: SchemeDocuments<'_>, decisions: &Decisions, rows: &[u32], bytes: usize) -> Vec<u64> {
    let mut heads = Vec::with_capacity(rows.len() * nibble_words(bytes));
    for &row in rows {
        let sketch = documents.encoding.sketch(decisions.rows.positions[row as usize]);
        push_nibbles(&sketch[..bytes], &mut heads);
    }
    heads
}
