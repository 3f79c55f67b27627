//! Character references: `&amp;`, `&#20013;`, `&copy` (HTML standard, section 13.2.5.72 and following).

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr;

/// The context of a reference: in an attribute a name without `;` before `=` or a letter is no reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Text,
    Attribute,
}

/// The longest name of a reference, with its `;`.
const LONGEST: usize = 32;

/// The text with its references resolved; invalid UTF-8 (which a decoded page does not have) is replaced.
pub(super) fn decode(text: &[u8], place: Place) -> Cow<'_, str> {
    if memchr(b'&', text).is_none() {
        return String::from_utf8_lossy(text);
    }
    let mut out = String::with_capacity(text.len());
    decode_into(text, place, |part| out.push_str(part));
    Cow::Owned(out)
}

/// Passes the parts of the text, its references resolved, to `push`, in order.
pub(super) fn decode_into(text: &[u8], place: Place, mut push: impl FnMut(&str)) {
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest) {
        push(&String::from_utf8_lossy(&rest[..at]));
        let reference = &rest[at + 1..];
        let found = match reference.first() {
            Some(b'#') => numeric(&reference[1..]).map(|(value, used)| (value, '\0', used + 1)),
            Some(byte) if byte.is_ascii_alphanumeric() => named(reference, place),
            _ => None,
        };
        if let Some((first, second, used)) = found {
            let mut room = [0; 4];
            push(first.encode_utf8(&mut room));
            if second != '\0' {
                push(second.encode_utf8(&mut room));
            }
            rest = &reference[used..];
        } else {
            push("&");
            rest = reference;
        }
    }
    push(&String::from_utf8_lossy(rest));
}

/// After `&#`: the character and the bytes it takes.
fn numeric(rest: &[u8]) -> Option<(char, usize)> {
    let (base, skip) = match rest.first()? {
        b'x' | b'X' => (16, 1),
        _ => (10, 0),
    };
    let digits = rest[skip..]
        .iter()
        .take_while(|&&byte| char::from(byte).is_digit(base))
        .count();
    if digits == 0 {
        return None;
    }
    let number = rest[skip..skip + digits].iter().fold(0_u32, |number, &byte| {
        let digit = char::from(byte).to_digit(base).unwrap_or(0);
        number.saturating_mul(base).saturating_add(digit)
    });
    let value = match number {
        0 => None,
        0x80..=0x9F => C1_REPLACEMENTS[(number - 0x80) as usize].or(char::from_u32(number)),
        _ => char::from_u32(number),
    };
    let end = skip + digits;
    let used = end + usize::from(rest.get(end) == Some(&b';'));
    Some((value.unwrap_or(char::REPLACEMENT_CHARACTER), used))
}

/// After `&`: the longest known name, its characters and the bytes it takes.
fn named(rest: &[u8], place: Place) -> Option<(char, char, usize)> {
    let letters = rest
        .iter()
        .take(LONGEST)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let with_end = letters + usize::from(rest.get(letters) == Some(&b';'));
    (1..=with_end).rev().find_map(|length| {
        let name = std::str::from_utf8(&rest[..length]).ok()?;
        // The table also has the prefixes of names, with value 0.
        let (first, second) = *NAMED_ENTITIES.get(name).filter(|(first, _)| *first != 0)?;
        let next = rest.get(length).copied().unwrap_or(b' ');
        if place == Place::Attribute && !name.ends_with(';') && (next == b'=' || next.is_ascii_alphanumeric()) {
            return None;
        }
        Some((char::from_u32(first)?, char::from_u32(second).unwrap_or('\0'), length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_as_browsers_do() {
        for (text, expected) in [
            ("a &amp; b &lt;p&gt;", "a & b <p>"),
            (
                "&copy 2020 &copyright &notit; &notin;",
                "\u{a9} 2020 \u{a9}right \u{ac}it; \u{2209}",
            ),
            (
                "&#20013;&#x6587;&#128;&#0;&#xD800;&#x110000;&#99999999999;",
                "中文\u{20ac}\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("&;&#;&#x;&nosuch;& &", "&;&#;&#x;&nosuch;& &"),
            (
                "&NotEqualTilde;&CounterClockwiseContourIntegral;",
                "\u{2242}\u{338}\u{2233}",
            ),
            ("&", "&"),
        ] {
            assert_eq!(decode(text.as_bytes(), Place::Text), expected, "{text}");
        }
    }

    #[test]
    fn an_address_in_an_attribute_keeps_its_ampersands() {
        let address = "?a=1&copy=2&lt=3&amp;x&reg";
        assert_eq!(decode(address.as_bytes(), Place::Attribute), "?a=1&copy=2&lt=3&x\u{ae}");
    }
}
