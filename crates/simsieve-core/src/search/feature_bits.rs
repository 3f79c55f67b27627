//! The feature bits of rows, and which pairs they rule out.
//!
//! Short texts that share fragments or a template fill many small buckets, and sketches let some of their pairs pass. A bound by bits
//! costs a fetch, where a verification reads a text and the index of features walks postings. Of short texts all have bits, which are
//! made beside the sketches and which the search compares first. Else the walk makes those of the rows that it meets again and again, a
//! column that is filled on demand, and the recall reads what the walk made. Where there is no room for such rows of many long texts, a
//! second sketch stands for them, of 128 bytes in place of some 350. It loses a near pair with
//! [`STRICT_MISS`], where bits lose none.

use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::base::tuning::Tuning;
use crate::encode::feature_bits::{self, BIT_WORDS, SHORT_WORDS};
use crate::encode::fingerprint::Sums;
use crate::encode::scheme::Scheme;
use crate::encode::sketch::{self, SKETCH_BITS, SKETCH_WORDS};
use crate::encode::weight::Weights;
use crate::hamming;
use crate::recipe::{Recipe, STRICT_MISS};

/// Below this cosine many pairs pass the sketches, so wide bits save time even where every pair is tested. Many pairs of a family are
/// near, so the index of features does not save time.
const WEAK_COSINE: f64 = 0.55;
/// Below this cosine sketches let texts pass that share fragments, the more the more texts there are; from here on few of them pass.
const FRAGMENT_COSINE: f64 = 0.7;
/// Features of a text in the mean: of longer texts a row of [`SHORT_WORDS`] has too many bits set. Wider rows cost more than they spare:
/// 400,000 texts of 150 features take 5.9 CPU seconds at 0.6 with them, and 5.2 without.
const FEW_FEATURES: f64 = 96.0;
/// Features of a text in the mean: of longer texts a row of [`BIT_WORDS`] has too many bits set.
const MOST_FEATURES: f64 = 192.0;
/// Bits for each feature of a longer text, and words of its row at most.
const BITS_A_FEATURE: f64 = 8.0;
const MOST_WORDS: usize = 1024;

/// Words of a row of bits, for texts with this mean number of features.
pub(crate) fn words(features: f64) -> usize {
    if features <= MOST_FEATURES {
        return BIT_WORDS;
    }
    let words = (features * BITS_A_FEATURE / 64.0) as usize;
    words.clamp(BIT_WORDS, MOST_WORDS).next_multiple_of(8)
}

/// Words of the bits that all rows have for the search, for texts with this mean number of features; 0 where it compares sketches
/// alone. `counted` where features do not count once each.
pub(crate) fn words_of_all(recipe: &Recipe, counted: bool, features: f64) -> usize {
    match recipe.threshold.least_cosine().filter(|_| !counted) {
        Some(_) if features > MOST_FEATURES => 0,
        Some(cosine) if cosine < WEAK_COSINE => BIT_WORDS,
        Some(cosine) if cosine < FRAGMENT_COSINE && features <= FEW_FEATURES && !recipe.is_exact() => SHORT_WORDS,
        _ => 0,
    }
}

/// Bytes of these bits of a row.
pub(crate) fn row_bytes(recipe: &Recipe, scheme: &Scheme, features: f64) -> u64 {
    8 * words_of_all(recipe, scheme.weights() != Weights::Once, features) as u64
}

/// Bits for each feature that rows have at least: with fewer of them a row says nothing.
const LEAST_BITS_A_FEATURE: f64 = 1.75;

/// The same for rows of large buckets: what these share is a larger part of their texts.
const LEAST_BITS_OF_MEMBER: f64 = 3.5;
/// Wide bits take at most this many times as much as other ones, 8 GiB: rows without them go into the index of features, of which a row of
/// a text of 3 kB takes ten times as much.
const WIDE_OF_BITS: usize = 16;

/// Which rows have bits, and how narrow they become where they have no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownBy {
    /// Rows of large buckets.
    BitsOfMember,
    /// Others: second sketches where bits have no room.
    FewBits,
    /// All, where other bits leave too much. They keep their first width: with `b` bits a feature a text has some `1 / b` of the other
    /// one's features by chance, so of two that share half, 4 bits leave .61, and 8 leave .56.
    WideBits,
}

/// Words that a row has at least, for texts with this mean number of features.
fn least_words(features: f64, bits_a_feature: f64) -> usize {
    (features * bits_a_feature / 64.0).ceil() as usize
}

/// Whether the walk holds second sketches of rows that are in no large bucket: so many rows of bits have no room. `features` is the mean
/// number of them in a text.
fn by_sketches(rows: f64, features: f64, tuning: Tuning) -> bool {
    let bytes = rows * (least_words(features, LEAST_BITS_A_FEATURE) * size_of::<u64>()) as f64;
    bytes > most_bytes(tuning) as f64
}

/// Bytes of bits at most that the walk holds of rows of large buckets; and of others, where it holds bits of these.
const fn most_bytes(tuning: Tuning) -> usize {
    tuning.most_bits / 2
}

/// Bytes of what the walk holds of `known` of `rows` rows that are in no large bucket, as wide as fits.
pub(crate) fn held_bytes(rows: f64, known: f64, features: f64, tuning: Tuning) -> f64 {
    let bytes_of = |words: usize| known * (words * size_of::<u64>()) as f64;
    if by_sketches(rows, features, tuning) {
        return bytes_of(SECOND_WORDS);
    }
    let most = most_bytes(tuning) as f64;
    let (mut bytes, least) = (
        bytes_of(words(features)),
        bytes_of(least_words(features, LEAST_BITS_A_FEATURE)),
    );
    while bytes > most && bytes / 2.0 >= least {
        bytes /= 2.0;
    }
    bytes.min(most)
}

/// Bytes of wide bits of `known` rows.
pub(crate) fn wide_bytes(known: f64, features: f64, tuning: Tuning) -> f64 {
    let bytes = known * (words(features) * size_of::<u64>()) as f64;
    bytes.min((WIDE_OF_BITS * tuning.most_bits) as f64)
}

/// Words of a second sketch. Of 1.8 million texts of a pool of paragraphs .47 pairs a text are verified with them, and 1.5 with half as many.
pub(crate) const SECOND_WORDS: usize = 2 * SKETCH_WORDS;

/// The most bits in which second sketches of near texts differ, except with [`STRICT_MISS`].
pub(crate) fn most_second_bits(recipe: &Recipe) -> u32 {
    recipe.bits_within(u64::BITS * SECOND_WORDS as u32, false, STRICT_MISS)
}

/// The most bits in which both sketches of near texts of many features differ together, except with [`STRICT_MISS`].
pub(crate) fn most_bits_of_both(recipe: &Recipe) -> u32 {
    recipe.bits_within(SKETCH_BITS + u64::BITS * SECOND_WORDS as u32, true, STRICT_MISS)
}

/// Writes the second sketch of features that count once each. The first sketch is made of the features themselves.
pub(crate) fn write_second(kernel: Kernel, features: &[u64], second: &mut [u64]) {
    let mut others = features.to_vec();
    for words in second.chunks_exact_mut(SKETCH_WORDS) {
        for other in &mut others {
            *other = mix(*other);
        }
        sketch::write(kernel, &others, &[], &mut Sums::default(), words);
    }
}

/// The bits of the rows that were inserted. Where these take the room that they may, all rows are made half as wide.
#[derive(Debug)]
pub(crate) struct FeatureBits {
    kernel: Kernel,
    /// The most bits in which second sketches of near rows differ, where rows are such.
    most_differing: Option<u32>,
    /// Words of a row, at first and now, and the least.
    first_words: usize,
    words: usize,
    least_words: usize,
    /// Rows below this number can be inserted, up to so many words.
    below: usize,
    most: usize,
    /// The inserted rows in order, and the place of each row among them; [`NONE`] for others. Empty until a row is inserted.
    rows: Vec<u32>,
    places: Vec<u32>,
    column: Vec<u64>,
}

/// The bits of a text that is compared with known rows, and the places of its features without a bit of their own where these say more.
#[derive(Debug, Default)]
pub(crate) struct OwnBits {
    pub(crate) bits: Vec<u64>,
    without_bit: Vec<u32>,
}

/// What a test leaves, and memory for it.
#[derive(Debug, Default)]
pub(crate) struct Tested {
    /// The rows that were ruled out.
    pub(crate) ruled_out: Vec<u32>,
    /// The known rows by their places in the list and in the column, their second sketches side by side, and which of them may be near.
    known: Vec<usize>,
    places: Vec<u32>,
    sketches: Vec<u64>,
    near: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl FeatureBits {
    /// No row yet, of rows below `below`, whose texts have `features` in the mean; what is held takes `most_of_run` bytes at most.
    pub(crate) fn of_walk(
        recipe: &Recipe,
        (below, features): (usize, f64),
        by: KnownBy,
        (tuning, most_of_run): (Tuning, usize),
        kernel: Kernel,
    ) -> Self {
        let most = match by {
            KnownBy::WideBits => WIDE_OF_BITS * tuning.most_bits,
            _ => most_bytes(tuning),
        };
        let bits = Self::below(below, features, by, most.min(most_of_run), kernel);
        if by != KnownBy::FewBits || !by_sketches(below as f64, features, tuning) {
            return bits;
        }
        Self {
            most_differing: Some(most_second_bits(recipe)),
            first_words: SECOND_WORDS,
            words: SECOND_WORDS,
            least_words: SECOND_WORDS,
            most: most_of_run / size_of::<u64>(),
            ..bits
        }
    }

    /// No row yet, as [`FeatureBits::of_walk`]; bits take `most_bytes` at most.
    pub(crate) fn below(below: usize, features: f64, by: KnownBy, most_bytes: usize, kernel: Kernel) -> Self {
        let words = words(features);
        let least_words = match by {
            KnownBy::BitsOfMember => least_words(features, LEAST_BITS_OF_MEMBER),
            KnownBy::FewBits => least_words(features, LEAST_BITS_A_FEATURE),
            KnownBy::WideBits => words,
        };
        Self {
            kernel,
            most_differing: None,
            first_words: words,
            words,
            least_words,
            below,
            most: most_bytes / size_of::<u64>(),
            rows: Vec::new(),
            places: Vec::new(),
            column: Vec::new(),
        }
    }

    /// Words of a row.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The bits of a text, of its distinct features.
    pub(crate) fn of_text(&self, features: &[u64]) -> OwnBits {
        let mut bits = vec![0; self.first_words];
        if self.most_differing.is_some() {
            write_second(self.kernel, features, &mut bits);
            let without_bit = Vec::new();
            return OwnBits { bits, without_bit };
        }
        feature_bits::write(features, &mut bits);
        self.narrow(&mut bits);
        let mut without_bit = Vec::new();
        if self.words > BIT_WORDS || self.words < self.first_words {
            let place = |&feature: &u64| {
                let (mut words, mut place) = (self.first_words, feature_bits::place(feature, self.first_words));
                while words > self.words {
                    words /= 2;
                    place = feature_bits::halved_place(place, words);
                }
                place
            };
            let places: Vec<u32> = features.iter().map(place).collect();
            without_bit = feature_bits::without_bit(&places, self.words);
        }
        OwnBits { bits, without_bit }
    }

    /// Whether two texts of these bits may have a cosine of at least `cosine`.
    pub(crate) fn may_be_near(&self, one: &[u64], other: &[u64], cosine: f64) -> bool {
        match self.most_differing {
            Some(most) => hamming::distance(one, other) <= most,
            None => feature_bits::may_be_near(self.kernel, one, other, cosine),
        }
    }

    /// Whether bits are as wide as those of the rows.
    pub(crate) fn is_as_wide(&self, own: &OwnBits) -> bool {
        own.bits.len() == self.words
    }

    /// Makes bits as wide as those of the rows.
    fn narrow(&self, bits: &mut Vec<u64>) {
        while bits.len() > self.words {
            feature_bits::halve(bits);
            bits.truncate(bits.len() / 2);
        }
    }

    /// The words of a row that is half as wide, if rows may be.
    fn half(&self) -> Option<usize> {
        Some(self.words / 2).filter(|&half| self.words.is_multiple_of(2) && half >= self.least_words)
    }

    /// Makes all rows half as wide.
    fn halve(&mut self, words: usize) {
        for row in 0..self.rows.len() {
            feature_bits::halve(&mut self.column[row * self.words..][..self.words]);
            let half = row * self.words..row * self.words + words;
            self.column.copy_within(half, row * words);
        }
        self.column.truncate(self.rows.len() * words);
        self.words = words;
    }

    /// The place of a row in the column.
    fn place(&self, row: u32) -> u32 {
        self.places.get(row as usize).copied().unwrap_or(NONE)
    }

    /// Whether a row is known.
    pub(crate) fn has(&self, row: u32) -> bool {
        self.place(row) != NONE
    }

    /// Whether a row is not known, and fits.
    pub(crate) fn has_room_for(&self, row: u32) -> bool {
        (self.has_room() || self.half().is_some()) && !self.has(row)
    }

    fn has_room(&self) -> bool {
        self.column.len() + self.words <= self.most
    }

    /// Inserts a row, if it is not known and fits; whether it was.
    pub(crate) fn insert(&mut self, row: u32, mut own: OwnBits) -> bool {
        if self.has(row) {
            return false;
        }
        while !self.has_room() {
            let Some(words) = self.half() else {
                return false;
            };
            self.halve(words);
        }
        self.narrow(&mut own.bits);
        if self.places.is_empty() {
            self.places = vec![NONE; self.below];
        }
        self.places[row as usize] = self.rows.len() as u32;
        self.rows.push(row);
        self.column.extend_from_slice(&own.bits);
        true
    }

    /// Leaves in a list of items those whose rows are not known, or may have a cosine of at least `cosine` with a text of these bits.
    pub(crate) fn rule_out(
        &self,
        own: &OwnBits,
        cosine: f64,
        items: &mut Vec<u32>,
        row: impl Fn(u32) -> u32,
        memory: &mut Tested,
    ) {
        let Tested {
            ruled_out,
            known,
            places,
            sketches,
            near,
        } = memory;
        ruled_out.clear();
        known.clear();
        places.clear();
        near.clear();
        let all = items.iter().map(|&item| self.place(row(item))).enumerate();
        for (at, place) in all.filter(|&(_, place)| place != NONE) {
            known.push(at);
            places.push(place);
        }
        if let Some(most) = self.most_differing {
            // Fetches side by side do not wait for one another.
            sketches.clear();
            for &place in &*places {
                sketches.extend_from_slice(&self.column[place as usize * self.words..][..self.words]);
            }
            hamming::within(self.kernel, &own.bits, sketches, most, near);
        } else {
            let own = (&*own.bits, &*own.without_bit);
            feature_bits::near_at(self.kernel, own, &self.column, places, cosine, near);
        }
        if near.len() == known.len() {
            return;
        }
        let mut near = near.iter().map(|&near| near as usize).peekable();
        let far = known.iter().enumerate().filter(|(at, _)| near.next_if_eq(at).is_none());
        let mut far = far.map(|(_, &item)| item).peekable();
        let mut at = 0;
        items.retain(|&item| {
            let is_far = far.next_if_eq(&at).is_some();
            at += 1;
            if is_far {
                ruled_out.push(row(item));
            }
            !is_far
        });
    }
}

#[cfg(test)]
#[path = "feature_bits_tests.rs"]
mod tests;
