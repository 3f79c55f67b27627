//! The visible text of a page, in lines.

use html5ever::{LocalName, local_name};
use memchr::memmem;

use super::tree::{DOCUMENT, NONE, NodeKind, Tree};

/// The effect of an element on the text inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// It is not shown.
    Hidden,
    /// It is on lines of its own.
    Block,
    /// A space separates its words from its neighbours', on one line.
    Apart,
    /// It continues the line.
    Inline,
}

/// How browsers show an element of this name.
pub(super) fn shown(name: &LocalName) -> Show {
    match *name {
        local_name!("a")
        | local_name!("span")
        | local_name!("b")
        | local_name!("i")
        | local_name!("em")
        | local_name!("strong")
        | local_name!("code") => Show::Inline,
        local_name!("td")
        | local_name!("th")
        | local_name!("button")
        | local_name!("select")
        | local_name!("textarea") => Show::Apart,
        local_name!("head")
        | local_name!("script")
        | local_name!("style")
        | local_name!("template")
        | local_name!("noscript")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes")
        | local_name!("title")
        | local_name!("datalist")
        | local_name!("rp")
        | local_name!("audio")
        | local_name!("video")
        | local_name!("canvas") => Show::Hidden,
        local_name!("html")
        | local_name!("body")
        | local_name!("address")
        | local_name!("article")
        | local_name!("aside")
        | local_name!("blockquote")
        | local_name!("br")
        | local_name!("caption")
        | local_name!("center")
        | local_name!("dd")
        | local_name!("details")
        | local_name!("dialog")
        | local_name!("dir")
        | local_name!("div")
        | local_name!("dl")
        | local_name!("dt")
        | local_name!("fieldset")
        | local_name!("figcaption")
        | local_name!("figure")
        | local_name!("footer")
        | local_name!("form")
        | local_name!("frame")
        | local_name!("frameset")
        | local_name!("h1")
        | local_name!("h2")
        | local_name!("h3")
        | local_name!("h4")
        | local_name!("h5")
        | local_name!("h6")
        | local_name!("header")
        | local_name!("hgroup")
        | local_name!("hr")
        | local_name!("legend")
        | local_name!("li")
        | local_name!("listing")
        | local_name!("main")
        | local_name!("menu")
        | local_name!("nav")
        | local_name!("ol")
        | local_name!("optgroup")
        | local_name!("option")
        | local_name!("p")
        | local_name!("plaintext")
        | local_name!("pre")
        | local_name!("section")
        | local_name!("summary")
        | local_name!("table")
        | local_name!("tbody")
        | local_name!("tfoot")
        | local_name!("thead")
        | local_name!("tr")
        | local_name!("ul")
        | local_name!("xmp") => Show::Block,
        _ if &**name == "search" => Show::Block,
        _ => Show::Inline,
    }
}

/// Whether an element hides itself: `hidden`, or `style="display: none"`.
pub(super) fn hides_itself(tree: &Tree, attributes: (u32, u32)) -> bool {
    tree.attributes_at(attributes).any(|(name, value)| {
        let displays_none = || {
            let letters: Vec<u8> = value
                .iter()
                .filter(|byte| !byte.is_ascii_whitespace())
                .map(u8::to_ascii_lowercase)
                .collect();
            memmem::find(&letters, b"display:none").is_some()
        };
        name == b"hidden" || (name == b"style" && displays_none())
    })
}

/// White space that waits for the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    None,
    Space,
    Line,
}

/// A text under construction: runs of white space become one space or, between lines, one line end; none at the ends.
pub(super) struct Lines<'a> {
    out: &'a mut String,
    gap: Gap,
}

impl<'a> Lines<'a> {
    pub(super) fn new(out: &'a mut String) -> Self {
        out.clear();
        Self { out, gap: Gap::None }
    }

    /// Separates the next text from the preceding one.
    pub(super) fn part(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Adds text; `lines`: its line ends are shown (`pre`).
    pub(super) fn push(&mut self, text: &str, lines: bool) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let length = bytes[at..]
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(bytes.len() - at);
            if length > 0 {
                match self.gap {
                    Gap::None => {}
                    _ if self.out.is_empty() => {}
                    Gap::Space => self.out.push(' '),
                    Gap::Line => self.out.push('\n'),
                }
                self.gap = Gap::None;
                self.out.push_str(&text[at..at + length]);
                at += length;
            }
            while at < bytes.len() && bytes[at].is_ascii_whitespace() {
                match bytes[at] {
                    b'\n' | b'\r' if lines => self.part(Gap::Line),
                    _ => self.part(Gap::Space),
                }
                at += 1;
            }
        }
    }
}

/// Writes the shown text of `top` and below, without the elements that `leave_out` names.
pub(super) fn write(tree: &Tree, top: u32, out: &mut String, mut leave_out: impl FnMut(u32) -> bool) {
    let mut lines = Lines::new(out);
    let mut node = top;
    // The open elements that need a separation at their end.
    let mut open: Vec<Gap> = Vec::new();
    let mut preformatted: Option<usize> = None;
    while node != NONE {
        let (mut child, mut gap) = (tree.first_child(node), Gap::None);
        match &tree.nodes[node as usize].kind {
            NodeKind::Document => {}
            NodeKind::Text { at } => lines.push(tree.text_at(*at), preformatted.is_some()),
            NodeKind::Element { name, attributes, .. } => {
                gap = match shown(name) {
                    Show::Block => Gap::Line,
                    Show::Apart => Gap::Space,
                    Show::Inline | Show::Hidden => Gap::None,
                };
                lines.part(gap);
                if shown(name) == Show::Hidden || hides_itself(tree, *attributes) || (node != top && leave_out(node)) {
                    child = NONE;
                } else if preformatted.is_none()
                    && child != NONE
                    && matches!(
                        *name,
                        local_name!("pre") | local_name!("textarea") | local_name!("listing") | local_name!("xmp")
                    )
                {
                    preformatted = Some(open.len());
                }
            }
        }
        if child != NONE {
            open.push(gap);
            node = child;
            continue;
        }
        let (next, up) = tree.skip(node, top);
        for _ in 0..up.min(open.len() as u32) {
            lines.part(open.pop().unwrap_or(Gap::None));
        }
        if preformatted.is_some_and(|depth| open.len() <= depth) {
            preformatted = None;
        }
        node = next;
    }
}

/// Writes all shown text of a page.
pub(super) fn write_all(tree: &Tree, out: &mut String) {
    write(tree, DOCUMENT, out, |_| false);
}
