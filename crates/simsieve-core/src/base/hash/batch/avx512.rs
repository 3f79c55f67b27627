//! Hashing windows by AVX-512, eight at a time: a byte permutation spreads the text over eight lanes.

use std::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm512_add_epi8, _mm512_add_epi64, _mm512_and_si512, _mm512_cmpgt_epu64_mask,
    _mm512_cmplt_epu64_mask, _mm512_cvtepu32_epi64, _mm512_mask_mov_epi64, _mm512_maskz_permutexvar_epi8,
    _mm512_or_si512, _mm512_permutexvar_epi8, _mm512_set1_epi64, _mm512_shuffle_epi8, _mm512_slli_epi64,
    _mm512_srli_epi64, _mm512_sub_epi64,
};

use super::portable::{self, hash_one};
use crate::base::hash::forms::{of_1_to_3, of_4_to_8, of_9_to_16};
use crate::base::lanes::{Avx512, Lanes};
use crate::base::simd::load;

/// The byte's number in its lane of eight.
const IOTA: [u8; 64] = bits_of_places(7);
/// For the shuffle, which goes within 16 bytes: the lane's first byte in all bytes of the lane.
const FIRST: [u8; 64] = bits_of_places(8);
/// Bytes 0, 2 and 3 of each lane: where the form for 1 to 3 bytes puts its characters.
const TINY: u64 = 0x0D0D_0D0D_0D0D_0D0D;

/// Byte `i` is the bits of `i` in `mask`.
const fn bits_of_places(mask: u8) -> [u8; 64] {
    let mut out = [0; 64];
    let mut i = 0;
    while i < 64 {
        out[i as usize] = i & mask;
        i += 1;
    }
    out
}

/// The windows of the marks; `padded` has 64 bytes after the start of the last one.
///
/// # Safety
/// The machine has AVX-512 F, BW, DQ and VBMI.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi")]
pub(super) unsafe fn hash_marked(padded: &[u8], marks: &[u32], hashes: &mut [u64]) {
    let (iota, first, half) = (load(&IOTA), load(&FIRST), splat(0xFFFF));
    let chunks = marks.chunks_exact(8);
    let mut outs = hashes.chunks_exact_mut(8);
    let rest = chunks.remainder();
    for (marks, out) in chunks.zip(&mut outs) {
        let base = (marks[0] & 0xFFFF) as usize;
        // SAFETY: a chunk is 8 marks, 32 bytes; the load asks for no alignment.
        let marked = _mm512_cvtepu32_epi64(unsafe { _mm256_loadu_si256(marks.as_ptr().cast()) });
        let begin = _mm512_sub_epi64(_mm512_and_si512(marked, half), splat(base as u64));
        let end = _mm512_sub_epi64(_mm512_srli_epi64(marked, 16), splat(base as u64));
        let length = _mm512_sub_epi64(end, begin);
        // Windows begin at most 7 characters of 4 bytes after the first: their 16 bytes are among the 64.
        if _mm512_cmpgt_epu64_mask(length, splat(16)) != 0 {
            portable::hash_marked(padded, marks, out);
            continue;
        }
        let text = load(&padded[base..base + 64]);
        let head = _mm512_add_epi8(_mm512_shuffle_epi8(begin, first), iota);
        let head = _mm512_permutexvar_epi8(head, text);
        // The eight bytes that end with the window; bytes before the text are arbitrary and are not used.
        let back = _mm512_sub_epi64(end, splat(8));
        let tail = _mm512_add_epi8(_mm512_shuffle_epi8(back, first), iota);
        let tail = _mm512_permutexvar_epi8(tail, text);
        let is_long = _mm512_cmpgt_epu64_mask(length, splat(8));
        let mut hashed = head;
        if is_long != 0 {
            hashed = of_9_to_16(Avx512(head), Avx512(tail), Avx512(length)).0;
        }
        if is_long != 0xFF {
            let ends = _mm512_or_si512(_mm512_slli_epi64(head, 32), _mm512_srli_epi64(tail, 32));
            let x = of_4_to_8(Avx512(ends), Avx512(length)).0;
            hashed = _mm512_mask_mov_epi64(hashed, !is_long, x);
            let is_tiny = _mm512_cmplt_epu64_mask(length, splat(4));
            if is_tiny != 0 {
                let middle = _mm512_add_epi64(begin, _mm512_srli_epi64(length, 1));
                let last = _mm512_sub_epi64(end, splat(1));
                let spread = _mm512_or_si512(
                    last,
                    _mm512_or_si512(_mm512_slli_epi64(begin, 16), _mm512_slli_epi64(middle, 24)),
                );
                let bytes = _mm512_maskz_permutexvar_epi8(TINY, spread, text);
                let x = of_1_to_3(Avx512(bytes), Avx512(length)).0;
                hashed = _mm512_mask_mov_epi64(hashed, is_tiny, x);
            }
        }
        Avx512(hashed).store(out);
    }
    for (out, &mark) in outs.into_remainder().iter_mut().zip(rest) {
        *out = hash_one(padded, mark);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(value: u64) -> __m512i {
    _mm512_set1_epi64(value as i64)
}
