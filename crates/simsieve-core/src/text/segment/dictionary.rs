//! The dictionary: words with their frequencies and tags, jieba's (0.42.1) `FREQ`, `total` and `user_word_tag_tab`.

use std::collections::HashMap;

use super::data;
use super::logarithm::ln;
use super::trie::{FIRST_HAN, HAN, NO_ENTRY, Trie, symbol};
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::base::message::Message;

/// The greatest frequency, and the greatest sum of all: doubles hold integers up to here.
pub const MOST: u64 = 1 << 53;

/// What is known of a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Entry {
    frequency: u64,
    tag: u16,
}

/// No tag is known.
const NO_TAG: u16 = 0;

/// Words with frequencies and tags.
#[derive(Debug, Clone)]
pub struct Dictionary {
    pub(super) trie: Trie,
    entries: Vec<Entry>,
    /// Words that are never found, because they have a character that is always cut off (see [`symbol`]), and their
    /// prefixes; they only count.
    elsewhere: HashMap<Box<str>, Entry>,
    tags: Vec<Box<str>>,
    tag_numbers: HashMap<Box<str>, u16>,
    total: u64,
    pub(super) log_total: f64,
    /// The hashes of all words with frequency and tag, added, so their order does not matter.
    sum: u128,
}

/// A line of a dictionary file, with its number.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    file: &'a str,
    number: usize,
    bytes: &'a [u8],
}

impl<'a> Line<'a> {
    /// The lines of a file, numbered from 1, without white space at their ends.
    pub fn all(file: &'a str, bytes: &'a [u8]) -> impl Iterator<Item = Self> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let lines = (!bytes.is_empty()).then(|| bytes.split(|&byte| byte == b'\n'));
        lines.into_iter().flatten().zip(1..).map(move |(line, number)| Self {
            file,
            number,
            bytes: trim(line),
        })
    }

    /// The error that names this line.
    pub fn refuse(&self, what: Message) -> Error {
        let content: String = String::from_utf8_lossy(self.bytes).chars().take(200).collect();
        Error::Source {
            path: self.file.into(),
            message: msg!("line {number}: {content:?}: {what}", number = self.number),
        }
    }

    /// The line's text.
    pub fn text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes).map_err(|_| self.refuse(msg!("this is no UTF-8; save the file as UTF-8")))
    }
}

/// Without the white space that Python strips from bytes.
fn trim(mut bytes: &[u8]) -> &[u8] {
    const WHITE: &[u8] = b" \t\n\r\x0b\x0c";
    while let [rest @ .., last] = bytes
        && WHITE.contains(last)
    {
        bytes = rest;
    }
    while let [first, rest @ ..] = bytes
        && WHITE.contains(first)
    {
        bytes = rest;
    }
    bytes
}

/// An integer in a dictionary.
fn frequency_of(line: &Line<'_>, digits: &str) -> Result<u64> {
    let value = (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok().filter(|&value| value <= MOST))
        .flatten();
    value.ok_or_else(|| line.refuse(msg!("{digits:?} is no frequency; it is a whole number from 0 to 2^53")))
}

impl Dictionary {
    /// A dictionary without words.
    pub fn empty() -> Self {
        Self {
            trie: Trie::new(),
            entries: Vec::new(),
            elsewhere: HashMap::new(),
            tags: vec!["".into()],
            tag_numbers: HashMap::from([("".into(), NO_TAG)]),
            total: 0,
            log_total: 0.0,
            sum: 0,
        }
    }

    /// jieba's own dictionary.
    pub fn builtin() -> Result<Self> {
        let mut dictionary = Self::parse("the built-in dictionary", data::WORDS.as_bytes())?;
        dictionary.count(data::REPEATED)?;
        Ok(dictionary)
    }

    /// Reads a main dictionary: every line is `word frequency` or `word frequency tag`; the last line of a repeated
    /// word counts, but all frequencies are added to the total.
    ///
    /// # Errors
    /// [`Error::Source`] that names the file, the line and its content.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        let mut dictionary = Self::empty();
        let mut words = Vec::new();
        let mut symbols: Vec<u16> = Vec::new();
        let mut total = 0_u64;
        for line in Line::all(file, bytes) {
            let mut fields = line.text()?.split(' ');
            let (Some(word), Some(digits)) = (fields.next(), fields.next()) else {
                return Err(line.refuse(msg!("a line is \"word frequency\" or \"word frequency tag\"")));
            };
            let frequency = frequency_of(&line, digits)?;
            let tag = match (fields.next(), fields.next()) {
                (Some(tag), None) => dictionary.tag_number(tag)?,
                _ => NO_TAG,
            };
            total += frequency;
            if total > MOST {
                return Err(line.refuse(msg!("the frequencies up to here add up to more than 2^53")));
            }
            let entry = Entry { frequency, tag };
            let start = symbols.len();
            symbols.extend(word.chars().map_while(symbol));
            // The symbol of a Han or ASCII character gives its length in bytes.
            if symbols[start..].iter().map(|&symbol| width(symbol)).sum::<usize>() == word.len() {
                words.push((start, symbols.len(), entry));
            } else {
                symbols.truncate(start);
                let old = dictionary.elsewhere.get(word).copied().unwrap_or_default();
                dictionary.change_sum(word, old, entry);
                dictionary.set(word, entry);
            }
        }
        dictionary.fill(&symbols, words);
        dictionary.count(total)?;
        Ok(dictionary)
    }

    /// Builds the trie of all words at once.
    fn fill(&mut self, symbols: &[u16], mut words: Vec<(usize, usize, Entry)>) {
        let of = |&(start, end, _): &(usize, usize, Entry)| &symbols[start..end];
        if !words.is_sorted_by(|a, b| of(a) < of(b)) {
            // The sort is stable: the last line of equal words stays last, and counts.
            words.sort_by(|a, b| of(a).cmp(of(b)));
            words = words
                .chunk_by(|a, b| of(a) == of(b))
                .filter_map(|same| same.last().copied())
                .collect();
        }
        // Exact logarithms are slow, and most words share their frequency with others.
        let mut logarithms = HashMap::new();
        let mut text = String::new();
        let mut weighed = Vec::with_capacity(words.len());
        for word in &words {
            let frequency = word.2.frequency;
            weighed.push((
                of(word),
                *logarithms.entry(frequency).or_insert_with(|| weight(frequency)),
            ));
            text.clear();
            text.extend(of(word).iter().map(|&symbol| character(symbol)));
            self.change_sum(&text, Entry::default(), word.2);
        }
        self.trie = Trie::of_sorted(&weighed);
        self.entries = words.iter().map(|word| word.2).collect();
        for word in self.elsewhere.keys() {
            self.trie.grow(&word.chars().map_while(symbol).collect::<Vec<_>>());
        }
    }

    fn change_sum(&mut self, word: &str, old: Entry, new: Entry) {
        self.sum = self
            .sum
            .wrapping_sub(hash(word, old, &self.tags))
            .wrapping_add(hash(word, new, &self.tags));
    }

    /// Adds to the total of all frequencies.
    fn count(&mut self, more: u64) -> Result<()> {
        let total = self.total.checked_add(more).filter(|&total| total <= MOST);
        self.total = total.ok_or_else(|| {
            Error::Config(msg!(
                "a frequency of {more} makes the sum of all larger than 2^53; give a smaller one"
            ))
        })?;
        self.log_total = if self.total == 0 { 0.0 } else { ln(self.total as f64) };
        Ok(())
    }

    /// The sum of all frequencies ever given, jieba's `total`.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The frequency of a word; 0 of a deleted word and of a word's prefix, `None` otherwise.
    pub fn frequency(&self, word: &str) -> Option<u64> {
        self.entry(word).map(|entry| entry.frequency)
    }

    /// The tag of a word; `None` if the dictionary has none.
    pub fn tag(&self, word: &str) -> Option<&str> {
        self.tag_in(self.entry(word)?)
    }

    /// The tag of the word of these symbols.
    pub(super) fn tag_of(&self, symbols: &[u16]) -> Option<&str> {
        let entry = self.trie.entry(symbols).filter(|&entry| entry != NO_ENTRY)?;
        self.tag_in(self.entries[entry as usize])
    }

    fn tag_in(&self, entry: Entry) -> Option<&str> {
        (entry.tag != NO_TAG).then(|| &*self.tags[usize::from(entry.tag)])
    }

    fn entry(&self, word: &str) -> Option<Entry> {
        match symbols_of(word) {
            Some(symbols) => match self.trie.entry(&symbols)? {
                NO_ENTRY => Some(Entry::default()),
                entry => Some(self.entries[entry as usize]),
            },
            None => self.elsewhere.get(word).copied(),
        }
    }

    /// Gives a word a frequency, 0 to delete it, and a tag; without a tag it keeps its own.
    pub fn add(&mut self, word: &str, frequency: u64, tag: Option<&str>) -> Result<()> {
        let old = self.entry(word).unwrap_or_default();
        let tag = tag.filter(|tag| !tag.is_empty()).map(|tag| self.tag_number(tag));
        let entry = Entry {
            frequency,
            tag: tag.transpose()?.unwrap_or(old.tag),
        };
        self.count(frequency)?;
        self.change_sum(word, old, entry);
        self.set(word, entry);
        Ok(())
    }

    fn set(&mut self, word: &str, entry: Entry) {
        let Some(symbols) = symbols_of(word) else {
            let beginnings = word.char_indices().skip(1).map(|(at, _)| &word[..at]);
            for beginning in beginnings.filter(|beginning| symbols_of(beginning).is_none()) {
                self.elsewhere.entry(beginning.into()).or_default();
            }
            self.elsewhere.insert(word.into(), entry);
            self.trie.grow(&word.chars().map_while(symbol).collect::<Vec<_>>());
            return;
        };
        let number = match self.trie.entry(&symbols) {
            Some(number) if number != NO_ENTRY => number,
            _ => {
                self.entries.push(Entry::default());
                self.entries.len() as u32 - 1
            }
        };
        self.entries[number as usize] = entry;
        self.trie.insert(&symbols, weight(entry.frequency), number);
    }

    fn tag_number(&mut self, tag: &str) -> Result<u16> {
        if let Some(&number) = self.tag_numbers.get(tag) {
            return Ok(number);
        }
        let number = u16::try_from(self.tags.len())
            .map_err(|_| Error::Config(msg!("the tag {tag:?} is one too many; there may be 65,535 tags")))?;
        self.tags.push(tag.into());
        self.tag_numbers.insert(tag.into(), number);
        Ok(number)
    }

    /// Every tag that a word ever had.
    pub(super) fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(AsRef::as_ref).filter(|tag| !tag.is_empty())
    }

    /// A hash of the whole dictionary; it does not depend on the order of words.
    pub const fn sum(&self) -> u128 {
        self.sum
    }
}

/// The bytes of a symbol's character.
#[inline]
pub fn width(symbol: u16) -> usize {
    if symbol < FIRST_HAN { 1 } else { 3 }
}

/// The symbols of a word; `None` if one of its characters has none.
pub fn symbols_of(word: &str) -> Option<Vec<u16>> {
    word.chars().map(symbol).collect()
}

/// The character of a symbol.
fn character(symbol: u16) -> char {
    let code = match symbol.checked_sub(FIRST_HAN) {
        Some(han) => HAN.start() + u32::from(han),
        None => u32::from(symbol),
    };
    char::from_u32(code).unwrap_or_default()
}

/// The weight of a frequency in the trie: its logarithm; a word of frequency 0 is not found.
fn weight(frequency: u64) -> f64 {
    if frequency == 0 { -1.0 } else { ln(frequency as f64) }
}

/// The hash of a word with its entry; 0 without one.
fn hash(word: &str, entry: Entry, tags: &[Box<str>]) -> u128 {
    if entry == Entry::default() {
        return 0;
    }
    let mut bytes = [0; 64];
    let tag = &tags[usize::from(entry.tag)];
    let parts = [word.as_bytes(), b"\0", &entry.frequency.to_le_bytes(), tag.as_bytes()];
    // Nearly every word is short; a copy on the heap would cost more than the hash.
    if parts.iter().map(|part| part.len()).sum::<usize>() > bytes.len() {
        return xxh3_128(&parts.concat());
    }
    let mut end = 0;
    for part in parts {
        bytes[end..end + part.len()].copy_from_slice(part);
        end += part.len();
    }
    xxh3_128(&bytes[..end])
}
