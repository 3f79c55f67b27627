//! Texts as a column of Arrow has them.

use crate::base::error::{Error, Result};

/// Texts side by side in UTF-8.
#[derive(Debug, Clone, Copy)]
pub struct TextColumn<'a> {
    offsets: &'a [i64],
    bytes: &'a [u8],
    valid: Option<&'a [bool]>,
}

impl<'a> TextColumn<'a> {
    /// Texts in `bytes` by their offsets, one offset more than texts. If some texts are missing, `valid` says which exist.
    ///
    /// # Errors
    /// [`Error::Config`] where the parts do not fit together.
    pub fn new(offsets: &'a [i64], bytes: &'a [u8], valid: Option<&'a [bool]>) -> Result<Self> {
        let inside = |&at: &i64| usize::try_from(at).is_ok_and(|at| at <= bytes.len());
        let fit = offsets.is_sorted() && offsets.first().is_some_and(inside) && offsets.last().is_some_and(inside);
        if !fit || valid.is_some_and(|valid| valid.len() + 1 != offsets.len()) {
            return Err(Error::Config(msg!(
                "the parts of a column of texts do not fit together"
            )));
        }
        Ok(Self { offsets, bytes, valid })
    }

    /// The number of texts.
    pub const fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A text; `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Config`] where its bytes are no UTF-8.
    pub fn get(&self, at: usize) -> Result<Option<&'a str>> {
        if self.valid.is_some_and(|valid| !valid[at]) {
            return Ok(None);
        }
        let bytes = &self.bytes[self.offsets[at] as usize..self.offsets[at + 1] as usize];
        let text = simdutf8::basic::from_utf8(bytes);
        text.map(Some)
            .map_err(|_| Error::Config(msg!("a column of texts holds bytes that are no UTF-8")))
    }
}
