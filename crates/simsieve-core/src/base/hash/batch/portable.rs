//! Hashing windows in plain Rust.

use crate::base::hash::{xxh3_64, xxh3_64_1_to_3, xxh3_64_4_to_8, xxh3_64_9_to_16, xxh3_64_17_to_32};

/// See [`super::hash_ascii`].
pub(super) fn hash_ascii(padded: &[u8], size: usize, hashes: &mut [u64]) {
    // A loop for each form: the form is chosen once, not at every window.
    match size {
        1..=3 => each(padded, size, hashes, xxh3_64_1_to_3),
        4..=8 => each(padded, size, hashes, xxh3_64_4_to_8),
        9..=16 => each(padded, size, hashes, xxh3_64_9_to_16),
        _ => each(padded, size, hashes, xxh3_64),
    }
}

#[inline]
fn each(padded: &[u8], size: usize, hashes: &mut [u64], hash: impl Fn(&[u8]) -> u64) {
    for (out, window) in hashes.iter_mut().zip(padded.windows(size)) {
        *out = hash(window);
    }
}

/// See [`super::hash_marked`].
pub(super) fn hash_marked(padded: &[u8], marks: &[u32], hashes: &mut [u64]) {
    for (out, &mark) in hashes.iter_mut().zip(marks) {
        *out = hash_one(padded, mark);
    }
}

/// Hashes the window of one mark.
#[inline]
pub(super) fn hash_one(padded: &[u8], mark: u32) -> u64 {
    let window = &padded[(mark & 0xFFFF) as usize..(mark >> 16) as usize];
    match window.len() {
        9..=16 => xxh3_64_9_to_16(window),
        4..=8 => xxh3_64_4_to_8(window),
        1..=3 => xxh3_64_1_to_3(window),
        _ => xxh3_64(window),
    }
}

/// XXH3-64, the short forms inline.
#[inline]
pub(super) fn hash_bytes(bytes: &[u8]) -> u64 {
    match bytes.len() {
        4..=8 => xxh3_64_4_to_8(bytes),
        1..=3 => xxh3_64_1_to_3(bytes),
        9..=16 => xxh3_64_9_to_16(bytes),
        17..=32 => xxh3_64_17_to_32(bytes),
        _ => xxh3_64(bytes),
    }
}
