//! The mixing of a hash and the short forms of XXH3-64, each in all lanes of any kernel at once.
#![expect(
    clippy::inline_always,
    reason = "intrinsics are compiled with the instructions of the caller"
)]

use crate::base::lanes::Lanes;

/// Words of the default secret of the XXH3 specification, two and two combined as the short forms use them.
const FLIP_1_TO_3: u64 = 0x8727_5A9B;
const FLIP_4_TO_8: u64 = 0xC73A_B174_C5EC_D5A2;
const FLIPS_9_TO_16: [u64; 2] = [0x6782_737B_EA42_39B9, 0xAF56_BC3B_0996_523A];
const FLIPS_17_TO_32: [u64; 4] = [
    0xBE4B_A423_396C_FEB8,
    0x1CAD_21F7_2C81_017C,
    0xDB97_9083_E96D_D4DE,
    0x1F67_B3B7_A4A4_4072,
];
/// Odd constants with well-spread bits: the fractional parts of the golden ratio and of two roots.
pub(crate) const WORD_STEP: u64 = 0x9E37_79B9_7F4A_7C15;
pub(super) const MIX_1: u64 = 0xBF58_476D_1CE4_E5B9;
pub(super) const MIX_2: u64 = 0x94D0_49BB_1331_11EB;

/// The multipliers of the specification's finalisers.
const PRIME_64_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME_64_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME_64_3: u64 = 0x1656_67B1_9E37_79F9;
const PRIME_MX_1: u64 = 0x1656_6791_9E37_79F9;
const PRIME_MX_2: u64 = 0x9FB2_1C65_1E98_DF25;

/// [`super::mix`].
#[inline(always)]
pub(crate) fn mixed<L: Lanes>(x: L) -> L {
    let x = (x ^ (x >> 30)) * L::splat(MIX_1);
    let x = (x ^ (x >> 27)) * L::splat(MIX_2);
    x ^ (x >> 31)
}

/// [`super::word`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn word_of<L: Lanes>(hash: L, k: usize) -> L {
    if k == 0 {
        hash
    } else {
        mixed(hash + L::splat((k as u64).wrapping_mul(WORD_STEP)))
    }
}

/// XXH3-64 of 1 to 3 bytes: the last in the lowest byte, the first in byte 2, the middle one in byte 3.
#[inline(always)]
pub(super) fn of_1_to_3<L: Lanes>(bytes: L, length: L) -> L {
    let x = bytes ^ (length << 8) ^ L::splat(FLIP_1_TO_3);
    let x = (x ^ (x >> 33)) * L::splat(PRIME_64_2);
    let x = (x ^ (x >> 29)) * L::splat(PRIME_64_3);
    x ^ (x >> 32)
}

/// XXH3-64 of 4 to 8 bytes: the first four above the last four.
#[inline(always)]
pub(super) fn of_4_to_8<L: Lanes>(bytes: L, length: L) -> L {
    let x = bytes ^ L::splat(FLIP_4_TO_8);
    let x = (x ^ ((x << 49) | (x >> 15)) ^ ((x << 24) | (x >> 40))) * L::splat(PRIME_MX_2);
    let x = (x ^ ((x >> 35) + length)) * L::splat(PRIME_MX_2);
    x ^ (x >> 28)
}

/// XXH3-64 of 9 to 16 bytes: the first eight and the last eight.
#[inline(always)]
pub(super) fn of_9_to_16<L: Lanes>(head: L, tail: L, length: L) -> L {
    let (a, b) = (head ^ L::splat(FLIPS_9_TO_16[0]), tail ^ L::splat(FLIPS_9_TO_16[1]));
    finished(length + a.swapped() + b + a.folded(b))
}

/// XXH3-64 of 17 to 32 bytes: the first 16 and the last 16.
#[inline(always)]
pub(super) fn of_17_to_32<L: Lanes>([a, b, c, d]: [L; 4], length: L) -> L {
    let [flip_a, flip_b, flip_c, flip_d] = FLIPS_17_TO_32;
    let head = (a ^ L::splat(flip_a)).folded(b ^ L::splat(flip_b));
    let tail = (c ^ L::splat(flip_c)).folded(d ^ L::splat(flip_d));
    finished(length * L::splat(PRIME_64_1) + head + tail)
}

/// The finaliser of the forms for more than 8 bytes.
#[inline(always)]
fn finished<L: Lanes>(x: L) -> L {
    let x = (x ^ (x >> 37)) * L::splat(PRIME_MX_1);
    x ^ (x >> 32)
}
