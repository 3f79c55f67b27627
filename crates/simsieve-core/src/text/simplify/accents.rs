//! Leaves out accents and vowel marks, so that a text has the same features with and without them.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, Script};

/// The version of the rules, for digests.
pub(super) const VERSION: &str = "1";

/// Letters with a stroke or a sign that Unicode does not take apart, each before its plain letter.
const WHOLE: &str = "đdĐDøoØOłlŁLħhĦHŧtŦTıiٱا";
/// The stroke that makes an Arabic word longer.
const TATWEEL: char = '\u{640}';

/// The text without the nonspacing marks of Latin, Greek, Cyrillic, Arabic and Hebrew letters and without tatweel behind Arabic ones;
/// `None` where nothing changes. й, ў and ї are letters of their own and stay.
pub(super) fn without_marks(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut base = (' ', Script::Common);
    for c in DecomposingNormalizerBorrowed::new_nfd().normalize_iter(text.chars()) {
        let is_mark = CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::NonspacingMark;
        if !is_mark && c != TATWEEL {
            base = (c, CodePointMapData::<Script>::new().get(c));
            let plain = WHOLE.chars().skip_while(|letter| *letter != c).nth(1);
            out.push(plain.filter(|_| !c.is_ascii()).unwrap_or(c));
        } else if !is_left_out(base, c) {
            out.push(c);
        }
    }
    let out = ComposingNormalizerBorrowed::new_nfc().normalize(&out);
    (out != text).then(|| out.into_owned())
}

fn is_left_out((base, script): (char, Script), mark: char) -> bool {
    match script {
        Script::Arabic => true,
        Script::Cyrillic => mark != '\u{306}' && !(matches!(base, 'і' | 'І') && mark == '\u{308}'),
        _ => mark != TATWEEL && [Script::Latin, Script::Greek, Script::Hebrew].contains(&script),
    }
}

#[cfg(test)]
mod tests {
    use super::without_marks;

    #[test]
    fn marks_of_five_scripts_are_left_out() {
        for (text, plain) in [
            ("hoà hòa đường café Łódź Ñ ı", "hoa hoa duong cafe Lodz N i"),
            ("ёлка за́мок", "елка замок"),
            ("Ελλάδα ᾧ ϊ", "Ελλαδα ω ι"),
            (
                "الأُستَاذُ إلى آخر ٱلصَّفّ سلـــٰم مؤمن رئيس",
                "الاستاذ الى اخر الصف سلم مومن رييس",
            ),
            ("שָׁלוֹם", "שלום"),
        ] {
            assert_eq!(without_marks(text).as_deref(), Some(plain), "{text}");
            assert_eq!(without_marks(plain), None, "{plain}");
        }
        for text in ["plain", "й ў ї ґ", "がぱ 각 क़ि น้ำ", "0.3\u{305} ≠ \u{301}a ـه ²", "体"]
        {
            assert_eq!(without_marks(text), None, "{text}");
        }
    }
}
