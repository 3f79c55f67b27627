//! Where the windows of a text with characters of several bytes begin and end, a block of text at a time.

use super::block::{BLOCK_BYTES, MOST_UNITS, MOST_WINDOWS, Room, character};
#[cfg(target_arch = "x86_64")]
use super::cut_avx512;
use super::window::Window;
use crate::base::kernel::Kernel;

/// Cuts one text.
pub(super) struct Cutter<'a> {
    padded: &'a [u8],
    len: usize,
    size: usize,
    by_units: bool,
    at: usize,
}

impl<'a> Cutter<'a> {
    /// A cutter of the first `len` bytes of `padded`, which kernels may read on behind.
    pub(super) fn new(padded: &'a [u8], len: usize, window: Window) -> Self {
        let size = window.size() as usize;
        assert!((1..=64).contains(&size), "windows have 1 to 64 units");
        Self {
            padded,
            len,
            size,
            by_units: matches!(window, Window::Units(_)),
            at: 0,
        }
    }

    /// Whether the last block was cut.
    pub(super) fn at_end(&self) -> bool {
        self.at == self.len
    }

    /// Writes the windows of the next block to `marks`: begin in the low half, end in the high half, from the block's
    /// first byte. That and the number of windows are returned, which may be 0; `None` at the end of the text.
    pub(super) fn next(&mut self, kernel: Kernel, room: &mut Room, marks: &mut Vec<u32>) -> Option<(usize, usize)> {
        if self.at_end() {
            return None;
        }
        let begin = self.at;
        if marks.len() < MOST_WINDOWS {
            marks.resize(MOST_WINDOWS, 0);
        }
        for list in [&mut room.ends, &mut room.begins, &mut room.window_ends] {
            list.resize(MOST_UNITS, 0);
        }
        let (padded, len) = (&self.padded[begin..], self.len - begin);
        let windows = match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Features::collect_by` asked whether the machine has the features.
            Kernel::Avx512 => unsafe { cut_avx512::cut(padded, len, self.size, self.by_units, room, marks) },
            _ => cut(&padded[..len], self.size, self.by_units, room, marks),
        };
        self.at += len.min(BLOCK_BYTES);
        // The block's last character may go on behind its last byte.
        while self.at < self.len && self.padded[self.at] & 0xC0 == 0x80 {
            self.at += 1;
        }
        // They are not cut off: a short text would pay for filling them up again.
        Some((begin, windows))
    }
}

/// Cuts the first block of `bytes`; gives the number of windows.
///
/// A character of two units enters its end twice into a list of units; the window whose first unit is `u` then ends
/// where unit `u + size - 1` says, without a loop over its characters.
fn cut(bytes: &[u8], size: usize, by_units: bool, room: &mut Room, marks: &mut [u32]) -> usize {
    let ends = &mut room.ends[..MOST_UNITS];
    let (mut at, mut unit, mut windows, mut wanted) = (0, 0, 0, usize::MAX);
    while at < bytes.len() && unit < wanted {
        if at < BLOCK_BYTES {
            marks[windows] = at as u32 | (unit as u32) << 16;
            windows += 1;
        } else if wanted == usize::MAX {
            wanted = unit + size;
        }
        let (length, dense) = character(bytes, at);
        at += length;
        ends[unit] = at as u16;
        ends[unit + 1] = at as u16;
        unit += 1 + usize::from(by_units & dense);
    }
    // Near the text's end the last windows lack units, and are none.
    while windows > 0 && (marks[windows - 1] >> 16) as usize + size > unit {
        windows -= 1;
    }
    for mark in &mut marks[..windows] {
        *mark = *mark & 0xFFFF | u32::from(ends[(*mark >> 16) as usize + size - 1]) << 16;
    }
    windows
}
