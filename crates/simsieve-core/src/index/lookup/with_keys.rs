//! The kept documents that have a search key in common with new ones.

use rayon::prelude::*;

use super::crowd::Asked;
use super::times::InTime;
use crate::base::kernel::Kernel;
use crate::base::tuning::Tuning;
use crate::collection::ingest::pieces::Batch;
use crate::hamming;
use crate::index::files::bucket::Bucket;
use crate::index::files::segment::At;
use crate::index::files::state::State;
use crate::recipe::search_keys::{PARTS, SearchKeys, each_equal};

/// Pairs of rows with a key in common whose sketches are compared at a time.
const PAIRS_AT_ONCE: usize = 1 << 14;

/// Keys of new documents that one thread looks up at a time, where there are so many.
const KEYS_AT_ONCE: usize = 1 << 10;

/// A search key that a kept document has in common with a new one: the document, the number of the scheme, the partition, the item's
/// upper half.
pub(crate) type Common = (At, u8, u8, u32);

/// The kept documents with a search key of a new one under a scheme, and few different bits; and what is asked about crowds.
pub(crate) fn with_keys(
    state: &State,
    (new, times): (&Batch, &InTime<'_>),
    keys: &SearchKeys,
    scheme: usize,
    (kernel, tuning): (Kernel, Tuning),
) -> (Vec<Common>, Vec<Asked>) {
    let segments = &state.segments;
    let (most, own_sketches) = (state.most_bits(scheme), &new.encoded[scheme].sketches);
    let of_parts = |parts: &[usize]| {
        let wanted = parts.iter().map(|&part| keys.items(part).map(move |item| (part, item)));
        let mut wanted: Vec<(usize, u64)> = wanted.flatten().collect();
        wanted.sort_unstable();
        let (mut met, mut pairs, mut asked) = (Vec::new(), Vec::new(), Vec::new());
        for (at, segment) in segments.iter().enumerate() {
            let Some(table) = &segment.keys[scheme] else { continue };
            let sketches = &segment.encoded.encodings[scheme].sketches;
            let mut bits = Vec::new();
            let mut test = |pairs: &mut Vec<(u32, usize, u64)>, met: &mut Vec<Common>| {
                let rows = pairs.iter().map(|&(own, _, old)| (own, old as u32));
                rows.clone().for_each(|(_, row)| segment.touch_sketch(scheme, row));
                hamming::distances_of(kernel, (own_sketches, sketches.raw()), rows, &mut bits);
                for (_, (_, part, old)) in bits.iter().zip(pairs.drain(..)).filter(|(bits, _)| **bits <= most) {
                    met.push(((at as u32, old as u32), scheme as u8, part as u8, (old >> 32) as u32));
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
                            .filter(|&&old| times.is_near((at as u32, old as u32), item as u32));
                        pairs.extend(near.map(|&old| (item as u32, part, old)));
                        if is_large || pairs.len() >= PAIRS_AT_ONCE {
                            test(&mut pairs, &mut met);
                        }
                        is_crowd = met.len().saturating_sub(first) > tuning.tested_members;
                    }
                    if is_crowd {
                        met.truncate(first);
                        asked.push((item as u32, at as u32, bucket));
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
