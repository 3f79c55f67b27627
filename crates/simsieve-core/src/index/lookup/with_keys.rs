//! The kept documents that have a search key in common with new ones.

use rayon::prelude::*;

use super::crowd::Asked;
use super::question::Question;
use crate::hamming;
use crate::index::files::bucket::Bucket;
use crate::index::files::segment::Place;
use crate::recipe::search_keys::{PARTS, SearchKeys, each_equal};

/// Pairs of rows with a key in common whose sketches are compared at a time.
const PAIRS_AT_ONCE: usize = 1 << 14;

/// Keys of new documents that one thread looks up at a time, if there are enough keys.
const KEYS_AT_ONCE: usize = 1 << 10;

/// A search key that a kept document shares with a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SharedKey {
    pub(crate) place: Place,
    /// The number of the scheme.
    pub(crate) scheme: u8,
    /// The partition, and the upper half of the item.
    pub(crate) part: u8,
    pub(crate) tag: u32,
}

/// Kept documents that share a key of a scheme with a new one and pass the sketch filter, and the questions for crowded buckets.
pub(crate) fn with_keys(question: &Question<'_>, keys: &SearchKeys, scheme: usize) -> (Vec<SharedKey>, Vec<Asked>) {
    let (segments, tuning, times) = (&question.state.segments, question.tuning, &question.times);
    let (most, own_sketches) = (question.state.most_bits(scheme), &question.new.encoded[scheme].sketches);
    let of_parts = |parts: &[usize]| {
        let wanted = parts.iter().map(|&part| keys.items(part).map(move |item| (part, item)));
        let mut wanted: Vec<(usize, u64)> = wanted.flatten().collect();
        wanted.sort_unstable();
        let (mut met, mut pairs, mut asked) = (Vec::new(), Vec::new(), Vec::new());
        for (at, segment) in segments.iter().enumerate() {
            let Some(table) = &segment.keys[scheme] else { continue };
            let sketches = &segment.encoded.encodings[scheme].sketches;
            let mut bits = Vec::new();
            let mut test = |pairs: &mut Vec<(u32, usize, u64)>, met: &mut Vec<SharedKey>| {
                let rows = pairs.iter().map(|&(own, _, old)| (own, old as u32));
                rows.clone().for_each(|(_, row)| segment.touch_sketch(scheme, row));
                hamming::distances_of(question.kernel, (own_sketches, sketches.raw()), rows, &mut bits);
                for (&bits, (own, part, old)) in bits.iter().zip(pairs.drain(..)).filter(|(bits, _)| **bits <= most) {
                    if !question.pass_second(scheme, own, Place::new(at, old as u32), bits) {
                        continue;
                    }
                    met.push(SharedKey {
                        place: Place::new(at, old as u32),
                        scheme: scheme as u8,
                        part: part as u8,
                        tag: (old >> 32) as u32,
                    });
                }
            };
            let each = wanted.chunk_by(|one, other| (one.0, one.1 >> 32) == (other.0, other.1 >> 32));
            let each = each.map(|same| (table.part(same[0].0), same[0].1, same));
            each_equal(each, |old, same| {
                let old = table.sound(old);
                let (part, first) = same[0];
                let bucket = Bucket::Key(part as u8, (first >> 32) as u32);
                let is_large = old.len() > tuning.tested_members;
                let is_known = || segment.crowds[scheme].known().buckets.contains_key(&bucket);
                let mut is_crowd = is_large && (old.len() > tuning.scanned_members || is_known());
                for &(_, item) in same {
                    let first = if is_large && !is_crowd {
                        test(&mut pairs, &mut met);
                        met.len()
                    } else {
                        usize::MAX
                    };
                    if !is_crowd {
                        let near = old
                            .iter()
                            .filter(|&&old| times.is_near(Place::new(at, old as u32), item as u32));
                        pairs.extend(near.map(|&old| (item as u32, part, old)));
                        if is_large || pairs.len() >= PAIRS_AT_ONCE {
                            test(&mut pairs, &mut met);
                        }
                        let passed = met.len().saturating_sub(first);
                        is_crowd = passed > tuning.tested_members
                            && segment.crowds[scheme].have_passed(bucket, passed, tuning.read_members * old.len());
                    }
                    if is_crowd {
                        met.truncate(first);
                        asked.push(Asked {
                            position: item as u32,
                            segment: at as u32,
                            bucket,
                        });
                    }
                }
            });
            test(&mut pairs, &mut met);
        }
        (met, asked)
    };
    let parts = keys.filled(0..PARTS);
    let at_once = (PARTS * KEYS_AT_ONCE / keys.len().max(1)).clamp(1, PARTS);
    let (met, asked): (Vec<_>, Vec<_>) = parts.par_chunks(at_once).map(of_parts).unzip();
    (met.concat(), asked.concat())
}
