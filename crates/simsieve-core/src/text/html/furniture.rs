//! What may be furniture of a page: menus, headers, footers and the like, by tag, role, class and id.

use html5ever::{LocalName, local_name};

use crate::base::hash::xxh3_64;

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

/// Words beside those of [`FURNITURE`] that tell of a page's layout or state, as in `no-sidebar`, `ad-free`, `nav-fixed`.
const STATES: [&str; 32] = [
    "accepted",
    "active",
    "allowed",
    "closed",
    "collapsed",
    "disabled",
    "enabled",
    "expanded",
    "fixed",
    "free",
    "has",
    "have",
    "hidden",
    "hide",
    "is",
    "no",
    "non",
    "none",
    "not",
    "off",
    "on",
    "one",
    "open",
    "set",
    "show",
    "static",
    "sticky",
    "two",
    "visible",
    "with",
    "without",
    "wo",
];

/// By what an element may be furniture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Its tag, its role or a whole class or id.
    Name,
    /// The same, of comments.
    Comments,
    /// A word in a class or id, by its hash.
    Word(u64),
}

/// What a class or id of one name says: `None` where it has no word of furniture, or tells of a state.
fn sign_of(name: &[u8]) -> Option<Sign> {
    let words = || {
        name.split(|byte| !byte.is_ascii_alphanumeric())
            .filter(|word| word.len() > 1)
    };
    let is_one = |word: &[u8], names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()));
    if !words().any(|word| is_one(word, &FURNITURE)) || words().any(|word| is_one(word, &STATES)) {
        None
    } else if words().all(|word| is_one(word, &["comment", "comments", "respond"])) {
        Some(Sign::Comments)
    } else if words().all(|word| is_one(word, &FURNITURE)) {
        Some(Sign::Name)
    } else {
        // Page builders make every part of a page a widget.
        let counts = words().any(|word| is_one(word, &FURNITURE) && !is_one(word, &["widget", "widgets"]));
        counts.then(|| Sign::Word(xxh3_64(name)))
    }
}

/// By what an element may be furniture.
pub(super) fn signs<'a>(name: &LocalName, attributes: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Vec<Sign> {
    match *name {
        local_name!("nav")
        | local_name!("footer")
        | local_name!("aside")
        | local_name!("dialog")
        | local_name!("menu") => return vec![Sign::Name],
        local_name!("html")
        | local_name!("body")
        | local_name!("main")
        | local_name!("article")
        | local_name!("h1") => return Vec::new(),
        _ => {}
    }
    let mut found = Vec::new();
    for (name, value) in attributes {
        if name == b"role" {
            if ROLES.iter().any(|role| value.eq_ignore_ascii_case(role)) {
                found.push(Sign::Name);
            } else if value.eq_ignore_ascii_case(b"main") {
                return Vec::new();
            }
        } else if name == b"class" || name == b"id" {
            found.extend(value.split(u8::is_ascii_whitespace).filter_map(sign_of));
        }
    }
    found
}
