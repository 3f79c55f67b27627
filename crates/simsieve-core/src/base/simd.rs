//! Helpers shared by the vector kernels.

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_shuffle_epi8, _mm_unpackhi_epi64,
    _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm512_loadu_si512,
};

/// The first 64 of `bytes` as a vector.
///
/// # Panics
/// Where there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load(bytes: &[u8]) -> __m512i {
    assert!(bytes.len() >= 64, "a whole vector");
    // SAFETY: 64 bytes are there, and the load asks for no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// 32 bytes as a vector.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load_32(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are there, and the load asks for no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// A set of ASCII characters: bit `h` of byte `l`, in both halves, means the character `16 h + l`.
pub(crate) struct AsciiSet([u8; 32]);

impl AsciiSet {
    /// The characters that satisfy a condition.
    pub(crate) fn new(fits: impl Fn(u8) -> bool) -> Self {
        Self(std::array::from_fn(|low| {
            (0..8)
                .map(|high| u8::from(fits((high << 4) | (low as u8 % 16))) << high)
                .sum()
        }))
    }

    /// All ones in the bytes that are in the set, zeros in others, such as those beyond ASCII.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn has(&self, vector: __m256i) -> __m256i {
        // The shuffle looks up the low nibble of a byte, and gives zero beyond ASCII.
        let low = _mm256_shuffle_epi8(load_32(&self.0), vector);
        let high = _mm256_and_si256(_mm256_srli_epi16(vector, 4), _mm256_set1_epi8(0xF));
        let bit = _mm256_shuffle_epi8(load_32(&BITS), high);
        _mm256_cmpeq_epi8(_mm256_and_si256(low, bit), bit)
    }
}

/// Bit `i` at byte `i` of both halves; beyond ASCII, bits that no entry has.
pub(crate) const BITS: [u8; 32] = {
    let mut bits = [0xFF; 32];
    let mut i = 0;
    while i < 8 {
        bits[i] = 1 << i;
        bits[i + 16] = 1 << i;
        i += 1;
    }
    bits
};

/// The highest bit of each byte.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn mask(vector: __m256i) -> u32 {
    _mm256_movemask_epi8(vector) as u32
}

/// For the shuffle of eight bytes: the numbers of the mask's bits, in order.
pub(crate) static PICKED: [u64; 256] = {
    let mut out = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut place) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                out[mask] |= bit << (8 * place);
                place += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    out
};

/// Writes the bytes whose bits are in `kept` from `at` on, without gaps, and arbitrary bytes in up to eight places
/// after them. Returns their end.
///
/// # Panics
/// If `out` has no space for eight bytes more than are kept.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(crate) fn compress_32(vector: __m256i, kept: u32, out: &mut [u8], mut at: usize) -> usize {
    let halves = [_mm256_castsi256_si128(vector), _mm256_extracti128_si256(vector, 1)];
    for (half, kept) in halves.into_iter().zip([kept as u16, (kept >> 16) as u16]) {
        for (eight, kept) in eights(half, kept).into_iter().zip([kept & 0xFF, kept >> 8]) {
            out[at..at + 8].copy_from_slice(&eight.to_le_bytes());
            at += kept.count_ones() as usize;
        }
    }
    at
}

/// Each eight bytes with those kept in front.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn eights(half: __m128i, kept: u16) -> [u64; 2] {
    let (low, high) = (PICKED[usize::from(kept & 0xFF)], PICKED[usize::from(kept >> 8)]);
    let high = high + 0x0808_0808_0808_0808;
    let picked = _mm_shuffle_epi8(half, _mm_set_epi64x(high as i64, low as i64));
    let upper = _mm_unpackhi_epi64(picked, picked);
    [_mm_cvtsi128_si64(picked) as u64, _mm_cvtsi128_si64(upper) as u64]
}
