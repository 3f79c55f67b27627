//! What of a text its features are.

use std::sync::Arc;

use super::custom::CustomTokens;
use super::foreign::Foreign;
use super::tokens::Tokens;
use super::word_options::WordOptions;
use super::{keywords, lines, words};
use crate::encode::model::{FeatureRule, Idf};
use crate::encode::unusable_text::UnusableText;
use crate::text::html;
use crate::text::segment;
use crate::text::{Compact, Fold, NORMALISER, UNICODE_VERSION};

/// What of a text its features are.
#[derive(Debug, Clone)]
pub enum Tokenizer {
    /// Windows of characters, cut and hashed in one pass.
    Windows(FeatureRule),
    /// So many words in a row of the normalised text.
    Words(usize, WordOptions),
    /// The words of each line of the text, which is a document of its own.
    Lines(WordOptions),
    /// The heaviest keywords, this many.
    Keywords(usize, WordOptions),
    /// What another program takes.
    Foreign(Foreign),
    /// What a user put together.
    Custom(Arc<CustomTokens>),
    /// Elements of a page, hashed and weighed as it is parsed.
    Elements(html::Options),
    /// Nothing: the text is the fingerprint.
    Nothing,
}

impl Tokenizer {
    /// How texts are folded.
    pub(crate) fn fold(&self) -> Option<Fold> {
        match self {
            Self::Windows(rule) => rule.fold(),
            Self::Custom(rule) => rule.fold(),
            _ => self.words().and_then(WordOptions::fold),
        }
    }

    /// The options of words, where there are words.
    pub(crate) fn words(&self) -> Option<&WordOptions> {
        match self {
            Self::Words(_, words) | Self::Lines(words) | Self::Keywords(_, words) => Some(words),
            Self::Foreign(foreign) => foreign.words(),
            Self::Custom(rule) => Some(&rule.words),
            Self::Windows(_) | Self::Elements(_) | Self::Nothing => None,
        }
    }

    /// Takes the tokens of `text`, whose normalised form is `normalised`; what was in `tokens` is lost. Keywords weigh
    /// by `idf`, or by jieba's document frequencies where it is none.
    ///
    /// Complexity: linear in the length of the text.
    pub(crate) fn take(
        &self,
        tokens: &mut Tokens,
        (text, normalised): (&str, &Compact),
        idf: Option<&Idf>,
        page: &mut html::PageScratch,
    ) -> Result<(), UnusableText> {
        tokens.begin();
        match self {
            Self::Words(n, options) => words::take(tokens, *n, normalised, options),
            Self::Lines(options) => lines::take(tokens, text, options),
            Self::Keywords(top, options) => keywords::take(tokens, &options.folded(text), options, idf, *top),
            Self::Foreign(foreign) => foreign.take(tokens, text),
            Self::Custom(rule) => return rule.take(tokens, text, page),
            Self::Windows(_) | Self::Elements(_) | Self::Nothing => {}
        }
        tokens.hash();
        Ok(())
    }

    /// Takes what a model counts of a text: all that may be a keyword, and not the heaviest alone.
    pub(crate) fn take_counted(
        &self,
        tokens: &mut Tokens,
        text: (&str, &Compact),
        page: &mut html::PageScratch,
    ) -> Result<(), UnusableText> {
        let Self::Keywords(_, options) = self else {
            return self.take(tokens, text, None, page);
        };
        tokens.begin();
        keywords::take(tokens, &options.folded(text.0), options, None, 0);
        tokens.hash();
        Ok(())
    }

    /// All that can move a token, in words; of windows and pages their schemes say it.
    pub(crate) fn canonical(&self) -> String {
        match self {
            Self::Words(n, words) => Self::canonical_of_words(*n, words),
            Self::Lines(words) => format!("words a line, {}{}", normalised(words), words.canonical()),
            Self::Keywords(top, words) => format!(
                "{top} keywords, frequencies of {}, {}{}",
                segment::RULES,
                words.segmenter_canonical(),
                words.canonical_of_segments()
            ),
            Self::Foreign(foreign) => foreign.canonical(),
            Self::Custom(rule) => rule.canonical(),
            Self::Windows(_) | Self::Elements(_) | Self::Nothing => String::new(),
        }
    }

    /// [`Tokenizer::canonical`] of `n` words in a row.
    pub(crate) fn canonical_of_words(n: usize, words: &WordOptions) -> String {
        format!("{n} words, {}{}", normalised(words), words.canonical())
    }

    /// What a model of these features counts; with the neighbours of each where `neighbours`.
    pub(crate) fn counted_features(&self, neighbours: bool) -> FeatureRule {
        let name = match self {
            Self::Windows(rule) => return rule.clone(),
            Self::Elements(_) | Self::Nothing => return FeatureRule::usual(),
            Self::Custom(_) => "own".to_owned(),
            Self::Words(n, _) => format!("words,n={n}"),
            Self::Keywords(_, words) => {
                // Whatever may become a keyword, by any table of frequencies.
                let segmenter = words.segmenter_canonical();
                let told = format!("keywords, {segmenter}{}", words.canonical_of_segments());
                return FeatureRule::of_tokens("keywords", &told, false);
            }
            Self::Lines(_) | Self::Foreign(_) => "segments".to_owned(),
        };
        FeatureRule::of_tokens(&name, &self.canonical(), neighbours)
    }
}

fn normalised(words: &WordOptions) -> String {
    format!(
        "normaliser {NORMALISER}, unicode {UNICODE_VERSION}, {}",
        words.segmenter_canonical()
    )
}
