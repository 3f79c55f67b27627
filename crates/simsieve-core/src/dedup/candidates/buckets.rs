//! From sorted keys to candidates: rows of one key are a bucket. A small bucket gives its pairs; of a large one or a family's the
//! memberships are kept, and the decisions compare its rows with kept rows alone.

use crate::dedup::candidates::Filter;
use crate::dedup::found::Edge;

/// The pairs of all buckets up to this size are tested at once.
pub const SMALL_BUCKET: usize = 16;
/// The pairs of larger buckets are tested up to this size. If one in [`OFTEN`] is a candidate, the bucket is treated as a family.
const MOST_TESTED: usize = 1024;
const OFTEN: usize = 4;

/// What the buckets of some keys give.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Pairs; one that meets in several buckets comes several times.
    pub(crate) edges: Vec<Edge>,
    /// The rows of large buckets.
    pub(crate) families: Vec<Vec<u32>>,
    /// Pairs that were tested.
    pub(crate) tested: u64,
}

/// The working memory of one thread.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    rows: Vec<u32>,
    column: Vec<u64>,
    near: Vec<u32>,
    edges: Vec<Edge>,
    pub(crate) spare: Vec<u64>,
}

impl Buckets {
    /// Takes the buckets of sorted items: a key in the upper 32 bits, a row in the lower. `is_family` is true for the
    /// key of a family.
    pub(crate) fn take(&mut self, filter: &Filter, items: &[u64], is_family: impl Fn(u64) -> bool) -> Found {
        let mut found = Found::default();
        for bucket in items
            .chunk_by(|a, b| a >> 32 == b >> 32)
            .filter(|bucket| bucket.len() > 1)
        {
            self.rows.clear();
            self.rows.extend(bucket.iter().map(|&item| item as u32));
            // Rows ascend: if no pair with the last row is asked for, no pair is.
            if !filter.is_searched(&self.rows) {
                continue;
            }
            let large = bucket.len() > SMALL_BUCKET;
            let is_family = large && (bucket.len() > MOST_TESTED || is_family(bucket[0]));
            if !is_family {
                found.tested += (bucket.len() * (bucket.len() - 1) / 2) as u64;
            }
            if !is_family && self.pairs(filter, large) {
                found.edges.append(&mut self.edges);
            } else {
                self.edges.clear();
                found.families.push(self.rows.clone());
            }
        }
        found
    }

    /// Tests all pairs of the rows. Of a large bucket `false` where many are candidates.
    fn pairs(&mut self, filter: &Filter, large: bool) -> bool {
        let Self {
            rows,
            column,
            near,
            edges,
            ..
        } = self;
        filter.fetch(rows, column);
        let words = column.len() / rows.len();
        for later in 1..rows.len() {
            let (others, rest) = column.split_at(later * words);
            near.clear();
            filter.near(&rest[..words], others, near);
            let found = near
                .iter()
                .filter_map(|&at| filter.edge(rows[at as usize], rows[later]));
            edges.extend(found);
        }
        !large || edges.len() * OFTEN < rows.len() * (rows.len() - 1) / 2
    }
}
