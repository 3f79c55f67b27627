//! The signs of features that all weigh the same, counted in planes: bit `i` of all 512 counts is in plane `i`.
//!
//! Eight features are added by full adders (Harley and Seal; see Mula, Kurz and Lemire, The Computer Journal 2018), so a feature costs a
//! few operations on 512 bits. All kernels have one algorithm; they differ in what holds a plane.

use crate::base::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::encode::sketch::avx512::Register;
use crate::encode::sketch::plane::{Plane, WORDS};

/// Planes that the counts of any text fit into.
const MOST_PLANES: usize = 32;
/// Features that are added at once: the first three planes.
const BLOCK: usize = 8;

/// Writes the signs: a bit is 1 where more than half of the features have it.
pub(super) fn write(kernel: Kernel, hashes: &[u64], words: &mut [u64; WORDS]) {
    *words = match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { signs_avx512(hashes) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { signs_avx2(hashes) },
        _ => signs::<[u64; WORDS]>(hashes),
    };
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn signs_avx512(hashes: &[u64]) -> [u64; WORDS] {
    signs::<Register>(hashes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn signs_avx2(hashes: &[u64]) -> [u64; WORDS] {
    signs::<[u64; WORDS]>(hashes)
}

#[expect(
    clippy::inline_always,
    reason = "the copies inside the kernels must be compiled with their instructions"
)]
#[inline(always)]
fn signs<P: Plane>(hashes: &[u64]) -> [u64; WORDS] {
    let mut planes = [P::filled(false); MOST_PLANES];
    let used = (usize::BITS - hashes.len().leading_zeros()).max(3) as usize;
    let (blocks, rest) = hashes.as_chunks::<BLOCK>();
    for block in blocks {
        // Written out: a closure would be compiled without the kernel's instructions.
        let [a, b, c, d, e, f, g, h] = *block;
        let features = [
            P::of(a),
            P::of(b),
            P::of(c),
            P::of(d),
            P::of(e),
            P::of(f),
            P::of(g),
            P::of(h),
        ];
        add_block(&mut planes[..used], features);
    }
    if !rest.is_empty() {
        let mut last = [P::filled(false); BLOCK];
        for (feature, &hash) in last.iter_mut().zip(rest) {
            *feature = P::of(hash);
        }
        add_block(&mut planes[..used], last);
    }
    // Each count against the least number of features that is more than half, from the highest bit on.
    let least = hashes.len() / 2 + 1;
    let (mut above, mut equal) = (P::filled(false), P::filled(true));
    for (bit, &plane) in planes[..used].iter().enumerate().rev() {
        if least >> bit & 1 == 1 {
            equal = equal.and(plane);
        } else {
            let here = equal.and(plane);
            above = above.xor(here);
            equal = equal.xor(here);
        }
    }
    above.xor(equal).words()
}

/// Adds the words of eight features to the counts.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn add_block<P: Plane>(planes: &mut [P], features: [P; BLOCK]) {
    let [a, b, c, d, e, f, g, h] = features;
    let (ones, two_a) = planes[0].add(a, b);
    let (ones, two_b) = ones.add(c, d);
    let (ones, two_c) = ones.add(e, f);
    let (ones, two_d) = ones.add(g, h);
    let (twos, four_a) = planes[1].add(two_a, two_b);
    let (twos, four_b) = twos.add(two_c, two_d);
    let (fours, mut carry) = planes[2].add(four_a, four_b);
    (planes[0], planes[1], planes[2]) = (ones, twos, fours);
    for plane in &mut planes[3..] {
        (*plane, carry) = (plane.xor(carry), plane.and(carry));
    }
}
