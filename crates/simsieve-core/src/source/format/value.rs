//! The values that keep rules compare.
//!
//! In comes a JSON value as written; out goes a [`Value`]. Parsing makes them, and the keep order compares them.

use std::cmp::Ordering;

/// A field's value as a keep rule sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No such field, or null, a list or an object.
    Missing,
    /// A whole number, exact; true is 1 and false is 0.
    Int(i128),
    /// A number with a fraction or exponent, or a whole one beyond 128 bits. Never NaN; infinite where a double ends.
    Float(f64),
    /// A string.
    Text(String),
}

impl Value {
    /// The order of two values: numbers by their exact worth, strings by code points. `None` where there is no order: one
    /// is missing, or a number meets a string.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b),
            (Self::Int(a), Self::Float(b)) => compare_exactly(*a, *b),
            (Self::Float(a), Self::Int(b)) => compare_exactly(*b, *a).map(Ordering::reverse),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Reads a field of a table: a number if it is written like one, nothing if it is empty.
    pub(super) fn of_field(field: &str) -> Self {
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
        Self::Text(field.to_owned())
    }

    /// Reads a JSON number as written.
    pub(super) fn of_number(digits: &str) -> Self {
        if let Ok(whole) = digits.parse() {
            return Self::Int(whole);
        }
        // JSON's numbers are a subset of what the standard library reads, so the last arm is out of reach.
        digits.parse().map_or(Self::Missing, Self::Float)
    }
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
