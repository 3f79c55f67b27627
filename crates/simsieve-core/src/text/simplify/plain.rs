//! Traditional to Simplified Chinese in a few lines: the oracle of [`super::Fold`].

use std::borrow::Cow;
use std::ops::RangeInclusive;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::{Fold, data};

/// A text without compatibility ideographs, each of which is a character of Han once more (Unicode, singleton canonical
/// decompositions). Normalised texts have none; of others it is what `OpenCC` does first.
pub fn unify(text: &str) -> Cow<'_, str> {
    const COMPATIBILITY: [RangeInclusive<char>; 2] = ['\u{F900}'..='\u{FAFF}', '\u{2F800}'..='\u{2FA1F}'];
    let is_one = |c: char| COMPATIBILITY.iter().any(|range| range.contains(&c));
    if !text.chars().any(is_one) {
        return Cow::Borrowed(text);
    }
    let nfc = ComposingNormalizerBorrowed::new_nfc();
    let (mut out, mut buffer) = (String::with_capacity(text.len()), [0; 4]);
    for c in text.chars() {
        if is_one(c) {
            out.push_str(&nfc.normalize(c.encode_utf8(&mut buffer)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Traditional Chinese made Simplified: each character, then from left to right the longest word that has another.
pub fn simplify(text: &str, fold: Fold) -> String {
    let text: String = unify(text)
        .chars()
        .map(|c| *data::characters().get(&c).unwrap_or(&c))
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
