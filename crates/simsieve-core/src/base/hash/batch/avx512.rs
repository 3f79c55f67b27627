//! Hashing windows by AVX-512, eight at a time: a byte permutation spreads the text over eight lanes, and the closed
//! forms of XXH3-64 run in all of them.

use std::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm256_loadu_si256, _mm512_add_epi8, _mm512_add_epi64, _mm512_and_si512,
    _mm512_broadcast_i32x4, _mm512_cmpgt_epu64_mask, _mm512_cmplt_epu64_mask, _mm512_cvtepu32_epi64,
    _mm512_loadu_si512, _mm512_mask_mov_epi64, _mm512_maskz_permutexvar_epi8, _mm512_mul_epu32, _mm512_mullo_epi64,
    _mm512_or_si512, _mm512_permutexvar_epi8, _mm512_rol_epi64, _mm512_set1_epi64, _mm512_shuffle_epi8,
    _mm512_slli_epi64, _mm512_srli_epi64, _mm512_srlv_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
    _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use crate::base::simd::load;

use super::portable::{self, hash_bytes, hash_one};
use crate::base::hash::{
    FLIP_1_TO_3, FLIP_4_TO_8, FLIPS_9_TO_16, FLIPS_17_TO_32, PRIME_64_1, PRIME_64_2, PRIME_64_3, PRIME_MX_1,
    PRIME_MX_2, Place,
};

/// The byte's number in its lane of eight.
const IOTA: [u8; 64] = bytes(7, 0, 0);
/// For the shuffle, which goes within 16 bytes: the lane's first byte in all bytes of the lane.
const FIRST: [u8; 64] = bytes(0, 8, 0);
/// For the shuffle: the bytes of a lane in reverse order.
const SWAP: [u8; 64] = bytes(7, 8, 7);
/// Bytes 0, 2 and 3 of each lane: where the form for 1 to 3 bytes puts its characters.
const TINY: u64 = 0x0D0D_0D0D_0D0D_0D0D;

/// Byte `i` is the bits of `i` in `low` turned by `flip`, with those in `high`.
const fn bytes(low: u8, high: u8, flip: u8) -> [u8; 64] {
    let mut out = [0; 64];
    let mut i = 0;
    while i < 64 {
        out[i as usize] = (i & low) ^ flip | i & high;
        i += 1;
    }
    out
}

/// Windows of 1 to 8 bytes, one at each byte of `padded`, which has 16 bytes after the start of the last window.
///
/// # Safety
/// The machine has AVX-512 F, BW, DQ and VBMI.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi")]
pub(super) unsafe fn hash_ascii(padded: &[u8], size: usize, hashes: &mut [u64]) {
    assert!((1..=8).contains(&size) && padded.len() >= hashes.len() + 16);
    let n = size as u8;
    let length = splat(size as u64);
    // Lane `k` takes its window's bytes from `k` on.
    let spread: [u8; 64] = std::array::from_fn(|i| {
        let (lane, byte) = (i as u8 / 8, i as u8 % 8);
        lane + match (size, byte) {
            (4.., 0..4) => n - 4 + byte,
            (4.., _) => byte - 4,
            (_, 0) => n - 1,
            (_, 3) => n >> 1,
            _ => 0,
        }
    });
    let spread = load(&spread);
    let whole = hashes.len() / 8 * 8;
    for at in (0..whole).step_by(8) {
        // SAFETY: `padded` is 16 bytes longer than there are windows; the load asks for no alignment.
        let text = _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(padded.as_ptr().add(at).cast()) });
        let hashed = if size < 4 {
            tiny(_mm512_maskz_permutexvar_epi8(TINY, spread, text), length)
        } else {
            short(_mm512_permutexvar_epi8(spread, text), length)
        };
        store(&mut hashes[at..at + 8], hashed);
    }
    portable::hash_ascii(&padded[whole..], size, &mut hashes[whole..]);
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
            hashed = long(head, tail, length);
        }
        if is_long != 0xFF {
            let x = short(
                _mm512_or_si512(_mm512_slli_epi64(head, 32), _mm512_srli_epi64(tail, 32)),
                length,
            );
            hashed = _mm512_mask_mov_epi64(hashed, !is_long, x);
            let is_tiny = _mm512_cmplt_epu64_mask(length, splat(4));
            if is_tiny != 0 {
                let middle = _mm512_add_epi64(begin, _mm512_srli_epi64(length, 1));
                let last = _mm512_sub_epi64(end, splat(1));
                let spread = _mm512_or_si512(
                    last,
                    _mm512_or_si512(_mm512_slli_epi64(begin, 16), _mm512_slli_epi64(middle, 24)),
                );
                let x = tiny(_mm512_maskz_permutexvar_epi8(TINY, spread, text), length);
                hashed = _mm512_mask_mov_epi64(hashed, is_tiny, x);
            }
        }
        store(out, hashed);
    }
    for (out, &mark) in outs.into_remainder().iter_mut().zip(rest) {
        *out = hash_one(padded, mark);
    }
}

/// Features that are gathered before they are hashed.
const GATHERED: usize = 64;

/// The hash of the bytes at each place in `text`.
///
/// Word lengths are nearly random, so every lane computes all forms up to 16 bytes, without a branch.
///
/// # Safety
/// The machine has AVX-512 F, BW and DQ.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
pub(super) unsafe fn hash_places(text: &[u8], places: &[Place], hashes: &mut [u64]) {
    // The first 16 bytes and the last 16 of each feature, and its length.
    let mut words = [[0; GATHERED]; 4];
    let mut lengths = [0; GATHERED];
    for (places, hashes) in places.chunks(GATHERED).zip(hashes.chunks_mut(GATHERED)) {
        let mut apart = 0_u64;
        for (i, &(begin, end)) in places.iter().enumerate() {
            let length = end - begin;
            lengths[i] = length as u64;
            if end < 16 || begin + 16 > text.len() || !(1..=32).contains(&length) {
                apart |= 1 << i;
                continue;
            }
            let (head, tail) = (&text[begin..begin + 16], &text[end - 16..end]);
            let ([first, second], [third, fourth]) = (two_words(head), two_words(tail));
            (words[0][i], words[1][i], words[2][i], words[3][i]) = (first, second, third, fourth);
        }
        for at in (0..places.len()).step_by(8) {
            let [first, second, third, fourth] = [0, 1, 2, 3].map(|k| eight(&words[k], at));
            let length = eight(&lengths, at);
            let middle = _mm512_srlv_epi64(first, _mm512_slli_epi64(_mm512_srli_epi64(length, 1), 3));
            let byte = splat(0xFF);
            let few = _mm512_or_si512(
                _mm512_srli_epi64(fourth, 56),
                _mm512_or_si512(
                    _mm512_slli_epi64(_mm512_and_si512(first, byte), 16),
                    _mm512_slli_epi64(_mm512_and_si512(middle, byte), 24),
                ),
            );
            let ends = _mm512_or_si512(_mm512_slli_epi64(first, 32), _mm512_srli_epi64(fourth, 32));
            let is_tiny = _mm512_cmplt_epu64_mask(length, splat(4));
            let mut hashed = _mm512_mask_mov_epi64(short(ends, length), is_tiny, tiny(few, length));
            let is_long = _mm512_cmpgt_epu64_mask(length, splat(8));
            hashed = _mm512_mask_mov_epi64(hashed, is_long, long(first, fourth, length));
            let is_longer = _mm512_cmpgt_epu64_mask(length, splat(16));
            if is_longer != 0 {
                let x = longer([first, second, third, fourth], length);
                hashed = _mm512_mask_mov_epi64(hashed, is_longer, x);
            }
            if let Some(out) = hashes.get_mut(at..at + 8) {
                store(out, hashed);
            } else {
                let mut last = [0; 8];
                store(&mut last, hashed);
                let out = &mut hashes[at..];
                out.copy_from_slice(&last[..out.len()]);
            }
        }
        while apart != 0 {
            let i = apart.trailing_zeros() as usize;
            hashes[i] = hash_bytes(&text[places[i].0..places[i].1]);
            apart &= apart - 1;
        }
    }
}

#[inline]
fn two_words(bytes: &[u8]) -> [u64; 2] {
    let (words, _) = bytes.as_chunks::<8>();
    [words[0], words[1]].map(u64::from_le_bytes)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn eight(words: &[u64; GATHERED], at: usize) -> __m512i {
    let place = &words[at..at + 8];
    // SAFETY: 64 bytes are there, and the load asks for no alignment.
    unsafe { _mm512_loadu_si512(place.as_ptr().cast()) }
}

/// [`crate::base::hash::xxh3_64_1_to_3`] in eight lanes that hold the bytes in their places.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn tiny(bytes: __m512i, length: __m512i) -> __m512i {
    let x = _mm512_ternarylogic_epi64(bytes, _mm512_slli_epi64(length, 8), splat(FLIP_1_TO_3), XOR_3);
    let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 33)), splat(PRIME_64_2));
    let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 29)), splat(PRIME_64_3));
    _mm512_xor_si512(x, _mm512_srli_epi64(x, 32))
}

/// [`crate::base::hash::xxh3_64_4_to_8`] in eight lanes: the first four bytes above the last four.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn short(bytes: __m512i, length: __m512i) -> __m512i {
    let x = _mm512_xor_si512(bytes, splat(FLIP_4_TO_8));
    let x = _mm512_ternarylogic_epi64(x, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24), XOR_3);
    let x = _mm512_mullo_epi64(x, splat(PRIME_MX_2));
    let x = _mm512_xor_si512(x, _mm512_add_epi64(_mm512_srli_epi64(x, 35), length));
    let x = _mm512_mullo_epi64(x, splat(PRIME_MX_2));
    _mm512_xor_si512(x, _mm512_srli_epi64(x, 28))
}

/// [`crate::base::hash::xxh3_64_9_to_16`] in eight lanes: the first eight bytes and the last eight.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn long(head: __m512i, tail: __m512i, length: __m512i) -> __m512i {
    let a = _mm512_xor_si512(head, splat(FLIPS_9_TO_16[0]));
    let b = _mm512_xor_si512(tail, splat(FLIPS_9_TO_16[1]));
    let swapped = _mm512_shuffle_epi8(a, load(&SWAP));
    let x = _mm512_add_epi64(_mm512_add_epi64(length, swapped), _mm512_add_epi64(b, folded(a, b)));
    finished(x)
}

/// [`crate::base::hash::xxh3_64_17_to_32`] in eight lanes: the first 16 bytes and the last 16.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn longer(words: [__m512i; 4], length: __m512i) -> __m512i {
    let [a, b, c, d] = words;
    let flip = |x: __m512i, k: usize| _mm512_xor_si512(x, splat(FLIPS_17_TO_32[k]));
    let head = folded(flip(a, 0), flip(b, 1));
    let tail = folded(flip(c, 2), flip(d, 3));
    let begin = _mm512_mullo_epi64(length, splat(PRIME_64_1));
    finished(_mm512_add_epi64(begin, _mm512_add_epi64(head, tail)))
}

/// The finaliser of the forms for more than 8 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn finished(x: __m512i) -> __m512i {
    let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 37)), splat(PRIME_MX_1));
    _mm512_xor_si512(x, _mm512_srli_epi64(x, 32))
}

/// The halves of the product of 128 bits, one xored with the other.
#[inline]
#[target_feature(enable = "avx512f")]
fn folded(a: __m512i, b: __m512i) -> __m512i {
    let low_half = splat(0xFFFF_FFFF);
    // The whole product of 128 bits, from four of 32 by 32 bits.
    let (a_high, b_high) = (_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));
    let least = _mm512_mul_epu32(a, b);
    let outer = _mm512_add_epi64(_mm512_mul_epu32(a_high, b), _mm512_srli_epi64(least, 32));
    let inner = _mm512_add_epi64(_mm512_mul_epu32(a, b_high), _mm512_and_si512(outer, low_half));
    let high = _mm512_add_epi64(
        _mm512_add_epi64(_mm512_mul_epu32(a_high, b_high), _mm512_srli_epi64(outer, 32)),
        _mm512_srli_epi64(inner, 32),
    );
    let low = _mm512_or_si512(_mm512_slli_epi64(inner, 32), _mm512_and_si512(least, low_half));
    _mm512_xor_si512(low, high)
}

/// The table of a xor of three for the ternary logic instruction.
const XOR_3: i32 = 0x96;

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(value: u64) -> __m512i {
    _mm512_set1_epi64(value as i64)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(out: &mut [u64], lanes: __m512i) {
    assert!(out.len() >= 8);
    // SAFETY: 64 bytes are there, and the store asks for no alignment.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), lanes) }
}
