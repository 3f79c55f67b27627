//! What tells one picture of a page from another: its address and its words, or what it is drawn of.

use html5ever::{LocalName, local_name};

use super::tree::{NONE, NodeKind, Tree};
use crate::base::hash::xxh3_64;

/// Whether the words of a picture are a formula, which is text: they have a digit or a sign of formulas. Other words are alike on many
/// pages of a site, or no part of a sentence.
pub(super) fn is_formula(alt: &str) -> bool {
    alt.contains(|sign: char| sign.is_numeric() || r"\^=<>".contains(sign))
}

/// The attributes that say what is shown; pages that load pictures late have the address in one of their own.
const ADDRESSES: [&[u8]; 12] = [
    b"alt",
    b"src",
    b"srcset",
    b"data",
    b"poster",
    b"href",
    b"xlink:href",
    b"data-src",
    b"data-srcset",
    b"data-original",
    b"data-lazy-src",
    b"data-actualsrc",
];

/// Whether an element shows or plays what no text says.
pub(super) fn is_picture(name: &LocalName) -> bool {
    *name == local_name!("svg")
        || plays(name)
        || matches!(
            *name,
            local_name!("img")
                | local_name!("source")
                | local_name!("input")
                | local_name!("embed")
                | local_name!("object")
        )
}

/// Whether an element plays what pages without it say by other elements inside.
pub(super) fn plays(name: &LocalName) -> bool {
    matches!(*name, local_name!("video") | local_name!("audio"))
}

/// A digest of the content of a picture; `None` if the page does not give it.
pub(super) fn digest(tree: &Tree, picture: u32) -> Option<u64> {
    let (name, attributes) = tree.element(picture)?;
    let mut content = Vec::new();
    if plays(name) || *name == local_name!("svg") {
        let mut node = picture;
        while node != NONE {
            match &tree.nodes[node as usize].kind {
                NodeKind::Document => {}
                NodeKind::Text { at } => content.extend(tree.text_at(*at).trim_ascii().bytes()),
                NodeKind::Element { name, attributes, .. } => {
                    content.extend(name.bytes());
                    for (name, value) in tree.attributes_at(*attributes) {
                        content.extend([b"\0", name, b" ", value].concat());
                    }
                }
            }
            content.push(0);
            let child = tree.first_child(node);
            node = if child == NONE {
                tree.skip(node, picture).0
            } else {
                child
            };
        }
    } else {
        for (name, value) in tree.attributes_at(attributes) {
            if ADDRESSES.contains(&name) && !value.trim_ascii().is_empty() {
                content.extend([name, b" ", value.trim_ascii(), b"\0"].concat());
            }
        }
    }
    (!content.is_empty()).then(|| xxh3_64(&content))
}
