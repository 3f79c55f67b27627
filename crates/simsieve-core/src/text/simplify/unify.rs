//! Replaces compatibility ideographs by their unified characters of Han.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use icu_normalizer::ComposingNormalizerBorrowed;

/// The text with every compatibility ideograph replaced by its character of Han (Unicode, singleton canonical
/// decompositions). Normalised texts have none; for others this is `OpenCC`'s first step.
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
