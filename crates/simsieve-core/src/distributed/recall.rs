//! The recall of a search whose rows are on several machines: kept rows that may be near a sampled one.
//!
//! As in [`recall`](crate::dedup::recall): all pairs are compared by their sketches, at a bound that a near pair misses with probability
//! 10^-6, and the texts of those that pass are verified.

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::dedup::recall::{TILE, sample_rank};
use crate::distributed::besides::RowRules;
use crate::distributed::decide::InvolvedRows;
use crate::distributed::search::Search;
use crate::encode::encoder::EncodedBatch;
use crate::encode::sketch::SKETCH_WORDS;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::Documents;
use crate::source::Sources;

/// The rank of each position in the sample of a seed: the least are sampled.
pub fn sample_ranks(positions: &[i64], seed: u64) -> Vec<u64> {
    let rank = |&position: &i64| sample_rank(position.cast_unsigned(), seed);
    positions.iter().map(rank).collect()
}

/// The pairs of a kept row and a sampled row that may be near, with the distance of their fingerprints.
///
/// Complexity: one comparison of 64 bytes for every kept and every sampled row.
///
/// # Errors
/// [`Error::Config`] where the columns do not fit together, or there are no sketches; an interrupt.
pub fn compare_sampled(
    search: &Search,
    kept: InvolvedRows,
    sampled: InvolvedRows,
    ctx: &Context<'_>,
) -> Result<Vec<(u32, u32, u32)>> {
    let words = search.scheme.words();
    let fit = |rows: &InvolvedRows| {
        rows.fingerprints.len() == rows.sizes.len() * words && rows.sketches.len() == rows.sizes.len() * SKETCH_WORDS
    };
    if !search.recipe.threshold.by_similarity() || !fit(&kept) || !fit(&sampled) {
        return Err(Error::Config(msg!(
            "the columns of the rows to compare do not fit together"
        )));
    }
    let [of_kept, of_sampled] = [&kept, &sampled].map(|rows| rows.sizes.len() as u32);
    let batch = EncodedBatch {
        fingerprints: [kept.fingerprints, sampled.fingerprints].concat(),
        sketches: [kept.sketches, sampled.sketches].concat(),
        sizes: [kept.sizes, sampled.sizes].concat(),
        valid: vec![true; (of_kept + of_sampled) as usize],
        ..EncodedBatch::default()
    };
    let relation = kept.values.followed_by(sampled.values).relation(&RowRules::default());
    let documents = Documents::of_rows(
        Sources::from_texts::<&str>([]),
        vec![(&search.scheme, &search.recipe, batch)],
        relation,
    );
    let all = Rows::all(of_kept + of_sampled);
    let filter = Filter::new(documents.under(0), &all, ctx.kernel()).strict();
    let rows: Vec<u32> = (0..of_kept).collect();
    let (mut column, mut found, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for tile in rows.chunks(TILE) {
        ctx.tick("recall", u64::from(tile[0]), u64::from(of_kept))?;
        filter.fetch(tile, &mut column);
        for at in 0..of_sampled {
            let own = of_kept + at;
            found.clear();
            filter.near(filter.words_of(own), &column, &mut found);
            let edges = found
                .iter()
                .filter_map(|&place| filter.candidate(tile[place as usize], own));
            pairs.extend(edges.map(|edge| (edge.earlier, at, edge.distance)));
        }
    }
    Ok(pairs)
}
