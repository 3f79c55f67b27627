//! Simplifying as the last step of normalising, against the plain way.

use proptest::prelude::*;

use super::plain::{compact as plain_compact, normalise};
use super::{Compact, Normaliser};
use crate::base::kernel::Kernel;
use crate::text::SLACK;
use crate::text::simplify::plain::simplify;
use crate::text::simplify::{Fold, Script, data};

/// Both forms by every kernel, which must be the plain ones.
fn check(text: &str) {
    let mut out = Compact::default();
    for (fold, keep_all) in Fold::ALL.into_iter().flat_map(|(_, f)| [(f, false), (f, true)]) {
        let full = simplify(&normalise(text), fold);
        let compact = if keep_all { full.clone() } else { plain_compact(&full) };
        for kernel in Kernel::available() {
            let normaliser = Normaliser::with_kernel(keep_all, kernel).folding(Some(fold));
            normaliser.run(text, &mut out);
            assert_eq!(
                std::str::from_utf8(out.normalised()),
                Ok(full.as_str()),
                "{text:?} {fold:?}"
            );
            assert_eq!(
                std::str::from_utf8(out.compact()),
                Ok(compact.as_str()),
                "{text:?} {fold:?}"
            );
            assert_eq!(out.is_ascii(), compact.is_ascii());
            let (padded, len) = out.padded();
            assert!(padded.len() >= len + SLACK);
        }
        assert_eq!(fold.apply(text), simplify(text, fold), "{text:?} {fold:?}");
    }
}

#[test]
fn named_cases_agree_with_the_plain_way() {
    for text in [
        "",
        "體",
        "Simplified 汉字 stays, 漢字 does not.",
        "軟體、硬體 與 資料庫",
        "著名 看着 看著 幺么麼 颚顎腭",
        "程式 程序 进程 檔案 文件 文檔",
        "壞坏坯薴苧苎",
        "㑮體㑮 𠁞 𫝈",
        "豈\u{F900}馬⾺㈻\u{F9D0}\u{FA0E}\u{2F996}",
        "埠，通訊埠；矽谷",
        "厄瓜多 厄瓜多爾 厄瓜多厄",
        "A型肝炎 隨身碟",
        "軟，體",
        "資 料夾 資料夾",
        "は体育館、한국어 體",
        "第一百二十三條，三萬元；一，百",
        "Ελλάδα ёлка café hoà hòa đ ø الأُستَاذُ شَلّـٰم x\u{304} 3\u{305} が क़ й 體é²",
    ] {
        check(text);
    }
}

#[test]
fn words_are_found_across_nothing_but_characters() {
    assert_eq!(Fold::WORDS.apply("資料夾 資料 夾"), "文件夹 数据 夹");
    assert_eq!(Fold::WORDS.apply("檔案 文件 文档"), "文档 文档 文档");
    assert_eq!(Fold::WORDS.apply("隨身碟"), "u盘");
    assert_eq!(Fold::CHARACTERS.apply("資料夾"), "资料夹");
}

#[test]
fn compatibility_ideographs_are_folded_as_what_they_stand_for() {
    assert_eq!(Fold::CHARACTERS.apply("\u{F900}乾"), "岂干");
    assert_eq!(
        Fold::CHARACTERS.apply("\u{F92C}\u{FA0E}\u{2F800}"),
        "\u{90CE}\u{FA0E}\u{4E3D}"
    );
    assert_eq!(Fold::WORDS.apply("資\u{F9BE}夾 A"), "文件夹 A");
}

#[test]
fn every_character_agrees() {
    let mut text = String::new();
    for c in ('\u{3000}'..='\u{A0FF}')
        .chain('\u{F900}'..='\u{FAFF}')
        .chain('\u{20000}'..='\u{323AF}')
    {
        text.push(c);
        if text.len() > 3000 {
            check_characters(&text);
            text.clear();
        }
    }
    check_characters(&text);
}

fn check_characters(text: &str) {
    let mut out = Compact::default();
    Normaliser::new(true)
        .folding(Some(Fold::CHARACTERS))
        .run(text, &mut out);
    let wanted = simplify(&normalise(text), Fold::CHARACTERS);
    assert_eq!(out.normalised(), wanted.as_bytes());
}

/// A word of Taiwan or a part of one, in either script.
fn pieces() -> impl Strategy<Value = String> {
    let keys: Vec<&'static str> = data::words().keys().map(String::as_str).collect();
    let word = (proptest::sample::select(keys), 0..6_usize, 0..6_usize)
        .prop_map(|(key, from, count)| key.chars().skip(from % 2 * from).take(1 + count).collect());
    let character = proptest::sample::select(data::characters_of(Script::Words).keys().copied().collect::<Vec<_>>());
    prop_oneof![
        word,
        character.prop_map(String::from),
        "[a-zA 。，は\u{301}𠀀]{0,3}|[一二三兩十百萬亿第3个.分之点]{0,5}"
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_text_agrees_with_the_plain_way(pieces in proptest::collection::vec(pieces(), 0..20), other in any::<String>()) {
        check(&pieces.concat());
        check(&other);
    }

    #[test]
    fn the_script_of_a_text_does_not_matter(pieces in proptest::collection::vec(pieces(), 0..20)) {
        let text = pieces.concat();
        let simplified = Fold::CHARACTERS.apply(&text);
        prop_assert_eq!(Fold::CHARACTERS.apply(&simplified), simplified.clone());
        prop_assert_eq!(Fold::WORDS.apply(&simplified), Fold::WORDS.apply(&text));
    }
}
