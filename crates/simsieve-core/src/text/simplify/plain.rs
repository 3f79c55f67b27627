//! Traditional to Simplified Chinese in a few lines: the oracle of [`super::Fold`].

use super::unify::unify;
use super::{Fold, data};

/// Makes Traditional Chinese Simplified: each character, then from left to right the longest word of the table.
pub fn simplify(text: &str, fold: Fold) -> String {
    let text: String = unify(text)
        .chars()
        .map(|c| *data::characters_of(fold).get(&c).unwrap_or(&c))
        .collect();
    if fold == Fold::Characters {
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
