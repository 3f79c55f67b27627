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
pub(super) struct Scratch {
    /// The end of the character that each unit belongs to.
    pub(super) ends: Vec<u16>,
    /// The start of each character, and the end of the window that starts there.
    pub(super) begins: Vec<u16>,
    pub(super) window_ends: Vec<u16>,
}

/// The length of the character at `at`, and whether it is dense.
#[inline]
pub(crate) fn character(bytes: &[u8], at: usize) -> (usize, bool) {
    let byte = bytes[at];
    if (0xE0..0xF0).contains(&byte) {
        let code = u32::from(byte & 0xF) << 12 | u32::from(bytes[at + 1] & 0x3F) << 6 | u32::from(bytes[at + 2] & 0x3F);
        // Most dense characters are in one range: it is checked first.
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
