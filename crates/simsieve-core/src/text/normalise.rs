//! The normalisation as a single pass over bytes: ASCII by table, simple characters by table, the rest by
//! [`super::plain::fold`] in the shortest pieces that may be cut out of a text.

use super::plain;
use super::table::{CHAR, CLASS_SHIFT, Class, SIMPLE, TABLE, class_of, entry_beyond};

/// Normalises many texts by one choice of what the compact text leaves out.
#[derive(Debug, Clone)]
pub struct Normaliser {
    keep_all: bool,
    ascii: [Ascii; 128],
}

/// What one ASCII byte does to the two outputs.
#[derive(Debug, Clone, Copy, Default)]
struct Ascii {
    mapped: u8,
    space: bool,
    compact: bool,
}

/// The outputs for one text, and room for the next: keep one a thread and its memory is used again.
#[derive(Debug, Default, Clone)]
pub struct Compact {
    full: Vec<u8>,
    compact: Vec<u8>,
    all_ascii: bool,
    keep_all: bool,
}

impl Compact {
    /// The normalised text (UTF-8).
    pub fn normalised(&self) -> &[u8] {
        &self.full
    }

    /// The text that features are cut from (UTF-8).
    pub fn compact(&self) -> &[u8] {
        if self.keep_all { &self.full } else { &self.compact }
    }

    /// Whether every character of the compact text is one byte long.
    pub fn is_ascii(&self) -> bool {
        self.all_ascii
    }

    /// Takes `text` (UTF-8) as both outputs, for features of a text that is already as it should be.
    #[cfg(test)]
    pub(crate) fn of(text: &str) -> Self {
        Self {
            full: text.into(),
            compact: Vec::new(),
            all_ascii: text.is_ascii(),
            keep_all: true,
        }
    }
}

impl Normaliser {
    /// A normaliser whose compact text is the whole normalised text, or leaves punctuation and spaces out.
    pub fn new(keep_all: bool) -> Self {
        let mut ascii = [Ascii::default(); 128];
        for (byte, entry) in ascii.iter_mut().enumerate() {
            let class = class_of(char::from(byte as u8));
            *entry = Ascii {
                mapped: (byte as u8).to_ascii_lowercase(),
                space: class == Class::Space,
                compact: class == Class::Plain,
            };
        }
        Self { keep_all, ascii }
    }

    /// Normalises `text` into `out`, whose former content is lost.
    ///
    /// Complexity: linear in the length of the text.
    pub fn run(&self, text: &str, out: &mut Compact) {
        out.full.clear();
        out.compact.clear();
        out.all_ascii = true;
        out.keep_all = self.keep_all;
        // No byte of input makes more than one byte of output on the fast paths; the slow path reserves for itself.
        out.full.reserve(text.len() + 1);
        out.compact.reserve(text.len() + 1);
        let table = &**TABLE;
        let bytes = text.as_bytes();
        let mut writer = Writer { out };
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] < 0x80 {
                at = self.ascii_run(bytes, at, writer.out);
                // The last character of the run belongs to what follows if that cannot stand by itself.
                if at == bytes.len() {
                    break;
                }
            }
            let (c, next) = decode(text, at);
            let entry = entry_of(table, c);
            if entry & SIMPLE == 0 {
                at = self.slow_piece(text, at, table, &mut writer);
            } else if next < bytes.len() && bytes[next] >= 0x80 && entry_of(table, decode(text, next).0) & SIMPLE == 0 {
                at = self.slow_piece(text, at, table, &mut writer);
            } else {
                writer.push_entry(entry);
                at = next;
            }
        }
        if out.full.last() == Some(&b' ') {
            out.full.pop();
        }
    }

    /// Copies ASCII bytes from `at` on, up to one that a following character may change; gives the next position.
    #[inline]
    fn ascii_run(&self, bytes: &[u8], at: usize, out: &mut Compact) -> usize {
        let end = at + bytes[at..].iter().position(|&b| b >= 0x80).unwrap_or(bytes.len() - at);
        // What stands before a character beyond ASCII may combine with it (a letter and an accent): it goes with it.
        let end_here = if end < bytes.len() { end - 1 } else { end };
        let (full, compact) = (&mut out.full, &mut out.compact);
        let mut after_space = full.last().is_none_or(|&b| b == b' ');
        for &byte in &bytes[at..end_here] {
            let entry = self.ascii[usize::from(byte)];
            if entry.space {
                if !after_space {
                    full.push(b' ');
                }
                after_space = true;
            } else {
                full.push(entry.mapped);
                if entry.compact {
                    compact.push(entry.mapped);
                }
                after_space = false;
            }
        }
        end_here
    }

    /// Folds the piece from `at` up to the next character that begins anew by the plain way; gives its end.
    #[cold]
    fn slow_piece(&self, text: &str, at: usize, table: &[u32; 0x1_0000], writer: &mut Writer) -> usize {
        let (_, mut end) = decode(text, at);
        while end < text.len() {
            let (c, next) = decode(text, end);
            if entry_of(table, c) & SIMPLE != 0 {
                break;
            }
            end = next;
        }
        let folded = plain::fold(&text[at..end]);
        writer.out.full.reserve(folded.len() + text.len() - end + 1);
        writer.out.compact.reserve(folded.len() + text.len() - end + 1);
        for c in folded.chars() {
            writer.push_char(c, class_of(c));
        }
        end
    }
}

/// Appends characters to both outputs by their class.
struct Writer<'a> {
    out: &'a mut Compact,
}

impl Writer<'_> {
    #[inline]
    fn push_entry(&mut self, entry: u32) {
        let class = match entry >> CLASS_SHIFT & 3 {
            0 => Class::Plain,
            1 => Class::Punctuation,
            _ => Class::Space,
        };
        // The table's low bits came from a `char`.
        self.push_char(char::from_u32(entry & CHAR).unwrap_or('\u{FFFD}'), class);
    }

    #[inline]
    fn push_char(&mut self, c: char, class: Class) {
        let out = &mut *self.out;
        if class == Class::Space {
            if out.full.last().is_some_and(|&b| b != b' ') {
                out.full.push(b' ');
            }
            return;
        }
        let mut buffer = [0; 4];
        let encoded = c.encode_utf8(&mut buffer).as_bytes();
        out.full.extend_from_slice(encoded);
        if class == Class::Plain {
            out.compact.extend_from_slice(encoded);
        }
        if class == Class::Plain || out.keep_all {
            out.all_ascii &= c.is_ascii();
        }
    }
}

#[inline]
fn entry_of(table: &[u32; 0x1_0000], c: char) -> u32 {
    table.get(c as usize).copied().unwrap_or_else(|| entry_beyond(c))
}

/// The character at byte `at` and the position behind it.
#[inline]
fn decode(text: &str, at: usize) -> (char, usize) {
    let c = text[at..].chars().next().unwrap_or('\u{FFFD}');
    (c, at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::is_dropped;

    fn run(text: &str, keep_all: bool) -> (String, String) {
        let mut out = Compact::default();
        Normaliser::new(keep_all).run(text, &mut out);
        assert_eq!(out.is_ascii(), out.compact().is_ascii());
        let text_of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (text_of(out.normalised()), text_of(out.compact()))
    }

    fn check(text: &str) {
        let normalised = plain::normalise(text);
        let compact: String = normalised.chars().filter(|&c| class_of(c) == Class::Plain).collect();
        assert_eq!(run(text, false), (normalised.clone(), compact), "{text:?}");
        assert_eq!(run(text, true), (normalised.clone(), normalised), "{text:?}");
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
            "x^2 + y_1 - 3.5% `code` $5 ~",
        ] {
            check(text);
        }
    }

    #[test]
    fn every_character_agrees_alone_and_between_neighbours() {
        let (mut out, normaliser) = (Compact::default(), Normaliser::new(true));
        for c in ('\0'..=char::MAX).filter(|c| !matches!(*c as u32, 0xE000..=0xF8FF | 0xF0000..)) {
            for text in [format!("{c}"), format!("a{c}b"), format!("中{c}\u{301}{c}가")] {
                normaliser.run(&text, &mut out);
                assert_eq!(
                    std::str::from_utf8(out.normalised()).unwrap(),
                    plain::normalise(&text),
                    "{text:?}"
                );
            }
        }
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
        fn mixed_scripts_agree_with_the_plain_way(text in "[a-zA-Z0-9 .,。,中文字かがカ\u{3099}\u{301}\u{327}é각\u{11A8}\u{1161}ﬁ①\u{200d}]{0,40}") {
            check(&text);
        }

        #[test]
        fn normalising_twice_changes_nothing(text in "\\PC{0,30}") {
            let once = plain::normalise(&text);
            prop_assert_eq!(plain::normalise(&once), once.clone());
        }
    }
}
