//! The signs of features that all weigh the same, counted in planes: bit `i` of all 512 counts is in plane `i`.
//!
//! Eight features are added by full adders (Harley and Seal; see Mula, Kurz and Lemire, The Computer Journal 2018), so a feature costs a
//! few operations on 512 bits. All kernels have one algorithm; they differ in the registers that hold a plane.

use crate::base::hash::forms::WORD_STEP;
use crate::base::hash::forms::mixed;
use crate::base::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::base::lanes::{Avx2, Avx512};
use crate::base::lanes::{Lanes, Word};

/// Words of a plane, and of a sketch.
pub(super) const WORDS: usize = 8;
/// Planes that the counts of any text fit into.
const MOST_PLANES: usize = 32;
/// Features that are added at once: the first three planes.
const BLOCK: usize = 8;

/// 512 bits: one of each count, or the words of a feature; in one register or in several.
type Plane<L, const PARTS: usize> = [L; PARTS];

/// Writes the signs: a bit is 1 where more than half of the features have it.
pub(super) fn write(kernel: Kernel, hashes: &[u64], words: &mut [u64; WORDS]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { signs_avx512(hashes, words) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { signs_avx2(hashes, words) },
        _ => signs::<Word, 8>(hashes, words),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn signs_avx512(hashes: &[u64], words: &mut [u64; WORDS]) {
    signs::<Avx512, 1>(hashes, words);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn signs_avx2(hashes: &[u64], words: &mut [u64; WORDS]) {
    signs::<Avx2, 2>(hashes, words);
}

#[expect(
    clippy::inline_always,
    reason = "the copies inside the kernels must be compiled with their instructions"
)]
#[inline(always)]
fn signs<L: Lanes, const PARTS: usize>(hashes: &[u64], words: &mut [u64; WORDS]) {
    let zero = [L::splat(0); PARTS];
    let mut planes = [zero; MOST_PLANES];
    let used = (usize::BITS - hashes.len().leading_zeros()).max(3) as usize;
    let (blocks, rest) = hashes.as_chunks::<BLOCK>();
    for block in blocks {
        // Written out: a closure would be compiled without the kernel's instructions.
        let [a, b, c, d, e, f, g, h] = *block;
        let features = [
            feature(a),
            feature(b),
            feature(c),
            feature(d),
            feature(e),
            feature(f),
            feature(g),
            feature(h),
        ];
        add_block(&mut planes[..used], features);
    }
    if !rest.is_empty() {
        let mut features = [zero; BLOCK];
        for (place, &hash) in features.iter_mut().zip(rest) {
            *place = feature(hash);
        }
        add_block(&mut planes[..used], features);
    }
    // Each count against the least number of features that is more than half, from the highest bit on.
    let least = hashes.len() / 2 + 1;
    for (part, words) in words.chunks_exact_mut(L::COUNT).enumerate() {
        let (mut above, mut equal) = (L::splat(0), L::splat(u64::MAX));
        for (bit, plane) in planes[..used].iter().enumerate().rev() {
            let here = equal & plane[part];
            if least >> bit & 1 == 1 {
                equal = here;
            } else {
                above = above ^ here;
                equal = equal ^ here;
            }
        }
        (above ^ equal).store(words);
    }
}

/// What is added to a hash for each word.
const STEPS: [u64; WORDS] = {
    let mut steps = [0; WORDS];
    let mut k = 0;
    while k < WORDS {
        steps[k] = (k as u64).wrapping_mul(WORD_STEP);
        k += 1;
    }
    steps
};
/// All bits of word 0.
const FIRST: [u64; WORDS] = [u64::MAX, 0, 0, 0, 0, 0, 0, 0];

/// The words of a feature, as [`crate::base::hash::word`] has them.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn feature<L: Lanes, const PARTS: usize>(hash: u64) -> Plane<L, PARTS> {
    let hash = L::splat(hash);
    let mut words = [hash; PARTS];
    for (words, steps) in words.iter_mut().zip(STEPS.chunks_exact(L::COUNT)) {
        *words = mixed(hash + L::load(steps));
    }
    // Word 0 is the hash itself. It is set last, so that all are mixed alike.
    words[0] = words[0] ^ ((words[0] ^ hash) & L::load(&FIRST));
    words
}

/// At each bit the sum of three, and what is carried.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn add<L: Lanes, const PARTS: usize>(
    a: Plane<L, PARTS>,
    b: Plane<L, PARTS>,
    c: Plane<L, PARTS>,
) -> (Plane<L, PARTS>, Plane<L, PARTS>) {
    // One loop over the parts: the registers then suffice for any kernel.
    let (mut sum, mut carry) = (a, a);
    for k in 0..PARTS {
        (sum[k], carry[k]) = a[k].add_bits(b[k], c[k]);
    }
    (sum, carry)
}

/// Adds the words of eight features to the counts.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn add_block<L: Lanes, const PARTS: usize>(planes: &mut [Plane<L, PARTS>], features: [Plane<L, PARTS>; BLOCK]) {
    let [a, b, c, d, e, f, g, h] = features;
    let (ones, two_a) = add(planes[0], a, b);
    let (ones, two_b) = add(ones, c, d);
    let (ones, two_c) = add(ones, e, f);
    let (ones, two_d) = add(ones, g, h);
    let (twos, four_a) = add(planes[1], two_a, two_b);
    let (twos, four_b) = add(twos, two_c, two_d);
    let (fours, mut carry) = add(planes[2], four_a, four_b);
    (planes[0], planes[1], planes[2]) = (ones, twos, fours);
    for plane in &mut planes[3..] {
        for (plane, carry) in plane.iter_mut().zip(&mut carry) {
            (*plane, *carry) = (*plane ^ *carry, *plane & *carry);
        }
    }
}
