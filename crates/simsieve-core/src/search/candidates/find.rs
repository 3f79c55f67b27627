//! The candidates of a collection, by the source of its recipe.

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::os::{LEAST_RELEASED, release_free};
use crate::recipe::search_keys::{PARTS, SearchKeys, is_family};
use crate::search::candidates::buckets::{Buckets, Found};
use crate::search::candidates::sort::sort_by_key;
use crate::search::candidates::{Filter, Rows, joined};
use crate::search::documents::SchemeDocuments;
use crate::search::found::{Candidates, EDGES, Edge, MEMBERS, Member, SEARCH, SearchState, SoFar};
use crate::search::tables::Tables;
use crate::storage::column::with_room;
use crate::storage::form::{Stage, Stored};
use crate::storage::run_dir::{RunDir, SortedRuns};

/// The search commits after this many keys for each record that encoding commits after.
const KEYS_A_RECORD: usize = 8;

/// What the search finds, at the loosest threshold of the run; searched once. A search that was interrupted goes on.
pub(crate) fn candidates<'a>(documents: SchemeDocuments<'a>, rows: &Rows, ctx: &Context<'_>) -> Result<&'a Candidates> {
    let search = documents.search;
    let mut unfinished = search.unfinished();
    if let Some(found) = search.found.get() {
        return Ok(found);
    }
    let dir = documents.run.collection.run_dir();
    let stored = dir
        .map(|dir| Candidates::read(dir, documents.at, rows.len()))
        .transpose()?;
    let found = match (dir, stored.flatten()) {
        (_, Some(found)) => found,
        (Some(dir), None) => find_in(dir, documents, rows, &mut unfinished.keys, ctx)?,
        (None, None) => {
            let mut so_far = unfinished.so_far.take().unwrap_or_default();
            let gathered = find(documents, rows, &mut so_far, &mut unfinished.keys, None, ctx);
            if let Err(error) = gathered {
                unfinished.so_far = Some(so_far);
                return Err(error);
            }
            so_far.finish(ctx.pool()?)?.0
        }
    };
    Ok(search.found.get_or_init(|| found))
}

/// The candidates, by a stage of a run directory.
fn find_in(
    dir: &RunDir,
    documents: SchemeDocuments<'_>,
    rows: &Rows,
    keys: &mut Option<SearchKeys>,
    ctx: &Context<'_>,
) -> Result<Candidates> {
    dir.check_inputs(SEARCH)?;
    let stage = SEARCH.of(documents.at);
    let (edges, members) = (EDGES.of(documents.at).to_string(), MEMBERS.of(documents.at).to_string());
    let state = dir.last_state(stage)?.unwrap_or_default();
    let mut so_far = SoFar {
        edges: SortedRuns::new(Some((dir, &edges)), state.runs[0]),
        members: SortedRuns::new(Some((dir, &members)), state.runs[1]),
        state,
    };
    find(documents, rows, &mut so_far, keys, Some((dir, stage)), ctx)?;
    let (found, mut files, removed) = so_far.finish(ctx.pool()?)?;
    dir.commit(stage, true, &found.state(), &mut files, &removed)?;
    // Runs of an earlier process were merged.
    dir.check(stage, || found.fit(rows.len()))?;
    Ok(found)
}

/// The candidates of all rows: near-linear for families of any size. `place` is a run directory, and the stage there.
///
/// Complexity: a sort of the keys, and the tests of the pairs of small buckets.
fn find<'a>(
    documents: SchemeDocuments<'_>,
    rows: &Rows,
    so_far: &mut SoFar<'a>,
    keys: &mut Option<SearchKeys>,
    place: Option<(&'a RunDir, Stage<SearchState>)>,
    ctx: &Context<'_>,
) -> Result<()> {
    let filter = Filter::new(documents, rows, ctx.kernel());
    let joined = place.and_then(|(dir, _)| joined::held_bytes(dir.memory(), &filter));
    let mut all = Gathered {
        place,
        so_far,
        met: 0,
        joined,
        joined_rows: ctx.tuning.joined_rows,
    };
    if documents.recipe.paths.is_some() {
        let keys = keys.as_mut().expect("a search by paths has keys");
        return by_keys(documents, keys, &filter, &mut all, ctx);
    }
    let width = documents.encoding.scheme.width();
    // A search that was begun goes on with its own tables.
    let begun = all.so_far.state.blocks;
    let begun = begun.and_then(|blocks| Tables::of(documents.recipe, width, blocks));
    let tables = begun.unwrap_or_else(|| Tables::choose(documents.recipe, width, ctx.tuning));
    all.so_far.state.blocks = Some(tables.blocks);
    if tables.is_empty() {
        let valid = (0..rows.len() as u32).filter(|&row| filter.has_fingerprint(row));
        all.so_far.members.extend(valid.map(|row| Member { row, bucket: 0 }));
        all.so_far.state.heavy_buckets = 1;
        return Ok(());
    }
    by_tables(&tables, &filter, &mut all, ctx)
}

/// A search at work.
struct Gathered<'a, 'b> {
    /// The directory, and the stage there.
    place: Option<(&'a RunDir, Stage<SearchState>)>,
    so_far: &'b mut SoFar<'a>,
    /// Keys of rows since the last commit.
    met: usize,
    /// Where what is compared is read in order of its places: bytes of it that are held at a time.
    joined: Option<usize>,
    joined_rows: usize,
}

impl Gathered<'_, '_> {
    /// Adds what the buckets of `keys` keys gave, before the partition `next`. Commits it where that is enough.
    fn add(&mut self, found: impl Iterator<Item = Found>, keys: usize, next: usize, pool: &ThreadPool) -> Result<()> {
        let so_far = &mut *self.so_far;
        for found in found {
            so_far.edges.extend(found.edges);
            so_far.state.tested += found.tested;
            for rows in found.families {
                let bucket = so_far.state.heavy_buckets;
                so_far
                    .members
                    .extend(rows.into_iter().map(|row| Member { row, bucket }));
                so_far.state.heavy_buckets += 1;
            }
        }
        so_far.state.next = next;
        self.met += keys;
        match self.place {
            Some((dir, stage)) if self.met >= KEYS_A_RECORD * dir.piece_records() => self.commit(dir, stage, pool),
            _ => {
                so_far.edges.bound(pool)?;
                so_far.members.bound(pool)
            }
        }
    }

    /// Groups the partitions from `first` on of a table of `items` items. Groups of few items are larger: all `threads` threads search
    /// one group at once.
    fn groups(
        &self,
        filter: &Filter,
        first: usize,
        items: usize,
        threads: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        const LEAST: usize = 8;
        const LEAST_ITEMS: usize = 1 << 16;
        let group = match self.joined {
            Some(bytes) => joined::partitions_within(bytes, items / PARTS, filter),
            None => (PARTS * LEAST_ITEMS)
                .div_ceil(items.max(1))
                .clamp(LEAST.max(threads).min(PARTS), PARTS),
        };
        (first..PARTS)
            .step_by(group)
            .map(move |start| start..(start + group).min(PARTS))
    }

    fn commit(&mut self, dir: &RunDir, stage: Stage<SearchState>, pool: &ThreadPool) -> Result<()> {
        let so_far = &mut *self.so_far;
        let (mut edges, edge_runs) = so_far.edges.write_all(pool)?;
        let (mut members, member_runs) = so_far.members.write_all(pool)?;
        so_far.state.runs = [edge_runs, member_runs];
        dir.commit(stage, false, &so_far.state, edges.iter_mut().chain(&mut members), &[])?;
        self.met = 0;
        Ok(())
    }
}

/// Some partitions of a table at a time. `next` is the number of the table's first partition among those of all tables. `load`
/// makes the items of a partition, a key in the upper 32 bits and a row in the lower, and `filled` says which partitions have some.
fn by_parts(
    filter: &Filter,
    all: &mut Gathered<'_, '_>,
    pool: &ThreadPool,
    (next, group): (usize, Range<usize>),
    filled: impl FnOnce(Range<usize>) -> Vec<usize>,
    load: impl Fn(usize, &mut Vec<u64>) + Sync,
    is_family: impl Fn(u64) -> bool + Sync,
) -> Result<usize> {
    let found = if all.joined.is_some() {
        let backward = group.start / group.len() % 2 == 1;
        joined::take(
            filter,
            pool,
            group.clone(),
            load,
            is_family,
            (all.joined_rows, backward),
        )
    } else {
        let parts = filled(group.clone());
        pool.install(|| {
            let take = |(items, buckets): &mut (Vec<u64>, Buckets), part: usize| {
                items.clear();
                load(part, items);
                sort_by_key(items, &mut buckets.spare);
                (buckets.take(filter, items, &is_family), items.len())
            };
            let parts = parts.into_par_iter();
            parts.map_init(<(Vec<u64>, Buckets)>::default, take).collect()
        })
    };
    let items = found.iter().map(|(_, items)| items).sum();
    let found = found.into_iter().map(|(found, _)| found);
    all.add(found, items, next + group.end, pool)?;
    Ok(items)
}

/// The search keys of the rows. What is searched is forgotten in memory: keys and edges are never whole there together.
fn by_keys(
    documents: SchemeDocuments<'_>,
    keys: &mut SearchKeys,
    filter: &Filter,
    all: &mut Gathered<'_, '_>,
    ctx: &Context<'_>,
) -> Result<()> {
    let mut row_of = vec![u32::MAX; documents.encoding.valid.len()];
    for (row, &position) in filter.rows().positions.iter().enumerate() {
        row_of[position as usize] = row as u32;
    }
    if all.so_far.state.keys == 0 {
        all.so_far.state.keys = keys.len() as u64;
    }
    let (pool, relation) = (ctx.pool()?, &documents.run.collection.relation);
    let (mut freed, total) = (0, PARTS as u64);
    for group in all.groups(filter, all.so_far.state.next, keys.len(), pool.current_num_threads()) {
        ctx.tick("search", group.start as u64, total)?;
        let load = |part: usize, items: &mut Vec<u64>| {
            let row = |item: u64| row_of[item as u32 as usize];
            let key = |item: u64| item >> 32 ^ u64::from(relation.key(item as u32) & !1);
            let rows = keys.items(part).filter(|&item| row(item) != u32::MAX);
            items.extend(rows.map(|item| key(item) << 32 | u64::from(row(item))));
        };
        let met = by_parts(
            filter,
            all,
            pool,
            (0, group.clone()),
            |group| keys.filled(group),
            load,
            is_family,
        )?;
        keys.forget(group);
        // The keys, and the items that were sorted.
        freed += 2 * met * size_of::<u64>();
        if freed >= LEAST_RELEASED {
            release_free();
            freed = 0;
        }
    }
    ctx.tick("search", total, total)
}

/// One table after another, by the bits of each mask.
fn by_tables(tables: &Tables, filter: &Filter, all: &mut Gathered<'_, '_>, ctx: &Context<'_>) -> Result<()> {
    let pool = ctx.pool()?;
    let total = (tables.len() * PARTS) as u64;
    while all.so_far.state.next < tables.len() * PARTS {
        let (at, first) = (all.so_far.state.next / PARTS, all.so_far.state.next % PARTS);
        let mut table = masked_items(&tables.masks[at], filter, pool)?;
        for group in all.groups(filter, first, filter.rows().len(), pool.current_num_threads()) {
            ctx.tick("search", all.so_far.state.next as u64, total)?;
            let load = |part: usize, items: &mut Vec<u64>| table.iter().for_each(|piece| items.extend(&piece[part]));
            by_parts(
                filter,
                all,
                pool,
                (at * PARTS, group.clone()),
                Iterator::collect,
                load,
                |_| false,
            )?;
            for piece in &mut table {
                piece[group.clone()].fill(Vec::new());
            }
        }
        // The same pair meets in many tables.
        all.so_far.edges.compact(pool);
    }
    ctx.tick("search", total, total)
}

/// The items of all rows under a mask, partitioned by the first byte of the key; in pieces of consecutive rows, one a thread.
fn masked_items(mask: &[u64], filter: &Filter, pool: &ThreadPool) -> Result<Vec<Vec<Vec<u64>>>> {
    let rows = filter.rows().len();
    let length = rows.div_ceil(pool.current_num_threads()).max(1);
    // The sizes of parts differ at random by the square root of their mean. A part without enough room grows.
    let room = length / PARTS + length / (16 * PARTS);
    pool.install(|| {
        let starts = (0..rows).into_par_iter().step_by(length);
        let piece = |start: usize| {
            let parts = (0..PARTS).map(|_| with_room(room));
            let mut parts = parts.collect::<Result<Vec<Vec<u64>>>>()?;
            let rows = start as u32..(start + length).min(rows) as u32;
            for row in rows.filter(|&row| filter.has_fingerprint(row)) {
                let key = masked_key(filter.fingerprint(row), mask);
                parts[(key >> 24) as usize].push(u64::from(key) << 32 | u64::from(row));
            }
            Ok(parts)
        };
        starts.map(piece).collect()
    })
}

/// The key of a fingerprint in the table of a mask.
pub(crate) fn masked_key(fingerprint: &[u64], mask: &[u64]) -> u32 {
    let words = fingerprint.iter().zip(mask);
    words.fold(0_u64, |key, (word, mask)| mix(key.rotate_left(17) ^ (word & mask))) as u32
}

/// Passes every candidate pair to `take`, each once and in no order. Quadratic if the answer is, but never all in memory.
///
/// # Errors
/// The first error of `take`, or an interrupt.
pub fn all_pairs(
    filter: Filter,
    found: &Candidates,
    ctx: &Context<'_>,
    mut take: impl FnMut(Vec<Edge>) -> Result<()>,
) -> Result<()> {
    const WINDOW: usize = 1024;
    let pool = ctx.pool()?;
    let met = Met::of(filter, found);
    let total = filter.rows().len();
    for start in (0..total).step_by(WINDOW) {
        ctx.tick("pairs", start as u64, total as u64)?;
        let window = start as u32..(start + WINDOW).min(total) as u32;
        let edges: Vec<Edge> = pool.install(|| {
            let rows = window.into_par_iter();
            rows.map_init(Vec::new, |earlier, row| met.earlier_of(row, usize::MAX, earlier))
                .flatten_iter()
                .collect()
        });
        take(edges)?;
    }
    ctx.tick("pairs", total as u64, total as u64)
}

/// What a search found, for questions about any row.
pub(crate) struct Met<'a> {
    filter: Filter<'a>,
    found: &'a Candidates,
    /// The rows of each large bucket, ascending.
    members: Vec<Vec<u32>>,
}

impl<'a> Met<'a> {
    pub(crate) fn of(filter: Filter<'a>, found: &'a Candidates) -> Self {
        let mut members = vec![Vec::new(); found.heavy_buckets as usize];
        for member in &found.memberships {
            members[member.bucket as usize].push(member.row);
        }
        Self { filter, found, members }
    }

    /// The candidates of a row among earlier ones, each once; of the members of its large buckets `most` at most, and one for each
    /// bucket.
    pub(crate) fn earlier_of(&self, row: u32, most: usize, earlier: &mut Vec<u32>) -> Vec<Edge> {
        let Self { filter, found, members } = self;
        earlier.clear();
        let edges = &found.edges[range_of(&found.edges, row, |edge| edge.later)];
        earlier.extend(edges.iter().map(|edge| edge.earlier));
        let buckets = found.memberships[range_of(&found.memberships, row, |member| member.row)].iter();
        let of_buckets = buckets.map(|member| {
            let members = &members[member.bucket as usize];
            &members[..members.partition_point(|&member| member < row)]
        });
        take_at_steps(&of_buckets.collect::<Vec<_>>(), most, earlier);
        earlier.sort_unstable();
        earlier.dedup();
        let near = earlier.iter().filter_map(|&earlier| filter.candidate(earlier, row));
        near.collect()
    }
}

/// Takes items of each list at equal steps, `most` and one for each list at most.
fn take_at_steps(lists: &[&[u32]], most: usize, taken: &mut Vec<u32>) {
    let step = lists.iter().map(|list| list.len()).sum::<usize>().div_ceil(most).max(1);
    for list in lists {
        taken.extend(list.iter().step_by(step));
    }
}

/// Where the items of a row are among items in order of rows.
fn range_of<T>(items: &[T], row: u32, of: impl Fn(&T) -> u32) -> Range<usize> {
    items.partition_point(|item| of(item) < row)..items.partition_point(|item| of(item) <= row)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::take_at_steps;

    proptest! {
        #[test]
        fn items_are_taken_at_equal_steps(
            lengths in proptest::collection::vec(0..50_u32, 0..6),
            most in 1..400_usize,
        ) {
            let lists: Vec<Vec<u32>> = lengths.iter().map(|&length| (0..length).collect()).collect();
            let slices: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
            let all = lengths.iter().sum::<u32>() as usize;
            let mut taken = vec![77];
            take_at_steps(&slices, most, &mut taken);
            let here = taken.len() - 1;
            prop_assert_eq!(taken[0], 77, "what was there stays");
            prop_assert!(here <= most + lists.len());
            prop_assert!(all == 0 || here > 0);
            if all <= most {
                prop_assert_eq!(&taken[1..], &lists.concat()[..], "few items are all taken");
            } else {
                prop_assert!(here < all);
            }
        }
    }
}
