//! Keywords by TF-IDF, equal to `jieba.analyse.extract_tags` 0.42.1.
//!
//! A word's weight is its share of all counted words, times its inverse document frequency. A word outside the table
//! has the table's median. Words of one character and stop words do not count.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::dictionary::Line;
use super::parts::Tags;
use super::scratch::{CutScratch, Found, KeywordScratch};
use super::{Mode, Segmenter, data};
use crate::base::error::{Error, Result};
use crate::base::hash::batch::hash_places;
use crate::base::hash::index::Index;
use crate::base::hash::{Place, xxh3_64};
use crate::base::kernel::Kernel;

/// The stop words that jieba always has: frequent English words.
const STOP_WORDS: &str = "all an and are as at be by can for from has have if in is it not of on one or that the then this to we which with you";

/// Inverse document frequencies.
#[derive(Debug)]
struct Frequencies {
    /// By the words' XXH3-64, in ascending order.
    entries: Vec<(u64, f64)>,
    index: Index,
    median: f64,
}

impl Frequencies {
    /// Reads lines `word idf`; the last line of a repeated word counts.
    fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        let mut values = HashMap::new();
        for line in Line::all(file, bytes) {
            let number = line.text()?.split_once(' ').and_then(|(word, number)| {
                let number = number.parse().ok().filter(|number: &f64| number.is_finite())?;
                Some((word, number))
            });
            let (word, number) =
                number.ok_or_else(|| line.refuse(msg!("a line is \"word idf\", the idf a finite number")))?;
            values.insert(word, number);
        }
        Self::of(values.into_iter()).ok_or_else(|| Error::Source {
            path: file.into(),
            message: msg!("there is no word in this table of document frequencies; a line is \"word idf\""),
        })
    }

    /// Of words that differ; `None` where there is none.
    fn of<'a>(values: impl Iterator<Item = (&'a str, f64)>) -> Option<Self> {
        let mut entries: Vec<_> = values.map(|(word, value)| (xxh3_64(word.as_bytes()), value)).collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        let mut all: Vec<f64> = entries.iter().map(|entry| entry.1).collect();
        all.sort_unstable_by(f64::total_cmp);
        Some(Self {
            median: *all.get(all.len() / 2)?,
            index: Index::of(&entries, u64::BITS),
            entries,
        })
    }

    /// For a word that is not there: the median.
    fn value(&self, hash: u64) -> f64 {
        self.index.find(&self.entries, hash).unwrap_or(self.median)
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

    /// The user's frequencies, or jieba's own, which are read once, at their first use.
    fn frequencies(&self) -> &Frequencies {
        static BUILTIN: OnceLock<Frequencies> = OnceLock::new();
        self.frequencies
            .as_deref()
            .unwrap_or_else(|| BUILTIN.get_or_init(|| Frequencies::of(data::idf()).expect("the table has words")))
    }

    /// Reads other frequencies: lines `word idf`.
    ///
    /// # Errors
    /// [`Error::Source`] that names the file, the line and its content.
    pub fn load_frequencies(&mut self, file: &str, bytes: &[u8]) -> Result<()> {
        self.frequencies = Some(Arc::new(Frequencies::parse(file, bytes)?));
        Ok(())
    }

    /// Adds stop words, one a line; a text's word is compared in lower case.
    ///
    /// # Errors
    /// [`Error::Source`] that names the file if it is not UTF-8.
    pub fn load_stop_words(&mut self, file: &str, bytes: &[u8]) -> Result<()> {
        for line in Line::all(file, bytes) {
            self.stop_words.insert(line.text()?.into());
        }
        Ok(())
    }

    /// The `top` heaviest words (0: all) with their weights, the heaviest first, equal ones in the order of their first
    /// occurrence. With `tags` only words with one of these tags; each occurrence is multiplied by the factor of its
    /// tag.
    ///
    /// ```
    /// use simsieve_core::text::segment::{Segmenter, keywords::Keywords, parts::Tags};
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
        scratch: &mut CutScratch,
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
        scratch: &mut CutScratch,
    ) -> Vec<(&'t str, f64)> {
        let mut room = std::mem::take(&mut scratch.keywords);
        take(&mut room, segmenter, text, tags, scratch);
        weigh(&mut room);
        let word = |place: Place| &text[place.0..place.1];
        room.found.retain(|found| !self.is_stop_word(word(found.place), own));
        let total: f64 = room.found.iter().map(|found| found.weight).sum();
        let of_table;
        let idf: &dyn Fn(u64) -> f64 = if let Some(idf) = own.idf {
            idf
        } else {
            let frequencies = self.frequencies();
            of_table = |hash| frequencies.value(hash);
            &of_table
        };
        for found in &mut room.found {
            found.weight *= idf(found.hash) / total;
        }
        // Words are in the order of their first occurrence, which decides between equal weights.
        let heavier = |a: &Found, b: &Found| b.weight.total_cmp(&a.weight).then(a.place.cmp(&b.place));
        if (1..room.found.len()).contains(&top) {
            room.found.select_nth_unstable_by(top - 1, heavier);
            room.found.truncate(top);
        }
        room.found.sort_unstable_by(heavier);
        let found = room
            .found
            .iter()
            .map(|found| (word(found.place), found.weight))
            .collect();
        scratch.keywords = room;
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

/// The caller's own data for [`Keywords::find_as`].
#[derive(Clone, Copy, Default)]
pub struct Own<'a> {
    /// Whether a word in lower case is a stop word, in addition to the table's.
    pub is_stop_word: Option<&'a dyn Fn(&str) -> bool>,
    /// The inverse document frequency of a word by its XXH3-64, instead of the table's.
    pub idf: Option<&'a dyn Fn(u64) -> f64>,
}

/// Calls `each` with the place of every word with a named tag, and its factor; without named tags as
/// [`Segmenter::cut`].
fn words_of(
    segmenter: &Segmenter,
    text: &str,
    asked: &Tags,
    scratch: &mut CutScratch,
    mut each: impl FnMut(Range<usize>, f64),
) {
    if asked.is_empty() {
        segmenter.cut(text, Mode::Exact, true, scratch, |place| each(place, 1.0));
    } else {
        segmenter.tag(text, true, scratch, |place, tag| {
            if let Some(factor) = asked.factor(tag) {
                each(place, factor);
            }
        });
    }
}

/// Takes the candidate keywords of a text.
fn take(room: &mut KeywordScratch, segmenter: &Segmenter, text: &str, tags: &Tags, scratch: &mut CutScratch) {
    let KeywordScratch { places, factors, .. } = room;
    places.clear();
    factors.clear();
    let weigh = tags.weigh();
    words_of(segmenter, text, tags, scratch, |place, factor| {
        let word = &text[place.clone()];
        // Of one character, or a line end: no word between blocks is longer.
        if word.chars().nth(1).is_some() && word != "\r\n" {
            places.push((place.start, place.end));
            if weigh {
                factors.push(factor);
            }
        }
    });
    hash_places(Kernel::active(), text.as_bytes(), &room.places, &mut room.hashes);
    room.distinct.collect(&room.hashes, true);
}

/// Finds the distinct words with the sum of the factors of their occurrences.
fn weigh(room: &mut KeywordScratch) {
    let words = room.places.iter().copied().zip(room.hashes.iter().copied());
    let words = room.distinct.firsts(words).zip(room.distinct.hashes());
    let weights = if room.factors.is_empty() {
        room.distinct.counts().iter().map(|&count| f64::from(count)).collect()
    } else {
        room.distinct.sums(&room.hashes, &room.factors)
    };
    room.found.clear();
    room.found.extend(
        words
            .zip(weights)
            .map(|((place, &hash), weight)| Found { place, hash, weight }),
    );
}
