//! The candidates of a collection, by the source of its recipe.

use std::ops::Range;

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::mix;
use crate::dedup::candidates::buckets::{Buckets, Found};
use crate::dedup::candidates::sort::sort_by_key;
use crate::dedup::candidates::{Filter, Rows};
use crate::dedup::documents::SchemeDocuments;
use crate::dedup::found::{Candidates, Edge};
use crate::dedup::pieces::of_scheme;
use crate::dedup::recipe::Source;
use crate::dedup::search_keys::{PARTS, is_family};
use crate::storage::run_dir::{Appender, RunDir, SortedRuns};

/// What the search finds, at the loosest threshold of the run; searched once.
///
/// # Errors
/// An interrupt; [`Error::Config`] where a search was interrupted before.
pub(crate) fn candidates<'a>(documents: SchemeDocuments<'a>, rows: &Rows, ctx: &Context<'_>) -> Result<&'a Candidates> {
    let encoding = documents.encoding;
    if let Some(found) = encoding.found.get() {
        return Ok(found);
    }
    let dir = documents.run.collection.run_dir();
    let stage = of_scheme(documents.at, "search");
    let found = match dir.and_then(|dir| Some((dir, dir.finished(&stage)?))) {
        Some((dir, state)) => read(dir, documents.at, &state)?,
        None => find(documents, rows, ctx)?,
    };
    if let Ok(mut keys) = encoding.keys.lock() {
        *keys = None;
    }
    Ok(encoding.found.get_or_init(|| found))
}

/// The candidates of all rows: near-linear for families of any size.
///
/// Complexity: a sort of the keys, and the tests of the pairs of small buckets.
///
/// # Errors
/// [`Error::Config`] where the keys are gone: a search was interrupted before.
fn find(documents: SchemeDocuments<'_>, rows: &Rows, ctx: &Context<'_>) -> Result<Candidates> {
    let filter = Filter::new(documents, rows, ctx.kernel());
    let dir = documents.run.collection.run_dir();
    let edges = of_scheme(documents.at, "edges");
    let mut all = Gathered {
        edges: SortedRuns::new(dir.map(|dir| (dir, &*edges))),
        memberships: Vec::new(),
        heavy_buckets: 0,
        tested: 0,
    };
    match &documents.recipe.source {
        Source::Brute => {
            let standing = (0..rows.len() as u32).filter(|&row| filter.stands(row));
            all.memberships = standing.map(|row| (row, 0)).collect();
            all.heavy_buckets = 1;
        }
        Source::Paths(_) => by_keys(documents, &filter, &mut all, ctx)?,
        Source::Blocks { masks } => by_masks(masks, &filter, &mut all, ctx)?,
    }
    let pool = ctx.pool()?;
    let (edges, file) = all.edges.finish(pool)?;
    pool.install(|| all.memberships.par_sort_unstable());
    let found = Candidates {
        edges,
        similarities: Vec::new(),
        memberships: all.memberships,
        heavy_buckets: all.heavy_buckets,
        tested: all.tested,
    };
    if let (Some(dir), Some(file)) = (dir, file) {
        write(dir, documents.at, &found, file)?;
    }
    Ok(found)
}

/// What the search has found so far.
struct Gathered<'a> {
    edges: SortedRuns<'a, Edge>,
    memberships: Vec<(u32, u32)>,
    heavy_buckets: u32,
    tested: u64,
}

/// Ends the stage of a run directory. The keys have led to what they can, so they are removed.
fn write(dir: &RunDir, scheme: usize, found: &Candidates, mut edges: Appender) -> Result<()> {
    let mut members = dir.appender(&of_scheme(scheme, "members"))?;
    for &(row, bucket) in &found.memberships {
        members.push(&[row, bucket])?;
    }
    let state = json!({"buckets": found.heavy_buckets, "tested": found.tested});
    let files = &mut [&mut edges, &mut members];
    dir.commit(
        &of_scheme(scheme, "search"),
        true,
        &state,
        files,
        &[&of_scheme(scheme, "keys")],
    )
}

/// What [`write`] wrote.
fn read(dir: &RunDir, scheme: usize, state: &Value) -> Result<Candidates> {
    let members = dir.column::<u32>(&of_scheme(scheme, "members"))?;
    let (members, _) = members.as_chunks::<2>();
    Ok(Candidates {
        edges: dir.column(&of_scheme(scheme, "edges"))?,
        similarities: Vec::new(),
        memberships: members.iter().map(|&[row, bucket]| (row, bucket)).collect(),
        heavy_buckets: state["buckets"].as_u64().unwrap_or(0) as u32,
        tested: state["tested"].as_u64().unwrap_or(0),
    })
}

/// Adds what some buckets gave.
fn add(all: &mut Gathered<'_>, found: Found) {
    all.edges.extend(found.edges);
    all.tested += found.tested;
    for rows in found.families {
        all.memberships
            .extend(rows.into_iter().map(|row| (row, all.heavy_buckets)));
        all.heavy_buckets += 1;
    }
}

/// The partitions of the keys, some at a time.
fn by_keys(documents: SchemeDocuments<'_>, filter: &Filter, all: &mut Gathered<'_>, ctx: &Context<'_>) -> Result<()> {
    const GROUP: usize = 8;
    let keys = documents.encoding.keys.lock();
    let Some(keys) = keys.as_ref().ok().and_then(|keys| keys.as_ref()) else {
        return Err(Error::Config(
            "the search keys of these documents are gone; load them again".to_owned(),
        ));
    };
    let mut row_of = vec![u32::MAX; documents.encoding.valid.len()];
    for (row, &position) in filter.rows().positions.iter().enumerate() {
        row_of[position as usize] = row as u32;
    }
    let (pool, relation) = (ctx.pool()?, &documents.run.collection.relation);
    let total = PARTS as u64;
    for start in (0..PARTS).step_by(GROUP) {
        ctx.tick("search", start as u64, total)?;
        let found: Vec<Found> = pool.install(|| {
            let parts = (start..start + GROUP).into_par_iter();
            let take = |(items, buckets): &mut (Vec<u64>, Buckets), part: usize| {
                items.clear();
                let row = |item: u64| row_of[item as u32 as usize];
                let key = |item: u64| item >> 32 ^ u64::from(relation.key(item as u32) & !1);
                for piece in keys.part(part) {
                    let rows = piece.iter().filter(|&&item| row(item) != u32::MAX);
                    items.extend(rows.map(|&item| key(item) << 32 | u64::from(row(item))));
                }
                sort_by_key(items, &mut buckets.spare);
                buckets.take(filter, items, is_family)
            };
            parts.map_init(<(Vec<u64>, Buckets)>::default, take).collect()
        });
        for found in found {
            add(all, found);
        }
        all.edges.bound(pool)?;
    }
    ctx.tick("search", total, total)
}

/// One table after another, by the bits of each mask.
fn by_masks(masks: &[Vec<u64>], filter: &Filter, all: &mut Gathered<'_>, ctx: &Context<'_>) -> Result<()> {
    let pool = ctx.pool()?;
    let rows = filter.rows().len() as u32;
    let group = pool.current_num_threads().max(1);
    let total = masks.len() as u64;
    for (at, masks) in masks.chunks(group).enumerate() {
        ctx.tick("search", (at * group) as u64, total)?;
        let found: Vec<Found> = pool.install(|| {
            let take = |(items, buckets): &mut (Vec<u64>, Buckets), mask: &Vec<u64>| {
                items.clear();
                let key = |row: u32| masked_key(filter.fingerprint(row), mask);
                let standing = (0..rows).filter(|&row| filter.stands(row));
                items.extend(standing.map(|row| u64::from(key(row)) << 32 | u64::from(row)));
                sort_by_key(items, &mut buckets.spare);
                buckets.take(filter, items, |_| false)
            };
            masks
                .par_iter()
                .map_init(<(Vec<u64>, Buckets)>::default, take)
                .collect()
        });
        for found in found {
            add(all, found);
        }
        // The same pair meets in many tables.
        all.edges.compact(pool);
        all.edges.bound(pool)?;
    }
    ctx.tick("search", total, total)
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
    let members = members_of(found);
    let total = filter.rows().len();
    for start in (0..total).step_by(WINDOW) {
        ctx.tick("pairs", start as u64, total as u64)?;
        let window = start as u32..(start + WINDOW).min(total) as u32;
        let edges: Vec<Edge> = pool.install(|| {
            let rows = window.into_par_iter();
            rows.map_init(Vec::new, |earlier, row| {
                earlier_of(&filter, found, &members, row, earlier)
            })
            .flatten_iter()
            .collect()
        });
        take(edges)?;
    }
    ctx.tick("pairs", total as u64, total as u64)
}

/// The rows of each large bucket, ascending.
pub(crate) fn members_of(found: &Candidates) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); found.heavy_buckets as usize];
    for &(row, bucket) in &found.memberships {
        members[bucket as usize].push(row);
    }
    members
}

/// The candidates of a row among earlier ones, each once.
pub(crate) fn earlier_of(
    filter: &Filter,
    found: &Candidates,
    members: &[Vec<u32>],
    row: u32,
    earlier: &mut Vec<u32>,
) -> Vec<Edge> {
    earlier.clear();
    earlier.extend(
        found.edges[range_of(&found.edges, row, |edge| edge.later)]
            .iter()
            .map(|edge| edge.earlier),
    );
    for &(_, bucket) in &found.memberships[range_of(&found.memberships, row, |&(member, _)| member)] {
        let members = &members[bucket as usize];
        earlier.extend(&members[..members.partition_point(|&member| member < row)]);
    }
    earlier.sort_unstable();
    earlier.dedup();
    earlier
        .iter()
        .filter_map(|&earlier| filter.candidate(earlier, row))
        .collect()
}

/// Where the items of a row are among items in order of rows.
fn range_of<T>(items: &[T], row: u32, of: impl Fn(&T) -> u32) -> Range<usize> {
    items.partition_point(|item| of(item) < row)..items.partition_point(|item| of(item) <= row)
}
