//! Makes Traditional Chinese Simplified, so a text has the same features in both scripts.
//!
//! The last step of normalising. In: both forms of a normalised text. Out: both forms, simplified. [`plain::simplify`]
//! is the short form.

mod characters;
pub mod data;
mod fold;
mod han;
pub mod plain;
mod unify;
mod words;

pub use fold::Fold;

use crate::text::SLACK;
use unify::unify;

impl Fold {
    /// Every fold with its name.
    pub const ALL: [(&'static str, Self); 2] = [("t2s", Self::Characters), ("tw2sp", Self::Words)];

    /// The name in a spec.
    pub fn name(self) -> &'static str {
        Self::ALL[usize::from(self == Self::Words)].0
    }

    /// The fold of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|row| row.1)
    }

    /// Name and data, for digests.
    pub fn canonical(self) -> String {
        format!("fold {} by tables {:032x}", self.name(), data::digest(self))
    }

    /// Folds a text that is not normalised, such as a case-sensitive one.
    ///
    /// ```
    /// use simsieve_core::text::simplify::Fold;
    /// assert_eq!(Fold::Characters.apply("軟體 ABC"), "软体 ABC");
    /// assert_eq!(Fold::Words.apply("軟體 ABC"), "软件 ABC");
    /// ```
    pub fn apply(self, text: &str) -> String {
        let mut bytes = unify(text).into_owned().into_bytes();
        let mut len = bytes.len();
        bytes.resize(len + SLACK, 0);
        if let Some(simplified) = self.characters(&mut bytes, len) {
            len = simplified;
        }
        bytes.truncate(len);
        if self == Self::Words
            && let Some(replaced) = Self::words(&bytes)
        {
            bytes = replaced;
        }
        String::from_utf8(bytes).expect("characters become characters")
    }

    /// Simplifies the characters of the first `len` bytes of `buffer`, which has `SLACK` bytes more. Returns the new
    /// length, or `None` if nothing changed.
    pub(super) fn characters(self, buffer: &mut Vec<u8>, len: usize) -> Option<usize> {
        let table = characters::table(self);
        let first = table.first(buffer, len)?;
        Some(table.rewrite(buffer, len, first))
    }

    /// The text with the words of Taiwan replaced; `None` without any.
    pub(super) fn words(text: &[u8]) -> Option<Vec<u8>> {
        words::TABLE.replace(text)
    }
}
