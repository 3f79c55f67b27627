//! The normalisation in one pass over bytes. A kernel takes runs of easy characters, and a table takes simple ones.
//! [`super::plain::fold`] takes the rest, in the shortest pieces that can be cut out of a text.

use std::borrow::Cow;

use super::compact::{Compact, char_of, class_of_entry, decode, entry_of};
use super::marks::{pieces, spelled};
use super::plain;
use super::portable;
use super::table::{CHAR, Class, MARKED, SIMPLE, class_of};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::base::kernel::Kernel;
use crate::text::simplify::Fold;

/// Normalises texts; the compact text omits one choice of characters.
#[derive(Debug, Clone)]
pub struct Normaliser {
    keep_all: bool,
    kernel: Kernel,
    fold: Option<Fold>,
}

impl Normaliser {
    /// A normaliser whose compact text is the whole normalised text, or omits punctuation and spaces.
    pub fn new(keep_all: bool) -> Self {
        Self::with_kernel(keep_all, Kernel::active())
    }

    /// [`Normaliser::new`] with the given kernel.
    ///
    /// # Panics
    /// If this machine cannot run the kernel.
    pub fn with_kernel(keep_all: bool, kernel: Kernel) -> Self {
        assert!(kernel.is_available(), "{kernel:?} is no kernel of this machine");
        Self {
            keep_all,
            kernel,
            fold: None,
        }
    }

    /// This normaliser, with a fold of Traditional to Simplified Chinese.
    #[must_use]
    pub fn folding(self, fold: Option<Fold>) -> Self {
        Self { fold, ..self }
    }

    /// Normalises `text` into `out`, which is overwritten.
    ///
    /// Complexity: linear in the length of the text.
    pub fn run(&self, text: &str, out: &mut Compact) {
        out.clear(self.keep_all);
        out.make_room(text.len());
        let bytes = text.as_bytes();
        let mut at = self.easy_run(bytes, 0, out);
        while at < bytes.len() {
            at = step(text, at, out);
            if at < bytes.len() && Self::is_easy_lead(bytes[at]) {
                at = self.easy_run(bytes, at, out);
            }
        }
        if out.full_len > 0 && out.after_space() {
            out.full_len -= 1;
        }
        if !out.marks.is_empty() {
            out.mark(self.fold);
        }
        if let Some(fold) = self.fold {
            out.simplify(fold);
        }
        out.keep_symbols_alone();
        out.all_ascii = out.compact().is_ascii();
    }

    /// Takes characters that are unchanged or become one byte, from `at` on; returns the place of the first other
    /// character.
    #[inline]
    fn easy_run(&self, bytes: &[u8], at: usize, out: &mut Compact) -> usize {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `with_kernel` checked that the machine has the features.
            Kernel::Avx512 => unsafe { avx512::easy_run(bytes, at, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::easy_run(bytes, at, out) },
            _ => portable::easy_run(bytes, at, out),
        }
    }

    /// Whether [`Normaliser::easy_run`] may take a character with this first byte.
    #[inline]
    fn is_easy_lead(lead: u8) -> bool {
        // All kernels take ASCII and characters of three bytes, but few below U+2000.
        lead < 0x80 || matches!(lead, 0xE2..=0xEF)
    }
}

/// Takes the character at `at` by table, or a slow piece from the preceding character on; returns the next position.
#[inline]
fn step(text: &str, at: usize, out: &mut Compact) -> usize {
    let bytes = text.as_bytes();
    let (code, length) = decode(bytes, at);
    let entry = entry_of(code);
    if entry & SIMPLE == 0 {
        return slow_piece(text, at, out);
    }
    let (mapped, class) = (entry & CHAR, class_of_entry(entry));
    if mapped == code && at + 4 <= bytes.len() {
        out.push([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]], length, class);
    } else {
        if entry & MARKED != 0 {
            out.marks.push((out.full_len, char_of(code)));
        }
        out.push_char(char_of(mapped), class);
    }
    at + length
}

/// Folds the piece around the character at `at`, which is not simple, by the plain form; returns the piece's end.
///
/// The piece ends at the next simple character. It starts at the preceding character, which may combine with the next
/// one (a letter and an accent). That character is simple, because a slow piece ends only at a simple one; so its
/// output is known and is removed. A space combines with nothing and stays.
#[cold]
fn slow_piece(text: &str, at: usize, out: &mut Compact) -> usize {
    let bytes = text.as_bytes();
    let mut begin = at;
    if let Some(before) = text[..at].chars().next_back() {
        let entry = entry_of(before as u32);
        let (length, class) = (char_of(entry & CHAR).len_utf8(), class_of_entry(entry));
        if class != Class::Space {
            begin -= before.len_utf8();
            out.full_len -= length;
            out.marks.pop_if(|(at, _)| *at >= out.full_len);
            out.kept_len -= if class == Class::Plain { length } else { 0 };
        }
    }
    let mut end = at + decode(bytes, at).1;
    while end < bytes.len() {
        let (code, length) = decode(bytes, end);
        if entry_of(code) & SIMPLE != 0 {
            break;
        }
        end += length;
    }
    let piece: Cow<'_, str> = if text[begin..end].chars().any(|c| spelled(c).is_some()) {
        text[begin..end]
            .chars()
            .map(|c| spelled(c).unwrap_or_else(|| c.to_string()))
            .collect()
    } else {
        text[begin..end].into()
    };
    for part in pieces(&piece) {
        let folded = plain::fold(part);
        out.make_room(folded.len() + text.len() - end);
        let marked = part.chars().next().filter(|c| entry_of(*c as u32) & MARKED != 0);
        out.marks.extend(marked.map(|c| (out.full_len, c)));
        for c in folded.chars() {
            out.push_char(c, class_of(c));
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::SLACK;
    use crate::text::is_dropped;

    fn run_by(kernel: Kernel, text: &str, keep_all: bool) -> (String, String) {
        let mut out = Compact::default();
        Normaliser::with_kernel(keep_all, kernel).run(text, &mut out);
        assert_eq!(out.is_ascii(), out.compact().is_ascii());
        let (padded, len) = out.padded();
        assert!(padded.len() >= len + SLACK);
        let text_of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (text_of(out.normalised()), text_of(out.compact()))
    }

    /// The result for `text`, equal under every kernel.
    fn run(text: &str, keep_all: bool) -> (String, String) {
        let first = run_by(Kernel::Portable, text, keep_all);
        for kernel in Kernel::available() {
            assert_eq!(run_by(kernel, text, keep_all), first, "{kernel:?}: {text:?}");
        }
        first
    }

    fn check(text: &str) {
        let normalised = plain::normalise(text);
        let compact = plain::compact(&normalised);
        assert_eq!(run(text, false), (normalised.clone(), compact), "{text:?}");
        assert_eq!(run(text, true), (normalised.clone(), normalised), "{text:?}");
        let exact = super::super::marks::exact(text);
        let mut out = Compact::default();
        for kernel in Kernel::available() {
            Normaliser::with_kernel(false, kernel).run(text, &mut out);
            assert_eq!(std::str::from_utf8(out.exact()), Ok(&*exact), "{kernel:?}: {text:?}");
        }
    }

    #[test]
    fn named_cases_agree_with_the_plain_way() {
        for text in [
            "",
            " ",
            "a",
            " \t\r\n a  b\u{3000}c ",
            "ABC、Def。",
            "e\u{301}",
            "e\u{200d}\u{301}x",
            "\u{301}e",
            "Straße İstanbul ΣΑΣ",
            "각\u{11A8}가\u{11A8}\u{1100}\u{1161}",
            "ﷺ㍿①½…ﬁ",
            "か\u{3099}カ\u{309a}ハ゛",
            "\u{0}a\u{85}b\u{feff}",
            "क्षि नमस्ते ไทยน้ำ",
            "\u{1F600}\u{FE0F}\u{1F468}\u{200D}\u{1F469}",
            "\u{110BA}\u{11099}\u{110BA}",
            "𠮷野家\u{2F81A}",
            "a\u{1D165}\u{1D15F}",
            "x^2 + y_1 - 3.5% `code` $5 ~ ～ a|b ¦",
            "10² 2⁵ ①0 ½\u{30C} Ⅷ\u{301}é² 50㎡ x₂ \u{1F101}",
            " ² ",
            "᠋a\u{180F}b",
            "น้ำ นํ้า นำ้ เเเก เ เ ເເ",
            "ന്\u{200d}മ ന്മ ത്\u{200d}",
            "ی\u{654}ۀە\u{654} ٣٣ 𞥑",
            "二○◯ ○○ ①○ ㊁○ ￮",
            "🔥🎉 ★",
            "★a",
            "☆!",
            "1\u{fe0f}\u{20e3}",
            "\u{2800}a\u{fffc}b\u{3164}",
        ] {
            check(text);
        }
    }

    #[test]
    fn every_character_agrees_alone_and_between_neighbours() {
        let mut out = Compact::default();
        let normalisers: Vec<_> = Kernel::available()
            .into_iter()
            .map(|k| Normaliser::with_kernel(false, k))
            .collect();
        for c in ('\0'..=char::MAX).filter(|c| !matches!(*c as u32, 0xE000..=0xF8FF | 0xF0000..)) {
            for text in [format!("{c}"), format!("a{c}b"), format!("中{c}\u{301}{c}가")] {
                let normalised = plain::normalise(&text);
                let compact = plain::compact(&normalised);
                let exact = crate::text::normalise::marks::exact(&text);
                for normaliser in &normalisers {
                    normaliser.run(&text, &mut out);
                    assert_eq!(out.exact(), exact.as_bytes(), "{text:?} {normaliser:?}");
                    assert_eq!(out.normalised(), normalised.as_bytes(), "{text:?} {normaliser:?}");
                    assert_eq!(out.compact(), compact.as_bytes(), "{text:?} {normaliser:?}");
                }
            }
        }
    }

    #[test]
    fn every_character_of_three_bytes_agrees_within_vectors() {
        for c in ('\u{800}'..='\u{FFFF}').filter(|c| !matches!(c, '\u{E000}'..='\u{F8FF}')) {
            run(&format!("中文{c}A{c}字中文字中文字中文字，{c}。文{c}{c}中"), false);
        }
    }

    #[test]
    fn an_exact_form_has_the_normalised_text_and_marks() {
        use crate::text::normalise::marks::exact;
        let without = |text: &str| {
            let mut pieces = text.split('\u{1}');
            let first = pieces.next().unwrap_or_default().to_owned();
            pieces.fold(first, |all, piece| {
                all + &piece[piece.chars().next().map_or(0, char::len_utf8)..]
            })
        };
        for text in ["10² and 102", "①1 Ⅱ ii ½ 1⁄2", "50㎡ m²", "plain ２"] {
            assert_eq!(without(&exact(text)), plain::normalise(text), "{text}");
        }
        for (one, two) in [
            ("10²", "102"),
            ("①05", "⑩5"),
            ("x²", "x₂"),
            ("1½", "11⁄2"),
            ("xⁿ", "xn"),
            ("10² 2", "102 ²"),
        ] {
            assert_eq!(plain::normalise(one), plain::normalise(two));
            assert_ne!(exact(one), exact(two));
        }
        assert_eq!(exact("Ⅱ ㎡ １２"), exact("ⅱ  m² 12"));
    }

    #[test]
    fn a_tone_mark_that_goes_before_a_nikhahit_meets_the_marks_there() {
        check("\u{654}\u{e4d}\u{e49}");
        check("a\u{301}\u{ecd}\u{ec9}");
    }

    #[test]
    fn dropped_characters_are_in_no_output() {
        assert_eq!(run("so\u{ad}ft\u{200b}er", true).0, "softer");
        assert!(is_dropped('\u{FEFF}'));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn any_text_agrees_with_the_plain_way(text in any::<String>()) {
            check(&text);
        }

        #[test]
        fn mixed_scripts_agree_with_the_plain_way(text in "[a-zA-Z0-9 .,。,中文字かがカ\u{3099}\u{301}\u{327}é각\u{11A8}\u{1161}ﬁ①²½㎡Ⅱ\u{200d}]{0,40}|[二○一นำ้ํเแ\u{200d}\u{200b}നക്ಿی٣ٔە⻓★🔥!a ]{0,12}") {
            check(&text);
        }

        #[test]
        fn long_texts_agree_wherever_vectors_end(
            pieces in proptest::collection::vec("[a-zA-Z0-9 ,]{0,70}|[中文字かがカ한글,。《》!（ＡｂＺ\u{3000}  ]{0,40}|[’“…é\u{301}\u{3099}½я😀 \n]{0,3}", 0..8),
        ) {
            check(&pieces.concat());
        }

        #[test]
        fn normalising_twice_changes_nothing(text in "\\PC{0,30}") {
            let once = plain::normalise(&text);
            prop_assert_eq!(plain::normalise(&once), once.clone());
        }
    }
}
