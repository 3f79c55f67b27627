//! The two outputs of the normalisation.

use std::borrow::Cow;

use super::marks::{MARK, folded};
use super::table::{CLASS_SHIFT, Class, TABLE, entry_beyond};
use crate::text::SLACK;
use crate::text::simplify::Fold;

/// The outputs for one text. Keep one a thread to reuse its memory.
///
/// The buffers keep the size of the longest text so far and are never cleared; their lengths mark the end of the text.
#[derive(Debug, Default, Clone)]
pub struct Compact {
    pub(super) full: Vec<u8>,
    pub(super) full_len: usize,
    /// The characters that the compact text keeps; not read if it keeps all.
    pub(super) kept: Vec<u8>,
    pub(super) kept_len: usize,
    pub(super) all_ascii: bool,
    pub(super) keep_all: bool,
    /// The marked characters, each with its place in the normalised text.
    pub(super) marks: Vec<(usize, char)>,
    /// The exact form; not read if there are no marks.
    exact: Vec<u8>,
    /// The exact form of the whole text that this is a part of.
    whole: Option<Vec<u8>>,
}

impl Compact {
    /// The normalised text (UTF-8).
    pub fn normalised(&self) -> &[u8] {
        &self.full[..self.full_len]
    }

    /// The exact form of the text (UTF-8), by which exact copies are known: the normalised text, with a mark before what
    /// NFKC made of superscripts and other characters of numbers ([`super::marks`]).
    pub fn exact(&self) -> &[u8] {
        if let Some(whole) = &self.whole {
            whole
        } else if self.marks.is_empty() {
            self.normalised()
        } else {
            &self.exact
        }
    }

    /// As [`Compact::exact`], as text.
    pub(crate) fn exact_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.exact())
    }

    /// Takes the exact form of the whole text that this is a part of.
    pub(crate) fn take_exact(&mut self, whole: Vec<u8>) {
        self.whole = Some(whole);
    }

    /// The text that features are cut from (UTF-8).
    pub fn compact(&self) -> &[u8] {
        if self.keep_all {
            self.normalised()
        } else {
            &self.kept[..self.kept_len]
        }
    }

    /// Whether the compact text is the normalised one.
    pub(crate) fn keeps_all(&self) -> bool {
        self.keep_all
    }

    /// Takes a compact text (UTF-8) as it is, as both outputs.
    pub(crate) fn take_compact(&mut self, text: &[u8]) {
        self.clear(true);
        self.full.clear();
        self.full.extend_from_slice(text);
        // The bytes after the end do not matter.
        self.full.resize(text.len() + SLACK, 0xA5);
        (self.full_len, self.all_ascii) = (text.len(), text.is_ascii());
    }

    /// Whether every character of the compact text is one byte long.
    pub fn is_ascii(&self) -> bool {
        self.all_ascii
    }

    /// The compact text with at least [`SLACK`] bytes of anything after it, and the text's own length.
    pub(crate) fn padded(&self) -> (&[u8], usize) {
        if self.keep_all {
            (&self.full, self.full_len)
        } else {
            (&self.kept, self.kept_len)
        }
    }

    /// Takes `text` (UTF-8) as both outputs, for a text that needs no normalisation.
    #[cfg(test)]
    pub(crate) fn of(text: &str) -> Self {
        let mut taken = Self::default();
        taken.take_compact(text.as_bytes());
        taken
    }

    pub(super) fn clear(&mut self, keep_all: bool) {
        (self.full_len, self.kept_len, self.keep_all) = (0, 0, keep_all);
        self.marks.clear();
        self.whole = None;
    }

    /// Makes the exact form of a normalised text that has marks.
    #[cold]
    pub(super) fn mark(&mut self, fold: Option<Fold>) {
        let mut exact = String::with_capacity(self.full_len + 8 * self.marks.len());
        let (mut from, normalised) = (0, String::from_utf8_lossy(&self.full[..self.full_len]));
        for &(at, c) in &self.marks {
            exact.push_str(&normalised[from..at]);
            exact.extend([MARK, folded(c)]);
            from = at;
        }
        exact.push_str(&normalised[from..]);
        self.exact = fold
            .map_or_else(|| exact.clone(), |fold| fold.apply(&exact))
            .into_bytes();
    }

    /// Reserves the outputs of `input` more bytes. A simple character of two bytes can become one of three.
    pub(super) fn make_room(&mut self, input: usize) {
        for (buffer, len) in [(&mut self.full, self.full_len), (&mut self.kept, self.kept_len)] {
            let wanted = len + input + input / 2 + SLACK;
            if buffer.len() < wanted {
                buffer.resize(wanted, 0);
            }
        }
    }

    /// Whether a space would be at the start or after another.
    pub(super) fn after_space(&self) -> bool {
        self.full_len == 0 || self.full[self.full_len - 1] == b' '
    }

    #[inline]
    pub(super) fn push(&mut self, encoded: [u8; 4], length: usize, class: Class) {
        if class == Class::Space {
            if !self.after_space() {
                self.full[self.full_len] = b' ';
                self.full_len += 1;
            }
            return;
        }
        // Always four bytes at once: later writes overwrite the rest.
        self.full[self.full_len..self.full_len + 4].copy_from_slice(&encoded);
        self.full_len += length;
        self.kept[self.kept_len..self.kept_len + 4].copy_from_slice(&encoded);
        self.kept_len += if class == Class::Plain { length } else { 0 };
    }

    /// Folds both forms of the text.
    ///
    /// Complexity: linear in the length of the text.
    pub(super) fn simplify(&mut self, fold: Fold) {
        let changed = fold.characters(&mut self.full, self.full_len);
        self.full_len = changed.unwrap_or(self.full_len);
        if let Some(mut replaced) = fold.longer(self.normalised()) {
            self.full_len = replaced.len();
            replaced.resize(replaced.len() + SLACK, 0);
            self.full = replaced;
            self.keep_again(Class::Plain);
        } else if changed.is_some() && !self.keep_all {
            self.kept_len = fold.characters(&mut self.kept, self.kept_len).unwrap_or(self.kept_len);
        }
    }

    /// Makes the compact text of the symbols, where nothing else of the text counts.
    pub(super) fn keep_symbols_alone(&mut self) {
        if self.kept_len == 0 && self.full_len > 0 {
            self.keep_again(Class::Symbol);
        }
    }

    /// Makes the compact text again from a replaced normalised text, of the characters of a class.
    fn keep_again(&mut self, class: Class) {
        (self.kept_len, self.all_ascii) = (0, false);
        if self.keep_all {
            return;
        }
        if self.kept.len() < self.full.len() {
            self.kept.resize(self.full.len(), 0);
        }
        let (mut at, mut kept_len) = (0, 0);
        while at < self.full_len {
            let (code, length) = decode(&self.full, at);
            self.kept[kept_len..kept_len + 4].copy_from_slice(&self.full[at..at + 4]);
            kept_len += if class_of_entry(entry_of(code)) == class {
                length
            } else {
                0
            };
            at += length;
        }
        self.kept_len = kept_len;
    }

    pub(super) fn push_char(&mut self, c: char, class: Class) {
        let mut encoded = [0; 4];
        let length = c.encode_utf8(&mut encoded).len();
        self.push(encoded, length, class);
    }
}

#[inline]
pub(super) fn entry_of(code: u32) -> u32 {
    TABLE
        .get(code as usize)
        .copied()
        .unwrap_or_else(|| entry_beyond(char_of(code)))
}

#[inline]
pub(super) fn class_of_entry(entry: u32) -> Class {
    match entry >> CLASS_SHIFT & 3 {
        0 => Class::Plain,
        1 => Class::Punctuation,
        2 => Class::Space,
        _ => Class::Symbol,
    }
}

/// The character of a valid code.
#[inline]
pub(super) fn char_of(code: u32) -> char {
    char::from_u32(code).unwrap_or('\u{FFFD}')
}

/// The code of the character at byte `at` of valid UTF-8, and its length.
#[inline]
pub(super) fn decode(bytes: &[u8], at: usize) -> (u32, usize) {
    let byte = |i: usize| u32::from(bytes[at + i]);
    let low = |i: usize| byte(i) & 0x3F;
    match bytes[at] {
        0..0x80 => (byte(0), 1),
        0x80..0xE0 => ((byte(0) & 0x1F) << 6 | low(1), 2),
        0xE0..0xF0 => ((byte(0) & 0xF) << 12 | low(1) << 6 | low(2), 3),
        0xF0.. => ((byte(0) & 7) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4),
    }
}
