//! The normalisation in its simplest form: the oracle of [`super::Normaliser`], and its slow path.

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;

use super::alike::{kept, unify};
use super::table::{Class, class_of};

/// Drops what is invisible, then NFKC, full case folding, one character for those that look alike, NFKC again. Only this step combines
/// characters, so a fast path must agree with this alone.
pub fn fold(text: &str) -> String {
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let kept = kept(text);
    let once = nfkc.normalize(&kept);
    let folded = CaseMapper::new().fold_string(&once);
    nfkc.normalize(&unify(&folded)).into_owned()
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

/// The compact text of a normalised one: its plain characters, or its symbols where it has none.
///
/// ```
/// use simsieve_core::text::normalise::plain::compact;
/// assert_eq!([compact("a, b ★"), compact("★!")], ["ab", "★"]);
/// ```
pub fn compact(normalised: &str) -> String {
    let of = |class| normalised.chars().filter(|&c| class_of(c) == class).collect::<String>();
    Some(of(Class::Plain))
        .filter(|plain| !plain.is_empty())
        .unwrap_or_else(|| of(Class::Symbol))
}
