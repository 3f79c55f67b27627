//! Runs of characters of one kind.

use crate::encode::tokenize::tokens::Tokens;

/// Maximal runs of characters of `text` that are `inside`.
pub(super) fn take_runs(tokens: &mut Tokens, text: String, inside: impl Fn(char) -> bool) {
    let mut begin = None;
    for (at, c) in text.char_indices() {
        match (begin, inside(c)) {
            (None, true) => begin = Some(at),
            (Some(from), false) => {
                tokens.spans.push((from, at));
                begin = None;
            }
            _ => {}
        }
    }
    tokens.spans.extend(begin.map(|from| (from, text.len())));
    tokens.text = text;
}
