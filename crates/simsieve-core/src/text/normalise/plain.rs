//! The normalisation in its simplest form: the oracle of [`super::Normaliser`], and its slow path.

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;

use super::table::{Class, class_of, is_dropped};

/// Drops format characters, then NFKC, full case folding, NFKC again. Only this step combines characters, so a fast
/// path must agree with this alone.
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
/// assert_eq!(simsieve_core::text::normalise::plain::normalise(" ABC,\t Straße\n"), "abc, strasse");
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
