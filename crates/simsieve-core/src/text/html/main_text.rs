//! The main text of a page: its text without menus, headers, footers and lists of links.
//!
//! The rule has three steps. (1) Elements that are furniture by their tag, their `role` or their class or id are dropped,
//! unless they hold too much of the text. (2) The main element is `main` or the largest `article`, if it has a third of
//! the text outside of links; else the deepest element with most of that text. (3) Blocks inside whose text is mostly
//! links are dropped. If nothing remains, the result is the whole visible text.
//!
//! Compared with other extractors in `docs/explanation/dom.md`. The idea of link density is Kohlschütter's (Boilerplate
//! detection using shallow text features, WSDM 2010, section 3).

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use super::formula::styled;
use super::furniture::{Sign, signs};
use super::text::{Marks, Show, is_left_out, shown, write, write_all};
use super::tree::{DOCUMENT, NONE, NodeKind, Tree};

/// `main`, or the largest `article`, is used if it has at least a third of the text outside of links.
const BELIEVED: (u64, u64) = (1, 3);
/// An element has most of the text if it has at least three quarters of its parent's.
const MOST: (u64, u64) = (3, 4);
/// A block is an article's or a heading's if that is at least half of its text.
const MOSTLY_ONE: (u64, u64) = (1, 2);
/// A block is furniture if more than half of its text is links.
const LINKED: (u64, u64) = (1, 2);

/// A name of furniture, its tag, role or whole class, does not count for an element with more than this of the text.
const TOO_MUCH: (u64, u64) = (1, 2);
/// As [`TOO_MUCH`], for comments, which may be longer than what they are about.
const TOO_MANY_COMMENTS: (u64, u64) = (3, 4);
/// As [`TOO_MUCH`], for a word inside of a class, and for all elements with that class together.
const TOO_MUCH_FOR_A_WORD: (u64, u64) = (1, 3);

/// The measures of an element: bytes of shown text below it, without white space, and those in links.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Mass {
    all: u64,
    linked: u64,
    /// Its place in the walk at which its last descendant stands.
    end: u32,
    left_out: bool,
}

impl Mass {
    const fn plain(self) -> u64 {
        self.all - self.linked
    }
}

const fn at_least(part: u64, whole: u64, share: (u64, u64)) -> bool {
    part * share.1 >= whole * share.0
}

/// Weighs every node; `order` gets the nodes that are shown, in document order, and `marked` those with a sign, by their
/// place in it.
fn weigh(tree: &Tree, room: &mut MainTextScratch) {
    let MainTextScratch { masses, order, marked } = room;
    masses.clear();
    masses.resize(tree.nodes.len(), Mass::default());
    order.clear();
    marked.clear();
    let mut node = DOCUMENT;
    let mut link = NONE;
    while node != NONE {
        let mut child = tree.first_child(node);
        let place = order.len() as u32;
        order.push(node);
        masses[node as usize].end = place;
        match &tree.nodes[node as usize].kind {
            NodeKind::Document => {}
            NodeKind::Text { at } => {
                let bytes = tree
                    .text_at(*at)
                    .bytes()
                    .filter(|byte| !byte.is_ascii_whitespace())
                    .count() as u64;
                masses[node as usize].all = bytes;
                masses[node as usize].linked = if link == NONE { 0 } else { bytes };
            }
            NodeKind::Element { name, attributes, .. } => {
                // A list to choose from is no text, however long.
                let is_control = matches!(*name, local_name!("button") | local_name!("select"));
                if is_control || is_left_out(tree, node, false) || styled(tree, *attributes).hidden {
                    masses[node as usize].left_out = true;
                    child = NONE;
                } else {
                    marked.extend(
                        signs(name, tree.attributes_at(*attributes))
                            .into_iter()
                            .map(|sign| (place, sign)),
                    );
                    if link == NONE && *name == local_name!("a") && child != NONE {
                        link = node;
                    }
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
    add_up(tree, masses, order);
}

/// Adds the masses to those above.
fn add_up(tree: &Tree, masses: &mut [Mass], order: &[u32]) {
    for &node in order.iter().rev() {
        let mass = masses[node as usize];
        let parent = tree.nodes[node as usize].parent;
        if parent != NONE {
            let above = &mut masses[parent as usize];
            above.end = above.end.max(mass.end);
            above.all += mass.all;
            above.linked += mass.linked;
        }
    }
}

/// What is never furniture, by place: each `main`, the outer `article`s, and the largest `h1`, the last two with their text.
#[derive(Default)]
struct Cores {
    mains: Vec<u32>,
    articles: Vec<(u32, u64)>,
    heading: Option<(u32, u64)>,
    /// For each place the text of the `article` or `main` that it is in, else that of the page.
    around: Vec<u64>,
}

impl Cores {
    fn of(tree: &Tree, masses: &[Mass], order: &[u32]) -> Self {
        let mut cores = Self::default();
        // The ends of the parts that the place is in, and their text.
        let mut within: Vec<(u32, u64)> = vec![(u32::MAX, masses[DOCUMENT as usize].plain())];
        let mut articles_end = 0;
        for (place, &node) in (0..).zip(order) {
            let mass = masses[node as usize];
            while within.last().is_some_and(|&(end, _)| end < place) {
                within.pop();
            }
            cores.around.push(within.last().map_or(0, |&(_, text)| text));
            let Some((name, at)) = tree.element(node) else {
                continue;
            };
            if is_main(tree, name, at) {
                cores.mains.push(place);
            } else if *name == local_name!("article") {
                if place > articles_end {
                    cores.articles.push((place, mass.all));
                    articles_end = mass.end;
                }
            } else {
                if *name == local_name!("h1") && cores.heading.is_none_or(|(_, text)| mass.all > text) {
                    cores.heading = Some((place, mass.all));
                }
                continue;
            }
            within.push((mass.end, mass.plain()));
        }
        cores
    }

    /// Whether an element has a `main` in it, or is mostly one `article` or the heading.
    fn are_most_of(&self, place: u32, mass: Mass) -> bool {
        let holds = |part: u32| (place..=mass.end).contains(&part);
        let is_most = |&(part, text): &(u32, u64)| text > 0 && holds(part) && at_least(text, mass.all, MOSTLY_ONE);
        let next = self.mains.partition_point(|&main| main < place);
        let inside = &self.articles[self.articles.partition_point(|&(article, _)| article < place)..];
        let is_alone = inside.get(1).is_none_or(|&(article, _)| !holds(article));
        self.mains.get(next).is_some_and(|&main| holds(main))
            || is_alone && inside.first().is_some_and(is_most)
            || self.heading.as_ref().is_some_and(is_most)
    }

    /// Whether there is one outside of an element.
    fn are_outside_of(&self, place: u32, mass: Mass) -> bool {
        let is_outside = |part: u32| !(place..=mass.end).contains(&part);
        let mut mains = self.mains.first().into_iter().chain(self.mains.last());
        let articles = self.articles.first().into_iter().chain(self.articles.last());
        mains.any(|&main| is_outside(main)) || articles.chain(&self.heading).any(|&(part, _)| is_outside(part))
    }
}

/// Leaves furniture out: elements with a sign that do not hold too much of the page's text, or of the `article` or `main`
/// that they are in, and have no `main` in them, and are not mostly one `article` or `h1`.
fn leave_furniture_out(tree: &Tree, room: &mut MainTextScratch) {
    let MainTextScratch { masses, order, marked } = room;
    if marked.is_empty() {
        return;
    }
    // Of the elements with one class the outer ones, so that none is counted twice.
    let mut classes: HashMap<u64, (u64, u32)> = HashMap::new();
    for &(place, sign) in &*marked {
        if let Sign::Word(class) = sign {
            let mass = masses[order[place as usize] as usize];
            let (sum, end) = classes.entry(class).or_default();
            if *sum == 0 || place > *end {
                (*sum, *end) = (*sum + mass.plain(), mass.end);
            }
        }
    }
    let cores = Cores::of(tree, masses, order);
    let mut until = 0;
    for &(place, sign) in &*marked {
        let node = order[place as usize] as usize;
        let mass = masses[node];
        if place < until {
            continue;
        }
        let exceeds = |part: u64, share: (u64, u64)| part * share.1 > cores.around[place as usize] * share.0;
        let stays = match sign {
            Sign::Name => exceeds(mass.plain(), TOO_MUCH) || cores.are_most_of(place, mass),
            Sign::Comments => exceeds(mass.plain(), TOO_MANY_COMMENTS) && !cores.are_outside_of(place, mass),
            Sign::Word(class) => {
                let all = classes.get(&class).map_or(0, |&(sum, _)| sum);
                exceeds(all.max(mass.plain()), TOO_MUCH_FOR_A_WORD) || cores.are_most_of(place, mass)
            }
        };
        if !stays {
            masses[node].left_out = true;
            until = mass.end + 1;
            for &inside in &order[place as usize..until as usize] {
                (masses[inside as usize].all, masses[inside as usize].linked) = (0, 0);
            }
        }
    }
    for &node in &*order {
        if !matches!(tree.nodes[node as usize].kind, NodeKind::Text { .. }) {
            let mass = &mut masses[node as usize];
            (mass.all, mass.linked) = (0, 0);
        }
    }
    add_up(tree, masses, order);
}

/// Whether an element is `main` by its tag or role.
fn is_main(tree: &Tree, name: &LocalName, attributes: (u32, u32)) -> bool {
    let role = || {
        tree.attributes_at(attributes)
            .any(|(name, value)| name == b"role" && value.eq_ignore_ascii_case(b"main"))
    };
    *name == local_name!("main") || role()
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
fn main_element(tree: &Tree, masses: &[Mass], order: &[u32]) -> u32 {
    let plain = |node: u32| masses[node as usize].plain();
    let whole = plain(DOCUMENT);
    let named = |wanted: &dyn Fn(&LocalName, (u32, u32)) -> bool| {
        let fits = |&node: &u32| tree.element(node).is_some_and(|(name, at)| wanted(name, at));
        // The first of equal ones.
        let found = order
            .iter()
            .copied()
            .filter(fits)
            .rev()
            .max_by_key(|&node| plain(node))?;
        at_least(plain(found), whole, BELIEVED).then_some(found)
    };
    let is_article = |name: &LocalName, _: (u32, u32)| *name == local_name!("article");
    if let Some(found) = named(&|name, at| is_main(tree, name, at)).or_else(|| named(&is_article)) {
        return found;
    }
    let mut node = DOCUMENT;
    loop {
        let mut child = tree.first_child(node);
        while child != NONE {
            let holds = tree.element(child).is_some_and(|(name, _)| is_container(name));
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
    marked: Vec<(u32, Sign)>,
}

/// Writes the main text of a parsed page.
pub(super) fn write_main(tree: &Tree, room: &mut MainTextScratch, marks: Marks, out: &mut String) {
    weigh(tree, room);
    leave_furniture_out(tree, room);
    let MainTextScratch { masses, order, .. } = room;
    let top = main_element(tree, masses, order);
    let leave_out = |node: u32| {
        let mass = masses[node as usize];
        let heading_or_inline = || {
            tree.element(node).is_some_and(|(name, _)| {
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
    if !write(tree, (top, marks, false), out, leave_out) {
        write_all(tree, marks, out);
    }
}
