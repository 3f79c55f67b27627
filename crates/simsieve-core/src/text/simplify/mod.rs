//! Traditional Chinese made Simplified, so that a text has the features of the same text in the other script.
//!
//! It is the last step of normalising: in come both forms of a normalised text, out go both forms of what
//! [`plain::simplify`] says in a few lines.

pub mod data;
pub mod plain;
mod words;

use std::ops::Range;
use std::sync::LazyLock;

use plain::unify;

/// Bytes behind the text of a buffer, which kernels may read and write.
pub(super) const SLACK: usize = 64;

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
    /// use simsieve_core::text::simplify::Fold;
    /// assert_eq!(Fold::Characters.apply("軟體 ABC"), "软体 ABC");
    /// assert_eq!(Fold::Words.apply("軟體 ABC"), "软件 ABC");
    /// ```
    pub fn apply(self, text: &str) -> String {
        let mut bytes = unify(text).into_owned().into_bytes();
        let mut len = bytes.len();
        bytes.resize(len + SLACK, 0);
        if let Some(simplified) = Self::characters(&mut bytes, len) {
            len = simplified;
        }
        bytes.truncate(len);
        if self == Self::Words
            && let Some(replaced) = Self::words(&bytes)
        {
            bytes = replaced;
        }
        String::from_utf8(bytes).expect("characters become characters")
    }

    /// Simplifies the characters of the first `len` bytes of `buffer`, which has [`SLACK`] bytes more. Returns the new length,
    /// or `None` where nothing changed.
    pub(super) fn characters(buffer: &mut Vec<u8>, len: usize) -> Option<usize> {
        let first = TABLE.first(buffer, len)?;
        Some(TABLE.rewrite(buffer, len, first))
    }

    /// The text with the words of Taiwan replaced, where it has any.
    pub(super) fn words(text: &[u8]) -> Option<Vec<u8>> {
        words::TABLE.replace(text)
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
