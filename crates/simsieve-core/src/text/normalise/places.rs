//! The folded text character by character, each with the place in the text that it was made of.
//!
//! A passage is given in the positions of the text as its author wrote it, and found in what [`super::plain::fold`] makes of it. Pieces
//! that cannot be cut, such as a letter and its accents, have one place. A piece ends where a character begins that no composition joins to
//! the one before; that is asked of [`plain::fold`], so it holds for whatever the fold becomes.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};

use icu_normalizer::properties::{CanonicalCombiningClassMapBorrowed, CanonicalDecompositionBorrowed, Decomposed};

use super::alike::looks_back;
use super::compact::{char_of, decode, entry_of};
use super::plain;
use super::table::{CHAR, SIMPLE};

/// A piece: what its first character becomes if that is simple, its first byte, its first code point.
type Piece = (Option<char>, usize, u32);

/// Calls `each` with every character of the folded text, with the first code point of its place and the one behind it. Returns how many
/// code points the text has.
///
/// Complexity: linear in the length of the text.
pub fn each_folded(text: &str, mut each: impl FnMut(char, u32, u32)) -> u32 {
    let bytes = text.as_bytes();
    let mut held: Option<Piece> = None;
    let (mut at, mut point) = (0, 0);
    while at < bytes.len() {
        let (code, length) = decode(bytes, at);
        let entry = entry_of(code);
        let simple = (entry & SIMPLE != 0).then(|| char_of(entry & CHAR));
        if simple.is_some() || held.is_none() || begins_piece(char_of(code)) {
            if let Some(piece) = held {
                give(text, piece, (at, point), &mut each);
            }
            held = Some((simple, at, point));
        }
        at += length;
        point += 1;
    }
    if let Some(piece) = held {
        give(text, piece, (at, point), &mut each);
    }
    point
}

/// Gives the characters of a piece, with the byte and the code point behind it.
#[inline]
fn give(text: &str, piece: Piece, end: (usize, u32), each: &mut impl FnMut(char, u32, u32)) {
    let (simple, begin, first) = piece;
    match simple {
        Some(c) if first + 1 == end.1 => each(c, first, end.1),
        _ => give_folded(&text[begin..end.0], (simple, first, end.1), each),
    }
}

#[cold]
fn give_folded(piece: &str, (simple, first, end): (Option<char>, u32, u32), each: &mut impl FnMut(char, u32, u32)) {
    let folded = plain::fold(piece);
    let mut rest = folded.chars();
    let mut from = first;
    if let Some(c) = simple
        && folded.starts_with(c)
    {
        each(c, from, from + 1);
        rest.next();
        from += 1;
    }
    rest.for_each(|c| each(c, from.min(end - 1), end));
}

/// Characters that may be second in a composition are below.
const COMPOSED: usize = 0x2_0000;

/// Whether no composition joins the character to the one before it, so that a text can be cut there: it and what it becomes begin with
/// a starter that is second in no composition, and two of it become twice what one becomes.
fn begins_piece(c: char) -> bool {
    static KNOWN: [AtomicU8; COMPOSED] = [const { AtomicU8::new(0) }; COMPOSED];
    let known = KNOWN.get(c as usize);
    match known.map(|known| known.load(Ordering::Relaxed)) {
        Some(1) => return false,
        Some(2) => return true,
        _ => {}
    }
    let one = plain::fold(c.encode_utf8(&mut [0; 4]));
    let begins = [Some(c), one.chars().next()].iter().all(|c| c.is_some_and(is_apart))
        && plain::fold(&format!("{c}{c}")) == one.repeat(2);
    if let Some(known) = known {
        known.store(1 + u8::from(begins), Ordering::Relaxed);
    }
    begins
}

/// Whether the character and the first one that it is composed of are starters, second in no canonical composition, and otherwise not
/// joined with the one before it.
fn is_apart(c: char) -> bool {
    static SECOND: LazyLock<Vec<bool>> = LazyLock::new(|| {
        let mut second = vec![false; COMPOSED];
        let all = CanonicalDecompositionBorrowed::new();
        for c in (0..COMPOSED as u32).filter_map(char::from_u32) {
            if let Decomposed::Expansion(_, other) = all.decompose(c) {
                second[other as usize] = true;
            }
        }
        second
    });
    let first = match CanonicalDecompositionBorrowed::new().decompose(c) {
        Decomposed::Expansion(first, _) => is_apart(first),
        _ => true,
    };
    first
        && !looks_back(c)
        && CanonicalCombiningClassMapBorrowed::new().get_u8(c) == 0
        && !SECOND.get(c as usize).is_some_and(|second| *second)
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
        assert_eq!(placed("二○六").0, [('二', 0, 1), ('〇', 1, 2), ('六', 2, 3)]);
        assert_eq!(placed("กเเ").0, [('ก', 0, 1), ('แ', 1, 3)]);
        assert_eq!(placed("ßß").0, [('s', 0, 1), ('s', 0, 1), ('s', 1, 2), ('s', 1, 2)]);
        assert_eq!(placed("xﬁ\u{301}").0, [('x', 0, 1), ('f', 1, 3), ('í', 1, 3)]);
    }

    #[test]
    fn a_character_composed_of_joining_ones_joins() {
        check("\u{1138B}\u{113C5}");
    }

    #[test]
    fn neighbours_that_fold_into_several_have_places_of_their_own() {
        for c in "ﬁ½㍿™㎡ßİำŉǆ…ﷺ𝐀𐐀𒀀🈁\u{2F81A}".chars() {
            let (out, _) = placed(&c.to_string().repeat(3));
            assert!(out.iter().all(|(_, start, end)| end - start == 1), "{c} {out:?}");
        }
    }

    #[test]
    fn every_character_agrees_between_neighbours() {
        for c in ('\0'..=char::MAX)
            .filter(|c| !matches!(*c as u32, 0xE000..=0xF8FF | 0x20000..=0x2F7FF | 0x2FA20..=0xE0000 | 0xE0200..))
        {
            check(&format!("ﬁ{c}{c}ᄀ{c}e\u{327}{c}\u{301}ߙ{c}ど"));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn the_characters_are_those_of_the_plain_fold(text in any::<String>()) {
            check(&text);
        }

        #[test]
        fn so_they_are_in_mixed_scripts(text in "[a-zA-Z0-9 .,。中文字かがカ\u{3099}\u{301}\u{327}é각\u{11A8}\u{1161}ﬁ①²½㎡Ⅱ\u{200d}\u{AD}𠮷😀ßİำ\u{345}\u{FF9E}\u{DD9}\u{DCF}\u{DCA}\u{110B9}\u{110BA}𝐀]{0,40}") {
            check(&text);
        }
    }
}
