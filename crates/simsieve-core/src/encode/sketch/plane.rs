//! 512 bits of which each kernel has its own form.

use crate::base::hash::word;

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
        std::array::from_fn(|k| word(hash, k))
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
        let half = self.xor(b);
        let carry = self.and(b);
        (half.xor(c), carry.xor(half.and(c)))
    }
}
