//! Verification of many candidates: pair by pair, or by postings of the features.
//!
//! Postings serve rows with many candidates each, as where every pair is tested at a low threshold. The
//! later rows of a window have postings. An earlier row walks those of its features, and so adds up its dot products with
//! all later rows at once. Sums are of integers, so both ways give the same answers.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::index::Index;
use crate::dedup::verify::{Near, Verifier};
use crate::encode::scheme::Scratch;
use crate::encode::similarity::{FeatureList, Products, norm_of};
use crate::search::candidates::{Edge, Rows};
use crate::search::documents::SchemeDocuments;
use crate::search::features::Features;

/// Postings are used if each later and each earlier row has this many candidates in the mean. Then the walk costs less than to
/// take the features of a text for each pair: texts of many candidates do not stay in the cache of a [`Verifier`].
const LEAST_CANDIDATES: usize = 8;
/// Features that have postings at a time, at most: about 200 MB while they are sorted.
const MAX_POSTINGS: usize = 1 << 22;

/// The near ones of some candidates, in no order. `edges` are in the order of their later rows.
pub(crate) fn verify_many<'a>(
    documents: SchemeDocuments<'a>,
    rows: &Rows,
    edges: Vec<Edge>,
    verifier: &(impl Fn() -> Verifier<'a> + Sync),
    ctx: &Context<'_>,
) -> Result<Vec<Near>> {
    if documents.recipe.threshold.by_similarity() && have_many_candidates(&edges, ctx)? {
        by_postings(documents, rows, edges, verifier, MAX_POSTINGS, ctx)
    } else {
        by_pairs(&edges, verifier, ctx)
    }
}

/// Measures what is lost of texts: `lost` has a verifier, the place of an item and the item.
pub(crate) fn measure_losses<'a, T: Send>(
    items: &mut [T],
    verifier: &(impl Fn() -> Verifier<'a> + Sync),
    lost: impl Fn(&mut Verifier<'a>, usize, &mut T) -> Result<()> + Sync,
    ctx: &Context<'_>,
) -> Result<()> {
    const GROUP: usize = 1 << 14;
    let (pool, total) = (ctx.pool()?, items.len() as u64);
    for (at, group) in items.chunks_mut(GROUP).enumerate() {
        ctx.tick("lost", (at * GROUP) as u64, total)?;
        let each = group.par_iter_mut().enumerate();
        let measure = |verifier: &mut _, (place, item): (usize, &mut T)| lost(verifier, at * GROUP + place, item);
        pool.install(|| each.try_for_each_init(verifier, measure))?;
    }
    Ok(())
}

/// Whether postings cost less than pair by pair.
fn have_many_candidates(edges: &[Edge], ctx: &Context<'_>) -> Result<bool> {
    let later = edges.chunk_by(|a, b| a.later == b.later).count();
    if edges.len() < LEAST_CANDIDATES * later {
        return Ok(false);
    }
    let mut earlier: Vec<u32> = edges.iter().map(|edge| edge.earlier).collect();
    ctx.pool()?.install(|| earlier.par_sort_unstable());
    earlier.dedup();
    Ok(edges.len() >= LEAST_CANDIDATES * earlier.len())
}

/// Edges of one later row are adjacent, so its features are taken once.
fn by_pairs<'a>(edges: &[Edge], verifier: &(impl Fn() -> Verifier<'a> + Sync), ctx: &Context<'_>) -> Result<Vec<Near>> {
    const GROUP: usize = 1 << 14;
    let pool = ctx.pool()?;
    let mut near = Vec::new();
    for (at, group) in edges.chunks(GROUP).enumerate() {
        ctx.tick("verify", (at * GROUP) as u64, edges.len() as u64)?;
        let same_row: Vec<&[Edge]> = group.chunk_by(|a, b| a.later == b.later).collect();
        // Each verifier serves several rows: a new one has an empty cache.
        let rows_of_one = same_row.len().div_ceil(4 * pool.current_num_threads());
        let found: Result<Vec<Vec<Near>>> = pool.install(|| {
            let of_rows = same_row.par_iter().with_min_len(rows_of_one);
            of_rows
                .map_init(verifier, |verifier, edges| verify_row(edges, verifier))
                .collect()
        });
        near.extend(found?.into_iter().flatten());
    }
    Ok(near)
}

fn verify_row(edges: &[Edge], verifier: &mut Verifier) -> Result<Vec<Near>> {
    let mut near = Vec::new();
    for &edge in edges {
        near.extend(Near::of(edge, verifier.near(edge.later, edge.earlier)?));
    }
    Ok(near)
}

/// Edges of one earlier row are made adjacent, so its features are walked once.
fn by_postings<'a>(
    documents: SchemeDocuments<'a>,
    rows: &Rows,
    mut edges: Vec<Edge>,
    verifier: &(impl Fn() -> Verifier<'a> + Sync),
    most: usize,
    ctx: &Context<'_>,
) -> Result<Vec<Near>> {
    const GROUP: usize = 256;
    let (pool, total) = (ctx.pool()?, edges.len());
    let (mut near, mut done) = (Vec::new(), 0);
    let mut rest = &mut edges[..];
    while !rest.is_empty() {
        ctx.tick("verify", done as u64, total as u64)?;
        let later = leading_rows(documents, rows, rest, most);
        let end = rest.partition_point(|edge| later.binary_search(&edge.later).is_ok());
        let (edges, others) = rest.split_at_mut(end);
        rest = others;
        let postings = pool.install(|| Postings::of(documents, rows, &later))?;
        pool.install(|| edges.par_sort_unstable_by_key(|edge| (edge.earlier, edge.later)));
        let same_row: Vec<&[Edge]> = edges.chunk_by(|a, b| a.earlier == b.earlier).collect();
        for group in same_row.chunks(GROUP) {
            ctx.tick("verify", done as u64, total as u64)?;
            let found: Result<Vec<Vec<Near>>> = pool.install(|| {
                let sums = || (verifier(), vec![0; later.len()]);
                let of_rows = group.par_iter();
                of_rows
                    .map_init(sums, |(verifier, sums), edges| {
                        postings.verify_row(edges, &later, verifier, sums)
                    })
                    .collect()
            });
            near.extend(found?.into_iter().flatten());
            done += group.iter().map(|edges| edges.len()).sum::<usize>();
        }
    }
    Ok(near)
}

/// The first later rows of some edges: at least one, else as many as have `most` features.
fn leading_rows(documents: SchemeDocuments<'_>, rows: &Rows, edges: &[Edge], most: usize) -> Vec<u32> {
    let mut features = 0;
    let of_rows = edges.chunk_by(|a, b| a.later == b.later).map(|edges| edges[0].later);
    let fits = |&(at, row): &(usize, u32)| {
        features += documents.encoding.sizes[rows.positions[row as usize] as usize] as usize;
        at == 0 || features <= most && u16::try_from(at).is_ok()
    };
    of_rows.enumerate().take_while(fits).map(|(_, row)| row).collect()
}

/// Rows by their features.
struct Postings {
    /// Each feature with the range of its postings, ascending.
    features: Vec<(u64, (u32, u32))>,
    index: Index,
    /// By posting: the row's place, and the weight of the feature there. No weights if each is 1.
    places: Vec<u16>,
    weights: Vec<u32>,
    /// By place: the sum of squared weights.
    norms: Vec<u128>,
}

impl Postings {
    /// The postings of at most 2^16 rows, a place each.
    fn of(documents: SchemeDocuments<'_>, rows: &Rows, some: &[u32]) -> Result<Self> {
        let lists: Result<Vec<FeatureList>> = some
            .par_iter()
            .map_init(Default::default, |(buffer, scratch), &row| {
                documents.extract(rows.positions[row as usize], buffer, scratch)?;
                Ok(FeatureList::of(scratch))
            })
            .collect();
        let lists = lists?;
        let norms = lists.iter().map(FeatureList::norm).collect();
        let mut all: Vec<(u64, u16, u32)> = Vec::with_capacity(lists.iter().map(FeatureList::len).sum());
        for (place, list) in lists.iter().enumerate() {
            all.extend(list.iter().map(|(hash, weight)| (hash, place as u16, weight)));
        }
        let once = lists.iter().all(FeatureList::counts_once);
        drop(lists);
        all.par_sort_unstable_by_key(|&(hash, place, _)| (hash, place));
        let mut end = 0;
        let features: Vec<(u64, (u32, u32))> = all
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| {
                let start = end;
                end += same.len() as u32;
                (same[0].0, (start, end))
            })
            .collect();
        Ok(Self {
            index: Index::of(&features, u64::BITS),
            features,
            places: all.iter().map(|&(_, place, _)| place).collect(),
            weights: if once {
                Vec::new()
            } else {
                all.iter().map(|&(.., weight)| weight).collect()
            },
            norms,
        })
    }

    /// The near ones of the candidates of one earlier row. `later` has the row of each place.
    fn verify_row(
        &self,
        edges: &[Edge],
        later: &[u32],
        verifier: &mut Verifier,
        sums: &mut [u128],
    ) -> Result<Vec<Near>> {
        let own = verifier.features.held(edges[0].earlier)?;
        let norm = norm_of(own);
        self.add_up(own, sums);
        let mut near = Vec::new();
        for &edge in edges {
            let place = later.binary_search(&edge.later).expect("every later row has a place");
            let products = Products {
                dot: sums[place],
                a: self.norms[place],
                b: norm,
            };
            near.extend(Near::of(
                edge,
                verifier.near_by_products(edge.later, edge.earlier, products)?,
            ));
        }
        Ok(near)
    }

    /// Adds up the dot product of a text with the row of each place.
    fn add_up(&self, own: &Scratch, sums: &mut [u128]) {
        sums.fill(0);
        let mut weights = own.weights.iter();
        self.index.each(&self.features, own.features.hashes(), |range| {
            let weight = u64::from(weights.next().copied().unwrap_or(1));
            let Some((start, end)) = range else { return };
            let range = start as usize..end as usize;
            let places = self.places[range.clone()].iter().map(|&place| usize::from(place));
            if self.weights.is_empty() {
                places.for_each(|place| sums[place] += u128::from(weight));
            } else {
                let others = self.weights[range].iter();
                places
                    .zip(others)
                    .for_each(|(place, &other)| sums[place] += u128::from(weight * u64::from(other)));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::collection::combine::Combine;
    use crate::dedup::loading;
    use crate::recipe::Threshold;
    use crate::search::documents::{Documents, Options};
    use crate::source::Sources;
    use crate::tests::support::{contained, options, scheme_for};

    /// Every pair of the first rows, those of each later row adjacent.
    fn every_pair(rows: u32) -> Vec<Edge> {
        let of_row = |later| (0..later).map(move |earlier| (later, earlier));
        let edge = |(later, earlier)| Edge {
            later,
            distance: 0,
            earlier,
        };
        (0..rows).flat_map(of_row).map(edge).collect()
    }

    fn loaded(texts: &[String], each: &[(&str, Threshold)]) -> Documents {
        let option = |&(spec, threshold): &(&str, Threshold)| Options {
            scheme: scheme_for(spec, threshold),
            threshold,
            ..options(&["first"])
        };
        let each: Vec<Options> = each.iter().map(option).collect();
        let sources = Arc::new(Sources::from_texts(texts.iter().map(String::as_str)));
        loading::load_each(sources, &each, Combine::All, &Context::small(2)).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        /// Both ways find the same pairs with the same similarities and orders, however few postings fit.
        #[test]
        fn postings_answer_as_pairs_do(
            texts in proptest::collection::vec(prop_oneof!["[ab中文]{0,30}", "( [a-d]{1,3}){5,40}", "(abcdefgh){3}[a-h]{0,30}"], 2..30),
            similar in 0.05..1.0_f64,
            ratio in 1.0..8.0_f64,
            bits in 10..64_u32,
            most in 1..400_usize,
            either_order: bool,
        ) {
            let thresholds = [Threshold::Similarity(similar), Threshold::Jaccard(similar), contained(similar, ratio)];
            for spec in ["chars128", "chars64:n=2,weights=log", "chars64:n=3,weights=tf"] {
                for threshold in thresholds {
                    for also in [None, Some(("chars64", Threshold::Distance(bits))), Some(("words64", contained(0.3, 4.0)))] {
                        let each: Vec<_> = [(spec, threshold)].into_iter().chain(also).collect();
                        let documents = loaded(&texts, &each);
                        let (part, ctx) = (documents.under(0), Context::small(2));
                        let rows = Rows::of(&documents.collection).unwrap();
                        let verifier = || {
                            let verifier = Verifier::new(part, &rows);
                            if either_order { verifier.in_either_order() } else { verifier }
                        };
                        let edges = every_pair(rows.len() as u32);
                        let sorted = |mut near: Vec<Near>| {
                            near.sort_unstable_by_key(|near| near.edge);
                            near
                        };
                        let expected = sorted(by_pairs(&edges, &verifier, &ctx).unwrap());
                        let found = by_postings(part, &rows, edges, &verifier, most, &ctx).unwrap();
                        prop_assert_eq!(sorted(found), expected, "{} {:?} {:?}", spec, threshold, also);
                    }
                }
            }
        }
    }

    #[test]
    fn postings_are_for_rows_with_many_candidates() {
        let ctx = Context::small(2);
        let many = |edges: &[Edge]| have_many_candidates(edges, &ctx).unwrap();
        let dense = every_pair(40);
        assert!(many(&dense) && !many(&every_pair(10)));
        let few: Vec<Edge> = dense
            .iter()
            .filter(|edge| edge.later < edge.earlier + 8)
            .copied()
            .collect();
        assert!(!many(&few));
        let apart = |edge: &Edge| Edge {
            earlier: edge.later * 1000 + edge.earlier,
            ..*edge
        };
        assert!(!many(&dense.iter().map(apart).collect::<Vec<_>>()));
    }
}
