//! The recall of a run's own search, by sampling kept documents and looking for near ones among all kept before them.
//!
//! A kept document near an earlier kept one is a miss of the search: had the pair been a candidate, the later would
//! have been dropped. The sampler does not use the search's tables. It compares sketches in full, at a bound that a
//! near pair falls below with probability 10^-6, and then the features; for counted weights, whose sketches promise
//! nothing, bits at such a bound and then the features; under a distance, the bits.

use std::ops::Range;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::dedup::candidates::agree::{agreeing_nibbles, agreement, nibble_words, push_nibbles};
use crate::dedup::decide::Decisions;
use crate::dedup::documents::Documents;
use crate::dedup::verify::Verifier;
use crate::hamming;

/// What the sampler saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampled {
    /// Kept documents looked at.
    pub sampled: u64,
    /// Of these, near an earlier kept document: missed by the search.
    pub missed: u64,
    /// Kept documents that could be near anything; the old ones not counted.
    pub kept: u64,
    /// Dropped as near (exact copies are found by other means).
    pub near: u64,
}

/// Rows that are sampled at a time.
const GROUP: usize = 128;
/// After this many comparisons by features no further group is sampled: a number and not the clock, so that a run can
/// be repeated. Where families share half of their text a sampled row may pass for near thousands of others.
const MOST_COMPARED: u64 = 300_000;

/// Sketch bytes whose nibbles are looked at first: as many strangers pass as if the bytes were, and texts that share half
/// of their features with a sampled one hardly do, which one in five does by 64 whole bytes.
const HEAD: usize = 128;

/// What one look at some rows saw.
struct Seen {
    near: u64,
    compared: u64,
}

/// Samples up to `sample` kept documents by a seeded hash of their positions; fewer where each needs many comparisons.
/// Old documents are looked at only.
///
/// Complexity: one look at 64 bytes for every sampled and every kept document.
pub fn measure(
    documents: &Documents,
    decisions: &Decisions,
    sample: usize,
    seed: u64,
    ctx: &Context<'_>,
) -> Result<Sampled> {
    let rows = &decisions.rows;
    // Old documents are nobody's to decide on: they are looked at, but not sampled.
    let new = decisions.kept_rows.partition_point(|&row| row < rows.old);
    let mut chosen = decisions.kept_rows[new..].to_vec();
    chosen.sort_by_cached_key(|&row| mix(mix(seed) ^ u64::from(rows.positions[row as usize])));
    let searched = documents.searched();
    let affordable = searched.iter().map(|part| affordable(part, decisions.kept_rows.len()));
    chosen.truncate(affordable.fold(sample, usize::min));
    let pool = ctx.pool()?;
    let scans: Vec<KeptScan> = searched.iter().map(|part| KeptScan::new(part, decisions)).collect();
    let (mut sampled, mut missed, mut compared) = (0, 0, 0);
    let total = chosen.len() as u64;
    for group in chosen.chunks_mut(GROUP) {
        if compared > MOST_COMPARED {
            break;
        }
        ctx.tick("recall", sampled, total)?;
        // Neighbours in the keep order walk the same stretch of kept documents together.
        group.sort_unstable();
        let seen: Result<Vec<Seen>> = pool.install(|| {
            group
                .par_chunks(GROUP / 4)
                .map_init(
                    || searched.iter().map(|part| Verifier::new(part, rows)).collect(),
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

/// How many samples are worth their time. Counted weights leave only the bits to filter by, and many strangers pass
/// them: then the pairs looked at are bounded, by a number and not by the clock, so that a run can be repeated.
fn affordable(documents: &Documents, kept: usize) -> usize {
    const MOST_LOOKS: usize = 10_000_000;
    if documents.scheme.weights().by_feature() {
        usize::MAX
    } else {
        (MOST_LOOKS / kept.max(1)).max(10)
    }
}

/// How many of the sampled rows are near an earlier kept one under any of the schemes.
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
    documents: &'a Documents,
    decisions: &'a Decisions,
    /// The nibbles of the first [`HEAD`] sketch bytes of every kept row, so many words each; none where the bits filter.
    heads: Vec<u64>,
    words: usize,
    /// In how many of the first 64 a near pair agrees, and in how many of all.
    least_head: [u32; 2],
    kernel: Kernel,
}

impl<'a> KeptScan<'a> {
    fn new(documents: &'a Documents, decisions: &'a Decisions) -> Self {
        let by_sketches = documents.recipe.threshold.by_similarity() && documents.scheme.weights().by_feature();
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
            least_head: [64, head].map(|bytes| documents.recipe.agreement_over(documents.scheme.weights(), bytes)),
            kernel: Kernel::active(),
        }
    }

    /// Marks the sampled rows that are near an earlier kept one, and tells how many pairs it compared.
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

    /// Adds to `found` which of some kept rows may be near `row`, whose head is given, counted from the first of them.
    fn may_be_near(&self, row: u32, head: &[u64], kept: Range<usize>, found: &mut Vec<u32>) {
        let positions = &self.decisions.rows.positions;
        let position_of = |at: u32| positions[self.decisions.kept_rows[kept.start + at as usize] as usize];
        let own = positions[row as usize];
        if !self.documents.valid[own as usize] {
            // It is under another scheme only.
            return;
        }
        if self.heads.is_empty() {
            let bits = |at: u32| {
                let (x, y) = (
                    self.documents.fingerprint(own),
                    self.documents.fingerprint(position_of(at)),
                );
                hamming::distance(x, y)
            };
            let stands = |at: u32| self.documents.valid[position_of(at) as usize];
            found.extend((0..kept.len() as u32).filter(|&at| stands(at) && bits(at) <= self.documents.recipe.max_bits));
            return;
        }
        let heads = &self.heads[kept.start * self.words..kept.end * self.words];
        agreeing_nibbles(self.kernel, head, heads, self.least_head, found);
        let least = self.documents.recipe.min_agreement;
        found.retain(|&at| {
            let (x, y) = (self.documents.sketch(own), self.documents.sketch(position_of(at)));
            agreement(self.kernel, x, y) >= least
        });
    }
}

/// The nibbles of the first `bytes` of the sketches of some rows, side by side.
fn heads_of(documents: &Documents, decisions: &Decisions, rows: &[u32], bytes: usize) -> Vec<u64> {
    let mut heads = Vec::with_capacity(rows.len() * nibble_words(bytes));
    for &row in rows {
        let sketch = documents.sketch(decisions.rows.positions[row as usize]);
        push_nibbles(&sketch[..bytes], &mut heads);
    }
    heads
}
