//! From markup to tags and text: the tokeniser of the HTML standard, section 13.2.5, over whole pages in memory.
//!
//! Character references stay in texts and values ([`super::entity`] resolves them). Names keep their case. Parse
//! errors, which change no tree, are not reported. It searches bytes forward and reads none twice, except in comments
//! and raw texts without an end.

use memchr::{memchr, memchr2, memmem};

use super::mixed::Mixed;

/// The state of the tokeniser, which the tree sets after a start tag (section 13.2.5, "switch to").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    /// Only character references and the end tag are markup (`title`, `textarea`).
    Rcdata,
    /// Only the end tag is markup (`style`, `xmp` and similar).
    Rawtext,
    /// As `Rawtext`, with the comments that hide scripts in scripts.
    Script,
    /// Nothing is markup any more.
    Plaintext,
}

/// A tag as in the page, not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// The name, in its own case.
    pub name: &'a [u8],
    /// Everything between the name and the `>`.
    pub attributes: &'a [u8],
    /// Whether it ends in `/>`.
    pub closes_itself: bool,
}

/// A document type; each part is optional.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Doctype<'a> {
    pub name: Option<&'a [u8]>,
    pub public_id: Option<&'a [u8]>,
    pub system_id: Option<&'a [u8]>,
    /// Whether it is too broken to be used.
    pub force_quirks: bool,
}

/// The context of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Markup: it ends at the next tag, and null characters are dropped.
    Markup,
    /// A CDATA section: as in markup, but character references are plain text.
    Cdata,
    /// An element of raw text with character references.
    Rcdata,
    /// An element of raw text without.
    Rawtext,
}

impl Within {
    /// Whether character references are plain text.
    pub(super) const fn is_literal(self) -> bool {
        matches!(self, Self::Cdata | Self::Rawtext)
    }

    /// Whether the text is in an element that has only text.
    pub(super) const fn is_raw(self) -> bool {
        matches!(self, Self::Rcdata | Self::Rawtext)
    }
}

/// One piece of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Start(Tag<'a>),
    End(Tag<'a>),
    /// Text as in the page.
    Text {
        text: &'a [u8],
        within: Within,
    },
    Comment,
    Doctype(Doctype<'a>),
}

/// White space of the standard.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

/// The pieces of one page, in order.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    page: &'a [u8],
    at: usize,
    raw: Option<Raw>,
    raw_name: &'a [u8],
    /// Whether a raw text has ended here.
    ends_raw: bool,
    /// For a text where a `<` may be a sign for less than.
    mixed: Option<Mixed<'a>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(page: &'a [u8]) -> Self {
        Self {
            page,
            mixed: None,
            at: 0,
            raw: None,
            raw_name: b"",
            ends_raw: false,
        }
    }

    /// The pieces of a page or of a text with some markup in it.
    pub(super) fn of_mixed(text: &'a [u8]) -> Self {
        Self {
            mixed: Mixed::of(text),
            ..Self::new(text)
        }
    }

    /// Reads on as raw text, to the end tag of `name`.
    pub(super) fn enter(&mut self, raw: Raw, name: &'a [u8]) {
        self.raw = Some(raw);
        self.raw_name = name;
    }

    /// The next piece, `None` at the end. `foreign`: whether CDATA sections are known here (in SVG and `MathML`).
    pub(super) fn next(&mut self, foreign: impl Fn() -> bool) -> Option<Token<'a>> {
        if let Some(raw) = self.raw.take() {
            let end = self.raw_end(raw);
            if end > self.at {
                let within = if raw == Raw::Rcdata {
                    Within::Rcdata
                } else {
                    Within::Rawtext
                };
                let text = &self.page[self.at..end];
                self.at = end;
                self.ends_raw = true;
                return Some(Token::Text { text, within });
            }
            self.ends_raw = true;
        }
        // The end tag of a raw text is one whatever follows its name.
        let ends_raw = std::mem::take(&mut self.ends_raw);
        loop {
            let rest = &self.page[self.at..];
            let (token, used) = match rest {
                [] => return None,
                [b'<', ..] if !ends_raw && self.mixed.as_ref().is_some_and(|mixed| !mixed.opens_markup(rest)) => {
                    plain(rest)
                }
                [b'<', b'a'..=b'z' | b'A'..=b'Z', ..] => tag(rest, 1, Token::Start),
                [b'<', b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => tag(rest, 2, Token::End),
                [b'<', b'/', b'>', ..] => (None, 3),
                [b'<', b'/', _, ..] | [b'<', b'?', ..] => (Some(Token::Comment), past(b'>', rest, 2)),
                [b'<', b'!', ..] => declaration(rest, &foreign),
                _ => plain(rest),
            };
            self.at += used;
            if token.is_some() {
                return token;
            }
        }
    }

    /// The end of the raw text that starts here: at its end tag, or with the page.
    fn raw_end(&self, raw: Raw) -> usize {
        let rest = &self.page[self.at..];
        let end = match raw {
            Raw::Plaintext => None,
            Raw::Script => script_end(rest),
            Raw::Rcdata | Raw::Rawtext => {
                memmem::find_iter(rest, b"</").find(|&at| names(&rest[at + 2..], self.raw_name))
            }
        };
        end.map_or(self.page.len(), |end| self.at + end)
    }
}

/// Text up to the next `<`; one that opens nothing is text as well.
fn plain(rest: &[u8]) -> (Option<Token<'_>>, usize) {
    let end = memchr(b'<', &rest[1..]).map_or(rest.len(), |found| found + 1);
    let end = if rest == b"</" { 2 } else { end };
    let text = Token::Text {
        text: &rest[..end],
        within: Within::Markup,
    };
    (Some(text), end)
}

/// Whether a complete tag name starts here.
fn names(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len()
        && rest[..name.len()].eq_ignore_ascii_case(name)
        && (is_space(rest[name.len()]) || matches!(rest[name.len()], b'/' | b'>'))
}

/// The end of a script. A script can be inside a comment. A script in that comment hides its end tag (the states
/// "script data escaped" and "double escaped").
fn script_end(rest: &[u8]) -> Option<usize> {
    let (mut escaped, mut twice) = (false, false);
    let mut at = 0;
    loop {
        at += if escaped {
            memchr2(b'<', b'-', &rest[at..])?
        } else {
            memchr(b'<', &rest[at..])?
        };
        let here = &rest[at..];
        if here[0] == b'-' {
            if here.starts_with(b"-->") {
                (escaped, twice) = (false, false);
            }
        } else if !escaped && here.starts_with(b"<!--") {
            // The two dashes can also be those of the end: `<!-->`.
            escaped = true;
            at += 1;
        } else if here.starts_with(b"</") && names(&here[2..], b"script") {
            if !twice {
                return Some(at);
            }
            twice = false;
        } else if escaped && names(&here[1..], b"script") {
            twice = true;
        }
        at += 1;
    }
}

/// One past the first such byte from `from` on, or the end.
fn past(byte: u8, rest: &[u8], from: usize) -> usize {
    memchr(byte, &rest[from..]).map_or(rest.len(), |found| from + found + 1)
}

/// A tag whose name starts at `from`; `None` if the page ends inside it.
fn tag<'a>(rest: &'a [u8], from: usize, make: fn(Tag<'a>) -> Token<'a>) -> (Option<Token<'a>>, usize) {
    let ends = |byte: &u8| matches!(byte, b'>' | b'/') || is_space(*byte);
    let Some(length) = rest[from..].iter().position(ends) else {
        return (None, rest.len());
    };
    let (name, after) = rest[from..].split_at(length);
    let mut attributes = Attributes::new(after);
    while attributes.next().is_some() {}
    if attributes.at >= after.len() {
        return (None, rest.len());
    }
    let tag = Tag {
        name,
        attributes: &after[..=attributes.at],
        closes_itself: attributes.slash,
    };
    (Some(make(tag)), from + length + attributes.at + 1)
}

/// The attributes of a tag as (name, value), both as in the page; the first of a repeated name counts.
#[derive(Debug, Clone)]
pub(super) struct Attributes<'a> {
    rest: &'a [u8],
    at: usize,
    slash: bool,
}

impl<'a> Attributes<'a> {
    /// `rest`: what follows the tag's name.
    pub(super) const fn new(rest: &'a [u8]) -> Self {
        Self {
            rest,
            at: 0,
            slash: false,
        }
    }

    fn skip_spaces(&mut self) {
        while self.rest.get(self.at).is_some_and(|&byte| is_space(byte)) {
            self.at += 1;
        }
    }

    fn take_until(&mut self, ends: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.rest[self.at..];
        let length = rest.iter().position(|&byte| ends(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn value(&mut self) -> Option<&'a [u8]> {
        self.skip_spaces();
        match self.rest.get(self.at)? {
            quote @ (b'"' | b'\'') => {
                let rest = &self.rest[self.at + 1..];
                let length = memchr(*quote, rest).unwrap_or(rest.len());
                self.at += length + 2;
                Some(&rest[..length])
            }
            _ => Some(self.take_until(|byte| byte == b'>' || is_space(byte))),
        }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    /// The next one; at the end `at` is the place of the `>`, or beyond the end without one.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.skip_spaces();
            if self.rest.get(self.at) != Some(&b'/') {
                break;
            }
            self.at += 1;
            self.slash = self.rest.get(self.at) == Some(&b'>');
        }
        if matches!(self.rest.get(self.at), None | Some(b'>')) {
            return None;
        }
        let start = self.at;
        self.at += 1;
        self.take_until(|byte| matches!(byte, b'/' | b'>' | b'=') || is_space(byte));
        let name = &self.rest[start..self.at];
        let after = self.at;
        self.skip_spaces();
        if self.rest.get(self.at) == Some(&b'=') {
            self.at += 1;
            return self.value().map(|value| (name, value));
        }
        self.at = after;
        Some((name, b""))
    }
}

/// A token that starts with `<!`, and its length.
fn declaration<'a>(rest: &'a [u8], foreign: &impl Fn() -> bool) -> (Option<Token<'a>>, usize) {
    let body = &rest[2..];
    if body.starts_with(b"--") {
        (Some(Token::Comment), comment_end(rest))
    } else if body.len() >= 7 && body[..7].eq_ignore_ascii_case(b"doctype") {
        let end = doctype_end(&body[7..]);
        (
            Some(Token::Doctype(doctype(&body[7..7 + end]))),
            (9 + end + 1).min(rest.len()),
        )
    } else if body.starts_with(b"[CDATA[") && foreign() {
        let text = &body[7..];
        let length = memmem::find(text, b"]]>");
        let used = length.map_or(rest.len(), |length| 9 + length + 3);
        let text = &text[..length.unwrap_or(text.len())];
        let text = (!text.is_empty()).then_some(Token::Text {
            text,
            within: Within::Cdata,
        });
        (text, used)
    } else {
        (Some(Token::Comment), past(b'>', rest, 2))
    }
}

/// One past the end of the comment that begins here: `-->`, `--!>`, or at once by `<!-->` and `<!--->`.
fn comment_end(rest: &[u8]) -> usize {
    let body = &rest[4..];
    if body.starts_with(b">") {
        return 5;
    }
    if body.starts_with(b"->") {
        return 6;
    }
    let dashes = memmem::find_iter(body, b"--").map(|at| (at, &body[at + 2..]));
    // `--->` ends as well: its last two dashes count; `find_iter` steps over pairs, so a third dash is looked at here.
    for (at, after) in dashes {
        match after {
            [b'>', ..] => return 4 + at + 3,
            [b'!' | b'-', b'>', ..] => return 4 + at + 4,
            [b'-', b'!', b'>', ..] => return 4 + at + 5,
            _ => {}
        }
    }
    rest.len()
}

/// The end of a document type: the first `>`. (In a quoted identifier a `>` ends it too.)
fn doctype_end(rest: &[u8]) -> usize {
    memchr(b'>', rest).unwrap_or(rest.len())
}

fn doctype(mut rest: &[u8]) -> Doctype<'_> {
    let mut found = Doctype::default();
    let spaces = |rest: &[u8]| rest.iter().take_while(|&&byte| is_space(byte)).count();
    rest = &rest[spaces(rest)..];
    let length = rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len());
    if length == 0 {
        found.force_quirks = true;
        return found;
    }
    found.name = Some(&rest[..length]);
    rest = &rest[length..];
    rest = &rest[spaces(rest)..];
    let mut public = false;
    match rest.get(..6) {
        Some(word) if word.eq_ignore_ascii_case(b"public") => public = true,
        Some(word) if word.eq_ignore_ascii_case(b"system") => {}
        _ => {
            found.force_quirks = !rest.is_empty();
            return found;
        }
    }
    rest = &rest[6..];
    let mut quoted = || {
        rest = &rest[spaces(rest)..];
        let quote = rest.first().copied().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let length = memchr(quote, &rest[1..]);
        let value = &rest[1..][..length.unwrap_or(rest.len() - 1)];
        rest = length.map_or(&[], |length| &rest[length + 2..]);
        Some((value, length.is_some()))
    };
    let first = quoted();
    found.force_quirks = !first.is_some_and(|(_, whole)| whole);
    let first = first.map(|(value, _)| value);
    if public {
        found.public_id = first;
        if let Some((value, whole)) = quoted() {
            found.system_id = Some(value);
            found.force_quirks |= !whole;
        } else {
            found.force_quirks |= !rest[spaces(rest)..].is_empty();
        }
    } else {
        found.system_id = first;
    }
    found
}
