//! All near pairs of a run, including exact copies.

use std::collections::HashSet;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::Collection;
use crate::collection::relation::Relation;
use crate::dedup::joined::{Joined, can_be_near};
use crate::dedup::verify::losses::NOT_MEASURED;
use crate::dedup::verify::many::{measure_losses, verify_many};
use crate::dedup::verify::{AS_GIVEN, Answer, BOTH_ORDERS, Near, Nearness, Orders, Verifier};
use crate::hamming;
use crate::recipe::Threshold;
use crate::search::candidates::{Edge, Filter, Rows, all_pairs, candidates};
use crate::search::documents::{Documents, SchemeDocuments};

/// Two near documents, `a` before `b` in position; across two collections `a` is the new one and `b` the old.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPair {
    /// Position of the first.
    pub a: u32,
    /// Position of the second.
    pub b: u32,
    /// Bits in which their fingerprints differ; [`NO_DISTANCE`](crate::search::found::NO_DISTANCE) where one has none.
    pub distance: u32,
    /// Their similarity; NaN under a distance, which computes none, and where a verdict alone makes them near. Under a containment
    /// the share of the smaller one.
    pub similarity: f64,
    /// Under a containment which of the two the other contains; else `None`.
    pub contained: Option<Contained>,
    /// Units that are lost of the first if the second stays, and of the second if the first does; [`NOT_MEASURED`] where that is not
    /// known.
    pub lost: [u32; 2],
}

/// Which of two documents the other contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contained {
    /// The first.
    A = 1,
    /// The second.
    B,
    /// Each contains the other.
    Both,
}

impl Contained {
    /// Reads a number that stands for it; `None` for another one.
    pub fn of(number: u8) -> Option<Self> {
        [Self::A, Self::B, Self::Both]
            .get(usize::from(number).wrapping_sub(1))
            .copied()
    }

    /// Its name in a table.
    pub fn name(self) -> &'static str {
        ["a", "b", "both"][self as usize - 1]
    }
}

/// Refuses a window of time, by which copies of one text are no family.
fn refuse_window(relation: &Relation) -> Result<()> {
    if relation.times.is_some() {
        return Err(Error::Config(msg!(
            "{@window} is for decisions, and pairs have none; leave it out"
        )));
    }
    Ok(())
}

/// Every pair of documents that is a candidate and near, sorted by (a, b). If the store has old records
/// ([`crate::source::Sources::against`]), only pairs of a new and an old one. Under a containment, and where what is lost is bounded,
/// pairs are near in either order. What is lost is measured if it is bounded or `lost` asks for it.
///
/// # Errors
/// [`Error::TooMany`] beyond `max_pairs`.
pub fn near_pairs(documents: &Documents, max_pairs: u64, lost: bool, ctx: &Context<'_>) -> Result<Vec<NearPair>> {
    let collection = &*documents.collection;
    let (rows, relation) = (Rows::of(collection)?, &collection.relation);
    refuse_window(relation)?;
    let families = Families::of(collection, &rows);
    let within = families.within();
    // If the copies alone are too many, the search is skipped.
    refuse_beyond(max_pairs, within, "at least ")?;
    let sides = families.sides();
    let weight = |near: &Near| families.between(&near.edge);
    let mut near = Vec::new();
    for part in documents.searched() {
        let filter = if families.across {
            Filter::across(part, &rows, ctx.kernel(), &sides)
        } else {
            Filter::new(part, &rows, ctx.kernel())
        };
        let filter = filter.in_either_order();
        let mut found = match part.recipe.threshold {
            // The engine for all pairs would also count pairs within one collection.
            Threshold::Distance(bits)
                if !families.across && part.must_agree().is_empty() && relation.is_of_fingerprints() =>
            {
                by_distance(part, filter, bits, max_pairs, ctx)?
            }
            _ => by_recipe(part, filter, weight, within, max_pairs, ctx)?,
        };
        if lost {
            measure_unknown(part, &rows, &mut found, ctx)?;
        }
        // Where no scheme has an order, no pair says which document the other contains.
        let orders = if part.is_directed() { BOTH_ORDERS } else { 0 };
        let within = |near: Near| Near {
            orders: near.orders & orders,
            ..near
        };
        near.extend(found.into_iter().map(within));
    }
    if documents.searched().len() > 1 {
        // Stable, so the first scheme's distance and similarity of a pair stay. Its orders are those of any scheme.
        let pair = |near: &Near| (near.edge.later, near.edge.earlier);
        near.sort_by_key(pair);
        near.dedup_by(|again, first| {
            let same = pair(again) == pair(first);
            if same {
                first.orders |= again.orders;
            }
            same
        });
    }
    collection.sources.check_unchanged()?;
    let between: u64 = near.iter().map(weight).sum();
    refuse_beyond(max_pairs, within + between, "")?;
    let mut pairs = Vec::with_capacity((within + between) as usize);
    // `orders` are those of `y` as the later one.
    let ordered = |x: u32, y: u32, distance, similarity, orders: Orders, [of_y, of_x]: [u32; 2]| NearPair {
        a: x.min(y),
        b: x.max(y),
        distance,
        similarity,
        contained: match orders {
            0 => None,
            BOTH_ORDERS => Some(Contained::Both),
            _ if (orders == AS_GIVEN) == (y < x) => Some(Contained::A),
            _ => Some(Contained::B),
        },
        lost: if y < x { [of_y, of_x] } else { [of_x, of_y] },
    };
    let directed = documents.recipes.iter().any(|recipe| recipe.threshold.is_directed());
    let orders_of_copies = if directed { BOTH_ORDERS } else { 0 };
    let same = match documents.recipes[0].threshold {
        Threshold::Distance(_) => f64::NAN,
        _ => 1.0,
    };
    for (members, &old) in families.members.iter().zip(&families.old) {
        for (at, &x) in members.iter().enumerate() {
            let partners = match families.across {
                // The old ones come first.
                true if at < old => 0..0,
                true => 0..old,
                false => 0..at,
            };
            pairs.extend(
                members[partners]
                    .iter()
                    .map(|&y| ordered(x, y, 0, same, orders_of_copies, [0; 2])),
            );
        }
    }
    for Near {
        edge,
        similarity,
        orders,
        lost,
    } in near
    {
        for &x in &families.members[edge.earlier as usize] {
            let others = families.members[edge.later as usize].iter();
            let wanted = others.filter(|&&y| !families.across || collection.is_old(x) != collection.is_old(y));
            pairs.extend(wanted.map(|&y| ordered(x, y, edge.distance, similarity.unwrap_or(f64::NAN), orders, lost)));
        }
    }
    pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
    Ok(pairs)
}

/// Candidates by the recipe and those that verdicts join, verified at once: only near ones are held, and the search ends above
/// `max_pairs`. Each
/// counts for `weight` pairs; the count starts at `count`.
fn by_recipe(
    documents: SchemeDocuments<'_>,
    filter: Filter,
    weight: impl Fn(&Near) -> u64,
    mut count: u64,
    max_pairs: u64,
    ctx: &Context<'_>,
) -> Result<Vec<Near>> {
    let pool = ctx.pool()?;
    let rows = filter.rows();
    let mut found = Vec::new();
    let mut take = |mut edges: Vec<Edge>| {
        pool.install(|| edges.par_sort_unstable());
        let verifier = || verifier_of(documents, &filter);
        let near = verify_many(documents, rows, edges, &verifier, ctx)?;
        count += near.iter().map(&weight).sum::<u64>();
        found.extend(near);
        refuse_beyond(max_pairs, count, "at least ")
    };
    all_pairs(filter, candidates(documents, rows, ctx)?, ctx, &mut take)?;
    let take = |near: &Near| {
        count += weight(near);
        refuse_beyond(max_pairs, count, "at least ")
    };
    let joined = near_joined(documents, &filter, &found, take)?;
    found.extend(joined);
    Ok(found)
}

/// The near pairs that need no search, without those that the search found; `take` counts each.
fn near_joined(
    documents: SchemeDocuments<'_>,
    filter: &Filter,
    found: &[Near],
    mut take: impl FnMut(&Near) -> Result<()>,
) -> Result<Vec<Near>> {
    let (rows, relation) = (filter.rows(), &documents.run.collection.relation);
    let joined = Joined::new(documents, rows);
    let mut edges = joined.edges(filter).peekable();
    if edges.peek().is_none() {
        return Ok(Vec::new());
    }
    let known: HashSet<(u32, u32)> = found.iter().map(|near| (near.edge.later, near.edge.earlier)).collect();
    let mut verifier = verifier_of(documents, filter);
    let mut near = Vec::new();
    for edge in edges {
        if known.contains(&(edge.later, edge.earlier)) {
            continue;
        }
        let [later, earlier] = [edge.later, edge.earlier].map(|row| rows.positions[row as usize]);
        let answer = if can_be_near(documents.recipe.threshold, edge.distance) {
            verifier.near(edge.later, edge.earlier)?
        } else {
            Answer::FAR
        };
        if answer.nearness.is_near() || relation.joins(later, earlier) {
            near.push(Near::joined(edge, answer));
            take(&near[near.len() - 1])?;
        }
    }
    Ok(near)
}

/// Under a distance bits decide, and the exact search is the fastest source.
fn by_distance(
    documents: SchemeDocuments<'_>,
    filter: Filter,
    max_distance: u32,
    max_pairs: u64,
    ctx: &Context<'_>,
) -> Result<Vec<Near>> {
    let (words, width) = (documents.encoding.scheme.words(), documents.encoding.scheme.width());
    let rows = filter.rows();
    let valid: Option<Vec<bool>> = filter
        .has_gaps()
        .then(|| (0..rows.len() as u32).map(|row| filter.has_fingerprint(row)).collect());
    let values: Vec<u64> = rows
        .positions
        .iter()
        .flat_map(|&position| documents.encoding.fingerprint(position))
        .copied()
        .collect();
    let found = hamming::near_pairs(
        &hamming::Rows {
            values: &values,
            valid: valid.as_deref(),
            words,
            width,
        },
        &hamming::Search {
            max_distance,
            max_pairs,
        },
        ctx,
    )?;
    let near = |pair: hamming::Pair| {
        let edge = Edge {
            later: pair.j,
            distance: pair.distance,
            earlier: pair.i,
        };
        Near::joined(edge, Answer::of(Nearness::Within, BOTH_ORDERS))
    };
    Ok(found.into_iter().map(near).collect())
}

/// Measures the lost units of pairs where they are unknown, in both orders.
fn measure_unknown(part: SchemeDocuments<'_>, rows: &Rows, near: &mut [Near], ctx: &Context<'_>) -> Result<()> {
    let verifier = || Verifier::new(part, rows).in_either_order().with_losses();
    let measure = |verifier: &mut Verifier<'_>, _, near: &mut Near| {
        if near.lost == [NOT_MEASURED; 2] {
            near.lost = verifier.lost(near.edge.later, near.edge.earlier)?;
        }
        Ok(())
    };
    measure_losses(near, &verifier, measure, ctx)
}

/// Each row with its exact copies.
struct Families {
    /// Whether only pairs of an old and a new document are wanted.
    across: bool,
    /// Positions, in keep order: the row's own first, old ones before new ones.
    members: Vec<Vec<u32>>,
    /// The number of old members of each.
    old: Vec<usize>,
}

impl Families {
    fn of(collection: &Collection, rows: &Rows) -> Self {
        let mut row_of = vec![u32::MAX; collection.len()];
        for (row, &position) in rows.positions.iter().enumerate() {
            row_of[position as usize] = row as u32;
        }
        let mut members: Vec<Vec<u32>> = rows.positions.iter().map(|&position| vec![position]).collect();
        for (place, &position) in collection.order.iter().enumerate() {
            let first = collection.copies[place] as usize;
            if first != place {
                members[row_of[collection.order[first] as usize] as usize].push(position);
            }
        }
        let old = |members: &Vec<u32>| members.partition_point(|&position| collection.is_old(position));
        Self {
            across: collection.sources.is_against(),
            old: members.iter().map(old).collect(),
            members,
        }
    }

    /// Old and new members of a row.
    fn sizes(&self, row: usize) -> (u64, u64) {
        let old = self.old[row];
        (old as u64, (self.members[row].len() - old) as u64)
    }

    /// In the form for [`Filter::across`].
    fn sides(&self) -> Vec<u8> {
        (0..self.members.len())
            .map(|row| {
                let (old, new) = self.sizes(row);
                u8::from(old > 0) | u8::from(new > 0) << 1
            })
            .collect()
    }

    /// Wanted pairs of exact copies.
    fn within(&self) -> u64 {
        (0..self.members.len())
            .map(|row| {
                let (old, new) = self.sizes(row);
                let all = old + new;
                if self.across { old * new } else { all * (all - 1) / 2 }
            })
            .sum()
    }

    /// Wanted pairs of documents of one pair of rows.
    fn between(&self, edge: &Edge) -> u64 {
        let ((old_a, new_a), (old_b, new_b)) = (self.sizes(edge.earlier as usize), self.sizes(edge.later as usize));
        if self.across {
            old_a * new_b + new_a * old_b
        } else {
            (old_a + new_a) * (old_b + new_b)
        }
    }
}

fn refuse_beyond(max_pairs: u64, count: u64, at_least: &str) -> Result<()> {
    if count > max_pairs {
        return Err(Error::TooMany(msg!(
            "the answer has {at_least}{count} pairs, more than max_pairs = {max_pairs}; raise it, take a \
             stricter threshold, or use dedup, which needs no pairs"
        )));
    }
    Ok(())
}

/// The verifier of the pairs that a filter lets pass.
fn verifier_of<'a>(documents: SchemeDocuments<'a>, filter: &Filter<'a>) -> Verifier<'a> {
    let verifier = Verifier::new(documents, filter.rows());
    if filter.is_in_either_order() {
        verifier.in_either_order()
    } else {
        verifier
    }
}
