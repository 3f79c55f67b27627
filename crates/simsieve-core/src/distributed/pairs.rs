//! Candidate pairs of a partition of keys, and their verification.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::collection::relation::Bounds;
use crate::dedup::verify::losses::{Losses, NOT_MEASURED};
use crate::dedup::verify::{Nearness, Verifier, near_lists};
use crate::distributed::besides::{RowRules, RowValues};
use crate::distributed::pieces::{Layout, Piece};
use crate::distributed::search::{Search, encoded};
use crate::distributed::texts::TextColumn;
use crate::encode::encoder::EncodedBatch;
use crate::encode::scheme::Scratch;
use crate::encode::similarity::FeatureList;
use crate::recipe::search_keys::{PARTS, is_family, item, part_of};
use crate::search::candidates::{Buckets, Filter, Rows, sort_by_key};
use crate::search::documents::Documents;
use crate::search::features::LISTED_LIMIT;

/// What the buckets of one partition give.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct BucketPairs {
    /// Candidate pairs as positions, the lower first, with the distance of their fingerprints; in order, each once. Where near pairs depend
    /// on the order of their texts, the earlier first, in each order that may be near.
    pub pairs: Vec<(i64, i64, u32)>,
    /// The positions in large buckets, each with the number of its bucket in this partition.
    pub members: Vec<(i64, u32)>,
    /// Pairs that were tested.
    pub tested: u64,
}

/// The candidates of all pieces of one partition.
///
/// Complexity: a sort of the keys, and the tests of the pairs of small buckets; memory for all pieces.
///
/// # Errors
/// [`Error::Config`] where a piece is damaged; an interrupt.
pub fn bucket_pairs(search: &Search, pieces: &[&[u8]], ctx: &Context<'_>) -> Result<BucketPairs> {
    let (mut rows, mut positions) = (EncodedBatch::default(), Vec::new());
    let mut parts: Vec<Vec<u64>> = vec![Vec::new(); PARTS];
    let layout = Layout::of(search);
    for piece in pieces {
        Piece::read(piece, layout, &mut rows, &mut positions, |key, row| {
            parts[part_of(key)].push(item(key, row));
        })?;
    }
    let documents = Documents::without_texts(&search.scheme, &search.recipe, rows);
    let all = Rows::all(positions.len() as u32);
    let filter = Filter::new(documents.under(0), &all, ctx.kernel());
    let (mut found, mut buckets, mut large) = (BucketPairs::default(), Buckets::default(), 0);
    for (at, items) in parts.iter_mut().enumerate() {
        ctx.tick("search", at as u64, PARTS as u64)?;
        sort_by_key(items, &mut buckets.spare);
        let part = buckets.take(&filter, items, is_family);
        found.tested += part.tested;
        for edge in &part.edges {
            let [a, b] = [edge.earlier, edge.later].map(|row| positions[row as usize]);
            if !search.is_directed() {
                found.pairs.push((a.min(b), a.max(b), edge.distance));
                continue;
            }
            for (one, other, pair) in [(edge.earlier, edge.later, (a, b)), (edge.later, edge.earlier, (b, a))] {
                if filter.candidate(one, other).is_some() {
                    found.pairs.push((pair.0, pair.1, edge.distance));
                }
            }
        }
        for members in part.families {
            found
                .members
                .extend(members.iter().map(|&row| (positions[row as usize], large)));
            large += 1;
        }
    }
    found.pairs.sort_unstable();
    found.pairs.dedup();
    Ok(found)
}

/// The pairs of texts that are near.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Verified {
    /// Of each pair its similarity, 0 where no similarity is computed; NaN where it is not near.
    pub similarities: Vec<f64>,
    /// What is lost of the first text of each pair if the second stays, and of the second if the first does;
    /// [`NOT_MEASURED`] where it is not near.
    pub lost: [Vec<u32>; 2],
}

/// The similarity of each pair of texts that is near within some bounds, and what is lost of either. Texts of one position are equal, and
/// their features are taken once. Where near pairs depend on the order of their texts, the first is the earlier, and what is lost of it is not
/// measured. Under a distance alone the bits have decided, and every similarity is NaN.
///
/// # Errors
/// [`Error::Config`] where a text is missing or cannot be used, as it could when it was encoded; an interrupt.
///
/// # Panics
/// Where the columns are of different lengths.
pub fn verify(
    search: &Search,
    positions: [&[i64]; 2],
    texts: [TextColumn<'_>; 2],
    bounds: Bounds,
    ctx: &Context<'_>,
) -> Result<Verified> {
    let pairs = positions[0].len();
    assert!(
        positions[1].len() == pairs && texts.iter().all(|texts| texts.len() == pairs),
        "columns of one length"
    );
    if search.is_directed() || !search.also.is_empty() {
        return verify_in_full(search, positions, texts, bounds, ctx);
    }
    let changed = |message: &Message| {
        Error::Config(msg!(
            "the text of a pair is not what was encoded ({message}); run again on a source that does not change"
        ))
    };
    let text_of = |texts: TextColumn<'_>, at: usize, scratch: &mut Scratch| {
        let text = texts.get(at)?.ok_or_else(|| changed(&msg!("it is missing")))?;
        let extracted = search.scheme.extract(text, scratch);
        extracted.map_err(|unusable| changed(unusable.message()))
    };
    let mut order: Vec<u32> = (0..pairs as u32).collect();
    order.sort_unstable_by_key(|&pair| positions[1][pair as usize]);
    let (mut held, mut scratch, mut spare) = (None, Scratch::default(), Scratch::default());
    let mut lists: HashMap<i64, FeatureList> = HashMap::new();
    let mut listed = 0;
    let mut losses = Losses::of(bounds);
    let mut found = Verified::none(pairs);
    for (done, &pair) in order.iter().enumerate() {
        if done.is_multiple_of(256) {
            ctx.tick("verify", done as u64, pairs as u64)?;
        }
        let pair = pair as usize;
        if held != Some(positions[1][pair]) {
            text_of(texts[1], pair, &mut scratch)?;
            held = Some(positions[1][pair]);
        }
        if listed > LISTED_LIMIT {
            (lists, listed) = (HashMap::new(), 0);
        }
        let list = match lists.entry(positions[0][pair]) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                text_of(texts[0], pair, &mut spare)?;
                let list = FeatureList::of(&spare);
                listed += list.len();
                place.insert(list)
            }
        };
        if let Nearness::Similar(similarity) = near_lists(search.recipe.threshold, &scratch, list) {
            let text = texts[0].get(pair)?.ok_or_else(|| changed(&msg!("it is missing")))?;
            let normalised = search.scheme.normalise(text, &mut spare);
            normalised.map_err(|unusable| changed(unusable.message()))?;
            for (side, text) in [&spare.text, &scratch.text].into_iter().enumerate() {
                losses.take(side, positions[side][pair] as u64, text);
            }
            let lost = losses.of_texts(true);
            if losses.allowed(lost) != 0 {
                found.similarities[pair] = similarity;
                for (side, units) in lost.into_iter().enumerate() {
                    found.lost[side][pair] = units;
                }
            }
        }
    }
    Ok(found)
}

impl Verified {
    fn none(pairs: usize) -> Self {
        Self {
            similarities: vec![f64::NAN; pairs],
            lost: [(); 2].map(|()| vec![NOT_MEASURED; pairs]),
        }
    }
}

/// As [`verify`], by the verifier of one machine: under a containment, and under several schemes.
fn verify_in_full(
    search: &Search,
    positions: [&[i64]; 2],
    texts: [TextColumn<'_>; 2],
    bounds: Bounds,
    ctx: &Context<'_>,
) -> Result<Verified> {
    let pairs = positions[0].len();
    let (mut row_of, mut distinct) = (HashMap::new(), Vec::new());
    let mut rows = [(); 2].map(|()| Vec::with_capacity(pairs));
    for ((rows, positions), texts) in rows.iter_mut().zip(positions).zip(texts) {
        for (at, &position) in positions.iter().enumerate() {
            let text = texts.get(at)?.unwrap_or_default();
            let row = *row_of.entry(position).or_insert(distinct.len() as u32);
            if row as usize == distinct.len() {
                distinct.push(text);
            }
            rows.push(row);
        }
    }
    let batch = encoded(&search.scheme, &distinct, ctx.kernel())?;
    let mut relation = RowValues::default().relation(&RowRules::default());
    relation.bounds = bounds;
    let documents = search.documents(&distinct, batch, relation, ctx.kernel())?;
    let all = Rows::all(distinct.len() as u32);
    let mut verifier = Verifier::new(documents.under(0), &all).with_losses();
    if !search.is_directed() {
        verifier = verifier.in_either_order();
    }
    let mut found = Verified::none(pairs);
    let mut order: Vec<usize> = (0..pairs).collect();
    order.sort_unstable_by_key(|&pair| rows[1][pair]);
    for (done, &pair) in order.iter().enumerate() {
        if done.is_multiple_of(256) {
            ctx.tick("verify", done as u64, pairs as u64)?;
        }
        let answer = verifier.near(rows[1][pair], rows[0][pair])?;
        if answer.nearness.is_near() {
            found.similarities[pair] = answer.nearness.similarity().unwrap_or(0.0);
            (found.lost[1][pair], found.lost[0][pair]) = (answer.lost[0], answer.lost[1]);
        }
    }
    Ok(found)
}
