//! What a row is compared with: the kept candidates before it, at a cost that does not grow with the crowd.
//!
//! Three sources: pairs of small buckets; kept members of the large buckets that the row stands in; and, for texts of
//! few features, whatever shares a rare feature ([`crate::dedup::candidates::prefix`]). Crowds are where work would be quadratic: a
//! family that shares half of its text and is not near. There the same prefixes rule out, exactly, all members that
//! cannot be near, and the others are compared. Which way a row goes is decided by counts alone, never by the clock or
//! the threads.

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::dedup::candidates::prefix::{MOST_POSTINGS, Prefix, Prefixes, RareIndex, Rarity, Repeated};
use crate::dedup::candidates::{Candidates, Edge, Filter, Rows};
use crate::dedup::documents::Documents;
use crate::dedup::verify::Verifier;
use crate::encode::scheme::Scratch;

/// Up to this many kept members of a row's large buckets are tested one by one: their fingerprints and sketches lie side
/// by side. More rows are then tested without their features: with 4096 a family of one template took 26 CPU seconds to
/// decide on, not 20, for who was only tested is fetched once more to be entered.
const SCANNED: usize = if cfg!(test) { 256 } else { 1024 };
/// If more of them than this may be near, which costs a fetch from anywhere each, features are looked up.
const TESTED: usize = 48;
/// Looking a row's features up pays where it may spare this many verifications.
const FEW_ENTERED: usize = 2;
/// A row that was verified in vain this often is entered by its rare features.
const IN_VAIN: u8 = 3;
/// As many verifications in vain as the count of all features is worth.
const WORTH_AN_ORDER: u64 = 10_000;
/// Postings held for crowds at most: 3 GiB. What does not fit is compared one by one.
const MOST_OF_CROWDS: usize = 1 << 28;
/// When the crowd is this part of all rows, and this many at least, unshared features are looked for. Of a million questions
/// a fifth belong to crowds, and a look through all would cost them more than it spares.
const PART_ENTERED: usize = 3;
const MANY_ENTERED: usize = if cfg!(test) { 32 } else { 4096 };
/// Features that are counted for the order of rarity.
const COUNTED: usize = 1 << 24;

/// The candidates of one row after another, in keep order.
pub struct Offers<'a> {
    documents: &'a Documents,
    pool: &'a ThreadPool,
    filter: Filter<'a>,
    edges: &'a [Edge],
    memberships: &'a [(u32, u32)],
    /// Kept members a large bucket.
    kept_in: Vec<Members>,
    order: Option<Prefixes>,
    /// Kept rows of crowds, and how many.
    crowd: RareIndex,
    entered: usize,
    /// Verifications in vain, a row and in all.
    vain: Vec<u8>,
    all_vain: u64,
    /// Kept texts of few features, and those that can be near one.
    few: RareIndex,
    /// The prefix of the row at hand.
    own: Option<(u32, Prefix)>,
    /// Rows of the row's large buckets that may be near, and room for one bucket's.
    near_bits: Vec<u32>,
    found: Vec<u32>,
    /// The halves of the sketch of the row at hand.
    own_halves: Vec<u64>,
}

/// The kept members of a large bucket.
#[derive(Debug, Default, Clone)]
struct Members {
    rows: Vec<u32>,
    /// How many of them, from the first, are in the crowd.
    entered: usize,
    /// Their fingerprints side by side: a bucket is then one walk, not a fetch from anywhere for each.
    fingerprints: Vec<u64>,
    /// The halves of their sketches side by side, unless there are too many members to be scanned.
    halves: Vec<u64>,
}

/// A row's candidates: (Hamming distance, row), ascending.
pub type Offered = Vec<(u32, u32)>;

impl<'a> Offers<'a> {
    /// The candidates that the search `found`; `pool` is what counting and prefixes are spread over.
    pub fn new(
        documents: &'a Documents,
        filter: Filter<'a>,
        found: &'a Candidates,
        pool: &'a ThreadPool,
    ) -> Result<Self> {
        let rows = filter.rows().len();
        let few = filter.rows_of_few_features();
        let mut offers = Self {
            documents,
            pool,
            filter,
            edges: &found.edges,
            memberships: &found.memberships,
            kept_in: vec![Members::default(); found.heavy_buckets as usize],
            order: None,
            crowd: RareIndex::new(0, 0),
            entered: 0,
            vain: Vec::new(),
            all_vain: 0,
            few: RareIndex::new(if few.is_empty() { 0 } else { rows }, MOST_POSTINGS),
            own: None,
            near_bits: Vec::new(),
            found: Vec::new(),
            own_halves: Vec::new(),
        };
        if !few.is_empty() {
            offers.order = pool.install(|| order(documents, filter.rows(), &few))?;
        }
        Ok(offers)
    }

    /// The edges of rows below `end` that were not yet asked for.
    pub fn edges_below(&self, end: u32) -> &'a [Edge] {
        &self.edges[..self.edges.partition_point(|edge| edge.later < end)]
    }

    /// The prefixes of rows of few features in a window, in parallel; hand them to [`Offers::next`] in order.
    pub fn prefixes(&self, window: std::ops::Range<u32>) -> Result<Vec<(u32, Prefix)>> {
        match &self.order {
            Some(order) if self.few.serves() => {
                let (documents, filter) = (self.documents, self.filter);
                self.pool.install(|| prefixes(documents, filter, order, window))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The candidates of `row`, the next in keep order; `few` is its prefix where it has few features. `is_kept` tells
    /// of the rows before it.
    pub fn next(
        &mut self,
        row: u32,
        few: Option<Prefix>,
        is_kept: impl Fn(u32) -> bool,
        verifier: &mut Verifier<'a>,
        offered: &mut Offered,
    ) -> Result<()> {
        offered.clear();
        self.own = few.map(|prefix| (row, prefix));
        if row < self.filter.rows().old {
            // Old rows stay: nothing is offered to them.
            return Ok(());
        }
        let own = take_while(&mut self.edges, |edge| edge.later == row);
        let kept = own.iter().filter(|edge| is_kept(edge.earlier));
        offered.extend(kept.map(|edge| (edge.distance, edge.earlier)));
        if let (Some((_, prefix)), Some(order)) = (&self.own, &self.order) {
            let filter = &self.filter;
            self.few.meet(order, prefix, |earlier| {
                offered.extend(filter.of_few_features(earlier, row).map(|distance| (distance, earlier)));
            });
        }
        self.of_crowds(row, verifier, offered)?;
        offered.sort_unstable();
        offered.dedup();
        Ok(())
    }

    /// Goes by a row that was dropped under another scheme; [`Offers::settle`] comes behind, as always.
    pub fn pass(&mut self, row: u32) {
        take_while(&mut self.edges, |edge| edge.later == row);
        self.own = None;
    }

    /// The kept members of the row's large buckets.
    fn of_crowds(&mut self, row: u32, verifier: &mut Verifier<'a>, offered: &mut Offered) -> Result<()> {
        let memberships = self.memberships;
        let buckets = &memberships[..memberships.iter().take_while(|(member, _)| *member == row).count()];
        let members: usize = buckets
            .iter()
            .map(|&(_, bucket)| self.kept_in[bucket as usize].rows.len())
            .sum();
        let mut by_rarity = members > SCANNED && self.by_similarity();
        if !by_rarity {
            self.scan(row, buckets, false);
            by_rarity = self.near_bits.len() > TESTED && self.by_similarity();
        }
        if by_rarity {
            self.prepare()?;
            for &(_, bucket) in buckets {
                self.enter_members(bucket as usize, verifier)?;
            }
            self.ask(row, verifier, |filter, earlier| {
                offered.extend(filter.candidate(earlier, row).map(|distance| (distance, earlier)));
            })?;
            self.scan(row, buckets, true);
        }
        self.filter.touch(self.near_bits.iter().map(|&earlier| (earlier, row)));
        for &earlier in &self.near_bits {
            let distance = self.filter.candidate_in_tables(earlier, row);
            offered.extend(distance.map(|distance| (distance, earlier)));
        }
        Ok(())
    }

    /// The kept members of buckets whose bits and halves are near to the row's, each once: all, or those not entered.
    fn scan(&mut self, row: u32, buckets: &[(u32, u32)], without_entered: bool) {
        let own = self.filter.fingerprint(row);
        let words = self.filter.words_of_halves();
        self.own_halves.clear();
        if buckets
            .iter()
            .any(|&(_, bucket)| !self.kept_in[bucket as usize].halves.is_empty())
        {
            self.filter.push_halves(row, &mut self.own_halves);
        }
        self.near_bits.clear();
        for &(_, bucket) in buckets {
            let members = &self.kept_in[bucket as usize];
            let from = if without_entered { members.entered } else { 0 };
            self.found.clear();
            let fingerprints = &members.fingerprints[from * own.len()..];
            self.filter.near_bits(own, fingerprints, &mut self.found);
            if !members.halves.is_empty() {
                let halves = &members.halves[from * words..];
                self.filter.keep_near_halves(&self.own_halves, halves, &mut self.found);
            }
            let found = self.found.iter().map(|&at| members.rows[from + at as usize]);
            self.near_bits.extend(found);
        }
        self.near_bits.sort_unstable();
        self.near_bits.dedup();
    }

    /// Drops candidates that cannot be near, as far as the features of crowds tell.
    pub fn thin(&mut self, row: u32, verifier: &mut Verifier<'a>, offered: &mut Offered) -> Result<()> {
        let entered = offered.iter().filter(|(_, earlier)| self.crowd.holds(*earlier)).count();
        if entered >= FEW_ENTERED {
            self.ask(row, verifier, |_, _| {})?;
            let crowd = &self.crowd;
            offered.retain(|&(_, earlier)| !crowd.holds(earlier) || crowd.met(earlier));
        }
        Ok(())
    }

    /// Takes note that a candidate was verified in vain: who is so often, belongs to a crowd.
    pub fn in_vain(&mut self, earlier: u32, verifier: &mut Verifier<'a>) -> Result<()> {
        if self.vain.is_empty() {
            self.vain = vec![0; self.filter.rows().len()];
        }
        let vain = &mut self.vain[earlier as usize];
        *vain = vain.saturating_add(1);
        self.all_vain += 1;
        if *vain >= IN_VAIN && self.all_vain >= WORTH_AN_ORDER && self.by_similarity() {
            self.prepare()?;
            self.enter(earlier, verifier)?;
        }
        Ok(())
    }

    /// Goes on to the next row; `kept` says what became of this one.
    pub fn settle(&mut self, row: u32, kept: bool) -> Result<()> {
        let buckets = take_while(&mut self.memberships, |(member, _)| *member == row);
        if !kept {
            return Ok(());
        }
        for &(_, bucket) in buckets {
            let members = &mut self.kept_in[bucket as usize];
            members.rows.push(row);
            members.fingerprints.extend_from_slice(self.filter.fingerprint(row));
            if self.filter.words_of_halves() > 0 && members.rows.len() <= SCANNED {
                self.filter.push_halves(row, &mut members.halves);
            } else {
                members.halves = Vec::new();
            }
        }
        if !buckets.is_empty() && !self.crowd.is_empty() && self.own.as_ref().is_some_and(|(own, _)| *own == row) {
            // Its features are at hand, and its buckets are crowds.
            self.enter_own(row)?;
        }
        match &self.own {
            Some((own, prefix)) if *own == row && self.few.serves() && self.filter.may_be_near_few(row) => {
                enter_few(&mut self.few, row, prefix)
            }
            _ => Ok(()),
        }
    }

    fn by_similarity(&self) -> bool {
        self.documents.recipe.threshold.by_similarity()
    }

    /// Makes room for crowds, and the order of features where there is none yet.
    fn prepare(&mut self) -> Result<()> {
        let rows = self.filter.rows().len();
        if !self.crowd.serves() {
            self.crowd = RareIndex::new(rows, MOST_OF_CROWDS);
        }
        if self.order.is_none() {
            let all: Vec<u32> = (0..rows as u32).collect();
            let (documents, rows) = (self.documents, self.filter.rows());
            self.order = self.pool.install(|| order(documents, rows, &all))?;
        }
        Ok(())
    }

    /// Enters the kept members of a bucket as far as there is room.
    fn enter_members(&mut self, bucket: usize, verifier: &mut Verifier<'a>) -> Result<()> {
        loop {
            let members = &self.kept_in[bucket];
            let Some(&member) = members.rows.get(members.entered) else {
                return Ok(());
            };
            if !self.crowd.holds(member) && !self.enter(member, verifier)? {
                return Ok(());
            }
            self.kept_in[bucket].entered += 1;
        }
    }

    fn enter_own(&mut self, row: u32) -> Result<()> {
        match &self.own {
            Some((_, prefix)) if !self.crowd.holds(row) && self.crowd.enter(row, prefix) => self.count_entered(),
            _ => Ok(()),
        }
    }

    fn enter(&mut self, row: u32, verifier: &mut Verifier<'a>) -> Result<bool> {
        let Some(order) = &self.order else { return Ok(false) };
        if self.crowd.holds(row) {
            return Ok(true);
        }
        let entered = self.crowd.enter(row, &verifier.prefix(row, order)?);
        if entered {
            self.count_entered()?;
        }
        Ok(entered)
    }

    /// Once the crowd is large, a look through all rows pays, for what stands in one of them only need not be entered.
    fn count_entered(&mut self) -> Result<()> {
        self.entered += 1;
        let rows = self.filter.rows();
        if self.entered == MANY_ENTERED.max(rows.len() / PART_ENTERED) {
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            let features = all.iter().map(|&row| size(self.documents, rows, row)).sum();
            let repeated = self.pool.install(|| {
                Repeated::count(all.len().div_ceil(CHUNK), features, |at, add| {
                    each_list(self.documents, rows, chunk(&all, at), add)
                })
            })?;
            if let Some(order) = &mut self.order {
                order.leave_out_unshared(repeated);
                self.crowd.expect_repeated();
            }
        }
        Ok(())
    }

    /// Asks the crowd for the rows that can be near `row`.
    fn ask(&mut self, row: u32, verifier: &mut Verifier<'a>, mut each: impl FnMut(&Filter, u32)) -> Result<()> {
        let Some(order) = &self.order else { return Ok(()) };
        if self.own.as_ref().is_none_or(|(own, _)| *own != row) {
            self.own = Some((row, verifier.prefix(row, order)?));
        }
        if let Some((_, prefix)) = &self.own {
            let filter = &self.filter;
            self.crowd.meet(order, prefix, |earlier| each(filter, earlier));
        }
        Ok(())
    }
}

/// Hands every candidate pair of rows of which one has few features to `take`, each once, about a million at a time.
pub fn pairs_of_few_features(
    documents: &Documents,
    filter: Filter,
    pool: &ThreadPool,
    ctx: &Context<'_>,
    mut take: impl FnMut(Vec<Edge>) -> Result<()>,
) -> Result<()> {
    const WINDOW: u32 = 4096;
    const PIECE: usize = 1 << 20;
    let found = Candidates::default();
    let n = filter.rows().len() as u32;
    let mut offers = Offers::new(documents, filter, &found, pool)?;
    let Some(order) = offers.order.take() else {
        return Ok(());
    };
    let mut edges = Vec::new();
    for start in (0..n).step_by(WINDOW as usize) {
        let window = start..n.min(start.saturating_add(WINDOW));
        for (row, prefix) in pool.install(|| prefixes(documents, filter, &order, window))? {
            ctx.tick("search", u64::from(row), u64::from(n))?;
            offers.few.meet(&order, &prefix, |earlier| {
                let distance = filter.of_few_features(earlier, row);
                edges.extend(distance.map(|distance| Edge {
                    later: row,
                    distance,
                    earlier,
                }));
            });
            enter_few(&mut offers.few, row, &prefix)?;
            if edges.len() > PIECE {
                take(std::mem::take(&mut edges))?;
            }
        }
    }
    take(edges)
}

/// Enters a text of few features; none may be left out, or pairs would be lost.
fn enter_few(few: &mut RareIndex, row: u32, prefix: &Prefix) -> Result<()> {
    if few.enter(row, prefix) {
        return Ok(());
    }
    Err(Error::Config(format!(
        "more than {MOST_POSTINGS} features of short texts in one run; split the source"
    )))
}

/// The prefixes of the rows of a window that have few features, or can be near one that has.
fn prefixes(
    documents: &Documents,
    filter: Filter,
    order: &Prefixes,
    window: std::ops::Range<u32>,
) -> Result<Vec<(u32, Prefix)>> {
    let rows: Vec<u32> = window.filter(|&row| filter.may_be_near_few(row)).collect();
    let rows = rows.par_iter();
    rows.map_init(
        || Verifier::new(documents, filter.rows()),
        |verifier, &row| Ok((row, verifier.prefix(row, order)?)),
    )
    .collect()
}

/// The order of features by rarity, counted over as many of `among` as [`COUNTED`] features allow, evenly spread.
fn order(documents: &Documents, rows: &Rows, among: &[u32]) -> Result<Option<Prefixes>> {
    let Some(threshold) = documents.recipe.threshold.least_cosine() else {
        return Ok(None);
    };
    let features: usize = among.iter().map(|&row| size(documents, rows, row)).sum();
    let counted: Vec<u32> = among
        .iter()
        .copied()
        .step_by(features.div_ceil(COUNTED).max(1))
        .collect();
    let rarity = Rarity::count(counted.len().div_ceil(CHUNK), |at, add| {
        each_list(documents, rows, chunk(&counted, at), add)
    })?;
    Ok(Some(Prefixes::new(rarity, threshold)))
}

/// Distinct features of a row.
fn size(documents: &Documents, rows: &Rows, row: u32) -> usize {
    documents.sizes[rows.positions[row as usize] as usize] as usize
}

/// Rows whose features are counted by one thread at a time.
const CHUNK: usize = 256;

fn chunk(rows: &[u32], at: usize) -> &[u32] {
    &rows[at * CHUNK..rows.len().min((at + 1) * CHUNK)]
}

/// Calls `add` with the features of each of some rows.
fn each_list(documents: &Documents, rows: &Rows, some: &[u32], add: &dyn Fn(&[u64])) -> Result<()> {
    let (mut buffer, mut scratch) = (Vec::new(), Scratch::default());
    some.iter().try_for_each(|&row| {
        documents.extract(rows.positions[row as usize], &mut buffer, &mut scratch)?;
        add(scratch.features.hashes());
        Ok(())
    })
}

/// Cuts the leading items that satisfy `wanted` off a slice.
fn take_while<'a, T>(items: &mut &'a [T], wanted: impl Fn(&T) -> bool) -> &'a [T] {
    let (own, rest) = items.split_at(items.iter().position(|item| !wanted(item)).unwrap_or(items.len()));
    *items = rest;
    own
}
