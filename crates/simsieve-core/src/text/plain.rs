//! The normalisation in its plainest form: the oracle of [`super::Normaliser`], and its slow path.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;

use super::table::{Class, class_of, is_dropped};
use super::traditional::{Fold, data};

/// Drops format characters, then NFKC, full case folding, NFKC again. No other step looks at more than one character,
/// so this is all that a fast path has to agree with.
pub fn fold(text: &str) -> String {
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let kept: String = text.chars().filter(|&c| !is_dropped(c)).collect();
    let once = nfkc.normalize(&kept);
    let folded = CaseMapper::new().fold_string(&once);
    nfkc.normalize(&folded).into_owned()
}

/// The normalised text: [`fold`], then runs of white space and control characters made one space, none at the ends.
///
/// ```
/// assert_eq!(simsieve_core::text::plain::normalise(" ABC,\t Straße\n"), "abc, strasse");
/// ```
pub fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in fold(text).chars() {
        if class_of(c) != Class::Space {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    if out.ends_with(' ') {
        out.pop();
    }
    out
}

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
