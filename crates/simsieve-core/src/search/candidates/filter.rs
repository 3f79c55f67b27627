//! Whether a pair of rows is a candidate: the only implementation of the recipe's test.

use crate::base::kernel::Kernel;
use crate::collection::relation::Relation;
use crate::encode::feature_bits::{self, BIT_WORDS};
use crate::encode::sketch::{SKETCH_BITS, SKETCH_WORDS};
use crate::hamming;
use crate::recipe::STRICT_MISS;
use crate::search::candidates::Rows;
use crate::search::candidates::size_bound::SizeBound;
use crate::search::documents::SchemeDocuments;
use crate::search::found::{Edge, NO_DISTANCE};

/// Where weights differ, the sum of a bit is often 0, or changes its sign by one weight. With fewer features than this,
/// sketches differ in more bits than the cosine says.
pub(crate) const FEW_COUNTED: u32 = 48;

/// The recipe's test of a pair, over the documents' columns. Under a similarity it compares sketches, under a distance fingerprints.
#[derive(Debug, Clone, Copy)]
pub struct Filter<'a> {
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    kernel: Kernel,
    /// Sketches or fingerprints by position, and their words a document.
    column: &'a [u64],
    words: usize,
    /// Feature bits by position, which are compared before sketches, their words a document, and the cosine that they bound.
    bits: &'a [u64],
    bit_words: usize,
    cosine: f64,
    /// A pair that differs in more bits is no candidate.
    max_bits: u32,
    /// Weights differ, so the sketch of a text with few features says nothing.
    counted: bool,
    /// The bits of a pair are bounded by its sizes too, if the recipe says so.
    sizes: Option<SizeBound>,
    /// A pair is a candidate if it is so in one of its two orders.
    either_order: bool,
    /// The content of each row, for pairs across two collections: 1 for old documents, 2 for new ones, 3 for both.
    holds: Option<&'a [u8]>,
    /// Some rows have no fingerprint under this scheme: no text is near theirs here.
    gaps: bool,
    /// What else decides about a pair, if anything does.
    relation: Option<&'a Relation>,
}

/// Working memory for rows that are fetched: what is compared of them, and the places of those that are near.
#[derive(Debug, Default)]
pub(crate) struct Fetched {
    column: Vec<u64>,
    near: Vec<u32>,
}

impl<'a> Filter<'a> {
    /// A filter over `rows` of `documents`, which compares with a kernel.
    pub fn new(documents: SchemeDocuments<'a>, rows: &'a Rows, kernel: Kernel) -> Self {
        let (encoding, recipe) = (documents.encoding, documents.recipe);
        let by_similarity = recipe.threshold.by_similarity();
        let (column, words) = if by_similarity {
            (&*encoding.sketches, SKETCH_WORDS)
        } else {
            (&*encoding.fingerprints, encoding.scheme.words())
        };
        let relation = &documents.run.collection.relation;
        let bits = if by_similarity { &*encoding.bits } else { &[] };
        Self {
            documents,
            rows,
            kernel,
            column,
            words,
            bits,
            bit_words: bits.len() / encoding.valid.len().max(1),
            cosine: recipe.threshold.least_cosine().unwrap_or(0.0),
            max_bits: recipe.max_bits,
            counted: by_similarity && encoding.scheme.weights().counted(),
            sizes: SizeBound::new(recipe),
            either_order: false,
            holds: None,
            gaps: rows.positions.iter().any(|&at| !encoding.valid[at as usize]),
            relation: (!relation.is_trivial()).then_some(relation),
        }
    }

    /// A filter for pairs of rows with an old document in one row and a new one in the other. `holds` has for each row
    /// what it and its exact copies are: 1 for old, 2 for new, 3 for both.
    pub fn across(documents: SchemeDocuments<'a>, rows: &'a Rows, kernel: Kernel, holds: &'a [u8]) -> Self {
        Self {
            holds: Some(holds),
            ..Self::new(documents, rows, kernel)
        }
    }

    /// The same filter with bounds in bits that lose a near pair with [`STRICT_MISS`]; a distance stays as it is.
    #[must_use]
    pub(crate) fn strict(self) -> Self {
        let recipe = self.documents.recipe;
        if !recipe.threshold.by_similarity() {
            return self;
        }
        Self {
            max_bits: recipe.bits_within(
                SKETCH_BITS,
                self.documents.encoding.scheme.weights().counted(),
                STRICT_MISS,
            ),
            sizes: self.sizes.map(|_| SizeBound::strict(recipe.threshold)),
            ..self
        }
    }

    /// The same filter for pairs whose order is open.
    #[must_use]
    pub(crate) fn in_either_order(self) -> Self {
        Self {
            either_order: true,
            ..self
        }
    }

    /// Whether the order of pairs is open.
    pub(crate) fn is_in_either_order(&self) -> bool {
        self.either_order
    }

    /// Whether it compares feature bits.
    fn has_bits(&self) -> bool {
        !self.bits.is_empty()
    }

    /// Whether it compares wide feature bits, which leave few pairs to the features themselves.
    pub(crate) fn has_wide_bits(&self) -> bool {
        self.bit_words >= BIT_WORDS
    }

    /// The least cosine of near texts; 0 under a distance.
    pub(crate) fn cosine(&self) -> f64 {
        self.cosine
    }

    /// The kernel that it compares with.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The rows of the filter.
    pub fn rows(&self) -> &'a Rows {
        self.rows
    }

    /// The pair of two rows, the earlier first, if it is a candidate; else `None`.
    #[inline]
    pub fn candidate(&self, earlier: u32, later: u32) -> Option<Edge> {
        let near = self.wanted(earlier, later) && self.may_be_near(earlier, later, self.either_order);
        near.then(|| self.edge_of(earlier, later))
    }

    /// Leaves, of some earlier rows, the candidates of a row. Their sketches are fetched side by side into `memory`: one by one each
    /// fetch would wait for the test before it.
    pub(crate) fn retain_candidates(&self, earlier: &mut Vec<u32>, row: u32, memory: &mut Fetched) {
        let Fetched { column, near } = memory;
        column.clear();
        for &earlier in &*earlier {
            column.extend_from_slice(self.sketch(earlier));
        }
        near.clear();
        hamming::within(self.kernel, self.sketch(row), column, self.most_bits(), near);
        let by_bits_alone = !self.counted && self.sizes.is_none();
        let mut left = 0;
        for &at in &*near {
            let candidate = earlier[at as usize];
            if self.wanted(candidate, row) && (by_bits_alone || self.may_be_near(candidate, row, self.either_order)) {
                earlier[left] = candidate;
                left += 1;
            }
        }
        earlier.truncate(left);
    }

    /// Whether a pair that the search meets and [`Filter::near`] found is a candidate for any later question.
    #[inline]
    pub(crate) fn may_be_edge(&self, earlier: u32, later: u32) -> bool {
        self.is_searched_pair(earlier, later)
            && (self.compares_all_at_once() || self.may_be_near(earlier, later, true))
            && self.allows(earlier, later)
    }

    /// Whether what [`Filter::near`] finds may be near: it compared sketches, and sizes say nothing more.
    fn compares_all_at_once(&self) -> bool {
        !self.has_bits() && !self.counted && self.sizes.is_none()
    }

    fn edge_of(&self, earlier: u32, later: u32) -> Edge {
        Edge {
            later,
            distance: self.distance(earlier, later),
            earlier,
        }
    }

    /// The distance of two fingerprints.
    #[inline]
    pub(crate) fn distance(&self, a: u32, b: u32) -> u32 {
        hamming::distance(self.fingerprint(a), self.fingerprint(b))
    }

    /// Whether sizes and bits allow two rows to be near; `a` precedes.
    #[inline]
    fn may_be_near(&self, a: u32, b: u32, in_either_order: bool) -> bool {
        let distance = || hamming::distance(self.sketch(a), self.sketch(b));
        match &self.sizes {
            Some(sizes) => {
                let (earlier, later) = (self.size(a), self.size(b));
                let allows = |later, earlier| {
                    let most = sizes.max_bits(later, earlier, self.max_bits);
                    most.is_some_and(|most| distance() <= most)
                };
                allows(later, earlier) || in_either_order && allows(earlier, later)
            }
            None => distance() <= self.max_bits || self.counted && self.size(a).min(self.size(b)) < FEW_COUNTED,
        }
    }

    /// Whether two rows may be near in this order, by their sizes: the search finds pairs in either order.
    pub(crate) fn allows_order(&self, earlier: u32, later: u32) -> bool {
        let (most, sizes) = (self.max_bits, &self.sizes);
        sizes
            .as_ref()
            .is_none_or(|sizes| sizes.max_bits(self.size(later), self.size(earlier), most).is_some())
    }

    /// Whether the texts of a pair are compared; `a` precedes.
    #[inline]
    fn wanted(&self, a: u32, b: u32) -> bool {
        if self.gaps && !(self.has_fingerprint(a) && self.has_fingerprint(b)) {
            return false;
        }
        self.asked(a, b) && self.allows(a, b)
    }

    /// Whether a pair is asked for; `a` precedes. Two old rows are not compared.
    #[inline]
    fn asked(&self, a: u32, b: u32) -> bool {
        match self.holds {
            None => b >= self.rows.old,
            Some(holds) => holds[a as usize] | holds[b as usize] == 3,
        }
    }

    /// Whether fields and verdicts allow that two rows are near.
    #[inline]
    fn allows(&self, a: u32, b: u32) -> bool {
        let position = |row: u32| self.rows.positions[row as usize];
        self.relation
            .is_none_or(|relation| relation.allows(position(a), position(b)))
    }

    /// The pair of two rows that need no search, the earlier first, if it is asked for and may be near.
    pub(crate) fn joined(&self, earlier: u32, later: u32) -> Option<Edge> {
        let no_distance = Edge {
            later,
            distance: NO_DISTANCE,
            earlier,
        };
        let comparable = self.has_fingerprint(earlier) && self.has_fingerprint(later);
        let edge = || {
            if comparable {
                self.edge_of(earlier, later)
            } else {
                no_distance
            }
        };
        (self.asked(earlier, later) && self.allows(earlier, later)).then(edge)
    }

    /// Whether any question may ask for a pair: two old rows are only compared where one has a new copy.
    #[inline]
    fn is_searched_pair(&self, a: u32, b: u32) -> bool {
        b >= self.rows.old || self.rows.has_new_copy(a) || self.rows.has_new_copy(b)
    }

    /// Whether any question may ask for a pair of the rows in the lower 32 bits of some items, which ascend: if no pair with the last row
    /// is asked for, no pair is.
    pub(crate) fn is_searched(&self, items: &[u64]) -> bool {
        items.last().is_some_and(|&item| item as u32 >= self.rows.old)
            || items.iter().any(|&item| self.rows.has_new_copy(item as u32))
    }

    /// What is compared of some rows, contiguous. Rows of a bucket are scattered in memory: a loop without dependencies
    /// fetches many at once.
    pub(crate) fn fetch(&self, rows: &[u32], out: &mut Vec<u64>) {
        out.clear();
        for &row in rows {
            out.extend_from_slice(self.words_of(row));
        }
    }

    /// Adds to `found` which of `others`, contiguous, can be candidates of `own` by their bits.
    pub fn near(&self, own: &[u64], others: &[u64], found: &mut Vec<u32>) {
        if self.has_bits() {
            feature_bits::near(self.kernel, own, others, self.cosine, found);
            return;
        }
        hamming::within(self.kernel, own, others, self.most_bits(), found);
    }

    /// As [`Filter::near`] for a row, whose size may say more.
    pub(crate) fn near_row(&self, row: u32, others: &[u64], found: &mut Vec<u32>) {
        match self.sizes.filter(|_| !self.has_bits()) {
            Some(sizes) => {
                let most = sizes.most_of(self.size(row), self.most_bits());
                hamming::within(self.kernel, self.words_of(row), others, most, found);
            }
            None => self.near(self.words_of(row), others, found),
        }
    }

    /// The most bits in which the sketches of near rows differ, whatever their sizes.
    fn most_bits(&self) -> u32 {
        if self.counted { u32::MAX } else { self.max_bits }
    }

    /// What is compared first of a row.
    #[inline]
    pub fn words_of(&self, row: u32) -> &'a [u64] {
        self.words_at(self.place(row))
    }

    /// The place of a row in the first column tested.
    #[inline]
    pub(crate) fn place(&self, row: u32) -> usize {
        self.rows.positions[row as usize] as usize
    }

    /// The words of the row at a place in the first column tested.
    #[inline]
    pub(crate) fn words_at(&self, place: usize) -> &'a [u64] {
        &self.compared()[place * self.row_words()..][..self.row_words()]
    }

    /// Words per row of the first column tested: feature bits or sketches.
    pub(crate) fn row_words(&self) -> usize {
        if self.has_bits() { self.bit_words } else { self.words }
    }

    /// The sketch of a row, or its fingerprint under a distance.
    #[inline]
    fn sketch(&self, row: u32) -> &'a [u64] {
        &self.column[self.rows.positions[row as usize] as usize * self.words..][..self.words]
    }

    /// The fingerprint of a row.
    #[inline]
    pub fn fingerprint(&self, row: u32) -> &'a [u64] {
        self.documents.encoding.fingerprint(self.rows.positions[row as usize])
    }

    /// The fingerprint of the row at a place.
    #[inline]
    pub(crate) fn fingerprint_at(&self, place: usize) -> &'a [u64] {
        self.documents.encoding.fingerprint(place as u32)
    }

    /// The first column tested: feature bits, or else sketches or fingerprints.
    fn compared(&self) -> &'a [u64] {
        if self.has_bits() { self.bits } else { self.column }
    }

    /// Words of a fingerprint.
    pub(crate) fn fingerprint_words(&self) -> usize {
        self.documents.encoding.scheme.words()
    }

    #[inline]
    fn size(&self, row: u32) -> u32 {
        self.documents.encoding.sizes[self.rows.positions[row as usize] as usize]
    }

    /// Whether some rows have no fingerprint under this scheme.
    pub fn has_gaps(&self) -> bool {
        self.gaps
    }

    /// Whether a row has a fingerprint under this scheme.
    #[inline]
    pub fn has_fingerprint(&self, row: u32) -> bool {
        !self.gaps || self.documents.encoding.valid[self.rows.positions[row as usize] as usize]
    }
}
