//! Rules on fields of records: values must not differ, must be near, or join two records if they are equal.
//!
//! In: the value of a field as it is written. Out: a *fact*, 128 bits that [`FieldRule::compares`] compares; 0 where nothing is known.
//! A fact is a function of the value and the rule alone, and a comparison is symmetric.

use serde_json::{Value as Json, json};

use crate::base::error::{Error, Result};
use crate::base::hash::{xxh3_64, xxh3_128};
use crate::collection::dates::millis_of;
use crate::source::Value;
use crate::text::Fold;
use crate::text::normalise::plain;

/// The fact of an unknown value.
pub const UNKNOWN: u128 = 0;

/// Words that stand for a missing value, in lower case.
const MISSING: [&str; 8] = ["unknown", "n/a", "na", "none", "null", "nan", "-", "?"];
/// What may precede an identifier and does not count: the addresses of resolvers and the name of the kind.
const RESOLVERS: [&str; 6] = ["https://", "http://", "www.", "dx.", "doi.org/", "doi:"];
/// Words of a list of names that are no names.
const NO_NAMES: [&str; 4] = ["and", "et", "al", "jr"];
/// Words of a list of names that count, the first ones.
const MOST_WORDS: usize = 24;
/// Milliseconds of the units of a bound on dates.
const UNITS: [(&str, u64); 4] = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)];

/// How two known values of a field agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// They are equal, but for case, spaces and the address of a resolver in front.
    Known,
    /// The first numbers in them differ by at most this.
    Number(f64),
    /// The first numbers in them differ by at most this share of the larger one.
    Share(f64),
    /// They are dates that differ by at most this many milliseconds.
    Time(u64),
    /// They are ranges that overlap, such as pages.
    Range,
    /// They are lists of names, and the shorter one has half of its words in the other.
    Names,
}

impl Bound {
    /// Reads a bound: `known`, `range`, `names`, a number, a percentage, or a time such as 3d.
    ///
    /// # Errors
    /// [`Error::Config`] where it is none.
    pub fn parse(text: &str) -> Result<Self> {
        let number = |digits: &str| {
            digits
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite() && *number >= 0.0)
        };
        let time = || {
            let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
            let (_, millis) = UNITS.iter().find(|(name, _)| *name == unit)?;
            digits.parse::<u64>().ok()?.checked_mul(*millis).map(Self::Time)
        };
        let found = match (text, text.strip_suffix('%')) {
            ("known", _) => Some(Self::Known),
            ("range", _) => Some(Self::Range),
            ("names", _) => Some(Self::Names),
            (_, Some(percent)) => number(percent).map(|percent| Self::Share(percent / 100.0)),
            _ => number(text).map(Self::Number).or_else(time),
        };
        let wrong = || {
            Error::Config(msg!(
                "{text:?} is no bound of a field: give a number such as 1, a percentage such as 5%, a time such as 3d, range, names \
                 or known"
            ))
        };
        found.ok_or_else(wrong)
    }
}

/// A rule on a field. It holds for two records if one of them lacks a value.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldRule {
    /// The names of the field: the first one with a value counts. None where the facts are known without the records.
    pub names: Vec<String>,
    /// How two values agree.
    pub bound: Bound,
    /// As the user wrote it.
    pub written: String,
    /// Two records whose values do not agree are not near.
    pub apart: bool,
    /// Two records whose values agree are near, whatever their texts say.
    pub joins: bool,
}

impl FieldRule {
    /// A rule of its parts.
    ///
    /// # Errors
    /// As [`Bound::parse`].
    pub fn new(names: Vec<String>, bound: &str, apart: bool, joins: bool) -> Result<Self> {
        Ok(Self {
            names,
            bound: Bound::parse(bound)?,
            written: bound.to_owned(),
            apart,
            joins,
        })
    }

    /// The rule as a part of an identity, without its names.
    pub(crate) fn identity(&self) -> Json {
        json!([self.written, self.apart, self.joins])
    }

    /// The rule read back of an identity, for records whose facts are known.
    pub(crate) fn of_identity(json: &Json) -> Option<Self> {
        let flag = |at: usize| json.get(at)?.as_bool();
        Self::new(Vec::new(), json.get(0)?.as_str()?, flag(1)?, flag(2)?).ok()
    }

    /// The fact of the first known value among those of the names.
    pub(crate) fn fact<'v>(&self, values: impl IntoIterator<Item = Option<&'v str>>) -> u128 {
        let known = |text: &'v str| {
            let text = text.trim();
            let is_missing = text.is_empty() || MISSING.iter().any(|word| text.eq_ignore_ascii_case(word));
            (!is_missing).then_some(text)
        };
        let value = values.into_iter().flatten().find_map(known);
        value.and_then(|text| self.bound.fact(text)).unwrap_or(UNKNOWN)
    }

    /// Whether two facts agree; `None` where one is not known, or they cannot be compared.
    #[inline]
    pub fn compares(&self, a: u128, b: u128) -> Option<bool> {
        if a == UNKNOWN || b == UNKNOWN {
            return None;
        }
        let number = |fact: u128| f64::from_bits(fact as u64);
        Some(match self.bound {
            Bound::Known => a == b,
            Bound::Number(most) => (number(a) - number(b)).abs() <= most,
            Bound::Share(most) => (number(a) - number(b)).abs() <= most * number(a).abs().max(number(b).abs()),
            Bound::Time(most) => (a as i64).abs_diff(b as i64) <= most,
            Bound::Range => return Pages::of(a).agree(Pages::of(b)),
            Bound::Names => 2 * (a & b).count_ones() >= a.count_ones().min(b.count_ones()),
        })
    }
}

/// Whether two values of a field agree within a bound; `None` where one is not known, or they cannot be compared.
///
/// # Errors
/// As [`Bound::parse`].
pub fn agree(bound: &str, a: Option<&str>, b: Option<&str>) -> Result<Option<bool>> {
    let rule = FieldRule::new(Vec::new(), bound, true, false)?;
    let [a, b] = [a, b].map(|value| rule.fact([value]));
    Ok(rule.compares(a, b))
}

/// Numbers and dates have this bit besides their 64, so that none is [`UNKNOWN`].
const IS_KNOWN: u128 = 1 << 64;

impl Bound {
    fn fact(self, text: &str) -> Option<u128> {
        match self {
            Self::Known => Some(xxh3_128(identifier(text).as_bytes()).max(1)),
            Self::Number(_) | Self::Share(_) => Some(u128::from(first_number(text)?.to_bits()) | IS_KNOWN),
            Self::Time(_) => Some(u128::from(millis_of(&Value::of_text(text))?.cast_unsigned()) | IS_KNOWN),
            Self::Range => Pages::read(text).map(Pages::fact),
            Self::Names => Some(names(text)).filter(|words| *words != UNKNOWN),
        }
    }
}

/// An identifier in lower case without spaces and without what may precede it.
fn identifier(text: &str) -> String {
    let mut plain = plain::fold(text);
    plain.retain(|c| !c.is_whitespace());
    let mut rest = plain.as_str();
    for before in RESOLVERS {
        rest = rest.strip_prefix(before).unwrap_or(rest);
    }
    rest.trim_end_matches(['/', '.']).to_owned()
}

/// The first number in a text; commas between three digits do not count.
fn first_number(text: &str) -> Option<f64> {
    let at = text.find(|c: char| c.is_ascii_digit())?;
    let is_negative = at == 1 && text.starts_with('-');
    let rest = &text[at..];
    let mut digits = String::new();
    for (place, c) in rest.char_indices() {
        let next = rest.as_bytes().get(place + 1).is_some_and(u8::is_ascii_digit);
        match c {
            '0'..='9' => digits.push(c),
            '.' if next && !digits.contains('.') => digits.push(c),
            ',' if rest.as_bytes()[place + 1..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()
                == 3 => {}
            _ => break,
        }
    }
    let number = digits.parse().ok().filter(|number: &f64| number.is_finite())?;
    // Zero has one sign, so that equal numbers are equal facts.
    Some(if is_negative && number != 0.0 { -number } else { number })
}

/// A range of pages: letters in front, first and last number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pages {
    letters: u64,
    first: u64,
    last: u64,
}

/// Bits of each number of a fact of pages, and of the hash of the letters.
const PAGE_BITS: u32 = 48;
const LETTER_BITS: u32 = 31;

impl Pages {
    /// Reads `205-11`, `S109-S112`, `e12724`, `9`; `None` where a text is something else, such as `13-May` or `Suppl-12`.
    fn read(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let (letters, number, rest) = page(text)?;
        let first = number.parse().ok().filter(|&page: &u64| page < 1 << PAGE_BITS)?;
        let mut pages = Self {
            letters: if letters.is_empty() {
                0
            } else {
                xxh3_64(letters.to_ascii_lowercase().as_bytes()) >> (64 - LETTER_BITS) | 1
            },
            first,
            last: first,
        };
        let dashes = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}');
        let behind = rest.trim_start();
        let end = behind.trim_start_matches(|c| dashes(c) || c == ' ');
        if !behind.starts_with(dashes) || end.is_empty() {
            return Some(pages);
        }
        let (_, digits, _) = page(end)?;
        // 205-11 is 205-211.
        let missing = number.len().saturating_sub(digits.len());
        pages.last = format!("{}{digits}", &number[..missing]).parse().ok()?;
        (pages.first <= pages.last && pages.last < 1 << PAGE_BITS).then_some(pages)
    }

    fn fact(self) -> u128 {
        let bits = u128::from(self.letters) << (2 * PAGE_BITS);
        1 << 127 | bits | u128::from(self.first) << PAGE_BITS | u128::from(self.last)
    }

    fn of(fact: u128) -> Self {
        let part = |shift: u32, bits: u32| (fact >> shift) as u64 & ((1 << bits) - 1);
        Self {
            letters: part(2 * PAGE_BITS, LETTER_BITS),
            first: part(PAGE_BITS, PAGE_BITS),
            last: part(0, PAGE_BITS),
        }
    }

    /// Pages of one form overlap or do not. Of two forms, such as e12724 and 1-6, equal first numbers agree, and others say nothing.
    fn agree(self, other: Self) -> Option<bool> {
        if self.letters == other.letters {
            Some(self.first <= other.last && other.first <= self.last)
        } else {
            (self.first == other.first).then_some(true)
        }
    }
}

/// The letters in front of a number, at most three, the number, and what follows.
fn page(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let (letters, rest) = text.split_at(start);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, rest) = rest.split_at(end);
    (start <= 3 && !number.is_empty()).then_some((letters, number, rest))
}

/// A bit for each of the first words of a list of names: in lower case, without accents, of two letters and more, so that initials
/// match names.
fn names(text: &str) -> u128 {
    let plain = Fold::MARKS.apply(&plain::fold(text));
    let words = plain.split(|c: char| !c.is_alphabetic());
    let is_name = |word: &&str| word.chars().nth(1).is_some() && !NO_NAMES.contains(word);
    let bit = |word: &str| 1_u128 << (xxh3_64(word.as_bytes()) >> 57);
    words
        .filter(is_name)
        .take(MOST_WORDS)
        .map(bit)
        .fold(0, |all, bit| all | bit)
}

/// Numbers that two records share if a fact of theirs is equal and its rule joins.
pub(crate) fn joining<'a>(rules: &'a [FieldRule], facts: &'a [u128]) -> impl Iterator<Item = u128> + 'a {
    let known = (0_u128..).zip(rules.iter().zip(facts));
    let known = known.filter(|(_, (rule, fact))| rule.joins && **fact != UNKNOWN);
    known.map(|(at, (_, &fact))| xxh3_128([at, fact].map(u128::to_le_bytes).as_flattened()))
}

/// What says whether the facts of a record are those of another; none where there are none.
pub(crate) fn content_of(row: &[u128]) -> Option<u128> {
    (row.len() > 1).then(|| xxh3_128(bytemuck::cast_slice(row)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compares(bound: &str, a: &str, b: &str) -> Option<bool> {
        let rule = FieldRule::new(vec!["x".to_owned()], bound, true, false).unwrap();
        let [a, b] = [a, b].map(|text| rule.fact([Some(text)]));
        assert_eq!(rule.compares(a, b), rule.compares(b, a));
        rule.compares(a, b)
    }

    #[test]
    fn values_agree_differ_or_say_nothing() {
        for (bound, a, b, agree) in [
            ("known", "10.1/A ", "https://doi.org/10.1/a", Some(true)),
            ("known", "doi: 10.1/A", "http://dx.doi.org/10.1/a/", Some(true)),
            ("known", "10.1/a", "10.1/b", Some(false)),
            ("known", "10.1/a", " ", None),
            ("known", "UNKNOWN", "10.1/b", None),
            ("known", "1.10", "1.1", Some(false)),
            ("1", "2006", "2007-05", Some(true)),
            ("1", "2006", "2008", Some(false)),
            ("1", "-1", "1", Some(false)),
            ("0", "10 Suppl 2", "10", Some(true)),
            ("0", "Suppl", "10", None),
            ("5%", "1,000.0 EUR", "955", Some(true)),
            ("5%", "1000", "940", Some(false)),
            ("3d", "2026-11-26", "2026-11-29T00:00:00Z", Some(true)),
            ("3d", "2026-11-26", "2026-11-30", Some(false)),
            ("3d", "2026-11-26", "soon", None),
            ("range", "205-11", "211-220", Some(true)),
            ("range", "205-11", "212-220", Some(false)),
            ("range", "S109-S112", "109", Some(true)),
            ("range", "e12724", "1-6", None),
            ("range", "13-May", "5-13", None),
            ("range", "Suppl-12", "5-13", None),
            ("range", "2297-2108", "2097-2108", None),
            ("range", "2243-5; author reply 2243-5", "2244", Some(true)),
            (
                "names",
                "Sørensen, P. G. and Bach, F.",
                "Sorensen P; Bach Fritz",
                Some(true),
            ),
            ("names", "Solomon, D", "Walker, J", Some(false)),
            ("names", "A. B.", "Walker, J", None),
            (
                "names",
                "[\"Ann Lee\",\"Bo Wu\"]",
                "Lee, A. and Wu, B. and Li, C.",
                Some(true),
            ),
        ] {
            assert_eq!(compares(bound, a, b), agree, "{bound}: {a} | {b}");
        }
        for wrong in ["", "x", "-1", "nan", "1y", "5 %"] {
            assert!(Bound::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_first_known_value_of_several_names_counts() {
        let rule = FieldRule::new(vec!["a".to_owned(), "b".to_owned()], "0", true, false).unwrap();
        assert_eq!(rule.fact([Some("n/a"), Some("7")]), rule.fact([None, Some("7")]));
        assert_eq!(rule.fact([None, None]), UNKNOWN);
    }

    proptest! {
        /// A comparison is symmetric, and a known value agrees with itself.
        #[test]
        fn comparisons_are_symmetric(a in ".{0,12}", b in ".{0,12}", c in "[a-z]{0,2}[0-9]{1,4}(-[0-9]{1,4})?", bound in
            prop::sample::select(vec!["known", "1", "5%", "3d", "range", "names"])) {
            for (x, y) in [(&a, &b), (&a, &c), (&c, &b)] {
                compares(bound, x, y);
                prop_assert!(compares(bound, x, x) != Some(false));
            }
        }
    }
}
