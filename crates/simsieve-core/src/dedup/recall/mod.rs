//! The recall of a run's own search: samples kept documents and searches near ones among all earlier kept ones.
//!
//! A kept document near an earlier kept one is a miss of the search: as a candidate the later one would have been
//! dropped. The sampler does not use the search's keys. It compares the sketches of all pairs, at a bound that a near pair misses
//! with probability 10^-6, and then features. A search of every pair, and one within a distance, misses nothing and is not sampled.

pub mod loss_summary;
pub mod rejected;

use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::dedup::decide::Decisions;
use crate::dedup::verify::{REVERSED, Verifier};
use crate::encode::feature_bits;
use crate::search::candidates::{Filter, Rows, feature_filter};
use crate::search::documents::{Documents, SchemeDocuments};
use crate::search::features::Features;
use crate::search::known_bits::{KnownBits, Tested};

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

/// Rows that are sampled first. A further group is as large as the comparisons that are left allow, and no smaller.
const GROUP: usize = 32;
/// Kept rows that one thread compares with a group at a time.
const PIECE: usize = 2048;
/// Kept rows whose sketches are side by side.
pub(crate) const TILE: usize = 1024;
/// After this many comparisons by features, or one for four kept documents, no further group is sampled: a number instead of the clock, so a run can be
/// repeated. If families share half of their text, thousands of rows can pass the filter of one sampled row.
const MOST_COMPARED: u64 = 100_000;
/// Where bits of features are compared first, a group reads a kept text once, and further comparisons with it cost little.
const MOST_COMPARED_BY_BITS: u64 = 4;

/// Sampled rows hold this many bits for each of their features. A kept row that may be near to one is compared with these first:
/// it is read once, and the texts of the sampled rows seldom.
const BITS_A_FEATURE: usize = 16;
/// Words of such a row at most.
const MOST_WORDS: usize = 1024;

/// The scan of some kept rows: which of the sampled rows are near one of them, and the number of compared pairs.
struct Seen {
    near: Vec<bool>,
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
    let searched: Vec<_> = documents.searched();
    let exact = searched.iter().all(|part| part.recipe.is_exact());
    let hash = |row: u32| sample_rank(u64::from(rows.positions[row as usize]), seed);
    let mut chosen = least_by(
        decisions.kept_rows[new..].iter().copied(),
        if exact { 0 } else { sample },
        hash,
    );
    let pool = ctx.pool()?;
    let filters: Vec<Filter> = searched
        .iter()
        .map(|&part| Ok(feature_filter(part, rows, ctx)?.strict()))
        .collect::<Result<_>>()?;
    let (mut sampled, mut missed, mut compared) = (0, 0, 0);
    let total = chosen.len() as u64;
    let kept = decisions.kept_rows.len() as u64;
    let by_bits = searched.iter().all(|part| part.cosine_of_bits().is_some());
    let most = MOST_COMPARED.max(if by_bits {
        kept * MOST_COMPARED_BY_BITS
    } else {
        kept / 4
    });
    let mut rest = &mut chosen[..];
    while !rest.is_empty() && compared <= most {
        ctx.tick("recall", sampled, total)?;
        let fitting = ((most - compared) * sampled).checked_div(compared).unwrap_or(u64::MAX);
        let size = if sampled == 0 {
            GROUP
        } else {
            (fitting as usize).max(GROUP)
        };
        let (group, others) = rest.split_at_mut(size.min(rest.len()));
        rest = others;
        // Neighbours in the keep order scan the same range of kept documents together.
        group.sort_unstable();
        let group = &*group;
        let known = |part: &SchemeDocuments<'_>| decisions.known_bits.get(part.at)?.as_ref();
        let bits = searched
            .iter()
            .map(|part| GroupBits::of(*part, rows, group, known(part)));
        let bits = bits.collect::<Result<Vec<_>>>()?;
        let pieces = decisions.kept_rows.par_chunks(PIECE);
        let seen: Result<Vec<Seen>> = pool.install(|| {
            pieces
                .map_init(
                    || {
                        searched
                            .iter()
                            .map(|&part| Verifier::new(part, rows).in_either_order())
                            .collect()
                    },
                    |verifiers: &mut Vec<Verifier>, kept| {
                        let mut seen = Seen {
                            near: vec![false; group.len()],
                            compared: 0,
                        };
                        for ((filter, bits), verifier) in filters.iter().zip(&bits).zip(verifiers) {
                            seen.scan(filter, bits, kept, group, verifier)?;
                        }
                        Ok(seen)
                    },
                )
                .collect()
        });
        let mut near = vec![false; group.len()];
        for seen in seen? {
            near.iter_mut().zip(&seen.near).for_each(|(near, seen)| *near |= seen);
            compared += seen.compared;
        }
        missed += near.into_iter().filter(|&near| near).count() as u64;
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

/// The rank of a document in the sample of a seed, by its position: the least are sampled.
pub(crate) fn sample_rank(position: u64, seed: u64) -> u64 {
    mix(mix(seed) ^ position)
}

/// The `count` rows of the least hashes, by hash. Memory holds no more than these.
pub(crate) fn least_by(rows: impl IntoIterator<Item = u32>, count: usize, hash: impl Fn(u32) -> u64) -> Vec<u32> {
    let mut least = BinaryHeap::new();
    for row in rows {
        least.push((hash(row), row));
        if least.len() > count {
            least.pop();
        }
    }
    least.into_sorted_vec().into_iter().map(|(_, row)| row).collect()
}

/// The feature bits of a group of sampled rows, and those of kept rows that the walk knew.
#[derive(Debug, Default)]
struct GroupBits<'a> {
    /// With the bits of each sampled row, as wide as these.
    known: Option<(&'a KnownBits, Vec<u64>)>,
    /// Words of a row; 0 where there are none, because features count more than once.
    words: usize,
    bits: Vec<u64>,
    cosine: f64,
}

impl<'a> GroupBits<'a> {
    /// Those of a group, where each feature counts once.
    fn of(documents: SchemeDocuments<'_>, rows: &Rows, group: &[u32], known: Option<&'a KnownBits>) -> Result<Self> {
        let encoding = documents.encoding;
        let Some(cosine) = documents.cosine_of_bits() else {
            return Ok(Self::default());
        };
        let position = |row: u32| rows.positions[row as usize] as usize;
        let features: usize = group.iter().map(|&row| encoding.sizes[position(row)] as usize).sum();
        let words = (features * BITS_A_FEATURE / group.len() / 64)
            .clamp(8, MOST_WORDS)
            .next_multiple_of(8);
        let mut bits = vec![0; group.len() * words];
        let mut known = known.map(|known| (known, vec![0; group.len() * known.words()]));
        let mut verifier = Verifier::new(documents, rows);
        for (at, (&row, bits)) in group.iter().zip(bits.chunks_mut(words)).enumerate() {
            // Of a row without a fingerprint here nothing is asked.
            if encoding.valid[position(row)] {
                let features = verifier.features.held(row)?.features.hashes();
                feature_bits::write(features, bits);
                if let Some((known, own)) = &mut known {
                    feature_bits::write(features, &mut own[at * known.words()..][..known.words()]);
                }
            }
        }
        Ok(Self {
            known,
            words,
            bits,
            cosine,
        })
    }

    /// Leaves of some kept rows, by their places in a tile, those that may be near a row of the group by the bits that the walk knew.
    fn rule_out(&self, tile: &[u32], at: usize, places: &mut Vec<u32>, memory: &mut Tested) {
        if let Some((known, own)) = &self.known {
            let own = &own[at * known.words()..][..known.words()];
            known.rule_out(own, self.cosine, places, |place| tile[place as usize], memory);
        }
    }

    /// Whether a text with these bits may be near a row of the group.
    fn may_be_near(&self, kernel: Kernel, text: &[u64], at: usize, found: &mut Vec<u32>) -> bool {
        found.clear();
        let row = &self.bits[at * self.words..][..self.words];
        feature_bits::near(kernel, text, row, self.cosine, found);
        !found.is_empty()
    }
}

impl Seen {
    /// Marks the sampled rows near an earlier kept one, and counts the compared pairs.
    fn scan(
        &mut self,
        filter: &Filter,
        group_bits: &GroupBits<'_>,
        kept: &[u32],
        sampled: &[u32],
        verifier: &mut Verifier,
    ) -> Result<()> {
        let (mut found, mut column, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut tested, mut bits) = (Tested::default(), vec![0; group_bits.words]);
        let last = sampled.last().copied().unwrap_or(0);
        for tile in kept.chunks(TILE).take_while(|tile| tile[0] < last) {
            filter.fetch(tile, &mut column);
            pairs.clear();
            for (at, &row) in sampled.iter().enumerate().filter(|(at, _)| !self.near[*at]) {
                let own = filter.words_of(row);
                let earlier = tile.partition_point(|&earlier| earlier < row);
                found.clear();
                filter.near(own, &column[..earlier * own.len()], &mut found);
                found.retain(|&place| filter.candidate(tile[place as usize], row).is_some());
                self.compared += found.len() as u64;
                group_bits.rule_out(tile, at, &mut found, &mut tested);
                pairs.extend(found.iter().map(|&place| (place, at as u32)));
            }
            // By the kept row: each is read once.
            pairs.sort_unstable();
            for of_one in pairs.chunk_by(|a, b| a.0 == b.0) {
                let kept = tile[of_one[0].0 as usize];
                let has_bits = group_bits.words > 0;
                if has_bits {
                    feature_bits::write(verifier.features.held(kept)?.features.hashes(), &mut bits);
                }
                for &(_, at) in of_one {
                    let near = &mut self.near[at as usize];
                    if *near {
                        continue;
                    }
                    let possible = !has_bits || group_bits.may_be_near(filter.kernel(), &bits, at as usize, &mut found);
                    // The kept row is held, so it is first here, and precedes in the keep order.
                    *near = possible && verifier.near(kept, sampled[at as usize])?.orders & REVERSED != 0;
                }
            }
        }
        Ok(())
    }
}
