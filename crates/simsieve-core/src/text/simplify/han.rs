//! Characters of Han in UTF-8: their range, and how to read the next one of a padded text.

use std::ops::Range;

/// The range of folded characters of three bytes: Han with extension A.
pub(super) const HAN: Range<u32> = 0x3400..0xA000;

/// The length of the character at the head of `four`, and its place in [`HAN`] or a number beyond its length.
#[inline]
pub(super) fn head(four: [u8; 4]) -> (usize, usize) {
    let [lead, second, third, _] = four.map(u32::from);
    match lead {
        0xE3..=0xE9 => {
            let code = (lead & 0xF) << 12 | (second & 0x3F) << 6 | third & 0x3F;
            (3, code.wrapping_sub(HAN.start) as usize)
        }
        0..0x80 => (1, usize::MAX),
        0x80..0xE0 => (2, usize::MAX),
        0xE0..0xE3 | 0xEA..0xF0 => (3, usize::MAX),
        _ => (4, usize::MAX),
    }
}

/// The end of the ASCII from `at` on; it may be after the text, or less than eight bytes before the buffer's end.
#[inline]
pub(super) fn behind_ascii(bytes: &[u8], mut at: usize) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let high = u64::from_le_bytes(*eight) & HIGH;
        if high != 0 {
            return at + high.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

/// The four bytes from `at` on; those after the text are arbitrary.
#[inline]
pub(super) fn four(bytes: &[u8], at: usize) -> [u8; 4] {
    *bytes[at..].first_chunk().expect("room behind the text")
}
