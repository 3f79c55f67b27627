//! Traditional Chinese made Simplified, so that a text has the features of the same text in the other script.
//!
//! It is the last step of normalising: in come both forms of a normalised text, out go both forms of what
//! [`super::plain::simplify`] says in a few lines.

pub mod data;
mod words;

use std::ops::Range;
use std::sync::LazyLock;

use super::normalise::{Compact, SLACK};
use super::plain::unify;

/// What a scheme makes Simplified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Characters, each by itself.
    Characters,
    /// Characters, then the words of Taiwan that have others on the mainland, the longest first.
    Words,
}

/// The characters of three bytes among which folded ones are: Han with extension A.
const HAN: Range<u32> = 0x3400..0xA000;

impl Fold {
    /// Every fold with its name.
    pub const ALL: [(&'static str, Self); 2] = [("t2s", Self::Characters), ("tw2sp", Self::Words)];

    /// What it is called in a spec.
    pub fn name(self) -> &'static str {
        Self::ALL[usize::from(self == Self::Words)].0
    }

    /// The fold of a name; `Some(None)` for `none`, `None` where there is no such one.
    #[allow(
        clippy::option_option,
        reason = "a name may be unknown, and a known one may stand for no fold"
    )]
    pub fn named(name: &str) -> Option<Option<Self>> {
        let known = Self::ALL.iter().find(|(known, _)| *known == name);
        known
            .map(|row| Some(row.1))
            .or_else(|| (name == "none").then_some(None))
    }

    /// Name and data, for digests.
    pub fn canonical(self) -> String {
        format!(
            "fold {} by tables {:032x}",
            self.name(),
            data::digest(self == Self::Words)
        )
    }

    /// A text folded that is not normalised, such as one whose case matters.
    ///
    /// ```
    /// use simsieve_core::text::Fold;
    /// assert_eq!(Fold::Characters.apply("軟體 ABC"), "软体 ABC");
    /// assert_eq!(Fold::Words.apply("軟體 ABC"), "软件 ABC");
    /// ```
    pub fn apply(self, text: &str) -> String {
        let mut bytes = unify(text).into_owned().into_bytes();
        let mut len = bytes.len();
        bytes.resize(len + SLACK, 0);
        if let Some(first) = TABLE.first(&bytes, len) {
            len = TABLE.rewrite(&mut bytes, len, first);
        }
        bytes.truncate(len);
        if self == Self::Words
            && let Some(replaced) = words::TABLE.replace(&bytes)
        {
            bytes = replaced;
        }
        String::from_utf8(bytes).expect("characters become characters")
    }

    /// Folds both forms of a text.
    ///
    /// Complexity: linear in the length of the text.
    pub(super) fn run(self, out: &mut Compact) {
        let first = TABLE.first(&out.full, out.full_len);
        if let Some(first) = first {
            out.full_len = TABLE.rewrite(&mut out.full, out.full_len, first);
        }
        if self == Self::Words
            && let Some(mut replaced) = words::TABLE.replace(out.normalised())
        {
            out.full_len = replaced.len();
            replaced.resize(replaced.len() + SLACK, 0);
            out.full = replaced;
            out.compact_again();
        } else if first.is_some() && !out.keep_all {
            out.kept_len = TABLE.rewrite(&mut out.kept, out.kept_len, 0);
        }
    }
}

/// What each character becomes, by its bytes.
struct Table {
    /// A bit a character of [`HAN`]: whether it becomes another.
    changes: Vec<u64>,
    /// The three bytes of what a character of [`HAN`] becomes, the first lowest; [`LONGER`] where it takes four.
    bytes: Vec<u32>,
}

const LONGER: u32 = u32::MAX;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        changes: vec![0; HAN.len().div_ceil(64)],
        bytes: vec![0; HAN.len()],
    };
    for code in HAN {
        let c = char::from_u32(code).expect("no surrogate is among Han");
        let folded = data::characters().get(&c);
        let at = (code - HAN.start) as usize;
        table.changes[at / 64] |= u64::from(folded.is_some()) << (at % 64);
        let mut bytes = [0; 4];
        table.bytes[at] = match folded.unwrap_or(&c).encode_utf8(&mut bytes).len() {
            3 => u32::from_le_bytes(bytes),
            _ => LONGER,
        };
    }
    table
});

/// The length of the character at the head of `four`, and its place in [`HAN`] or a number beyond its length.
#[inline]
fn head(four: [u8; 4]) -> (usize, usize) {
    let [lead, second, third, _] = four.map(u32::from);
    match lead {
        0xE3..=0xE9 => {
            let code = (lead & 0xF) << 12 | (second & 0x3F) << 6 | third & 0x3F;
            (3, code.wrapping_sub(HAN.start) as usize)
        }
        0..0x80 => (1, usize::MAX),
        0x80..0xE0 => (2, usize::MAX),
        0xE0..0xE3 | 0xEA..0xF0 => (3, usize::MAX),
        _ => (4, usize::MAX),
    }
}

/// Where the ASCII that goes on at `at` ends, which may be behind the text, or less than eight bytes before the buffer's end.
#[inline]
fn behind_ascii(bytes: &[u8], mut at: usize) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let high = u64::from_le_bytes(*eight) & HIGH;
        if high != 0 {
            return at + high.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

/// The four bytes from `at` on, of which those behind the text may be anything.
#[inline]
fn four(bytes: &[u8], at: usize) -> [u8; 4] {
    *bytes[at..].first_chunk().expect("room behind the text")
}

impl Table {
    #[inline]
    fn changes(&self, place: usize) -> bool {
        self.changes
            .get(place / 64)
            .is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    /// Where the first character that becomes another is among the first `len` bytes.
    fn first(&self, bytes: &[u8], len: usize) -> Option<usize> {
        let mut at = 0;
        while at < len {
            let (length, place) = head(four(bytes, at));
            if self.changes(place) || length == 4 && beyond(&bytes[at..at + 4]) {
                return Some(at);
            }
            at = if length == 1 {
                behind_ascii(bytes, at + 1)
            } else {
                at + length
            };
        }
        None
    }

    /// Folds the first `len` bytes from `at` on and gives how many there are then; room behind them stays.
    fn rewrite(&self, buffer: &mut Vec<u8>, len: usize, mut at: usize) -> usize {
        while at < len {
            let old = four(buffer, at);
            let (length, place) = head(old);
            if let Some(&new) = self.bytes.get(place) {
                if new == LONGER {
                    return rewrite_rest(buffer, len, at);
                }
                // Not the fourth with them: the next read would wait for it to be written.
                buffer[at..at + 3].copy_from_slice(&new.to_le_bytes()[..3]);
            } else if length == 4 && beyond(&old) {
                return rewrite_rest(buffer, len, at);
            }
            at = if length == 1 {
                behind_ascii(buffer, at + 1)
            } else {
                at + length
            };
        }
        len
    }
}

/// Whether a character beyond the first plane becomes another.
#[cold]
fn beyond(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).expect("a character of four bytes");
    text.chars().any(|c| data::characters().contains_key(&c))
}

/// [`Table::rewrite`] for what does not stay as long as it is.
#[cold]
fn rewrite_rest(buffer: &mut Vec<u8>, len: usize, at: usize) -> usize {
    let rest = std::str::from_utf8(&buffer[at..len]).expect("a text cut before a character");
    let fold = |c: char| match c as u32 {
        code if HAN.contains(&code) && !TABLE.changes((code - HAN.start) as usize) => c,
        _ => *data::characters().get(&c).unwrap_or(&c),
    };
    let folded: String = rest.chars().map(fold).collect();
    buffer.truncate(at);
    buffer.extend_from_slice(folded.as_bytes());
    let len = buffer.len();
    buffer.resize(len + SLACK, 0);
    len
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;
    use crate::text::{Class, Normaliser, class_of, plain};

    /// Both forms by every kernel, which must be the plain ones.
    fn check(text: &str) {
        let mut out = Compact::default();
        for (fold, keep_all) in [Fold::Characters, Fold::Words]
            .into_iter()
            .flat_map(|f| [(f, false), (f, true)])
        {
            let full = plain::simplify(&plain::normalise(text), fold);
            let compact: String = full
                .chars()
                .filter(|&c| keep_all || class_of(c) == Class::Plain)
                .collect();
            for kernel in Kernel::available() {
                let normaliser = Normaliser::with_kernel(keep_all, kernel).folding(Some(fold));
                normaliser.run(text, &mut out);
                assert_eq!(
                    std::str::from_utf8(out.normalised()),
                    Ok(full.as_str()),
                    "{text:?} {fold:?}"
                );
                assert_eq!(
                    std::str::from_utf8(out.compact()),
                    Ok(compact.as_str()),
                    "{text:?} {fold:?}"
                );
                assert_eq!(out.is_ascii(), compact.is_ascii());
                let (padded, len) = out.padded();
                assert!(padded.len() >= len + SLACK);
            }
            assert_eq!(fold.apply(text), plain::simplify(text, fold), "{text:?} {fold:?}");
        }
    }

    #[test]
    fn named_cases_agree_with_the_plain_way() {
        for text in [
            "",
            "體",
            "Simplified 汉字 stays, 漢字 does not.",
            "軟體、硬體 與 資料庫",
            "程式 程序 进程 檔案 文件 文檔",
            "壞坏坯薴苧苎",
            "㑮體㑮 𠁞 𫝈",
            "豈\u{F900}馬⾺㈻\u{F9D0}\u{FA0E}\u{2F996}",
            "埠，通訊埠；矽谷",
            "厄瓜多 厄瓜多爾 厄瓜多厄",
            "A型肝炎 隨身碟",
            "軟，體",
            "資 料夾 資料夾",
            "は体育館、한국어 體",
        ] {
            check(text);
        }
    }

    #[test]
    fn words_are_found_across_nothing_but_characters() {
        assert_eq!(Fold::Words.apply("資料夾 資料 夾"), "文件夹 数据 夹");
        assert_eq!(Fold::Words.apply("檔案 文件 文档"), "文档 文档 文档");
        assert_eq!(Fold::Words.apply("隨身碟"), "u盘");
        assert_eq!(Fold::Characters.apply("資料夾"), "资料夹");
    }

    #[test]
    fn compatibility_ideographs_are_folded_as_what_they_stand_for() {
        assert_eq!(Fold::Characters.apply("\u{F900}乾"), "岂干");
        assert_eq!(
            Fold::Characters.apply("\u{F92C}\u{FA0E}\u{2F800}"),
            "\u{90CE}\u{FA0E}\u{4E3D}"
        );
        assert_eq!(Fold::Words.apply("資\u{F9BE}夾 A"), "文件夹 A");
    }

    #[test]
    fn every_character_agrees() {
        let mut text = String::new();
        for c in ('\u{3000}'..='\u{A0FF}')
            .chain('\u{F900}'..='\u{FAFF}')
            .chain('\u{20000}'..='\u{323AF}')
        {
            text.push(c);
            if text.len() > 3000 {
                check_characters(&text);
                text.clear();
            }
        }
        check_characters(&text);
    }

    fn check_characters(text: &str) {
        let mut out = Compact::default();
        Normaliser::new(true)
            .folding(Some(Fold::Characters))
            .run(text, &mut out);
        let wanted = plain::simplify(&plain::normalise(text), Fold::Characters);
        assert_eq!(out.normalised(), wanted.as_bytes());
    }

    /// A word of Taiwan or a part of one, in either script.
    fn pieces() -> impl Strategy<Value = String> {
        let keys: Vec<&'static str> = data::words().keys().map(String::as_str).collect();
        let word = (proptest::sample::select(keys), 0..6_usize, 0..6_usize)
            .prop_map(|(key, from, count)| key.chars().skip(from % 2 * from).take(1 + count).collect());
        let character = proptest::sample::select(data::characters().keys().copied().collect::<Vec<_>>());
        prop_oneof![word, character.prop_map(String::from), "[a-zA 。，は\u{301}𠀀]{0,3}"]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn any_text_agrees_with_the_plain_way(pieces in proptest::collection::vec(pieces(), 0..20), other in any::<String>()) {
            check(&pieces.concat());
            check(&other);
        }

        #[test]
        fn the_script_of_a_text_does_not_matter(pieces in proptest::collection::vec(pieces(), 0..20)) {
            let text = pieces.concat();
            let simplified = Fold::Characters.apply(&text);
            prop_assert_eq!(Fold::Characters.apply(&simplified), simplified.clone());
            prop_assert_eq!(Fold::Words.apply(&simplified), Fold::Words.apply(&text));
        }
    }
}
