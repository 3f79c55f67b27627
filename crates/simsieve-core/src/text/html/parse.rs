//! From a page to tags and texts: the tokeniser of html5gum. Its events go to the parser, which sets its next state.

use std::cell::Cell;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, ForwardingEmitter, Readable, Reader, Span, State, Tokenizer};

use super::mixed::Mixed;
use super::rules::Parser;
use super::tree::Tree;
use crate::base::error::{Error, Result};

/// Parses a page into `tree`, whose memory is reused.
///
/// # Errors
/// [`Error::Config`] if the page is longer than 1 GiB, or so broken that the parser would invent more elements than its
/// length allows.
pub(super) fn parse(page: &str, tree: &mut Tree) -> Result<()> {
    guarded(|| parse_tokens(page, None, false, tree))
}

/// As [`parse`], for the text of a page. A page of XHTML is read by XML's rule for `<title/>`: by that of HTML, which features of
/// structure follow, it would take in all text after it.
pub(super) fn parse_text(page: &str, tree: &mut Tree) -> Result<()> {
    guarded(|| parse_tokens(page, None, true, tree))
}

/// As [`parse_text`], of a text with some markup in it: see [`super::mixed`].
pub(super) fn parse_mixed(text: &str, tree: &mut Tree) -> Result<()> {
    guarded(|| parse_tokens(text, Mixed::of(text.as_bytes()), true, tree))
}

/// The last belt: a page with which the parser does not come to an end fails alone. No such page is known.
fn guarded(work: impl FnOnce() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::Config(msg!(
            "the page meets a fault of the parser: leave it out, and please report it with the page"
        )))
    })
}

fn parse_tokens(page: &str, mixed: Option<Mixed<'_>>, may_be_xml: bool, tree: &mut Tree) -> Result<()> {
    if page.len() > crate::text::MAX_TEXT_BYTES {
        return Err(Error::Config(msg!(
            "the page has {count} bytes; at most {max_text_bytes} are allowed: cut it into parts",
            count = page.len(),
            max_text_bytes = crate::text::MAX_TEXT_BYTES
        )));
    }
    let mut parser = Parser::new(page.len(), tree);
    parser.xml = may_be_xml.then(|| page.trim_start().starts_with("<?xml"));
    let result = send_tokens(page.as_bytes(), mixed, &mut parser);
    parser.finish(tree);
    result
}

/// Sends the tokens of a page, or of a text with some markup in it, to the parser.
///
/// # Errors
/// As [`Parser::check`].
fn send_tokens(page: &[u8], mixed: Option<Mixed<'_>>, parser: &mut Parser) -> Result<()> {
    let in_text = Cell::new(false);
    let input = Input {
        rest: page,
        sign: b"",
        mixed,
        in_text: &in_text,
    };
    let events = Events {
        emitter: CallbackEmitter::new(Sender(parser)),
        in_text: &in_text,
    };
    let failed = Tokenizer::new_with_emitter(input, events).next();
    failed.map_or(Ok(()), |Ok(error)| Err(error))
}

/// The bytes of a page. In a text with some markup, a `<` that opens none is read as its character reference.
struct Input<'a> {
    rest: &'a [u8],
    /// The bytes of that reference that are still to be read.
    sign: &'a [u8],
    mixed: Option<Mixed<'a>>,
    /// Whether a `<` may open markup here.
    in_text: &'a Cell<bool>,
}

impl<'a> Input<'a> {
    /// The bytes to read next.
    fn bytes(&mut self) -> &mut &'a [u8] {
        if let Some(mixed) = &self.mixed
            && self.sign.is_empty()
            && self.in_text.get()
            && self.rest.first() == Some(&b'<')
            && !mixed.opens_markup(self.rest)
        {
            (self.sign, self.rest) = (b"&lt;", &self.rest[1..]);
        }
        if self.sign.is_empty() {
            &mut self.rest
        } else {
            &mut self.sign
        }
    }
}

impl Reader for Input<'_> {
    type Error = Infallible;

    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        Ok(self.bytes().split_off_first().copied())
    }

    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        let bytes = self.bytes();
        let found = bytes.to_reader().try_read_string(wanted, case_sensitive)?;
        if found {
            *bytes = &bytes[wanted.len()..];
        }
        Ok(found)
    }

    fn read_until<'b>(&'b mut self, needle: &[u8], room: &'b mut [u8; 4]) -> Result<Option<&'b [u8]>, Infallible> {
        let bytes = self.bytes();
        let length = bytes.to_reader().read_until(needle, room)?.map(<[u8]>::len);
        Ok(length.and_then(|length| bytes.split_off(..length)))
    }
}

/// The events of the tokeniser, and what it asks.
struct Events<'a> {
    emitter: CallbackEmitter<Sender<'a>, Error>,
    in_text: &'a Cell<bool>,
}

impl ForwardingEmitter for Events<'_> {
    type Token = Error;

    fn inner(&mut self) -> &mut impl Emitter<Token = Error> {
        &mut self.emitter
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    /// The tokeniser reads text whose character references are markup.
    fn init_string(&mut self) {
        let is_raw = self.emitter.callback_mut().0.raw;
        self.in_text.set(!is_raw);
        self.emitter.init_string();
    }

    fn start_open_tag(&mut self) {
        self.in_text.set(false);
        self.emitter.start_open_tag();
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        let _ = self.emitter.emit_current_tag();
        self.emitter.callback_mut().0.next_state.take()
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.emitter.callback_mut().0.foreign()
    }
}

/// Sends each event to the parser.
struct Sender<'a>(&'a mut Parser);

impl Callback<Error, ()> for Sender<'_> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<Error> {
        let parser = &mut *self.0;
        match event {
            CallbackEvent::OpenStartTag { name } => parser.open(name),
            CallbackEvent::AttributeName { name } => parser.attribute(0, name),
            CallbackEvent::AttributeValue { value } => parser.attribute(b' ', value),
            CallbackEvent::CloseStartTag { self_closing } => parser.start(self_closing),
            CallbackEvent::EndTag { name } => parser.end(name),
            CallbackEvent::String { value } => parser.text(value),
            CallbackEvent::Doctype {
                name,
                public_identifier,
                system_identifier,
                force_quirks,
            } => parser.doctype(name, public_identifier, system_identifier, force_quirks),
            // A comment changes no rule.
            CallbackEvent::Comment { .. } | CallbackEvent::Error(_) => {}
        }
        parser.check().err()
    }
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
