//! From tokens to a tree, by the rules of the HTML standard, section 13.2.6: implied tags, misnested formatting,
//! misplaced content of tables, frames, templates, SVG and `MathML`.
//!
//! The rules are those of html5ever's tree builder. It gets the tokens of [`super::parse`], and of the attributes only
//! those that the rules read; all attributes of the page stand in the tree.

use std::cell::Cell;
use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{self, TagKind, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use html5gum::State;

use super::sink::{PLACE, Sink};
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
pub(super) struct Parser {
    builder: TreeBuilder<u32, Sink>,
    /// Elements that may still be made before the open ones must be counted again.
    room: usize,
    counted_at: usize,
    full: bool,
    /// Whether the next tag ends an element of raw text; the rules know no other tag there.
    pub raw: bool,
    /// The state that the last start tag sets.
    pub next_state: Option<State>,
    /// Whether this is a page of XHTML, whose tags close themselves by XML's rule; None where every page is read as HTML.
    pub(super) xml: Option<bool>,
    /// The name of the current start tag.
    name: LocalName,
    /// The attributes of the tags before it end here.
    attributes_end: usize,
    /// Start tags dropped at the bound, by name: their end tags are dropped too.
    left_out: HashMap<LocalName, u32>,
    /// By the hash of a formatting element's attributes: their place.
    formats: HashMap<u64, (u32, u32)>,
    page_bytes: usize,
    tags: usize,
}

impl Parser {
    /// A parser of a page of `page_bytes` bytes, which builds `tree` anew.
    pub(super) fn new(page_bytes: usize, tree: &mut Tree) -> Self {
        tree.clear();
        let sink = Sink::default();
        sink.tree.replace(std::mem::take(tree));
        sink.made.set(NONE);
        let options = TreeBuilderOpts {
            // No script is run here, so the contents of `noscript` are elements.
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        };
        Self {
            builder: TreeBuilder::new(sink, options),
            room: MOST_OPEN,
            counted_at: 0,
            full: false,
            raw: false,
            next_state: None,
            xml: None,
            name: local_name!(""),
            attributes_end: 0,
            left_out: HashMap::new(),
            formats: HashMap::new(),
            page_bytes,
            tags: 0,
        }
    }

    /// Ends the page, and gives its tree back.
    pub(super) fn finish(self, tree: &mut Tree) {
        let _ = self.send(tokenizer::EOFToken);
        self.builder.end();
        *tree = self.builder.sink.tree.take();
    }

    /// Whether the next tag stands in SVG or `MathML`.
    pub(super) fn foreign(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
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

    fn send(&self, token: tokenizer::Token) -> TokenSinkResult<u32> {
        self.builder.process_token(token, 1)
    }

    fn send_tag(
        &self,
        kind: TagKind,
        name: LocalName,
        self_closing: bool,
        attrs: Vec<Attribute>,
    ) -> TokenSinkResult<u32> {
        self.send(tokenizer::TagToken(tokenizer::Tag {
            kind,
            name,
            self_closing,
            attrs,
            had_duplicate_attributes: false,
        }))
    }

    /// A start tag begins; its attributes follow, then [`Self::start`].
    pub(super) fn open(&mut self, name: &[u8]) {
        self.name = name_of(name);
    }

    /// Adds a part of an attribute: its name after 0, or its value after a space.
    pub(super) fn attribute(&self, before: u8, part: &[u8]) {
        let attributes = &mut self.builder.sink.tree.borrow_mut().attributes;
        attributes.push(before);
        attributes.extend_from_slice(part);
    }

    /// The place of the current tag's attributes.
    fn place(&self) -> (u32, u32) {
        let end = self.builder.sink.tree.borrow().attributes.len();
        (self.attributes_end as u32, end as u32)
    }

    /// Forgets the attributes of the current tag.
    fn drop_attributes(&self) {
        self.builder
            .sink
            .tree
            .borrow_mut()
            .attributes
            .truncate(self.attributes_end);
    }

    pub(super) fn start(&mut self, closes_itself: bool) {
        self.tags += 1;
        let name = std::mem::replace(&mut self.name, local_name!(""));
        if self.xml == Some(false) && name == local_name!("html") && self.names_xhtml() {
            self.xml = Some(true);
        }
        let ends = self.xml == Some(true) && closes_itself && !self.foreign() && !has_no_end(&name);
        // An element of raw text closes at once, and its text is not read as markup.
        if !self.has_room() && (self.foreign() || !is_raw_text(&name)) {
            self.drop_attributes();
            if !ends {
                *self.left_out.entry(name).or_default() += 1;
            }
            return;
        }
        self.full = false;
        let place = self.place();
        let attrs = self.rule_attributes(&name, place);
        self.attributes_end = place.1 as usize;
        let sink = &self.builder.sink;
        sink.made.set(NONE);
        *sink.tag.borrow_mut() = (name.clone(), place);
        let result = self.send_tag(TagKind::StartTag, name.clone(), closes_itself, attrs);
        *self.builder.sink.tag.borrow_mut() = (local_name!(""), (0, 0));
        if ends {
            let _ = self.send_tag(TagKind::EndTag, name, false, Vec::new());
            return;
        }
        self.raw = matches!(result, TokenSinkResult::RawData(_));
        self.next_state = match result {
            TokenSinkResult::RawData(RawKind::Rcdata) => Some(State::RcData),
            TokenSinkResult::RawData(RawKind::Rawtext) => Some(State::RawText),
            TokenSinkResult::RawData(_) => Some(State::ScriptData),
            TokenSinkResult::Plaintext => Some(State::PlainText),
            _ => None,
        };
    }

    /// Whether the current tag has the namespace of XHTML among its attributes.
    fn names_xhtml(&self) -> bool {
        let tree = self.builder.sink.tree.borrow();
        tree.attributes_at(self.place())
            .any(|(_, value)| value == b"http://www.w3.org/1999/xhtml")
    }

    pub(super) fn end(&mut self, name: &[u8]) {
        self.drop_attributes();
        let name = name_of(name);
        if !std::mem::take(&mut self.raw)
            && let Some(left) = self.left_out.get_mut(&name)
            && *left > 0
        {
            *left -= 1;
            return;
        }
        self.full = false;
        // Only start tags depend on this return value.
        let _ = self.send_tag(TagKind::EndTag, name, false, Vec::new());
    }

    /// The attributes that the rules read. Formatting elements are opened again and compared by their attributes, so
    /// they carry one with the place of these: the same for equal ones.
    fn rule_attributes(&mut self, name: &LocalName, place: (u32, u32)) -> Vec<Attribute> {
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
                let (start, end) = self.first_place(name, place);
                let value = StrTendril::from(format!("{start} {end}"));
                return vec![attribute(LocalName::from(PLACE), value)];
            }
            _ => return Vec::new(),
        };
        let tree = self.builder.sink.tree.borrow();
        let find = |wanted: &LocalName| {
            let (_, value) = tree.attributes_at(place).find(|(name, _)| *name == wanted.as_bytes())?;
            Some(attribute(
                wanted.clone(),
                StrTendril::from(&*String::from_utf8_lossy(value)),
            ))
        };
        wanted.iter().filter_map(find).collect()
    }

    /// The first place of a formatting tag's attributes.
    fn first_place(&mut self, name: &LocalName, place: (u32, u32)) -> (u32, u32) {
        // Links are never compared: only one is open at a time.
        if *name == local_name!("a") {
            return place;
        }
        let tree = self.builder.sink.tree.borrow();
        let mut parts: Vec<(&[u8], &[u8])> = tree.attributes_at(place).collect();
        parts.sort_by_key(|part| part.0);
        parts.dedup_by_key(|part| part.0);
        let whole: Vec<u8> = parts
            .into_iter()
            .flat_map(|(name, value)| [b"\0", name, b" ", value].concat())
            .collect();
        *self.formats.entry(xxh3_64(&whole)).or_insert(place)
    }

    pub(super) fn text(&self, text: &[u8]) {
        for (number, part) in text.split(|&byte| byte == 0).enumerate() {
            if number > 0 {
                let _ = self.send(tokenizer::NullCharacterToken);
            }
            if !part.is_empty() {
                let part = StrTendril::from(&*String::from_utf8_lossy(part));
                let _ = self.send(tokenizer::CharacterTokens(part));
            }
        }
    }

    pub(super) fn doctype(&self, name: &[u8], public: Option<&[u8]>, system: Option<&[u8]>, force_quirks: bool) {
        let part = |part: &[u8]| StrTendril::from(&*String::from_utf8_lossy(part));
        let _ = self.send(tokenizer::DoctypeToken(tokenizer::Doctype {
            name: Some(part(name)).filter(|name| !name.is_empty()),
            public_id: public.map(part),
            system_id: system.map(part),
            force_quirks,
        }));
    }

    /// Whether the parser has invented no more elements than the page's length allows.
    ///
    /// # Errors
    /// [`Error::Config`] if it has.
    pub(super) fn check(&self) -> Result<()> {
        let allowed = self.page_bytes / BYTES_AN_INVENTED + FREE_INVENTED;
        if self.builder.sink.created.get() <= allowed + self.tags {
            return Ok(());
        }
        Err(Error::Config(msg!(
            "the page's misnested tags make a parser invent more than {allowed} elements, for {page_bytes} \
             bytes: fix the page, or leave it out",
            page_bytes = self.page_bytes
        )))
    }
}

fn name_of(name: &[u8]) -> LocalName {
    LocalName::from(&*String::from_utf8_lossy(name))
}

/// Whether an HTML element has no markup inside.
fn is_raw_text(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("title")
            | local_name!("textarea")
            | local_name!("style")
            | local_name!("xmp")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("script")
    )
}

/// Whether the rules know no end tag of an element, or end one that closes itself: elements without contents, SVG and `MathML`.
fn has_no_end(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("math")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("svg")
            | local_name!("track")
            | local_name!("wbr")
    )
}
