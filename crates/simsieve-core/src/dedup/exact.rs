//! Exact copies: documents whose normalised texts are equal, found by digest and confirmed by the texts themselves.

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::dedup::collection::{Collection, Encoding};
use crate::encode::scheme::{Scheme, Scratch};

/// For every place in the keep order, the place of the first document with the same normalised text under a scheme; itself where
/// that is the first. Documents without features are nobody's copies.
///
/// Complexity: a sort of the digests, and one more reading of every text that has a copy.
pub fn collapse(collection: &Collection, encoding: &Encoding, ctx: &Context<'_>) -> Result<Vec<u32>> {
    let digest = |place: u32| encoding.digests[collection.order[place as usize] as usize];
    collapse_by(collection, encoding, ctx, digest)
}

/// As [`collapse`] with any digest: equal texts must have equal ones, unequal texts may collide.
fn collapse_by(
    collection: &Collection,
    encoding: &Encoding,
    ctx: &Context<'_>,
    digest: impl Fn(u32) -> u128 + Sync,
) -> Result<Vec<u32>> {
    let order = &collection.order;
    let mut places: Vec<(u128, u32)> = (0..order.len() as u32)
        .filter(|&place| encoding.valid[order[place as usize] as usize])
        .map(|place| (digest(place), place))
        .collect();
    places.par_sort_unstable();
    let groups: Vec<&[(u128, u32)]> = places
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|group| group.len() > 1)
        .collect();
    let confirmed: Vec<Result<Vec<(u32, u32)>>> = ctx.pool()?.install(|| {
        groups
            .par_iter()
            .map_init(WorkerScratch::default, |worker, group| {
                confirm(collection, &encoding.scheme, group, worker)
            })
            .collect()
    });
    let mut copy_of: Vec<u32> = (0..order.len() as u32).collect();
    for copies in confirmed {
        for (place, first) in copies? {
            copy_of[place as usize] = first;
        }
    }
    Ok(copy_of)
}

/// Leaves of exact copies, as [`collapse`] has them, those whose keys are equal too; the key is of a place in the keep order.
pub(crate) fn split<K: Hash + Eq>(copies: &mut [u32], key: impl Fn(usize) -> K) {
    let mut has_copies = vec![false; copies.len()];
    for (place, &head) in copies
        .iter()
        .enumerate()
        .filter(|(place, head)| *place != **head as usize)
    {
        has_copies[place] = true;
        has_copies[head as usize] = true;
    }
    let mut first: HashMap<(u32, K), u32> = HashMap::new();
    for (place, head) in copies.iter_mut().enumerate().filter(|(place, _)| has_copies[*place]) {
        *head = *first.entry((*head, key(place))).or_insert(place as u32);
    }
}

#[derive(Default)]
struct WorkerScratch {
    buffer: Vec<u8>,
    scratch: Scratch,
}

/// The copies in one group of equal digests, as (place, place of its first).
fn confirm(
    collection: &Collection,
    scheme: &Scheme,
    group: &[(u128, u32)],
    worker: &mut WorkerScratch,
) -> Result<Vec<(u32, u32)>> {
    // Texts that differ under one digest are all but impossible; they stand beside one another here all the same.
    let mut firsts: Vec<(u32, Vec<u8>, Vec<u8>)> = Vec::new();
    let mut copies = Vec::new();
    for &(_, place) in group {
        let WorkerScratch { buffer, scratch } = &mut *worker;
        let found = collection.with_usable_text(collection.order[place as usize], buffer, |text| {
            // Most copies are copies to the byte: no need to normalise them.
            if let Some((first, ..)) = firsts.iter().find(|(_, raw, _)| raw == text.as_bytes()) {
                return Ok(Ok(*first));
            }
            scheme.normalise(text, scratch)?;
            let normalised = scratch.text.normalised();
            Ok(match firsts.iter().find(|(.., known)| known == normalised) {
                Some((first, ..)) => Ok(*first),
                None => Err((text.as_bytes().to_vec(), normalised.to_vec())),
            })
        })?;
        match found {
            Ok(first) => copies.push((place, first)),
            Err((raw, normalised)) => firsts.push((place, raw, normalised)),
        }
    }
    Ok(copies)
}

#[cfg(test)]
mod tests {
    use crate::tests::support::documents;

    use super::*;

    #[test]
    fn copies_are_found_whatever_the_digests_collide_with() {
        let texts = [
            "Same text here",
            "same  TEXT here",
            "other words",
            "!!!",
            "!!!",
            "same text here",
            "other words",
        ];
        let documents = documents(&texts, &["first"]);
        let expected = [0, 0, 2, 3, 4, 0, 2];
        let (collection, ctx) = (&documents.collection, Context::silent(2));
        let encoding = &collection.encodings[0];
        assert_eq!(collapse(collection, encoding, &ctx).unwrap(), expected);
        assert_eq!(collapse_by(collection, encoding, &ctx, |_| 7).unwrap(), expected);
    }
}
