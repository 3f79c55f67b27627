//! Dates of records, and windows of time: records may be near only if their dates are.

use time::format_description::well_known::Iso8601;
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time};

use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::source::Value;
use crate::storage::column::Column;

/// A window of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Milliseconds by which the dates of two near records differ at most.
    pub span: u64,
    /// The field of the date; none where the dates are known without the records.
    pub field: Option<String>,
}

/// The dates of records by position, and the window that they are in.
#[derive(Debug)]
pub(crate) struct Times {
    pub(crate) dates: Column<i64>,
    pub(crate) span: u64,
}

impl Times {
    /// Whether two records are near in time.
    #[inline]
    pub(crate) fn are_near(&self, a: u32, b: u32) -> bool {
        let date = |position: u32| self.dates[position as usize];
        date(a).abs_diff(date(b)) <= self.span
    }
}

/// Whether a date is near one of some ascending dates.
pub(crate) fn has_near(dates: &[i64], date: i64, span: u64) -> bool {
    let next = dates.partition_point(|&other| other < date);
    let beside = dates[next.saturating_sub(1)..].iter().take(2);
    beside.into_iter().any(|&other| date.abs_diff(other) <= span)
}

/// Numbers that are seconds, milliseconds, microseconds or nanoseconds since 1970, by the powers of ten between which they are: from
/// September 2001 to 2286 each has one reading. Milliseconds are the numbers times the first factor, divided by the second.
const UNITS: [(i128, i128, i128); 4] = [
    (1_000_000_000, 1000, 1),
    (1_000_000_000_000, 1, 1),
    (1_000_000_000_000_000, 1, 1000),
    (1_000_000_000_000_000_000, 1, 1_000_000),
];

/// The date of a value in milliseconds since 1970, without what is less than one: a date of extended JSON, a text in ISO 8601, which is in
/// UTC where it names no zone, or a number of one reading. `None` where it is no date.
pub(crate) fn millis_of(value: &Value) -> Option<i64> {
    match value {
        Value::Missing => None,
        Value::Date(millis) => Some(*millis),
        Value::Int(number) => {
            let unit = UNITS.iter().find(|(least, ..)| (*least..10 * least).contains(number));
            let &(_, times, of) = unit?;
            i64::try_from(number * times / of).ok()
        }
        Value::Float(number) => {
            let unit = UNITS.iter().find(|(least, ..)| {
                let least = *least as f64;
                (least..10.0 * least).contains(number)
            });
            let &(_, times, of) = unit?;
            Some((number * times as f64 / of as f64).floor() as i64)
        }
        Value::Text(text) => of_iso(text.trim()),
    }
}

/// The date of a text that a user gives, such as that of an option.
///
/// # Errors
/// [`Error::Config`] where it is no date.
pub fn date_of(text: &str) -> Result<i64> {
    let wrong = || Error::Config(msg!("{text:?} is no date; {allowed}", allowed = allowed()));
    millis_of(&Value::of_text(text)).ok_or_else(wrong)
}

/// The date of a record, by the value of its field.
pub(crate) fn date_of_record(field: &str, value: &Value) -> Result<i64, Message> {
    millis_of(value).ok_or_else(|| {
        let shown = match value {
            Value::Missing => {
                return msg!(
                    "there is no date in the field {field:?}; {allowed}",
                    allowed = allowed()
                );
            }
            Value::Date(number) => number.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Text(text) => format!("{:?}", text.chars().take(80).collect::<String>()),
        };
        msg!(
            "the field {field:?} holds {shown}, which is no date; {allowed}",
            allowed = allowed()
        )
    })
}

fn allowed() -> Message {
    msg!(
        "give a date as 2026-11-26, 2026-11-26T09:30:00 in UTC or 2026-11-26T09:30:00+08:00, or as seconds or milliseconds since \
         1970 with 10 or 13 digits"
    )
}

fn of_iso(text: &str) -> Option<i64> {
    let text = text.replacen([' ', 't'], "T", 1);
    let form = &Iso8601::PARSING;
    let at = match text.split_once('T') {
        None => PrimitiveDateTime::new(Date::parse(&text, form).ok()?, Time::MIDNIGHT).assume_utc(),
        // A date and time alone is read whatever zone follows it, so that comes first.
        Some(_) => OffsetDateTime::parse(&text, form)
            .or_else(|_| PrimitiveDateTime::parse(&text, form).map(PrimitiveDateTime::assume_utc))
            .ok()?,
    };
    i64::try_from(at.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Option<i64> {
        millis_of(&Value::of_text(text))
    }

    proptest! {
        /// For all dates: one is near if a plain loop finds one that is.
        #[test]
        fn near_dates_are_those_of_a_loop(mut dates in prop::collection::vec(-9..9_i64, 0..6), date in -12..12_i64, span in 0..5_u64) {
            dates.sort_unstable();
            prop_assert_eq!(has_near(&dates, date, span), dates.iter().any(|&other| date.abs_diff(other) <= span));
        }
    }

    /// Dates in ISO 8601 are read with their zones, and in UTC without one.
    #[test]
    fn dates_in_iso_8601() {
        for (text, millis) in [
            ("1970-01-01", 0),
            ("2026-11-26", 1_795_651_200_000),
            (" 2026-11-26 ", 1_795_651_200_000),
            ("2026-11-26T00:00", 1_795_651_200_000),
            ("2026-11-26T00:00:00", 1_795_651_200_000),
            ("2026-11-26 00:00:00", 1_795_651_200_000),
            ("2026-11-26T00:00:00Z", 1_795_651_200_000),
            ("2026-11-26T08:00:00+08:00", 1_795_651_200_000),
            ("2026-11-25T19:00:00-05:00", 1_795_651_200_000),
            ("2026-11-26 08:00:00.250+08:00", 1_795_651_200_250),
            ("2026-11-26T00:00:00.1239999Z", 1_795_651_200_123),
            ("1969-12-31T23:59:59.9995Z", -1),
        ] {
            assert_eq!(of(text), Some(millis), "{text}");
        }
    }

    /// A number is a date where its digits leave one reading, and no other text is.
    #[test]
    fn numbers_and_other_texts() {
        assert_eq!(of("1795651200"), Some(1_795_651_200_000));
        assert_eq!(of("1795651200.5"), Some(1_795_651_200_500));
        assert_eq!(of("1795651200000"), Some(1_795_651_200_000));
        assert_eq!(of("1795651200000999"), Some(1_795_651_200_000));
        assert_eq!(of("1795651200000999999"), Some(1_795_651_200_000));
        assert_eq!(millis_of(&Value::Date(-5)), Some(-5));
        for text in [
            "",
            "0",
            "5",
            "20261126",
            "999999999",
            "17956512000",
            "-1795651200",
            "1e400",
            "soon",
            "2026",
            "11/26/2026",
            "2026-13-01",
            "2026-02-30",
            "2026-11-26T25:00",
            "09:30",
            "2026-11-26T",
            "2026-11-26 tomorrow",
            "26 Nov 2026",
            "2026-11-26T00:00:00+99:00",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
