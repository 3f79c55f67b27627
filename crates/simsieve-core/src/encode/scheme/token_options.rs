//! The options of schemes on tokens, as a spec has them.

use super::cut::{Cut, Form};
use super::entropy;
use super::known::FOLDS;
use super::tokens::TokenRule;
use crate::base::error::{Error, Result};
use crate::encode::weight::Weights;
use crate::text::simplify::Fold;

const MOST_TOP: usize = 1000;
const MOST_N: usize = 8;

impl TokenRule {
    /// Whether words of the segmenter are the features, so that options may say which.
    const fn takes_words(&self) -> bool {
        matches!(
            self.cut,
            Cut::Words(_) | Cut::Lines | Cut::Segments | Cut::HanSegments | Cut::Keywords(_)
        )
    }

    /// Takes an option of the scheme `spec`.
    pub(super) fn set(&mut self, weights: &mut Weights, spec: &str, option: &str) -> Result<()> {
        let refuse = |allowed: &str| {
            Err(Error::Config(format!(
                "scheme {spec:?}: {option:?} is not allowed; {allowed}"
            )))
        };
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        // Keywords are those of mode exact, as jieba's are.
        let takes = self.takes_words() && !(matches!(self.cut, Cut::Keywords(_)) && matches!(key, "mode" | "hmm"));
        let normalised = matches!(self.cut, Cut::Words(_) | Cut::Lines);
        let set = takes.then(|| self.words.set(key, value, normalised));
        if let Some(set) = set.flatten() {
            return set.map_err(|error| match error {
                Error::Config(message) => Error::Config(format!("scheme {spec:?}: {message}")),
                error => error,
            });
        }
        if let Some(rule) = &mut self.entropy {
            if key == "tokens" && matches!(value, "all" | "words") {
                self.cut = if value == "all" { Cut::Segments } else { Cut::Words(1) };
                return Ok(());
            }
            return match rule.set(key, value) {
                Some(true) => Ok(()),
                _ => refuse(&format!("its options are {}", entropy::OPTIONS)),
            };
        }
        let whole = |most: usize| value.parse().ok().filter(|n| (1..=most).contains(n));
        match (&mut self.cut, key) {
            (Cut::Words(n), "n") => match whole(MOST_N) {
                Some(words) => *n = words,
                None => return refuse(&format!("n is a whole number from 1 to {MOST_N}")),
            },
            (Cut::Words(_), "unspaced") if self.words.set_unspaced(value) => {}
            (Cut::Words(_), "unspaced") => return refuse("unspaced is runs or fours"),
            (Cut::Keywords(top), "top") => match whole(MOST_TOP) {
                Some(keywords) => *top = keywords,
                None => return refuse(&format!("top is a whole number from 1 to {MOST_TOP}")),
            },
            (Cut::Words(_), "weights") => match Weights::ALL.iter().find(|(name, _)| *name == value) {
                Some((_, rule)) => *weights = *rule,
                None => return refuse(&format!("there are {}", Weights::NAMES)),
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
                    Cut::Words(_) => {
                        "its options are n=1, weights=once|tf|log|idf|log-idf|tf-idf, model=FILE, mode=exact|full|search, hmm=on|off, stop=FILE, \
                         dict=FILE, pos=n+v, fold=none|t2s|tw2sp and unspaced=runs|fours"
                    }
                    Cut::Keywords(_) => {
                        "its options are top=30, model=FILE, stop=FILE, dict=FILE, pos=n+v and fold=none|t2s|tw2sp"
                    }
                    Cut::Lines => {
                        "its options are mode=exact|full|search, hmm=on|off, stop=FILE, dict=FILE, pos=n+v and fold=none|t2s|tw2sp"
                    }
                    Cut::Segments => {
                        "its options are weights=tf|once, mode=exact|full|search, hmm=on|off, stop=FILE, dict=FILE and pos=n+v"
                    }
                    Cut::HanSegments => {
                        "its options are mode=exact|full|search, hmm=on|off, stop=FILE, dict=FILE and pos=n+v"
                    }
                    Cut::AsciiWords | Cut::LetterWords(_) => "its option is words=ascii|nfc|nfd|nfkc|nfkd",
                    Cut::Shingles | Cut::Spaces => "it has no options",
                });
            }
        }
        Ok(())
    }

    /// Takes the option `fold`.
    pub(super) fn set_fold(&mut self, spec: &str, value: &str) -> Result<()> {
        let refuse = |what: &str| {
            Err(Error::Config(format!(
                "scheme {spec:?}: \"fold={value}\" is not allowed; {what}"
            )))
        };
        let takes = matches!(self.cut, Cut::Words(_) | Cut::Keywords(_) | Cut::Lines) || self.entropy.is_some();
        match Fold::named(value) {
            _ if !takes => refuse("it takes texts as another program does, without a fold"),
            None => refuse(FOLDS),
            Some(fold) => {
                self.words.set_fold(fold);
                Ok(())
            }
        }
    }
}
