//! One block of a text that is cut into windows: its size, its room, its characters.

use crate::text::is_dense;

/// Bytes in whose range windows begin in one block: all arrays of a block stay in the second cache, for texts of any
/// length, and most documents are one block.
pub(super) const BLOCK_BYTES: usize = 4096;
/// Windows in a block at most.
pub(super) const MOST_WINDOWS: usize = BLOCK_BYTES;
/// Units of a block at most, with those of the 64 characters after it that its last windows may need, and room for the
/// vectors that write them.
pub(super) const MOST_UNITS: usize = BLOCK_BYTES + 512;

/// Room for one block; keep one a thread.
#[derive(Debug, Default, Clone)]
pub(super) struct Room {
    /// The end of the character that each unit belongs to.
    pub(super) ends: Vec<u16>,
    /// Where each character begins, and where the window that begins there ends.
    pub(super) begins: Vec<u16>,
    pub(super) window_ends: Vec<u16>,
}

/// The length of the character at `at`, and whether it is dense.
#[inline]
pub(super) fn character(bytes: &[u8], at: usize) -> (usize, bool) {
    let byte = bytes[at];
    if (0xE0..0xF0).contains(&byte) {
        let code = u32::from(byte & 0xF) << 12 | u32::from(bytes[at + 1] & 0x3F) << 6 | u32::from(bytes[at + 2] & 0x3F);
        // Most dense characters are in one range: ask for it first.
        (3, matches!(code, 0x4E00..=0x9FFF) || is_dense(code))
    } else if byte < 0x80 {
        (1, false)
    } else if byte < 0xE0 {
        (2, false)
    } else {
        let code = u32::from(byte & 7) << 18
            | u32::from(bytes[at + 1] & 0x3F) << 12
            | u32::from(bytes[at + 2] & 0x3F) << 6
            | u32::from(bytes[at + 3] & 0x3F);
        (4, is_dense(code))
    }
}
