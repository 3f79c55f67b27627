//! The rule by which features are cut from texts: what schemes of one kind of features, and their models, share.

use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::encode::tokenize::windows::Window;
use crate::text::{Fold, NORMALISER, Normaliser, UNICODE_VERSION};

/// How texts become features: normaliser, punctuation, window and hash, without width and weights.
#[derive(Debug, Clone)]
pub struct FeatureRule {
    window: Window,
    punctuation: bool,
    normaliser: Normaliser,
    fold: Option<Fold>,
    /// The spec of features that are tokens; none of windows.
    tokens: Option<Box<str>>,
    digest: u128,
}

/// Behind the spec of tokens whose neighbours a model counts too.
const NEIGHBOURS: &str = ",neighbours";

/// Windows may hold this many units or characters.
pub(crate) const WINDOW_LIMIT: u32 = 64;

impl FeatureRule {
    /// Windows of the compact text, which keeps the punctuation where `punctuation`.
    pub fn new(window: Window, punctuation: bool) -> Self {
        let mut rule = Self {
            window,
            punctuation,
            normaliser: Normaliser::new(punctuation),
            fold: None,
            tokens: None,
            digest: 0,
        };
        rule.digest = xxh3_128(rule.canonical().as_bytes());
        rule
    }

    /// The tokens of a scheme whose name is `name` and which `canonical` describes in full; with their neighbours where
    /// a model counts those too.
    pub(crate) fn of_tokens(name: &str, canonical: &str, neighbours: bool) -> Self {
        let spec = format!("tokens={name}{}", if neighbours { NEIGHBOURS } else { "" });
        let told = format!("simsieve features 1\n{spec}\n{canonical}\nhash xxh3-64\n");
        Self {
            tokens: Some(spec.into()),
            digest: xxh3_128(told.as_bytes()),
            ..Self::usual()
        }
    }

    /// This rule on text whose Traditional Chinese is made Simplified.
    #[must_use]
    pub(crate) fn folding(mut self, fold: Option<Fold>) -> Self {
        self.fold = fold;
        self.normaliser = self.normaliser.folding(fold);
        if self.tokens.is_none() {
            self.digest = xxh3_128(self.canonical().as_bytes());
        }
        self
    }

    /// The rule of the default scheme.
    pub(crate) fn usual() -> Self {
        Self::new(Window::Units(6), false)
    }

    /// A rule as a model's file has it; the digest may be that of another normaliser or another Unicode version.
    pub(crate) fn read(spec: &str, digest: u128) -> Result<Self> {
        let unknown = || Error::Config(msg!("features {spec:?} are unknown to this version of simsieve"));
        if spec.starts_with("tokens=") {
            return Ok(Self {
                tokens: Some(spec.into()),
                digest,
                ..Self::usual()
            });
        }
        let (window, punctuation) = spec.split_once(',').ok_or_else(unknown)?;
        let (kind, size) = window.split_once('=').ok_or_else(unknown)?;
        let size = size.parse().ok().filter(|size| (1..=WINDOW_LIMIT).contains(size));
        let window = match (kind, size) {
            ("units", Some(size)) => Window::Units(size),
            ("n", Some(size)) => Window::Chars(size),
            _ => return Err(unknown()),
        };
        let (punctuation, fold) = match punctuation.split_once(",fold=") {
            None => (punctuation, None),
            Some((punctuation, "none")) => (punctuation, None),
            Some((punctuation, fold)) => (punctuation, Some(Fold::named(fold).ok_or_else(unknown)?)),
        };
        let punctuation = match punctuation {
            "punctuation=keep" => true,
            "punctuation=drop" => false,
            _ => return Err(unknown()),
        };
        Ok(Self {
            digest,
            ..Self::new(window, punctuation).folding(fold)
        })
    }

    /// The options in which the rules differ, all of them, as a scheme has them.
    pub fn spec(&self) -> String {
        if let Some(spec) = &self.tokens {
            return spec.to_string();
        }
        let (kind, size) = match self.window {
            Window::Units(size) => ("units", size),
            Window::Chars(size) => ("n", size),
        };
        let punctuation = if self.punctuation { "keep" } else { "drop" };
        let fold = self
            .fold
            .map_or_else(String::new, |fold| format!(",fold={}", fold.name()));
        format!("{kind}={size},punctuation={punctuation}{fold}")
    }

    /// All that can change a feature, in words: what [`FeatureRule::digest`] is made of.
    fn canonical(&self) -> String {
        let spec = self.spec();
        let fold = self
            .fold
            .map_or_else(String::new, |fold| format!("{}\n", fold.canonical()));
        format!("simsieve features 1\nnormaliser {NORMALISER}\nunicode {UNICODE_VERSION}\n{fold}{spec}\nhash xxh3-64\n")
    }

    /// 32 hex digits: the digest of everything that can change a feature.
    pub fn digest(&self) -> String {
        format!("{:032x}", self.digest)
    }

    pub(crate) const fn digest_bits(&self) -> u128 {
        self.digest
    }

    /// Spec and digest, for messages.
    pub fn words(&self) -> String {
        format!("features {} ({})", self.spec(), self.digest())
    }

    /// Whether features are windows.
    pub const fn has_windows(&self) -> bool {
        self.tokens.is_none()
    }

    /// Whether a model of these features counts the neighbours of each.
    pub fn has_neighbours(&self) -> bool {
        self.tokens.as_deref().is_some_and(|spec| spec.ends_with(NEIGHBOURS))
    }

    /// How windows are cut.
    pub const fn window(&self) -> Window {
        self.window
    }

    /// Whether the compact text keeps the punctuation.
    pub const fn punctuation(&self) -> bool {
        self.punctuation
    }

    /// What is made Simplified.
    pub const fn fold(&self) -> Option<Fold> {
        self.fold
    }

    /// How texts are normalised.
    pub const fn normaliser(&self) -> &Normaliser {
        &self.normaliser
    }
}

impl PartialEq for FeatureRule {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for FeatureRule {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_as_it_is_written() {
        for (window, punctuation, spec) in [
            (Window::Units(6), false, "units=6,punctuation=drop"),
            (Window::Chars(64), true, "n=64,punctuation=keep"),
            (Window::Units(5), false, "units=5,punctuation=drop,fold=t2s"),
            (Window::Units(5), true, "units=5,punctuation=keep,fold=tw2sp+numerals"),
        ] {
            let fold = spec.split_once(",fold=").and_then(|(_, name)| Fold::named(name));
            let rule = FeatureRule::new(window, punctuation).folding(fold);
            assert_eq!(rule.spec(), spec);
            let again = FeatureRule::read(spec, rule.digest_bits()).unwrap();
            assert_eq!(
                (&again, again.window(), again.punctuation(), again.fold()),
                (&rule, window, punctuation, fold)
            );
            assert_ne!(
                FeatureRule::read(spec, 7).unwrap(),
                rule,
                "other digest, other features"
            );
        }
        for bad in [
            "",
            "units=6",
            "units=0,punctuation=drop",
            "words=1,punctuation=drop",
            "n=3,punctuation=maybe",
            "n=3,punctuation=drop,fold=s2t",
        ] {
            assert!(
                FeatureRule::read(bad, 0)
                    .unwrap_err()
                    .to_string()
                    .contains("are unknown to this version")
            );
        }
    }
}
