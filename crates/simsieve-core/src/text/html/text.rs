//! The visible text of a page, in lines.

use html5ever::{LocalName, local_name};
use memchr::memmem;

use super::formula::{
    Role, is_compound, is_formula, is_line, is_written, overlined, raised, role_of, styled, value_of,
};
use super::picture::{self, digest, is_picture, plays};
use super::tree::{DOCUMENT, NONE, NodeKind, Tree};
use crate::text::pictures::add_mark;

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
        | local_name!("mtd")
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
        | local_name!("rt")
        | local_name!("rtc")
        | local_name!("mphantom")
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
        | local_name!("mtr")
        | local_name!("mlabeledtr")
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

/// What separates the text of an element from others.
fn separation(name: &LocalName) -> Gap {
    match shown(name) {
        Show::Block => Gap::Line,
        Show::Apart => Gap::Space,
        Show::Inline | Show::Hidden => Gap::None,
    }
}

/// Whether an element is left out of the text, whatever its style says: it is not shown, or struck.
pub(super) fn is_left_out(tree: &Tree, node: u32, shows_struck: bool) -> bool {
    let NodeKind::Element {
        name, attributes, own, ..
    } = &tree.nodes[node as usize].kind
    else {
        return false;
    };
    let is_struck = match *name {
        // One that is never closed is opened again in each block; these are none of its author.
        local_name!("del") | local_name!("s") | local_name!("strike") => *own && !shows_struck,
        local_name!("menclose") => {
            value_of(tree, *attributes, b"notation").is_some_and(|value| memmem::find(value, b"strike").is_some())
        }
        _ => false,
    };
    is_struck || shown(name) == Show::Hidden && !is_formula(tree, name, *attributes)
}

/// White space that waits for the next word.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
}

/// Bytes of a number below a line at most.
const OVERLINED: usize = 64;

/// A text under construction: runs of white space become one space or, between lines, one line end; none at the ends.
struct Lines<'a> {
    out: &'a mut String,
    gap: Gap,
    /// Whether there is text yet, besides marks of pictures.
    has_text: bool,
    /// Whether two digits here are of two numbers.
    apart: bool,
}

impl<'a> Lines<'a> {
    fn new(out: &'a mut String) -> Self {
        out.clear();
        Self {
            out,
            gap: Gap::None,
            has_text: false,
            apart: false,
        }
    }

    /// Separates the next text from the preceding one.
    fn part(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Adds text; `lines`: its line ends are shown (`pre`).
    fn push(&mut self, text: &str, lines: bool) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let length = bytes[at..]
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(bytes.len() - at);
            if length > 0 {
                let is_digit = |sign: Option<char>| sign.is_some_and(char::is_numeric);
                match self.gap {
                    _ if !self.has_text => {}
                    Gap::None if !self.apart => {}
                    Gap::None if is_digit(text[at..].chars().next()) && is_digit(self.out.chars().next_back()) => {
                        self.out.push(' ');
                    }
                    Gap::None => {}
                    Gap::Space => self.out.push(' '),
                    Gap::Line => self.out.push('\n'),
                }
                (self.gap, self.has_text, self.apart) = (Gap::None, true, false);
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

    /// Writes all from a place on in another form.
    fn change(&mut self, from: usize, form: impl FnOnce(&str) -> String) {
        let start = from + self.out[from..].len() - self.out[from..].trim_ascii_start().len();
        let changed = form(&self.out[start..]);
        self.out.truncate(start);
        self.out.push_str(&changed);
    }
}

/// An element that is open.
#[derive(Default)]
struct Open {
    /// What separates the text behind it,
    gap: Gap,
    /// where its own begins,
    from: usize,
    /// how it is shown,
    role: Role,
    /// what its end is written as,
    end: &'static str,
    /// and how many elements are in it so far.
    children: u32,
}

/// What is written of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    /// Its text.
    None,
    /// Its text and the marks of its pictures.
    Pictures,
}

/// The shown text of a page, while it is written.
struct Writer<'a> {
    tree: &'a Tree,
    lines: Lines<'a>,
    marks: Marks,
    /// The open elements.
    open: Vec<Open>,
    /// How many were open at the outermost `pre`, `math`, `svg`, and element above or below the line.
    preformatted: Option<usize>,
    math: Option<usize>,
    drawing: Option<usize>,
    raised: Option<usize>,
    /// Whether the formula at hand is in its notes alone,
    noted: bool,
    /// what the last one was said to be, and where it ended.
    said: (&'a [u8], usize),
}

impl Writer<'_> {
    /// Writes the mark of an element that is a picture.
    fn mark(&mut self, node: u32, name: &LocalName) {
        if self.marks == Marks::Pictures
            && self.drawing.is_none()
            && is_picture(name)
            && let Some(digest) = digest(self.tree, node)
        {
            add_mark(digest, self.lines.out);
        }
    }

    /// Writes what an element begins with; returns its role, what it ends with, and whether what is in it is read.
    fn begin(&mut self, node: u32, styled: Role) -> (Role, &'static str, bool) {
        let tree = self.tree;
        let Some((name, attributes)) = tree.element(node) else {
            return (Role::Plain, "", true);
        };
        let (depth, is_said) = (self.open.len(), self.said.1 == self.lines.out.len());
        self.lines.part(separation(name));
        self.mark(node, name);
        let mut is_read = true;
        match *name {
            local_name!("svg") => self.drawing = self.drawing.or(Some(depth)),
            local_name!("img") => {
                let alt = value_of(tree, attributes, b"alt").unwrap_or_default();
                let text = String::from_utf8_lossy(alt);
                if picture::is_formula(&text) && (alt != self.said.0 || !is_said) {
                    self.lines.part(Gap::Space);
                    self.lines.push(&text, false);
                    self.lines.part(Gap::Space);
                }
            }
            local_name!("math") if self.math.is_none() => {
                self.math = Some(depth);
                let said = value_of(tree, attributes, b"alttext").unwrap_or_default();
                self.said = (said, 0);
                self.noted = !is_written(tree, node);
                if self.noted && !said.is_empty() {
                    self.lines.push(&String::from_utf8_lossy(said), false);
                    is_read = false;
                }
            }
            local_name!("annotation") | local_name!("annotation-xml") => is_read = self.noted,
            local_name!("mprescripts") => self
                .open
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|above| above.children = 0),
            local_name!("mfrac") | local_name!("mroot") => self.lines.apart = true,
            local_name!("pre") | local_name!("textarea") | local_name!("listing") | local_name!("xmp") => {
                self.preformatted = self.preformatted.or(Some(depth));
            }
            _ => {}
        }
        let child = self.open.last().map_or(0, |above| above.children);
        if let Some(above) = self.open.last_mut() {
            above.children += 1;
        }
        let role = match styled {
            Role::Plain => role_of(tree, node, child),
            styled => styled,
        };
        let mut end = "";
        match role {
            Role::Above | Role::Below | Role::Accent if self.raised.is_none() => self.raised = Some(depth),
            Role::Above => self.lines.push("^", false),
            Role::Below => self.lines.push("_", false),
            Role::Behind(sign) => self.lines.push(sign, false),
            Role::Fenced => end = ")",
            Role::Plain | Role::Over | Role::Part | Role::Accent => {}
        }
        if matches!(role, Role::Part | Role::Behind(_)) && role != Role::Behind(",") && is_compound(tree, node) {
            end = ")";
        }
        if end == ")" {
            self.lines.push("(", false);
        }
        (role, end, is_read)
    }

    /// Writes what the innermost element ends with.
    fn end(&mut self) {
        let Some(Open {
            gap, from, role, end, ..
        }) = self.open.pop()
        else {
            return;
        };
        let depth = self.open.len();
        if !end.is_empty() {
            self.lines.push(end, false);
        }
        let base = self.open.last().map_or(from, |above| above.from);
        match role {
            Role::Accent if is_line(&self.lines.out[from..]) && from - base <= OVERLINED => {
                self.lines.out.truncate(from);
                self.lines.change(base, overlined);
            }
            Role::Above | Role::Below | Role::Accent if self.raised == Some(depth) => {
                let role = if role == Role::Below { Role::Below } else { Role::Above };
                self.lines.change(from, |text| raised(text, role));
            }
            Role::Over if self.lines.out.len() - from <= OVERLINED => self.lines.change(from, overlined),
            _ => {}
        }
        self.lines.apart |= role == Role::Behind("/");
        self.lines.part(gap);
        if self.math == Some(depth) {
            self.said.1 = self.lines.out.len();
        }
        for mark in [
            &mut self.preformatted,
            &mut self.math,
            &mut self.drawing,
            &mut self.raised,
        ] {
            if mark.is_some_and(|at| depth <= at) {
                *mark = None;
            }
        }
    }
}

/// Writes the shown text of `top` and below, without the elements that `leave_out` names; returns whether there is any.
pub(super) fn write(
    tree: &Tree,
    (top, marks, shows_struck): (u32, Marks, bool),
    out: &mut String,
    mut leave_out: impl FnMut(u32) -> bool,
) -> bool {
    let mut writer = Writer {
        tree,
        lines: Lines::new(out),
        marks,
        open: Vec::new(),
        preformatted: None,
        math: None,
        drawing: None,
        raised: None,
        noted: false,
        said: (b"", 0),
    };
    let mut node = top;
    while node != NONE {
        let (mut child, from) = (tree.first_child(node), writer.lines.out.len());
        let mut levels = 1;
        match &tree.nodes[node as usize].kind {
            NodeKind::Text { at } => {
                levels = 0;
                match (tree.text_at(*at), writer.math) {
                    (text, Some(_)) => writer.lines.push(text.trim_ascii(), false),
                    (text, None) => writer.lines.push(text, writer.preformatted.is_some()),
                }
            }
            NodeKind::Document => writer.open.push(Open::default()),
            NodeKind::Element { name, attributes, .. } => {
                let styled = styled(tree, *attributes);
                let gap = separation(name);
                let (mut role, mut end) = (Role::Plain, "");
                if styled.hidden || is_left_out(tree, node, shows_struck) || (node != top && leave_out(node)) {
                    writer.lines.part(gap);
                    if !styled.hidden && plays(name) {
                        writer.mark(node, name);
                    }
                    child = NONE;
                } else {
                    let is_read;
                    (role, end, is_read) = writer.begin(node, styled.role);
                    child = if is_read { child } else { NONE };
                }
                writer.open.push(Open {
                    gap,
                    from,
                    role,
                    end,
                    children: 0,
                });
            }
        }
        if child != NONE {
            node = child;
            continue;
        }
        let (next, up) = tree.skip(node, top);
        for _ in 0..up + levels {
            writer.end();
        }
        node = next;
    }
    writer.lines.has_text
}

/// Writes all shown text of a page; struck text too where there is no other.
pub(super) fn write_all(tree: &Tree, marks: Marks, out: &mut String) -> bool {
    [false, true]
        .into_iter()
        .any(|shows_struck| write(tree, (DOCUMENT, marks, shows_struck), out, |_| false))
}
