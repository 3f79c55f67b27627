//! From sorted keys to candidates: rows of one key are a bucket. A small bucket gives its pairs; of a large one or a family's the
//! memberships are kept, and the decisions compare its rows with kept rows alone.

use crate::hamming;
use crate::search::candidates::Filter;
use crate::search::found::Edge;

/// The pairs of all buckets up to this size are tested at once.
pub const SMALL_BUCKET: usize = 16;
/// The pairs of larger buckets are tested up to this size. If one in [`OFTEN`] is a candidate, the bucket is treated as a family.
pub(crate) const MOST_TESTED: usize = 1024;
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
    /// The fingerprints of the rows, where they were fetched too.
    fingerprints: Vec<u64>,
    near: Vec<u32>,
    edges: Vec<Edge>,
    pub(crate) spare: Vec<u64>,
}

/// Rows of one key that may be asked for, two at least.
pub(crate) struct Bucket<'a> {
    /// A key in the upper 32 bits, a row in the lower. Rows ascend.
    pub(crate) items: &'a [u64],
    /// Its memberships are kept, and no pair is tested.
    pub(crate) is_family: bool,
}

impl Bucket<'_> {
    fn is_large(&self) -> bool {
        self.items.len() > SMALL_BUCKET
    }
}

/// The buckets of sorted items that may be asked for. `is_family` is true for the key of a family.
pub(crate) fn searched<'a>(
    filter: &'a Filter<'_>,
    items: &'a [u64],
    is_family: impl Fn(u64) -> bool + 'a,
) -> impl Iterator<Item = Bucket<'a>> {
    let buckets = items.chunk_by(|a, b| a >> 32 == b >> 32);
    buckets
        .filter(|items| items.len() > 1 && filter.is_searched(items))
        .map(move |items| {
            let mut bucket = Bucket {
                items,
                is_family: false,
            };
            bucket.is_family = bucket.is_large() && (items.len() > MOST_TESTED || is_family(items[0]));
            bucket
        })
}

impl Buckets {
    /// Takes the buckets of sorted items: a key in the upper 32 bits, a row in the lower. `is_family` is true for the
    /// key of a family.
    pub(crate) fn take(&mut self, filter: &Filter, items: &[u64], is_family: impl Fn(u64) -> bool) -> Found {
        self.take_with(filter, items, is_family, |rows, column, _| filter.fetch(rows, column))
    }

    /// As [`Buckets::take`]; `fetch` writes what is compared of the rows of a bucket, and their fingerprints or none, in the order of the
    /// buckets that are no family.
    pub(crate) fn take_with(
        &mut self,
        filter: &Filter,
        items: &[u64],
        is_family: impl Fn(u64) -> bool,
        mut fetch: impl FnMut(&[u32], &mut Vec<u64>, &mut Vec<u64>),
    ) -> Found {
        let mut found = Found::default();
        for bucket in searched(filter, items, is_family) {
            let size = bucket.items.len();
            self.rows.clear();
            self.rows.extend(bucket.items.iter().map(|&item| item as u32));
            if !bucket.is_family {
                found.tested += (size * (size - 1) / 2) as u64;
                fetch(&self.rows, &mut self.column, &mut self.fingerprints);
            }
            if !bucket.is_family && self.pairs(filter, bucket.is_large()) {
                found.edges.append(&mut self.edges);
            } else {
                self.edges.clear();
                found.families.push(self.rows.clone());
            }
        }
        found
    }

    /// Tests all pairs of the rows that were fetched. Of a large bucket `false` where many are candidates.
    fn pairs(&mut self, filter: &Filter, large: bool) -> bool {
        let Self {
            rows,
            column,
            fingerprints,
            near,
            edges,
            ..
        } = self;
        let [words, of_fingerprint] = [&*column, &*fingerprints].map(|column| column.len() / rows.len());
        let fingerprint = |at: usize| &fingerprints[at * of_fingerprint..][..of_fingerprint];
        let distance = |earlier: usize, later: usize| {
            if fingerprints.is_empty() {
                filter.distance(rows[earlier], rows[later])
            } else {
                hamming::distance(fingerprint(earlier), fingerprint(later))
            }
        };
        for later in 1..rows.len() {
            let (others, rest) = column.split_at(later * words);
            near.clear();
            filter.near(&rest[..words], others, near);
            let found = near.iter().map(|&at| at as usize);
            let found = found.filter(|&earlier| filter.may_be_edge(rows[earlier], rows[later]));
            let found = found.map(|earlier| Edge {
                later: rows[later],
                distance: distance(earlier, later),
                earlier: rows[earlier],
            });
            edges.extend(found);
        }
        !large || edges.len() * OFTEN < rows.len() * (rows.len() - 1) / 2
    }
}
