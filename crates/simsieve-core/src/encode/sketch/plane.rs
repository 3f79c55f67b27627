//! 512 bits of which each kernel has its own form.

use crate::base::hash::{WORD_STEP, mix};

/// Words of a plane, and of a sketch.
pub(super) const WORDS: usize = 8;

/// 512 bits: one of each count, or the words of a feature.
pub(super) trait Plane: Copy {
    /// The same bit everywhere.
    fn filled(bit: bool) -> Self;
    /// The words of a feature, as [`crate::base::hash::word`] has them.
    fn of(hash: u64) -> Self;
    /// The words of the plane.
    fn words(self) -> [u64; WORDS];
    fn and(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// At each bit the sum of three, and what is carried.
    fn add(self, b: Self, c: Self) -> (Self, Self);
}

#[expect(
    clippy::inline_always,
    reason = "the copies inside the kernels must be compiled with their instructions"
)]
impl Plane for [u64; WORDS] {
    #[inline(always)]
    fn filled(bit: bool) -> Self {
        [if bit { u64::MAX } else { 0 }; WORDS]
    }

    #[inline(always)]
    fn of(hash: u64) -> Self {
        let mut words = [0; WORDS];
        for (k, word) in words.iter_mut().enumerate() {
            *word = mix(hash.wrapping_add((k as u64).wrapping_mul(WORD_STEP)));
        }
        // Word 0 is the hash itself. It is set last, so that all are mixed alike.
        words[0] = hash;
        words
    }

    #[inline(always)]
    fn words(self) -> [u64; WORDS] {
        self
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] & other[k])
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] ^ other[k])
    }

    #[inline(always)]
    fn add(self, b: Self, c: Self) -> (Self, Self) {
        // One loop over the words: the registers then suffice for any kernel.
        let (mut sum, mut carry) = (self, [0; WORDS]);
        for k in 0..WORDS {
            let half = sum[k] ^ b[k];
            carry[k] = (sum[k] & b[k]) | (half & c[k]);
            sum[k] = half ^ c[k];
        }
        (sum, carry)
    }
}
