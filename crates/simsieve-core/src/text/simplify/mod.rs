//! Makes Traditional Chinese Simplified, so a text has the same features in both scripts; writes Chinese numerals in
//! digits, and leaves out accents and vowel marks.
//!
//! The last step of normalising. In: both forms of a normalised text. Out: both forms, folded. [`plain::simplify`] is the short form.

mod accents;
mod characters;
pub mod data;
mod fold;
mod han;
pub mod plain;
mod unify;
mod words;

pub use fold::{Fold, Script};

use std::borrow::Cow;

use crate::text::SLACK;
use crate::text::numbers;
use crate::text::numbers::digits::in_digits;
use unify::unify;

impl Fold {
    /// Traditional characters become Simplified.
    pub const CHARACTERS: Self = Self::of(Some(Script::Characters), false, false);
    /// So do words of Taiwan.
    pub const WORDS: Self = Self::of(Some(Script::Words), false, false);
    /// Numbers in Chinese numerals are written in digits.
    pub const NUMERALS: Self = Self::of(None, true, false);
    /// Accents and vowel marks are left out.
    pub const MARKS: Self = Self::of(None, false, true);
    /// Every fold with its name.
    pub const ALL: [(&'static str, Self); 11] = [
        ("t2s", Self::CHARACTERS),
        ("tw2sp", Self::WORDS),
        ("numerals", Self::NUMERALS),
        ("marks", Self::MARKS),
        ("t2s+numerals", Self::of(Some(Script::Characters), true, false)),
        ("tw2sp+numerals", Self::of(Some(Script::Words), true, false)),
        ("t2s+marks", Self::of(Some(Script::Characters), false, true)),
        ("tw2sp+marks", Self::of(Some(Script::Words), false, true)),
        ("numerals+marks", Self::of(None, true, true)),
        ("t2s+numerals+marks", Self::of(Some(Script::Characters), true, true)),
        ("tw2sp+numerals+marks", Self::of(Some(Script::Words), true, true)),
    ];

    const fn of(script: Option<Script>, numerals: bool, marks: bool) -> Self {
        Self {
            script,
            numerals,
            marks,
        }
    }

    /// The name in a spec; none for the fold that changes nothing.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.1 == self).map_or("none", |row| row.0)
    }

    /// The fold of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|row| row.1)
    }

    /// Name and data, for digests.
    pub fn canonical(self) -> String {
        let script = self
            .script
            .map(|script| format!(" by tables {:032x}", data::digest(script)));
        let numerals = self.numerals.then(|| format!(" by numbers {}", numbers::VERSION));
        let marks = self.marks.then(|| format!(" by marks {}", accents::VERSION));
        let parts = [script, numerals, marks].map(Option::unwrap_or_default).concat();
        format!("fold {}{parts}", self.name())
    }

    /// Folds a text that is not normalised, such as a case-sensitive one.
    ///
    /// ```
    /// use simsieve_core::text::simplify::Fold;
    /// assert_eq!(Fold::CHARACTERS.apply("軟體 ABC"), "软体 ABC");
    /// assert_eq!(Fold::WORDS.apply("軟體 ABC"), "软件 ABC");
    /// assert_eq!(Fold::NUMERALS.apply("第一百二十三条"), "第123条");
    /// assert_eq!(Fold::MARKS.apply("café"), "cafe");
    /// ```
    pub fn apply(self, text: &str) -> String {
        let text = if self.script.is_some() {
            unify(text)
        } else {
            Cow::Borrowed(text)
        };
        let mut bytes = text.into_owned().into_bytes();
        let len = bytes.len();
        bytes.resize(len + SLACK, 0);
        let simplified = self.characters(&mut bytes, len);
        bytes.truncate(simplified.unwrap_or(len));
        let bytes = self.longer(&bytes).unwrap_or(bytes);
        String::from_utf8(bytes).expect("characters become characters")
    }

    /// Simplifies the characters of the first `len` bytes of `buffer`, which has `SLACK` bytes more. Returns the new
    /// length, or `None` if nothing changed.
    pub(super) fn characters(self, buffer: &mut Vec<u8>, len: usize) -> Option<usize> {
        characters::table(self.script?).simplify(buffer, len)
    }

    /// The text with the words of Taiwan replaced, with numbers in digits and without marks, as the fold has it; `None` where nothing of
    /// it changes.
    pub(super) fn longer(self, text: &[u8]) -> Option<Vec<u8>> {
        let mut changed = if self.script == Some(Script::Words) {
            words::TABLE.replace(text)
        } else {
            None
        };
        let rewrites: [(bool, fn(&str) -> Option<String>); 2] =
            [(self.numerals, in_digits), (self.marks, accents::without_marks)];
        for (_, rewrite) in rewrites.into_iter().filter(|(is_asked, _)| *is_asked) {
            let now = std::str::from_utf8(changed.as_deref().unwrap_or(text)).expect("the normaliser writes UTF-8");
            changed = rewrite(now).map(String::into_bytes).or(changed);
        }
        changed
    }
}
