//! What a scheme may change about words: the dictionary, stop words, parts of speech.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::unspaced;
use crate::error::{Error, Result};
use crate::hash::xxh3_128;
use crate::read::unreadable;
use crate::segment::{Mode, Segmenter};
use crate::text::{Compact, Fold, Normaliser};

/// Which words a scheme has.
#[derive(Debug, Clone, Default)]
pub struct WordOptions {
    stop: Option<Arc<StopWords>>,
    dictionary: Option<(Box<str>, Arc<Segmenter>)>,
    mode: Mode,
    /// Whether the segmenter makes no words that the dictionary does not have.
    without_hmm: bool,
    /// Tags in ascending order; with a `*` at the end, all that begin so. None for all.
    tags: Vec<Box<str>>,
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
    /// Takes an option that is about words; `None` where it is not.
    ///
    /// # Errors
    /// [`Error::Source`] for a file that cannot be read, with its bad line; [`Error::Config`] for a bad tag.
    pub fn set(&mut self, key: &str, value: &str, normalised: bool) -> Option<Result<()>> {
        match key {
            "stop" => Some(self.set_stop(value, normalised)),
            "dict" => Some(self.set_dictionary(value)),
            "pos" => Some(self.set_tags(value)),
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
    /// [`Error::Config`] for options that do not go together.
    pub fn check(&self) -> Result<()> {
        if self.mode != Mode::Exact && self.by_tag() {
            return Err(Error::Config(format!(
                "mode={} and pos={} do not go together: parts of speech are those of mode exact; leave out one of the two",
                self.mode.name(),
                self.tags.join("+")
            )));
        }
        if self.mode == Mode::Full && self.without_hmm {
            return Err(Error::Config(
                "hmm=off says nothing in mode=full, which has words of the dictionary only; leave it out".to_owned(),
            ));
        }
        Ok(())
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
            unspaced::each_word(run, word);
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

    fn set_tags(&mut self, list: &str) -> Result<()> {
        for tag in list.split('+') {
            let letters = tag.strip_suffix('*').unwrap_or(tag);
            if letters.is_empty() || !letters.bytes().all(|byte| byte.is_ascii_lowercase()) {
                return Err(Error::Config(format!(
                    "pos={list}: {tag:?} is no part of speech; give tags of lower-case letters with + between them, such as pos=n+v+eng, \
                     or n* for all that begin with n"
                )));
            }
            self.tags.push(tag.into());
        }
        self.tags.sort_unstable();
        self.tags.dedup();
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

    /// Whether words of this tag are features.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|wanted| match wanted.strip_suffix('*') {
            Some(begin) => tag.starts_with(begin),
            None => **wanted == *tag,
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
            options.push(format!("pos={}", self.tags.join("+")));
        }
        options.extend(self.fold.map(|fold| format!("fold={}", fold.name())));
        options.extend(self.fours.then(|| "unspaced=fours".to_owned()));
        options
    }

    /// All that can move a word and is not the segmenter, in words; nothing without options.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        if let Some(fold) = self.fold {
            let _ = write!(out, ", {}", fold.canonical());
        }
        if let Some(stop) = &self.stop {
            let _ = write!(out, ", without stop words {:032x}", stop.digest);
        }
        if self.fours {
            let _ = write!(out, ", {}", unspaced::CANONICAL);
        }
        if self.mode != Mode::Exact {
            let _ = write!(out, ", mode {}", self.mode.name());
        }
        if self.without_hmm {
            out.push_str(", words of the dictionary only");
        }
        if self.by_tag() {
            let _ = write!(out, ", of tags {}", self.tags.join("+"));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::error::Error;
    use crate::scheme::Scheme;
    use crate::transform::features_of;

    fn words(spec: &str, text: &str) -> Vec<String> {
        let scheme = Scheme::parse(spec).unwrap();
        let features = features_of(&scheme, text).unwrap();
        features.into_iter().map(|feature| feature.text).collect()
    }

    #[test]
    fn stop_words_are_left_out_before_words_are_joined() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stop.txt");
        std::fs::write(&path, "\u{feff}的\r\n\n THE \n").unwrap();
        let spec = format!("words64:stop={}", path.display());
        let text = "the 老槐树 的 村口 the end";
        assert_eq!(words("words64", text), ["the", "老槐树", "的", "村口", "end"]);
        assert_eq!(words(&spec, text), ["老槐树", "村口", "end"]);
        let spec2 = format!("words64:n=2,stop={}", path.display());
        assert_eq!(words(&spec2, text), ["老槐树 村口", "村口 end"]);
        assert_eq!(Scheme::parse(&spec2).unwrap().spec(), spec2);
        assert!(words(&spec, "the the").is_empty());
    }

    #[test]
    fn the_content_of_files_is_in_the_digest_and_their_names_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let digest = |option: &str, path: &str| Scheme::parse(&format!("words64:{option}={path}")).unwrap().digest();
        let plain = Scheme::parse("words64").unwrap().digest();
        for (option, one, same, other) in [
            ("stop", "的\n了\n", "了\n的\n", "的\n"),
            ("dict", "石墨烯 9 n\n", "石墨烯 9 n\n\n", "石墨烯 8 n\n"),
        ] {
            let [one, same, other] =
                [("a", one), ("b", same), ("c", other)].map(|(name, text)| digest(option, &file(name, text)));
            assert!(one == same && one != other && one != plain, "{option}");
        }
    }

    #[test]
    fn a_dictionary_makes_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.txt");
        std::fs::write(&path, "石墨烯电池 9 n\n").unwrap();
        assert_eq!(words("words64", "石墨烯电池"), ["石墨", "烯", "电池"]);
        assert_eq!(
            words(&format!("words64:dict={}", path.display()), "石墨烯电池"),
            ["石墨烯电池"]
        );
        std::fs::write(&path, "石墨烯\n石墨 烯 电 池\n").unwrap();
        let error = Scheme::parse(&format!("words64:dict={}", path.display())).unwrap_err();
        let message = error.to_string();
        assert!(
            matches!(error, Error::Source { .. }) && message.contains("line 2") && message.contains("石墨 烯 电 池"),
            "{message}"
        );
    }

    #[test]
    fn folded_words_are_those_of_the_other_script() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let (hant, hans) = (
            "這個軟體的電池壽命很長，石墨烯電池。",
            "这个软件的电池寿命很长，石墨烯电池。",
        );
        for spec in [
            "words64:fold=tw2sp".to_owned(),
            // What is named in files is folded too, whichever comes first.
            format!("words64:stop={},fold=tw2sp", file("stop", "這個\n軟體\n")),
            format!("words64:fold=tw2sp,dict={}", file("dict", "石墨烯電池 9 n\n")),
            "keywords64:fold=tw2sp".to_owned(),
            "lines_tfidf64:fold=tw2sp".to_owned(),
            "chars64:punctuation=keep,fold=tw2sp".to_owned(),
        ] {
            assert_eq!(words(&spec, hant), words(&spec, hans), "{spec}");
            assert_ne!(
                words(&spec.replace("tw2sp", "none"), hant),
                words(&spec.replace("tw2sp", "none"), hans)
            );
        }
        assert_eq!(words("words64:fold=t2s", hant)[..2], ["这个", "软体"]);
        let stop = format!("words64:stop={},fold=t2s", file("the", "這個\n"));
        assert!(!words(&stop, hans).contains(&"这个".to_owned()));
        let dict = format!("words64:fold=t2s,dict={}", file("words", "石墨烯電池 9 n\n"));
        assert!(words(&dict, hant).contains(&"石墨烯电池".to_owned()));
    }

    #[test]
    fn a_fold_is_told_and_refused() {
        for spec in [
            "chars64:n=3,fold=t2s",
            "words64:n=2,fold=tw2sp",
            "keywords64:fold=t2s",
            "esimhash64:fold=t2s",
        ] {
            assert_eq!(Scheme::parse(spec).unwrap().spec(), spec);
        }
        assert_eq!(Scheme::parse("chars64:fold=none").unwrap().spec(), "chars64");
        let digest = |spec| Scheme::parse(spec).unwrap().digest();
        // Tables of another version make other fingerprints, so these two move with them.
        assert_eq!(digest("chars128:fold=t2s"), "2c40238e4f5bfd6604aea1946a259450");
        assert_eq!(digest("chars128:fold=tw2sp"), "36b24ee0b990e8f729395ee48686b347");
        for (spec, part) in [
            ("chars64:fold=s2t", "there are none, t2s"),
            ("words64:fold=s2t", "there are none, t2s"),
            ("words64:fold=t2s,fold=t2s", "fold is given twice"),
            ("chars64:fold=t2s,fold=t2s", "fold is given twice"),
            ("simhash64:fold=t2s", "as another program does"),
            ("dom64:fold=t2s", "its options are levels"),
            ("words64:fold", "fold=none|t2s|tw2sp"),
        ] {
            let message = Scheme::parse(spec).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn parts_of_speech_choose_words() {
        let text = "我爱北京的老城墙 visit 2024";
        assert_eq!(words("words64:pos=v+ns", text), ["爱", "北京"]);
        assert_eq!(words("words64:pos=eng", text), ["visit"]);
        assert_eq!(words("words64:pos=m", text), ["2024"]);
        assert_eq!(words("words64:pos=n*", text), ["北京", "老", "城墙"]);
        assert_eq!(Scheme::parse("words64:pos=v+n+v").unwrap().spec(), "words64:pos=n+v");
    }

    #[test]
    fn bad_options_say_what_is_allowed() {
        for (spec, part) in [
            (
                "words64:stop=no/such.txt",
                "no/such.txt: does not exist; check the name",
            ),
            (
                "words64:dict=no/such.txt",
                "no/such.txt: does not exist; check the name",
            ),
            ("words64:pos=N", "\"N\" is no part of speech"),
            ("words64:pos=n++v", "\"\" is no part of speech"),
            ("words64:pos=*", "\"*\" is no part of speech"),
            ("angelo32:stop=x", "it has no options"),
        ] {
            let message = Scheme::parse(spec).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
