//! Makes Traditional characters Simplified in place, one by one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::data;
use super::fold::Script;
use super::han::{HAN, behind_ascii, four, head};
use crate::text::SLACK;

/// The fold of each character, by its bytes.
pub(super) struct Table {
    /// A bit for each character of [`HAN`]: whether it changes.
    changes: Vec<u64>,
    /// The three bytes of the fold of a character of [`HAN`], the first lowest; [`LONGER`] if it has four.
    bytes: Vec<u32>,
    characters: &'static BTreeMap<char, char>,
}

const LONGER: u32 = u32::MAX;

static TABLES: LazyLock<[Table; 2]> = LazyLock::new(|| [Script::Characters, Script::Words].map(build));

/// The table of a script.
pub(super) fn table(script: Script) -> &'static Table {
    &TABLES[usize::from(script == Script::Words)]
}

fn build(script: Script) -> Table {
    let characters = data::characters_of(script);
    let mut table = Table {
        characters,
        changes: vec![0; HAN.len().div_ceil(64)],
        bytes: vec![0; HAN.len()],
    };
    for code in HAN {
        let c = char::from_u32(code).expect("no surrogate is among Han");
        let folded = characters.get(&c);
        let at = (code - HAN.start) as usize;
        table.changes[at / 64] |= u64::from(folded.is_some()) << (at % 64);
        let mut bytes = [0; 4];
        table.bytes[at] = match folded.unwrap_or(&c).encode_utf8(&mut bytes).len() {
            3 => u32::from_le_bytes(bytes),
            _ => LONGER,
        };
    }
    table
}

impl Table {
    #[inline]
    fn changes(&self, place: usize) -> bool {
        self.changes
            .get(place / 64)
            .is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    /// Simplifies the first `len` bytes, behind which are `SLACK` more. Returns their new number, or `None` if nothing changes.
    pub(super) fn simplify(&self, buffer: &mut Vec<u8>, len: usize) -> Option<usize> {
        let first = self.first(buffer, len)?;
        Some(self.rewrite(buffer, len, first))
    }

    /// The place of the first character that changes among the first `len` bytes.
    fn first(&self, bytes: &[u8], len: usize) -> Option<usize> {
        let mut at = 0;
        while at < len {
            let (length, place) = head(four(bytes, at));
            if self.changes(place) || length == 4 && self.beyond(&bytes[at..at + 4]) {
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

    /// Folds the first `len` bytes from `at` on and returns their new number; the padding stays.
    fn rewrite(&self, buffer: &mut Vec<u8>, len: usize, mut at: usize) -> usize {
        while at < len {
            let old = four(buffer, at);
            let (length, place) = head(old);
            if let Some(&new) = self.bytes.get(place) {
                if new == LONGER {
                    return self.rewrite_rest(buffer, len, at);
                }
                // Three bytes only: a write of the fourth would delay the next read.
                buffer[at..at + 3].copy_from_slice(&new.to_le_bytes()[..3]);
            } else if length == 4 && self.beyond(&old) {
                return self.rewrite_rest(buffer, len, at);
            }
            at = if length == 1 {
                behind_ascii(buffer, at + 1)
            } else {
                at + length
            };
        }
        len
    }

    /// Whether a character beyond the first plane changes.
    #[cold]
    fn beyond(&self, bytes: &[u8]) -> bool {
        let text = std::str::from_utf8(bytes).expect("a character of four bytes");
        text.chars().any(|c| self.characters.contains_key(&c))
    }

    /// [`Table::rewrite`] for texts that change in length.
    #[cold]
    fn rewrite_rest(&self, buffer: &mut Vec<u8>, len: usize, at: usize) -> usize {
        let rest = std::str::from_utf8(&buffer[at..len]).expect("a text cut before a character");
        let fold = |c: char| match c as u32 {
            code if HAN.contains(&code) && !self.changes((code - HAN.start) as usize) => c,
            _ => *self.characters.get(&c).unwrap_or(&c),
        };
        let folded: String = rest.chars().map(fold).collect();
        buffer.truncate(at);
        buffer.extend_from_slice(folded.as_bytes());
        let len = buffer.len();
        buffer.resize(len + SLACK, 0);
        len
    }
}
