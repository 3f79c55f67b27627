//! The input and output of a search: fingerprints as rows, near rows as pairs.

use crate::base::error::{Error, Result};
use crate::base::message::Message;

/// The widest fingerprint, in bits.
pub const MAX_WIDTH: u32 = 256;

/// Fingerprints, row by row.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// `words` words a row, the low word first; bits from `width` on are zero.
    pub values: &'a [u64],
    /// Which rows are fingerprints; `None`: every one. The others are near nothing.
    pub valid: Option<&'a [bool]>,
    /// Words a row.
    pub words: usize,
    /// Bits of a fingerprint, 1 to [`MAX_WIDTH`].
    pub width: u32,
}

impl Rows<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.words
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn check(&self) -> Result<()> {
        let fail = |message: Message| Err(Error::Config(message));
        if !(1..=MAX_WIDTH).contains(&self.width) {
            return fail(msg!(
                "width is {width} bits: 1 to {max_width} are allowed",
                width = self.width,
                max_width = MAX_WIDTH
            ));
        }
        let needed = self.width.div_ceil(64) as usize;
        if self.words < needed {
            return fail(msg!(
                "rows of {words} words cannot hold {width} bits",
                words = self.words,
                width = self.width
            ));
        }
        if !self.values.len().is_multiple_of(self.words) {
            return fail(msg!(
                "{count} words do not make rows of {words}",
                count = self.values.len(),
                words = self.words
            ));
        }
        if u32::try_from(self.len()).is_err() {
            return fail(msg!(
                "{count} rows: at most {max} are allowed in one search",
                count = self.len(),
                max = u32::MAX
            ));
        }
        if let Some(valid) = self.valid.filter(|valid| valid.len() != self.len()) {
            return fail(msg!(
                "the mask has {count} entries for {count_2} rows",
                count = valid.len(),
                count_2 = self.len()
            ));
        }
        let free = if self.width.is_multiple_of(64) {
            0
        } else {
            u64::MAX << (self.width % 64)
        };
        if free != 0 || self.words > needed {
            let stray = |row: &[u64]| row[needed - 1] & free != 0 || row[needed..].iter().any(|&word| word != 0);
            if let Some(at) = self.values.chunks_exact(self.words).position(stray) {
                return fail(msg!("row {at} has bits above its width of {width}", width = self.width));
            }
        }
        Ok(())
    }
}

/// Two rows within the distance: `i < j` in one collection, `j` of the other one across two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The earlier row; across two collections the row of the first.
    pub i: u32,
    /// The later row; the row of the second.
    pub j: u32,
    /// Bits that differ.
    pub distance: u32,
}
