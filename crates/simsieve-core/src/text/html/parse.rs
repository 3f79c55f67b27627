//! From tokens to a tree, by the rules of the HTML standard, section 13.2.6: implied tags, misnested formatting,
//! misplaced content of tables, frames, templates, SVG and `MathML`.
//!
//! The rules are html5ever's: its tree builder gets the tokens of [`super::token`] instead of its own tokeniser's,
//! which takes three quarters of its time. Texts and attributes never enter it; a text enters as a short word with its
//! number.

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{self, TagKind, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};

use super::entity;
use super::selected::show_selected;
use super::sink::{PLACE, Sink, word_of};
use super::token::{Attributes, Doctype, Raw, Tag, Token, Tokens, Within, is_space};
use super::tree::{NONE, Tree};
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_64;

/// Most elements that are open, or waiting to be opened again. Each rule searches them, so without a bound a page of
/// start tags alone takes quadratic time. Browsers have the same bound.
pub(super) const MOST_OPEN: usize = 512;

/// The parser may invent one element for this many bytes of a page, plus [`FREE_INVENTED`].
const BYTES_AN_INVENTED: usize = 4;
const FREE_INVENTED: usize = 1 << 16;

/// Counts the elements that the tree builder holds.
#[derive(Default)]
struct Count(Cell<usize>);

impl Tracer for Count {
    type Handle = u32;

    fn trace_handle(&self, _: &u32) {
        self.0.set(self.0.get() + 1);
    }
}

/// A page during parsing.
struct Parser<'a> {
    page: &'a [u8],
    builder: TreeBuilder<u32, Sink>,
    /// Elements that may still be made before the open ones must be counted again.
    room: usize,
    counted_at: usize,
    full: bool,
    /// Whether the next tag ends an element of raw text; the rules know no other tag there.
    raw: bool,
    /// Start tags dropped at the bound, by name: their end tags are dropped too.
    left_out: HashMap<Vec<u8>, u32>,
    lower: String,
    /// Whether a line end that follows belongs to the preceding start tag (`pre`).
    skip_line: bool,
    /// By the hash of a formatting element's attributes: the index of their place.
    formats: HashMap<u64, u32>,
}

impl<'a> Parser<'a> {
    fn foreign(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }

    fn place(&self, part: &[u8]) -> (u32, u32) {
        let start = part.as_ptr() as usize - self.page.as_ptr() as usize;
        (start as u32, (start + part.len()) as u32)
    }

    fn has_room(&mut self) -> bool {
        // No element was closed since the count was zero.
        if self.full {
            return false;
        }
        let created = self.builder.sink.created.get();
        if created - self.counted_at < self.room {
            return true;
        }
        let count = Count::default();
        self.builder.trace_handles(&count);
        self.room = MOST_OPEN.saturating_sub(count.0.get());
        self.counted_at = created;
        self.full = self.room == 0;
        !self.full
    }

    fn name(&mut self, name: &[u8]) -> LocalName {
        self.lower.clear();
        self.lower.push_str(&String::from_utf8_lossy(name));
        self.lower.make_ascii_lowercase();
        // The standard puts U+FFFD in the place of a null character.
        if self.lower.contains('\0') {
            self.lower = self.lower.replace('\0', "\u{FFFD}");
        }
        LocalName::from(&*self.lower)
    }

    fn send(&self, token: tokenizer::Token) -> TokenSinkResult<u32> {
        self.builder.process_token(token, 1)
    }

    fn start(&mut self, tag: &Tag<'a>, tokens: &mut Tokens<'a>) {
        let name = self.name(tag.name);
        if !self.has_room() {
            // An element of raw text closes at once, and its text is not read as markup.
            if self.foreign() || raw_text(&name).is_none() {
                *self.left_out.entry(tag.name.to_ascii_lowercase()).or_default() += 1;
                return;
            }
        }
        self.full = false;
        let attrs = self.attributes(&name, tag);
        let skips_line = matches!(name, local_name!("pre") | local_name!("listing"));
        let is_textarea = name == local_name!("textarea");
        let sink = &self.builder.sink;
        sink.made.set(NONE);
        *sink.tag.borrow_mut() = (name.clone(), self.place(tag.attributes));
        let result = self.send(tokenizer::TagToken(tokenizer::Tag {
            kind: TagKind::StartTag,
            name,
            self_closing: tag.closes_itself,
            attrs,
            had_duplicate_attributes: false,
        }));
        *self.builder.sink.tag.borrow_mut() = (local_name!(""), (0, 0));
        // In `MathML` and SVG a `textarea` is like any other.
        self.raw = matches!(result, TokenSinkResult::RawData(_));
        self.skip_line = skips_line || (is_textarea && self.raw);
        match result {
            TokenSinkResult::RawData(RawKind::Rcdata) => tokens.enter(Raw::Rcdata, tag.name),
            TokenSinkResult::RawData(RawKind::Rawtext) => tokens.enter(Raw::Rawtext, tag.name),
            TokenSinkResult::RawData(_) => tokens.enter(Raw::Script, tag.name),
            TokenSinkResult::Plaintext => tokens.enter(Raw::Plaintext, tag.name),
            _ => {}
        }
    }

    fn end(&mut self, tag: &Tag<'a>) {
        if !std::mem::take(&mut self.raw)
            && !self.left_out.is_empty()
            && let Some(left) = self.left_out.get_mut(&tag.name.to_ascii_lowercase())
            && *left > 0
        {
            *left -= 1;
            return;
        }
        self.full = false;
        let name = self.name(tag.name);
        // Only start tags depend on this return value.
        let _ = self.send(tokenizer::TagToken(tokenizer::Tag {
            kind: TagKind::EndTag,
            name,
            self_closing: tag.closes_itself,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        }));
    }

    /// The attributes that the rules read. Formatting elements are opened again and compared by their attributes, so
    /// they carry one with the place of these: the same for equal ones.
    fn attributes(&mut self, name: &LocalName, tag: &Tag<'a>) -> Vec<Attribute> {
        let attribute = |name: LocalName, value: StrTendril| Attribute {
            name: QualName::new(None, ns!(), name),
            value,
        };
        let wanted: &[LocalName] = match *name {
            local_name!("input") => &[local_name!("type")],
            local_name!("annotation-xml") => &[local_name!("encoding")],
            local_name!("font") if self.foreign() => &[local_name!("color"), local_name!("face"), local_name!("size")],
            local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u") => {
                // Also without attributes: an element opened again must not take those of the current tag.
                let number = self.place_number(name, tag);
                return vec![attribute(LocalName::from(PLACE), word_of(number))];
            }
            _ => return Vec::new(),
        };
        let find = |wanted: &LocalName| {
            let (_, value) =
                Attributes::new(tag.attributes).find(|(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes()))?;
            Some(attribute(
                wanted.clone(),
                StrTendril::from(&*entity::decode(value, entity::Place::Attribute)),
            ))
        };
        wanted.iter().filter_map(find).collect()
    }

    /// The number under which the place of a formatting tag's attributes is kept.
    fn place_number(&mut self, name: &LocalName, tag: &Tag<'a>) -> u32 {
        let place = self.place(tag.attributes);
        let mut places = self.builder.sink.places.borrow_mut();
        let next = places.len() as u32;
        // Links are never compared: only one is open at a time.
        if *name == local_name!("a") {
            places.push(place);
            return next;
        }
        let mut parts: Vec<(Vec<u8>, &[u8])> = Attributes::new(tag.attributes)
            .map(|(name, value)| (name.to_ascii_lowercase(), value))
            .collect();
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        parts.dedup_by(|a, b| a.0 == b.0);
        let whole: Vec<u8> = parts
            .into_iter()
            .flat_map(|(name, value)| [name.as_slice(), b"=", value, b">"].concat())
            .collect();
        let number = *self.formats.entry(xxh3_64(&whole)).or_insert(next);
        if number == next {
            places.push(place);
        }
        number
    }

    fn text(&self, text: &[u8], within: Within, skip_line: bool) {
        let literal = within.is_literal();
        let line = if text.starts_with(b"\r\n") {
            2
        } else {
            usize::from(text.starts_with(b"\n"))
        };
        let text = if skip_line { &text[line..] } else { text };
        if text.is_empty() {
            return;
        }
        if !within.is_raw() && text.iter().all(|&byte| byte == 0 || is_space(byte)) {
            if text.contains(&0) {
                let _ = self.send(tokenizer::NullCharacterToken);
            }
            if text.iter().all(|&byte| byte == 0) {
                return;
            }
        }
        let mut tree = self.builder.sink.tree.borrow_mut();
        let number = tree.texts.len() as u32;
        tree.texts.push((self.place(text), literal));
        drop(tree);
        // White space is decided after the references are resolved.
        let blank = if !literal && text.iter().find(|&&byte| !is_space(byte)) == Some(&b'&') {
            entity::decode(text, entity::Place::Text).bytes().all(is_space)
        } else {
            text.iter()
                .all(|&byte| is_space(byte) || (byte == 0 && !within.is_raw()))
        };
        self.builder.sink.text.set(number);
        let word = if blank { StrTendril::from(" ") } else { word_of(number) };
        let _ = self.send(tokenizer::CharacterTokens(word));
        self.builder.sink.text.set(NONE);
    }

    fn doctype(&self, doctype: &Doctype<'a>) {
        let part = |part: Option<&[u8]>| part.map(|part| StrTendril::from(&*String::from_utf8_lossy(part)));
        let _ = self.send(tokenizer::DoctypeToken(tokenizer::Doctype {
            name: part(doctype.name.map(<[u8]>::to_ascii_lowercase).as_deref()),
            public_id: part(doctype.public_id),
            system_id: part(doctype.system_id),
            force_quirks: doctype.force_quirks,
        }));
    }
}

/// The reading mode of an HTML element without markup inside.
fn raw_text(name: &LocalName) -> Option<Raw> {
    match *name {
        local_name!("title") | local_name!("textarea") => Some(Raw::Rcdata),
        local_name!("style")
        | local_name!("xmp")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes") => Some(Raw::Rawtext),
        local_name!("script") => Some(Raw::Script),
        _ => None,
    }
}

/// Parses a page into `tree`, whose memory is reused.
///
/// # Errors
/// [`Error::Config`] if the page is longer than 1 GiB, or so broken that the parser would invent more elements than its
/// length allows.
pub(super) fn parse(page: &str, tree: &mut Tree) -> Result<()> {
    guarded(|| parse_tokens(page.as_bytes(), Tokens::new(page.as_bytes()), tree))
}

/// As [`parse`], of a text with some markup in it: see [`super::mixed`].
pub(super) fn parse_mixed(text: &str, tree: &mut Tree) -> Result<()> {
    guarded(|| parse_tokens(text.as_bytes(), Tokens::of_mixed(text.as_bytes()), tree))
}

/// The last belt: a page with which the parser does not come to an end fails alone. No such page is known.
fn guarded(work: impl FnOnce() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::Config(msg!(
            "the page meets a fault of the parser: leave it out, and please report it with the page"
        )))
    })
}

fn parse_tokens<'a>(page: &'a [u8], mut tokens: Tokens<'a>, tree: &mut Tree) -> Result<()> {
    if page.len() > crate::text::MAX_TEXT_BYTES {
        return Err(Error::Config(msg!(
            "the page has {count} bytes; at most {max_text_bytes} are allowed: cut it into parts",
            count = page.len(),
            max_text_bytes = crate::text::MAX_TEXT_BYTES
        )));
    }
    tree.clear();
    let sink = Sink::default();
    sink.tree.replace(std::mem::take(tree));
    sink.made.set(NONE);
    sink.text.set(NONE);
    let options = TreeBuilderOpts {
        // No script is run here, so the contents of `noscript` are elements.
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let mut parser = Parser {
        page,
        builder: TreeBuilder::new(sink, options),
        room: MOST_OPEN,
        counted_at: 0,
        full: false,
        raw: false,
        left_out: HashMap::new(),
        lower: String::new(),
        skip_line: false,
        formats: HashMap::new(),
    };
    let allowed = page.len() / BYTES_AN_INVENTED + FREE_INVENTED;
    let mut tags = 0;
    let mut result = Ok(());
    while let Some(token) = tokens.next(|| parser.foreign()) {
        let skip_line = std::mem::take(&mut parser.skip_line);
        match token {
            Token::Start(tag) => {
                tags += 1;
                parser.start(&tag, &mut tokens);
            }
            Token::End(tag) => parser.end(&tag),
            Token::Text { text, within } => parser.text(text, within, skip_line),
            // A comment changes no rule.
            Token::Comment => {}
            Token::Doctype(doctype) => parser.doctype(&doctype),
        }
        if parser.builder.sink.created.get() > allowed + tags {
            result = Err(Error::Config(msg!(
                "the page's misnested tags make a parser invent more than {allowed} elements, for {count} \
                 bytes: fix the page, or leave it out",
                count = page.len()
            )));
            break;
        }
    }
    let _ = parser.send(tokenizer::EOFToken);
    parser.builder.end();
    let has_selected = parser.builder.sink.has_selected.get();
    *tree = parser.builder.sink.tree.take();
    if has_selected {
        show_selected(tree, page);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_parser_is_an_error_of_its_page() {
        let message = guarded(|| panic!("on purpose")).unwrap_err().to_string();
        assert!(message.contains("a fault of the parser: leave it out"), "{message}");
    }
}
