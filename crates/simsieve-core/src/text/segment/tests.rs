//! Laws of cutting, and what is pinned: jieba's data, the digest, the errors of files. The words are held against jieba's own in Python.

use proptest::prelude::*;

use super::data::{NEVER, States};
use super::trie::{FIRST_HAN, NO_ENTRY, Trie, symbol};
use super::*;

/// Words that overlap, begin one another, hold ASCII, tie in frequency, and are deleted.
const WORDS: [(&str, u64); 24] = [
    ("中", 50),
    ("国", 20),
    ("中国", 40),
    ("国人", 40),
    ("中国人", 7),
    ("人", 60),
    ("人民", 30),
    ("民", 5),
    ("人民大会", 3),
    ("大会", 3),
    ("大会堂", 3),
    ("会堂", 3),
    ("T恤", 4),
    ("c++", 3),
    ("4S店", 3),
    ("apt-get", 2),
    ("AB", 9),
    ("ABC", 9),
    ("A", 2),
    ("没有", 0),
    ("%", 1),
    ("民大", 11),
    ("韩·", 5),
    ("〇〇", 2),
];

fn file_of(words: &[(&str, u64)]) -> String {
    let lines: Vec<_> = words
        .iter()
        .map(|(word, frequency)| format!("{word} {frequency} n"))
        .collect();
    lines.join("\n")
}

fn small() -> Segmenter {
    Segmenter::with_dictionary("small.txt", file_of(&WORDS).as_bytes()).unwrap()
}

fn cut(segmenter: &Segmenter, text: &str, mode: Mode, hmm: bool) -> Vec<String> {
    let mut words = Vec::new();
    segmenter.cut(text, mode, hmm, &mut CutScratch::default(), |place| {
        words.push(text[place].to_owned());
    });
    words
}

/// Texts of the cases that the rules distinguish: words, Han within and beyond the range, ASCII of all kinds, line ends.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(WORDS.map(|word| word.0.to_owned()).to_vec()),
        "[中国人民大会堂没有T恤店的了是在]{0,8}",
        "[一-龥]{0,6}",
        "[a-cA-C0-9+#&._%-]{0,8}",
        "[ \t\r\n　，。！、\u{1c}\u{2028}é€😀𠀀㐀龦鿕鿖豈]{0,4}",
        ".{0,3}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_words_of_exact_mode_make_up_the_text(text in texts(), hmm: bool) {
        let segmenter = Segmenter::builtin();
        prop_assert_eq!(cut(&segmenter, &text, Mode::Exact, hmm).concat(), text);
    }

    #[test]
    fn every_word_of_full_mode_lies_in_the_text_and_only_white_space_and_words_are_left(text in texts()) {
        let segmenter = small();
        let mut covered = vec![false; text.len()];
        segmenter.cut(&text, Mode::Full, true, &mut CutScratch::default(), |place| covered[place].fill(true));
        prop_assert!(covered.iter().all(|&byte| byte), "{text:?}");
    }

    #[test]
    fn words_added_one_by_one_are_those_of_a_file(mut order in Just(WORDS.to_vec()).prop_shuffle(), text in texts()) {
        order.retain(|word| word.1 > 0);
        let whole = Segmenter::with_dictionary("whole.txt", file_of(&order).as_bytes()).unwrap();
        let mut grown = Segmenter::with_dictionary("none.txt", b"").unwrap();
        for (word, frequency) in &order {
            grown.add_word(word, Some(*frequency), Some("n")).unwrap();
        }
        prop_assert_eq!(grown.digest(), whole.digest());
        for (_, mode) in Mode::ALL {
            prop_assert_eq!(cut(&grown, &text, mode, true), cut(&whole, &text, mode, true));
        }
    }

    #[test]
    fn a_trie_that_grows_keeps_every_word(words in prop::collection::btree_set("[一-丿a-c]{1,4}|[一-龥]{1,3}", 0..200)) {
        let words: Vec<Vec<u16>> = words.iter().map(|word| word.chars().filter_map(symbol).collect()).collect();
        let mut sorted: Vec<_> = words.iter().map(|word| (&word[..], 1.0)).collect();
        sorted.sort_unstable_by_key(|word| word.0);
        let mut grown = Trie::new();
        let built = Trie::of_sorted(&sorted);
        for (entry, (word, weight)) in sorted.iter().enumerate().rev() {
            grown.insert(word, *weight, entry as u32);
        }
        for (entry, (word, _)) in sorted.iter().enumerate() {
            for trie in [&grown, &built] {
                prop_assert_eq!(trie.entry(word), Some(entry as u32));
                let longer = [word, &[FIRST_HAN + 20_000][..]].concat();
                prop_assert_eq!(trie.entry(&longer), None);
                let shorter = &word[..word.len() - 1];
                let known = sorted.iter().position(|other| other.0 == shorter).map_or(NO_ENTRY, |at| at as u32);
                prop_assert_eq!(trie.entry(shorter), (!shorter.is_empty()).then_some(known));
            }
        }
    }
}

#[test]
fn the_data_are_those_of_jieba_0_42_1() {
    let segmenter = Segmenter::builtin();
    assert_eq!(data::WORDS.lines().count(), 349_045);
    assert_eq!(segmenter.total(), 60_101_967);
    assert_eq!(
        (segmenter.frequency("的"), segmenter.tag_of("的")),
        (Some(318_825), Some("uj"))
    );
    assert_eq!(segmenter.frequency("B超"), Some(3));
    assert_eq!((segmenter.frequency("B"), segmenter.frequency("超B")), (Some(0), None));
}

#[test]
fn the_document_frequencies_are_those_of_the_file() {
    let file = include_str!(env!("SIMSIEVE_JIEBA_IDF"));
    let line = |line: &'static str| {
        line.split_once(' ')
            .map(|(word, digits)| (word, digits.parse::<f64>().unwrap()))
    };
    let mut wanted: Vec<_> = file.lines().filter_map(line).collect();
    let mut found: Vec<_> = data::idf().collect();
    wanted.sort_by_key(|entry| entry.0);
    found.sort_by_key(|entry| entry.0);
    assert_eq!(found.len(), 270_132);
    assert!(found == wanted);
}

#[test]
fn the_digest_is_pinned() {
    // A new value is a new version of every scheme that is on words: see CONTRIBUTING.md, golden files.
    assert_eq!(Segmenter::builtin().digest(), "809fc95172a94da435e7b360af7d4ded");
}

#[test]
fn a_digest_stands_for_words_frequencies_tags_and_deletions_not_for_the_way_there() {
    let mut segmenter = Segmenter::builtin();
    let mut digests = vec![segmenter.digest()];
    segmenter.add_word("石墨烯", Some(5), None).unwrap();
    digests.push(segmenter.digest());
    segmenter.add_word("石墨烯", Some(0), None).unwrap();
    digests.push(segmenter.digest());
    segmenter.add_word("石墨烯", Some(5), Some("n")).unwrap();
    digests.push(segmenter.digest());
    let different: HashSet<_> = digests.iter().collect();
    assert_eq!(different.len(), digests.len());
    assert_eq!(
        Segmenter::builtin().digest(),
        digests[0],
        "a clone's change stays with it"
    );
}

#[test]
fn emissions_are_logarithms_of_shares_to_the_last_bit() {
    let states = States::builtin();
    let row = |c| states.emit[usize::from(symbol(c).unwrap() - FIRST_HAN)];
    // The values of jieba's table, which has them in full.
    assert_eq!(row('锶')[States::B].to_bits(), (-16.235_869_619_906_936_f64).to_bits());
    assert_eq!(row('其')[States::M].to_bits(), (-6.603_023_073_689_6_f64).to_bits());
    assert_eq!(row('锏')[States::E].to_bits(), (-11.918_381_506_370_624_f64).to_bits());
    assert_eq!(row('的')[States::S].to_bits(), (-2.240_176_680_058_842_5_f64).to_bits());
    assert!(row('鿕').iter().all(|&likely| likely == NEVER));
    assert!(states.step[States::B][States::B] == NEVER);
}

#[test]
fn ascii_is_cut_by_jiebas_own_rules() {
    let segmenter = Segmenter::builtin();
    for (text, expected) in [
        ("用apt-get装", "用 apt - get 装"),
        ("zh_TW和sources.list", "zh _ TW 和 sources . list"),
        ("约3.14%是v1.0beta", "约 3.14% 是 v1.0 beta"),
        ("a--b", "a -- b"),
        ("1.2.3", "1.2 . 3"),
        ("C++和c#", "C++ 和 c#"),
        ("\r\n\n\r", "\r\n \n \r"),
        ("", ""),
    ] {
        assert_eq!(cut(&segmenter, text, Mode::Exact, true).join(" "), expected, "{text:?}");
    }
}

#[test]
fn full_mode_keeps_letters_apart_that_a_word_separates() {
    let segmenter = small();
    assert_eq!(cut(&segmenter, "xABCd", Mode::Full, true), ["AB", "ABC", "x", "d"]);
    assert_eq!(cut(&segmenter, "xAd9T恤", Mode::Full, true), ["xAd9T恤"]);
}

#[test]
fn a_deleted_word_is_made_by_nobody_and_can_come_back_to_the_dictionary() {
    let mut segmenter = Segmenter::builtin();
    segmenter.delete_word("中华人民共和国").unwrap();
    assert_eq!(
        cut(&segmenter, "中华人民共和国", Mode::Exact, true),
        ["中华", "人民共和国"]
    );
    segmenter.add_word("中华人民共和国", None, None).unwrap();
    assert_eq!(cut(&segmenter, "中华人民共和国", Mode::Exact, true), ["中华人民共和国"]);
}

#[test]
fn a_user_dictionary_has_jiebas_format() {
    let mut segmenter = Segmenter::with_dictionary("none.txt", "甲 3 n\n甲 4\n".as_bytes()).unwrap();
    assert_eq!(
        (segmenter.frequency("甲"), segmenter.total(), segmenter.tag_of("甲")),
        (Some(4), 7, None)
    );
    let file = "\u{feff}云计算 5 n\r\n  创新办 3\n李小福 nr\n好\n删 0\n5 6\n";
    segmenter.load_words("user.txt", file.as_bytes()).unwrap();
    assert_eq!(
        (segmenter.frequency("云计算"), segmenter.tag_of("云计算")),
        (Some(5), Some("n"))
    );
    assert_eq!(
        (segmenter.frequency("创新办"), segmenter.tag_of("创新办")),
        (Some(3), None)
    );
    assert_eq!(segmenter.tag_of("李小福"), Some("nr"));
    assert_eq!(
        (segmenter.frequency("删"), segmenter.frequency("5")),
        (Some(0), Some(6))
    );
    assert!(segmenter.frequency("好") >= Some(1));
}

#[test]
fn words_that_no_text_is_cut_into_are_counted() {
    let segmenter = small();
    assert_eq!(
        (segmenter.frequency("韩·"), segmenter.frequency("韩")),
        (Some(5), Some(0))
    );
    assert_eq!(
        (segmenter.frequency("〇"), segmenter.frequency("〇〇")),
        (Some(0), Some(2))
    );
    assert_eq!(cut(&segmenter, "韩·", Mode::Exact, true), ["韩", "·"]);
}

#[test]
fn a_long_text_of_one_block_is_cut_whole() {
    let segmenter = small();
    let text = "中国人民大会堂AB".repeat(5_000);
    let words = cut(&segmenter, &text, Mode::Exact, true);
    assert_eq!(words.concat(), text);
    assert_eq!(
        words[..40],
        cut(&segmenter, &"中国人民大会堂AB".repeat(20), Mode::Exact, true)[..40]
    );
}

#[test]
fn a_mode_is_read_by_its_name() {
    for (name, mode) in Mode::ALL {
        assert_eq!(Mode::parse(name).unwrap(), mode);
    }
    let message = Mode::parse("fast").unwrap_err().to_string();
    assert!(
        message.contains("\"fast\"") && message.contains("exact, full, search"),
        "{message}"
    );
}
