//! Whether a pair of rows is a candidate: the only implementation of the recipe's test.

use crate::base::kernel::Kernel;
use crate::dedup::candidates::Rows;
use crate::dedup::candidates::agree::{
    agreement_mask, all_set, block_mask, keep_agreeing_nibbles, nibble_words, push_nibbles,
};
use crate::dedup::documents::SchemeDocuments;
use crate::dedup::recipe::{MAX_SKETCH, Recipe, Source};
use crate::encode::weight::Weights;
use crate::hamming;

/// The recipe's test of a pair, over the documents' columns.
#[derive(Debug, Clone, Copy)]
pub struct Filter<'a> {
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    kernel: Kernel,
    by_similarity: bool,
    /// Weights differ, so sizes give no bound.
    counted: bool,
    /// See [`Recipe::short_text_features`] and [`Recipe::short_text_partner`].
    few: u32,
    partner: u32,
    /// The content of each row, for pairs across two collections: 1 for old documents, 2 for new ones, 3 for both.
    holds: Option<&'a [u8]>,
    /// Some rows have a fingerprint only under another scheme: nothing is near them here.
    gaps: bool,
}

impl<'a> Filter<'a> {
    /// A filter over `rows` of `documents`, which compares with a kernel.
    pub fn new(documents: SchemeDocuments<'a>, rows: &'a Rows, kernel: Kernel) -> Self {
        let by_similarity = documents.recipe.threshold.by_similarity();
        Self {
            documents,
            rows,
            kernel,
            by_similarity,
            counted: documents.encoding.scheme.weights().counted(),
            few: documents.recipe.short_text_features,
            partner: documents.recipe.short_text_partner,
            holds: None,
            gaps: rows.positions.iter().any(|&at| !documents.encoding.valid[at as usize]),
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

    /// The recipe.
    pub fn recipe(&self) -> &'a Recipe {
        self.documents.recipe
    }

    /// The weights of the documents' features.
    pub fn weights(&self) -> Weights {
        self.documents.encoding.scheme.weights()
    }

    /// The rows of the filter.
    pub fn rows(&self) -> &'a Rows {
        self.rows
    }

    /// The Hamming distance of two rows, the earlier first, if they are a candidate pair; else `None`.
    #[inline]
    pub fn candidate(&self, a: u32, b: u32) -> Option<u32> {
        self.test(a, b, None, false)
    }

    /// As [`Filter::candidate`], but only if `table` is the first in which the two agree, so each pair is met once.
    #[inline]
    pub fn candidate_first_in(&self, a: u32, b: u32, table: usize) -> Option<u32> {
        self.test(a, b, Some(table), true)
    }

    /// As [`Filter::candidate`], of rows in the tables.
    #[inline]
    pub fn candidate_in_tables(&self, a: u32, b: u32) -> Option<u32> {
        self.test(a, b, None, true)
    }

    /// Whether a pair is tested; `a` precedes. Two old rows are not compared.
    #[inline]
    fn wanted(&self, a: u32, b: u32) -> bool {
        if self.gaps && !(self.stands(a) && self.stands(b)) {
            return false;
        }
        match self.holds {
            None => b >= self.rows.old,
            Some(holds) => holds[a as usize] | holds[b as usize] == 3,
        }
    }

    /// The Hamming distance of two rows that are a candidate pair because one has few features. No table reports such a
    /// pair.
    pub fn short_text_distance(&self, a: u32, b: u32) -> Option<u32> {
        let (few, many) = self.sizes(a, b);
        let [x, y] = [a, b].map(|row| self.documents.encoding.fingerprint(self.rows.positions[row as usize]));
        (few < self.few && many < self.partner && self.wanted(a, b)).then(|| hamming::distance(x, y))
    }

    #[inline]
    fn test(&self, a: u32, b: u32, table: Option<usize>, in_tables: bool) -> Option<u32> {
        if !self.wanted(a, b) {
            return None;
        }
        let mut max_bits = self.recipe().max_bits;
        // With features of weight 1 all rows of a table have enough features, and their sizes are not fetched.
        let may_have_few = self.few > 0 && (!in_tables || self.counted);
        let (few, many) = if may_have_few {
            self.sizes(a, b)
        } else {
            (u32::MAX, u32::MAX)
        };
        if few < self.few {
            if many < self.partner {
                return if table.is_none() {
                    self.short_text_distance(a, b)
                } else {
                    None
                };
            }
            if !self.counted {
                return None;
            }
            max_bits = u32::MAX;
        }
        let (a, b) = (self.rows.positions[a as usize], self.rows.positions[b as usize]);
        let (x, y) = (
            self.documents.encoding.fingerprint(a),
            self.documents.encoding.fingerprint(b),
        );
        let distance = hamming::distance(x, y);
        if distance > max_bits {
            return None;
        }
        let agrees = if self.by_similarity {
            self.sketches_agree(a, b, table)
        } else {
            table.is_none_or(|table| self.first_mask(x, y) == Some(table))
        };
        agrees.then_some(distance)
    }

    /// The fingerprints of some rows, contiguous. Rows of a bucket are scattered in memory: a loop without dependencies
    /// fetches many at once.
    pub fn fetch(&self, rows: &[u32], positions: &mut Vec<u32>, fingerprints: &mut Vec<u64>) {
        positions.clear();
        positions.extend(rows.iter().map(|&row| self.rows.positions[row as usize]));
        fingerprints.clear();
        for &position in &*positions {
            fingerprints.extend_from_slice(self.documents.encoding.fingerprint(position));
        }
    }

    /// Fetches the first operands of the tests of some pairs into the caches, many at a time.
    pub fn touch(&self, pairs: impl Iterator<Item = (u32, u32)>) {
        if self.by_similarity {
            let ends = |row: u32| {
                let sketch = self.documents.encoding.sketch(self.rows.positions[row as usize]);
                sketch[0] ^ sketch[sketch.len() - 1]
            };
            let touched = pairs.fold(0_u8, |sum, (a, b)| sum ^ ends(a) ^ ends(b));
            std::hint::black_box(touched);
        }
    }

    /// Adds to `found` which of `others`, contiguous fingerprints, can be candidates of `own` by their bits.
    pub fn near_bits(&self, own: &[u64], others: &[u64], found: &mut Vec<u32>) {
        hamming::within(self.kernel, own, others, self.most_bits_in_tables(), found);
    }

    /// Words of a sketch's nibbles that [`Filter::keep_near_nibbles`] compares; 0 if sketches do not filter.
    pub fn nibble_words(&self) -> usize {
        if self.by_similarity && self.recipe().min_agreement > 0 {
            nibble_words(self.recipe().sketch_bytes)
        } else {
            0
        }
    }

    /// Adds the nibbles of a row's sketch to `out`.
    pub fn push_nibbles(&self, row: u32, out: &mut Vec<u64>) {
        push_nibbles(self.documents.encoding.sketch(self.rows.positions[row as usize]), out);
    }

    /// Keeps in `found` those of `others`, contiguous nibbles, that can be candidates of `own` by these.
    pub fn keep_near_nibbles(&self, own: &[u64], others: &[u64], found: &mut Vec<u32>) {
        keep_agreeing_nibbles(self.kernel, own, others, self.recipe().min_agreement, found);
    }

    /// The fingerprint of a row.
    pub fn fingerprint(&self, row: u32) -> &'a [u64] {
        self.documents.encoding.fingerprint(self.rows.positions[row as usize])
    }

    /// The most bits in which a candidate pair of a table differs.
    fn most_bits_in_tables(&self) -> u32 {
        if self.counted && self.few > 0 {
            u32::MAX
        } else {
            self.recipe().max_bits
        }
    }

    /// The smaller and the larger number of features of two rows.
    #[inline]
    fn sizes(&self, a: u32, b: u32) -> (u32, u32) {
        let (a, b) = (self.size(a), self.size(b));
        (a.min(b), a.max(b))
    }

    #[inline]
    fn size(&self, row: u32) -> u32 {
        self.documents.encoding.sizes[self.rows.positions[row as usize] as usize]
    }

    /// Whether a row is in the tables at all.
    #[inline]
    pub fn in_tables(&self, row: u32) -> bool {
        (self.counted || self.size(row) >= self.few) && self.stands(row)
    }

    /// Whether some rows have no fingerprint under this scheme.
    pub fn has_gaps(&self) -> bool {
        self.gaps
    }

    /// Whether a row has a fingerprint under this scheme.
    #[inline]
    pub fn stands(&self, row: u32) -> bool {
        !self.gaps || self.documents.encoding.valid[self.rows.positions[row as usize] as usize]
    }

    /// Whether a row is a short text, or can be near one.
    #[inline]
    pub fn may_match_short_text(&self, row: u32) -> bool {
        self.size(row) < self.partner && self.stands(row)
    }

    /// The rows of [`Filter::may_match_short_text`]; none if no row is a short text.
    pub fn short_text_rows(&self) -> Vec<u32> {
        let rows = 0..self.rows.len() as u32;
        if rows.clone().any(|row| self.size(row) < self.few && self.stands(row)) {
            rows.filter(|&row| self.may_match_short_text(row)).collect()
        } else {
            Vec::new()
        }
    }

    #[inline]
    fn sketches_agree(&self, a: u32, b: u32, table: Option<usize>) -> bool {
        let (a, b) = (self.documents.encoding.sketch(a), self.documents.encoding.sketch(b));
        let mut mask = [0_u64; MAX_SKETCH / 64];
        let (mut agreeing, mut first, mut band) = (0, None, 0);
        // Block by block: a near pair meets in many tables, and its first block mostly decides that this one is not the
        // first.
        for (at, (a, b)) in a.as_chunks::<64>().0.iter().zip(b.as_chunks::<64>().0).enumerate() {
            mask[at] = block_mask(self.kernel, a, b);
            agreeing += mask[at].count_ones();
            if let (Source::Bands { bands, rows }, None) = (&self.recipe().source, first) {
                let whole = (*bands).min((at + 1) * 64 / rows);
                first = (band..whole).find(|band| all_set(&mask, band * rows, *rows));
                band = whole;
                if first.is_some() && table.is_some() && first != table {
                    return false;
                }
            }
        }
        let met = first.is_some() || !matches!(self.recipe().source, Source::Bands { .. });
        met && agreeing >= self.recipe().min_agreement
    }

    /// The first mask under which two fingerprints agree; 0 if every pair is tested.
    fn first_mask(&self, x: &[u64], y: &[u64]) -> Option<usize> {
        match &self.recipe().source {
            Source::Blocks { masks } => masks.iter().position(|mask| {
                mask.iter()
                    .zip(x.iter().zip(y))
                    .all(|(mask, (x, y))| (x ^ y) & mask == 0)
            }),
            _ => Some(0),
        }
    }

    /// The number of tables of the recipe.
    pub fn tables(&self) -> usize {
        match &self.recipe().source {
            Source::Brute => 1,
            Source::Bands { bands, .. } => *bands,
            Source::Blocks { masks } => masks.len(),
        }
    }

    /// The number of tables in which two rows agree, and of equal sketch bytes (0 under a distance).
    pub fn agreement(&self, a: u32, b: u32) -> (u32, u32) {
        let (a, b) = (self.rows.positions[a as usize], self.rows.positions[b as usize]);
        let mut mask = [0_u64; MAX_SKETCH / 64];
        let mask = &mut mask[..self.recipe().sketch_bytes / 64];
        agreement_mask(
            self.kernel,
            self.documents.encoding.sketch(a),
            self.documents.encoding.sketch(b),
            mask,
        );
        let bytes = mask.iter().map(|word| word.count_ones()).sum();
        let tables = match &self.recipe().source {
            Source::Brute => 1,
            Source::Bands { bands, rows } => (0..*bands).filter(|band| all_set(mask, band * rows, *rows)).count(),
            Source::Blocks { masks } => {
                let (x, y) = (
                    self.documents.encoding.fingerprint(a),
                    self.documents.encoding.fingerprint(b),
                );
                let agree = |mask: &&Vec<u64>| {
                    mask.iter()
                        .zip(x.iter().zip(y))
                        .all(|(mask, (x, y))| (x ^ y) & mask == 0)
                };
                masks.iter().filter(agree).count()
            }
        };
        (tables as u32, bytes)
    }

    /// The key of a row in a table. Rows that agree there have equal keys. Equal keys do not prove agreement, so
    /// [`Filter::candidate`] compares again.
    #[inline]
    pub fn key(&self, table: usize, row: u32) -> u32 {
        let position = self.rows.positions[row as usize];
        match &self.recipe().source {
            Source::Brute => 0,
            Source::Bands { rows, .. } => {
                let bytes = &self.documents.encoding.sketch(position)[table * rows..][..*rows];
                if let [a, b, c, d] = bytes {
                    return u32::from_le_bytes([*a, *b, *c, *d]);
                }
                let mut words = bytes.chunks(8).map(|bytes| {
                    let mut word = [0; 8];
                    word[..bytes.len()].copy_from_slice(bytes);
                    u64::from_le_bytes(word)
                });
                let first = words.next().unwrap_or(0);
                crate::base::hash::mix(words.fold(first, |key, word| crate::base::hash::mix(key) ^ word)) as u32
            }
            Source::Blocks { masks } => {
                let words = self.documents.encoding.fingerprint(position).iter().zip(&masks[table]);
                words.fold(0_u64, |key, (word, mask)| {
                    crate::base::hash::mix(key.rotate_left(17) ^ (word & mask))
                }) as u32
            }
        }
    }
}
