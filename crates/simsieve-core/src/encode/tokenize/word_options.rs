//! Which words a text has: how it is cut, the dictionary, stop words, parts of speech.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use super::stop_words::{LIST_NAMES, StopWords, folded, list_named, read};
use super::unspaced_scripts;
use crate::base::error::{Error, Result};
use crate::text::Fold;
use crate::text::segment::parts::Tags;
use crate::text::segment::{Mode, Segmenter};

/// Which words a scheme has.
#[derive(Debug, Clone, Default)]
pub struct WordOptions {
    stop: Option<Arc<StopWords>>,
    dictionary: Option<Arc<Segmenter>>,
    mode: Mode,
    /// Whether the segmenter makes no words that the dictionary does not have.
    without_hmm: bool,
    tags: Tags,
    fold: Option<Fold>,
    /// Whether what scripts without spaces write is cut into every four characters.
    fours: bool,
}

impl WordOptions {
    /// Chooses how texts are cut.
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// Chooses whether the hidden Markov model makes words that the dictionary does not have.
    pub fn set_hmm(&mut self, hmm: bool) {
        self.without_hmm = !hmm;
    }

    /// Chooses the parts of speech that are features.
    pub fn set_tags(&mut self, tags: Tags) {
        self.tags = tags;
    }

    /// Chooses whether what scripts without spaces write is cut into every four characters in a row.
    pub fn set_fours(&mut self, fours: bool) {
        self.fours = fours;
    }

    /// Refuses options that do not go together; it reads no dictionary.
    ///
    /// # Errors
    /// [`Error::Config`] that names both.
    pub fn check_together(mode: Mode, hmm: bool, tags: &Tags) -> Result<()> {
        if mode != Mode::Exact && !tags.is_empty() {
            return Err(Error::Config(msg!(
                "mode={mode} and pos={pos} do not go together: parts of speech are those of mode exact; leave out one \
                 of the two",
                mode = mode.name(),
                pos = tags.spec()
            )));
        }
        if mode == Mode::Full && !hmm {
            return Err(Error::Config(msg!(
                "hmm=off says nothing in mode=full, which has words of the dictionary only; leave it out"
            )));
        }
        Ok(())
    }

    /// Compares the options with one another and the parts of speech with the dictionary.
    ///
    /// # Errors
    /// [`Error::Config`] for a tag that no word has, and for options that do not go together.
    pub fn check(&self) -> Result<()> {
        Self::check_together(self.mode, self.hmm(), &self.tags)?;
        self.tags.check(self.segmenter())
    }

    /// Has texts folded, and the words of files that are named after this.
    pub fn set_fold(&mut self, fold: Option<Fold>) {
        self.fold = fold;
    }

    /// How texts are folded.
    pub(crate) fn fold(&self) -> Option<Fold> {
        self.fold
    }

    /// A text that is not normalised, folded.
    pub(super) fn folded<'a>(&self, text: &'a str) -> Cow<'a, str> {
        folded(self.fold, text)
    }

    /// Gives the words of a run that is not Han.
    pub(super) fn each_of_run(&self, run: &str, mut word: impl FnMut(&str)) {
        if self.fours {
            unspaced_scripts::each_word(run, word);
        } else {
            word(run);
        }
    }

    /// Takes stop words as they are.
    pub fn set_stop_words(&mut self, words: Vec<String>) {
        self.stop = Some(Arc::new(StopWords::of(words.into_iter())));
    }

    /// Takes the stop words of a built-in list as they are.
    ///
    /// # Errors
    /// [`Error::Config`] where there is no list of the name.
    pub(crate) fn set_stop_words_named(&mut self, name: &str) -> Result<()> {
        let Some(list) = list_named(name) else {
            let lists = LIST_NAMES.join(" or ");
            return Err(Error::Config(msg!(
                "stop {name:?} is one text: give a list of words, pathlib.Path of a file, or {lists}"
            )));
        };
        self.set_stop_words(list.map(str::to_owned).collect());
        Ok(())
    }

    /// Reads the stop words of a file, a word a line, or takes a list of [`stop_words::LISTS`]; they are `normalised` where words
    /// are.
    ///
    /// # Errors
    /// [`Error::Source`] where the file cannot be read or is no UTF-8.
    pub fn load_stop_words(&mut self, path: &str, normalised: bool) -> Result<()> {
        self.stop = Some(Arc::new(StopWords::load(path, normalised, self.fold)?));
        Ok(())
    }

    /// Reads a dictionary whose words are added to jieba's.
    ///
    /// # Errors
    /// [`Error::Source`] where the file cannot be read, with its bad line where it has one.
    pub fn load_dictionary(&mut self, path: &str) -> Result<()> {
        let mut segmenter = Segmenter::builtin();
        segmenter.load_words(path, folded(self.fold, &read(path)?).as_bytes())?;
        self.dictionary = Some(Arc::new(segmenter));
        Ok(())
    }

    /// What cuts Han runs into words.
    pub fn segmenter(&self) -> &Segmenter {
        static BUILTIN: LazyLock<Segmenter> = LazyLock::new(Segmenter::builtin);
        self.dictionary.as_deref().unwrap_or(&BUILTIN)
    }

    /// Into which words texts are cut.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the hidden Markov model makes words that the dictionary does not have.
    pub fn hmm(&self) -> bool {
        !self.without_hmm
    }

    /// Whether words have to be tagged.
    pub fn by_tag(&self) -> bool {
        !self.tags.is_empty()
    }

    /// The parts of speech that are features.
    pub fn tags(&self) -> &Tags {
        &self.tags
    }

    /// Whether there are stop words.
    pub fn has_stop_words(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether a word is no feature.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.has(word))
    }

    /// The segmenter, in words.
    pub(crate) fn segmenter_canonical(&self) -> String {
        format!("segmenter {}", self.segmenter().digest())
    }

    /// All that can move a word and is not the segmenter, in words; nothing without options. Factors of tags move none.
    pub fn canonical(&self) -> String {
        let mut out = self.canonical_of_segments();
        if self.by_tag() {
            // Runs were once tagged without the text around them.
            out.push_str(", tagged in the whole text");
        }
        out
    }

    /// As [`WordOptions::canonical`], where words are all that the segmenter gives.
    pub(crate) fn canonical_of_segments(&self) -> String {
        let mut out = String::new();
        if let Some(fold) = self.fold {
            let _ = write!(out, ", {}", fold.canonical());
        }
        if let Some(stop) = &self.stop {
            let _ = write!(out, ", without stop words {:032x}", stop.digest());
        }
        if self.fours {
            let _ = write!(out, ", {}", unspaced_scripts::CANONICAL);
        }
        if self.mode != Mode::Exact {
            let _ = write!(out, ", mode {}", self.mode.name());
        }
        if self.without_hmm {
            out.push_str(", words of the dictionary only");
        }
        if self.by_tag() {
            let _ = write!(out, ", of tags {}", self.tags.names());
        }
        out
    }

    /// How the tags move weights, in words; nothing where they do not.
    pub fn canonical_factors(&self) -> String {
        if self.tags.weigh() {
            format!(" times the mean factor of tags {}", self.tags.spec())
        } else {
            String::new()
        }
    }
}
