//! The folds in a few lines: the oracle of [`super::Fold`].

use super::accents::without_marks;
use super::data;
use super::fold::{Fold, Script};
use super::unify::unify;
use crate::text::numbers::digits::in_digits;

/// Makes Traditional Chinese Simplified: each character, then from left to right the longest word of the table. Then numbers are
/// written in digits, and marks are left out. Each as the fold has it.
pub fn simplify(text: &str, fold: Fold) -> String {
    let text = fold
        .script
        .map_or_else(|| text.to_owned(), |script| simplified(text, script));
    let written = if fold.numerals { in_digits(&text) } else { None };
    let text = written.unwrap_or(text);
    let left = if fold.marks { without_marks(&text) } else { None };
    left.unwrap_or(text)
}

fn simplified(text: &str, script: Script) -> String {
    let text: String = unify(text)
        .chars()
        .map(|c| *data::characters_of(script).get(&c).unwrap_or(&c))
        .collect();
    if script == Script::Characters {
        return text;
    }
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some(c) = rest.chars().next() {
        let here = data::words().iter().filter(|(key, _)| rest.starts_with(key.as_str()));
        if let Some((key, value)) = here.max_by_key(|(key, _)| key.len()) {
            out.push_str(value);
            rest = &rest[key.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}
