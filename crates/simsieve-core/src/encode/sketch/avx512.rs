//! A plane in one register of AVX-512.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_mask_mov_epi64, _mm512_mullo_epi64,
    _mm512_set1_epi64, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use crate::base::hash::{MIX_1, MIX_2, WORD_STEP};
use crate::encode::sketch::plane::{Plane, WORDS};

/// What is added to a hash for each word.
const STEPS: [u64; WORDS] = {
    let mut steps = [0; WORDS];
    let mut k = 0;
    while k < WORDS {
        steps[k] = (k as u64).wrapping_mul(WORD_STEP);
        k += 1;
    }
    steps
};

/// A plane. It is made and used inside of functions that are compiled for AVX-512 F and DQ, and called where the machine has them.
#[derive(Clone, Copy)]
pub(super) struct Register(__m512i);

// SAFETY, for all blocks below: the machine has the features, as `Register` requires; loads and stores are of arrays of
// 64 bytes.
#[expect(
    clippy::inline_always,
    reason = "intrinsics are compiled with the instructions of the caller"
)]
impl Plane for Register {
    #[inline(always)]
    fn filled(bit: bool) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_set1_epi64(-i64::from(bit)) })
    }

    #[inline(always)]
    fn of(hash: u64) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let hash = _mm512_set1_epi64(hash as i64);
            let x = _mm512_add_epi64(hash, _mm512_loadu_si512(STEPS.as_ptr().cast()));
            let x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 30));
            let x = _mm512_mullo_epi64(x, _mm512_set1_epi64(MIX_1 as i64));
            let x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 27));
            let x = _mm512_mullo_epi64(x, _mm512_set1_epi64(MIX_2 as i64));
            let x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
            // Word 0 is the hash itself.
            _mm512_mask_mov_epi64(x, 1, hash)
        })
    }

    #[inline(always)]
    fn words(self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
        words
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, b: Self, c: Self) -> (Self, Self) {
        // The truth tables of the parity and of the majority of three bits.
        const PARITY: i32 = 0b1001_0110;
        const MAJORITY: i32 = 0b1110_1000;
        // SAFETY: as above.
        unsafe {
            (
                Self(_mm512_ternarylogic_epi64(self.0, b.0, c.0, PARITY)),
                Self(_mm512_ternarylogic_epi64(self.0, b.0, c.0, MAJORITY)),
            )
        }
    }
}
