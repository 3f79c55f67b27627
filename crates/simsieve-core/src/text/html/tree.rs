//! The flat tree of a page: nodes are numbers, walked and dropped without recursion.

use html5ever::{LocalName, Namespace};
use memchr::memchr;

/// Bytes of attributes and texts that stay reserved for the next page.
const KEPT_BYTES: usize = 1 << 20;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// The document, which every tree has.
pub(super) const DOCUMENT: u32 = 0;

/// The kind of a node.
#[derive(Debug, Clone)]
pub(super) enum NodeKind {
    Document,
    /// `own`: a start tag of the page made it; otherwise the parser invented it. `attributes`: their place; an element
    /// that is opened again has those of the first.
    Element {
        space: Namespace,
        name: LocalName,
        own: bool,
        attributes: (u32, u32),
        /// HTML goes on inside of this `MathML` element.
        integrates: bool,
    },
    /// Where the text is in the texts of the tree.
    Text {
        at: (u32, u32),
    },
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub kind: NodeKind,
    pub parent: u32,
    first: u32,
    last: u32,
    before: u32,
    after: u32,
}

/// The nodes of a page. Node 0 is the document.
#[derive(Debug, Default, Clone)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// The attributes of all tags: 0, the name, a space, the value; the space is missing before an empty value.
    pub attributes: Vec<u8>,
    /// All texts, character references resolved.
    texts: String,
}

impl Tree {
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.attributes.clear();
        self.attributes.shrink_to(KEPT_BYTES);
        self.texts.clear();
        self.texts.shrink_to(KEPT_BYTES);
        self.add(NodeKind::Document);
    }

    pub fn add(&mut self, kind: NodeKind) -> u32 {
        self.nodes.push(Node {
            kind,
            parent: NONE,
            first: NONE,
            last: NONE,
            before: NONE,
            after: NONE,
        });
        (self.nodes.len() - 1) as u32
    }

    pub fn add_text(&mut self, text: &str) -> u32 {
        let start = self.texts.len();
        self.texts.push_str(text);
        let at = (start as u32, self.texts.len() as u32);
        self.add(NodeKind::Text { at })
    }

    pub fn text_at(&self, at: (u32, u32)) -> &str {
        &self.texts[at.0 as usize..at.1 as usize]
    }

    /// The attributes of a tag as (name, value), names in lower case; the first of a repeated name counts.
    pub fn attributes_at(&self, at: (u32, u32)) -> impl Iterator<Item = (&[u8], &[u8])> {
        let parts = self.attributes[at.0 as usize..at.1 as usize].split(|&byte| byte == 0);
        parts.skip(1).map(|part| match memchr(b' ', part) {
            Some(end) => (&part[..end], &part[end + 1..]),
            None => (part, &b""[..]),
        })
    }

    /// The name of an element and the place of its attributes; `None` of any other node.
    pub fn element(&self, node: u32) -> Option<(&LocalName, (u32, u32))> {
        match &self.nodes.get(node as usize)?.kind {
            NodeKind::Element { name, attributes, .. } => Some((name, *attributes)),
            _ => None,
        }
    }

    fn node(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    pub fn detach(&mut self, node: u32) {
        let Node {
            parent, before, after, ..
        } = *self.node(node);
        if parent == NONE {
            return;
        }
        if before == NONE {
            self.node(parent).first = after;
        } else {
            self.node(before).after = after;
        }
        if after == NONE {
            self.node(parent).last = before;
        } else {
            self.node(after).before = before;
        }
        let node = self.node(node);
        (node.parent, node.before, node.after) = (NONE, NONE, NONE);
    }

    /// Puts a node among the children of `parent`, before `after` or, if that is [`NONE`], as the last.
    pub fn insert(&mut self, parent: u32, after: u32, node: u32) {
        self.detach(node);
        let before = if after == NONE {
            self.node(parent).last
        } else {
            self.node(after).before
        };
        let inserted = self.node(node);
        (inserted.parent, inserted.before, inserted.after) = (parent, before, after);
        if before == NONE {
            self.node(parent).first = node;
        } else {
            self.node(before).after = node;
        }
        if after == NONE {
            self.node(parent).last = node;
        } else {
            self.node(after).before = node;
        }
    }

    /// The first child, or [`NONE`].
    pub fn first_child(&self, node: u32) -> u32 {
        self.nodes[node as usize].first
    }

    /// The next child of the same parent, or [`NONE`].
    pub fn next_sibling(&self, node: u32) -> u32 {
        self.nodes[node as usize].after
    }

    /// The child of the same parent before this one, or [`NONE`].
    pub fn previous_sibling(&self, node: u32) -> u32 {
        self.nodes[node as usize].before
    }

    /// The children of a node.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let after = |child: &u32| Some(self.next_sibling(*child)).filter(|next| *next != NONE);
        std::iter::successors(Some(self.first_child(node)).filter(|first| *first != NONE), after)
    }

    /// The next node after `node` in document order that is no descendant: (that node, its levels above `node`);
    /// [`NONE`] if `top` ends first.
    pub fn skip(&self, mut node: u32, top: u32) -> (u32, u32) {
        let mut up = 0;
        while node != top {
            let here = &self.nodes[node as usize];
            if here.after != NONE {
                return (here.after, up);
            }
            node = here.parent;
            up += 1;
        }
        (NONE, up)
    }
}
