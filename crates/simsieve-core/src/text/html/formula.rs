//! What markup says of digits and formulas: raised and lowered digits, fractions, roots, overlines, and formulas in TeX.
//!
//! The text says the same in characters: 10<sup>2</sup> is 10², a fraction 1/2, a root √2. A part that is more than one sign has
//! brackets, so that two formulas with one text are one formula. Letters of words stay as they are: 1<sup>st</sup> is 1st.

use html5ever::{LocalName, local_name, ns};
use memchr::memmem;

use super::tree::{NONE, NodeKind, Tree};
use crate::text::numbers::decimal;

/// How an element is shown in its line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// As its line.
    #[default]
    Plain,
    /// Raised.
    Above,
    /// Lowered.
    Below,
    /// With a line above it.
    Over,
    /// As a part of a formula, in brackets where it is more than one sign,
    Part,
    /// behind a sign.
    Behind(&'static str),
    /// Above the part before it: a line, or a limit.
    Accent,
    /// In brackets, with commas between.
    Fenced,
}

/// What an element says of itself by its style and other attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Styled {
    pub hidden: bool,
    pub role: Role,
}

/// Reads `hidden` and `style`.
pub(super) fn styled(tree: &Tree, attributes: (u32, u32)) -> Styled {
    let mut found = Styled {
        hidden: false,
        role: Role::Plain,
    };
    for (name, value) in tree.attributes_at(attributes) {
        match name {
            b"hidden" => found.hidden = true,
            b"style" => {
                let letters: Vec<u8> = value
                    .iter()
                    .filter(|byte| !byte.is_ascii_whitespace())
                    .map(u8::to_ascii_lowercase)
                    .collect();
                let says = |what: &str| memmem::find(&letters, what.as_bytes()).is_some();
                found.hidden |= says("display:none") || (says("text-decoration") && says("line-through"));
                for (what, role) in [
                    ("vertical-align:super", Role::Above),
                    ("vertical-align:sub", Role::Below),
                    ("text-decoration:overline", Role::Over),
                ] {
                    if says(what) {
                        found.role = role;
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The value of an attribute.
pub(super) fn value_of<'a>(tree: &'a Tree, attributes: (u32, u32), wanted: &[u8]) -> Option<&'a [u8]> {
    tree.attributes_at(attributes)
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

/// Whether an element is a formula in a script, as `MathJax` has it.
pub(super) fn is_formula(tree: &Tree, name: &LocalName, attributes: (u32, u32)) -> bool {
    let is_math = |value: &[u8]| value.len() > 5 && value[..5].eq_ignore_ascii_case(b"math/");
    *name == local_name!("script") && value_of(tree, attributes, b"type").is_some_and(is_math)
}

/// The role of an element by its name and, in `MathML`, as that child of its parent.
pub(super) fn role_of(tree: &Tree, node: u32, child: u32) -> Role {
    let NodeKind::Element { space, name, .. } = &tree.nodes[node as usize].kind else {
        return Role::Plain;
    };
    match *name {
        local_name!("sup") => return Role::Above,
        local_name!("sub") => return Role::Below,
        _ if *space != ns!(mathml) => return Role::Plain,
        local_name!("msqrt") => return Role::Behind("√"),
        local_name!("mfenced") => return Role::Fenced,
        _ => {}
    }
    let Some((parent, _)) = tree.element(tree.nodes[node as usize].parent) else {
        return Role::Plain;
    };
    match (&**parent, child) {
        ("mfenced", 1..) => Role::Behind(","),
        ("mfrac", 1) => Role::Behind("/"),
        ("mroot", 1) => Role::Behind("√"),
        ("mover", 1) => Role::Accent,
        ("msup" | "mroot" | "msubsup" | "munderover" | "mmultiscripts", _) if raises(parent, child) => Role::Above,
        ("msub" | "msubsup" | "munder" | "munderover" | "mmultiscripts", 1..) => Role::Below,
        ("mfrac" | "msup" | "msub" | "msubsup" | "munder" | "munderover" | "mmultiscripts", 0) => Role::Part,
        _ => Role::Plain,
    }
}

fn raises(name: &str, child: u32) -> bool {
    match name {
        "msup" => child == 1,
        "mroot" => child == 0,
        "mmultiscripts" => child > 0 && child.is_multiple_of(2),
        _ => child == 2,
    }
}

/// Whether an element of a formula is more than one sign.
pub(super) fn is_compound(tree: &Tree, mut node: u32) -> bool {
    loop {
        // Signs of one formula are few; a long text is no sign.
        let mut children = tree
            .children(node)
            .take(64)
            .filter(|child| tree.element(*child).is_some());
        match (children.next(), children.next()) {
            (None, _) => return false,
            (Some(only), None) => node = only,
            _ => return true,
        }
    }
}

/// Whether a formula is written in `MathML`, not only in a note or an attribute.
pub(super) fn is_written(tree: &Tree, math: u32) -> bool {
    let mut node = tree.first_child(math);
    while node != NONE {
        let (mut child, kind) = (tree.first_child(node), &tree.nodes[node as usize].kind);
        match kind {
            NodeKind::Text { at } if !tree.text_at(*at).trim_ascii().is_empty() => return true,
            NodeKind::Element { name, .. } if name.starts_with("annotation") => child = NONE,
            _ => {}
        }
        node = if child == NONE { tree.skip(node, math).0 } else { child };
    }
    false
}

/// Puts the formulas of a page in order: of a root its index first, and of a formula that `KaTeX` or `MathJax` has drawn its source alone.
pub(super) fn put_in_order(tree: &mut Tree) {
    for node in 0..tree.nodes.len() as u32 {
        let Some((name, attributes)) = tree.element(node) else {
            continue;
        };
        if *name == local_name!("mroot") {
            let children = tree.children(node).filter(|child| tree.element(*child).is_some());
            if let [base, index] = children.take(2).collect::<Vec<_>>()[..] {
                tree.insert(node, base, index);
            }
        } else if *name == local_name!("math") {
            let parent = tree.nodes[node as usize].parent;
            let is_drawn = |&near: &u32| {
                tree.element(near).is_some_and(|(name, attributes)| {
                    *name != local_name!("img") && value_of(tree, attributes, b"aria-hidden") == Some(b"true")
                })
            };
            let is_beside = |(name, _): (&LocalName, _)| *name == local_name!("span") || name.starts_with("mjx-");
            if tree.element(parent).is_some_and(is_beside) {
                let near = [tree.previous_sibling(parent), tree.next_sibling(parent)];
                near.into_iter()
                    .filter(is_drawn)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|near| tree.detach(near));
            }
        } else if is_formula(tree, name, attributes) {
            let is_drawn = |&before: &u32| {
                let class = tree.element(before).and_then(|(_, at)| value_of(tree, at, b"class"));
                class.is_some_and(|class| {
                    class
                        .split(u8::is_ascii_whitespace)
                        .any(|class| class.starts_with(b"MathJax"))
                })
            };
            let before = std::iter::successors(Some(node), |&node| {
                Some(tree.previous_sibling(node)).filter(|&node| node != NONE)
            });
            let drawn: Vec<u32> = before.skip(1).take(3).filter(is_drawn).collect();
            for node in drawn {
                tree.detach(node);
            }
        }
    }
}

const PLAIN: &str = "0123456789+-−=()aehijklmnoprstuvx";
const ABOVE: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾\0\0\0ⁱ\0\0\0\0ⁿ\0\0\0\0\0\0\0\0";
const BELOW: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕ\0\0ₖₗₘₙₒₚ\0ₛₜ\0\0ₓ";

/// A text as it is written above or below the line. Digits are, and beside them signs and single letters; words stay.
pub(super) fn raised(text: &str, role: Role) -> String {
    let forms = if role == Role::Above { ABOVE } else { BELOW };
    let written = |sign: char| {
        let plain = decimal(sign).unwrap_or(sign);
        let at = PLAIN.chars().position(|known| known == plain)?;
        forms.chars().nth(at).filter(|form| *form != '\0')
    };
    let letters = text.chars().filter(|sign| sign.is_alphabetic()).count();
    let digits = text.chars().filter(|sign| decimal(*sign).is_some()).count();
    if letters > 1 && digits == 0 {
        return text.to_owned();
    }
    let form = |sign| match sign {
        _ if letters > 1 && decimal(sign).is_none() => sign,
        _ => written(sign).unwrap_or(sign),
    };
    let out = text.chars().map(form).collect::<String>();
    let is_bare = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    let has_words = || text.chars().any(|sign| sign.is_alphabetic() && form(sign) == sign);
    if digits > 0 && is_bare(out.chars().next()) && is_bare(out.chars().next_back()) && has_words() {
        // x with 2a above it is not x² a.
        let around = if role == Role::Above {
            ['⁽', '⁾']
        } else {
            ['₍', '₎']
        };
        return format!("{}{out}{}", around[0], around[1]);
    }
    out
}

/// A text with a line above each of its digits.
pub(super) fn overlined(text: &str) -> String {
    let over = |sign: char| [Some(sign), decimal(sign).map(|_| '\u{305}')].into_iter().flatten();
    text.chars().flat_map(over).collect()
}

/// Whether what stands above a number is a line.
pub(super) fn is_line(text: &str) -> bool {
    matches!(text.trim(), "¯" | "‾" | "_" | "―" | "—" | "\u{305}" | "\u{304}")
}
