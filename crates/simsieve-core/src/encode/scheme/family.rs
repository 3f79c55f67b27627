//! Families of built-in schemes: the names, with the widths that they take.

use crate::encode::hash::MOST_WORDS;

/// What a name means, without its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Windows of characters.
    Chars,
    /// Words of the normalised text.
    Words,
    /// The Python package simhash (1e0ng).
    Simhash,
    /// The Java class of gemantic.
    Gemantic,
    /// The Go package mfonda/simhash.
    Mfonda,
    /// The plain `SimHash` that E-Simhash is compared with.
    EsimhashBaseline,
    /// E-Simhash.
    Esimhash,
    /// The Python tool `angelo_tools`.
    Angelo,
    /// Keywords.
    Keywords,
    /// TF-IDF over the lines of a text.
    LinesTfidf,
    /// Elements of pages.
    Dom,
    /// Fingerprints that the user brings.
    External,
}

/// The most bits of a fingerprint.
pub(super) const MOST: u32 = 64 * MOST_WORDS as u32;

impl Family {
    /// Every family with its name and its one width; none means any from 1 to [`MOST`].
    pub(super) const ALL: [(Self, &'static str, Option<u32>); 12] = [
        (Self::Chars, "chars", None),
        (Self::Words, "words", None),
        (Self::Simhash, "simhash", Some(64)),
        (Self::Gemantic, "gemantic", None),
        (Self::Mfonda, "mfonda", Some(64)),
        (Self::EsimhashBaseline, "esimhash_baseline", None),
        (Self::Esimhash, "esimhash", None),
        (Self::Angelo, "angelo", Some(32)),
        (Self::Keywords, "keywords", None),
        (Self::LinesTfidf, "lines_tfidf", None),
        (Self::Dom, "dom", None),
        (Self::External, "external", None),
    ];

    /// The name without a width.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The family of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// What a text is cut into, and what the family is for.
    pub(super) const fn purpose(self) -> (&'static str, &'static str) {
        match self {
            Self::Chars => ("characters", "texts of any language; a good start"),
            Self::Words => ("words", "texts by words; Chinese is segmented"),
            Self::Simhash => ("characters", "as the Python package simhash"),
            Self::Gemantic => ("words", "as gemantic (Java)"),
            Self::Mfonda => ("words", "as mfonda/simhash (Go)"),
            Self::EsimhashBaseline => ("words", "plain SimHash of the E-Simhash paper"),
            Self::Esimhash => ("words", "E-Simhash of the same paper"),
            Self::Angelo => ("words", "as angelo_tools (Python)"),
            Self::Keywords => ("keywords", "long Chinese texts by their 30 keywords"),
            Self::LinesTfidf => ("words", "long texts in which some words repeat"),
            Self::Dom => ("elements", "HTML pages with the same template"),
            Self::External => ("none", "fingerprints that you bring"),
        }
    }

    /// The one width that it takes; none means any.
    pub(super) const fn width(self) -> Option<u32> {
        Self::ALL[self as usize].2
    }

    /// Whether it takes a width.
    pub fn takes_width(self, width: u32) -> bool {
        self.width().map_or((1..=MOST).contains(&width), |only| only == width)
    }

    /// Family and width of a name without options; `None` where it is no scheme's. `external` alone has 64 bits, as image
    /// hashes mostly do.
    pub(super) fn of_name(name: &str) -> Option<(Self, u32)> {
        let (family, digits) = Self::apart(name)?;
        if digits.is_empty() && family == Self::External {
            return Some((family, 64));
        }
        Some((family, family.width_of(digits)?))
    }

    /// The family with which a name begins, and what follows.
    pub(super) fn apart(name: &str) -> Option<(Self, &str)> {
        let (base, digits) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()));
        Some((Self::named(base)?, digits))
    }

    /// The width that digits say, where the family takes it.
    pub(super) fn width_of(self, digits: &str) -> Option<u32> {
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
        digits.parse().ok().filter(|width| plain && self.takes_width(*width))
    }
}
