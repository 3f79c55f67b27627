//! The numbers of a text, for a guard: texts with other numbers are no copies, however similar they are.
//!
//! They are read from the [exact form](crate::text::Compact::exact) of a text, where ² is not 2. A number has all that makes it
//! another one: sign, relation, fraction, exponent, unit, and the numbers that it is joined with, as in 1/2, 3-5 and 2+3=5.
//!
//! - A run of digits of any script, with a fraction and with commas between thousands: `1,200.5` and `1200.5` are one
//!   number. Leading zeros do not count. Units of ten after it do: 3万 is 30000, and so does 1e5.
//! - `.5` is 0.5 where no letter or number is before it. 5′, 5″ and 5 in are units; 5' and 5" are, unless a quotation ends there.
//! - The brackets of an interval, bars around what is negative, lines above digits, and the half of the day count. TeX is read as what it prints.
//! - Chinese numerals count where they cannot be other words. They have a coefficient before each unit of ten (一百二十三), or are
//!   three digits and more, or two with a zero (二〇), or follow 第 or 负, or precede a unit (三米) or from two on a measure (三个). So
//!   一起 has no number, and 第一百二十三条 has that of 第123条. 三分之一 is 1/3, 百分之五 is 5%, 三点一四 is 3.14.
//! - Numbers in superscript and subscript, in circles and Roman numerals of one character are none of the plain ones.

pub(crate) mod digits;
pub(crate) mod numerals;
mod signs;
#[cfg(test)]
mod tests;
mod tex;
mod units;

use std::borrow::Cow;

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use self::numerals::{Numeral, numeral, value};
use self::signs::{around, connector, half_day, relation_before, relation_behind};
use self::units::{is_letter, is_measured, is_money, unit, unit_behind};
use crate::text::normalise::marks::{MARK, Script, script};

/// The version of the rules for numbers, part of the identity of a run.
pub const VERSION: u32 = 3;

/// The numbers of a text in its exact form, in their order, each in its plain form.
pub fn numbers(exact: &str) -> Vec<String> {
    let text = &*tex::in_signs(exact);
    let text = &*in_ascii(text);
    let (mut found, mut at, mut from) = (Vec::new(), 0, 0);
    while let Some(sign) = text[at..].chars().next() {
        if !may_begin(sign) {
            at += sign.len_utf8();
        } else if let Some(end) = chain(text, from, at, &mut found) {
            (at, from) = (end, end);
        } else if let Some((power, end)) = powers(text, at) {
            let base = text[..at].chars().next_back().filter(|sign| *sign != ' ');
            found.push(base.map_or_else(|| power.clone(), |base| format!("{base}{power}")));
            (at, from) = (end, end);
        } else {
            at += numerals::run(&text[at..]).max(sign.len_utf8());
        }
    }
    found
}

/// Whether a number may begin with the character.
fn may_begin(sign: char) -> bool {
    match sign {
        '0'..='9' | MARK | '^' | '.' => true,
        _ if sign.is_ascii() => false,
        _ => numerals::is_numeral(sign) || is_number_sign(sign),
    }
}

/// Whether the character is a number that is no decimal digit.
fn is_number_sign(sign: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(sign);
    matches!(category, GeneralCategory::OtherNumber | GeneralCategory::LetterNumber)
}

/// The text with the decimal digits of all scripts as those of ASCII.
pub(crate) fn in_ascii(text: &str) -> Cow<'_, str> {
    let is_foreign = |sign: char| !sign.is_ascii() && sign.is_numeric() && decimal(sign).is_some();
    if text.is_ascii() || !text.chars().any(is_foreign) {
        return Cow::Borrowed(text);
    }
    let plain = |sign: char| match sign {
        '\u{66B}' => '.',
        '\u{66C}' => ',',
        _ => decimal(sign).filter(|_| !sign.is_ascii()).unwrap_or(sign),
    };
    Cow::Owned(text.chars().map(plain).collect())
}

/// The digit of ASCII of a decimal digit. Unicode has the ten digits of a script one after another, from zero on.
pub(crate) fn decimal(sign: char) -> Option<char> {
    let of = CodePointMapData::<GeneralCategory>::new();
    let is_digit =
        |code: &u32| char::from_u32(*code).is_some_and(|sign| of.get(sign) == GeneralCategory::DecimalNumber);
    let code = sign as u32;
    is_digit(&code).then(|| {
        let before = (code.saturating_sub(9)..code).rev().take_while(is_digit).count() as u32;
        char::from_digit(before, 10).expect("at most nine precede a digit")
    })
}

/// Adds the number that begins at a place, with all that it is joined with, and returns its end. `from` is the end of the number
/// before it. A date has a number for each of its parts, as 2024年1月2日 has.
fn chain(text: &str, from: usize, at: usize, found: &mut Vec<String>) -> Option<usize> {
    let (first, mut end) = operand(text, at, text[..at].ends_with('第'))?;
    let (prefix, money, start) = prefix(text, from, at);
    let mut parts = vec![(String::new(), first)];
    while let Some((joined, next)) = connector(text, end) {
        let Some((operand, behind)) = operand(text, next, false) else {
            break;
        };
        parts.push((joined.to_owned(), operand));
        end = behind;
    }
    if let [(_, year), (one, month), (two, day)] = &parts[..] {
        let is_part = |part: &str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        if one == two
            && matches!(&**one, "-" | "/")
            && year.len() == 4
            && is_part(month)
            && is_part(day)
            && prefix.is_empty()
        {
            found.extend([format!("{year}year"), format!("{month}month"), format!("{day}日")]);
            return Some(end);
        }
    }
    let (opening, closing) = around(text, start, end, prefix.ends_with('-'));
    let mut number = format!("{opening}{prefix}");
    number.extend(parts.iter().flat_map(|(joined, operand)| [&**joined, &**operand]));
    number.push_str(&money);
    number.push_str(closing);
    let hour = |text: &str| text.contains([':', '点', '點']);
    if hour(&text[at..end]) || text[end..].starts_with(['点', '點', '时', '時']) {
        number.push_str(half_day(&text[..start]).unwrap_or_default());
    }
    if let Some((relation, behind)) = relation_behind(text, end) {
        number.push_str(relation);
        end = behind;
    }
    found.push(number);
    Some(end)
}

/// The number at a place with its powers and its unit, and its end; `None` where there is none.
fn operand(text: &str, at: usize, is_ordinal: bool) -> Option<(String, usize)> {
    let rest = &text[at..];
    let (mut number, mut end) = match rest.chars().next()? {
        MARK => {
            let marked = rest[MARK.len_utf8()..].chars().next()?;
            let end = at + MARK.len_utf8() + marked.len_utf8() + script(marked).written;
            let form = text.get(at + MARK.len_utf8() + marked.len_utf8()..end)?;
            match script(marked).script {
                Script::Plain if form.contains('⁄') => return Some((form.replace('⁄', "/"), end)),
                Script::Plain => return Some((marked.to_string(), end)),
                Script::Above | Script::Below => return raised_fraction(text, at),
            }
        }
        '.' => {
            let is_part = |sign: char| is_letter(sign) || sign.is_numeric() || ".)]}_/\\".contains(sign);
            let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 || text[..at].chars().next_back().is_some_and(is_part) {
                return None;
            }
            (format!("0{}", &rest[..=digits]), at + 1 + digits)
        }
        '0'..='9' if rest[digits(rest)..].starts_with(is_combining) => {
            let length = digits(rest);
            let marks = &rest[length..];
            let marks = &marks[..marks.find(|sign| !is_combining(sign)).unwrap_or(marks.len())];
            (plain(&rest[..length]) + marks, at + length + marks.len())
        }
        '0'..='9' => {
            let length = digits(rest);
            let (exponent, behind) = exponent(&rest[length..]);
            let (tens, zeros) = if behind == 0 && unit(&rest[length..]).is_none() {
                units_behind(&rest[length..])
            } else {
                (0, 0)
            };
            (
                shifted(&plain(&rest[..length]), zeros) + &exponent,
                at + length + behind + tens,
            )
        }
        sign if is_number_sign(sign) && numeral(sign).is_none() => {
            return Some((sign.to_string(), at + sign.len_utf8()));
        }
        _ => match in_numerals(text, at, is_ordinal)? {
            (number, end, true) => return Some((number, end)),
            (number, end, false) => (number, end),
        },
    };
    if let Some((fraction, behind)) = raised_fraction(text, end) {
        number = format!("{number} {fraction}");
        end = behind;
    } else if let Some((power, behind)) = powers(text, end) {
        number.push_str(&power);
        end = behind;
    } else if text[end..].starts_with(MARK)
        && let Some((fraction, behind)) = operand(text, end, false)
        && fraction.contains('/')
    {
        // 1½ is not 11/2.
        number = format!("{number} {fraction}");
        end = behind;
    }
    let mut joined = "";
    while let Some((unit, behind)) = unit_behind(text, end + joined.len()) {
        let (power, after) = powers(text, behind).unwrap_or((String::new(), behind));
        let times = power
            .strip_prefix('^')
            .and_then(|power| power.parse().ok())
            .unwrap_or(1_usize);
        let is_plain = number.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.'));
        if joined.is_empty() && is_plain && !power.starts_with("^-") {
            number = shifted(&number, unit.zeros * times.min(9));
            number.push_str(unit.name);
        } else {
            number.push_str(joined);
            number.push_str(unit.name);
            if unit.zeros > 0 {
                number.push_str(&unit.zeros.to_string());
            }
        }
        number.push_str(&power);
        end = after;
        joined = if text[end..].starts_with('/') { "/" } else { break };
    }
    let rest = text[end..].strip_prefix(' ').unwrap_or(&text[end..]);
    if let Some(sign) = rest.chars().next().filter(|sign| is_money(*sign))
        && !rest[sign.len_utf8()..].starts_with(|next: char| next.is_ascii_digit())
    {
        number.push(sign);
        end = text.len() - rest.len() + sign.len_utf8();
    }
    Some((number, end))
}

/// A fraction of a raised and a lowered number, as ¹⁄₂.
fn raised_fraction(text: &str, at: usize) -> Option<(String, usize)> {
    let (above, end) = powers(text, at)?;
    let rest = text[end..].strip_prefix(['⁄', '/'])?;
    let (below, end) = powers(text, text.len() - rest.len())?;
    let fraction = format!("{}/{}", above.strip_prefix('^')?, below.strip_prefix('_')?);
    Some((fraction, end))
}

/// Whether the character stands above, below or through the one before it.
fn is_combining(sign: char) -> bool {
    !sign.is_ascii() && CodePointMapData::<GeneralCategory>::new().get(sign) == GeneralCategory::NonspacingMark
}

/// The number in Chinese numerals at a place and its end, and whether it takes no unit.
fn in_numerals(text: &str, at: usize, is_ordinal: bool) -> Option<(String, usize, bool)> {
    let length = numerals::run(&text[at..]);
    let (run, end) = (&text[at..at + length], at + length);
    let rest = &text[end..];
    if let Some(part) = rest.strip_prefix("分之") {
        let start = end + rest.len() - part.len();
        let (part, behind) = match part.chars().next()? {
            '0'..='9' => (plain(&part[..digits(part)]), start + digits(part)),
            _ => decimals(text, start, true)?,
        };
        let whole = match run {
            "百" => return Some((format!("{part}%"), behind, true)),
            "千" => return Some((format!("{part}‰"), behind, true)),
            "万" | "萬" => return Some((format!("{part}‱"), behind, true)),
            _ => value(run, true).map_or_else(|| run.to_owned(), |whole| plain(&whole)),
        };
        return Some((format!("{part}/{whole}"), behind, true));
    }
    let is_single = run.chars().count() == 1;
    let is_ten = matches!(run, "十" | "拾");
    let is_unit = !matches!(run.chars().next().and_then(numeral), Some(Numeral::Unit(_))) || is_ten;
    let before = &text[..at];
    let is_known = is_ordinal
        || is_single && is_unit && is_measured(run, rest)
        || before.ends_with(['负', '負']) && !is_bullied(before);
    let (number, end) = decimals(text, at, is_known)?;
    Some((number, end, false))
}

/// A number in numerals, and behind 点 its decimals.
fn decimals(text: &str, at: usize, is_known: bool) -> Option<(String, usize)> {
    let length = numerals::run(&text[at..]);
    let end = at + length;
    let run = &text[at..end];
    if let Some(rest) = text[end..].strip_prefix(['点', '點']) {
        let part = &rest[..numerals::run(rest)];
        let is_digits = part
            .chars()
            .all(|sign| matches!(numeral(sign), Some(Numeral::Digit(_))));
        if !part.is_empty()
            && is_digits
            && (run, part) != ("一", "一")
            && let (Some(whole), Some(decimals)) = (value(run, true), value(part, true))
        {
            return Some((
                plain(&format!("{whole}.{decimals}")),
                end + '点'.len_utf8() + part.len(),
            ));
        }
    }
    Some((plain(&value(run, is_known)?), end))
}

/// What is above or below the line at a place, as `^2`: marked characters of one kind, or a caret and a number.
fn powers(text: &str, at: usize) -> Option<(String, usize)> {
    if let Some(rest) = text[at..].strip_prefix('^') {
        let inside = rest.strip_prefix('{').unwrap_or(rest);
        let (sign, power) = match inside.strip_prefix(['-', '−']) {
            Some(power) => ("-", power),
            None => ("", inside.strip_prefix('+').unwrap_or(inside)),
        };
        let run = |from: usize| power[from..].bytes().take_while(u8::is_ascii_digit).count();
        let whole = run(0);
        let fraction = if whole > 0 && power[whole..].starts_with('.') {
            run(whole + 1)
        } else {
            0
        };
        let length = whole + if fraction > 0 { 1 + fraction } else { 0 };
        let closed = inside.len() < rest.len() && power[length..].starts_with('}');
        let end = text.len() - power.len() + length + usize::from(closed);
        return (length > 0).then(|| (format!("^{sign}{}", &power[..length]), end));
    }
    let (mut found, mut end, mut kind) = (String::new(), at, None);
    while let Some(rest) = text[end..].strip_prefix(MARK) {
        let marked = rest.chars().next()?;
        let here = script(marked);
        if here.script == Script::Plain || kind.is_some_and(|kind| kind != here.script) {
            break;
        }
        kind = Some(here.script);
        let start = end + MARK.len_utf8() + marked.len_utf8();
        match text.get(start..start + here.written)? {
            "−" => found.push('-'),
            "+" => {}
            form => found.push_str(form),
        }
        end = start + here.written;
        // 10 to the power of 2.5.
        if let Some(rest) = text[end..].strip_prefix('.')
            && rest
                .strip_prefix(MARK)
                .and_then(|rest| rest.chars().next())
                .is_some_and(|next| script(next).script == here.script)
        {
            found.push('.');
            end += 1;
        }
    }
    let sign = if kind? == Script::Above { '^' } else { '_' };
    Some((format!("{sign}{found}"), end))
}

/// Sign and relation before a number, its sign of money, and where all of it begins.
fn prefix(text: &str, from: usize, at: usize) -> (String, String, usize) {
    let mut end = at;
    let mut is_negative = take_minus(text, from, &mut end);
    let mut money = String::new();
    let before = text[from..end].strip_suffix(' ').unwrap_or(&text[from..end]);
    if let Some(sign) = before.chars().next_back().filter(|sign| is_money(*sign)) {
        money.push(sign);
        end = from + before.len() - sign.len_utf8();
        is_negative |= take_minus(text, from, &mut end);
    }
    let before = text[from..end].trim_end_matches(' ');
    let mut prefix = relation_before(before).unwrap_or_default().to_owned();
    if before.ends_with('+') {
        let left = text[..from + before.len() - 1]
            .trim_end_matches(' ')
            .chars()
            .next_back();
        if left.is_some_and(|sign| sign.is_alphanumeric() || matches!(sign, ')' | ']')) {
            prefix.push('+');
        }
    }
    if is_negative {
        prefix.push('-');
    }
    (prefix, money, end)
}

/// Whether a text ends with the word to bully, whose second character is no minus.
fn is_bullied(before: &str) -> bool {
    ["欺负", "欺負"].iter().any(|word| before.ends_with(word))
}

/// Takes a minus before a place: a sign that is no hyphen, because no letter of a word and no number is before it, or a word.
fn take_minus(text: &str, from: usize, end: &mut usize) -> bool {
    let before = &text[from..*end];
    let words = ["负", "負", "零下", "minus ", "negative "];
    if let Some(rest) = words.iter().find_map(|word| before.strip_suffix(word)) {
        // A terminus is no minus.
        let is_word = if before.ends_with(' ') {
            !rest.ends_with(is_letter)
        } else {
            !is_bullied(before)
        };
        if is_word {
            *end = from + rest.len();
        }
        return is_word;
    }
    let Some(rest) = before.strip_suffix(['-', '−', '–']) else {
        return false;
    };
    let left = text[..from + rest.len()].chars().next_back();
    let is_hyphen =
        |sign: char| is_letter(sign) || sign.is_numeric() && numeral(sign).is_none() || ")]}%°′″-–—_/.".contains(sign);
    if left.is_some_and(is_hyphen) {
        return false;
    }
    *end = from + rest.len();
    true
}

/// The exponent of a number in digits, as `e-5`, and its bytes.
fn exponent(rest: &str) -> (String, usize) {
    let none = (String::new(), 0);
    let Some(behind) = rest.strip_prefix('e') else {
        return none;
    };
    let (sign, digits) = match behind.strip_prefix(['-', '−']) {
        Some(digits) => ("-", digits),
        None => ("", behind.strip_prefix('+').unwrap_or(behind)),
    };
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 || digits[length..].starts_with(is_letter) {
        return none;
    }
    let exponent = plain(&digits[..length]);
    (format!("e{sign}{exponent}"), rest.len() - digits.len() + length)
}

/// The bytes of the number at the beginning of a text that begins with a digit.
pub(crate) fn digits(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = run(0);
    if end <= 3 && bytes.first() != Some(&b'0') {
        while bytes.get(end) == Some(&b',') && run(end + 1) == 3 {
            end += 4;
        }
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = run(end + 1);
        end += if fraction > 0 { 1 + fraction } else { 0 };
    }
    end
}

/// The bytes of the units of ten that follow a number in digits, as in 3万 or 1.5千万, and the zeros that they mean.
pub(crate) fn units_behind(text: &str) -> (usize, usize) {
    let (mut bytes, mut zeros) = (0, 0);
    for sign in text.chars() {
        let Some(Numeral::Unit(unit)) = numeral(sign) else {
            break;
        };
        bytes += sign.len_utf8();
        zeros += unit.ilog10() as usize;
    }
    (bytes, zeros)
}

/// A number in its plain form, times a power of ten.
pub(crate) fn shifted(number: &str, zeros: usize) -> String {
    if zeros == 0 {
        return number.to_owned();
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let moved = fraction.len().min(zeros);
    let whole = format!("{whole}{}{}", &fraction[..moved], "0".repeat(zeros - moved));
    match &fraction[moved..] {
        "" => plain(&whole),
        rest => plain(&format!("{whole}.{rest}")),
    }
}

/// A number without commas and leading zeros.
pub(crate) fn plain(number: &str) -> String {
    let digits = number.replace(',', "");
    let whole = digits.find('.').unwrap_or(digits.len());
    let zeros = digits[..whole.saturating_sub(1)]
        .bytes()
        .take_while(|&byte| byte == b'0');
    let zeros = zeros.count();
    digits[zeros..].to_owned()
}
