//! The options of built-in schemes: one table, from which specs are read and written, and which messages and documents list.
//!
//! The order of the rows is the order of the options in a canonical spec.

use super::family::{Family, MOST};
use super::nearest::nearest;
use super::value::{OptionKind, Value};
use crate::base::message::Message;
use crate::text::Fold;

use OptionKind::{Ceiling, Choice, File, Model, Number, Pattern, Share, StopWords, Tags, Whole};

use Family::{
    Angelo, Chars, Dom, Esimhash, EsimhashBaseline, External, Gemantic, Keywords, LinesTfidf, Mfonda, Simhash, Words,
};

/// An option of some families of schemes.
#[derive(Debug)]
pub struct OptionRow {
    /// The text before the `=`.
    pub key: &'static str,
    /// The families that take it.
    pub families: &'static [Family],
    /// What its value may be.
    pub kind: OptionKind,
    /// The value without the option; empty where there is none.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// Text fields of a record at most.
const MOST_PARTS: u64 = 999;
const ON_TEXTS: &[Family] = &[
    Chars,
    Words,
    Simhash,
    Gemantic,
    Mfonda,
    EsimhashBaseline,
    Esimhash,
    Angelo,
    Keywords,
    LinesTfidf,
];
const SEGMENTED: &[Family] = &[Words, EsimhashBaseline, Esimhash, Angelo, Keywords, LinesTfidf];
const CUT: &[Family] = &[Words, EsimhashBaseline, Esimhash, Angelo, LinesTfidf];
const FOLDED: &[Family] = &[Chars, Words, Keywords, LinesTfidf, Esimhash];
const SUMMED: &[Family] = &[Chars, Words, EsimhashBaseline, Esimhash, Keywords, LinesTfidf];
const FOLDS: OptionKind = Choice(
    &const {
        let mut names = ["none"; 1 + Fold::ALL.len()];
        let mut at = 0;
        while at < Fold::ALL.len() {
            names[1 + at] = Fold::ALL[at].0;
            at += 1;
        }
        names
    },
);
const RULES: OptionKind = Choice(&["once", "tf", "log", "idf", "log-idf", "tf-idf"]);

/// A table of options: key, families, kind, default, and what the option does.
macro_rules! rows {
    ($($key:ident: $families:expr, $kind:expr, $default:literal, $help:literal;)*) => {
        [$(OptionRow { key: stringify!($key), families: $families, kind: $kind, default: $default, help: $help }),*]
    };
}

/// Every option there is.
pub static OPTIONS: [OptionRow; 38] = rows! {
    units: &[Chars], Whole(1, 64), "6", "units of a window; Han, kana and Hangul are 2 units, any other character 1";
    n: &[Chars], Whole(1, 64), "", "characters of a window, in place of units";
    n: &[Words], Whole(1, 8), "1", "words a feature, joined by a space";
    top: &[Keywords], Whole(1, 1000), "30", "how many keywords";
    words: &[Mfonda], Choice(&["ascii", "nfc", "nfd", "nfkc", "nfkd"]), "ascii",
        "ASCII words, or Unicode words of this normal form";
    weights: &[Chars, Words], RULES, "once", "the weight of a feature; idf, log-idf and tf-idf need a model";
    weights: &[EsimhashBaseline], Choice(&["tf", "once"]), "tf", "the weight of a feature: its count, or 1";
    tokens: &[Esimhash], Choice(&["words", "all"]), "words", "words, or all that the segmenter gives";
    tf: &[Esimhash], Choice(&["count", "share"]), "count", "the count of a word, or its share of all words";
    cap: &[Esimhash], Ceiling, "90%",
        "the greatest weight: a number, a percentage of the greatest, a percentile, or none";
    cap: &[Keywords], Ceiling, "none",
        "the greatest weight, which heavier keywords have: a number, a percentage of the greatest, a percentile, or none";
    over: &[Esimhash], Choice(&["ceiling", "mean", "zero"]), "ceiling", "what a word above the greatest weight weighs";
    place: &[Esimhash], Choice(&["character", "word", "rank", "weight", "none"]), "character",
        "what the place of a word counts";
    from: &[Esimhash], Choice(&["1", "0"]), "1", "the first place";
    repeat: &[Esimhash], Choice(&["each", "first", "last"]), "each", "which place a word has that occurs several times";
    model: &[Chars], Model, "", "the model of document frequencies: a file that `simsieve fit` wrote, or its digest";
    punctuation: &[Chars], Choice(&["drop", "keep"]), "drop", "whether windows hold punctuation and spaces";
    stop: SEGMENTED, StopWords, "",
        "words that are no features: a file with one a line, or zh for function words of Chinese";
    dict: SEGMENTED, File, "", "a file of words that are added to the dictionary";
    mode: CUT, Choice(&["exact", "full", "search"]), "exact", "how Chinese is cut into words";
    hmm: CUT, Choice(&["on", "off"]), "on",
        "whether a hidden Markov model finds words that the dictionary does not have";
    pos: SEGMENTED, Tags, "", "only words of these parts of speech, with factors where given";
    fold: FOLDED, FOLDS, "none",
        "Traditional Chinese becomes Simplified: characters (t2s), also words of Taiwan (tw2sp); numbers in numerals become digits (numerals); accents and vowel marks are left out (marks)";
    unspaced: &[Words], Choice(&["runs", "fours"]), "runs",
        "whether Thai, Lao, Myanmar and Khmer are cut into every four characters";
    model: &[Words, Keywords, Esimhash], Model, "",
        "the model of document frequencies: a file that `simsieve fit` wrote, or its digest";
    levels: &[Dom], Whole(0, 1000), "1", "tags of a path; 0 for the whole path";
    classes: &[Dom], Choice(&["drop", "keep"]), "drop", "whether a tag has its class names with it";
    weight: &[Dom], Choice(&["sum", "nearest", "once"]), "sum",
        "the weight of an element: a decay by its depth, summed or of the nearest; or 1";
    decay: &[Dom], Share, "0.45", "the decay of the weight a level";
    hash: &[Dom], Choice(&["fnv1", "xxh3"]), "fnv1", "the hash of an element";
    format: &[External], Choice(&["hex", "int", "base64", "bits", "bytes"]), "hex", "how the fingerprints are written";
    extract: ON_TEXTS, Choice(&["none", "text", "main"]), "none",
        "whether the text field holds a page: all its text, or its main text";
    cut_at: ON_TEXTS, Pattern, "", "a regular expression: a text ends where the first match begins";
    strip: ON_TEXTS, Pattern, "", "a regular expression: all matches are taken out of a text";
    ignore: ON_TEXTS, File, "",
        "a file of templates, which `simsieve templates` writes: they weigh nothing in a text";
    part: ON_TEXTS, Whole(1, MOST_PARTS), "", "which of several text fields is the text, each of which stays apart; counted from 1";
    parts: ON_TEXTS, Whole(1, MOST_PARTS), "1", "how many text fields from there on stand for one another: the first one with a value counts";
    above: SUMMED, Number, "0", "a bit is 1 where the sum of its weights is above this number";
};

/// Families whose texts are taken as they are say so in words that all families know.
pub(super) static EXTRACT_NOTHING: [OptionRow; 2] = rows! {
    extract: &[Dom], Choice(&["none"]), "none", "its features are the page's elements";
    extract: &[External], Choice(&["none"]), "none", "its texts are fingerprints";
};

/// The parts of custom schemes that no built-in scheme has as an option of the same values.
static PARTS: [OptionRow; 6] = rows! {
    features: &[], Choice(&["words", "chars", "lines", "dom", "tokens"]), "words", "what the features are";
    n: &[], Whole(1, 64), "", "how many characters, words or tokens in a row make a feature";
    weights: &[], Choice(&["once", "tf", "log", "idf", "log-idf", "tf-idf", "entropy", "given", "sum", "nearest"]), "",
        "the weight of a feature";
    hash: &[], Choice(&["xxh3", "fnv1", "fnv1a", "fnv1_128", "fnv1a_128", "fnv1_256", "fnv1a_256", "md5", "sha1", "sha256", "given"]), "xxh3", "the hash of a feature";
    width: &[], Whole(1, MOST as u64), "128", "the bits of a fingerprint";
    fraction_bits: &[], Whole(0, 24), "20", "the fraction bits of weights that are given";
};

/// The row of a part of custom schemes.
pub(super) fn part(key: &str) -> Option<&'static OptionRow> {
    PARTS.iter().chain(&OPTIONS).find(|row| row.key == key)
}

/// The rows of a family, in canonical order.
pub fn of_family(family: Family) -> impl Iterator<Item = (usize, &'static OptionRow)> {
    let takes = move |(_, row): &(usize, &OptionRow)| row.families.contains(&family);
    OPTIONS.iter().enumerate().filter(takes)
}

/// The row of a key, with its place in the table.
pub fn find(family: Family, key: &str) -> Option<(usize, &'static OptionRow)> {
    of_family(family).find(|(_, row)| row.key == key)
}

/// The options of a family, each with its default first.
pub fn listed(family: Family) -> String {
    let all: Vec<String> = of_family(family).map(|(_, row)| row.sample()).collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}

impl OptionRow {
    /// Reads a value.
    ///
    /// # Errors
    /// What is allowed.
    pub(super) fn read(&self, value: &str) -> Result<Value, Message> {
        self.kind.read(self.key, value)
    }

    /// The option as a list shows it.
    pub fn sample(&self) -> String {
        format!("{}={}", self.key, self.kind.sample(self.default))
    }
}

/// What the message says of a key that a family does not take.
pub(super) fn unknown(family: Family, option: &str, key: &str) -> Message {
    let foreign = ON_TEXTS.contains(&family) && !FOLDED.contains(&family);
    if key == "fold" && foreign {
        return msg!("{option:?} is not allowed; it takes texts as another program does, without a fold");
    }
    let keys = of_family(family).map(|(_, row)| row.key.to_owned());
    let listed = listed(family);
    let are = match of_family(family).count() {
        1 => msg!("its option is {listed}"),
        _ => msg!("its options are {listed}"),
    };
    match nearest(key, keys) {
        Some(near) if near != key => msg!("{option:?} is not allowed; did you mean {near:?}? {are}"),
        _ => msg!("{option:?} is not allowed; {are}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::input::external::Form as Format;
    use crate::encode::tokenize::normal_form::Form;
    use crate::encode::weight::Weights;
    use crate::encode::weight::entropy::{OVER, PLACE, REPEAT, TF};
    use crate::text::Fold;
    use crate::text::html;
    use crate::text::segment::Mode;

    fn names<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
        list.iter().map(|row| row.0).collect()
    }

    fn choices(family: Family, key: &str) -> Vec<&'static str> {
        match find(family, key).unwrap().1.kind {
            OptionKind::Choice(choices) => choices.to_vec(),
            _ => panic!("{key} is no choice"),
        }
    }

    /// The choices of the table are the names that the parts of a scheme have.
    #[test]
    fn choices_are_the_names_of_the_parts() {
        assert_eq!(choices(Chars, "weights"), names(&Weights::ALL));
        assert_eq!(choices(Mfonda, "words")[1..], names(&Form::ALL));
        assert_eq!(choices(Chars, "fold")[1..], names(&Fold::ALL));
        assert_eq!(choices(Words, "mode"), names(&Mode::ALL));
        assert_eq!(choices(Esimhash, "tf"), names(&TF));
        assert_eq!(choices(Esimhash, "over"), names(&OVER));
        assert_eq!(choices(Esimhash, "place"), names(&PLACE));
        assert_eq!(choices(Esimhash, "repeat"), names(&REPEAT));
        assert_eq!(choices(Dom, "weight"), html::Weight::NAMES);
        assert_eq!(choices(Dom, "hash"), names(&html::Hash::ALL));
        assert_eq!(choices(External, "format"), names(&Format::ALL));
    }

    /// A default is a value that the row takes, in its canonical form, and the first of a list.
    #[test]
    fn defaults_are_values() {
        for row in &OPTIONS {
            if !row.default.is_empty() {
                assert_eq!(row.read(row.default).unwrap().to_string(), row.default, "{}", row.key);
            }
            if let OptionKind::Choice([first, ..]) = row.kind {
                assert_eq!(*first, row.default, "{}", row.key);
            }
            assert!(!row.help.is_empty() && !row.families.is_empty(), "{}", row.key);
        }
    }

    /// No family has two rows of one key.
    #[test]
    fn keys_are_distinct() {
        for (family, name, _) in Family::ALL {
            let mut keys: Vec<&str> = of_family(family).map(|(_, row)| row.key).collect();
            keys.sort_unstable();
            assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{name}: {keys:?}");
        }
    }
}
