//! Decodes a page's bytes: finds their encoding, and refuses bytes that are not text.
//!
//! The order is that of the HTML standard, section 13.2.3. First are a byte order mark, the caller's `charset` (from an
//! HTTP header) and the page's own `meta`. Then follow UTF-8 if the bytes are valid, and what
//! [`encoding::of_file`] finds.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use html5gum::{Token, Tokenizer};

use crate::base::error::{Error, Result};
use crate::text::encoding;

/// A `meta` is searched in this many bytes, as in the standard.
const META_WITHIN: usize = 1024;

/// Bytes of the decoded page that decide whether it is text: at most one in [`ONE_IN`] of its characters, or [`FEW`], may
/// be control characters or unreadable.
const LOOKED_AT: usize = 1 << 16;
const ONE_IN: usize = 10;
const FEW: usize = 4;

/// Decodes a page. Returns its text and the name of the encoding that was used. Invalid bytes become U+FFFD, as in
/// browsers; pages in UTF-8 are not copied.
///
/// ```
/// use simsieve_core::text::html::decode;
/// let (text, encoding) = decode(b"<meta charset=gbk><p>\xd6\xd0\xce\xc4", None).unwrap();
/// assert_eq!((text.as_ref(), encoding), ("<meta charset=gbk><p>中文", "GBK"));
/// ```
///
/// # Errors
/// [`Error::Config`] for an unknown `charset`, and for bytes that are not text, such as a picture's.
pub fn decode<'a>(page: &'a [u8], charset: Option<&str>) -> Result<(Cow<'a, str>, &'static str)> {
    let (encoding, mark) = match Encoding::for_bom(page) {
        Some((encoding, length)) => (encoding, length),
        None => (encoding_of(page, charset)?, 0),
    };
    let (text, _) = encoding.decode_without_bom_handling(&page[mark..]);
    refuse_binary(&text)?;
    Ok((text, encoding.name()))
}

fn encoding_of(page: &[u8], charset: Option<&str>) -> Result<&'static Encoding> {
    if let Some(label) = charset {
        return encoding::named(label).ok_or_else(|| {
            Error::Config(msg!(
                "charset {label:?} is not known; give a name such as utf-8, gb18030, big5 or windows-1252, or \
                 none to have it found"
            ))
        });
    }
    if let Some(declared) = declared(page) {
        return Ok(declared);
    }
    // How many lines fail under which encoding is of no use to those who give a picture for a page.
    encoding::of_file(page).map_err(|_| {
        Error::Config(
            msg!("the page is no text: it is not UTF-8, names no encoding, and is no likely text in any that was tried: give HTML, \
             or name its charset"),
        )
    })
}

/// The encoding in the page's `meta`.
fn declared(page: &[u8]) -> Option<&'static Encoding> {
    for Ok(token) in Tokenizer::new(&page[..page.len().min(META_WITHIN)]) {
        let Token::StartTag(tag) = token else { continue };
        if *tag.name != b"meta" {
            continue;
        }
        let value = |wanted: &[u8]| tag.attributes.get(wanted).map(|value| value.as_slice());
        let is_type = || value(b"http-equiv").is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"));
        let label = value(b"charset").or_else(|| value(b"content").filter(|_| is_type()).and_then(charset_in));
        if let Some(encoding) = label.and_then(Encoding::for_label_no_replacement) {
            // A page whose `meta` can be read is not in UTF-16.
            return Some(match encoding {
                it if it == UTF_16LE || it == UTF_16BE => UTF_8,
                it if it == X_USER_DEFINED => WINDOWS_1252,
                it => it,
            });
        }
    }
    None
}

/// The label in a `content` such as `text/html; charset=gb2312`.
fn charset_in(content: &[u8]) -> Option<&[u8]> {
    let word = b"charset";
    let at = content
        .windows(word.len())
        .position(|window| window.eq_ignore_ascii_case(word))?;
    let rest = content[at + word.len()..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (rest, ends): (_, fn(u8) -> bool) = match rest.first()? {
        b'"' => (&rest[1..], |byte| byte == b'"'),
        b'\'' => (&rest[1..], |byte| byte == b'\''),
        _ => (rest, |byte| byte == b';' || byte.is_ascii_whitespace()),
    };
    Some(&rest[..rest.iter().position(|&byte| ends(byte)).unwrap_or(rest.len())])
}

fn refuse_binary(text: &str) -> Result<()> {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (mut all, mut bad) = (0_usize, 0_usize);
    for character in text[..end].chars() {
        all += 1;
        let spaced = matches!(character, '\t' | '\n' | '\r' | '\x0c');
        bad += usize::from(character == char::REPLACEMENT_CHARACTER || (character.is_control() && !spaced));
    }
    if bad > FEW && bad * ONE_IN > all {
        return Err(Error::Config(msg!(
            "the page is no text: {bad} of its first {all} characters are control characters or unreadable, \
             and at most one in {one_in} may be: give HTML, or name its charset",
            one_in = ONE_IN
        )));
    }
    Ok(())
}

#[cfg(test)]
#[path = "charset_tests.rs"]
mod tests;
