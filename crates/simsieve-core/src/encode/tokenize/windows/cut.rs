//! The starts and ends of windows in a text with characters of several bytes, one block at a time.

use super::block::{BLOCK_BYTES, BlockScratch, MOST_UNITS, MOST_WINDOWS, character, is_of_dense_row};
use super::window::Window;
#[cfg(target_arch = "x86_64")]
use super::{cut_avx2, cut_avx512};
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
    /// A cutter of the first `len` bytes of `padded`; kernels may read the padding.
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

    /// Writes the windows of the next block to `marks`: start in the low half, end in the high half, relative to the
    /// block's first byte. Returns that byte and the number of windows, which may be 0; `None` at the end of the text.
    pub(super) fn next(
        &mut self,
        kernel: Kernel,
        scratch: &mut BlockScratch,
        marks: &mut Vec<u32>,
    ) -> Option<(usize, usize)> {
        if self.at_end() {
            return None;
        }
        let begin = self.at;
        if marks.len() < MOST_WINDOWS {
            marks.resize(MOST_WINDOWS, 0);
        }
        for list in [&mut scratch.ends, &mut scratch.begins, &mut scratch.window_ends] {
            list.resize(MOST_UNITS, 0);
        }
        let (padded, len) = (&self.padded[begin..], self.len - begin);
        let windows = match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Features::collect_by` checked that the machine has the features.
            Kernel::Avx512 => unsafe { cut_avx512::cut(padded, len, self.size, self.by_units, scratch, marks) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { cut_avx2::cut(padded, len, self.size, self.by_units, scratch, marks) },
            _ => cut(&padded[..len], self.size, self.by_units, scratch, marks),
        };
        self.at += len.min(BLOCK_BYTES);
        // The block's last character may end after the block.
        while self.at < self.len && self.padded[self.at] & 0xC0 == 0x80 {
            self.at += 1;
        }
        // The arrays are not truncated: a short text would pay for filling them again.
        Some((begin, windows))
    }
}

/// Cuts the first block of `bytes`; returns the number of windows.
///
/// A character of two units is twice in the list of unit ends. The window whose first unit is `u` then ends
/// at entry `u + size - 1`, without a loop over its characters.
fn cut(bytes: &[u8], size: usize, by_units: bool, scratch: &mut BlockScratch, marks: &mut [u32]) -> usize {
    let ends = &mut scratch.ends[..MOST_UNITS];
    let (mut at, mut unit, mut windows, mut wanted) = (0, 0, 0, usize::MAX);
    while at < bytes.len() && unit < wanted {
        let rest = &bytes[at..];
        let (length, dense) = character(rest, 0);
        let units = 1 + usize::from(by_units & dense);
        let in_block = at < BLOCK_BYTES;
        if !in_block && wanted == usize::MAX {
            wanted = unit + size;
        }
        let most = if in_block {
            (BLOCK_BYTES - at).div_ceil(length)
        } else {
            wanted - unit
        };
        // A run of ASCII, or of dense characters of three bytes, is taken at once: nothing waits for the length of the character before.
        let run = match length {
            1 => rest.iter().take(most).take_while(|byte| **byte < 0x80).count(),
            3 => rest
                .as_chunks()
                .0
                .iter()
                .take(most)
                .take_while(|three| is_of_dense_row(**three))
                .count(),
            _ => 0,
        };
        let count = run.max(1);
        if in_block {
            for (i, mark) in marks[windows..windows + count].iter_mut().enumerate() {
                *mark = (at + i * length) as u32 | ((unit + i * units) as u32) << 16;
            }
            windows += count;
        }
        let run_ends = &mut ends[unit..unit + count * units];
        if units == 2 {
            for (i, two) in run_ends.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *two = [(at + (i + 1) * length) as u16; 2];
            }
        } else {
            for (i, end) in run_ends.iter_mut().enumerate() {
                *end = (at + (i + 1) * length) as u16;
            }
        }
        at += count * length;
        unit += count * units;
    }
    // Near the text's end windows with missing units are dropped.
    while windows > 0 && (marks[windows - 1] >> 16) as usize + size > unit {
        windows -= 1;
    }
    for mark in &mut marks[..windows] {
        *mark = *mark & 0xFFFF | u32::from(ends[(*mark >> 16) as usize + size - 1]) << 16;
    }
    windows
}
