//! Exact copies: documents whose exact forms are equal, found by digest and confirmed by the texts themselves.

mod confirm;

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::confirm::{Confirmation, Member};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::columns::{COPIES, COPY};
use crate::collection::{Collection, Encoding};
use crate::storage::column::Column;
use crate::storage::form::{ColumnSink, Stored, stage};
use crate::storage::run_dir::{RunDir, StageFiles};

/// The part of the digests that is next, and how many there are.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Parts {
    next: usize,
    parts: usize,
}

stage! {
    /// Finds the exact copies under one scheme, in parts of the digests.
    COMPARE: Parts = "equal.N" after ["encode"] {
        /// Pairs of places: of a copy, and of its first.
        EQUAL: u32 = "equal.N",
    }
}

/// Parts in which digests are sorted without a run directory at most: each takes one more walk over all of them.
const PARTS_IN_MEMORY: usize = 4;
/// Fewer bytes are sorted at once.
const PART_BYTES: usize = 16 << 20;

/// For every place in the keep order, the place of the first document with the same exact form under a scheme; itself where
/// that is the first. Documents without features are nobody's copies.
///
/// Complexity: a sort of 32 bits of each digest, and one more reading of every text that has a copy, in the order of the sources.
/// They are sorted in parts, so that their memory is bounded. With a run directory each part is committed.
pub fn collapse(collection: &Collection, scheme: usize, ctx: &Context<'_>) -> Result<Vec<u32>> {
    let encoding = &collection.encodings[scheme];
    let digest = |place: u32| encoding.digests[collection.order[place as usize] as usize];
    let bytes = collection.order.len() * size_of::<u64>();
    let Some(dir) = collection.run_dir() else {
        let parts = bytes.div_ceil(PART_BYTES).clamp(1, PARTS_IN_MEMORY);
        return collapse_by(collection, encoding, ctx, parts, None, digest);
    };
    let parts = dir.parts_of(bytes);
    collapse_by(collection, encoding, ctx, parts, Some((dir, scheme)), digest)
}

/// Exact copies under every scheme, as [`collapse`] has them, that may be near and have no verdict.
pub(crate) fn copies(collection: &Collection, ctx: &Context<'_>) -> Result<Column<u32>> {
    let dir = collection.run_dir();
    if let Some(dir) = dir.filter(|dir| dir.finished(COPY.name).is_some()) {
        return dir.fitting(COPIES, |copies| are_copies(copies, collection));
    }
    let mut found = collapse(collection, 0, ctx)?;
    for scheme in 1..collection.encodings.len() {
        let other = collapse(collection, scheme, ctx)?;
        split(&mut found, |place| other[place]);
    }
    if !collection.relation.is_trivial() {
        split(&mut found, |place| {
            collection.relation.copy_key(collection.order[place])
        });
    }
    match dir {
        Some(dir) => {
            let mut files = StageFiles::open(dir, COPY, 0)?;
            files.put(COPIES, &found)?;
            let parts: Vec<String> = (0..collection.encodings.len())
                .map(|at| EQUAL.of(at).to_string())
                .collect();
            files.commit(true, &(), &parts)?;
            dir.read(COPIES)
        }
        None => Ok(found.into()),
    }
}

/// Whether each place has a first copy that is its own first, has its digest, and may be one with it.
pub(crate) fn are_copies(copies: &[u32], collection: &Collection) -> bool {
    let digest = |position: u32| collection.encodings[0].digests[position as usize];
    let key = |position: u32| collection.relation.copy_key(position);
    let fits = |(place, &first): (usize, &u32)| {
        let [one, other] = [place, first as usize].map(|place| collection.order.get(place).copied());
        first as usize <= place
            && copies[first as usize] == first
            && matches!((one, other), (Some(one), Some(other)) if one == other || digest(one) == digest(other) && key(one) == key(other))
    };
    copies.len() == collection.order.len() && copies.iter().enumerate().all(fits)
}

/// As [`collapse`] with any digest: equal texts must have equal ones, unequal texts may collide. With a place, a
/// directory and the number of the scheme, it goes on after the parts that are finished.
fn collapse_by(
    collection: &Collection,
    encoding: &Encoding,
    ctx: &Context<'_>,
    parts: usize,
    place: Option<(&RunDir, usize)>,
    digest: impl Fn(u32) -> u128 + Sync,
) -> Result<Vec<u32>> {
    let order = &collection.order;
    let pool = ctx.pool()?;
    let mut copy_of: Vec<u32> = (0..order.len() as u32).collect();
    let (mut first, mut parts) = (0, parts);
    let files = place.map(|(dir, scheme)| StageFiles::open(dir, COMPARE.of(scheme), 0));
    let mut files = files.transpose()?;
    if let Some((dir, scheme)) = place
        && let Some(last) = dir.last_state(COMPARE.of(scheme))?
    {
        (first, parts) = (last.next, last.parts);
        for &[place, first] in dir.read(EQUAL.of(scheme))?.as_chunks::<2>().0 {
            let copy = copy_of.get_mut(place as usize).filter(|_| first <= place);
            *copy.ok_or_else(|| dir.damaged(EQUAL.of(scheme)))? = first;
        }
    }
    let confirmation = Confirmation {
        collection,
        scheme: &encoding.scheme,
        max_bytes: place.map_or(PART_BYTES, |(dir, _)| dir.gathered_bytes()),
    };
    for part in first..parts {
        // The lower half of a digest's upper 64 bits, and a place. Few places of other digests share these bits.
        let mut places: Vec<u64> = Vec::with_capacity(order.len() / parts + order.len() / 64);
        // By the highest bits of the digest.
        let is_here = |digest: u128| ((digest >> 96) * parts as u128) >> 32 == part as u128;
        let valid = (0..order.len() as u32).filter(|&place| encoding.valid[order[place as usize] as usize]);
        places.extend(
            valid
                .map(|place| (digest(place), place))
                .filter(|(digest, _)| is_here(*digest))
                .map(|(digest, place)| u64::from((digest >> 64) as u32) << 32 | u64::from(place)),
        );
        let members: Vec<Member> = pool.install(|| {
            places.par_sort_unstable();
            let alike = places.par_chunk_by(|a, b| a >> 32 == b >> 32);
            let groups = alike.filter(|group| group.len() > 1);
            groups.flat_map_iter(|group| members(group, &digest)).collect()
        });
        drop(places);
        let tick = |done: usize| {
            let share = (1000 * done).checked_div(members.len()).unwrap_or(0);
            ctx.tick("copies", 1000 * part as u64 + share as u64, 1000 * parts as u64)
        };
        for (copy, first) in confirmation.copies(&members, pool, tick)? {
            copy_of[copy as usize] = first;
            if let (Some((_, scheme)), Some(files)) = (place, &mut files) {
                files.put(EQUAL.of(scheme), &[copy, first])?;
            }
        }
        if let Some(files) = &mut files {
            let next = part + 1;
            files.commit(next == parts, &Parts { next, parts }, &[])?;
        }
    }
    ctx.tick("copies", 1000 * parts as u64, 1000 * parts as u64)?;
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

/// The places of a group that share some bits of their digests, each behind the least place with its whole digest, if there are two.
fn members(group: &[u64], digest: &impl Fn(u32) -> u128) -> Vec<Member> {
    let mut group: Vec<(u128, u32)> = group.iter().map(|&item| (digest(item as u32), item as u32)).collect();
    group.sort_unstable();
    let equal = group.chunk_by(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1);
    equal
        .flat_map(|equal| equal.iter().map(|&(_, place)| (equal[0].1, place)))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::tests::support::documents;

    use super::*;

    #[test]
    fn groups_go_on_from_one_batch_of_texts_to_the_next() {
        let texts = ["one", "two", "ONE", "one", "two", "three", "Two", "one", "three"];
        let documents = documents(&texts, &["first"]);
        let collection = &documents.collection;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // The digest of "one" and "two" is the same.
        let members: Vec<Member> = [0, 1, 2, 3, 4, 6, 7]
            .map(|place| (0, place))
            .into_iter()
            .chain([(5, 5), (5, 8)])
            .collect();
        for max_bytes in [1, 60, 100, 1 << 20] {
            let confirmation = Confirmation {
                collection,
                scheme: &collection.encodings[0].scheme,
                max_bytes,
            };
            let mut done = Vec::new();
            let mut found = confirmation
                .copies(&members, &pool, |at| {
                    done.push(at);
                    Ok(())
                })
                .unwrap();
            found.sort_unstable();
            assert_eq!(found, [(2, 0), (3, 0), (4, 1), (6, 1), (7, 0), (8, 5)]);
            assert_eq!(done.len() > 1, max_bytes < 1 << 20, "{done:?}");
        }
    }

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
        assert_eq!(collapse(collection, 0, &ctx).unwrap(), expected);
        for parts in [1, 3, 64] {
            let digest = |place: u32| encoding.digests[collection.order[place as usize] as usize];
            assert_eq!(
                collapse_by(collection, encoding, &ctx, parts, None, digest).unwrap(),
                expected
            );
            for digest in [7, u128::MAX] {
                assert_eq!(
                    collapse_by(collection, encoding, &ctx, parts, None, |_| digest).unwrap(),
                    expected
                );
            }
        }
    }
}
