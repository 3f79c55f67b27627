//! Characters of numbers that NFKC writes as others: 10² and 102 have one normalised text, and are no copies.
//!
//! The *exact form* of a text is its normalised text, with a mark and the character itself before what NFKC writes for each
//! of these. Texts without any have no other form than their normalised text.

use icu_casemap::CaseMapper;

use super::plain;
use super::table::{Class, class_of, is_marked};

/// The mark: a control character that no normalised text has.
pub const MARK: char = '\u{1}';

/// Where a marked character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// In the line: circled, a fraction, a Roman numeral.
    Plain,
    /// Superscript.
    Above,
    /// Subscript.
    Below,
}

/// What a marked character is.
#[derive(Debug, Clone, Copy)]
pub struct Marked {
    /// Where it is.
    pub script: Script,
    /// The bytes that NFKC writes for it.
    pub written: usize,
}

/// What a marked character is.
pub fn script(c: char) -> Marked {
    let script = match c {
        '²' | '³' | '¹' | '\u{2070}'..='\u{207F}' => Script::Above,
        '\u{2080}'..='\u{209C}' => Script::Below,
        _ => Script::Plain,
    };
    Marked {
        script,
        written: plain::fold(c.encode_utf8(&mut [0; 4])).len(),
    }
}

/// Square and cubic units of one character, which NFKC writes with plain digits, with superscripts; `None` of any other.
pub(super) fn spelled(c: char) -> Option<String> {
    matches!(c, '\u{339F}'..='\u{33A6}' | '\u{33A8}' | '\u{33AF}').then(|| {
        plain::fold(c.encode_utf8(&mut [0; 4]))
            .replace('2', "²")
            .replace('3', "³")
    })
}

/// The character as a mark has it: ⅷ for Ⅷ.
pub(super) fn folded(c: char) -> char {
    CaseMapper::new().simple_fold(c)
}

/// The exact form in a few lines: the oracle of [`Compact::exact`](super::Compact::exact).
///
/// ```
/// use simsieve_core::text::normalise::marks::exact;
/// assert_eq!(exact("10² = 100"), "10\u{1}²2 = 100");
/// ```
pub fn exact(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| spelled(c).unwrap_or_else(|| c.to_string()))
        .collect();
    let mut out = String::with_capacity(text.len());
    for piece in pieces(&text) {
        out.extend(
            piece
                .chars()
                .next()
                .filter(|&c| is_marked(c))
                .into_iter()
                .flat_map(|c| [MARK, folded(c)]),
        );
        for c in plain::fold(piece).chars() {
            if class_of(c) != Class::Space {
                out.push(c);
            } else if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        }
    }
    out.truncate(out.trim_end_matches(' ').len());
    out
}

/// The text cut before each marked character.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let cuts = text
        .char_indices()
        .filter(|&(at, c)| at > 0 && is_marked(c))
        .map(|(at, _)| at);
    let ends = cuts.chain([text.len()]);
    ends.scan(0, |start, end| Some(&text[std::mem::replace(start, end)..end]))
}
