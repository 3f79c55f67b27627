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
use crate::dedup::decide::Decisions;
use crate::dedup::verify::{REVERSED, Verifier};
use crate::search::candidates::feature_lists::mean_size;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::{Documents, SchemeDocuments};
use crate::search::feature_bits::{FeatureBits, KnownBy, OwnBits, Tested};
use crate::search::features::Features;

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

/// Rows that are sampled where no number is asked for. Trial: of 9,518 kept and 192 dropped CDs the interval of a sample without a miss
/// begins at .875 with 1,000, and at .972 with 5,000.
const SAMPLE: (usize, usize) = (1000, 5000);
/// Comparisons of sketches that choose a number between: .15 s.
const COMPARED: usize = 500_000_000;

/// The scan of some kept rows: which of the sampled rows are near one of them, and the number of compared pairs.
struct Seen {
    near: Vec<bool>,
    compared: u64,
}

/// Samples up to `sample` kept documents by a seeded hash of their positions; fewer if each needs many comparisons. Old
/// documents are compared but not sampled. Without a number there are 1,000 to 5,000, the fewer the more are kept.
///
/// Complexity: one comparison of 64 bytes for every sampled and every kept document; nothing for an exact search.
pub fn measure(
    documents: &Documents,
    decisions: &Decisions,
    sample: impl Into<Option<usize>>,
    seed: u64,
    ctx: &Context<'_>,
) -> Result<Sampled> {
    let rows = &decisions.rows;
    let by_work = (COMPARED / decisions.kept_rows.len().max(1)).clamp(SAMPLE.0, SAMPLE.1);
    let sample = sample.into().unwrap_or(by_work);
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
        .map(|&part| Filter::new(part, rows, ctx.kernel()).strict())
        .collect();
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
        let bits = searched.iter().map(|part| GroupBits::of(*part, rows, group, ctx));
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
                            seen.scan(filter, bits.as_ref(), kept, group, verifier)?;
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
        let ranked = (hash(row), row);
        // Nearly all rows of a large run end here.
        if least.len() >= count && least.peek().is_none_or(|most| *most < ranked) {
            continue;
        }
        least.push(ranked);
        if least.len() > count {
            least.pop();
        }
    }
    least.into_sorted_vec().into_iter().map(|(_, row)| row).collect()
}

/// The feature bits of a group of sampled rows. A kept row that may be near to one is compared with these first: it is read once, and
/// the texts of the sampled rows seldom.
struct GroupBits<'a> {
    /// Those of other rows, as far as the walk left them.
    known: &'a FeatureBits,
    of_sampled: Vec<OwnBits>,
    cosine: f64,
}

impl<'a> GroupBits<'a> {
    /// Those of a group; `None` where features count more than once.
    fn of(documents: SchemeDocuments<'a>, rows: &Rows, group: &[u32], ctx: &Context<'_>) -> Result<Option<Self>> {
        let Some(cosine) = documents.cosine_of_bits() else {
            return Ok(None);
        };
        let none = || FeatureBits::below(0, mean_size(documents, rows) as f64, KnownBy::FewBits, 0, ctx.kernel());
        let known = documents.search.bits.get_or_init(none);
        let of_row = |verifier: &mut Verifier<'_>, &row: &u32| {
            // Of a row without a fingerprint here nothing is asked.
            let features = if documents.encoding.valid[rows.positions[row as usize] as usize] {
                verifier.features.held(row)?.features.hashes()
            } else {
                &[]
            };
            Ok(known.of_text(features))
        };
        let each = group.par_iter().map_init(|| Verifier::new(documents, rows), of_row);
        Ok(Some(Self {
            of_sampled: ctx.pool()?.install(|| each.collect::<Result<_>>())?,
            known,
            cosine,
        }))
    }
}

impl Seen {
    /// Marks the sampled rows near an earlier kept one, and counts the compared pairs.
    fn scan(
        &mut self,
        filter: &Filter,
        group_bits: Option<&GroupBits<'_>>,
        kept: &[u32],
        sampled: &[u32],
        verifier: &mut Verifier,
    ) -> Result<()> {
        let (mut found, mut column, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        let mut tested = Tested::default();
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
                if let Some(bits) = group_bits {
                    let own = &bits.of_sampled[at];
                    let row = |place: u32| tile[place as usize];
                    bits.known.rule_out(own, bits.cosine, &mut found, row, &mut tested);
                }
                pairs.extend(found.iter().map(|&place| (place, at as u32)));
            }
            // By the kept row: each is read once.
            pairs.sort_unstable();
            for of_one in pairs.chunk_by(|a, b| a.0 == b.0) {
                let kept = tile[of_one[0].0 as usize];
                let unknown = group_bits.filter(|bits| !bits.known.has(kept));
                let own = match unknown {
                    Some(bits) => bits.known.of_text(verifier.features.held(kept)?.features.hashes()).bits,
                    None => Vec::new(),
                };
                for &(_, at) in of_one {
                    let near = &mut self.near[at as usize];
                    if *near {
                        continue;
                    }
                    let may_be_near = |bits: &GroupBits<'_>| {
                        let sampled = &bits.of_sampled[at as usize].bits;
                        bits.known.may_be_near(&own, sampled, bits.cosine)
                    };
                    let possible = unknown.is_none_or(may_be_near);
                    // The kept row is held, so it is first here, and precedes in the keep order.
                    *near = possible && verifier.near(kept, sampled[at as usize])?.orders & REVERSED != 0;
                }
            }
        }
        Ok(())
    }
}
