//! The normaliser's facts of each character, as one table over the Basic Multilingual Plane.
//!
//! The table is computed once from the data of ICU4X, the one source of Unicode's facts.

use std::sync::LazyLock;

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use icu_normalizer::properties::{CanonicalCombiningClassMapBorrowed, CanonicalDecompositionBorrowed, Decomposed};
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use super::alike::{is_dropped, is_nikhahit, looks_back, unify};

/// The Unicode version of the data compiled in; part of every scheme's digest. `tests/property` compares every
/// character with tables of this version.
pub const UNICODE_VERSION: &str = "18.0.0";

/// The class of a character of the normalised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Letter, digit, mark, symbol of mathematics or money, private or unassigned: features are made of it.
    Plain = 0,
    /// Punctuation (general categories P*), modifier symbols (Sk: backtick, caret, spacing accents), and `~` and `|`, which
    /// separate and decorate as punctuation does.
    Punctuation = 1,
    /// White space, separators and control characters, the blank of Braille and the place of an object.
    Space = 2,
    /// A drawing (So: emoji, stars, boxes; the other geometric shapes; the keycap). Features are made of it where a text has nothing
    /// [`Class::Plain`].
    Symbol = 3,
}

/// Set if [`super::plain::fold`] makes one character of this one, independent of its neighbours.
pub(super) const SIMPLE: u32 = 1 << 24;
/// Set if the character counts two units of a window: Han, kana, Hangul, Yi and their like.
pub(super) const DENSE: u32 = 1 << 25;
/// Two bits of [`Class`].
pub(super) const CLASS_SHIFT: u32 = 26;
/// Set if the exact form has a mark for the character ([`super::marks`]).
pub(super) const MARKED: u32 = 1 << 28;
/// The low 21 bits: what the character becomes.
pub(super) const CHAR: u32 = 0x1F_FFFF;

/// Entries for U+0000 to U+FFFF: [`CHAR`] | [`SIMPLE`] | [`DENSE`] | class | [`MARKED`]; but for the last the flags are those of
/// the mapped character.
pub(super) static TABLE: LazyLock<Box<[u32; 0x1_0000]>> = LazyLock::new(build);

/// The class of one character of a normalised text. White space, as Unicode has it, is all in the categories of a space.
///
/// Some of category So are no drawings: the degree sign, Braille, hexagrams, radicals and strokes, and what describes an ideograph.
pub fn class_of(c: char) -> Class {
    match c {
        '~' | '|' | '¦' => return Class::Punctuation,
        '\u{2800}' | '\u{FFFC}' => return Class::Space,
        '\u{20E3}' | '\u{25A0}'..='\u{25FF}' => return Class::Symbol,
        '°' | '\u{2801}'..='\u{28FF}' | '\u{2FF0}'..='\u{2FFF}' | '\u{31C0}'..='\u{31EF}' | '\u{4DC0}'..='\u{4DFF}' => {
            return Class::Plain;
        }
        _ => {}
    }
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        GeneralCategory::Control
        | GeneralCategory::SpaceSeparator
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator => Class::Space,
        GeneralCategory::ConnectorPunctuation
        | GeneralCategory::DashPunctuation
        | GeneralCategory::OpenPunctuation
        | GeneralCategory::ClosePunctuation
        | GeneralCategory::InitialPunctuation
        | GeneralCategory::FinalPunctuation
        | GeneralCategory::OtherPunctuation
        | GeneralCategory::ModifierSymbol => Class::Punctuation,
        GeneralCategory::OtherSymbol if !is_dense(c as u32) => Class::Symbol,
        _ => Class::Plain,
    }
}

/// Whether one character has about the information of a syllable or word in an alphabet, so it counts two units. Fixed
/// ranges of scripts, not a Unicode property: a new Unicode version changes no fingerprint of assigned text.
pub const fn is_dense(c: u32) -> bool {
    matches!(
        c,
        0x1100..=0x11FF // Hangul jamo
        | 0x2E80..=0x2FDF // radicals
        | 0x3005..=0x3007 // iteration mark, closing mark, ideographic zero
        | 0x3021..=0x3029 // Hangzhou numerals
        | 0x3040..=0x318F // kana, bopomofo, Hangul compatibility jamo
        | 0x31A0..=0x31BF // bopomofo extended
        | 0x31F0..=0x31FF // kana extensions
        | 0x3400..=0x4DBF // Han extension A
        | 0x4E00..=0x9FFF // Han
        | 0xA000..=0xA4CF // Yi
        | 0xA960..=0xA97F // Hangul jamo extended A
        | 0xAC00..=0xD7FF // Hangul syllables, jamo extended B
        | 0xF900..=0xFAFF // Han compatibility
        | 0x17000..=0x18DFF // Tangut, Khitan
        | 0x1AFF0..=0x1B2FF // kana supplements, Nushu
        | 0x20000..=0x3FFFD // Han extensions B and later
    )
}

/// The entry of a character beyond the table. Ranges without changes count as simple; all others take the slow path,
/// which is correct for every character.
pub(super) fn entry_beyond(c: char) -> u32 {
    let code = c as u32;
    let stays = matches!(code, 0x1F300..=0x1FAFF | 0x20000..=0x2A6DF | 0x2A700..=0x2EBE0 | 0x30000..=0x323AF);
    let simple = if stays { SIMPLE } else { 0 };
    // Digits with a full stop or a comma.
    let marked = if matches!(code, 0x1F100..=0x1F10C) && is_marked(c) {
        MARKED
    } else {
        0
    };
    code | simple | marked | flags(c)
}

fn flags(c: char) -> u32 {
    let dense = if is_dense(c as u32) { DENSE } else { 0 };
    dense | (class_of(c) as u32) << CLASS_SHIFT
}

fn build() -> Box<[u32; 0x1_0000]> {
    let mut table: Box<[u32; 0x1_0000]> = vec![0; 0x1_0000]
        .into_boxed_slice()
        .try_into()
        .expect("the length is the array's");
    let chains = Chains::new();
    for code in 0..0x1_0000_u32 {
        // Surrogates are no characters: their entries are never read.
        let Some(c) = char::from_u32(code) else { continue };
        let marked = if is_marked(c) { MARKED } else { 0 };
        table[code as usize] = marked
            | match chains.single(c) {
                Some(mapped) => mapped as u32 | SIMPLE | flags(mapped),
                None => code | flags(c),
            };
    }
    table
}

/// The facts that decide whether a character's folding depends on its neighbours.
struct Chains {
    nfkc: ComposingNormalizerBorrowed<'static>,
    classes: CanonicalCombiningClassMapBorrowed<'static>,
    combines_backwards: Vec<bool>,
}

impl Chains {
    fn new() -> Self {
        // A character combines with the preceding one if some canonical decomposition has it second.
        let decomposition = CanonicalDecompositionBorrowed::new();
        let mut combines_backwards = vec![false; 0x1_0000];
        for c in (0..0x1_0000_u32).filter_map(char::from_u32) {
            if let Decomposed::Expansion(_, second) = decomposition.decompose(c) {
                combines_backwards[second as u32 as usize & 0xFFFF] = true;
            }
        }
        Self {
            nfkc: ComposingNormalizerBorrowed::new_nfkc(),
            classes: CanonicalCombiningClassMapBorrowed::new(),
            combines_backwards,
        }
    }

    /// Text may be cut before `c` without changing the fold of either part.
    fn begins_anew(&self, c: char) -> bool {
        !looks_back(c)
            && !is_nikhahit(c)
            && self.classes.get_u8(c) == 0
            && (c as u32) < 0x1_0000
            && !self.combines_backwards[c as u32 as usize]
    }

    /// The fold of `c` if it is one character and every step starts at a boundary. Then a text can be cut before `c`,
    /// and `c` before another such character folds by itself.
    fn single(&self, c: char) -> Option<char> {
        if is_dropped(c) || !self.begins_anew(c) {
            return None;
        }
        let mut buffer = [0; 4];
        let composed = only(&self.nfkc.normalize(c.encode_utf8(&mut buffer)))?;
        let folded = only(&CaseMapper::new().fold_string(composed.encode_utf8(&mut buffer)))?;
        let unified = only(&unify(folded.encode_utf8(&mut buffer)))?;
        let mapped = only(&self.nfkc.normalize(unified.encode_utf8(&mut buffer)))?;
        [composed, folded, unified, mapped]
            .iter()
            .all(|&x| self.begins_anew(x))
            .then_some(mapped)
    }
}

fn only(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// Whether an ASCII character belongs to a word; `false` beyond ASCII.
pub(super) static IN_WORD: std::sync::LazyLock<[bool; 256]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|byte| byte < 0x80 && class_of(char::from(byte as u8)) == Class::Plain)
});
/// Whether NFKC changes the character, and it is a number but no decimal digit, or a sign or letter in superscript or subscript.
pub(super) fn is_marked(c: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    let is_number = matches!(category, GeneralCategory::OtherNumber | GeneralCategory::LetterNumber);
    (is_number || matches!(c, '\u{2070}'..='\u{209C}'))
        && !ComposingNormalizerBorrowed::new_nfkc().is_normalized(c.encode_utf8(&mut [0; 4]))
}
