//! Pictures of a text: what a reader sees and no feature is made of. Texts whose pictures differ are no exact copies.
//!
//! An extractor writes a *mark* where a picture stands: [`OPEN`] and the 16 hexadecimal digits of a digest, as tag characters.
//! Marks are taken out before a text is normalised, and stand behind its exact form.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// The first character of a mark: a language tag, which Unicode deprecates.
pub const OPEN: char = '\u{E0001}';
/// Tag characters are those of ASCII, from here on.
const TAGS: u32 = 0xE_0000;
const DIGITS: usize = 16;

/// Adds the mark of a picture with this digest.
///
/// ```
/// use simsieve_core::text::pictures::{add_mark, take_out};
/// let mut text = String::from("a");
/// add_mark(7, &mut text);
/// assert_eq!(take_out(&(text + "b")).0, "ab");
/// assert_eq!(take_out("ab").1, "");
/// ```
pub fn add_mark(digest: u64, text: &mut String) {
    text.push(OPEN);
    text.extend(format!("{digest:016x}").chars().map(|digit| tag(digit as u32)));
}

/// The text without its marks, and the marks in their order.
///
/// Complexity: linear in the text.
pub fn take_out(text: &str) -> (Cow<'_, str>, String) {
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\u{E0001}").into_owned());
    let (mut rest, mut marks, mut from) = (String::new(), String::new(), 0);
    for at in FINDER.find_iter(text.as_bytes()) {
        let inside = |sign: &char| ('\u{E0020}'..'\u{E007F}').contains(sign);
        let digits = text[at + OPEN.len_utf8()..].chars().take(DIGITS).take_while(inside);
        let end = at + OPEN.len_utf8() + digits.map(char::len_utf8).sum::<usize>();
        rest.push_str(&text[from..at]);
        marks.push_str(&text[at..end]);
        from = end;
    }
    if marks.is_empty() {
        return (Cow::Borrowed(text), marks);
    }
    rest.push_str(&text[from..]);
    (Cow::Owned(rest), marks)
}

fn tag(code: u32) -> char {
    char::from_u32(TAGS + code).expect("every digit has a tag")
}
