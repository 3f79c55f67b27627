//! ASCII by AVX2, 32 bytes at a time; the portable kernel takes characters of three bytes, in short stretches.

use std::arch::x86_64::{
    _mm256_add_epi8, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpgt_epi8, _mm256_set1_epi8, _mm256_storeu_si256,
};
use std::sync::LazyLock;

use super::compact::Compact;
use super::portable;
use super::table::{Class, IN_WORD, class_of};
use crate::base::hash::Place;
use crate::base::simd::{AsciiSet, compress_32, load_32, mask};
use crate::text::SLACK;

/// The characters of the compact text, and those that become a space.
static PLAIN: LazyLock<AsciiSet> = LazyLock::new(|| AsciiSet::new(|byte| IN_WORD[usize::from(byte)]));
static SPACE: LazyLock<AsciiSet> = LazyLock::new(|| AsciiSet::new(|byte| class_of(char::from(byte)) == Class::Space));

/// First and greatest length of a stretch for the portable kernel. It starts where a byte is not ASCII and doubles
/// while that continues: short for a quotation mark among letters, long for Chinese.
const STRETCH: usize = 64;
const MOST_STRETCH: usize = 4096;

/// Takes easy characters from `at` on; returns the place of the first other character.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn easy_run(bytes: &[u8], mut at: usize, out: &mut Compact) -> usize {
    let (plain, space) = (&*PLAIN, &*SPACE);
    let blank = _mm256_set1_epi8(b' ' as i8);
    let mut stretch = STRETCH;
    while let Some(block) = bytes[at..].first_chunk::<32>() {
        let vector = load_32(block);
        if mask(vector) != 0 {
            // The last character of a stretch may be cut off; the next stretch starts with it.
            let end = bytes.len().min(at + stretch);
            let next = portable::easy_run(&bytes[..end], at, out);
            if next + 4 <= end || next == at {
                return next;
            }
            at = next;
            stretch = MOST_STRETCH.min(stretch * 2);
            continue;
        }
        stretch = STRETCH;
        let (is_plain, spaces) = (mask(plain.has(vector)), space.has(vector));
        let is_space = mask(spaces);
        let upper = _mm256_and_si256(
            _mm256_cmpgt_epi8(vector, _mm256_set1_epi8(b'A' as i8 - 1)),
            _mm256_cmpgt_epi8(_mm256_set1_epi8(b'Z' as i8 + 1), vector),
        );
        let lower = _mm256_add_epi8(vector, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
        let dropped = is_space & (is_space << 1 | u32::from(out.after_space()));
        let text = _mm256_blendv_epi8(lower, blank, spaces);
        if dropped == 0 {
            let place = &mut out.full[out.full_len..out.full_len + 32];
            // SAFETY: 32 bytes are there, and the store asks for no alignment.
            unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), text) };
            out.full_len += 32;
        } else {
            out.full_len = compress_32(text, !dropped, &mut out.full, out.full_len);
        }
        out.kept_len = compress_32(text, is_plain, &mut out.kept, out.kept_len);
        at += 32;
    }
    portable::easy_run(bytes, at, out)
}

/// See [`super::ascii`]: the words of ASCII.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn take_words(bytes: &[u8], base: usize, out: &mut [u8], places: &mut Vec<Place>) -> usize {
    assert!(out.len() >= bytes.len() + SLACK, "room for all and a vector");
    let plain = &*PLAIN;
    let (mut begin, mut len, mut at, mut open) = (0, 0, 0, 0);
    while at < bytes.len() {
        let mut padded = [0; 32];
        let (block, valid) = if let Some(block) = bytes[at..].first_chunk() {
            (block, u32::MAX)
        } else {
            let left = &bytes[at..];
            padded[..left.len()].copy_from_slice(left);
            (&padded, (1 << left.len()) - 1)
        };
        let vector = load_32(block);
        let high = mask(vector);
        let limit = valid & high.wrapping_sub(1) & !high;
        let inside = limit & mask(plain.has(vector));
        // The gap right after a word; the rest of it is not kept.
        let gap = limit & !inside & (inside << 1 | open);
        let kept = inside | gap;
        let mut gaps = gap;
        let from = len;
        len = compress_32(vector, kept, out, len);
        while gaps != 0 {
            let end = from + (kept & ((gaps & gaps.wrapping_neg()) - 1)).count_ones() as usize;
            out[end] = b' ';
            places.push((base + begin, base + end));
            begin = end + 1;
            gaps &= gaps - 1;
        }
        if high != 0 {
            // The open word is not all ASCII.
            return at + high.trailing_zeros() as usize - (len - begin);
        }
        open = inside >> 31;
        at += 32;
    }
    if len > begin {
        places.push((base + begin, base + len));
    }
    bytes.len()
}
