//! The main text of a page: its text without menus, headers, footers and lists of links.
//!
//! The rule has three steps. (1) Elements that are furniture by their tag, their `role` or a word of their class or id
//! are dropped. (2) The main element is `main` or the largest `article`, if it has a third of the text outside of
//! links; else the deepest element with most of that text. (3) Blocks inside whose text is mostly links are dropped. If
//! nothing remains, the result is the whole visible text.
//!
//! Compared with other extractors in `docs/explanation/dom.md`. The idea of link density is Kohlschütter's (Boilerplate
//! detection using shallow text features, WSDM 2010, section 3).

use html5ever::{LocalName, local_name};

use super::entity::{self, Place};
use super::text::{Show, hides_itself, shown, write, write_all};
use super::token::{Attributes, is_space};
use super::tree::{DOCUMENT, Kind, NONE, Tree};

/// `main`, or the largest `article`, is used if it has at least a third of the text outside of links.
const BELIEVED: (u64, u64) = (1, 3);
/// An element has most of the text if it has at least three quarters of its parent's.
const MOST: (u64, u64) = (3, 4);
/// A block is furniture if more than half of its text is links.
const LINKED: (u64, u64) = (1, 2);

/// Words of a class or id that name furniture.
const FURNITURE: [&str; 34] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "banner",
    "breadcrumb",
    "breadcrumbs",
    "comment",
    "comments",
    "cookie",
    "cookies",
    "footer",
    "masthead",
    "menu",
    "nav",
    "navbar",
    "navheader",
    "navfooter",
    "navigation",
    "pager",
    "pagination",
    "popup",
    "promo",
    "related",
    "respond",
    "share",
    "sharedaddy",
    "sharing",
    "sidebar",
    "social",
    "sphinxsidebar",
    "toolbar",
    "widget",
    "widgets",
];

const ROLES: [&[u8]; 6] = [
    b"navigation",
    b"banner",
    b"contentinfo",
    b"complementary",
    b"search",
    b"menu",
];

/// The measures of an element: bytes of shown text below it, without white space, and those in links.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Mass {
    all: u64,
    linked: u64,
    left_out: bool,
}

const fn at_least(part: u64, whole: u64, share: (u64, u64)) -> bool {
    part * share.1 >= whole * share.0
}

/// Whether a word of a class or id marks the element as furniture.
fn names_furniture(value: &[u8]) -> bool {
    value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .any(|word| word.len() > 1 && FURNITURE.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes())))
}

fn is_furniture(name: &LocalName, attributes: &[u8]) -> bool {
    match *name {
        local_name!("nav")
        | local_name!("footer")
        | local_name!("aside")
        | local_name!("button")
        | local_name!("select")
        | local_name!("dialog")
        | local_name!("menu") => return true,
        local_name!("html") | local_name!("body") | local_name!("main") | local_name!("article") => return false,
        _ => {}
    }
    Attributes::new(attributes).any(|(name, value)| {
        if name.eq_ignore_ascii_case(b"role") {
            ROLES.iter().any(|role| value.eq_ignore_ascii_case(role))
        } else {
            (name.eq_ignore_ascii_case(b"class") || name.eq_ignore_ascii_case(b"id")) && names_furniture(value)
        }
    })
}

fn visible_bytes(text: &[u8], literal: bool) -> u64 {
    let count = |text: &[u8]| text.iter().filter(|&&byte| !is_space(byte)).count() as u64;
    if literal || !text.contains(&b'&') {
        count(text)
    } else {
        count(entity::decode(text, Place::Text).as_bytes())
    }
}

/// Weighs every node; `order` gets the nodes that are shown, in document order.
fn weigh(tree: &Tree, page: &[u8], masses: &mut Vec<Mass>, order: &mut Vec<u32>) {
    masses.clear();
    masses.resize(tree.nodes.len(), Mass::default());
    order.clear();
    let mut node = DOCUMENT;
    let mut link = NONE;
    while node != NONE {
        let mut child = tree.first_child(node);
        order.push(node);
        match &tree.nodes[node as usize].kind {
            Kind::Document => {}
            Kind::Text { at, literal } => {
                let bytes = visible_bytes(&page[at.0 as usize..at.1 as usize], *literal);
                let linked = if link == NONE { 0 } else { bytes };
                masses[node as usize] = Mass {
                    all: bytes,
                    linked,
                    left_out: false,
                };
            }
            Kind::Element { name, attributes, .. } => {
                let attributes = &page[attributes.0 as usize..attributes.1 as usize];
                if shown(name) == Show::Hidden || hides_itself(attributes) || is_furniture(name, attributes) {
                    masses[node as usize].left_out = true;
                    child = NONE;
                } else if link == NONE && *name == local_name!("a") && child != NONE {
                    link = node;
                }
            }
        }
        if child != NONE {
            node = child;
            continue;
        }
        let (next, up) = tree.skip(node, DOCUMENT);
        // The end of a link: leave as many levels as the walk.
        let mut left = node;
        for _ in 0..=up {
            if left == link {
                link = NONE;
            }
            left = tree.nodes[left as usize].parent;
            if left == NONE {
                break;
            }
        }
        node = next;
    }
    for &node in order.iter().rev() {
        let Mass { all, linked, .. } = masses[node as usize];
        let parent = tree.nodes[node as usize].parent;
        if parent != NONE {
            masses[parent as usize].all += all;
            masses[parent as usize].linked += linked;
        }
    }
}

fn name_of(tree: &Tree, node: u32) -> Option<(&LocalName, (u32, u32))> {
    match &tree.nodes[node as usize].kind {
        Kind::Element { name, attributes, .. } => Some((name, *attributes)),
        _ => None,
    }
}

/// Whether an element is a container: a paragraph is never the main element.
fn is_container(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("html")
            | local_name!("body")
            | local_name!("div")
            | local_name!("section")
            | local_name!("article")
            | local_name!("main")
            | local_name!("center")
            | local_name!("form")
            | local_name!("table")
            | local_name!("tbody")
            | local_name!("tr")
            | local_name!("td")
    )
}

/// The element of the main text.
fn main_element(tree: &Tree, page: &[u8], masses: &[Mass], order: &[u32]) -> u32 {
    let plain = |node: u32| masses[node as usize].all - masses[node as usize].linked;
    let whole = plain(DOCUMENT);
    let named = |wanted: &dyn Fn(&LocalName, &[u8]) -> bool| {
        let fits = |&node: &u32| {
            name_of(tree, node).is_some_and(|(name, at)| wanted(name, &page[at.0 as usize..at.1 as usize]))
        };
        // The first of equal ones.
        let found = order
            .iter()
            .copied()
            .filter(fits)
            .rev()
            .max_by_key(|&node| plain(node))?;
        at_least(plain(found), whole, BELIEVED).then_some(found)
    };
    let is_main = |name: &LocalName, attributes: &[u8]| {
        let role = || {
            Attributes::new(attributes)
                .any(|(name, value)| name.eq_ignore_ascii_case(b"role") && value.eq_ignore_ascii_case(b"main"))
        };
        *name == local_name!("main") || role()
    };
    let is_article = |name: &LocalName, _: &[u8]| *name == local_name!("article");
    if let Some(found) = named(&is_main).or_else(|| named(&is_article)) {
        return found;
    }
    let mut node = DOCUMENT;
    loop {
        let mut child = tree.first_child(node);
        while child != NONE {
            let holds = name_of(tree, child).is_some_and(|(name, _)| is_container(name));
            if holds && at_least(plain(child), plain(node).max(1), MOST) {
                break;
            }
            child = tree.next_sibling(child);
        }
        if child == NONE {
            return node;
        }
        node = child;
    }
}

/// Memory that is reused from page to page.
#[derive(Debug, Default, Clone)]
pub(super) struct MainTextScratch {
    masses: Vec<Mass>,
    order: Vec<u32>,
}

/// Writes the main text of a parsed page.
pub(super) fn write_main(tree: &Tree, page: &str, room: &mut MainTextScratch, out: &mut String) {
    let MainTextScratch { masses, order } = room;
    weigh(tree, page.as_bytes(), masses, order);
    let top = main_element(tree, page.as_bytes(), masses, order);
    let leave_out = |node: u32| {
        let mass = masses[node as usize];
        let heading_or_inline = || {
            name_of(tree, node).is_some_and(|(name, _)| {
                shown(name) != Show::Block
                    || matches!(
                        *name,
                        local_name!("h1")
                            | local_name!("h2")
                            | local_name!("h3")
                            | local_name!("h4")
                            | local_name!("h5")
                            | local_name!("h6")
                    )
            })
        };
        mass.left_out || (mass.linked * LINKED.1 > mass.all * LINKED.0 && !heading_or_inline())
    };
    write(tree, page, top, out, leave_out);
    if out.is_empty() {
        write_all(tree, page, out);
    }
}
