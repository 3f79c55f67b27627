//! Traditional Chinese made Simplified, so that a text has the features of the same text in the other script.
//!
//! It is the last step of normalising: in come both forms of a normalised text, out go both forms of what
//! [`plain::simplify`] says in a few lines.

mod characters;
pub mod data;
mod han;
pub mod plain;
mod unify;
mod words;

use crate::text::SLACK;
use unify::unify;

/// What a scheme makes Simplified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Characters, each by itself.
    Characters,
    /// Characters, then the words of Taiwan that have others on the mainland, the longest first.
    Words,
}

impl Fold {
    /// Every fold with its name.
    pub const ALL: [(&'static str, Self); 2] = [("t2s", Self::Characters), ("tw2sp", Self::Words)];

    /// What it is called in a spec.
    pub fn name(self) -> &'static str {
        Self::ALL[usize::from(self == Self::Words)].0
    }

    /// The fold of a name; `Some(None)` for `none`, `None` where there is no such one.
    #[allow(
        clippy::option_option,
        reason = "a name may be unknown, and a known one may stand for no fold"
    )]
    pub fn named(name: &str) -> Option<Option<Self>> {
        let known = Self::ALL.iter().find(|(known, _)| *known == name);
        known
            .map(|row| Some(row.1))
            .or_else(|| (name == "none").then_some(None))
    }

    /// Name and data, for digests.
    pub fn canonical(self) -> String {
        format!(
            "fold {} by tables {:032x}",
            self.name(),
            data::digest(self == Self::Words)
        )
    }

    /// A text folded that is not normalised, such as one whose case matters.
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
        if let Some(simplified) = Self::characters(&mut bytes, len) {
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

    /// Simplifies the characters of the first `len` bytes of `buffer`, which has `SLACK` bytes more. Returns the new length,
    /// or `None` where nothing changed.
    pub(super) fn characters(buffer: &mut Vec<u8>, len: usize) -> Option<usize> {
        let first = characters::TABLE.first(buffer, len)?;
        Some(characters::TABLE.rewrite(buffer, len, first))
    }

    /// The text with the words of Taiwan replaced, where it has any.
    pub(super) fn words(text: &[u8]) -> Option<Vec<u8>> {
        words::TABLE.replace(text)
    }
}
