//! A text as the letters in which passages and templates are found: its letters and digits and the signs that count, each with its place in the text as it was written.
//!
//! Letters are those of the folded text: case, width and form do not count, punctuation, spaces and
//! symbols neither.

use super::normalise::places::each_folded;
use super::{Class, class_of, is_dense};
use crate::base::hash::mix;

/// A letter and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letter {
    /// The code point; the top bit is set if it is dense.
    id: u32,
    /// Its first code point in the text.
    pub start: u32,
    /// The code point behind it.
    pub end: u32,
}

const DENSE: u32 = 1 << 31;

/// The code point of an id.
pub(crate) const fn point_of(id: u32) -> u32 {
    id & !DENSE
}

/// The id of a letter's code point.
pub(crate) const fn id_of(point: u32) -> u32 {
    if matches!(point, 0x4E00..=0x9FFF) || is_dense(point) {
        point | DENSE
    } else {
        point
    }
}

/// The units of a letter: 2 if it is dense, else 1.
pub(crate) const fn units(id: u32) -> u32 {
    1 + (id >> 31)
}

impl Letter {
    /// Equal for equal letters.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// A letter that is one code point of its text.
    pub(crate) const fn of_point(id: u32, start: u32) -> Self {
        Self {
            id,
            start,
            end: start + 1,
        }
    }

    /// Whether it is a Han, kana or Hangul character.
    pub const fn is_dense(&self) -> bool {
        self.id & DENSE != 0
    }
}

/// Writes the letters of a text into `letters`, whose former content is lost. Returns how many code points the text has.
///
/// Complexity: linear in the length of the text.
pub fn take_letters(text: &str, letters: &mut Vec<Letter>) -> u32 {
    letters.clear();
    each_folded(text, |c, start, end| {
        let is_han = matches!(c, '\u{4E00}'..='\u{9FFF}');
        // The most frequent characters need no look at Unicode's tables.
        if is_han || c.is_ascii_alphanumeric() || class_of(c) == Class::Plain {
            letters.push(Letter {
                id: id_of(c as u32),
                start,
                end,
            });
        }
    })
}

/// A number that letters have in common with equal ones. It is no proof: others may have it too.
///
/// Complexity: linear in the number of letters.
pub fn signature(letters: &[Letter]) -> u64 {
    // Four sums go on side by side.
    let mut sums = [letters.len() as u64; 4];
    for some in letters.chunks(4) {
        for (sum, letter) in sums.iter_mut().zip(some) {
            *sum = (*sum ^ u64::from(letter.id)).wrapping_mul(ODD).rotate_left(29);
        }
    }
    sums.into_iter().fold(0, |all, sum| mix(all ^ sum).wrapping_add(ODD))
}

/// An odd number with many ones, spread.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
