//! The tests of `lost.rs`.

use proptest::prelude::*;

use super::*;
use crate::tests::support::plain_lost;

fn lost(text: &str, other: &str) -> Run {
    longest_lost(text.as_bytes(), other.as_bytes(), u32::MAX, &mut Memory::default())
}

/// Texts that share much: pieces of one text with edits between, in any order.
fn edited() -> impl Strategy<Value = (String, String)> {
    let piece = prop_oneof![
        "[ab]{1,12}",
        "[a-h]{3,30}",
        "[中文字符测试]{1,12}",
        "(ab中){1,6}",
        "[a中é\u{3021}𠮷カ각]{1,10}",
        "(abcdefgh){1,4}",
    ];
    let pieces = proptest::collection::vec(piece, 0..10);
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), 0..5_u8, "[a-c中文]{0,4}"), 0..8);
    (pieces, edits).prop_map(|(pieces, edits)| {
        let mut other = pieces.clone();
        for (at, kind, text) in edits {
            if other.is_empty() {
                break;
            }
            let place = at.index(other.len());
            match kind {
                0 => drop(other.remove(place)),
                1 => other.insert(place, text),
                2 => other[place] = text,
                3 => other.swap(0, place),
                _ => {
                    let chars: Vec<char> = other[place].chars().collect();
                    let cut = at.index(chars.len().max(1));
                    other[place] = chars
                        .iter()
                        .take(cut)
                        .chain(text.chars().collect::<Vec<_>>().iter())
                        .chain(chars.iter().skip(cut + 1))
                        .collect();
                }
            }
        }
        (pieces.concat(), other.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    /// For all pairs: the units are those of the definition, and the run has them; a bound ends the search early and no other way.
    #[test]
    fn what_is_lost_is_the_longest_run_that_is_not_covered((text, other) in edited(), most in 0..40_u32) {
        let (text, other) = (text.as_str(), other.as_str());
        for (text, other) in [(text, other), (other, text)] {
            let expected = plain_lost(text, other);
            let run = lost(text, other);
            prop_assert_eq!(run.units, expected, "{:?} {:?}", text, other);
            prop_assert_eq!(units_of(&text.as_bytes()[run.start..run.end]), expected);
            let bounded = longest_lost(text.as_bytes(), other.as_bytes(), most, &mut Memory::default());
            prop_assert_eq!(bounded.units > most, expected > most);
            if expected <= most {
                prop_assert_eq!(bounded, run);
            }
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Hashed windows give the same answer as a search for each.
    #[test]
    fn many_edits_give_the_answer_of_few(words in proptest::collection::vec("[a-f]{2,9}|[中文字符]{1,4}", 60..160), seed: u64) {
        let other: Vec<String> = words.iter().enumerate().map(|(at, word)| {
            if crate::base::hash::mix(seed ^ at as u64).is_multiple_of(3) { word.chars().rev().collect() } else { word.clone() }
        }).collect();
        let (text, other) = (words.concat(), other.concat());
        prop_assert_eq!(lost(&text, &other).units, plain_lost(&text, &other));
    }
}

#[test]
fn a_changed_character_loses_itself_and_a_moved_paragraph_nothing() {
    let text = "港口的老灯塔每隔两年都要重新刷漆一次的旧规矩";
    assert_eq!(lost(text, &text.replace('两', "三")).units, 2);
    assert_eq!(lost(text, text), Run::default());
    let [first, second] =
        ["the ferry leaves at seven", "bring the red lamp to the office"].map(|part| part.replace(' ', ""));
    assert_eq!(lost(&format!("{first}{second}"), &format!("{second}{first}")).units, 0);
    let run = lost(&format!("{first}{second}"), &first);
    assert_eq!((run.units, run.start), (second.len() as u32, first.len()));
}

#[test]
fn a_text_loses_nothing_for_itself() {
    for text in ["第2题A3", "字字字字a", "中文字符abc测1", "ab字字字c"] {
        assert_eq!(lost(text, text).units, 0, "{text}");
        assert_eq!(lost(text, &format!("x{text}")).units, 0, "{text}");
    }
    assert_eq!(lost("字字字字a", "字字字字b").units, 1);
}

#[test]
fn short_texts_are_one_window() {
    assert_eq!(lost("短", "短文字").units, 0);
    assert_eq!(lost("短文", "文短").units, 4);
    assert_eq!(lost("", "a").units, 0);
    assert_eq!(lost("abc", "").units, 3);
}
