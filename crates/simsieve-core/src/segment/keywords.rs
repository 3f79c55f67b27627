//! Keywords by TF-IDF, equal to `jieba.analyse.extract_tags` 0.42.1.
//!
//! A word's weight is its count by the count of all words that were counted, times its inverse document frequency; of a word
//! that the table does not have it is the table's median. Words of one character and stop words do not count.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::dictionary::{Line, symbols_of};
use super::parts::Tags;
use super::trie::{NO_ENTRY, Trie};
use super::{Scratch, Segmenter, data};
use crate::error::{Error, Result};

/// The stop words that jieba always has: English words that say nothing of a text.
const STOP_WORDS: &str = "all an and are as at be by can for from has have if in is it not of on one or that the then this to we which with you";

/// Inverse document frequencies.
#[derive(Debug)]
struct Frequencies {
    trie: Trie,
    values: Vec<f64>,
    median: f64,
}

impl Frequencies {
    /// Reads lines `word idf`; of a word told twice the last line holds.
    fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        let mut values = HashMap::new();
        for line in Line::all(file, bytes) {
            let number = line.text()?.split_once(' ').and_then(|(word, number)| {
                let number = number.parse().ok().filter(|number: &f64| number.is_finite())?;
                Some((word, number))
            });
            let (word, number) =
                number.ok_or_else(|| line.refuse("a line is \"word idf\", the idf a finite number"))?;
            values.insert(word, number);
        }
        let mut all: Vec<f64> = values.values().copied().collect();
        all.sort_unstable_by(f64::total_cmp);
        let median = *all.get(all.len() / 2).ok_or_else(|| Error::Source {
            path: file.into(),
            message: "there is no word in this table of document frequencies; a line is \"word idf\"".to_owned(),
        })?;
        // A word that cannot be cut out of a text is never asked for.
        let mut words: Vec<_> = values
            .iter()
            .filter_map(|(word, &value)| Some((symbols_of(word).filter(|word| !word.is_empty())?, value)))
            .collect();
        words.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let sorted: Vec<_> = words.iter().map(|(word, _)| (&word[..], 0.0)).collect();
        Ok(Self {
            trie: Trie::of_sorted(&sorted),
            values: words.iter().map(|word| word.1).collect(),
            median,
        })
    }

    fn of(&self, word: &str) -> f64 {
        let entry = symbols_of(word).and_then(|symbols| self.trie.entry(&symbols));
        match entry {
            Some(entry) if entry != NO_ENTRY => self.values[entry as usize],
            _ => self.median,
        }
    }
}

/// Finds keywords: document frequencies and stop words.
#[derive(Debug, Clone)]
pub struct Keywords {
    /// None for jieba's own.
    frequencies: Option<Arc<Frequencies>>,
    stop_words: HashSet<Box<str>>,
}

impl Keywords {
    /// With jieba's own frequencies and its stop words.
    pub fn builtin() -> Self {
        Self {
            frequencies: None,
            stop_words: STOP_WORDS.split(' ').map(Into::into).collect(),
        }
    }

    /// The user's frequencies, or jieba's own, which are read once, when they are first asked for.
    fn frequencies(&self) -> &Frequencies {
        static BUILTIN: OnceLock<Frequencies> = OnceLock::new();
        let read = || Frequencies::parse("the built-in document frequencies", data::IDF.as_bytes());
        self.frequencies
            .as_deref()
            .unwrap_or_else(|| BUILTIN.get_or_init(|| read().expect("the built-in frequencies are whole")))
    }

    /// Reads other frequencies: lines `word idf`.
    ///
    /// # Errors
    /// [`Error::Source`] that names the file, the line and its content.
    pub fn load_frequencies(&mut self, file: &str, bytes: &[u8]) -> Result<()> {
        self.frequencies = Some(Arc::new(Frequencies::parse(file, bytes)?));
        Ok(())
    }

    /// Adds stop words: a word a line, compared with the word of a text in lower case.
    ///
    /// # Errors
    /// [`Error::Source`] that names the file where it is no UTF-8.
    pub fn load_stop_words(&mut self, file: &str, bytes: &[u8]) -> Result<()> {
        for line in Line::all(file, bytes) {
            self.stop_words.insert(line.text()?.into());
        }
        Ok(())
    }

    /// The `top` heaviest words (0: all) with their weights, the heaviest first, equally heavy ones in the order in which
    /// they first stand in the text; with `tags` only words that have one of these, each occurrence counted as often as the
    /// factor of its tag says.
    ///
    /// ```
    /// use simsieve_core::segment::{Segmenter, keywords::Keywords, parts::Tags};
    /// let (segmenter, text, mut room) = (Segmenter::builtin(), "北京大学在北京", Default::default());
    /// let found = Keywords::builtin().find(&segmenter, text, 1, &Tags::default(), &mut room);
    /// assert_eq!(found[0].0, "北京大学");
    /// ```
    pub fn find<'t>(
        &self,
        segmenter: &Segmenter,
        text: &'t str,
        top: usize,
        tags: &Tags,
        scratch: &mut Scratch,
    ) -> Vec<(&'t str, f64)> {
        self.find_as(segmenter, text, top, tags, &Own::default(), scratch)
    }

    /// As [`Keywords::find`], with the caller's own stop words and document frequencies.
    pub fn find_as<'t>(
        &self,
        segmenter: &Segmenter,
        text: &'t str,
        top: usize,
        tags: &Tags,
        own: &Own<'_>,
        scratch: &mut Scratch,
    ) -> Vec<(&'t str, f64)> {
        let mut places = HashMap::new();
        let mut found: Vec<(&str, f64)> = Vec::new();
        segmenter.words_of(text, tags, scratch, |word, factor| {
            // Of one character, or a line end: no word between blocks is longer.
            if word.chars().nth(1).is_none() || word == "\r\n" || self.is_stop_word(word, own) {
                return;
            }
            let place = *places.entry(word).or_insert_with(|| {
                found.push((word, 0.0));
                found.len() - 1
            });
            found[place].1 += factor;
        });
        let total: f64 = found.iter().map(|word| word.1).sum();
        let of_table;
        let idf: &dyn Fn(&str) -> f64 = if let Some(idf) = own.idf {
            idf
        } else {
            let frequencies = self.frequencies();
            of_table = move |word: &str| frequencies.of(word);
            &of_table
        };
        for (word, weight) in &mut found {
            *weight *= idf(word) / total;
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.truncate(if top == 0 { usize::MAX } else { top });
        found
    }

    /// Stop words are compared with the word in lower case, as jieba does.
    fn is_stop_word(&self, word: &str, own: &Own<'_>) -> bool {
        let is = |word: &str| self.stop_words.contains(word) || own.is_stop_word.is_some_and(|is| is(word));
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            is(&word.to_ascii_lowercase())
        } else {
            is(word)
        }
    }
}

/// What a caller of [`Keywords::find_as`] brings.
#[derive(Clone, Copy, Default)]
pub struct Own<'a> {
    /// Whether a word, in lower case, is a stop word, beside those of the table.
    pub is_stop_word: Option<&'a dyn Fn(&str) -> bool>,
    /// The inverse document frequency of a word, in place of the table's.
    pub idf: Option<&'a dyn Fn(&str) -> f64>,
}
