//! Words of 64 bits side by side, as many as a register of the machine holds: an algorithm is written once for all kernels.
//!
//! A function over [`Lanes`] is inlined into one that is compiled for the processor. It has no closures over lanes: these would be
//! compiled without the processor's instructions.
#![expect(
    clippy::inline_always,
    reason = "intrinsics are compiled with the instructions of the caller"
)]

use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Shl, Shr};

#[cfg(target_arch = "x86_64")]
pub(crate) use registers::{Avx2, Avx512, Register};

/// The lane of plain Rust.
pub(crate) type Word = Wrapping<u64>;

/// Words of 64 bits side by side. Sums and products are modulo 2^64.
///
/// A register is made and used only in functions that are called where the machine has its instructions.
pub(crate) trait Lanes:
    Copy
    + BitXor<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Add<Output = Self>
    + Mul<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    /// How many words.
    const COUNT: usize;

    /// The same word in all lanes.
    fn splat(word: u64) -> Self;
    /// The first of `words`; panics where there are too few.
    fn load(words: &[u64]) -> Self;
    /// Writes the first of `words`; panics where there are too few.
    fn store(self, words: &mut [u64]);
    /// Each word with its bytes in reverse order.
    fn swapped(self) -> Self;
    /// The upper half of each product of 128 bits, xored with its lower half.
    fn folded(self, other: Self) -> Self;

    /// At each bit the sum of three, and what is carried.
    #[inline(always)]
    fn add_bits(self, b: Self, c: Self) -> (Self, Self) {
        (self ^ b ^ c, self.majority(b, c))
    }

    /// Where most of three bits are 1.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        (self & b) | ((self ^ b) & c)
    }
}

impl Lanes for Word {
    const COUNT: usize = 1;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        Wrapping(word)
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Wrapping(words[0])
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self.0;
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        Wrapping(self.0.swap_bytes())
    }

    #[inline(always)]
    fn folded(self, other: Self) -> Self {
        let product = u128::from(self.0) * u128::from(other.0);
        Wrapping(product as u64 ^ (product >> 64) as u64)
    }
}

#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::x86_64::{
        __m256i, __m512i, __mmask8, _CMP_LT_OQ, _mm_cvtsi64_si128, _mm_loadu_si128, _mm256_add_epi64, _mm256_and_si256,
        _mm256_blendv_epi8, _mm256_broadcastsi128_si256, _mm256_castsi256_pd, _mm256_cmp_pd, _mm256_cmpgt_epi64,
        _mm256_loadu_pd, _mm256_loadu_si256, _mm256_movemask_pd, _mm256_mul_epu32, _mm256_mul_pd, _mm256_or_si256,
        _mm256_set1_epi64x, _mm256_set1_pd, _mm256_shuffle_epi8, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_storeu_pd,
        _mm256_storeu_si256, _mm256_sub_pd, _mm256_xor_si256, _mm512_add_epi64, _mm512_and_si512,
        _mm512_broadcast_i32x4, _mm512_cmp_pd_mask, _mm512_cmplt_epu64_mask, _mm512_cvtepu64_pd, _mm512_loadu_pd,
        _mm512_loadu_si512, _mm512_mask_mov_epi64, _mm512_mul_epu32, _mm512_mul_pd, _mm512_mullo_epi64,
        _mm512_or_si512, _mm512_set1_epi64, _mm512_set1_pd, _mm512_shuffle_epi8, _mm512_sll_epi64, _mm512_srl_epi64,
        _mm512_storeu_pd, _mm512_storeu_si512, _mm512_ternarylogic_epi64, _mm512_xor_si512,
    };
    use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Shl, Shr};

    use super::Lanes;

    /// What a register does beyond [`Lanes`].
    pub(crate) trait Register: Lanes {
        /// Which lanes are chosen.
        type Mask: Copy;
        /// The bits of all lanes.
        const ALL: u32;

        /// The products of the lower halves.
        fn mul_halves(self, other: Self) -> Self;
        /// The bytes of each group of 16 whose numbers are in `places`; zeros for numbers from 128 on.
        fn pick(self, places: Self) -> Self;
        /// The same 16 bytes in each two lanes.
        fn repeated(bytes: &[u8; 16]) -> Self;
        /// The first of 64 bytes.
        fn of_bytes(bytes: &[u8; 64]) -> Self;
        /// The lanes whose word is less than the other's. Both are below 2^63.
        fn less(self, other: Self) -> Self::Mask;
        /// The other's words in the chosen lanes.
        fn or(self, other: Self, chosen: Self::Mask) -> Self;
        /// A bit for each lane.
        fn bits(chosen: Self::Mask) -> u32;
        /// Writes the words, which are below 2^32, times numbers; returns a bit for each product below `most`.
        fn scaled(self, by: &[f64], most: f64, out: &mut [f64]) -> u32;
    }

    /// A register, by its intrinsics; then what it has of its own for [`Lanes`] and for [`Register`].
    ///
    /// SAFETY, for all blocks: the machine has the instructions, as [`Lanes`] requires; what is loaded and stored is as long as the
    /// register, and needs no alignment.
    macro_rules! register {
        (
            $(#[$doc:meta])* $register:ident($vector:ty) of $count:literal words;
            $splat:ident, $load:ident, $store:ident, $repeat:ident, $mul_halves:ident, $pick:ident;
            $($operator:ident::$method:ident = $operation:ident),*;
            $($shift:ident::$shifted:ident = $shifting:ident),*;
            { $($own_of_lanes:item)* }
            { $($own:item)* }
        ) => {
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub(crate) struct $register(pub(crate) $vector);

            $(impl $operator for $register {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $operation(self.0, other.0) })
                }
            })*

            $(impl $shift<usize> for $register {
                type Output = Self;

                #[inline(always)]
                fn $shifted(self, by: usize) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $shifting(self.0, _mm_cvtsi64_si128(by as i64)) })
                }
            })*

            impl Lanes for $register {
                const COUNT: usize = $count;

                #[inline(always)]
                fn splat(word: u64) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $splat(word as i64) })
                }

                #[inline(always)]
                fn load(words: &[u64]) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $load(words[..$count].as_ptr().cast()) })
                }

                #[inline(always)]
                fn store(self, words: &mut [u64]) {
                    // SAFETY: as above.
                    unsafe { $store(words[..$count].as_mut_ptr().cast(), self.0) }
                }

                #[inline(always)]
                fn swapped(self) -> Self {
                    self.pick(Self::of_bytes(&SWAP))
                }

                #[inline(always)]
                fn folded(self, other: Self) -> Self {
                    folded(self, other)
                }

                $($own_of_lanes)*
            }

            impl Register for $register {
                #[inline(always)]
                fn mul_halves(self, other: Self) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $mul_halves(self.0, other.0) })
                }

                #[inline(always)]
                fn pick(self, places: Self) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $pick(self.0, places.0) })
                }

                #[inline(always)]
                fn repeated(bytes: &[u8; 16]) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $repeat(_mm_loadu_si128(bytes.as_ptr().cast())) })
                }

                #[inline(always)]
                fn of_bytes(bytes: &[u8; 64]) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $load(bytes.as_ptr().cast()) })
                }

                $($own)*
            }
        };
    }

    register! {
        /// Four words in a register of AVX2.
        Avx2(__m256i) of 4 words;
        _mm256_set1_epi64x, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_broadcastsi128_si256, _mm256_mul_epu32, _mm256_shuffle_epi8;
        BitXor::bitxor = _mm256_xor_si256,
        BitAnd::bitand = _mm256_and_si256,
        BitOr::bitor = _mm256_or_si256,
        Add::add = _mm256_add_epi64;
        Shl::shl = _mm256_sll_epi64,
        Shr::shr = _mm256_srl_epi64;
        {}
        {
            type Mask = __m256i;
            const ALL: u32 = 0xF;

            #[inline(always)]
            fn less(self, other: Self) -> __m256i {
                // SAFETY: as above.
                unsafe { _mm256_cmpgt_epi64(other.0, self.0) }
            }

            #[inline(always)]
            fn or(self, other: Self, chosen: __m256i) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm256_blendv_epi8(self.0, other.0, chosen) })
            }

            #[inline(always)]
            fn bits(chosen: __m256i) -> u32 {
                // SAFETY: as above.
                unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(chosen)) as u32 }
            }

            #[inline(always)]
            fn scaled(self, by: &[f64], most: f64, out: &mut [f64]) -> u32 {
                // A word below 2^32 is added to 2^52 by writing it into the last bits of that number.
                const BASE: f64 = 4_503_599_627_370_496.0;
                let sums = self | Self::splat(BASE.to_bits());
                // SAFETY: as above.
                unsafe {
                    let numbers = _mm256_sub_pd(_mm256_castsi256_pd(sums.0), _mm256_set1_pd(BASE));
                    let products = _mm256_mul_pd(numbers, _mm256_loadu_pd(by[..4].as_ptr()));
                    _mm256_storeu_pd(out[..4].as_mut_ptr(), products);
                    _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(products, _mm256_set1_pd(most))) as u32
                }
            }
        }
    }

    register! {
        /// Eight words in a register of AVX-512: F, BW and DQ.
        Avx512(__m512i) of 8 words;
        _mm512_set1_epi64, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_broadcast_i32x4, _mm512_mul_epu32, _mm512_shuffle_epi8;
        BitXor::bitxor = _mm512_xor_si512,
        BitAnd::bitand = _mm512_and_si512,
        BitOr::bitor = _mm512_or_si512,
        Add::add = _mm512_add_epi64,
        Mul::mul = _mm512_mullo_epi64;
        Shl::shl = _mm512_sll_epi64,
        Shr::shr = _mm512_srl_epi64;
        {
            #[inline(always)]
            fn majority(self, b: Self, c: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_ternarylogic_epi64(self.0, b.0, c.0, 0b1110_1000) })
            }
        }
        {
            type Mask = __mmask8;
            const ALL: u32 = 0xFF;

            #[inline(always)]
            fn less(self, other: Self) -> __mmask8 {
                // SAFETY: as above.
                unsafe { _mm512_cmplt_epu64_mask(self.0, other.0) }
            }

            #[inline(always)]
            fn or(self, other: Self, chosen: __mmask8) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_mask_mov_epi64(self.0, chosen, other.0) })
            }

            #[inline(always)]
            fn bits(chosen: __mmask8) -> u32 {
                u32::from(chosen)
            }

            #[inline(always)]
            fn scaled(self, by: &[f64], most: f64, out: &mut [f64]) -> u32 {
                // SAFETY: as above.
                unsafe {
                    let products = _mm512_mul_pd(_mm512_cvtepu64_pd(self.0), _mm512_loadu_pd(by[..8].as_ptr()));
                    _mm512_storeu_pd(out[..8].as_mut_ptr(), products);
                    u32::from(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(products, _mm512_set1_pd(most)))
                }
            }
        }
    }

    impl Mul for Avx2 {
        type Output = Self;

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            let across = (self >> 32).mul_halves(other) + self.mul_halves(other >> 32);
            self.mul_halves(other) + (across << 32)
        }
    }

    /// [`Lanes::folded`] from four products of 32 by 32 bits.
    #[inline(always)]
    fn folded<R: Register>(x: R, y: R) -> R {
        let low_half = R::splat(0xFFFF_FFFF);
        let (x_high, y_high) = (x >> 32, y >> 32);
        let least = x.mul_halves(y);
        let outer = x_high.mul_halves(y) + (least >> 32);
        let inner = x.mul_halves(y_high) + (outer & low_half);
        let high = x_high.mul_halves(y_high) + (outer >> 32) + (inner >> 32);
        ((inner << 32) | (least & low_half)) ^ high
    }

    /// The bytes of each word in reverse order, for [`Register::pick`].
    const SWAP: [u8; 64] = {
        let mut places = [0; 64];
        let mut at = 0;
        while at < 64 {
            places[at as usize] = (at % 16) ^ 7;
            at += 1;
        }
        places
    };
}
