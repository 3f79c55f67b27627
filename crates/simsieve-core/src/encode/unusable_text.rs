//! Texts that a scheme cannot use.

use rayon::iter::ParallelIterator;

use crate::base::error::{Error, Result};
use crate::base::message::Message;

/// Why a scheme cannot use a text: what was found, what is allowed, what to do.
///
/// A text without features is no refusal: it has no fingerprint and is near to nothing. In a run a refusal fails the
/// record and the run goes on; where a caller brings the text, it is an error that names it.
#[derive(Debug, Clone, PartialEq)]
pub struct UnusableText {
    code: &'static str,
    message: Message,
}

impl UnusableText {
    /// The text is not what the scheme takes its features from.
    pub fn new(message: Message) -> Self {
        Self {
            code: "unusable_text",
            message,
        }
    }

    /// The record cannot be used for another reason than its text.
    pub(crate) const fn of_record(code: &'static str, message: Message) -> Self {
        Self { code, message }
    }

    /// The normalised text is longer than [`crate::text::MAX_TEXT_BYTES`].
    pub(crate) fn too_long() -> Self {
        Self {
            code: "too_long",
            message: msg!("the normalised text has more than 1 GiB; split it"),
        }
    }

    /// What is wrong and what to do.
    pub const fn message(&self) -> &Message {
        &self.message
    }

    /// The code with which a record of that text fails.
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// The error of the call whose text number `index` it was.
    pub fn of_text(self, index: usize) -> Error {
        let Self { code, message } = self;
        Error::Text { index, code, message }
    }
}

/// The first unusable text in order, whichever thread met one first.
pub(crate) fn first_unusable(refused: impl ParallelIterator<Item = (usize, UnusableText)>) -> Result<()> {
    match refused.min_by_key(|(index, _)| *index) {
        Some((index, refusal)) => Err(refusal.of_text(index)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn the_first_text_is_named_whichever_thread_is_first() {
        let refused = |index: usize| (index % 7 == 3).then(|| (index, UnusableText::new(msg!("no {index}"))));
        let error = first_unusable((0..1000).into_par_iter().rev().filter_map(refused)).unwrap_err();
        assert_eq!(error.to_string(), "text 3: no 3");
        first_unusable((0..3).into_par_iter().filter_map(refused)).unwrap();
    }
}
