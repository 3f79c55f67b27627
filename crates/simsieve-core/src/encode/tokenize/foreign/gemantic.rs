//! The features of the Java class of gemantic.

use super::runs::take_runs;
use crate::encode::tokenize::tokens::Tokens;

/// Takes what is between spaces, tabs, line ends and form feeds.
pub(super) fn take(tokens: &mut Tokens, text: &str) {
    take_runs(tokens, text.to_owned(), |c| {
        !matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{C}')
    });
}
