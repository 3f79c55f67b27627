//! Formulas in TeX, read as the signs that they print: `\frac{1}{2}` is 1/2, `\ge 5` is ≥5.

use std::borrow::Cow;

/// Commands with the sign of each. The exact form has them in lower case.
const SIGNS: &[(&str, &str)] = &[
    ("le", "≤"),
    ("leq", "≤"),
    ("leqslant", "≤"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("geqslant", "≥"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("lt", "<"),
    ("gt", ">"),
    ("approx", "≈"),
    ("equiv", "≡"),
    ("in", "∈"),
    ("notin", "∉"),
    ("times", "×"),
    ("cdot", "×"),
    ("div", "÷"),
    ("pm", "±"),
    ("infty", "∞"),
    ("left", ""),
    ("right", ""),
    ("vert", "|"),
];

/// The text with the commands of TeX that belong to numbers as signs.
///
/// Complexity: linear in the text.
pub(super) fn in_signs(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let (command, after) = behind.split_at(behind.bytes().take_while(u8::is_ascii_alphabetic).count());
        rest = after;
        if let Some((_, sign)) = SIGNS.iter().find(|(name, _)| *name == command) {
            out.push_str(sign);
            rest = after.strip_prefix(' ').unwrap_or(after);
        } else if matches!(command, "frac" | "dfrac" | "tfrac" | "cfrac")
            && let Some((above, behind)) = group(after, '{', '}')
            && let Some((below, behind)) = group(behind, '{', '}')
        {
            // 1 and a half is not 11/2.
            let gap = if out.ends_with(|sign: char| sign.is_ascii_digit()) {
                " "
            } else {
                ""
            };
            out.extend([gap, above, "/", below]);
            rest = behind;
        } else if command == "sqrt" {
            let (index, behind) = group(after, '[', ']').unwrap_or(("", after));
            out.extend([if index.is_empty() { "" } else { "^" }, index, "√"]);
            rest = behind;
            if let Some((inside, behind)) = group(behind, '{', '}') {
                out.push_str(inside);
                rest = behind;
            }
        } else if matches!(command, "overline" | "bar" | "dot")
            && let Some((inside, behind)) = group(after, '{', '}')
        {
            out.extend(inside.chars().flat_map(|sign| [sign, '\u{305}']));
            rest = behind;
        } else {
            // The sign stays: a text of the two sides may be no formula.
            out.push('\\');
            out.push_str(command);
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Bytes in brackets that are read at most.
const INSIDE: usize = 32;

/// What is in brackets at the beginning of a text, without others in it, and what is behind them.
fn group(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(' ').strip_prefix(open)?;
    let is_bracket = |byte: u8| matches!(byte, b'{' | b'}' | b'[' | b']');
    let end = text.bytes().take(INSIDE).position(is_bracket)?;
    Some((&text[..end], text[end..].strip_prefix(close)?))
}
