//! The folded text character by character, each with the place in the text that it was made of.
//!
//! A passage is given in the positions of the text as its author wrote it, and found in what [`super::plain::fold`] makes of it. Pieces
//! that cannot be cut, such as a letter and its accents, have one place.

use super::compact::{char_of, decode, entry_of};
use super::plain;
use super::table::{CHAR, SIMPLE};

/// Calls `each` with every character of the folded text, with the first code point of its place and the one behind it. Returns how many
/// code points the text has.
///
/// Complexity: linear in the length of the text.
pub fn each_folded(text: &str, mut each: impl FnMut(char, u32, u32)) -> u32 {
    let bytes = text.as_bytes();
    // The last simple character: what it becomes, its first byte, its code point.
    let mut held: Option<(char, usize, u32)> = None;
    let (mut at, mut point) = (0, 0);
    while at < bytes.len() {
        let (code, length) = decode(bytes, at);
        let entry = entry_of(code);
        if entry & SIMPLE != 0 {
            if let Some((c, _, from)) = held {
                each(c, from, point);
            }
            held = Some((char_of(entry & CHAR), at, point));
            at += length;
            point += 1;
            continue;
        }
        // The piece ends at the next simple character, and may change the one before it.
        let (begin, first) = held.map_or((at, point), |(_, begin, first)| (begin, first));
        while at < bytes.len() {
            let (code, length) = decode(bytes, at);
            if entry_of(code) & SIMPLE != 0 {
                break;
            }
            at += length;
            point += 1;
        }
        let folded = plain::fold(&text[begin..at]);
        let mut rest = folded.chars();
        let mut from = first;
        if let Some((c, ..)) = held.take()
            && folded.starts_with(c)
        {
            each(c, from, from + 1);
            rest.next();
            from += 1;
        }
        rest.for_each(|c| each(c, from.min(point - 1), point));
    }
    if let Some((c, _, from)) = held {
        each(c, from, point);
    }
    point
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn placed(text: &str) -> (Vec<(char, u32, u32)>, u32) {
        let mut out = Vec::new();
        let points = each_folded(text, |c, start, end| out.push((c, start, end)));
        (out, points)
    }

    fn check(text: &str) {
        let (out, points) = placed(text);
        assert_eq!(
            out.iter().map(|(c, ..)| *c).collect::<String>(),
            plain::fold(text),
            "{text:?}"
        );
        assert_eq!(points as usize, text.chars().count());
        assert!(
            out.iter().all(|(_, start, end)| start < end && *end <= points),
            "{text:?}"
        );
        assert!(out.is_sorted_by_key(|(_, start, end)| (*start, *end)), "{text:?}");
        let chars: Vec<char> = text.chars().collect();
        for (c, start, end) in out {
            // What a place holds becomes the character, among others.
            let held: String = chars[start as usize..end as usize].iter().collect();
            let whole: String = chars[start.saturating_sub(1) as usize..end as usize].iter().collect();
            assert!(
                plain::fold(&held).contains(c) || plain::fold(&whole).contains(c),
                "{text:?} {c:?}"
            );
        }
    }

    #[test]
    fn places_are_code_points_of_the_text_as_written() {
        assert_eq!(placed("Ａ中").0, [('a', 0, 1), ('中', 1, 2)]);
        assert_eq!(placed("xe\u{301}y").0, [('x', 0, 1), ('é', 1, 3), ('y', 3, 4)]);
        assert_eq!(
            placed("中㎡𠮷").0,
            [('中', 0, 1), ('m', 1, 2), ('2', 1, 2), ('𠮷', 2, 3)]
        );
        assert_eq!(placed("a\u{200b}b").0, [('a', 0, 1), ('b', 2, 3)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn the_characters_are_those_of_the_plain_fold(text in any::<String>()) {
            check(&text);
        }

        #[test]
        fn so_they_are_in_mixed_scripts(text in "[a-zA-Z0-9 .,。中文字かがカ\u{3099}\u{301}\u{327}é각\u{11A8}\u{1161}ﬁ①²½㎡Ⅱ\u{200d}\u{AD}𠮷😀]{0,40}") {
            check(&text);
        }
    }
}
