//! Signs beside a number: relations, and what joins two numbers.

/// Relations, each with its plain form; the longer ones come first.
const RELATIONS: &[(&str, &str)] = &[
    ("<=", "≤"),
    (">=", "≥"),
    ("!=", "≠"),
    ("=<", "≤"),
    ("=>", "≥"),
    ("≦", "≤"),
    ("⩽", "≤"),
    ("≧", "≥"),
    ("⩾", "≥"),
    ("≤", "≤"),
    ("≥", "≥"),
    ("≮", "≥"),
    ("≯", "≤"),
    ("≠", "≠"),
    ("≈", "≈"),
    ("<", "<"),
    (">", ">"),
    ("±", "±"),
    ("∓", "±"),
    ("×", "×"),
    ("÷", "÷"),
];

/// What joins two numbers without spaces, each with its plain form.
const JOINTS: &[(&str, &str)] = &[
    ("-", "-"),
    ("−", "-"),
    ("‐", "-"),
    ("–", "-"),
    ("—", "-"),
    ("~", "-"),
    ("〜", "-"),
    ("至", "-"),
    ("到", "-"),
    ("/", "/"),
    ("⁄", "/"),
    ("∕", "/"),
    (":", ":"),
    ("∶", ":"),
];

/// The relation at the end of a text.
pub(super) fn relation_before(before: &str) -> Option<&'static str> {
    RELATIONS
        .iter()
        .find(|(sign, _)| before.ends_with(sign))
        .map(|row| row.1)
}

/// A relation behind a number, and its end.
pub(super) fn relation_behind(text: &str, end: usize) -> Option<(&'static str, usize)> {
    let rest = &text[end..];
    let trimmed = rest.strip_prefix(' ').unwrap_or(rest);
    let spaces = rest.len() - trimmed.len();
    if let Some((sign, plain)) = RELATIONS.iter().find(|(sign, _)| trimmed.starts_with(sign)) {
        return Some((plain, end + spaces + sign.len()));
    }
    // 5+x and 5 + x; 18+ is none.
    let right = trimmed.strip_prefix('+')?;
    let operand = if spaces > 0 { right.strip_prefix(' ')? } else { right };
    let is_term = operand.starts_with(|sign: char| sign.is_alphabetic() || sign == '(');
    is_term.then_some(("+", end + spaces + 1))
}

/// What joins the number that ends at a place with the next one, and where that begins.
pub(super) fn connector(text: &str, end: usize) -> Option<(&'static str, usize)> {
    let rest = &text[end..];
    if let Some((sign, plain)) = JOINTS.iter().find(|(sign, _)| rest.starts_with(sign)) {
        return Some((plain, end + sign.len()));
    }
    let trimmed = rest.trim_start_matches(' ');
    let signs = RELATIONS
        .iter()
        .chain(&[("=", "="), ("+", "+"), ("−", "-"), ("*", "×")]);
    let (sign, plain) = signs.into_iter().find(|(sign, _)| trimmed.starts_with(sign))?;
    let behind = trimmed[sign.len()..].trim_start_matches(' ');
    Some((plain, text.len() - behind.len()))
}
