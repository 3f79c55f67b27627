//! The tests of `unspaced_scripts.rs`.

use proptest::prelude::*;

use super::{each_word, is_unspaced};
use crate::encode::encoder::features_of;
use crate::encode::scheme::Scheme;

fn cut(run: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(run, |word| words.push(word.to_owned()));
    words
}

/// The cut from its definition.
fn plain(run: &str) -> Vec<String> {
    let characters: Vec<char> = run.chars().collect();
    let mut words = Vec::new();
    for part in characters.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
        if is_unspaced(part[0]) && part.len() > 4 {
            words.extend(part.windows(4).map(String::from_iter));
        } else {
            words.push(String::from_iter(part));
        }
    }
    words
}

proptest! {
    #[test]
    fn the_cut_is_the_plain_one(run in "[กขค่ำ๑ລາວမြနขၼខ្មែរaé1ꩠᧀ]{0,20}") {
        prop_assert_eq!(cut(&run), plain(&run));
    }
}

#[test]
fn scripts_are_told_by_their_blocks() {
    for c in "ก๙฿ລໝမဿၐꧧꩠក៩᧠᧿".chars() {
        assert!(is_unspaced(c), "{c}");
    }
    for c in
        "aé1中かカ각тአཀ\u{DFF}\u{F00}\u{FFF}\u{10A0}\u{177F}\u{1800}\u{19DF}\u{1A00}\u{A9DF}\u{AA00}\u{AA5F}\u{AA80}"
            .chars()
    {
        assert!(!is_unspaced(c), "{c}");
    }
}

#[test]
fn words_are_cut_where_the_option_asks_for_it() {
    let words = |spec: &str, text: &str| -> Vec<String> {
        let features = features_of(&Scheme::parse(spec).unwrap(), text).unwrap();
        features.into_iter().map(|feature| feature.text).collect()
    };
    let text = "ภาษาไทยv2 中文 ดี";
    assert_eq!(words("words64", text), ["ภาษาไทยv2", "中文", "ดี"]);
    assert_eq!(words("words64:unspaced=runs", text), words("words64", text));
    assert_eq!(
        words("words64:unspaced=fours", text),
        ["ภาษา", "าษาไ", "ษาไท", "าไทย", "v2", "中文", "ดี"]
    );
    assert_eq!(words("words64:n=2,unspaced=fours", "ภาษาไv2"), ["ภาษา าษาไ", "าษาไ v2"]);
    assert_eq!(words("words64:unspaced=fours,pos=m", "ภาษาไทย๑๒ 12"), ["12"]);
    let folder = tempfile::tempdir().unwrap();
    let stop = folder.path().join("stop");
    std::fs::write(&stop, "าษาไ\nดี\n").unwrap();
    let spec = format!("words64:stop={},unspaced=fours", stop.display());
    assert_eq!(words(&spec, text), ["ภาษา", "ษาไท", "าไทย", "v2", "中文"]);
}

#[test]
fn the_option_is_told_and_refused() {
    let digest = |spec: &str| Scheme::parse(spec).unwrap().digest();
    assert_eq!(digest("words64:unspaced=runs"), digest("words64"));
    assert_eq!(digest("words64:unspaced=fours"), "8269d19e5b35ebda8752e03ffdf99b87");
    assert_eq!(
        Scheme::parse("words64:unspaced=fours,n=2").unwrap().spec(),
        "words64:n=2,unspaced=fours"
    );
    assert_eq!(Scheme::parse("words64:unspaced=runs").unwrap().spec(), "words64");
    for (spec, part) in [
        ("words64:unspaced=threes", "unspaced is runs or fours"),
        ("words64:unspaced", "unspaced is runs or fours"),
        ("words64:unspaced=fours,unspaced=fours", "unspaced is given twice"),
        ("words64:no=1", "unspaced=runs|fours"),
        ("esimhash64:unspaced=fours", "its options are"),
        ("keywords64:unspaced=fours", "its options are"),
        ("chars64:unspaced=fours", "not allowed"),
    ] {
        let message = Scheme::parse(spec).unwrap_err().to_string();
        assert!(message.contains(part), "{spec}: {message}");
    }
}
