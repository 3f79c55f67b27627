//! What a list to choose from shows: `selectedcontent` has a copy of the content of the selected `option` (HTML standard,
//! section 4.10.7, "clone an option into a selectedcontent").

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use super::tree::{DOCUMENT, NONE, NodeKind, Tree};

/// The name of the element.
pub(super) const SELECTED: &str = "selectedcontent";

/// Fills the first `selectedcontent` of each `select` that allows one choice. One inside of an `option` stays as it is, so
/// no copy has a place for a copy, and nothing is copied twice.
pub(super) fn show_selected(tree: &mut Tree) {
    let mut places: HashMap<u32, u32> = HashMap::new();
    let mut chosen: HashMap<u32, u32> = HashMap::new();
    for node in below(tree, DOCUMENT) {
        if is_named(tree, node, |name| &**name == SELECTED) {
            if let Some(select) = select_of(tree, node, true).filter(|&select| !has(tree, select, b"multiple")) {
                places.entry(select).or_insert(node);
            }
        } else if is_named(tree, node, |name| *name == local_name!("option"))
            && let Some(select) = select_of(tree, node, false)
        {
            let is_said = has(tree, node, b"selected");
            if is_said || (!chosen.contains_key(&select) && !has(tree, node, b"disabled")) {
                chosen.insert(select, node);
            }
        }
    }
    let mut filled: Vec<(u32, u32)> = places
        .into_iter()
        .filter_map(|(select, place)| chosen.get(&select).map(|&option| (place, option)))
        .collect();
    filled.sort_unstable();
    for (place, option) in filled {
        while tree.first_child(place) != NONE {
            tree.detach(tree.first_child(place));
        }
        copy(tree, option, place);
    }
}

/// The nearest `select` around a node; if `alone`, none where the node is in an `option` or a `selectedcontent`.
fn select_of(tree: &Tree, node: u32, alone: bool) -> Option<u32> {
    let mut above = tree.nodes[node as usize].parent;
    let mut found = None;
    while above != NONE {
        if alone
            && is_named(tree, above, |name| {
                *name == local_name!("option") || &**name == SELECTED
            })
        {
            return None;
        }
        if found.is_none() && is_named(tree, above, |name| *name == local_name!("select")) {
            found = Some(above);
        }
        above = tree.nodes[above as usize].parent;
    }
    found
}

fn is_named(tree: &Tree, node: u32, named: impl Fn(&LocalName) -> bool) -> bool {
    matches!(&tree.nodes[node as usize].kind, NodeKind::Element { name, .. } if named(name))
}

fn has(tree: &Tree, node: u32, wanted: &[u8]) -> bool {
    match tree.nodes[node as usize].kind {
        NodeKind::Element { attributes, .. } => tree.attributes_at(attributes).any(|(name, _)| name == wanted),
        _ => false,
    }
}

/// The nodes below one, in document order.
fn below(tree: &Tree, top: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut node = top;
    loop {
        let child = tree.first_child(node);
        node = if child == NONE { tree.skip(node, top).0 } else { child };
        if node == NONE {
            return found;
        }
        found.push(node);
    }
}

/// Copies what is below one node to another; the page has no start tag of a copy.
fn copy(tree: &mut Tree, from: u32, to: u32) {
    let mut copies = HashMap::from([(from, to)]);
    for node in below(tree, from) {
        let (mut kind, parent) = (tree.nodes[node as usize].kind.clone(), tree.nodes[node as usize].parent);
        if let NodeKind::Element { own, .. } = &mut kind {
            *own = false;
        }
        let made = tree.add(kind);
        tree.insert(copies[&parent], NONE, made);
        copies.insert(node, made);
    }
}
