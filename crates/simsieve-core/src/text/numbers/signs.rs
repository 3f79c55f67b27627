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
    ("≰", ">"),
    ("≱", "<"),
    ("≠", "≠"),
    ("≈", "≈"),
    ("≉", "≉"),
    ("≡", "≡"),
    ("≢", "≢"),
    ("≪", "≪"),
    ("≫", "≫"),
    ("∈", "∈"),
    ("∉", "∉"),
    ("∋", "∋"),
    ("∌", "∌"),
    ("∣", "∣"),
    ("∤", "∤"),
    ("√", "√"),
    ("∛", "∛"),
    ("∜", "∜"),
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

/// Words before an hour, each with its half of the day.
const HALF_DAYS: &[(&str, &str)] = &[
    ("上午", "am"),
    ("早上", "am"),
    ("凌晨", "am"),
    ("下午", "pm"),
    ("晚上", "pm"),
    ("傍晚", "pm"),
];

/// The half of the day that is named before an hour.
pub(super) fn half_day(before: &str) -> Option<&'static str> {
    let before = before.trim_end_matches(' ');
    HALF_DAYS
        .iter()
        .find(|(word, _)| before.ends_with(word))
        .map(|row| row.1)
}

/// The brackets and bars around a number that make it another one: those of an interval on its side of the comma, and bars around
/// what is negative.
pub(super) fn around(text: &str, start: usize, end: usize, is_negative: bool) -> (&'static str, &'static str) {
    let (before, behind) = (&text[..start], &text[end..]);
    if is_negative && before.ends_with('|') && behind.starts_with('|') {
        return ("|", "|");
    }
    let has_comma = text[start..end].contains(',');
    let is_separator = |sign: char| matches!(sign, ',' | ';');
    let opens = has_comma || behind.trim_start_matches(' ').starts_with(is_separator);
    let closes = has_comma || before.trim_end_matches(' ').ends_with(is_separator);
    (
        if before.ends_with('[') && opens { "[" } else { "" },
        if behind.starts_with(']') && closes { "]" } else { "" },
    )
}

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
