//! Words of Taiwan; the longest at each place is found.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::data;
use super::han::{HAN, behind_ascii, four, head};

/// The words by their first characters.
pub(super) struct Table {
    /// By first character: its words with their replacements, the longest first.
    by_first: HashMap<usize, Vec<(&'static str, &'static str)>>,
    /// A bit for each character of [`HAN`]: whether it alone is a word.
    alone: Vec<u64>,
    /// A bit for the hash of the first two characters of each word: few places of a text pass it.
    pairs: Vec<u64>,
}

pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        by_first: HashMap::new(),
        alone: vec![0; HAN.len().div_ceil(64)],
        pairs: vec![0; 1 << (PAIR_BITS - 6)],
    };
    for (key, value) in data::words() {
        let mut places = key.chars().map(|c| (c as u32 - HAN.start) as usize);
        let first = places.next().expect("no word is empty");
        table.by_first.entry(first).or_default().push((key, value));
        let (bits, bit) = match places.next() {
            Some(second) => (&mut table.pairs, pair(first, second)),
            None => (&mut table.alone, first),
        };
        bits[bit / 64] |= 1 << (bit % 64);
    }
    for words in table.by_first.values_mut() {
        words.sort_by_key(|(key, _)| std::cmp::Reverse(key.len()));
    }
    table
});

const PAIR_BITS: u32 = 15;

/// Places of characters are below 2^15.
fn pair(first: usize, second: usize) -> usize {
    let mixed = ((first as u32) << 15 | second as u32).wrapping_mul(0x9E37_79B1);
    (mixed >> (32 - PAIR_BITS)) as usize
}

fn has(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

impl Table {
    /// The text with words replaced; `None` if none changes.
    pub(super) fn replace(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (mut out, mut copied) = (Vec::new(), 0);
        let mut at = 0;
        let mut place = place_at(text, at);
        while at < text.len() {
            let (length, first) = place;
            if length == 1 {
                at = behind_ascii(text, at + 1);
                place = place_at(text, at);
                continue;
            }
            let next = place_at(text, at + length);
            let word = if first < HAN.len() {
                let (_, second) = next;
                let begins = second < HAN.len() && has(&self.pairs, pair(first, second)) || has(&self.alone, first);
                begins.then(|| self.longest(first, &text[at..])).flatten()
            } else {
                None
            };
            let Some((key, value)) = word else {
                at += length;
                place = next;
                continue;
            };
            if key != value {
                if out.is_empty() {
                    out.reserve(text.len() + text.len() / 2);
                }
                out.extend_from_slice(&text[copied..at]);
                out.extend_from_slice(value.as_bytes());
                copied = at + key.len();
            }
            at += key.len();
            place = place_at(text, at);
        }
        (copied > 0).then(|| {
            out.extend_from_slice(&text[copied..]);
            out
        })
    }

    fn longest(&self, first: usize, text: &[u8]) -> Option<(&'static str, &'static str)> {
        let words = self.by_first.get(&first)?;
        words.iter().copied().find(|(key, _)| text.starts_with(key.as_bytes()))
    }
}

/// Length and place in [`HAN`] of the character at `at`, as [`head`] gives them.
#[inline]
fn place_at(text: &[u8], at: usize) -> (usize, usize) {
    if text.len() >= at + 4 {
        return head(four(text, at));
    }
    let mut rest = [0; 4];
    if let Some(bytes) = text.get(at..) {
        rest[..bytes.len()].copy_from_slice(bytes);
    }
    head(rest)
}
