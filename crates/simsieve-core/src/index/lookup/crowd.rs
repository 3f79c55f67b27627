//! Kept documents that have a search key in common with many others: which of them a new one may be near, without a look at each.
//!
//! A template that comes after the frozen set was made gives one key to all of its documents, and sketches do not tell them apart. So the
//! documents of a bucket that is asked about, and that many of them pass, are put in order by their features, once for each open
//! segment. The bound is that of the walk of a run: it never leaves out a near document.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use rayon::prelude::*;

use super::question::{FewBits, Question};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::seen::NewTexts;
use crate::encode::scheme::Scratch;
use crate::encode::similarity::FeatureList;
use crate::encode::weight::Weights;
use crate::hamming;
use crate::index::files::bucket::{Bucket, Held, Layer};
use crate::index::files::segment::{Place, Segment};
use crate::index::files::state::State;
use crate::index::files::texts::TextReader;
use crate::search::candidates::overlap::{Common, PostedBatch, PostedRows, Profiles};
use crate::search::features::Features;
use crate::source::RecordBuffer;

/// Rows whose features say which of them are common, and these features at most.
const COUNTED_ROWS: usize = 512;
const COUNTED_FEATURES: usize = 1 << 22;
/// Rows that one thread reads at a time.
const ROWS_AT_ONCE: usize = 256;

/// The items of a segment with this key, whose lower halves are rows.
fn items_of(bucket: Bucket, segment: &Segment, scheme: usize) -> &[u64] {
    match (bucket, &segment.keys[scheme]) {
        (Bucket::Key(part, tag), Some(table)) => table.equal(part as usize, u64::from(tag) << 32),
        _ => &[],
    }
}

/// The rows of a segment.
fn rows_of(bucket: Bucket, segment: &Segment, scheme: usize) -> Vec<u32> {
    match bucket {
        Bucket::Key(..) => {
            let items = items_of(bucket, segment, scheme).iter();
            let mut rows: Vec<u32> = items.map(|&item| item as u32).collect();
            // Two keys of a text may have one item.
            rows.dedup();
            rows
        }
        Bucket::Whole => (0..segment.len() as u32)
            .filter(|&row| segment.encoded.encodings[scheme].valid[row as usize])
            .collect(),
    }
}

/// Whether a row is one of them, whose items these are.
fn is_in(bucket: Bucket, items: &[u64], row: u32) -> bool {
    bucket == Bucket::Whole || items.binary_search_by_key(&row, |&item| item as u32).is_ok()
}

/// The rows that are not among some, where both ascend.
fn without(rows: &[u32], mut some: &[u32]) -> Vec<u32> {
    let mut is_other = |row: &u32| {
        // The next one is near: a search from the front takes no more steps than a walk.
        let mut ahead = 1;
        while some.get(ahead).is_some_and(|next| next < row) {
            ahead *= 2;
        }
        some = &some[some[..ahead.min(some.len())].partition_point(|next| next < row)..];
        some.first() != Some(row)
    };
    rows.iter().copied().filter(|row| is_other(row)).collect()
}

/// Features of new records, by their positions, and of the kept documents of one segment, by their rows.
struct SegmentFeatures<'a> {
    state: &'a State,
    scheme: usize,
    segment: usize,
    texts: NewTexts<'a>,
    /// The position whose features are held.
    position: Option<u32>,
    buffer: RecordBuffer,
    held: Scratch,
    reader: TextReader<'a>,
    other: Scratch,
}

impl<'a> SegmentFeatures<'a> {
    fn new(question: &Question<'a>, scheme: usize, segment: usize) -> Self {
        Self {
            state: question.state,
            scheme,
            segment,
            texts: question.texts,
            position: None,
            buffer: RecordBuffer::default(),
            held: Scratch::default(),
            reader: question.state.reader(),
            other: Scratch::default(),
        }
    }
}

impl Features for SegmentFeatures<'_> {
    fn held(&mut self, position: u32) -> Result<&Scratch> {
        if self.position != Some(position) {
            self.position = None;
            let scheme = &self.state.schemes[self.scheme];
            self.texts.extract(scheme, position, &mut self.buffer, &mut self.held)?;
            self.position = Some(position);
        }
        Ok(&self.held)
    }

    fn other(&mut self, row: u32) -> Result<&Scratch> {
        let place = Place::new(self.segment, row);
        let text = self.state.text(place, &mut self.reader)?;
        let extracted = self.state.schemes[self.scheme].extract(text, &mut self.other);
        extracted.map_err(|_| self.state.segment(place).damaged_text(row))?;
        Ok(&self.other)
    }

    fn cached(&self, _: u32) -> Option<&FeatureList> {
        None
    }
}

/// Adds the rows of some buckets of a segment. Called by no thread of the pool.
fn add(
    question: &Question<'_>,
    scheme: usize,
    segment: usize,
    buckets: &HashSet<Bucket>,
    ctx: &Context<'_>,
) -> Result<()> {
    let of = &question.state.segments[segment];
    let crowds = &of.crowds[scheme];
    let is_new = |bucket: &&Bucket| !crowds.known().buckets.contains_key(bucket);
    if !buckets.iter().any(|bucket| is_new(&bucket)) {
        return Ok(());
    }
    let _adding = crowds.adding.lock().unwrap_or_else(PoisonError::into_inner);
    let sizes = &of.encoded.encodings[scheme].sizes;
    let mut new: Vec<(Bucket, Vec<u32>)> = buckets
        .iter()
        .filter(is_new)
        .map(|&bucket| (bucket, rows_of(bucket, of, scheme)))
        .collect();
    // The rows of a small bucket are mostly among those of a large one.
    new.sort_by_key(|(_, rows)| Reverse(rows.len()));
    let few = ctx.tuning.tested_members;
    for (bucket, mut rest) in new {
        let known = crowds.known();
        let (all, mut features, mut layers) = (known.layers.clone(), known.features, Vec::new());
        drop(known);
        for layer in all {
            let others = without(&rest, &layer.rows);
            if rest.len() - others.len() > few {
                rest = others;
                layers.push(layer);
            }
        }
        let mut made = None;
        if rest.len() > few {
            features += rest.iter().map(|&row| sizes[row as usize] as usize).sum::<usize>();
            if features > ctx.tuning.most_postings {
                crowds.known_mut().buckets.insert(bucket, None);
                continue;
            }
            let rows = std::mem::take(&mut rest);
            let layer = ctx.pool()?.install(|| layer(question, scheme, segment, rows))?;
            made = Some(Arc::new(layer));
        }
        let mut known = crowds.known_mut();
        layers.extend(made.clone());
        known.layers.extend(made);
        known.features = features;
        known.buckets.insert(bucket, Some(Arc::new(Held { layers, rest })));
    }
    Ok(())
}

/// Puts rows of a segment in order by their features.
fn layer(question: &Question<'_>, scheme: usize, segment: usize, rows: Vec<u32>) -> Result<Layer> {
    let state = question.state;
    let cosine = state.recipes[scheme].threshold.least_cosine().unwrap_or(0.0);
    let mut features = 0;
    let spread = rows.iter().copied().step_by((rows.len() / COUNTED_ROWS).max(1));
    let counted: Vec<u32> = spread
        .take_while(|&row| {
            features += state.segments[segment].encoded.encodings[scheme].sizes[row as usize] as usize;
            features <= COUNTED_FEATURES
        })
        .collect();
    let mut features = SegmentFeatures::new(question, scheme, segment);
    let lists = counted
        .iter()
        .map(|&row| Ok(features.other(row)?.features.hashes().to_vec()));
    let lists: Vec<Vec<u64>> = lists.collect::<Result<_>>()?;
    let once = state.schemes[scheme].weights() == Weights::Once;
    let profiles = Profiles::new(Common::of(&lists, rows.len(), cosine), cosine, once);
    let batches = rows.par_chunks(ROWS_AT_ONCE).map(|some| {
        let mut features = SegmentFeatures::new(question, scheme, segment);
        let mut batch = PostedBatch::default();
        for &row in some {
            batch.push(&features.profile_of_other(row, &profiles)?);
        }
        Ok(batch)
    });
    let posted = PostedRows::of(batches.collect::<Result<_>>()?);
    Ok(Layer { rows, profiles, posted })
}

/// A new document that is compared with a bucket of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asked {
    pub(crate) position: u32,
    pub(crate) segment: u32,
    pub(crate) bucket: Bucket,
}

/// The kept documents of the buckets that are asked about which may be near the new ones by their features and their sketches.
pub(crate) fn near(
    question: &Question<'_>,
    scheme: usize,
    mut asked: Vec<Asked>,
    ctx: &Context<'_>,
) -> Result<Vec<(Place, Bucket)>> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let mut buckets: BTreeMap<u32, HashSet<Bucket>> = BTreeMap::new();
    for one in &asked {
        buckets.entry(one.segment).or_default().insert(one.bucket);
    }
    for (at, buckets) in buckets {
        add(question, scheme, at as usize, &buckets, ctx)?;
    }
    asked.sort_unstable();
    let (state, new, times) = (question.state, &question.new.encoded[scheme], &question.times);
    let (kernel, most) = (question.kernel, state.most_bits(scheme));
    let of_text = |features: &mut SegmentFeatures<'_>, asked: &[Asked]| -> Result<Vec<_>> {
        let position = asked[0].position;
        let (mut found, mut members, mut bits) = (Vec::new(), Vec::new(), Vec::new());
        for asked in asked.chunk_by(|one, other| one.segment == other.segment) {
            let at = asked[0].segment as usize;
            let segment = &state.segments[at];
            let sketches = &segment.encoded.encodings[scheme].sketches;
            let mut of_layers: HashMap<*const Layer, Vec<u32>> = HashMap::new();
            for &Asked { bucket, .. } in asked {
                let mut take = |rows: &mut dyn Iterator<Item = u32>| {
                    members.clear();
                    members.extend(rows.filter(|&row| times.is_near(Place::new(at, row), position)));
                    let pairs = members.iter().map(|&row| (position, row));
                    for &row in &members {
                        segment.touch_sketch(scheme, row);
                    }
                    hamming::distances_of(kernel, (&new.sketches, sketches.raw()), pairs, &mut bits);
                    let near = members.iter().zip(&bits).filter(|(_, bits)| **bits <= most);
                    let near = near.map(|(&row, &bits)| (Place::new(at, row), bits));
                    let near = near.filter(|&(place, bits)| question.pass_second(scheme, position, place, bits));
                    found.extend(near.map(|(place, _)| (place, bucket)));
                };
                let held = segment.crowds[scheme].known().buckets[&bucket].clone();
                let Some(held) = held else {
                    take(&mut rows_of(bucket, segment, scheme).into_iter());
                    continue;
                };
                take(&mut held.rest.iter().copied());
                let items = items_of(bucket, segment, scheme);
                for layer in &held.layers {
                    let near = match of_layers.entry(Arc::as_ptr(layer)) {
                        Entry::Occupied(near) => near.into_mut(),
                        Entry::Vacant(none) => none.insert(layer.near(features.held(position)?, kernel)),
                    };
                    take(&mut near.iter().copied().filter(|&row| is_in(bucket, items, row)));
                }
            }
        }
        Ok(found)
    };
    let found = ctx.pool()?.install(|| {
        let of_texts: Vec<&[Asked]> = asked.chunk_by(|one, other| one.position == other.position).collect();
        let features = || SegmentFeatures::new(question, scheme, 0);
        let found = of_texts.into_par_iter().map_init(features, of_text);
        found.collect::<Result<Vec<_>>>()
    })?;
    Ok(found.concat())
}

/// Of all rows that have few different bits from a new document, given by its position: those that few others of their segment are with;
/// and what is asked about the others.
pub(crate) fn outside(question: &Question<'_>, scheme: usize, mut all: Vec<FewBits>) -> (Vec<Place>, Vec<Asked>) {
    let by_similarity = question.state.recipes[scheme].threshold.by_similarity();
    let (mut found, mut asked) = (Vec::new(), Vec::new());
    all.sort_unstable();
    let of = |one: &FewBits| (one.position, one.place.segment);
    for same in all.chunk_by(|one, other| of(one) == of(other)) {
        if same.len() > question.tuning.tested_members && by_similarity {
            asked.push(Asked {
                position: same[0].position,
                segment: same[0].place.segment,
                bucket: Bucket::Whole,
            });
        } else {
            found.extend(same.iter().map(|one| one.place));
        }
    }
    (found, asked)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::without;

    proptest! {
        #[test]
        fn rows_without_some_are_those_of_a_set(
            rows in proptest::collection::btree_set(0..200_u32, 0..60),
            some in proptest::collection::btree_set(0..200_u32, 0..200),
        ) {
            let ascending = |set: &BTreeSet<u32>| set.iter().copied().collect::<Vec<u32>>();
            let others: Vec<u32> = rows.difference(&some).copied().collect();
            prop_assert_eq!(without(&ascending(&rows), &ascending(&some)), others);
        }
    }
}
