//! One block of a text that is cut into windows: its size, its memory, its characters.

use crate::text::is_dense;

/// Bytes of a block: windows start in it. All arrays of a block fit the second cache, for texts of any length, and most
/// documents are one block.
pub(super) const BLOCK_BYTES: usize = 4096;
/// Windows in a block at most.
pub(super) const MOST_WINDOWS: usize = BLOCK_BYTES;
/// Most units of a block, with those of the 64 characters after it for its last windows, and padding for vector stores.
pub(super) const MOST_UNITS: usize = BLOCK_BYTES + 512;

/// Memory for one block; keep one a thread.
#[derive(Debug, Default, Clone)]
pub(super) struct BlockScratch {
    /// The end of the character that each unit belongs to. By AVX2 these and `begins` are twice as large, and may have a flag.
    pub(super) ends: Vec<u16>,
    /// The start of each character, and the end of the window that starts there.
    pub(super) begins: Vec<u16>,
    pub(super) window_ends: Vec<u16>,
}

/// The length of the character at `at`, and whether it is dense.
#[inline]
pub(crate) fn character(bytes: &[u8], at: usize) -> (usize, bool) {
    let lead = bytes[at];
    let six = |place: usize, shift: u32| u32::from(bytes[at + place] & 0x3F) << shift;
    match lead {
        0..0x80 => (1, false),
        0xE0..0xF0 => {
            let code = u32::from(lead & 0xF) << 12 | six(1, 6) | six(2, 0);
            // Most dense characters are Han: they are checked first.
            (3, HAN.contains(&code) || is_dense(code))
        }
        0xF0.. => (
            4,
            is_dense(u32::from(lead & 7) << 18 | six(1, 12) | six(2, 6) | six(3, 0)),
        ),
        _ => (2, false),
    }
}

/// Of the characters that begin at the bits of `asked` the dense ones.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn dense_of(bytes: &[u8], at: usize, mut asked: u64) -> u64 {
    let mut dense = 0;
    while asked != 0 {
        let i = asked.trailing_zeros();
        dense |= u64::from(character(bytes, at + i as usize).1) << i;
        asked &= asked - 1;
    }
    dense
}

const HAN: std::ops::RangeInclusive<u32> = 0x4E00..=0x9FFF;

/// Whether three bytes are kana, Han or a Hangul syllable, as most dense characters are: the first two tell it.
#[inline]
pub(super) fn is_of_dense_row([first, second, _]: [u8; 3]) -> bool {
    matches!(
        u16::from_be_bytes([first, second]),
        0xE381..=0xE383 | 0xE4B8..=0xE9BF | 0xEAB0..=0xED9E
    )
}
