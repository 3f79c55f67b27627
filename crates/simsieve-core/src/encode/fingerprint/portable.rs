//! The kernels in plain Rust.

use crate::base::hash::word;

/// Adds 1 to `ones[bit]` for every hash whose word `k` has that bit.
///
/// A multiplication spreads eight bits over the bytes of one register, where they are added. So a byte lane counts up
/// to 255 features before it is emptied.
pub(super) fn count_ones(hashes: &[u64], k: usize, ones: &mut [u64]) {
    for block in hashes.chunks(255) {
        let mut lanes = [0_u64; 8];
        for &hash in block {
            let bits = word(hash, k);
            for (byte, lane) in lanes.iter_mut().enumerate() {
                *lane += spread(bits >> (8 * byte) & 0xFF);
            }
        }
        for (lane, ones) in lanes.iter().zip(ones.chunks_exact_mut(8)) {
            for (byte, ones) in lane.to_le_bytes().into_iter().zip(ones) {
                *ones += u64::from(byte);
            }
        }
    }
}

/// Bit `i` of a byte becomes byte `i` of the result (0 or 1).
#[inline]
const fn spread(byte: u64) -> u64 {
    let picked = byte.wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    // A byte is now zero or one power of two. Adding 0x7F sets its top bit exactly if it is not zero. Byte 7 may be
    // 0x80 already, so the or keeps its bit.
    (((picked & 0x7F7F_7F7F_7F7F_7F7F) + 0x7F7F_7F7F_7F7F_7F7F) | picked) >> 7 & 0x0101_0101_0101_0101
}

/// Adds `weights[i]` to `ones[bit]` for every hash `i` whose word `k` has that bit.
pub(super) fn add_weights(hashes: &[u64], weights: &[u32], k: usize, ones: &mut [u64]) {
    let heaviest = weights.iter().copied().max().unwrap_or(0).max(1);
    if heaviest > u32::from(u16::MAX) {
        for (&hash, &weight) in hashes.iter().zip(weights) {
            let bits = word(hash, k);
            for (bit, ones) in ones.iter_mut().enumerate() {
                *ones += (bits >> bit & 1) * u64::from(weight);
            }
        }
        return;
    }
    // As many additions as 16 bits hold before the lanes are emptied; a quarter of the bits at a time, so the lanes fit
    // the vectors of every machine.
    let block = (u32::from(u16::MAX) / heaviest) as usize;
    for (hashes, weights) in hashes.chunks(block).zip(weights.chunks(block)) {
        let mut lanes = [[0_u16; 16]; 4];
        for (&hash, &weight) in hashes.iter().zip(weights) {
            let bits = word(hash, k);
            for (quarter, lanes) in lanes.iter_mut().enumerate() {
                let bits = (bits >> (16 * quarter)) as u16;
                for (bit, lane) in lanes.iter_mut().enumerate() {
                    let chosen = 1_u16 << bit;
                    *lane += if bits & chosen == chosen { weight as u16 } else { 0 };
                }
            }
        }
        for (lane, ones) in lanes.iter().flatten().zip(ones.iter_mut()) {
            *ones += u64::from(*lane);
        }
    }
}
