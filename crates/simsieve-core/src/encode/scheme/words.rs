//! What a scheme may change about words: how texts are cut, the dictionary, stop words, parts of speech and their weights.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::unspaced_scripts;
use crate::base::error::{Error, Result, unreadable};
use crate::base::hash::xxh3_128;
use crate::encode::weight::Weights;
use crate::text::segment::parts::Tags;
use crate::text::segment::{Mode, Segmenter};
use crate::text::{Compact, Fold, Normaliser};

/// Which words a scheme has.
#[derive(Debug, Clone, Default)]
pub struct WordOptions {
    stop: Option<Arc<StopWords>>,
    dictionary: Option<(Box<str>, Arc<Segmenter>)>,
    mode: Mode,
    /// Whether the segmenter makes no words that the dictionary does not have.
    without_hmm: bool,
    tags: Tags,
    fold: Option<Fold>,
    /// Whether what scripts without spaces write is cut into every four characters.
    fours: bool,
}

/// Words that are no features.
#[derive(Debug)]
pub struct StopWords {
    path: Box<str>,
    words: HashSet<Box<str>>,
    digest: u128,
}

impl StopWords {
    /// The stop words of a UTF-8 file, a word a line; white space at a line's ends, and empty lines, count for nothing.
    ///
    /// # Errors
    /// [`Error::Source`] where the file cannot be read or is no UTF-8.
    fn load(path: &str, normalised: bool, fold: Option<Fold>) -> Result<Self> {
        let text = read(path)?;
        let normaliser = Normaliser::new(true).folding(fold);
        let mut room = Compact::default();
        let mut word = |line: &str| {
            if !normalised {
                return folded(fold, line.trim()).into_owned();
            }
            normaliser.run(line, &mut room);
            String::from_utf8_lossy(room.normalised()).into_owned()
        };
        Ok(Self::of(
            path,
            text.trim_start_matches('\u{feff}').lines().map(&mut word),
        ))
    }

    fn of(path: &str, words: impl Iterator<Item = String>) -> Self {
        let words: HashSet<Box<str>> = words.filter(|word| !word.is_empty()).map(Into::into).collect();
        let mut sorted: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        // No word holds a line end.
        let digest = xxh3_128(sorted.join("\n").as_bytes());
        Self {
            path: path.into(),
            words,
            digest,
        }
    }
}

fn folded(fold: Option<Fold>, text: &str) -> Cow<'_, str> {
    fold.map_or(Cow::Borrowed(text), |fold| Cow::Owned(fold.apply(text)))
}

fn read(path: &str) -> Result<String> {
    let path = Path::new(path);
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|error| Error::Source {
        path: path.into(),
        message: format!(
            "is no UTF-8 at byte {}; save it as UTF-8",
            error.utf8_error().valid_up_to()
        ),
    })
}

impl WordOptions {
    /// Takes an option that is about words; `None` where it is not. Stop words are `normalised` where words are. When all are
    /// taken, [`WordOptions::check`] has the last word.
    ///
    /// # Errors
    /// [`Error::Source`] for a file that cannot be read, with its bad line; [`Error::Config`] for a value that is not allowed.
    pub fn set(&mut self, key: &str, value: &str, normalised: bool) -> Option<Result<()>> {
        match key {
            "stop" => Some(self.set_stop(value, normalised)),
            "dict" => Some(self.set_dictionary(value)),
            "pos" => Some(Tags::parse(value).map(|tags| self.tags = tags)),
            "mode" => Some(Mode::parse(value).map(|mode| self.mode = mode)),
            "hmm" => Some(match value {
                "on" | "off" => {
                    self.without_hmm = value == "off";
                    Ok(())
                }
                _ => Err(Error::Config(format!("unknown hmm {value:?}; there are on, off"))),
            }),
            _ => None,
        }
    }

    /// Holds the options against each other.
    ///
    /// # Errors
    /// [`Error::Config`] for a tag that no word has, and for options that do not go together.
    pub fn check(&self) -> Result<()> {
        if self.mode != Mode::Exact && self.by_tag() {
            return Err(Error::Config(format!(
                "mode={} and pos={} do not go together: parts of speech are those of mode exact; leave out one of the two",
                self.mode.name(),
                self.tags.spec()
            )));
        }
        if self.mode == Mode::Full && self.without_hmm {
            return Err(Error::Config(
                "hmm=off says nothing in mode=full, which has words of the dictionary only; leave it out".to_owned(),
            ));
        }
        self.tags.check(self.segmenter())
    }

    /// Has texts folded, and the words of files that are named after this.
    pub(super) fn set_fold(&mut self, fold: Option<Fold>) {
        self.fold = fold;
    }

    /// How texts are folded.
    pub(super) fn fold(&self) -> Option<Fold> {
        self.fold
    }

    /// A text that is not normalised, folded.
    pub(super) fn folded<'a>(&self, text: &'a str) -> Cow<'a, str> {
        folded(self.fold, text)
    }

    /// Takes the option `unspaced`: `runs`, or `fours` for every four characters in a row of what scripts without spaces
    /// write; false where its value is none of them.
    pub fn set_unspaced(&mut self, value: &str) -> bool {
        self.fours = value == "fours";
        self.fours || value == "runs"
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
        self.stop = Some(Arc::new(StopWords::of("", words.into_iter())));
    }

    fn set_stop(&mut self, path: &str, normalised: bool) -> Result<()> {
        self.stop = Some(Arc::new(StopWords::load(path, normalised, self.fold)?));
        Ok(())
    }

    fn set_dictionary(&mut self, path: &str) -> Result<()> {
        let mut segmenter = Segmenter::builtin();
        segmenter.load_words(path, folded(self.fold, &read(path)?).as_bytes())?;
        self.dictionary = Some((path.into(), Arc::new(segmenter)));
        Ok(())
    }

    /// What cuts Han runs into words.
    pub fn segmenter(&self) -> &Segmenter {
        static BUILTIN: LazyLock<Segmenter> = LazyLock::new(Segmenter::builtin);
        self.dictionary.as_ref().map_or(&BUILTIN, |(_, segmenter)| segmenter)
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

    /// A scheme's rule of weights with the factors of the parts of speech, where these weigh; rules that make weights with
    /// the features have them as they are.
    ///
    /// # Errors
    /// [`Error::Config`] where the rule has no room for factors.
    pub fn weights(&self, rule: Weights) -> Result<Weights> {
        if !self.tags.weigh() || matches!(rule, Weights::TfIdf | Weights::TfIdfOfModel | Weights::Own(_)) {
            return Ok(rule);
        }
        rule.tagged().ok_or_else(|| {
            Error::Config(format!(
                "pos={}: weights by {} take no factors; leave them out",
                self.tags.spec(),
                rule.name()
            ))
        })
    }

    /// Whether there are stop words.
    pub fn has_stop_words(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether a word is no feature.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.words.contains(word))
    }

    /// The options as a spec has them.
    pub fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        options.extend(self.stop.as_ref().map(|stop| format!("stop={}", stop.path)));
        options.extend(self.dictionary.as_ref().map(|(path, _)| format!("dict={path}")));
        if self.mode != Mode::Exact {
            options.push(format!("mode={}", self.mode.name()));
        }
        options.extend(self.without_hmm.then(|| "hmm=off".to_owned()));
        if self.by_tag() {
            options.push(format!("pos={}", self.tags.spec()));
        }
        options.extend(self.fold.map(|fold| format!("fold={}", fold.name())));
        options.extend(self.fours.then(|| "unspaced=fours".to_owned()));
        options
    }

    /// All that can move a word and is not the segmenter, in words; nothing without options. Factors of tags move none.
    pub fn canonical(&self) -> String {
        let mut out = self.canonical_of_segments();
        if self.by_tag() {
            // Runs were once tagged without what stands around them.
            out.push_str(", tagged in the whole text");
        }
        out
    }

    /// As [`WordOptions::canonical`], where words are all that the segmenter gives.
    pub(super) fn canonical_of_segments(&self) -> String {
        let mut out = String::new();
        if let Some(fold) = self.fold {
            let _ = write!(out, ", {}", fold.canonical());
        }
        if let Some(stop) = &self.stop {
            let _ = write!(out, ", without stop words {:032x}", stop.digest);
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
