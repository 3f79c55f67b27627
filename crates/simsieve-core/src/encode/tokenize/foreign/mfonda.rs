//! The word features of the Go package mfonda/simhash.

use super::runs::take_runs;
use crate::encode::tokenize::characters::{is_letter, simple_lower};
use crate::encode::tokenize::normal_form::Form;
use crate::encode::tokenize::tokens::Tokens;

/// Takes words of ASCII, or the runs of letters, `-`, `_` and `'` of a normal form of the text; both of lower case.
pub(super) fn take(tokens: &mut Tokens, form: Option<Form>, text: &str) {
    match form {
        None => take_ascii(tokens, simple_lower(text)),
        Some(form) => take_runs(tokens, simple_lower(&form.of(text)), |c| {
            matches!(c, '-' | '_' | '\'') || is_letter(c)
        }),
    }
}

/// Takes runs of ASCII letters, digits, `_` and `'`; `://` and what may follow it in an address belongs to the run before.
fn take_ascii(tokens: &mut Tokens, text: String) {
    let bytes = text.as_bytes();
    let is_word = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let run = |from: usize, inside: &dyn Fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| inside(byte)).count();
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
        tokens.spans.push((at, end));
        at = end;
    }
    tokens.text = text;
}
