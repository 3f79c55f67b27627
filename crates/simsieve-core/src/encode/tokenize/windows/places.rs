//! Hashing features that stand anywhere in a text, such as words.

#[cfg(target_arch = "x86_64")]
use super::avx512;
use crate::base::hash::{xxh3_64, xxh3_64_1_to_3, xxh3_64_4_to_8, xxh3_64_9_to_16, xxh3_64_17_to_32};
use crate::base::kernel::Kernel;

/// Where a feature begins and ends.
pub(crate) type Place = (usize, usize);

/// Writes the XXH3-64 of what stands at each place to `hashes`, whose former content is lost.
///
/// # Panics
/// Where a place is not in the text, or this machine cannot run the kernel.
pub(crate) fn hash_places(kernel: Kernel, text: &[u8], places: &[Place], hashes: &mut Vec<u64>) {
    hashes.clear();
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => {
            hashes.resize(places.len(), 0);
            // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
            unsafe { avx512::hash_places(text, places, hashes) }
        }
        _ => hashes.extend(places.iter().map(|&(begin, end)| hash_bytes(&text[begin..end]))),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_kernel_hashes_as_published(
            text in proptest::collection::vec(any::<u8>(), 0..400),
            cuts in proptest::collection::vec((0..401_usize, 0..70_usize), 0..200),
        ) {
            // A cut may be empty, lie at either end or anywhere between, in any order.
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
