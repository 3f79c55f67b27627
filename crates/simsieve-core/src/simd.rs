//! What the AVX-512 kernels share.

use std::arch::x86_64::{__m512i, _mm512_loadu_si512};

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
