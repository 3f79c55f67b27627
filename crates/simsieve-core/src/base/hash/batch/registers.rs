//! Hashing windows and words in registers: all lanes run the short forms of XXH3-64 at once.
#![expect(
    clippy::inline_always,
    reason = "the copies inside the kernels must be compiled with their instructions"
)]

use super::portable::{self, hash_bytes};
use crate::base::hash::Place;
use crate::base::hash::forms::{of_1_to_3, of_4_to_8, of_9_to_16, of_17_to_32};
use crate::base::lanes::Register;

/// See [`super::hash_ascii`]; windows of 1 to 8 bytes.
#[inline(always)]
pub(super) fn hash_ascii<R: Register>(padded: &[u8], size: usize, hashes: &mut [u64]) {
    assert!((1..=8).contains(&size) && padded.len() >= hashes.len() + 16);
    let n = size as u8;
    let length = R::splat(size as u64);
    // Lane `k` takes its window's bytes from `k` on, in the order of the form; it takes zeros where that has none.
    let spread: [u8; 64] = std::array::from_fn(|i| {
        let (lane, byte) = (i as u8 / 8, i as u8 % 8);
        match (size, byte) {
            (4.., 0..4) => lane + n - 4 + byte,
            (4.., _) => lane + byte - 4,
            (_, 0) => lane + n - 1,
            (_, 2) => lane,
            (_, 3) => lane + (n >> 1),
            _ => 0x80,
        }
    });
    let spread = R::of_bytes(&spread);
    let whole = hashes.len() / R::COUNT * R::COUNT;
    for (out, text) in hashes[..whole]
        .chunks_exact_mut(R::COUNT)
        .zip(padded.windows(16).step_by(R::COUNT))
    {
        let Some(text) = text.first_chunk() else { return };
        let bytes = R::repeated(text).pick(spread);
        if size < 4 {
            of_1_to_3(bytes, length).store(out);
        } else {
            of_4_to_8(bytes, length).store(out);
        }
    }
    portable::hash_ascii(&padded[whole..], size, &mut hashes[whole..]);
}

/// Pieces that are gathered before they are hashed.
const GATHERED: usize = 64;

/// The hash of the bytes at each place in `text`.
///
/// Word lengths are nearly random, so every lane computes all forms up to 16 bytes, without a branch.
#[inline(always)]
pub(super) fn hash_places<R: Register>(text: &[u8], places: &[Place], hashes: &mut [u64]) {
    // The first 16 bytes and the last 16 of each piece, and its length.
    let mut words = [[0; GATHERED]; 4];
    let mut lengths = [0; GATHERED];
    for (places, hashes) in places.chunks(GATHERED).zip(hashes.chunks_mut(GATHERED)) {
        let mut apart = 0_u64;
        for (i, &(begin, end)) in places.iter().enumerate() {
            let length = end - begin;
            lengths[i] = length as u64;
            if end < 16 || begin + 16 > text.len() || !(1..=32).contains(&length) {
                apart |= 1 << i;
                continue;
            }
            let ([first, second], [third, fourth]) = (two_words(&text[begin..]), two_words(&text[end - 16..]));
            (words[0][i], words[1][i], words[2][i], words[3][i]) = (first, second, third, fourth);
        }
        for (at, out) in hashes.chunks_mut(R::COUNT).enumerate() {
            let at = at * R::COUNT;
            let (first, fourth) = (R::load(&words[0][at..]), R::load(&words[3][at..]));
            let length = R::load(&lengths[at..]);
            let is_long = R::splat(8).less(length);
            let mut hashed = of_9_to_16(first, fourth, length);
            if R::bits(is_long) != R::ALL {
                let short = of_4_to_8((first << 32) | (fourth >> 32), length);
                let byte = R::splat(0xFF);
                let middle = first.or(first >> 8, R::splat(1).less(length));
                let tiny = (fourth >> 56) | ((first & byte) << 16) | ((middle & byte) << 24);
                let few = short.or(of_1_to_3(tiny, length), length.less(R::splat(4)));
                hashed = few.or(hashed, is_long);
            }
            let is_longer = R::splat(16).less(length);
            if R::bits(is_longer) != 0 {
                let (second, third) = (R::load(&words[1][at..]), R::load(&words[2][at..]));
                hashed = hashed.or(of_17_to_32([first, second, third, fourth], length), is_longer);
            }
            if out.len() == R::COUNT {
                hashed.store(out);
            } else {
                let mut last = [0; GATHERED];
                hashed.store(&mut last);
                out.copy_from_slice(&last[..out.len()]);
            }
        }
        while apart != 0 {
            let i = apart.trailing_zeros() as usize;
            hashes[i] = hash_bytes(&text[places[i].0..places[i].1]);
            apart &= apart - 1;
        }
    }
}

#[inline(always)]
fn two_words(bytes: &[u8]) -> [u64; 2] {
    let (words, _) = bytes[..16].as_chunks::<8>();
    [u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1])]
}
