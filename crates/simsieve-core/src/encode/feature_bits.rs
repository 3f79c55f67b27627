//! A text's features as a row of bits: a bound on what two texts share, without their features.
//!
//! Each feature sets the bit of its hash. A feature that two texts share has the same bit in both. So they share at
//! most the bits that both have, plus a count. It is the lesser of the two texts' numbers of features that found their
//! bit set by another one. The bound is never too low; for texts of up to about two hundred features it is seldom far
//! too high.

use crate::base::hash::mix;
use crate::base::kernel::Kernel;

/// Words of a row of a short text; others have any number of them.
pub const BIT_WORDS: usize = 16;
/// Words of a row of a very short text: one cache line.
pub const SHORT_WORDS: usize = 8;
/// The last 32 bits of a row are its [`Size`]; the others stand for features.
const SIZE_SHIFT: u32 = 32;

/// How many features a text has, and how many of them have no bit of their own.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// 0 where the text has more than fit: then nothing is known of it.
    features: u32,
    without_bit: u32,
}

impl Size {
    /// That of the last word of a row.
    #[inline]
    fn of(last: u64) -> Self {
        let size = (last >> SIZE_SHIFT) as u32;
        Self {
            features: size >> 16,
            without_bit: size & 0xFFFF,
        }
    }
}

/// The bits of a row of some words that stand for features.
fn bits_of(words: usize) -> u32 {
    words as u32 * u64::BITS - SIZE_SHIFT
}

/// The bit of a feature in a row of some words.
pub fn place(feature: u64, words: usize) -> u32 {
    (((mix(feature) >> 32) * u64::from(bits_of(words))) >> 32) as u32
}

/// The bit in a row of half as many words, `words`, of what has a bit in a row.
pub fn halved_place(place: u32, words: usize) -> u32 {
    (place / 2).min(bits_of(words) - 1)
}

/// Writes the row of a text: of its distinct features, each of weight 1.
///
/// # Panics
/// Where the row has no words.
pub fn write(features: &[u64], row: &mut [u64]) {
    let words = row.len();
    row.fill(0);
    let mut without_bit = 0;
    for &feature in features {
        let bit = place(feature, words);
        let (word, bit) = (&mut row[bit as usize / 64], 1 << (bit % 64));
        without_bit += u64::from(*word & bit != 0);
        *word |= bit;
    }
    if let (Ok(features), Some(last)) = (u16::try_from(features.len()), row.last_mut()) {
        *last |= (u64::from(features) << 16 | without_bit) << SIZE_SHIFT;
    }
}

/// Makes a row half as wide: two neighbouring bits become one.
///
/// # Panics
/// Where it has an odd number of words, or none.
pub fn halve(row: &mut [u64]) {
    let (words, last) = (row.len() / 2, row.len() - 1);
    let size = Size::of(row[last]);
    row[last] &= (1 << SIZE_SHIFT) - 1;
    for word in 0..words {
        row[word] = pairs(row[2 * word]) | pairs(row[2 * word + 1]) << 32;
    }
    let end = &mut row[words - 1];
    let beyond = *end >> SIZE_SHIFT != 0;
    *end = *end & ((1 << SIZE_SHIFT) - 1) | u64::from(beyond) << (SIZE_SHIFT - 1);
    if size.features > 0 {
        let set: u32 = row[..words].iter().map(|word| word.count_ones()).sum();
        row[words - 1] |= u64::from(size.features << 16 | (size.features - set)) << SIZE_SHIFT;
    }
}

/// 32 bits: of each two neighbours, whether one is set.
fn pairs(word: u64) -> u64 {
    let mut bits = (word | word >> 1) & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0F0F_0F0F_0F0F_0F0F),
        (4, 0x00FF_00FF_00FF_00FF),
        (8, 0x0000_FFFF_0000_FFFF),
        (16, 0x0000_0000_FFFF_FFFF),
    ] {
        bits = (bits | bits >> shift) & mask;
    }
    bits
}

/// Of the places of a text's features in a row of some words those that an earlier feature has.
pub fn without_bit(places: &[u32], words: usize) -> Vec<u32> {
    let mut row = vec![0_u64; words];
    let has_one = |&place: &u32| {
        let (word, bit) = (&mut row[place as usize / 64], 1 << (place % 64));
        std::mem::replace(word, *word | bit) & bit != 0
    };
    places.iter().copied().filter(has_one).collect()
}

/// The rows that a text is compared with.
trait Others<'a> {
    /// Rows of some words.
    fn rows(self, words: usize) -> impl Iterator<Item = &'a [u64]>;
}

/// Rows side by side.
impl<'a> Others<'a> for &'a [u64] {
    fn rows(self, words: usize) -> impl Iterator<Item = &'a [u64]> {
        self.chunks_exact(words)
    }
}

/// Rows at some places of a column.
impl<'a> Others<'a> for (&'a [u64], &'a [u32]) {
    fn rows(self, words: usize) -> impl Iterator<Item = &'a [u64]> {
        let (column, places) = self;
        places
            .iter()
            .map(move |&place| &column[place as usize * words..][..words])
    }
}

/// Adds to `out` which of `others` can have a cosine of at least `cosine` with `own`. They are side by side, and as
/// wide as `own`.
///
/// # Panics
/// Where `own` has no words, or `others` is no multiple of them.
pub fn near(kernel: Kernel, own: &[u64], others: &[u64], cosine: f64, out: &mut Vec<u32>) {
    assert!(
        !own.is_empty() && others.len().is_multiple_of(own.len()),
        "rows of one width"
    );
    near_of(kernel, (own, &[]), others, cosine, out);
}

/// Adds to `out` which of the rows at some places of a column can have a cosine of at least `cosine` with `own`, whose features
/// [`without_bit`] are given: of long texts these tell more than their number.
///
/// # Panics
/// Where `own` has no words, or the column has no such places.
pub fn near_at(kernel: Kernel, own: (&[u64], &[u32]), column: &[u64], places: &[u32], cosine: f64, out: &mut Vec<u32>) {
    near_of(kernel, own, (column, places), cosine, out);
}

fn near_of<'a>(kernel: Kernel, own: (&[u64], &[u32]), others: impl Others<'a>, cosine: f64, out: &mut Vec<u32>) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 if own.0.len().is_multiple_of(8) => unsafe { near_avx512(own, others, cosine, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the instruction to count bits (Kernel::is_available).
        Kernel::Avx2 | Kernel::Avx512 => unsafe { near_popcnt(own, others, cosine, out) },
        _ => near_plain(own, others, cosine, out),
    }
}

/// Whether two rows of one width can have a cosine of at least `cosine`.
///
/// # Panics
/// As [`near`].
pub fn may_be_near(kernel: Kernel, own: &[u64], other: &[u64], cosine: f64) -> bool {
    let mut found = Vec::new();
    near(kernel, own, other, cosine, &mut found);
    !found.is_empty()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn near_avx512<'a>(own: (&[u64], &[u32]), others: impl Others<'a>, cosine: f64, out: &mut Vec<u32>) {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64,
        _mm512_setzero_si512,
    };
    // SAFETY: the pointer is to 64 bytes that can be read; the load needs no alignment.
    let load = |words: &[u64; 8]| unsafe { _mm512_loadu_si512(std::ptr::from_ref(words).cast()) };
    each(own, others, cosine, out, |own, other| {
        let pairs = own.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
        let sum = pairs.fold(_mm512_setzero_si512(), |sum, (a, b)| {
            _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(load(a), load(b))))
        });
        _mm512_reduce_add_epi64(sum) as u32
    });
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn near_popcnt<'a>(own: (&[u64], &[u32]), others: impl Others<'a>, cosine: f64, out: &mut Vec<u32>) {
    near_plain(own, others, cosine, out);
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside near_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn near_plain<'a>(own: (&[u64], &[u32]), others: impl Others<'a>, cosine: f64, out: &mut Vec<u32>) {
    each(own, others, cosine, out, |own, other| {
        own.iter().zip(other).map(|(a, b)| (a & b).count_ones()).sum()
    });
}

/// Adds the rows whose bound reaches the cosine; `shared` counts the bits that two rows both have.
#[expect(
    clippy::inline_always,
    reason = "the copies inside the kernels must be compiled with their instructions"
)]
#[inline(always)]
fn each<'a>(
    (own, without_bit): (&[u64], &[u32]),
    others: impl Others<'a>,
    cosine: f64,
    out: &mut Vec<u32>,
    shared: impl Fn(&[u64], &[u64]) -> u32,
) {
    // The width of short texts is known when this is compiled.
    if let Ok(own) = <[u64; SHORT_WORDS]>::try_from(own) {
        each_of((own, without_bit), others, cosine, out, shared);
    } else if let Ok(own) = <[u64; BIT_WORDS]>::try_from(own) {
        each_of((own, without_bit), others, cosine, out, shared);
    } else {
        each_of((own.to_vec(), without_bit), others, cosine, out, shared);
    }
}

#[expect(clippy::inline_always, reason = "as for `each`")]
#[inline(always)]
fn each_of<'a>(
    (mut own, without_bit): (impl AsMut<[u64]>, &[u32]),
    others: impl Others<'a>,
    cosine: f64,
    out: &mut Vec<u32>,
    shared: impl Fn(&[u64], &[u64]) -> u32,
) {
    let own = own.as_mut();
    let words = own.len();
    let size = Size::of(own[words - 1]);
    // The squares are compared; less by the rounding of the cosine and of these products.
    let needed = cosine * cosine * (1.0 - 1e-9) * f64::from(size.features);
    own[words - 1] &= (1 << SIZE_SHIFT) - 1;
    for (at, other) in others.rows(words).enumerate() {
        let others_size = Size::of(other[words - 1]);
        let (shared, needed) = (shared(own, other), needed * f64::from(others_size.features));
        let suffices = |without_bit: u32| {
            let bound = f64::from(shared + without_bit.min(others_size.without_bit));
            bound * bound >= needed
        };
        let has = |&&place: &&u32| other[place as usize / 64] >> (place % 64) & 1 == 1;
        let having = || without_bit.iter().filter(has).count() as u32;
        if suffices(size.without_bit) && (without_bit.is_empty() || suffices(having())) {
            out.push(at as u32);
        }
    }
}

#[cfg(test)]
#[path = "feature_bits_tests.rs"]
mod tests;
