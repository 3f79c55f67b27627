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

/// One bit a byte: set where the bytes of two blocks are equal.
#[inline]
pub fn block_mask(kernel: Kernel, a: &[u8; 64], b: &[u8; 64]) -> u64 {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { block_mask_avx512(a, b) },
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
        fn every_kernel_marks_the_equal_bytes(a in proptest::collection::vec(0..4_u8, 128), b in proptest::collection::vec(0..4_u8, 128)) {
            for kernel in Kernel::available() {
                let mut mask = [0; 2];
                agreement_mask(kernel, &a, &b, &mut mask);
                for byte in 0..128 {
                    prop_assert_eq!(all_set(&mask, byte, 1), a[byte] == b[byte], "{:?} byte {}", kernel, byte);
                }
            }
        }
    }
}
