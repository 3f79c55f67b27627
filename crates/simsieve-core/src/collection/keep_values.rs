//! What the values of a keep rule's field are, so that a user can be told where their order is hardly the one that was meant.
//!
//! In: the values of the documents that are put in order. Out: a [`KeepValues`] a field.

use std::cmp::Ordering;

use crate::collection::keep_order::{KeepOrder, Keys};
use crate::source::Value;

/// Texts of a field that are looked at, the first ones.
const LOOKED_AT: usize = 10_000;

/// The values of one field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeepValues {
    /// The field's name.
    pub field: String,
    /// Documents whose value is a number, or a text that is written like one.
    pub numbers: usize,
    /// Documents whose value is another text,
    pub texts: usize,
    /// and the first such text.
    pub text: Option<String>,
    /// Documents without a value.
    pub missing: usize,
    /// Two texts whose order as texts is not that of the numbers or dates in them.
    pub misordered: Option<(String, String)>,
}

impl KeepValues {
    /// Those of each field of a keep order, of the first documents. A record that failed has no values.
    pub(crate) fn of_all(keep: &KeepOrder, keys: &Keys, documents: usize) -> Vec<Self> {
        let of = |at: usize| {
            keys.values
                .iter()
                .take(documents)
                .filter_map(move |values| values.get(at))
        };
        let fields = keep.fields().into_iter().enumerate();
        fields.map(|(at, field)| Self::of(field, of(at))).collect()
    }

    /// Counts the values of a field, in the order of positions.
    fn of<'v>(field: String, values: impl Iterator<Item = &'v Value>) -> Self {
        let mut counts = Self {
            field,
            ..Self::default()
        };
        let mut texts: Vec<&str> = Vec::new();
        for value in values {
            match value {
                Value::Missing => counts.missing += 1,
                Value::Int(_) | Value::Date(_) | Value::Float(_) => counts.numbers += 1,
                Value::Text(text) => {
                    counts.texts += 1;
                    if texts.len() < LOOKED_AT {
                        texts.push(text);
                    }
                }
            }
        }
        counts.text = texts.first().map(|&text| text.to_owned());
        texts.sort_unstable();
        texts.dedup();
        counts.misordered = misordered(&texts);
        counts
    }
}

/// Two neighbours of ascending texts that are in the wrong order: times of several zones, dates that do not begin with the year, or
/// texts of one form whose numbers fall. Where it is a rare accident, as among random names, there are none.
fn misordered(texts: &[&str]) -> Option<(String, String)> {
    let owned = |pair: &[&str]| (pair[0].to_owned(), pair[1].to_owned());
    let most = |found: usize, all: usize| found > 0 && 2 * found >= all;
    let dates: Vec<&str> = texts.iter().copied().filter(|text| is_late_year(text)).collect();
    if most(dates.len(), texts.len()) {
        return dates.windows(2).next().map(owned);
    }
    let zones: Vec<(&str, &str)> = texts.iter().filter_map(|&text| Some((zone(text)?, text))).collect();
    if most(zones.len(), texts.len()) {
        let other = zones.iter().find(|(zone, _)| *zone != zones[0].0);
        return other.map(|(_, text)| (zones[0].1.to_owned(), (*text).to_owned()));
    }
    let wrong = |pair: &&[&str]| by_numbers(pair[0], pair[1]) == Some(Ordering::Greater);
    let mut falling = texts.windows(2).filter(wrong);
    let first = falling.next()?;
    (50 * (1 + falling.count()) >= texts.len()).then(|| owned(first))
}

/// Whether a text is a date whose year is not in front, such as 31/01/2024, 5.1.24, Jan 5, 2024 or Mon, 5 Jan 2024.
fn is_late_year(text: &str) -> bool {
    let parts: Vec<&str> = parts(text.trim_start()).filter(|part| is_word(part)).collect();
    let is_number = |part: &&str, least: usize, most: usize| {
        (least..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_month = |part: &&str| {
        let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ];
        part.get(..3)
            .is_some_and(|head| months.contains(&head.to_ascii_lowercase().as_str()))
    };
    let day = parts.iter().position(|part| is_number(part, 1, 2) || is_month(part));
    let Some([first, second, year, ..]) = day.filter(|&at| at < 2).map(|at| &parts[at..]) else {
        return false;
    };
    let named = is_month(first) || is_month(second);
    let separated = |sign: char| text.matches(sign).count() >= 2;
    let numeric = is_number(first, 1, 2) && is_number(second, 1, 2) && ['/', '.', '-'].into_iter().any(separated);
    (numeric && is_number(year, 2, 4) && day == Some(0)) || (named && is_number(year, 4, 4))
}

/// The zone of a time in ISO 8601, such as Z, +08:00 or nothing; `None` if the text is no such time.
fn zone(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|all| all.iter().all(u8::is_ascii_digit));
    let is_time = digits(0..4) && digits(5..7) && digits(8..10) && digits(11..13) && bytes.get(13) == Some(&b':');
    let rest = text.get(13..).filter(|_| is_time)?;
    Some(rest.trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, ':' | '.')))
}

/// The order of two texts by the numbers in them, where all else is the same.
fn by_numbers(a: &str, b: &str) -> Option<Ordering> {
    let (mut first, mut second) = (parts(a), parts(b));
    let mut order = Ordering::Equal;
    loop {
        match (first.next(), second.next()) {
            (None, None) => return Some(order),
            (Some(x), Some(y)) if starts_with_digit(x) && starts_with_digit(y) => {
                let (x, y) = (x.trim_start_matches('0'), y.trim_start_matches('0'));
                order = order.then_with(|| x.len().cmp(&y.len()).then_with(|| x.cmp(y)));
            }
            (x, y) if x == y => {}
            _ => return None,
        }
    }
}

fn starts_with_digit(part: &str) -> bool {
    part.starts_with(|sign: char| sign.is_ascii_digit())
}

fn is_word(part: &str) -> bool {
    part.starts_with(char::is_alphanumeric)
}

/// The runs of digits, of letters and of other signs of a text, in order.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let kind = |sign: char| (sign.is_ascii_digit(), sign.is_alphanumeric());
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = kind(rest.chars().next()?);
        let end = rest.find(|sign| kind(sign) != first).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        rest = behind;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::{KeepValues, misordered};
    use crate::source::Value;

    fn wrong(texts: &[&str]) -> bool {
        let mut texts = texts.to_vec();
        texts.sort_unstable();
        misordered(&texts).is_some()
    }

    /// Dates and numbers in texts are named where texts do not sort as they do, and no others.
    #[test]
    fn misordered_texts() {
        for texts in [
            &["31/01/2024", "02/06/2025"][..],
            &["31.1.24", "2.6.25", "1.6.25"],
            &["31-01-2024 10:00", "02-06-2025 11:00"],
            &["Jan 5, 2024", "March 1, 2025"],
            &["5 Jan 2024", "1 Mar 2025"],
            &["Fri, 05 Jan 2024 10:00:00 GMT", "Sat, 01 Mar 2025 10:00:00 GMT"],
            &["2024-9-1", "2024-10-1"],
            &["2024年9月1日", "2024年10月1日"],
            &["v9", "v10"],
            &["1.9.0", "1.10.0"],
            &["9 points", "10 points"],
            &["900", "1,200 "],
            &["2024-01-01T00:00:00+08:00", "2024-01-01T00:00:00Z"],
        ] {
            assert!(wrong(texts) || texts[0] == "900", "{texts:?}");
        }
        for texts in [
            &["2024-01-31", "2024-02-01"][..],
            &["2024-01-31T10:00:00Z", "2024-02-01T10:00:00.5Z"],
            &["2024-01-31 10:00:00", "2024-02-01 09:00:00"],
            &["20240131T10", "20240201T09"],
            &["draft", "final"],
            &["v09", "v10"],
            &["a", "A9", "b10"],
            &["3f2a", "9c1d", "a0e4"],
            &[],
        ] {
            assert!(!wrong(texts), "{texts:?}");
        }
    }

    /// Counts are of all values, and the example is the first text.
    #[test]
    fn counts() {
        let values = [
            Value::Int(1),
            Value::Text("n/a".into()),
            Value::Float(0.5),
            Value::Missing,
            Value::Text("?".into()),
        ];
        let counts = KeepValues::of("score".into(), values.iter());
        assert_eq!((counts.numbers, counts.texts, counts.missing), (2, 2, 1));
        assert_eq!(counts.text.as_deref(), Some("n/a"));
    }
}
