//! The tests of `this module`.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::base::hash::xxh3_64;
use crate::text::is_dense;

/// The windows by simple code.
fn plain_windows(text: &str, window: Window) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let units = |c: char| {
        if matches!(window, Window::Units(_)) && is_dense(c as u32) {
            2
        } else {
            1
        }
    };
    let size = window.size();
    let mut out = Vec::new();
    for first in 0..chars.len() {
        let (mut sum, mut end) = (0, first);
        while sum < size && end < chars.len() {
            sum += units(chars[end]);
            end += 1;
        }
        if sum >= size || first == 0 {
            out.push(chars[first..end].iter().collect());
        }
    }
    out
}

fn got_windows(text: &str, window: Window) -> Vec<String> {
    let mut out = Vec::new();
    windows(&Compact::of(text), window, &mut Vec::new(), |w| {
        out.push(String::from_utf8(w.to_vec()).unwrap());
    });
    out
}

#[test]
fn windows_of_six_units_are_three_han_or_six_letters() {
    assert_eq!(got_windows("中文字符", Window::Units(6)), ["中文字", "文字符"]);
    assert_eq!(got_windows("letters", Window::Units(6)), ["letter", "etters"]);
    assert_eq!(got_windows("a中b文字", Window::Units(6)), ["a中b文", "中b文字"]);
    assert_eq!(got_windows("短", Window::Units(6)), ["短"]);
    assert_eq!(got_windows("", Window::Units(6)), [""; 0]);
}

#[test]
fn characters_of_dense_rows_are_dense() {
    for c in '\u{800}'..='\u{FFFF}' {
        let mut bytes = [0; 3];
        c.encode_utf8(&mut bytes);
        assert!(!block::is_of_dense_row(bytes) || is_dense(c as u32), "{c:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn windows_agree_with_the_plain_ones(text in "[a-z中文カ각é𠮷\u{1AFF5}\u{18DFF}\u{18E00}\u{1F600}]{0,30}", size in 1..9_u32) {
        for window in [Window::Units(size), Window::Chars(size)] {
            prop_assert_eq!(got_windows(&text, window), plain_windows(&text, window));
        }
    }

    #[test]
    fn features_are_the_distinct_windows_with_their_counts(text in "[ab中]{0,300}", size in 1..5_u32) {
        check(&text, Window::Chars(size));
    }

    #[test]
    fn features_of_long_mixed_texts_are_those_of_the_windows(
        pieces in proptest::collection::vec("[a-f]{0,40}|[中文字]{0,30}|[é々\u{3021}〇カ각ק]{0,9}|[𠮷\u{1AFF5}\u{18DFF}\u{1F600}]{0,2}", 0..150),
        size in 1..11_u32,
    ) {
        let text = pieces.concat();
        for window in [Window::Chars(size), Window::Units(size), Window::Units(size * 6)] {
            check(&text, window);
        }
    }
}

/// Every kernel's features are those of [`windows`], counted or not.
fn check(text: &str, window: Window) {
    let (text, mut marks) = (Compact::of(text), Vec::new());
    let (mut order, mut expected) = (Vec::new(), BTreeMap::new());
    windows(&text, window, &mut marks, |bytes| {
        let count = expected.entry(xxh3_64(bytes)).or_insert(0_u32);
        if *count == 0 {
            order.push(xxh3_64(bytes));
        }
        *count += 1;
    });
    for kernel in Kernel::available() {
        let mut features = Features::default();
        for counted in [true, false, true] {
            features.collect_by(kernel, &text, window, counted, &mut marks);
            assert_eq!(features.hashes(), order, "{kernel:?} {window:?}");
            let counts = if counted {
                order.iter().map(|hash| expected[hash]).collect()
            } else {
                Vec::new()
            };
            assert_eq!(features.counts(), counts, "{kernel:?} {window:?}");
        }
        for (at, &hash) in order.iter().enumerate() {
            assert_eq!(features.place(hash), Some(at));
            assert!(features.contains(hash));
        }
        assert!(features.place(1).is_none() && !features.contains(1));
    }
}

proptest! {
    #[test]
    fn shared_windows_are_those_of_the_sets(a in "[ab]{0,40}|[ab中文]{0,40}", b in "[ab]{0,40}|[ab中文]{0,40}", size in 1..7_u32) {
        let (mut held, mut other, mut marks) = (Features::default(), Features::default(), Vec::new());
        for window in [Window::Chars(size), Window::Units(size)] {
            held.collect(&Compact::of(&a), window, false, &mut marks);
            other.collect(&Compact::of(&b), window, false, &mut marks);
            let shared = other.hashes().iter().filter(|&&hash| held.contains(hash)).count();
            let mut memory = Features::default();
            prop_assert_eq!(memory.count_shared(&Compact::of(&b), window, &held, &mut marks), shared);
            prop_assert!(memory.is_empty());
        }
    }
}

#[test]
fn windows_of_every_size_agree() {
    let ascii: String = (0..300_u64)
        .map(|i| char::from((crate::base::hash::mix(i) % 128) as u8))
        .collect();
    let mixed: String = (0..300)
        .map(|i| ['a', 'é', '中', '𠮷', 'b', '々'][crate::base::hash::mix(i) as usize % 6])
        .collect();
    for size in 1..=64 {
        check(&ascii, Window::Chars(size));
        check(&mixed, Window::Chars(size));
        check(&mixed, Window::Units(size));
    }
}

#[test]
fn texts_beyond_one_block_agree() {
    let mixed: String = (0..40_000_u32)
        .filter_map(|i| char::from_u32(0x4E00 + i % 7919 * (i % 3)))
        .collect();
    let ascii: String = (0..30_000_u32)
        .map(|i| char::from(b'a' + (i * i % 8209 % 26) as u8))
        .collect();
    for text in [mixed, "中a".repeat(9000), format!("é{ascii}"), ascii] {
        for window in [Window::Units(6), Window::Chars(3), Window::Chars(64)] {
            check(&text, window);
        }
    }
}
