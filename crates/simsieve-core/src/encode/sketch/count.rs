//! The signs of features that all weigh the same, counted in planes: bit `i` of all 512 counts stands in plane `i`.
//!
//! Eight features are added by full adders (Harley and Seal; see Mula, Kurz and Lemire, The Computer Journal 2018), so a feature costs a
//! few operations on 512 bits. The code is the same for every kernel; each compiles it with its own instructions.

use crate::base::hash::{WORD_STEP, mix};
use crate::base::kernel::Kernel;

/// Words of a sketch.
pub(super) const WORDS: usize = 8;
/// 512 bits.
type Plane = [u64; WORDS];
/// Planes that the counts of any text fit into.
const MOST_PLANES: usize = 32;
/// Features that are added at once: the first three planes.
const BLOCK: usize = 8;

/// Writes the signs: a bit is 1 where more than half of the features have it.
pub(super) fn write(kernel: Kernel, hashes: &[u64], words: &mut Plane) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { write_avx512(hashes, words) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { write_avx2(hashes, words) },
        _ => write_plain(hashes, words),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn write_avx512(hashes: &[u64], words: &mut Plane) {
    write_plain(hashes, words);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn write_avx2(hashes: &[u64], words: &mut Plane) {
    write_plain(hashes, words);
}

#[expect(
    clippy::inline_always,
    reason = "the copies inside the kernels must be compiled with their instructions"
)]
#[inline(always)]
fn write_plain(hashes: &[u64], words: &mut Plane) {
    let mut planes = [[0; WORDS]; MOST_PLANES];
    let used = (usize::BITS - hashes.len().leading_zeros()).max(3) as usize;
    for block in hashes.chunks(BLOCK) {
        let mut features = [[0; WORDS]; BLOCK];
        for (feature, &hash) in features.iter_mut().zip(block) {
            *feature = words_of(hash);
        }
        let [ones, twos, fours, ..] = &mut planes;
        let [a, b, c, d, e, f, g, h] = &features;
        let two = [add(ones, a, b), add(ones, c, d), add(ones, e, f), add(ones, g, h)];
        let four = [add(twos, &two[0], &two[1]), add(twos, &two[2], &two[3])];
        let mut carry = add(fours, &four[0], &four[1]);
        for plane in &mut planes[3..used] {
            for (plane, carry) in plane.iter_mut().zip(&mut carry) {
                (*plane, *carry) = (*plane ^ *carry, *plane & *carry);
            }
        }
    }
    // Each count against the least number of features that is more than half, from the highest bit on.
    let least = hashes.len() / 2 + 1;
    let (mut above, mut equal) = ([0; WORDS], [u64::MAX; WORDS]);
    for (bit, plane) in planes[..used].iter().enumerate().rev() {
        let wanted = if least >> bit & 1 == 1 { u64::MAX } else { 0 };
        for k in 0..WORDS {
            above[k] |= equal[k] & plane[k] & !wanted;
            equal[k] &= !(plane[k] ^ wanted);
        }
    }
    for k in 0..WORDS {
        words[k] = above[k] | equal[k];
    }
}

/// A full adder: leaves the sum of three bits in `sum`, and returns the carry.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn add(sum: &mut Plane, a: &Plane, b: &Plane) -> Plane {
    let mut carry = [0; WORDS];
    for k in 0..WORDS {
        let half = sum[k] ^ a[k];
        carry[k] = (sum[k] & a[k]) | (half & b[k]);
        sum[k] = half ^ b[k];
    }
    carry
}

/// The words of a feature, as [`crate::base::hash::word`] has them.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn words_of(hash: u64) -> Plane {
    let mut words = [0; WORDS];
    for (k, word) in words.iter_mut().enumerate() {
        *word = mix(hash.wrapping_add((k as u64).wrapping_mul(WORD_STEP)));
    }
    // Word 0 is the hash itself.
    words[0] = hash;
    words
}
