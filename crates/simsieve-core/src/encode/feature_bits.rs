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

/// Writes the row of a text: of its distinct features, each of weight 1.
///
/// # Panics
/// Where the row has no words.
pub fn write(features: &[u64], row: &mut [u64]) {
    let bits = row.len() as u64 * 64 - u64::from(u64::BITS - SIZE_SHIFT);
    row.fill(0);
    let mut without_bit = 0;
    for &feature in features {
        let bit = ((mix(feature) >> 32) * bits) >> 32;
        let (word, bit) = (&mut row[bit as usize / 64], 1 << (bit % 64));
        without_bit += u64::from(*word & bit != 0);
        *word |= bit;
    }
    if let (Ok(features), Some(last)) = (u16::try_from(features.len()), row.last_mut()) {
        *last |= (u64::from(features) << 16 | without_bit) << SIZE_SHIFT;
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
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 if own.len().is_multiple_of(8) => unsafe { near_avx512(own, others, cosine, out) },
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
fn near_avx512(own: &[u64], others: &[u64], cosine: f64, out: &mut Vec<u32>) {
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
fn near_popcnt(own: &[u64], others: &[u64], cosine: f64, out: &mut Vec<u32>) {
    near_plain(own, others, cosine, out);
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside near_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn near_plain(own: &[u64], others: &[u64], cosine: f64, out: &mut Vec<u32>) {
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
fn each(own: &[u64], others: &[u64], cosine: f64, out: &mut Vec<u32>, shared: impl Fn(&[u64], &[u64]) -> u32) {
    // The width of short texts is known when this is compiled.
    if let Ok(own) = <[u64; SHORT_WORDS]>::try_from(own) {
        each_of(own, others, cosine, out, shared);
    } else if let Ok(own) = <[u64; BIT_WORDS]>::try_from(own) {
        each_of(own, others, cosine, out, shared);
    } else {
        each_of(own.to_vec(), others, cosine, out, shared);
    }
}

#[expect(clippy::inline_always, reason = "as for `each`")]
#[inline(always)]
fn each_of(
    mut own: impl AsMut<[u64]>,
    others: &[u64],
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
    for (at, other) in others.chunks_exact(words).enumerate() {
        let others_size = Size::of(other[words - 1]);
        let bound = shared(own, other) + size.without_bit.min(others_size.without_bit);
        if f64::from(bound) * f64::from(bound) >= needed * f64::from(others_size.features) {
            out.push(at as u32);
        }
    }
}

#[cfg(test)]
#[path = "feature_bits_tests.rs"]
mod tests;
