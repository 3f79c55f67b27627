//! Hashing many pieces of one text at once, by the kernel of the machine.
//!
//! In: the bytes, and where each piece is. Out: the XXH3-64 of each piece, in order. Every kernel gives the same hashes.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(target_arch = "x86_64")]
mod registers;

use super::Place;
use crate::base::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::base::lanes::{Avx2, Avx512};

/// Hashes the windows of `size` bytes that begin at each of the first bytes of `padded`. It has 16 bytes more than
/// there are windows.
///
/// # Panics
/// Where `padded` is too short.
pub(crate) fn hash_ascii(kernel: Kernel, padded: &[u8], size: usize, hashes: &mut [u64]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 if size <= 8 => unsafe { hash_ascii_avx512(padded, size, hashes) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 if size <= 8 => unsafe { hash_ascii_avx2(padded, size, hashes) },
        _ => portable::hash_ascii(padded, size, hashes),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn hash_ascii_avx512(padded: &[u8], size: usize, hashes: &mut [u64]) {
    registers::hash_ascii::<Avx512>(padded, size, hashes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn hash_ascii_avx2(padded: &[u8], size: usize, hashes: &mut [u64]) {
    registers::hash_ascii::<Avx2>(padded, size, hashes);
}

/// Hashes the windows of the marks: the begin in the low half of a mark, the end in the high half, both within `padded`.
pub(crate) fn hash_marked(kernel: Kernel, padded: &[u8], marks: &[u32], hashes: &mut [u64]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as in `hash_ascii`.
        Kernel::Avx512 => unsafe { avx512::hash_marked(padded, marks, hashes) },
        // Four at a time in registers of AVX2 took as long as one by one: a word each from two places must be put together first.
        _ => portable::hash_marked(padded, marks, hashes),
    }
}

/// Writes the XXH3-64 of the piece at each place to `hashes`, which is overwritten.
///
/// # Panics
/// Where a place is not in the text.
pub(crate) fn hash_places(kernel: Kernel, text: &[u8], places: &[Place], hashes: &mut Vec<u64>) {
    hashes.clear();
    hashes.resize(places.len(), 0);
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as in `hash_ascii`.
        Kernel::Avx512 => unsafe { hash_places_avx512(text, places, hashes) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as in `hash_ascii`.
        Kernel::Avx2 => unsafe { hash_places_avx2(text, places, hashes) },
        _ => {
            for (hash, &(begin, end)) in hashes.iter_mut().zip(places) {
                *hash = portable::hash_bytes(&text[begin..end]);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn hash_places_avx512(text: &[u8], places: &[Place], hashes: &mut [u64]) {
    registers::hash_places::<Avx512>(text, places, hashes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn hash_places_avx2(text: &[u8], places: &[Place], hashes: &mut [u64]) {
    registers::hash_places::<Avx2>(text, places, hashes);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::hash::xxh3_64;

    proptest! {
        #[test]
        fn every_kernel_hashes_as_published(
            text in proptest::collection::vec(any::<u8>(), 0..400),
            cuts in proptest::collection::vec((0..401_usize, 0..70_usize), 0..200),
        ) {
            // A piece may be empty and at any position; pieces are in any order.
            let place = |(begin, length): (usize, usize)| {
                let begin = begin.min(text.len());
                (begin, (begin + length).min(text.len()))
            };
            let places: Vec<Place> = cuts.into_iter().map(place).collect();
            let expected: Vec<u64> = places.iter().map(|&(begin, end)| xxh3_64(&text[begin..end])).collect();
            for kernel in Kernel::available() {
                let mut hashes = vec![1, 2, 3];
                hash_places(kernel, &text, &places, &mut hashes);
                prop_assert_eq!(&hashes, &expected, "{:?}", kernel);
            }
        }
    }
}
