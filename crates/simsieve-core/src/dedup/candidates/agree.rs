//! The agreement of two sketches, byte by byte.

use crate::base::kernel::Kernel;

/// One bit a byte: set if the bytes are equal. Sketches are whole blocks of 64 bytes, a word each.
///
/// # Panics
/// If the sketches differ in length or `out` has not one word for every 64 bytes.
pub fn agreement_mask(kernel: Kernel, a: &[u8], b: &[u8], out: &mut [u64]) {
    assert!(
        a.len() == b.len() && out.len() * 64 == a.len(),
        "whole blocks of 64 bytes"
    );
    let (blocks_a, _) = a.as_chunks::<64>();
    let (blocks_b, _) = b.as_chunks::<64>();
    for ((a, b), out) in blocks_a.iter().zip(blocks_b).zip(out) {
        *out = block_mask(kernel, a, b);
    }
}

/// The number of equal bytes of two sketches of whole blocks.
pub fn agreement(kernel: Kernel, a: &[u8], b: &[u8]) -> u32 {
    let blocks = a.as_chunks::<64>().0.iter().zip(b.as_chunks::<64>().0);
    blocks.map(|(a, b)| block_mask(kernel, a, b).count_ones()).sum()
}

/// One bit a byte: set if the bytes of two blocks are equal.
#[inline]
pub fn block_mask(kernel: Kernel, a: &[u8; 64], b: &[u8; 64]) -> u64 {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { block_mask_avx512(a, b) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { block_mask_avx2(a, b) },
        _ => block_mask_portable(a, b),
    }
}

fn block_mask_portable(a: &[u8; 64], b: &[u8; 64]) -> u64 {
    (0..64).fold(0, |mask, byte| mask | u64::from(a[byte] == b[byte]) << byte)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn block_mask_avx512(a: &[u8; 64], b: &[u8; 64]) -> u64 {
    use std::arch::x86_64::{_mm512_cmpeq_epi8_mask, _mm512_loadu_si512};
    // SAFETY: both arrays are 64 readable bytes; the load asks for no alignment.
    unsafe {
        _mm512_cmpeq_epi8_mask(
            _mm512_loadu_si512(a.as_ptr().cast()),
            _mm512_loadu_si512(b.as_ptr().cast()),
        )
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn block_mask_avx2(a: &[u8; 64], b: &[u8; 64]) -> u64 {
    use crate::base::simd::{load_32, mask};
    use std::arch::x86_64::_mm256_cmpeq_epi8;
    let ((a, _), (b, _)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let low = mask(_mm256_cmpeq_epi8(load_32(&a[0]), load_32(&b[0])));
    let high = mask(_mm256_cmpeq_epi8(load_32(&a[1]), load_32(&b[1])));
    u64::from(low) | u64::from(high) << 32
}

/// Words of the lower nibbles of a sketch of this many bytes.
pub const fn nibble_words(bytes: usize) -> usize {
    bytes / 16
}

/// Adds the lower nibbles of a sketch's bytes to `out`, two to a byte. They take half the memory, and equal bytes have
/// equal nibbles.
pub fn push_nibbles(sketch: &[u8], out: &mut Vec<u64>) {
    const LOW: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    for pair in sketch.as_chunks::<16>().0 {
        let (low, high) = pair.split_at(8);
        let [low, high] = [low, high].map(|eight| u64::from_le_bytes(*eight.first_chunk().expect("eight bytes")));
        out.push(low & LOW | (high & LOW) << 4);
    }
}

/// Adds to `found` which of `others`, contiguous nibbles of sketches, agree with `own` in enough nibbles of the first
/// 64 bytes and in enough of all. Most fail the first test.
///
/// # Panics
/// If `own` is not the nibbles of whole blocks of 64 bytes, four words each.
pub fn agreeing_nibbles(kernel: Kernel, own: &[u64], others: &[u64], least: [u32; 2], found: &mut Vec<u32>) {
    assert!(
        !own.is_empty() && own.len().is_multiple_of(4),
        "nibbles of whole blocks of 64 bytes"
    );
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { agreeing_nibbles_avx512(own, others, least, found) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { agreeing_nibbles_avx2(own, others, least, found) },
        _ => agreeing_nibbles_by(own, others, least, found, nibble_agreement),
    }
}

/// One loop compiled with the features, so nothing is called.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
fn agreeing_nibbles_avx512(own: &[u64], others: &[u64], least: [u32; 2], found: &mut Vec<u32>) {
    agreeing_nibbles_by(own, others, least, found, |own, other| {
        nibble_agreement_avx512(own, other)
    });
}

/// [`agreeing_nibbles_avx512`] with the other kernel.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn agreeing_nibbles_avx2(own: &[u64], others: &[u64], least: [u32; 2], found: &mut Vec<u32>) {
    agreeing_nibbles_by(own, others, least, found, |own, other| {
        nibble_agreement_avx2(own, other)
    });
}

/// Compares the first blocks of 64 sketches without a branch, then the rest of those that agree: a branch for each
/// would be mispredicted if half of them agree.
#[expect(clippy::inline_always, reason = "the features are the caller's")]
#[inline(always)]
fn agreeing_nibbles_by(
    own: &[u64],
    others: &[u64],
    [least_first, least]: [u32; 2],
    found: &mut Vec<u32>,
    agreement: impl Fn(&[u64], &[u64]) -> u32,
) {
    for (start, some) in (0..).step_by(64).zip(others.chunks(64 * own.len())) {
        let mut may = 0_u64;
        for (at, other) in some.chunks_exact(own.len()).enumerate() {
            may |= u64::from(agreement(&own[..4], &other[..4]) >= least_first) << at;
        }
        while may != 0 {
            let at = may.trailing_zeros();
            may &= may - 1;
            if agreement(own, &some[at as usize * own.len()..][..own.len()]) >= least {
                found.push(start + at);
            }
        }
    }
}

/// Keeps in `found` those of `others`, laid out as for [`agreeing_nibbles`], that agree with `own` in at least `least`
/// nibbles.
pub fn keep_agreeing_nibbles(kernel: Kernel, own: &[u64], others: &[u64], least: u32, found: &mut Vec<u32>) {
    // They are scattered in memory: a loop without dependencies fetches many at once.
    let ends = found.iter().map(|&at| {
        let other = &others[at as usize * own.len()..][..own.len()];
        other.first().copied().unwrap_or(0) ^ other.last().copied().unwrap_or(0)
    });
    std::hint::black_box(ends.fold(0, std::ops::BitXor::bitxor));
    found.retain(|&at| {
        let other = &others[at as usize * own.len()..][..own.len()];
        let agreement = match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
            Kernel::Avx512 => unsafe { nibble_agreement_avx512(own, other) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { nibble_agreement_avx2(own, other) },
            _ => nibble_agreement(own, other),
        };
        agreement >= least
    });
}

/// The number of equal nibbles, 16 in a word.
fn nibble_agreement(own: &[u64], other: &[u64]) -> u32 {
    const LOWEST: u64 = 0x1111_1111_1111_1111;
    let words = own.iter().zip(other).map(|(own, other)| {
        let bits = own ^ other;
        let pairs = bits | bits >> 1;
        16 - ((pairs | pairs >> 2) & LOWEST).count_ones()
    });
    words.sum()
}

/// Four words, nibbles of 64 bytes, at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
#[inline]
fn nibble_agreement_avx512(own: &[u64], other: &[u64]) -> u32 {
    use crate::base::simd::load_words;
    use std::arch::x86_64::{_mm256_set1_epi8, _mm256_testn_epi8_mask, _mm256_xor_si256};
    let mut agreement = 0;
    for (own, other) in own.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0) {
        let bits = _mm256_xor_si256(load_words(own), load_words(other));
        agreement += _mm256_testn_epi8_mask(bits, _mm256_set1_epi8(0x0F)).count_ones()
            + _mm256_testn_epi8_mask(bits, _mm256_set1_epi8(0xF0_u8 as i8)).count_ones();
    }
    agreement
}

/// As [`nibble_agreement_avx512`]; the counts are in bytes, which do not overflow at the greatest sketch.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn nibble_agreement_avx2(own: &[u64], other: &[u64]) -> u32 {
    use crate::base::simd::load_words;
    use std::arch::x86_64::{
        _mm_add_epi64, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm256_and_si256, _mm256_andnot_si256,
        _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_extracti128_si256, _mm256_sad_epu8, _mm256_set1_epi8,
        _mm256_setzero_si256, _mm256_sub_epi8, _mm256_xor_si256,
    };
    const { assert!(crate::dedup::recipe::MAX_SKETCH / 32 < 256, "two a byte and block") };
    let (zero, low) = (_mm256_setzero_si256(), _mm256_set1_epi8(0x0F));
    let mut equal = zero;
    for (own, other) in own.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0) {
        let bits = _mm256_xor_si256(load_words(own), load_words(other));
        equal = _mm256_sub_epi8(equal, _mm256_cmpeq_epi8(_mm256_and_si256(bits, low), zero));
        equal = _mm256_sub_epi8(equal, _mm256_cmpeq_epi8(_mm256_andnot_si256(low, bits), zero));
    }
    let sums = _mm256_sad_epu8(equal, zero);
    let sums = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    _mm_cvtsi128_si64(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums))) as u32
}

/// Whether `count` bits from `start` on are all set.
#[inline]
pub fn all_set(mask: &[u64], start: usize, count: usize) -> bool {
    (start..start + count).all(|bit| mask[bit / 64] >> (bit % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nibbles_are_kept_that_agree(
            own in proptest::collection::vec(0..3_u8, 192),
            others in proptest::collection::vec(proptest::collection::vec(0..3_u8, 192), 0..6),
            shift in 0..5_u8,
            least in 0..200_u32,
        ) {
            // With a shift of 4 and more the lower nibbles agree although the bytes do not.
            let shifted = |bytes: &[u8]| bytes.iter().map(|byte| byte << shift).collect::<Vec<u8>>();
            let (own, others) = (shifted(&own), others.iter().map(|other| shifted(other)).collect::<Vec<_>>());
            let agree = |other: &[u8]| own.iter().zip(other).filter(|(a, b)| *a & 15 == *b & 15).count();
            let expected: Vec<u32> = (0..others.len() as u32)
                .filter(|&at| agree(&others[at as usize]) >= least as usize)
                .collect();
            let first = |other: &[u8]| (0..64).filter(|&at| own[at] & 15 == other[at] & 15).count();
            let also_first: Vec<u32> = expected
                .iter()
                .copied()
                .filter(|&at| first(&others[at as usize]) >= least as usize / 4)
                .collect();
            let (mut own_nibbles, mut nibbles) = (Vec::new(), Vec::new());
            push_nibbles(&own, &mut own_nibbles);
            for other in &others {
                push_nibbles(other, &mut nibbles);
            }
            prop_assert_eq!(own_nibbles.len(), nibble_words(own.len()));
            for kernel in Kernel::available() {
                let mut found: Vec<u32> = (0..others.len() as u32).collect();
                keep_agreeing_nibbles(kernel, &own_nibbles, &nibbles, least, &mut found);
                prop_assert_eq!(&found, &expected, "{:?}", kernel);
                found.clear();
                agreeing_nibbles(kernel, &own_nibbles, &nibbles, [least / 4, least], &mut found);
                prop_assert_eq!(&found, &also_first, "{:?}", kernel);
            }
        }

        #[test]
        fn every_kernel_marks_the_equal_bytes(a in proptest::collection::vec(0..4_u8, 128), b in proptest::collection::vec(0..4_u8, 128)) {
            for kernel in Kernel::available() {
                let mut mask = [0; 2];
                agreement_mask(kernel, &a, &b, &mut mask);
                let agreeing = (0..128).filter(|&byte| a[byte] == b[byte]).count();
                prop_assert_eq!(agreement(kernel, &a, &b), agreeing as u32, "{:?}", kernel);
                for byte in 0..128 {
                    prop_assert_eq!(all_set(&mask, byte, 1), a[byte] == b[byte], "{:?} byte {}", kernel, byte);
                }
            }
        }
    }
}
