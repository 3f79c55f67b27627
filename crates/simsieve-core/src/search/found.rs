//! A search, and what it found: candidate pairs, and the members of large buckets.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bytemuck::{Pod, Zeroable};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};

use crate::base::error::Result;
use crate::collection::columns::SEARCH_NAME;
use crate::recipe::search_keys::SearchKeys;
use crate::search::feature_bits::FeatureBits;
use crate::storage::column::{Column, fields_element};
use crate::storage::form::{Stored, stage};
use crate::storage::run_dir::{Appender, SortedRuns};

/// The distance of a pair if one row has no fingerprint: greater than any other.
pub const NO_DISTANCE: u32 = u32::MAX;

/// A candidate pair of rows; `earlier` precedes in keep order.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Edge {
    /// The row that would be dropped.
    pub later: u32,
    /// Bits in which the fingerprints differ.
    pub distance: u32,
    /// The row that would represent it.
    pub earlier: u32,
}

fields_element!(Edge, "edge", later, distance, earlier);

/// A row of a large bucket.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Member {
    /// The row.
    pub row: u32,
    /// The number of the bucket.
    pub bucket: u32,
}

fields_element!(Member, "member", row, bucket);

/// How far a search is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchState {
    /// The partition that is next, among those of all tables.
    pub(crate) next: usize,
    /// The blocks of the tables of a search within a distance, which is at their partition `next`; none before it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blocks: Option<u32>,
    /// The number of large buckets.
    pub heavy_buckets: u32,
    /// Pairs that were tested.
    pub tested: u64,
    /// Search keys of all rows; 0 where the search has none.
    pub keys: u64,
    /// Sorted runs of edges and of members that are not merged.
    pub(crate) runs: [usize; 2],
}

stage! {
    /// Searches under one scheme.
    SEARCH: SearchState = SEARCH_NAME after ["encode", "copies"] {
        /// Pairs of small buckets.
        EDGES: Edge = "edges.N",
        /// Members of large buckets.
        MEMBERS: Member = "members.N",
    }
}

/// What the search found: the pairs of small buckets, and the members of the large ones.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Candidates {
    /// In order of (later, distance, earlier), each pair once.
    pub edges: Column<Edge>,
    /// The similarity of each edge, where pairs were verified as they were found: all edges are near then. Else empty.
    pub similarities: Vec<f64>,
    /// Of each edge the units that are lost of the later text, where similarities are.
    pub lost: Vec<u32>,
    /// In order of (row, bucket): the large buckets that a row is in.
    pub memberships: Column<Member>,
    /// The number of large buckets.
    pub heavy_buckets: u32,
    /// Pairs that were tested.
    pub tested: u64,
    /// Search keys of all rows; 0 where the search has none.
    pub keys: u64,
}

impl Candidates {
    /// What a finished search of this many rows has stored; `None` where it is not finished.
    pub(crate) fn read(stored: &impl Stored, scheme: usize, rows: usize) -> Result<Option<Self>> {
        let Some(state) = stored.state(SEARCH.of(scheme))? else {
            return Ok(None);
        };
        let found = Self::of(stored.read(EDGES.of(scheme))?, stored.read(MEMBERS.of(scheme))?, state);
        stored.check(EDGES.of(scheme), || found.fit(rows))?;
        Ok(Some(found))
    }

    /// What a search found whose pairs are not verified.
    fn of(edges: Column<Edge>, memberships: Column<Member>, state: SearchState) -> Self {
        Self {
            edges,
            similarities: Vec::new(),
            lost: Vec::new(),
            memberships,
            heavy_buckets: state.heavy_buckets,
            tested: state.tested,
            keys: state.keys,
        }
    }

    /// The state of the finished search.
    pub(crate) fn state(&self) -> SearchState {
        SearchState {
            heavy_buckets: self.heavy_buckets,
            tested: self.tested,
            keys: self.keys,
            ..SearchState::default()
        }
    }

    /// Whether edges and memberships are in order and of this many rows.
    pub fn fit(&self, rows: usize) -> bool {
        let fits = |member: &Member| (member.row as usize) < rows && member.bucket < self.heavy_buckets;
        edges_fit(&self.edges, rows)
            && self.memberships.iter().all(fits)
            && self.memberships.is_sorted()
            && self.heavy_buckets as usize <= self.memberships.len().max(1)
    }
}

/// Whether edges are in order and of this many rows.
pub fn edges_fit(edges: &[Edge], rows: usize) -> bool {
    let fits = |edge: &Edge| edge.earlier < edge.later && (edge.later as usize) < rows;
    edges.is_sorted() && edges.iter().all(fits)
}

/// The search under one scheme, kept beside the columns of the records. It is made once, whoever asks for it.
#[derive(Debug, Default)]
pub struct Search {
    unfinished: Mutex<Unfinished>,
    /// What it found.
    pub(crate) found: OnceLock<Candidates>,
    /// The feature bits of the rows that the first walk met, where the search had none of all rows.
    pub(crate) bits: OnceLock<FeatureBits>,
}

/// A search that has more to do: one that was interrupted goes on.
#[derive(Debug, Default)]
pub(crate) struct Unfinished {
    /// The keys, without those in memory of the partitions that were searched; none where the search is not by paths.
    pub(crate) keys: Option<SearchKeys>,
    /// What was found in memory.
    pub(crate) so_far: Option<SoFar<'static>>,
}

/// What a search has found so far.
#[derive(Debug, Default)]
pub(crate) struct SoFar<'a> {
    pub(crate) edges: SortedRuns<'a, Edge>,
    pub(crate) members: SortedRuns<'a, Member>,
    pub(crate) state: SearchState,
}

impl SoFar<'_> {
    /// All that was found; and in a run directory what wrote it, and the files that are not needed after the commit.
    pub(crate) fn finish(self, pool: &ThreadPool) -> Result<(Candidates, Vec<Appender>, Vec<String>)> {
        let (edges, members) = (self.edges.finish(pool)?, self.members.finish(pool)?);
        let found = Candidates::of(edges.column, members.column, self.state);
        let files = edges.file.into_iter().chain(members.file);
        Ok((found, files.collect(), [edges.runs, members.runs].concat()))
    }
}

impl Search {
    /// A search by these keys, if it is by keys.
    pub(crate) fn of(keys: Option<SearchKeys>) -> Self {
        Self {
            unfinished: Mutex::new(Unfinished { keys, so_far: None }),
            ..Self::default()
        }
    }

    /// What is to do. Others that ask for it wait.
    pub(crate) fn unfinished(&self) -> MutexGuard<'_, Unfinished> {
        self.unfinished.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
