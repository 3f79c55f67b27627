//! Texts with some markup in them: which `<` opens a tag, and which is the sign for less than.
//!
//! In a page every `<` before a letter opens a tag. A text is a page if it has a document type, `html`, `head` or `body`.
//! In another text, such as `若 a<b 且 c>d`, that would remove what is between the signs. So there a tag must look like one:
//! - Its name is an element's of HTML, SVG or `MathML`, or has a `-` or `:` in it, as those of custom elements and of Word.
//!   Another name is one if its first attribute has a value in quotes, or if its end tag is in the text.
//! - Each attribute has a value, or is one that needs none, or has a `-` in its name. After a value in quotes, and after any
//!   value if the name has several letters, the others are as in pages. So wrongly quoted attributes do not show.
//! - An end tag has nothing but white space after its name.
//!
//! Comments, document types, CDATA sections and `<?name` are markup as in pages.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::OnceLock;

use memchr::{memchr, memchr_iter, memmem};

/// The names of elements of HTML, SVG and `MathML`, sorted.
static ELEMENTS: Names = Names::new(
    "\
    a abbr acronym address animate animatemotion animatetransform annotation applet area article aside audio b \
    base basefont bdi bdo bgsound big blink blockquote body br button canvas caption center circle cite clippath \
    code col colgroup command content data datalist dd defs del desc details dfn dialog dir div dl dt ellipse em \
    embed feblend fecolormatrix fecomponenttransfer fecomposite feconvolvematrix fediffuselighting \
    fedisplacementmap fedistantlight fedropshadow feflood fefunca fefuncb fefuncg fefuncr fegaussianblur feimage \
    femerge femergenode femorphology feoffset fepointlight fespecularlighting fespotlight fetile feturbulence \
    fieldset figcaption figure filter font footer foreignobject form frame frameset g h1 h2 h3 h4 h5 h6 head \
    header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li line lineargradient link \
    listing maction main malignmark map mark marker marquee mask math menclose menu menuitem merror meta metadata \
    meter mfenced mfrac mglyph mi mlabeledtr mmultiscripts mn mo mover mpadded mpath mphantom mprescripts mroot \
    mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr multicol munder munderover nav nextid nobr \
    noembed noframes none noscript object ol optgroup option output p param path pattern picture plaintext polygon \
    polyline portal pre progress q radialgradient rb rect rp rt rtc ruby s samp script search section select \
    semantics set shadow slot small source spacer span stop strike strong style sub summary sup svg switch symbol \
    table tbody td template text textarea textpath tfoot th thead time title tr track tref tspan tt u ul use var \
    video view wbr xmp",
);

/// The attributes that need no value, sorted.
static WITHOUT_VALUE: Names = Names::new(
    "\
    allowfullscreen alt async autofocus autoplay checked class compact controls crossorigin declare default defer \
    disabled download formnovalidate hidden inert ismap itemscope loop multiple muted nomodule noshade novalidate \
    nowrap open readonly required reversed selected style value",
);

/// A text that is no page.
#[derive(Debug, Clone)]
pub(super) struct Mixed<'a> {
    text: &'a [u8],
    /// The names of all its end tags, in lower case.
    ended: OnceCell<HashSet<Vec<u8>>>,
}

impl<'a> Mixed<'a> {
    /// The text, unless it is a page.
    pub(super) fn of(text: &'a [u8]) -> Option<Self> {
        let is_of_page = |at: usize| {
            let rest = &text[at + 1..];
            let (name, after) = word(rest);
            let is_doctype = || rest.len() > 8 && rest[..8].eq_ignore_ascii_case(b"!doctype");
            PAGE.iter().any(|known| name.eq_ignore_ascii_case(known)) && attributes_end(after, true, true, false)
                || is_doctype()
        };
        (!memchr_iter(b'<', text).any(is_of_page)).then_some(Self {
            text,
            ended: OnceCell::new(),
        })
    }

    /// Whether markup opens at the `<` with which `rest` begins.
    ///
    /// A scan ends at the first sign that no tag has, and a `<` outside of quotes is one. So at any place at most a few
    /// scans that began earlier go on. All scans of a page together are linear in its length.
    pub(super) fn opens_markup(&self, rest: &[u8]) -> bool {
        match rest.get(1) {
            Some(b'!') => {
                let declared = &rest[2..rest.len().min(9)];
                declared.starts_with(b"--") || declared.starts_with(b"[") || declared.eq_ignore_ascii_case(b"doctype")
            }
            Some(b'?') => rest.get(2).is_some_and(u8::is_ascii_alphabetic),
            Some(b'/') => ended(&rest[2..]).is_some(),
            _ => self.starts(&rest[1..]),
        }
    }

    /// Whether a start tag's name and attributes are here.
    fn starts(&self, rest: &[u8]) -> bool {
        let Some((name, after)) = name_of_tag(rest) else {
            return false;
        };
        let is_custom = || name.iter().any(|byte| matches!(byte, b'-' | b':'));
        let (is_known, is_long) = (ELEMENTS.has(name) || is_custom(), name.len() > 1);
        let is_bare = || matches!(after, [b'>', ..] | [b'/', b'>', ..]);
        let is_ended = !ELEMENTS.has(name) && (is_long || is_bare()) && self.ends(name);
        attributes_end(after, is_known, is_known && is_long, is_ended)
    }

    /// Whether the text has an end tag of this name.
    fn ends(&self, name: &[u8]) -> bool {
        let names = || memmem::find_iter(self.text, b"</").filter_map(|at| ended(&self.text[at + 2..]));
        let ended = self
            .ended
            .get_or_init(|| names().map(<[u8]>::to_ascii_lowercase).collect());
        ended.contains(&name.to_ascii_lowercase())
    }
}

/// The elements that make a text a page.
const PAGE: [&[u8]; 3] = [b"html", b"head", b"body"];

/// The name of an end tag; `rest` is what follows its `</`.
fn ended(rest: &[u8]) -> Option<&[u8]> {
    let (name, after) = name_of_tag(rest)?;
    (after.trim_ascii_start().first() == Some(&b'>')).then_some(name)
}

/// The name of a tag here, and what follows it.
fn name_of_tag(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, after) = word(rest);
    let ends = after
        .first()
        .is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
    // An address such as `<https://a-b.org>` or `<me@a-b.org>` is no tag.
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.last().is_some_and(u8::is_ascii_alphanumeric)
        && !name.contains(&b'@');
    (ends && is_name).then_some((name, after))
}

/// Whether attributes and a `>` follow, and nothing else. `known`: the tag's name alone makes it one; `bare`: so does a
/// value without quotes make all that follows it an attribute; `sure`: all is one from the beginning.
fn attributes_end(mut rest: &[u8], known: bool, bare: bool, mut sure: bool) -> bool {
    loop {
        rest = rest.trim_ascii_start();
        match rest.first() {
            Some(b'>') => return known || sure,
            Some(b'/') => {
                rest = &rest[1..];
                continue;
            }
            _ => {}
        }
        let (name, after) = if sure { loose_word(rest) } else { word(rest) };
        if name.is_empty() {
            return false;
        }
        rest = match after.trim_ascii_start().strip_prefix(b"=") {
            Some(value) => {
                let value = value.trim_ascii_start();
                sure |= bare || matches!(value.first(), Some(b'"' | b'\''));
                match after_value(value) {
                    Some(after) => after,
                    None => return false,
                }
            }
            None if sure || name.contains(&b'-') || WITHOUT_VALUE.has(name) => after,
            None => return false,
        };
    }
}

/// What follows the value of an attribute; `None` where it has no end.
fn after_value(rest: &[u8]) -> Option<&[u8]> {
    if let [quote @ (b'"' | b'\''), value @ ..] = rest {
        return memchr(*quote, value).map(|end| &value[end + 1..]);
    }
    let end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'>');
    let (value, after) = rest.split_at(rest.iter().position(end)?);
    (!value.is_empty() && after[0] != b'<').then_some(after)
}

/// The signs of a name, and what follows them.
fn word(rest: &[u8]) -> (&[u8], &[u8]) {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'.' | b'_' | b'@');
    rest.split_at(rest.iter().position(|byte| !inside(byte)).unwrap_or(rest.len()))
}

/// The signs of an attribute's name as pages have it.
fn loose_word(rest: &[u8]) -> (&[u8], &[u8]) {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'=' | b'<');
    rest.split_at(rest.iter().position(ends).unwrap_or(rest.len()))
}

/// Names in lower case, sorted, with a space between.
struct Names {
    text: &'static str,
    list: OnceLock<Vec<&'static [u8]>>,
}

impl Names {
    const fn new(text: &'static str) -> Self {
        Self {
            text,
            list: OnceLock::new(),
        }
    }

    /// Whether a name is one of them, in any case.
    fn has(&self, name: &[u8]) -> bool {
        let list = self
            .list
            .get_or_init(|| self.text.split(' ').map(str::as_bytes).collect());
        let lower = || name.iter().map(u8::to_ascii_lowercase);
        list.binary_search_by(|known| known.iter().copied().cmp(lower()))
            .is_ok()
    }
}

#[cfg(test)]
#[path = "mixed_tests.rs"]
mod tests;
