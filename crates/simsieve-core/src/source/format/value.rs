//! The values that keep rules compare.
//!
//! In comes a JSON value or a field of a table as written; out goes a [`Value`]. Parsing makes them, and the keep order compares
//! them. Extended JSON of `MongoDB` counts as the value of its type, as `source::bson` writes it.

use std::cmp::Ordering;

use bson::DateTime;
use serde_json::Value as Json;

/// A field's value as a keep rule sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No such field, an empty text, or null, a list or an object.
    Missing,
    /// A whole number, exact; true is 1 and false is 0.
    Int(i128),
    /// A date of extended JSON: its milliseconds since 1970, which are compared as a whole number.
    Date(i64),
    /// A number with a fraction or exponent, or a whole one beyond 128 bits. Never NaN; infinite where a double ends.
    Float(f64),
    /// A string that is not written like a number.
    Text(String),
}

impl Value {
    /// The order of two values: numbers by their exact worth, strings by code points. `None` where there is no order: one
    /// is missing, or a number meets a string.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Date(date), _) => Self::Int((*date).into()).compare(other),
            (_, Self::Date(date)) => self.compare(&Self::Int((*date).into())),
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b),
            (Self::Int(a), Self::Float(b)) => compare_exactly(*a, *b),
            (Self::Float(a), Self::Int(b)) => compare_exactly(*b, *a).map(Ordering::reverse),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Reads a string, or a field of a table: a number if it is written like one, nothing if it is empty.
    pub(crate) fn of_text(text: &str) -> Self {
        let field = text.trim_ascii();
        if field.is_empty() {
            return Self::Missing;
        }
        // Words that the standard library takes for numbers, such as inf and nan, are texts here.
        let like_number = field
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        if like_number {
            if let Ok(whole) = field.parse() {
                return Self::Int(whole);
            }
            if let Ok(float) = field.parse() {
                return Self::Float(float);
            }
        }
        Self::Text(text.to_owned())
    }

    /// Reads a JSON number as written.
    pub(super) fn of_number(digits: &str) -> Self {
        if let Ok(whole) = digits.parse() {
            return Self::Int(whole);
        }
        // The standard library reads all numbers of JSON, so the last arm is out of reach.
        digits.parse().map_or(Self::Missing, Self::Float)
    }

    /// Reads an object: what it means in extended JSON, else nothing.
    pub(super) fn of_object(raw: &str) -> Self {
        let Some((key, value)) = extended(raw) else {
            return Self::Missing;
        };
        match (key.as_str(), value) {
            ("$numberInt" | "$numberLong" | "$numberDouble" | "$numberDecimal", Json::String(digits)) => {
                match Self::of_text(&digits) {
                    Self::Text(_) => Self::Missing,
                    number => number,
                }
            }
            ("$date", Json::String(date)) => {
                DateTime::parse_rfc3339_str(date).map_or(Self::Missing, |date| Self::Date(date.timestamp_millis()))
            }
            ("$date", millis @ (Json::Object(_) | Json::Number(_))) => {
                let millis = millis.to_string();
                let number = if millis.starts_with('{') {
                    Self::of_object(&millis)
                } else {
                    Self::of_number(&millis)
                };
                match number {
                    Self::Int(whole) => i64::try_from(whole).map_or(Self::Int(whole), Self::Date),
                    other => other,
                }
            }
            ("$oid", Json::String(digits)) => Self::Text(digits),
            _ => Self::Missing,
        }
    }
}

/// The key and the value of an object of extended JSON; `None` where it is none. Bounded, so that no deep object is read.
fn extended(raw: &str) -> Option<(String, Json)> {
    const MOST_BYTES: usize = 200;
    if raw.len() > MOST_BYTES || !raw.trim_start_matches(['{', ' ', '\t']).starts_with("\"$") {
        return None;
    }
    let object: serde_json::Map<String, Json> = serde_json::from_str(raw).ok()?;
    let mut entries = object.into_iter();
    entries.next().filter(|_| entries.next().is_none())
}

/// The digits of a number that extended JSON writes as an object, such as `{"$numberLong": "5"}`, where JSON can have them plain.
pub(super) fn plain_number(raw: &str) -> Option<String> {
    let (key, value) = extended(raw)?;
    let digits = value.as_str().filter(|_| key.starts_with("$number"))?;
    serde_json::from_str::<serde_json::Number>(digits).ok()?;
    Some(digits.to_owned())
}

/// An integer against a double without rounding either: a cast of the integer would make 2^53 + 1 equal 2^53.
fn compare_exactly(whole: i128, float: f64) -> Option<Ordering> {
    // 2^127, the first double above every i128; its negative is the least i128 itself.
    const END: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    if float.is_nan() {
        return None;
    }
    if float >= END {
        return Some(Ordering::Less);
    }
    if float < -END {
        return Some(Ordering::Greater);
    }
    // In range, so the cast only cuts the fraction off, towards zero.
    let by_whole_part = whole.cmp(&(float.trunc() as i128));
    Some(by_whole_part.then_with(|| 0.0_f64.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal)))
}

#[cfg(test)]
mod tests {
    use super::Value;

    /// A string that is written like a number is one; an object of extended JSON is the value of its type.
    #[test]
    fn texts_and_objects() {
        for (written, expected) in [
            ("10", Value::Int(10)),
            (" 1.5 ", Value::Float(1.5)),
            ("", Value::Missing),
            ("inf", Value::Text("inf".to_owned())),
        ] {
            assert_eq!(Value::of_text(written), expected, "{written}");
        }
        for (written, expected) in [
            ("{\"$numberLong\": \"9\"}", Value::Int(9)),
            ("{\"$numberDouble\":\"NaN\"}", Value::Missing),
            ("{ \"$numberDecimal\" : \"1.50\" }", Value::Float(1.5)),
            ("{\"$date\":\"1970-01-01T00:00:02Z\"}", Value::Date(2000)),
            ("{\"$date\":{\"$numberLong\":\"-5\"}}", Value::Date(-5)),
            ("{\"$date\":7}", Value::Date(7)),
            ("{\"$date\":\"soon\"}", Value::Missing),
            ("{\"$oid\":\"65\"}", Value::Text("65".to_owned())),
            ("{\"$numberLong\":\"9\",\"a\":1}", Value::Missing),
            ("{\"a\":1}", Value::Missing),
        ] {
            assert_eq!(Value::of_object(written), expected, "{written}");
        }
    }
}
