//! Schemes on tokens: those of other programs, bit for bit, and those on words.

use super::cut::{Cut, Form};
use super::token_hash::{MOST_WORDS, TokenHash};
use super::{Reading, Scheme, Scratch};
use crate::error::{Error, Result};
use crate::hash::xxh3_64;
use crate::rule::FeatureRule;
use crate::weights::{self, Weights};

/// What a scheme on tokens has in place of windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenRule {
    name: &'static str,
    cut: Cut,
    pub(super) hash: TokenHash,
    /// Whether a sum of zero gives a 1.
    pub(super) ties: bool,
    /// The weights without an option.
    usual: Weights,
}

/// A weight by TF-IDF is at most 14 x 2^24, and those of a text sum to as much, so their squares stay below 2^56.
const TF_IDF_UNIT: f64 = 16_777_216.0;

const MOST_TOP: usize = 1000;
const MOST_N: usize = 8;

impl TokenRule {
    fn new(name: &'static str, cut: Cut, hash: TokenHash, usual: Weights) -> Self {
        let ties = matches!(name, "gemantic" | "mfonda");
        Self {
            name,
            cut,
            hash,
            ties,
            usual,
        }
    }

    /// The scheme that a name without options stands for, with its width; `None` where it is none on tokens.
    fn named(name: &str) -> Option<(Self, u32)> {
        let (base, digits) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()));
        let width: u32 = digits.parse().ok().filter(|_| !digits.starts_with(['0', '+']))?;
        let (tf, tf_idf) = (Weights::Tf, Weights::TfIdf);
        let rule = match (base, width) {
            ("words", 64 | 128 | 256) => Self::new("words", Cut::Words(1), TokenHash::Xxh3, Weights::Once),
            ("simhash", 64) => Self::new("simhash", Cut::Shingles, TokenHash::Md5, tf),
            ("gemantic", 1..=256) => Self::new("gemantic", Cut::Spaces, TokenHash::Units, tf),
            ("mfonda", 64) => Self::new("mfonda", Cut::AsciiWords, TokenHash::Fnv1, tf),
            ("esimhash_baseline", 64 | 128) => Self::new("esimhash_baseline", Cut::Segments, TokenHash::Md5, tf),
            ("angelo", 32) => Self::new("angelo", Cut::HanSegments, TokenHash::Md5Digits, tf),
            ("keywords", 64) => Self::new("keywords", Cut::Keywords(30), TokenHash::Xxh3, tf_idf),
            ("lines_tfidf", 64) => Self::new("lines_tfidf", Cut::Lines, TokenHash::Fnv1, tf_idf),
            _ => return None,
        };
        Some((rule, width))
    }

    fn set(&mut self, weights: &mut Weights, spec: &str, option: &str) -> Result<()> {
        let refuse = |allowed: &str| {
            Err(Error::Config(format!(
                "scheme {spec:?}: {option:?} is not allowed; {allowed}"
            )))
        };
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        let whole = |most: usize| value.parse().ok().filter(|n| (1..=most).contains(n));
        match (&mut self.cut, key) {
            (Cut::Words(n), "n") => match whole(MOST_N) {
                Some(words) => *n = words,
                None => return refuse(&format!("n is a whole number from 1 to {MOST_N}")),
            },
            (Cut::Keywords(top), "top") => match whole(MOST_TOP) {
                Some(keywords) => *top = keywords,
                None => return refuse(&format!("top is a whole number from 1 to {MOST_TOP}")),
            },
            (Cut::Words(_), "weights") => match value {
                "once" => *weights = Weights::Once,
                "tf" => *weights = Weights::Tf,
                "log" => *weights = Weights::Log,
                _ => return refuse("weights are once, tf or log; words take no model"),
            },
            (Cut::Segments, "weights") => match value {
                "once" => *weights = Weights::Once,
                "tf" => *weights = Weights::Tf,
                _ => return refuse("weights are tf or once"),
            },
            (cut @ (Cut::AsciiWords | Cut::LetterWords(_)), "words") => {
                let form = Form::ALL.iter().find(|(name, _)| *name == value);
                *cut = match (value, form) {
                    ("ascii", _) => Cut::AsciiWords,
                    (_, Some((_, form))) => Cut::LetterWords(*form),
                    _ => return refuse("words are ascii, nfc, nfd, nfkc or nfkd"),
                };
            }
            (cut, _) => {
                return refuse(match cut {
                    Cut::Words(_) => "its options are n=1 and weights=once|tf|log",
                    Cut::Keywords(_) => "its option is top=30",
                    Cut::Segments => "its option is weights=tf|once",
                    Cut::AsciiWords | Cut::LetterWords(_) => "its option is words=ascii|nfc|nfd|nfkc|nfkd",
                    _ => "it has no options",
                });
            }
        }
        Ok(())
    }

    /// The options that differ from what the name alone says.
    pub(super) fn options(&self, weights: Weights) -> Vec<String> {
        let mut options = Vec::new();
        match self.cut {
            Cut::Words(n) if n != 1 => options.push(format!("n={n}")),
            Cut::Keywords(top) if top != 30 => options.push(format!("top={top}")),
            Cut::LetterWords(form) => {
                let name = Form::ALL
                    .iter()
                    .find(|(_, known)| *known == form)
                    .map_or("", |(name, _)| name);
                options.push(format!("words={name}"));
            }
            _ => {}
        }
        if weights != self.usual {
            options.push(format!("weights={}", weights.name()));
        }
        options
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    /// What [`Scheme::canonical`] says of tokens, weights and hash.
    pub(super) fn canonical(&self, weights: Weights) -> String {
        format!(
            "tokens {}\nweights {}, {} fraction bits\nhash {}\n",
            self.cut.canonical(),
            weights.name(),
            weights.fraction_bits(),
            self.hash.name()
        )
    }

    /// Takes the tokens of `text` as features: known by the XXH3-64 of their UTF-8, whatever hash their bits are of.
    ///
    /// Complexity: linear in the length of the text.
    pub(super) fn extract(&self, text: &str, weights: Weights, words: usize, scratch: &mut Scratch) {
        let Scratch {
            tokens,
            known,
            features,
            weights: out,
            planes,
            ..
        } = scratch;
        tokens.take(self.cut, text, &scratch.text);
        known.clear();
        known.extend(tokens.iter().map(|token| xxh3_64(token.as_bytes())));
        features.collect_hashes(known, weights.counted());
        out.clear();
        match self.cut {
            Cut::Keywords(_) => out.extend(tokens.weights.iter().map(|weight| tf_idf(*weight))),
            Cut::Lines => {
                // In how many lines a word stands; a line's tokens come one after another.
                let mut seen = vec![(0_u64, u32::MAX); features.len()];
                for (hash, &line) in known.iter().zip(&tokens.lines) {
                    let seen = &mut seen[features.place(*hash).expect("every token is a feature")];
                    if seen.1 != line {
                        *seen = (seen.0 + 1, line);
                    }
                }
                let lines = tokens.lines.last().map_or(0, |line| u64::from(*line) + 1);
                let total = known.len() as f64;
                let weight = |(count, (lines_with, _)): (&u32, (u64, u32))| {
                    tf_idf(f64::from(*count) / total * weights::idf(lines, lines_with))
                };
                out.extend(features.counts().iter().zip(seen).map(weight));
            }
            _ if weights.counted() => weights.write(features.counts(), out),
            _ => {}
        }
        if self.hash != TokenHash::Xxh3 {
            planes.clear();
            planes.resize(words * features.len(), 0);
            let n = features.len();
            self.each_first(scratch, |place, bits, planes| {
                for (k, word) in bits[..words].iter().enumerate() {
                    planes[k * n + place] = *word;
                }
            });
        }
    }

    fn each_first(&self, scratch: &mut Scratch, mut each: impl FnMut(usize, [u64; MOST_WORDS], &mut [u64])) {
        let Scratch {
            tokens,
            known,
            features,
            planes,
            ..
        } = scratch;
        let hashes = features.hashes();
        let mut place = 0;
        for (token, hash) in tokens.iter().zip(known) {
            // Features stand in the order of their first occurrence.
            if hashes.get(place) == Some(hash) {
                each(place, self.hash.of(token), planes);
                place += 1;
            }
        }
    }
}

fn tf_idf(weight: f64) -> u32 {
    (TF_IDF_UNIT * weight).round_ties_even() as u32
}

impl Scheme {
    /// Reads a scheme on tokens; `None` where the name is that of none.
    pub(super) fn parse_tokens(spec: &str) -> Option<Result<Self>> {
        let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
        let (mut rule, width) = TokenRule::named(name)?;
        let mut weights = rule.usual;
        let mut seen: Vec<&str> = Vec::new();
        for option in options.split(',').filter(|option| !option.is_empty()) {
            if let Err(error) = rule.set(&mut weights, spec, option) {
                return Some(Err(error));
            }
            let key = option.split('=').next().unwrap_or(option);
            if seen.contains(&key) {
                return Some(Err(Error::Config(format!("scheme {spec:?}: {key} is given twice"))));
            }
            seen.push(key);
        }
        Some(Ok(Self {
            width,
            features: FeatureRule::usual(),
            weights,
            tokens: Some(rule),
            reading: Reading::Text,
            wanted: None,
            idf: None,
        }))
    }

    /// Whether features are windows of characters, which is what models count.
    pub const fn has_windows(&self) -> bool {
        self.tokens.is_none() && matches!(self.reading, Reading::Text | Reading::Extracted(_))
    }

    /// The distinct tokens of the text in `scratch` with the low 64 bits of their hash, as features stand there.
    pub(crate) fn distinct_tokens(&self, scratch: &Scratch) -> Vec<(String, u64)> {
        let hash = |token: &str| self.tokens.as_ref().map_or(0, |rule| rule.hash.of(token)[0]);
        let mut rest = scratch.features.hashes().iter().peekable();
        let tokens = scratch.tokens.iter().zip(&scratch.known);
        tokens
            .filter(|(_, known)| rest.next_if_eq(known).is_some())
            .map(|(token, _)| (token.to_owned(), hash(token)))
            .collect()
    }
}
