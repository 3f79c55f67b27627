//! Texts cut into tokens as other programs cut them.

mod gemantic;
mod mfonda;
mod runs;
mod segments;
mod simhash;

use super::normal_form::Form;
use super::tokens::Tokens;
use super::word_options::WordOptions;
use crate::text::UNICODE_VERSION;

/// Into which tokens another program cuts a text.
#[derive(Debug, Clone)]
pub enum Foreign {
    /// Those of the Python package simhash: 4 characters in a row.
    Simhash,
    /// Those of the Java class of gemantic: what is between white space.
    Gemantic,
    /// Those of the Go package mfonda/simhash: words of ASCII, or of a Unicode normal form.
    Mfonda(Option<Form>),
    /// All that the segmenter gives.
    Segments(WordOptions),
    /// Of these what `angelo_tools` takes.
    Angelo(WordOptions),
}

impl Foreign {
    pub(super) fn take(&self, tokens: &mut Tokens, text: &str) {
        match self {
            Self::Simhash => simhash::take(tokens, text),
            Self::Gemantic => gemantic::take(tokens, text),
            Self::Mfonda(form) => mfonda::take(tokens, *form, text),
            Self::Segments(words) => segments::take(tokens, text, words),
            Self::Angelo(words) => segments::take_han(tokens, text, words),
        }
    }

    /// The options of words, where the segmenter makes the tokens.
    pub(super) const fn words(&self) -> Option<&WordOptions> {
        match self {
            Self::Segments(words) | Self::Angelo(words) => Some(words),
            _ => None,
        }
    }

    /// All that can move a token, in words.
    pub(super) fn canonical(&self) -> String {
        match self {
            Self::Simhash => format!("4 characters of lower-cased L, N and _, unicode {UNICODE_VERSION}"),
            Self::Gemantic => "between ascii white space".to_owned(),
            Self::Mfonda(None) => format!("simple lower case, ascii words and addresses, unicode {UNICODE_VERSION}"),
            Self::Mfonda(Some(form)) => format!(
                "{}, simple lower case, runs of L, -, _ and ', unicode {UNICODE_VERSION}",
                form.canonical()
            ),
            Self::Segments(words) => format!(
                "all of {}{}",
                words.segmenter_canonical(),
                words.canonical_of_segments()
            ),
            Self::Angelo(words) => format!(
                "from 4E00 to 9FA5 on of {}{}",
                words.segmenter_canonical(),
                words.canonical_of_segments()
            ),
        }
    }
}
