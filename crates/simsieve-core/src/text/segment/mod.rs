//! Chinese word segmentation, equal to jieba 0.42.1 token for token.
//!
//! In: a text. Out: the places of its words. The text is split into blocks of Han and ASCII characters. In each block
//! the likeliest path through the dictionary is found (a word's probability is its share of all frequencies). A hidden
//! Markov model cuts runs of single characters outside the dictionary. The dictionary is jieba's, or a file of the
//! user's; words can be added and deleted.
//!
//! The modules: `trie` and `dictionary` hold the words, `data` has jieba's own, `cut` cuts. `tags` cuts into words with
//! parts of speech, `parts` chooses and weighs these, `keywords` weighs words by TF-IDF. `plain` is the short form of
//! the rules and the tests' oracle.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;

mod cut;
mod data;
mod dictionary;
pub mod keywords;
mod logarithm;
mod mode;
pub mod parts;
mod scratch;
mod tags;
#[cfg(test)]
mod tests;
mod trie;

use dictionary::{Dictionary, Line, MOST};
pub use mode::Mode;
pub use scratch::CutScratch;
pub use trie::HAN;

/// Texts that are cut between two reports.
const STEP: usize = 1 << 12;

/// The version of the rules, and of jieba.
pub const RULES: &str = "jieba 0.42.1";

/// Cuts texts into words by a dictionary.
///
/// A clone shares the dictionary until one of the two is changed.
#[derive(Debug, Clone)]
pub struct Segmenter {
    words: Arc<Dictionary>,
    /// Words that the hidden Markov model must not make: all that ever had frequency 0.
    forced: Arc<HashSet<Box<str>>>,
}

impl Segmenter {
    /// With jieba's own dictionary, which is read once.
    pub fn builtin() -> Self {
        static BUILTIN: OnceLock<Arc<Dictionary>> = OnceLock::new();
        let words = BUILTIN.get_or_init(|| Arc::new(Dictionary::builtin().expect("the built-in dictionary is whole")));
        Self::of(Arc::clone(words))
    }

    /// With another dictionary instead of jieba's own: lines `word frequency tag`, the tag is optional. `file` is the
    /// name in errors.
    ///
    /// # Errors
    /// [`Error::Source`] that names the file, the line and its content.
    pub fn with_dictionary(file: &str, bytes: &[u8]) -> Result<Self> {
        Ok(Self::of(Arc::new(Dictionary::parse(file, bytes)?)))
    }

    fn of(words: Arc<Dictionary>) -> Self {
        Self {
            words,
            forced: Arc::default(),
        }
    }

    /// Cuts a text and calls `each` with the place of every word, in bytes, in jieba's order.
    ///
    /// In the modes exact and search the words of one pass make up the whole text; in search mode the shorter words of
    /// a long one come before it.
    ///
    /// ```
    /// use simsieve_core::text::segment::{Mode, CutScratch, Segmenter};
    /// let (segmenter, text) = (Segmenter::builtin(), "我来到北京清华大学");
    /// let mut words = Vec::new();
    /// segmenter.cut(text, Mode::Exact, true, &mut CutScratch::default(), |place| words.push(&text[place]));
    /// assert_eq!(words, ["我", "来到", "北京", "清华大学"]);
    /// ```
    ///
    /// # Panics
    /// Where the text is longer than [`crate::text::MAX_TEXT_BYTES`].
    pub fn cut(&self, text: &str, mode: Mode, hmm: bool, scratch: &mut CutScratch, each: impl FnMut(Range<usize>)) {
        let words = cut::Words {
            dictionary: &self.words,
            forced: &self.forced,
        };
        cut::cut(words, text, (mode, hmm), scratch, each);
    }

    /// Cuts many texts with the threads of the call, some hundred between two reports. Returns the places of the words of each text, in
    /// bytes.
    ///
    /// # Errors
    /// As [`Context::tick`] and [`Context::pool`].
    ///
    /// # Panics
    /// Where a text is longer than [`crate::text::MAX_TEXT_BYTES`].
    pub fn cut_all(&self, texts: &[&str], mode: Mode, hmm: bool, ctx: &Context<'_>) -> Result<Vec<Vec<Range<u32>>>> {
        let mut all = Vec::with_capacity(texts.len());
        let cut = |scratch: &mut CutScratch, text: &&str| {
            let mut words = Vec::with_capacity(text.len() / 4);
            self.cut(text, mode, hmm, scratch, |place| {
                words.push(place.start as u32..place.end as u32);
            });
            words
        };
        for some in texts.chunks(STEP) {
            ctx.tick("cut", all.len() as u64, texts.len() as u64)?;
            let places = some.par_iter().with_min_len(8).map_init(CutScratch::default, cut);
            ctx.pool()?.install(|| all.par_extend(places));
        }
        Ok(all)
    }

    /// Cuts a text in exact mode and calls `each` with the place of every word, in bytes, and its tag.
    ///
    /// The words are those of `jieba.posseg`, which can differ from those of [`Segmenter::cut`].
    ///
    /// ```
    /// use simsieve_core::text::segment::{CutScratch, Segmenter};
    /// let (segmenter, text) = (Segmenter::builtin(), "我爱北京");
    /// let mut words = Vec::new();
    /// segmenter.tag(text, true, &mut CutScratch::default(), |place, tag| words.push((&text[place], tag.to_owned())));
    /// assert_eq!(words, [("我", "r".to_owned()), ("爱", "v".to_owned()), ("北京", "ns".to_owned())]);
    /// ```
    ///
    /// # Panics
    /// Where the text is longer than [`crate::text::MAX_TEXT_BYTES`].
    pub fn tag(&self, text: &str, hmm: bool, scratch: &mut CutScratch, each: impl FnMut(Range<usize>, &str)) {
        tags::tag(&self.words, text, hmm, scratch, each);
    }

    /// The tags that words may have, in ascending order: those of the dictionary, and those of the model.
    pub fn tags(&self) -> Vec<&str> {
        tags::tags(&self.words)
    }

    /// Adds the words of a user dictionary: a line is `word`, `word frequency`, `word tag` or `word frequency tag`.
    ///
    /// One point is stricter than jieba: a malformed line is an error. In jieba it is a word with white space, which is
    /// never found. The words of earlier lines stay added.
    ///
    /// # Errors
    /// [`Error::Source`] that names the file, the line and its content.
    pub fn load_words(&mut self, file: &str, bytes: &[u8]) -> Result<()> {
        for line in Line::all(file, bytes) {
            let text = line.text()?.trim_start_matches('\u{feff}');
            if text.is_empty() {
                continue;
            }
            let (rest, tag) = match text.rsplit_once(' ') {
                Some((rest, tag)) if !rest.is_empty() && is_all(tag, u8::is_ascii_lowercase) => (rest, Some(tag)),
                _ => (text, None),
            };
            let (word, digits) = match rest.rsplit_once(' ') {
                Some((word, digits)) if !word.is_empty() && is_all(digits, u8::is_ascii_digit) => (word, Some(digits)),
                _ => (rest, None),
            };
            if word.chars().any(cut::is_space) {
                return Err(line.refuse(msg!(
                    "a line is \"word\", \"word frequency\", \"word tag\" or \"word frequency tag\", with one space between; \
                     a frequency is a whole number, a tag lower-case letters, and a word has no white space"
                )));
            }
            let frequency = digits.map(|digits| digits.parse().unwrap_or(u64::MAX));
            self.add_word(word, frequency, tag)
                .map_err(|error| line.refuse(error.message()))?;
        }
        Ok(())
    }

    /// Adds a word, or changes its frequency; `None` means [`Segmenter::suggested`]. Returns the frequency.
    ///
    /// # Errors
    /// [`Error::Config`] if the word is empty or the frequency is above 2^53.
    pub fn add_word(&mut self, word: &str, frequency: Option<u64>, tag: Option<&str>) -> Result<u64> {
        if word.is_empty() {
            return Err(Error::Config(msg!("the word \"\" is empty; a word has a character")));
        }
        let frequency = match frequency {
            Some(frequency) => frequency,
            None => self.suggested(word)?,
        };
        if frequency > MOST {
            return Err(Error::Config(msg!(
                "the frequency of {word:?} is {frequency}; it is a whole number from 0 to 2^53"
            )));
        }
        Arc::make_mut(&mut self.words).add(word, frequency, tag)?;
        if frequency == 0 {
            Arc::make_mut(&mut self.forced).insert(word.into());
        }
        Ok(frequency)
    }

    /// Deletes a word: neither the dictionary nor the hidden Markov model makes it any more.
    ///
    /// # Errors
    /// [`Error::Config`] where the word is empty.
    pub fn delete_word(&mut self, word: &str) -> Result<()> {
        self.add_word(word, Some(0), None).map(drop)
    }

    /// The least frequency with which the word is not cut (jieba's `suggest_freq`), at least its own.
    ///
    /// # Errors
    /// [`Error::Config`] where it is above 2^53.
    pub fn suggested(&self, word: &str) -> Result<u64> {
        let mut parts = Vec::new();
        self.cut(word, Mode::Exact, false, &mut CutScratch::default(), |place| {
            parts.push(&word[place]);
        });
        let joint = self.joint_frequency(&parts);
        let least = checked(word, joint)? + 1;
        Ok(least.max(self.words.frequency(word).unwrap_or(1)))
    }

    /// The greatest frequency with which the word of these parts is cut into them, at most its own.
    ///
    /// # Errors
    /// [`Error::Config`] where it is above 2^53.
    pub fn suggested_apart(&self, parts: &[&str]) -> Result<u64> {
        let word = parts.concat();
        let most = checked(&word, self.joint_frequency(parts))?;
        Ok(most.min(self.words.frequency(&word).unwrap_or(0)))
    }

    /// The expected frequency of the parts in sequence.
    fn joint_frequency(&self, parts: &[&str]) -> f64 {
        let total = self.words.total() as f64;
        let share = |part: &&str| self.words.frequency(part).unwrap_or(1) as f64 / total;
        parts.iter().map(share).fold(1.0, |product, share| product * share) * total
    }

    /// The frequency of a word; 0 of a deleted word and of a word's prefix, `None` otherwise.
    pub fn frequency(&self, word: &str) -> Option<u64> {
        self.words.frequency(word)
    }

    /// The tag (part of speech) of a word of the dictionary.
    pub fn tag_of(&self, word: &str) -> Option<&str> {
        self.words.tag(word)
    }

    /// The sum of all frequencies ever given.
    pub fn total(&self) -> u64 {
        self.words.total()
    }

    /// 32 hex digits that identify the rules, the current dictionary and the model.
    pub fn digest(&self) -> String {
        let mut forced: Vec<_> = self.forced.iter().collect();
        forced.sort();
        let canonical = format!(
            "simsieve segmenter 1\nrules {RULES}\nwords {:032x}\ntotal {}\nmodels {:032x}\nforced {}\n",
            self.words.sum(),
            self.words.total(),
            data::models_digest(),
            serde_json::json!(forced),
        );
        format!("{:032x}", xxh3_128(canonical.as_bytes()))
    }
}

fn is_all(text: &str, is: fn(&u8) -> bool) -> bool {
    !text.is_empty() && text.as_bytes().iter().all(is)
}

/// A computed frequency as an integer, its fraction dropped.
fn checked(word: &str, frequency: f64) -> Result<u64> {
    // It is not a number if all frequencies of the dictionary are 0.
    if frequency >= 0.0 && frequency < MOST as f64 {
        return Ok(frequency as u64);
    }
    Err(Error::Config(msg!(
        "no frequency can be suggested for {word:?}: it would be {frequency}; give one"
    )))
}
