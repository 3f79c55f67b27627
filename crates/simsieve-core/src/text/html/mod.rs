//! Pages: HTML becomes features of its structure ([`dom_features`]), its visible text ([`text`]) or its main text
//! ([`main_text`]). [`decode`] first makes text of bytes.
//!
//! The steps of a page: `charset` -> `parse` (html5gum's tokeniser) -> `rules` (html5ever's tree builder) -> `tree` ->
//! `dom`, `text`, `main_text`. Broken pages are accepted, and time is linear in a page's length. At most 512 elements are open
//! at a time, as in browsers; further start tags are dropped. A page is refused if the parser would invent more
//! elements than a quarter of its bytes plus 65,536. Nothing here is recursive.

mod charset;
mod dom;
mod formula;
mod furniture;
mod main_text;
mod mixed;
mod parse;
mod picture;
mod rules;
mod scratch;
mod sink;
mod text;
mod tree;

pub use charset::decode;
pub use dom::{
    DECAY, FRACTION_BITS, Hash, Options, RULES, Weight, dom_features, dom_fold, dom_named, dom_sums, outline,
};
pub(crate) use dom::{each_element, weigh};
pub use scratch::{Feature, PageScratch};

use self::text::Marks;
use crate::base::error::Result;

/// Writes the visible text of a page, without scripts, styles, comments, templates, the head and hidden elements.
/// Character references are resolved. Blocks are on lines of their own; a space separates cells and buttons, but not
/// inline elements. Runs of white space become one.
///
/// ```
/// use simsieve_core::text::html::{PageScratch, text};
/// let mut out = String::new();
/// text("<title>t</title><h1>Caf&eacute;</h1><p>w<b>or</b>d <script>x()</script>", &mut PageScratch::default(), &mut out).unwrap();
/// assert_eq!(out, "Café\nword");
/// ```
///
/// # Errors
/// [`crate::base::error::Error::Config`] for pages that cannot be parsed within bounds.
pub fn text(page: &str, scratch: &mut PageScratch, out: &mut String) -> Result<()> {
    parse::parse_text(page, &mut scratch.tree)?;
    formula::put_in_order(&mut scratch.tree);
    text::write_all(&scratch.tree, Marks::None, out);
    Ok(())
}

/// As [`text`], for a page or for a text with some markup in it, such as a question of an exam. In a text without a
/// document type, `html`, `head` and `body` a `<` opens a tag only where all up to its `>` looks like a tag.
///
/// ```
/// use simsieve_core::text::html::{PageScratch, mixed_text};
/// let mut out = String::new();
/// mixed_text("<p>If a<b and c>d, <b>prove</b> it.", &mut PageScratch::default(), &mut out).unwrap();
/// assert_eq!(out, "If a<b and c>d, prove it.");
/// ```
///
/// # Errors
/// As [`text`].
pub fn mixed_text(text: &str, scratch: &mut PageScratch, out: &mut String) -> Result<()> {
    marked_text(text, Marks::None, scratch, out)
}

fn marked_text(text: &str, marks: Marks, scratch: &mut PageScratch, out: &mut String) -> Result<()> {
    parse::parse_mixed(text, &mut scratch.tree)?;
    formula::put_in_order(&mut scratch.tree);
    text::write_all(&scratch.tree, marks, out);
    Ok(())
}

/// As [`mixed_text`] or, if `is_main`, as [`main_text`], with a mark for each picture ([`crate::text::pictures`]).
///
/// # Errors
/// As [`text`].
pub fn text_with_pictures(page: &str, is_main: bool, scratch: &mut PageScratch, out: &mut String) -> Result<()> {
    let take = if is_main { marked_main } else { marked_text };
    take(page, Marks::Pictures, scratch, out)
}

/// Writes the main text of a page, without menus, headers, footers and lists of links; the whole visible text if
/// nothing would remain. It is a heuristic: `docs/explanation/dom.md` has its accuracy.
///
/// ```
/// use simsieve_core::text::html::{PageScratch, main_text};
/// let mut out = String::new();
/// let page = "<nav><a href=/>Home</a></nav><div><h1>A title</h1><p>What the page says.</div><footer>2020</footer>";
/// main_text(page, &mut PageScratch::default(), &mut out).unwrap();
/// assert_eq!(out, "A title\nWhat the page says.");
/// ```
///
/// # Errors
/// As [`text`].
pub fn main_text(page: &str, scratch: &mut PageScratch, out: &mut String) -> Result<()> {
    marked_main(page, Marks::None, scratch, out)
}

fn marked_main(page: &str, marks: Marks, scratch: &mut PageScratch, out: &mut String) -> Result<()> {
    parse::parse_text(page, &mut scratch.tree)?;
    formula::put_in_order(&mut scratch.tree);
    main_text::write_main(&scratch.tree, &mut scratch.room, marks, out);
    Ok(())
}

/// A main text is small if it has less than one in this many bytes of the visible text.
const SMALL: usize = 10;

/// Whether the main text of a page is so small a part of its visible text that the rule may have missed it.
///
/// ```
/// use simsieve_core::text::html::{PageScratch, main_is_small};
/// let links = "Help. ".repeat(9);
/// let page = format!("<p>The words.</p><aside>{links}</aside><nav>{links}</nav>");
/// assert!(main_is_small(&page, &mut PageScratch::default()).unwrap());
/// assert!(!main_is_small("<p>The words.", &mut PageScratch::default()).unwrap());
/// ```
///
/// # Errors
/// As [`text`].
pub fn main_is_small(page: &str, scratch: &mut PageScratch) -> Result<bool> {
    let (mut main, mut whole) = (String::new(), String::new());
    main_text(page, scratch, &mut main)?;
    text::write_all(&scratch.tree, Marks::None, &mut whole);
    Ok(main.len() * SMALL < whole.len())
}
