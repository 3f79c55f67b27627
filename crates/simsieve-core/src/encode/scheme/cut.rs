//! Texts cut into tokens as other programs cut them, and into words.

use std::ops::Range;
use std::sync::LazyLock;

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use super::words::WordOptions;
use crate::base::hash::Place;
use crate::base::hash::batch::hash_places;
use crate::base::kernel::Kernel;
use crate::encode::model::Idf;
use crate::text::normalise::ascii::{Joined, next_gap};
use crate::text::segment::{self, Segmenter, keywords, keywords::Keywords};
use crate::text::{Class, Compact, NORMALISER, Normaliser, UNICODE_VERSION, class_of};

/// A Unicode normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Composed.
    Nfc,
    /// Decomposed.
    Nfd,
    /// Composed, compatibility characters mapped.
    Nfkc,
    /// Decomposed, compatibility characters mapped.
    Nfkd,
}

impl Form {
    /// Every form with its name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("nfc", Self::Nfc),
        ("nfd", Self::Nfd),
        ("nfkc", Self::Nfkc),
        ("nfkd", Self::Nfkd),
    ];

    /// The name in the canonical text of a scheme.
    const fn canonical(self) -> &'static str {
        match self {
            Self::Nfc => "Nfc",
            Self::Nfd => "Nfd",
            Self::Nfkc => "Nfkc",
            Self::Nfkd => "Nfkd",
        }
    }

    pub(super) fn of(self, text: &str) -> String {
        match self {
            Self::Nfc => ComposingNormalizerBorrowed::new_nfc().normalize(text),
            Self::Nfd => DecomposingNormalizerBorrowed::new_nfd().normalize(text),
            Self::Nfkc => ComposingNormalizerBorrowed::new_nfkc().normalize(text),
            Self::Nfkd => DecomposingNormalizerBorrowed::new_nfkd().normalize(text),
        }
        .into_owned()
    }
}

/// Into which tokens a text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Every 4 characters in a row of what is left of the lower-cased text when all but letters, numbers and underscores
    /// is dropped; what is shorter is one token.
    Shingles,
    /// What stands between spaces, tabs, line ends and form feeds.
    Spaces,
    /// Lower-cased runs of ASCII letters, digits, `_` and `'`; `://` and what may follow it in an address belongs to the run before.
    AsciiWords,
    /// Lower-cased runs of letters, `-`, `_` and `'` of this normal form of the text.
    LetterWords(Form),
    /// All that the segmenter gives.
    Segments,
    /// Of these what begins with one of U+4E00 to U+9FA5.
    HanSegments,
    /// The heaviest keywords, so many, each once and with its weight.
    Keywords(usize),
    /// The words of each line of the text.
    Lines,
    /// So many words in a row of the normalised text; a text with fewer words is one token.
    Words(usize),
}

const LINE_ENDS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// The tokens of one text, and room for finding them.
#[derive(Debug, Default, Clone)]
pub struct Tokens {
    pub(super) text: String,
    pub(super) spans: Vec<Place>,
    /// The line of every token, for [`Cut::Lines`].
    pub lines: Vec<u32>,
    /// The weight of every token, for [`Cut::Keywords`].
    pub weights: Vec<f64>,
    /// The factor of every token's part of speech, where those weigh; of several words in a row the mean.
    pub factors: Vec<f64>,
    pub(super) segment: segment::Scratch,
    line: Compact,
    joined: Joined,
}

impl Tokens {
    /// The tokens in the order of the text; keywords the heaviest first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.spans.iter().map(|&(begin, end)| &self.text[begin..end])
    }

    /// Writes the XXH3-64 of each token to `hashes`, whose former content is lost.
    pub fn hash(&self, hashes: &mut Vec<u64>) {
        hash_places(Kernel::active(), self.text.as_bytes(), &self.spans, hashes);
    }

    /// Cuts `text`, of which `normalised` is the normalised form; what was here before is lost. Keywords weigh by `idf`, or
    /// by jieba's document frequencies where it is none.
    ///
    /// Complexity: linear in the length of the text.
    pub fn take(&mut self, cut: Cut, words: &WordOptions, idf: Option<&Idf>, text: &str, normalised: &Compact) {
        self.begin();
        match cut {
            Cut::Shingles => self.take_shingles(text),
            Cut::Spaces => self.take_runs(text.to_owned(), |c| !matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{C}')),
            Cut::AsciiWords => self.take_ascii_words(simple_lower(text)),
            Cut::LetterWords(form) => self.take_runs(simple_lower(&form.of(text)), |c| {
                matches!(c, '-' | '_' | '\'') || GeneralCategoryGroup::Letter.contains(category(c))
            }),
            Cut::Segments => self.take_segments(&words.folded(text), words, |_| true),
            Cut::HanSegments => self.take_segments(text, words, |c| ('\u{4E00}'..='\u{9FA5}').contains(&c)),
            Cut::Keywords(top) => self.take_keywords(&words.folded(text), words, idf, top),
            Cut::Lines => self.take_lines(text, words),
            Cut::Words(n) => {
                self.take_words(utf8(normalised), words);
                self.join(n);
            }
        }
    }

    /// Forgets the last text.
    pub(super) fn begin(&mut self) {
        self.text.clear();
        self.spans.clear();
        self.lines.clear();
        self.weights.clear();
        self.factors.clear();
    }

    /// Takes every `n` characters in a row; a text of fewer is one token.
    pub(super) fn take_characters(&mut self, text: &str, n: usize) {
        self.begin();
        self.text.push_str(text);
        let begins: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        if begins.len() > n {
            self.spans
                .extend(begins.windows(n + 1).map(|window| (window[0], window[n])));
        } else if !text.is_empty() {
            self.spans.push((0, text.len()));
        }
    }

    /// Takes the words of a text that is not normalised further.
    pub(super) fn take_own_words(&mut self, text: &str, words: &WordOptions) {
        self.begin();
        self.take_words(text, words);
    }

    /// Takes the lines that are not empty.
    pub(super) fn take_own_lines(&mut self, text: &str, words: &WordOptions) {
        self.begin();
        for line in text.split(LINE_ENDS).filter(|line| !line.is_empty()) {
            self.add_word(line, words);
        }
    }

    fn take_shingles(&mut self, text: &str) {
        const WIDTH: usize = 4;
        // Without a language: Python's `lower`, the final sigma included.
        let lower = CaseMapper::new().lowercase_to_string(text, &LanguageIdentifier::UNKNOWN);
        let mut begins = Vec::new();
        for c in lower.chars().filter(|&c| is_python_word(c)) {
            begins.push(self.text.len());
            self.text.push(c);
        }
        begins.push(self.text.len());
        if begins.len() <= WIDTH {
            self.spans
                .extend((!self.text.is_empty()).then_some((0, self.text.len())));
        } else {
            self.spans
                .extend(begins.windows(WIDTH + 1).map(|window| (window[0], window[WIDTH])));
        }
    }

    /// Maximal runs of characters of `text` that are `inside`.
    fn take_runs(&mut self, text: String, inside: impl Fn(char) -> bool) {
        let mut begin = None;
        for (at, c) in text.char_indices() {
            match (begin, inside(c)) {
                (None, true) => begin = Some(at),
                (Some(from), false) => {
                    self.spans.push((from, at));
                    begin = None;
                }
                _ => {}
            }
        }
        self.spans.extend(begin.map(|from| (from, text.len())));
        self.text = text;
    }

    fn take_ascii_words(&mut self, text: String) {
        let bytes = text.as_bytes();
        let is_word = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let run =
            |from: usize, inside: &dyn Fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| inside(byte)).count();
        let mut at = 0;
        while at < bytes.len() {
            let word = run(at, &|byte| is_word(byte) || *byte == b'\'');
            if word == 0 {
                at += 1;
                continue;
            }
            let mut end = at + word;
            if bytes[end..].starts_with(b"://") {
                let address = run(end + 3, &|byte| is_word(byte) || matches!(byte, b'.' | b'/'));
                if address > 0 {
                    end += 3 + address;
                }
            }
            self.spans.push((at, end));
            at = end;
        }
        self.text = text;
    }

    fn take_segments(&mut self, text: &str, words: &WordOptions, kept: impl Fn(char) -> bool) {
        let (spans, factors, segmenter) = (&mut self.spans, &mut self.factors, words.segmenter());
        let is_kept = |word: &str| {
            word.chars().next().is_some_and(&kept) && !(words.has_stop_words() && words.is_stop_word(word))
        };
        if words.by_tag() {
            segmenter.tag(text, words.hmm(), &mut self.segment, |place, tag| {
                if let Some(factor) = words.tags().factor(tag)
                    && is_kept(&text[place.clone()])
                {
                    spans.push((place.start, place.end));
                    if words.tags().weigh() {
                        factors.push(factor);
                    }
                }
            });
        } else {
            segmenter.cut(text, words.mode(), words.hmm(), &mut self.segment, |place| {
                if is_kept(&text[place.clone()]) {
                    spans.push((place.start, place.end));
                }
            });
        }
        self.text.push_str(text);
    }

    fn take_keywords(&mut self, text: &str, words: &WordOptions, idf: Option<&Idf>, top: usize) {
        static KEYWORDS: LazyLock<Keywords> = LazyLock::new(Keywords::builtin);
        let is_stop_word = |word: &str| words.is_stop_word(word);
        let of_model = |hash: u64| idf.map_or(0.0, |idf| idf.of_feature_or_median(hash));
        let own = keywords::Own {
            is_stop_word: words.has_stop_words().then_some(&is_stop_word),
            idf: idf.is_some().then_some(&of_model),
        };
        for (word, weight) in KEYWORDS.find_as(words.segmenter(), text, top, words.tags(), &own, &mut self.segment) {
            self.add(word);
            self.weights.push(weight);
        }
    }

    fn take_lines(&mut self, text: &str, words: &WordOptions) {
        let normaliser = Normaliser::new(false).folding(words.fold());
        let mut lines = 0;
        let mut normalised = std::mem::take(&mut self.line);
        for line in text.split(LINE_ENDS) {
            normaliser.run(line, &mut normalised);
            let before = self.spans.len();
            self.take_words(utf8(&normalised), words);
            // A line without words is no document.
            if self.spans.len() > before {
                self.lines.resize(self.spans.len(), lines);
                lines += 1;
            }
        }
        self.line = normalised;
    }

    /// The words of a text.
    fn take_words(&mut self, text: &str, words: &WordOptions) {
        self.take_words_by(Kernel::active(), text, words);
    }

    /// Words of ASCII by a kernel; those with other characters one at a time. Whatever stands between them, a gap in
    /// ASCII ends every word, so that a text may be cut there.
    fn take_words_by(&mut self, kernel: Kernel, text: &str, words: &WordOptions) {
        if words.by_tag() {
            return self.take_tagged(text, words);
        }
        if words.has_stop_words() {
            return self.take_words_plainly(text, words);
        }
        let (mut joined, mut at) = (std::mem::take(&mut self.joined), 0);
        while at < text.len() {
            let base = self.text.len() + usize::from(!self.text.is_empty());
            at = joined.take(kernel, text, at, base, &mut self.spans);
            if !joined.text().is_empty() {
                if !self.text.is_empty() {
                    self.text.push(' ');
                }
                self.text.push_str(joined.text());
            }
            let end = next_gap(text, at);
            self.take_words_plainly(&text[at..end], words);
            at = end;
        }
        self.joined = joined;
    }

    /// [`Tokens::take_words`] character by character, where words have no tags.
    fn take_words_plainly(&mut self, text: &str, words: &WordOptions) {
        let (segmenter, mode, hmm) = (words.segmenter(), words.mode(), words.hmm());
        let mut room = std::mem::take(&mut self.segment);
        each_run(text, |run, is_han| {
            if is_han {
                let han = &text[run];
                segmenter.cut(han, mode, hmm, &mut room, |place| self.add_word(&han[place], words));
            } else {
                words.each_of_run(&text[run], |word| self.add_word(word, words));
            }
        });
        self.segment = room;
    }

    /// Makes tokens of `n` tokens in a row, with a space between.
    pub(super) fn join(&mut self, n: usize) {
        if n > 1 && !self.spans.is_empty() {
            let n = n.min(self.spans.len());
            let left = self.spans.len() - n + 1;
            for at in 0..left {
                self.spans[at].1 = self.spans[at + n - 1].1;
            }
            self.spans.truncate(left);
            if !self.factors.is_empty() {
                let means = self.factors.windows(n).map(|row| row.iter().sum::<f64>() / n as f64);
                self.factors = means.collect();
            }
        }
    }

    /// A stop word is not added, so that its neighbours come together.
    fn add_word(&mut self, word: &str, words: &WordOptions) {
        if !words.is_stop_word(word) {
            self.add(word);
        }
    }

    pub(super) fn add(&mut self, token: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.spans.push((self.text.len(), self.text.len() + token.len()));
        self.text.push_str(token);
    }
}

/// Calls `each` with the runs of Han, and of other letters, digits and symbols, and whether it is of Han.
pub(super) fn each_run(text: &str, mut each: impl FnMut(Range<usize>, bool)) {
    let kind = |c: char| (class_of(c) == Class::Plain).then(|| segment::HAN.contains(&u32::from(c)));
    let mut run: Option<(usize, bool)> = None;
    let ends = text
        .char_indices()
        .map(|(at, c)| (at, kind(c)))
        .chain([(text.len(), None)]);
    for (at, kind) in ends {
        if run.map(|(_, han)| han) != kind {
            if let Some((from, is_han)) = run {
                each(from..at, is_han);
            }
            run = kind.map(|han| (at, han));
        }
    }
}

fn utf8(text: &Compact) -> &str {
    simdutf8::basic::from_utf8(text.normalised()).expect("the normaliser writes UTF-8")
}

/// Each character by Unicode's simple mapping.
fn simple_lower(text: &str) -> String {
    text.chars().map(|c| CaseMapper::new().simple_lowercase(c)).collect()
}

pub(super) fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

/// What `\w` of Python's `re` takes, which are the characters of the general categories L and N, and the underscore.
fn is_python_word(c: char) -> bool {
    c == '_' || GeneralCategoryGroup::Letter.contains(category(c)) || GeneralCategoryGroup::Number.contains(category(c))
}

impl Cut {
    /// All that can move a token, in words.
    pub fn canonical(self, segmenter: &Segmenter) -> String {
        let segmenter = || format!("segmenter {}", segmenter.digest());
        let words = || format!("normaliser {NORMALISER}, unicode {UNICODE_VERSION}, {}", segmenter());
        match self {
            Self::Shingles => format!("4 characters of lower-cased L, N and _, unicode {UNICODE_VERSION}"),
            Self::Spaces => "between ascii white space".to_owned(),
            Self::AsciiWords => format!("simple lower case, ascii words and addresses, unicode {UNICODE_VERSION}"),
            Self::LetterWords(form) => {
                format!(
                    "{}, simple lower case, runs of L, -, _ and ', unicode {UNICODE_VERSION}",
                    form.canonical()
                )
            }
            Self::Segments => format!("all of {}", segmenter()),
            Self::HanSegments => format!("from 4E00 to 9FA5 on of {}", segmenter()),
            Self::Keywords(top) => format!("{top} keywords, frequencies of {}, {}", segment::RULES, segmenter()),
            Self::Lines => format!("words a line, {}", words()),
            Self::Words(n) => format!("{n} words, {}", words()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn words_by_every_kernel_are_the_plain_ones(
            text in "([a-zA-Z]{0,20}|[ '.,_:;0-9-]{0,6}|don['’]t|[\\x00-\\x7f]{0,70}|[éß’中文字々カ각\u{a0}\u{2028}\u{1F600}𠮷]{0,5}|\\PC{0,6}){0,30}",
            n in 1..9_usize,
        ) {
            let words = WordOptions::default();
            let mut plain = Tokens::default();
            plain.take_words_plainly(&text, &words);
            for kernel in Kernel::available() {
                let mut tokens = Tokens::default();
                tokens.take_words_by(kernel, &text, &words);
                prop_assert_eq!(tokens.iter().collect::<Vec<_>>(), plain.iter().collect::<Vec<_>>(), "{:?}", kernel);
                let rows = plain.spans.len().min(n).max(1);
                let rows = plain.iter().collect::<Vec<_>>().windows(rows).map(|row| row.join(" ")).collect::<Vec<_>>();
                tokens.join(n);
                prop_assert_eq!(tokens.iter().collect::<Vec<_>>(), rows, "{:?}", kernel);
            }
        }
    }
}
