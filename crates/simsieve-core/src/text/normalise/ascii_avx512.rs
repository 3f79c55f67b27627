//! The words of ASCII text by AVX-512, 64 bytes at a time: classes become a mask, and what is kept is compressed.

use std::arch::x86_64::{
    _mm512_mask_mov_epi8, _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8, _mm512_movepi8_mask,
    _mm512_permutex2var_epi8, _mm512_set1_epi8, _mm512_storeu_si512, _pext_u64,
};
use std::sync::LazyLock;

use super::table::IN_WORD;
use crate::base::hash::Place;
use crate::base::simd::load;
use crate::text::SLACK;

/// All bits set where an ASCII character belongs to a word.
static MASKS: LazyLock<[u8; 128]> = LazyLock::new(|| std::array::from_fn(|byte| if IN_WORD[byte] { 0xFF } else { 0 }));

/// See [`super::ascii`].
///
/// # Safety
/// The machine has AVX-512 F, BW, VBMI and VBMI2, BMI1, BMI2, LZCNT and POPCNT.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn take(bytes: &[u8], base: usize, out: &mut [u8], places: &mut Vec<Place>) -> usize {
    assert!(out.len() >= bytes.len() + SLACK, "room for all and a vector");
    let masks = [load(&MASKS[..64]), load(&MASKS[64..])];
    // A bit if a word was open at the end of the preceding vector.
    let (mut begin, mut len, mut at, mut open) = (0, 0, 0, 0);
    while at < bytes.len() {
        let left = bytes.len() - at;
        let valid = u64::MAX >> (64 - left.min(64));
        // SAFETY: a masked load reads no byte whose bit is clear, and bytes whose bit is set are in the text.
        let vector = unsafe { _mm512_maskz_loadu_epi8(valid, bytes.as_ptr().add(at).cast()) };
        let high = _mm512_movepi8_mask(vector);
        let limit = valid & high.wrapping_sub(1) & !high;
        let inside = limit & _mm512_movepi8_mask(_mm512_permutex2var_epi8(masks[0], vector, masks[1]));
        // The gap right after a word; the rest of it is not kept.
        let gap = limit & !inside & (inside << 1 | open);
        let kept = inside | gap;
        let spaced = _mm512_mask_mov_epi8(vector, gap, _mm512_set1_epi8(b' ' as i8));
        debug_assert!(len + 64 <= out.len());
        // SAFETY: no byte becomes two, so `len` is at most `at`, and there is room for a vector after all bytes.
        unsafe {
            _mm512_storeu_si512(
                out.as_mut_ptr().add(len).cast(),
                _mm512_maskz_compress_epi8(kept, spaced),
            );
        }
        let mut ends = _pext_u64(gap, kept);
        while ends != 0 {
            let end = len + ends.trailing_zeros() as usize;
            places.push((base + begin, base + end));
            begin = end + 1;
            ends &= ends - 1;
        }
        len += kept.count_ones() as usize;
        if high != 0 {
            // The open word is not all ASCII.
            return at + high.trailing_zeros() as usize - (len - begin);
        }
        open = inside >> 63;
        at += 64;
    }
    if len > begin {
        places.push((base + begin, base + len));
    }
    bytes.len()
}
