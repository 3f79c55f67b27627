//! The kinds of conflicts, and the values that are compared.

use crate::base::error::Result;
use crate::base::hash::xxh3_64;
use crate::text::guard::parse_names;

/// The version of the rules, part of the identity of a run.
const VERSION: u32 = 1;

/// A kind of conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conflict {
    /// Other numbers in one slot.
    Numbers,
    /// Other codes in one slot.
    Codes,
    /// Other words in one slot that exclude one another.
    Opposites,
    /// Each text has a run of more than [`RUN`](crate::dedup::verify::losses::RUN) units, and of a tenth of itself, that the other lacks.
    Text,
}

impl Conflict {
    const ALL: [(&'static str, Self); 4] = [
        ("numbers", Self::Numbers),
        ("codes", Self::Codes),
        ("opposites", Self::Opposites),
        ("text", Self::Text),
    ];

    /// Reads names, each once, in a fixed order.
    ///
    /// # Errors
    /// [`Error::Config`] for another name.
    pub fn parse_all(names: &[String]) -> Result<Vec<Self>> {
        parse_names(names, &Self::ALL, |name| {
            msg!("conflict {name:?} is not known: allowed are numbers, codes, opposites and text")
        })
    }

    /// Name and version.
    pub fn canonical(self) -> String {
        format!("{}/{VERSION}", Self::ALL[self as usize].0)
    }
}

/// A value of a text.
#[derive(Debug)]
pub(super) struct Value {
    /// As it is written, without commas.
    pub(super) written: String,
    /// A hash of its plain form.
    pub(super) plain: u64,
    /// The values of one class are compared: digits, numerals, codes, a line of opposites.
    pub(super) class: u32,
}

impl Value {
    pub(super) fn new(written: &str, plain: &str, class: u32) -> Self {
        Self {
            written: written.replace(',', ""),
            plain: hash(plain),
            class,
        }
    }

    pub(super) fn is_digits(&self) -> bool {
        self.class == DIGITS
    }

    /// Numerals are not known as digits.
    pub(super) fn known(&self) -> u64 {
        self.plain ^ u64::from(self.class)
    }
}

pub(super) const DIGITS: u32 = 0;
pub(super) const NUMERALS: u32 = 1;
pub(super) const CODES: u32 = 2;
/// Lines of opposites have the classes from here on.
pub(super) const FIRST_LINE: u32 = 3;

pub(super) fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}
