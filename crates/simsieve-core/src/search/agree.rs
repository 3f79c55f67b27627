//! How two sketches agree, byte by byte.

use crate::kernel::Kernel;

/// One bit a byte: set where the bytes are equal. Sketches are whole blocks of 64 bytes, a word each.
///
/// # Panics
/// Where the sketches differ in length or `out` has not a word for every 64 bytes.
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

/// In how many bytes two sketches of whole blocks agree.
pub fn agreement(kernel: Kernel, a: &[u8], b: &[u8]) -> u32 {
    let blocks = a.as_chunks::<64>().0.iter().zip(b.as_chunks::<64>().0);
    blocks.map(|(a, b)| block_mask(kernel, a, b).count_ones()).sum()
}

/// One bit a byte: set where the bytes of two blocks are equal.
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
    use crate::simd::{load_32, mask};
    use std::arch::x86_64::_mm256_cmpeq_epi8;
    let ((a, _), (b, _)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let low = mask(_mm256_cmpeq_epi8(load_32(&a[0]), load_32(&b[0])));
    let high = mask(_mm256_cmpeq_epi8(load_32(&a[1]), load_32(&b[1])));
    u64::from(low) | u64::from(high) << 32
}

/// Adds to `out` which of `others` agree with `block` in at least `least` bytes.
pub fn blocks_that_agree(kernel: Kernel, block: &[u8; 64], others: &[[u8; 64]], least: u32, out: &mut Vec<u32>) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { blocks_that_agree_avx512(block, others, least, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { blocks_that_agree_avx2(block, others, least, out) },
        _ => {
            for (at, other) in others.iter().enumerate() {
                if block_mask_portable(block, other).count_ones() >= least {
                    out.push(at as u32);
                }
            }
        }
    }
}

/// One loop under the features, so that the block stays in its register and nothing is called.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
fn blocks_that_agree_avx512(block: &[u8; 64], others: &[[u8; 64]], least: u32, out: &mut Vec<u32>) {
    for (at, other) in others.iter().enumerate() {
        if block_mask_avx512(block, other).count_ones() >= least {
            out.push(at as u32);
        }
    }
}

/// [`blocks_that_agree_avx512`] by halves.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn blocks_that_agree_avx2(block: &[u8; 64], others: &[[u8; 64]], least: u32, out: &mut Vec<u32>) {
    for (at, other) in others.iter().enumerate() {
        if block_mask_avx2(block, other).count_ones() >= least {
            out.push(at as u32);
        }
    }
}

/// Words that the lower halves of a sketch of so many bytes take.
pub const fn words_of_halves(bytes: usize) -> usize {
    bytes / 16
}

/// Adds the lower halves of a sketch's bytes to `out`, two to a byte: half the room, and what agrees in a byte agrees in
/// its half.
pub fn push_halves(sketch: &[u8], out: &mut Vec<u64>) {
    const LOW: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    for pair in sketch.as_chunks::<16>().0 {
        let (low, high) = pair.split_at(8);
        let [low, high] = [low, high].map(|eight| u64::from_le_bytes(*eight.first_chunk().expect("eight bytes")));
        out.push(low & LOW | (high & LOW) << 4);
    }
}

/// Leaves in `found` which of `others`, halves of sketches side by side, agree with `own` in at least `least` of them.
pub fn keep_agreeing_halves(kernel: Kernel, own: &[u64], others: &[u64], least: u32, found: &mut Vec<u32>) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { keep_agreeing_halves_avx512(own, others, least, found) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { keep_agreeing_halves_avx2(own, others, least, found) },
        _ => keep_agreeing_halves_portable(own, others, least, found),
    }
}

#[inline]
fn keep_agreeing_halves_portable(own: &[u64], others: &[u64], least: u32, found: &mut Vec<u32>) {
    const LOWEST: u64 = 0x1111_1111_1111_1111;
    let Some(most) = (own.len() as u32 * 16).checked_sub(least) else {
        found.clear();
        return;
    };
    // They lie anywhere: with nothing in between that waits for one, many are fetched at once.
    let ends = found.iter().map(|&at| {
        let other = &others[at as usize * own.len()..][..own.len()];
        other.first().copied().unwrap_or(0) ^ other.last().copied().unwrap_or(0)
    });
    std::hint::black_box(ends.fold(0, std::ops::BitXor::bitxor));
    found.retain(|&at| {
        let other = &others[at as usize * own.len()..][..own.len()];
        let differing: u32 = own
            .iter()
            .zip(other)
            .map(|(own, other)| {
                let bits = own ^ other;
                let pairs = bits | bits >> 1;
                ((pairs | pairs >> 2) & LOWEST).count_ones()
            })
            .sum();
        differing <= most
    });
}

/// The same loop under the features that make eight words' bits be counted at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt")]
fn keep_agreeing_halves_avx512(own: &[u64], others: &[u64], least: u32, found: &mut Vec<u32>) {
    keep_agreeing_halves_portable(own, others, least, found);
}

/// [`keep_agreeing_halves_avx512`] with a word at a time, or as the compiler will.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn keep_agreeing_halves_avx2(own: &[u64], others: &[u64], least: u32, found: &mut Vec<u32>) {
    keep_agreeing_halves_portable(own, others, least, found);
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
        fn halves_are_kept_that_agree(
            own in proptest::collection::vec(0..3_u8, 192),
            others in proptest::collection::vec(proptest::collection::vec(0..3_u8, 192), 0..6),
            shift in 0..5_u8,
            least in 0..200_u32,
        ) {
            // With a shift of 4 and more the lower halves agree where the bytes do not.
            let shifted = |bytes: &[u8]| bytes.iter().map(|byte| byte << shift).collect::<Vec<u8>>();
            let (own, others) = (shifted(&own), others.iter().map(|other| shifted(other)).collect::<Vec<_>>());
            let agree = |other: &[u8]| own.iter().zip(other).filter(|(a, b)| *a & 15 == *b & 15).count();
            let expected: Vec<u32> = (0..others.len() as u32)
                .filter(|&at| agree(&others[at as usize]) >= least as usize)
                .collect();
            let (mut own_halves, mut halves) = (Vec::new(), Vec::new());
            push_halves(&own, &mut own_halves);
            for other in &others {
                push_halves(other, &mut halves);
            }
            prop_assert_eq!(own_halves.len(), words_of_halves(own.len()));
            for kernel in Kernel::available() {
                let mut found: Vec<u32> = (0..others.len() as u32).collect();
                keep_agreeing_halves(kernel, &own_halves, &halves, least, &mut found);
                prop_assert_eq!(&found, &expected, "{:?}", kernel);
            }
        }

        #[test]
        fn every_kernel_marks_the_equal_bytes(a in proptest::collection::vec(0..4_u8, 128), b in proptest::collection::vec(0..4_u8, 128)) {
            for kernel in Kernel::available() {
                let mut mask = [0; 2];
                agreement_mask(kernel, &a, &b, &mut mask);
                let block = |bytes: &[u8]| *bytes.first_chunk::<64>().unwrap();
                let others = [block(&b), block(&a), block(&b[64..])];
                for least in [0, 10, 16, 64] {
                    let agree = |other: &[u8; 64]| (0..64).filter(|&at| a[at] == other[at]).count() >= least as usize;
                    let expected: Vec<u32> = (0..3).filter(|&at| agree(&others[at as usize])).collect();
                    let mut found = Vec::new();
                    blocks_that_agree(kernel, &block(&a), &others, least, &mut found);
                    prop_assert_eq!(found, expected, "{:?}", kernel);
                }
                let agreeing = (0..128).filter(|&byte| a[byte] == b[byte]).count();
                prop_assert_eq!(agreement(kernel, &a, &b), agreeing as u32, "{:?}", kernel);
                for byte in 0..128 {
                    prop_assert_eq!(all_set(&mask, byte, 1), a[byte] == b[byte], "{:?} byte {}", kernel, byte);
                }
            }
        }
    }
}
