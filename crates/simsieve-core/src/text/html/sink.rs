//! The sink of html5ever's tree builder: its operations become a [`Tree`].

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name, ns};

use super::tree::{DOCUMENT, NONE, NodeKind, Tree};

/// The attribute with the place of a formatting element's attributes.
pub(super) const PLACE: &str = "place";

/// The sink of the tree builder.
#[derive(Default)]
pub(super) struct Sink {
    pub tree: RefCell<Tree>,
    /// The current start tag: its name, the place of its attributes, and its element so far.
    pub tag: RefCell<(LocalName, (u32, u32))>,
    pub made: Cell<u32>,
    pub created: Cell<usize>,
}

/// The name of an element, for the tree builder.
#[derive(Debug)]
pub(super) struct Name(Namespace, LocalName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0
    }

    fn local_name(&self) -> &LocalName {
        &self.1
    }
}

/// The place that the value of [`PLACE`] names.
fn place_of(value: &str) -> Option<(u32, u32)> {
    let (start, end) = value.split_once(' ')?;
    Some((start.parse().ok()?, end.parse().ok()?))
}

impl Sink {
    fn child(&self, child: NodeOrText<u32>) -> u32 {
        match child {
            NodeOrText::AppendNode(node) => node,
            NodeOrText::AppendText(text) => self.tree.borrow_mut().add_text(&text),
        }
    }
}

impl TreeSink for Sink {
    type Handle = u32;
    type Output = ();
    type ElemName<'a> = Name;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        DOCUMENT
    }

    fn elem_name(&self, target: &u32) -> Name {
        match &self.tree.borrow().nodes[*target as usize].kind {
            NodeKind::Element { space, name, .. } => Name(space.clone(), name.clone()),
            _ => Name(ns!(), local_name!("")),
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> u32 {
        let (tag, place) = &*self.tag.borrow();
        let own =
            name.local.eq_ignore_ascii_case(tag) || (*tag == local_name!("image") && name.local == local_name!("img"));
        let mut tree = self.tree.borrow_mut();
        if own {
            // The last of several elements with the tag's name is its own: the others are opened again before it.
            if let Some(NodeKind::Element { own, .. }) =
                tree.nodes.get_mut(self.made.get() as usize).map(|node| &mut node.kind)
            {
                *own = false;
            }
        }
        let again = attributes.first().filter(|attribute| &*attribute.name.local == PLACE);
        let attributes = match again {
            Some(attribute) => place_of(&attribute.value),
            None => own.then_some(*place),
        };
        self.created.set(self.created.get() + 1);
        let node = tree.add(NodeKind::Element {
            space: name.ns,
            name: name.local,
            own,
            attributes: attributes.unwrap_or_default(),
            integrates: flags.mathml_annotation_xml_integration_point,
        });
        if own {
            self.made.set(node);
        }
        node
    }

    fn create_comment(&self, _: StrTendril) -> u32 {
        self.tree.borrow_mut().add(NodeKind::Document)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        self.tree.borrow_mut().add(NodeKind::Document)
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        let child = self.child(child);
        self.tree.borrow_mut().insert(*parent, NONE, child);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        let has_parent = self.tree.borrow().nodes[*element as usize].parent != NONE;
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// Here the contents of a template are its children.
    fn get_template_contents(&self, target: &u32) -> u32 {
        *target
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let child = self.child(child);
        let mut tree = self.tree.borrow_mut();
        let parent = tree.nodes[*sibling as usize].parent;
        tree.insert(parent, *sibling, child);
    }

    fn add_attrs_if_missing(&self, _: &u32, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &u32) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let mut tree = self.tree.borrow_mut();
        loop {
            let child = tree.first_child(*node);
            if child == NONE {
                break;
            }
            tree.insert(*new_parent, NONE, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &u32) -> bool {
        let tree = self.tree.borrow();
        matches!(
            tree.nodes[*target as usize].kind,
            NodeKind::Element { integrates: true, .. }
        )
    }
}
