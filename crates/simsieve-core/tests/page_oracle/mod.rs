//! The oracle of pages: html5ever with its own tokeniser, a tree of plain lists, recursion.
#![allow(dead_code, reason = "the tests and the example each use a part")]

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ParseOpts, QualName, parse_document};

/// A node: an element's name and attributes, or a text.
#[derive(Default)]
struct Node {
    name: Option<&'static QualName>,
    attributes: Vec<(String, String)>,
    text: String,
    integrates: bool,
    parent: Option<usize>,
    children: Vec<usize>,
}

/// A page as html5ever reads it.
pub struct Page(RefCell<Vec<Node>>);

impl Page {
    fn add(&self, node: Node) -> usize {
        self.0.borrow_mut().push(node);
        self.0.borrow().len() - 1
    }

    fn insert(&self, parent: usize, at: Option<usize>, child: NodeOrText<usize>) {
        let node = match child {
            NodeOrText::AppendNode(node) => node,
            NodeOrText::AppendText(text) => self.add(Node {
                text: text.to_string(),
                ..Node::default()
            }),
        };
        self.remove_from_parent(&node);
        let mut nodes = self.0.borrow_mut();
        let at = at.map_or(nodes[parent].children.len(), |sibling| {
            nodes[parent]
                .children
                .iter()
                .position(|&child| child == sibling)
                .unwrap()
        });
        nodes[parent].children.insert(at, node);
        nodes[node].parent = Some(parent);
    }
}

impl TreeSink for Page {
    type Handle = usize;
    type Output = Self;
    type ElemName<'a> = html5ever::ExpandedName<'static>;

    fn finish(self) -> Self {
        self
    }
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn get_document(&self) -> usize {
        0
    }
    fn elem_name(&self, target: &usize) -> html5ever::ExpandedName<'static> {
        self.0.borrow()[*target].name.unwrap().expanded()
    }
    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> usize {
        self.add(Node {
            // A test may leak: names then live as long as the tree builder wants.
            name: Some(Box::leak(Box::new(name))),
            attributes: attributes
                .iter()
                .map(|it| (it.name.local.to_string(), it.value.to_string()))
                .collect(),
            integrates: flags.mathml_annotation_xml_integration_point,
            ..Node::default()
        })
    }
    fn create_comment(&self, _: StrTendril) -> usize {
        self.add(Node::default())
    }
    fn create_pi(&self, _: StrTendril, _: StrTendril) -> usize {
        self.add(Node::default())
    }
    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        self.insert(*parent, None, child);
    }
    fn append_based_on_parent_node(&self, element: &usize, previous: &usize, child: NodeOrText<usize>) {
        let parent = self.0.borrow()[*element].parent;
        match parent {
            Some(parent) => self.insert(parent, Some(*element), child),
            None => self.insert(*previous, None, child),
        }
    }
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn get_template_contents(&self, target: &usize) -> usize {
        *target
    }
    fn same_node(&self, x: &usize, y: &usize) -> bool {
        x == y
    }
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        let parent = self.0.borrow()[*sibling].parent.unwrap();
        self.insert(parent, Some(*sibling), child);
    }
    fn add_attrs_if_missing(&self, _: &usize, _: Vec<Attribute>) {}
    fn remove_from_parent(&self, target: &usize) {
        let mut nodes = self.0.borrow_mut();
        if let Some(parent) = nodes[*target].parent.take() {
            nodes[parent].children.retain(|child| child != target);
        }
    }
    fn reparent_children(&self, node: &usize, new_parent: &usize) {
        let children = self.0.borrow()[*node].children.clone();
        for child in children {
            self.insert(*new_parent, None, NodeOrText::AppendNode(child));
        }
    }
    fn is_mathml_annotation_xml_integration_point(&self, target: &usize) -> bool {
        self.0.borrow()[*target].integrates
    }
}

/// Reads a page.
pub fn read(page: &str) -> Page {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    parse_document(Page(RefCell::new(vec![Node::default()])), options).one(page)
}

impl Page {
    /// Every element: depth and tag.
    pub fn outline(&self) -> Vec<(u32, String)> {
        let mut out = Vec::new();
        self.visit(0, 0, &mut |depth, node| {
            if let Some(name) = node.name {
                out.push((depth, name.local.to_string()));
            }
        });
        out
    }

    fn visit(&self, node: usize, depth: u32, see: &mut impl FnMut(u32, &Node)) {
        see(depth, &self.0.borrow()[node]);
        let children = self.0.borrow()[node].children.clone();
        for child in children {
            self.visit(child, depth + 1, see);
        }
    }

    /// The visible text by the plainest rules: a mark around what is set apart, then white space made one.
    pub fn text(&self) -> String {
        let mut marked = String::new();
        self.mark(0, false, &mut marked);
        let mut out = String::new();
        for line in marked.split('\u{1}') {
            let words: Vec<&str> = line
                .split([' ', '\t', '\n', '\x0c', '\r'])
                .filter(|word| !word.is_empty())
                .collect();
            if !words.is_empty() {
                out += if out.is_empty() { "" } else { "\n" };
                out += &words.join(" ");
            }
        }
        out
    }

    fn mark(&self, node: usize, pre: bool, out: &mut String) {
        let nodes = self.0.borrow();
        let Node {
            name,
            attributes,
            text,
            children,
            ..
        } = &nodes[node];
        let tag = name.map_or("", |name| &name.local);
        let has = |wanted: &str| {
            attributes
                .iter()
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| value)
        };
        let displays =
            has("style").map(|style| style.to_ascii_lowercase().replace([' ', '\t', '\n', '\x0c', '\r'], ""));
        let hidden = "head script style template noscript iframe noembed noframes title datalist rp audio video canvas";
        let inside = match tag {
            _ if hidden.split(' ').any(|it| it == tag) => return,
            "td" | "th" | "button" | "select" | "textarea" => " ",
            "html" | "body" | "address" | "article" | "aside" | "blockquote" | "br" | "caption" | "center" | "dd"
            | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer"
            | "form" | "frame" | "frameset" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "hr"
            | "legend" | "li" | "listing" | "main" | "menu" | "nav" | "ol" | "optgroup" | "option" | "p"
            | "plaintext" | "pre" | "search" | "section" | "summary" | "table" | "tbody" | "tfoot" | "thead" | "tr"
            | "ul" | "xmp" => "\u{1}",
            _ => "",
        };
        *out += inside;
        if has("hidden").is_none() && !displays.is_some_and(|style| style.contains("display:none")) {
            *out += &if pre { text.replace('\n', "\u{1}") } else { text.clone() };
            let pre = pre || matches!(tag, "pre" | "textarea" | "listing" | "xmp");
            for &child in children {
                self.mark(child, pre, out);
            }
        }
        *out += inside;
    }
}

/// The name of every tag that the tests make pages of.
pub const TAGS: [&str; 62] = [
    "a",
    "b",
    "i",
    "em",
    "font",
    "nobr",
    "code",
    "p",
    "div",
    "span",
    "h1",
    "h2",
    "ul",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "caption",
    "colgroup",
    "col",
    "tbody",
    "thead",
    "tr",
    "td",
    "th",
    "form",
    "input",
    "button",
    "select",
    "option",
    "optgroup",
    "textarea",
    "title",
    "script",
    "style",
    "xmp",
    "iframe",
    "noscript",
    "template",
    "svg",
    "math",
    "mi",
    "foreignObject",
    "desc",
    "annotation-xml",
    "html",
    "head",
    "body",
    "frameset",
    "frame",
    "br",
    "img",
    "image",
    "hr",
    "pre",
    "object",
    "ruby",
    "rp",
    "rt",
    "plaintext",
    "x-own",
];
