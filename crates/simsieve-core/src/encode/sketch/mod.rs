//! A sketch for the search: the `SimHash` of a text's features in 512 bits, whatever the width of its fingerprint.
//!
//! Two sketches differ in a bit with the probability `angle / pi` (Goemans and Williamson, JACM 1995; Charikar, STOC
//! 2002), so they measure a cosine to about 0.06. Weights count as in the similarity.

mod count;

use crate::base::kernel::Kernel;
use crate::encode::fingerprint::Sums;

/// Bits of a sketch.
pub const SKETCH_BITS: u32 = 512;
/// Words of a sketch.
pub const SKETCH_WORDS: usize = count::WORDS;

/// Writes the sketch of features: their hashes, and their weights where these are not all 1. Zeros where there are none.
///
/// # Panics
/// Where `words` is not [`SKETCH_WORDS`] long.
pub fn write(kernel: Kernel, hashes: &[u64], weights: &[u32], sums: &mut Sums, words: &mut [u64]) {
    assert_eq!(words.len(), SKETCH_WORDS, "the words of a sketch");
    if let ([], Some(words)) = (weights, words.first_chunk_mut()) {
        count::write(kernel, hashes, words);
        return;
    }
    sums.weighted(kernel, hashes, weights, 1, SKETCH_BITS);
    sums.write(SKETCH_BITS, 1, words);
}

/// Writes the first `width` bits of a sketch: a `SimHash` of fewer bits.
pub fn narrow(sketch: &[u64], width: u32, words: &mut [u64]) {
    words.copy_from_slice(&sketch[..words.len()]);
    if let Some(last) = words.last_mut().filter(|_| !width.is_multiple_of(64)) {
        *last &= (1 << (width % 64)) - 1;
    }
}

/// The probability that a bit of the sketches of two texts differs, from the numbers of features of weight 1: those that both have,
/// and those of each alone. Exact; the angle is its limit for many features.
pub fn chance_to_differ(shared: u32, a: u32, b: u32) -> f64 {
    // The sums are those of fair coins, +1 or -1; a bit is 1 where the sum is above 0.
    let shared_sums = coins(shared);
    let above = |own: &[f64], from: i64| -> f64 {
        let n = own.len() as i64 - 1;
        own.iter()
            .enumerate()
            .filter(|(heads, _)| from + 2 * *heads as i64 - n > 0)
            .map(|(_, p)| p)
            .sum()
    };
    let (own_a, own_b) = (coins(a), coins(b));
    let differ = |(heads, p): (usize, &f64)| {
        let sum = 2 * heads as i64 - i64::from(shared);
        let (x, y) = (above(&own_a, sum), above(&own_b, sum));
        p * (x * (1.0 - y) + y * (1.0 - x))
    };
    shared_sums.iter().enumerate().map(differ).sum()
}

/// The probabilities of each number of heads of some fair coins.
fn coins(n: u32) -> Vec<f64> {
    let mut heads = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; heads.len() + 1];
        for (at, p) in heads.iter().enumerate() {
            next[at] += p / 2.0;
            next[at + 1] += p / 2.0;
        }
        heads = next;
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::mix;
    use crate::encode::fingerprint::plain_sums;

    #[test]
    fn every_kernel_writes_the_signs_of_the_plain_sums() {
        let hashes: Vec<u64> = (0..1700).map(mix).collect();
        let weights: Vec<u32> = (0..1700).map(|at| 1 + (mix(at) % 5) as u32).collect();
        for n in [0, 1, 2, 30, 255, 256, 700, 1700] {
            for weights in [&[][..], &weights[..n]] {
                let of = |at: usize| weights.get(at).copied().unwrap_or(1);
                let features = hashes[..n].iter().enumerate().map(|(at, &hash)| (hash, of(at)));
                let plain = plain_sums(features, SKETCH_BITS);
                for kernel in Kernel::available() {
                    let mut words = [u64::MAX; SKETCH_WORDS];
                    write(kernel, &hashes[..n], weights, &mut Sums::default(), &mut words);
                    let same = plain
                        .iter()
                        .enumerate()
                        .all(|(bit, sum)| (words[bit / 64] >> (bit % 64) & 1 == 1) == (*sum > 0));
                    assert!(same, "{kernel:?} {n}");
                }
            }
        }
    }

    #[test]
    fn the_chance_to_differ_is_that_of_the_angle_for_many_features_and_exact_for_few() {
        assert!((chance_to_differ(2, 0, 1) - 0.25).abs() < 1e-12);
        assert!((chance_to_differ(3, 1, 1) - 0.1875).abs() < 1e-12);
        assert!(chance_to_differ(5, 0, 0).abs() < 1e-12);
        let angle = libm::acos(0.65) / std::f64::consts::PI;
        assert!((chance_to_differ(260, 140, 140) - angle).abs() < 0.005);
    }

    #[test]
    fn sketches_of_pairs_differ_as_often_as_they_should() {
        let (mut differing, pairs) = (0, 400);
        for pair in 0..pairs {
            let feature = |at: u64| mix(mix(pair) ^ at);
            let of = |range: std::ops::Range<u64>| {
                let hashes: Vec<u64> = (0..6).chain(range).map(feature).collect();
                let mut words = [0; SKETCH_WORDS];
                write(Kernel::active(), &hashes, &[], &mut Sums::default(), &mut words);
                words
            };
            differing += crate::hamming::distance(&of(10..12), &of(20..23));
        }
        let expected = chance_to_differ(6, 2, 3) * f64::from(SKETCH_BITS) * pairs as f64;
        assert!(
            (f64::from(differing) / expected - 1.0).abs() < 0.02,
            "{differing} {expected}"
        );
    }
}
