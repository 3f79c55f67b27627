//! Files of words that schemes take: stop words, and words for the dictionary.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use simsieve_core::base::context::Context;
use simsieve_core::collection::fit::fit_texts;
use simsieve_core::encode::encoder::{Feature, features_of};
use simsieve_core::encode::model::Counter;
use simsieve_core::encode::scheme::{OpenScheme, Part, Scheme};
use simsieve_core::text::Fold;
use simsieve_core::text::{normalise, simplify::plain};

use super::{ROOM, choose, refused};

pub const WORDS: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    " ",
    "\u{3000}",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\0",
    "\u{1f}",
    "the",
    "The",
    "\u{ff34}he",
    "\u{7684}",
    "\u{6aa2}\u{6e2c}",
    "\u{8edf}\u{9ad4}",
    "\u{e20}\u{e32}\u{e29}\u{e32}\u{e44}\u{e17}\u{e22}",
    "e\u{301}",
    "\u{ad}",
    "\u{200d}",
    " 3 n",
    " n",
    " 0",
    " -1",
    " 18446744073709551616",
    " 1e999",
    "ab",
    "12",
];

/// A file, and after its first zero byte a text.
fn parted(bytes: &[u8]) -> (&[u8], String) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let file = parts.next().unwrap_or_default();
    (
        file,
        String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned(),
    )
}

/// A scheme with a file for one of its options.
fn with_file(spec: &str, key: &str, file: &Path) -> String {
    let sign = if spec.contains(':') { ',' } else { ':' };
    format!("{spec}{sign}{key}={}", file.display())
}

/// The scheme with a model of the text, where its weights need one.
fn ready(scheme: OpenScheme, text: &str) -> Scheme {
    if let Ok(scheme) = scheme.clone().ready() {
        return scheme;
    }
    let mut counter = Counter::new(scheme.features_to_count().unwrap(), 1 << 10).unwrap();
    let texts = [text, "One text more, so that the model has words."];
    fit_texts(&mut counter, &scheme, &texts, 0, &Context::silent(1)).unwrap();
    scheme.with_model(std::sync::Arc::new(counter.finish())).unwrap()
}

fn names(features: &[Feature]) -> Vec<(&str, u32)> {
    features.iter().map(|row| (row.text.as_str(), row.count)).collect()
}

/// Features are those without stop words, less the stop words; of words in a row none is one.
fn left_out(with: &[Feature], without: &[Feature], stop: &BTreeSet<String>, rows: bool) {
    if rows {
        let pieces = with.iter().flat_map(|row| row.text.split(' '));
        assert_eq!(pieces.filter(|piece| stop.contains(*piece)).count(), 0, "{with:?}");
        return;
    }
    let mut wanted = names(without);
    wanted.retain(|(word, _)| !stop.contains(*word));
    assert_eq!(names(with), wanted);
}

const STOPPED: [(&str, Option<Fold>); 6] = [
    ("words64:weights=tf", None),
    ("words64:weights=tf,fold=tw2sp", Some(Fold::WORDS)),
    ("words128:weights=tf,unspaced=fours,fold=t2s", Some(Fold::CHARACTERS)),
    ("words64:n=2,fold=t2s", Some(Fold::CHARACTERS)),
    ("esimhash64", None),
    ("esimhash64:tokens=all,fold=tw2sp", Some(Fold::WORDS)),
];

/// Any file of stop words is refused, or no word of it is a feature and all others are. The digest has neither the
/// order of its words nor its line ends.
pub fn stop_words(bytes: &[u8]) {
    let ((spec, fold), bytes) = choose(bytes, &STOPPED);
    let (file, text) = parted(bytes);
    ROOM.with(|room| {
        let path = room.write("stop.txt", file);
        let named = with_file(spec, "stop", &path);
        let scheme = match OpenScheme::parse(&named) {
            Ok(scheme) => scheme,
            Err(error) => {
                assert!(std::str::from_utf8(file).is_err(), "{error}");
                assert!(error.to_string().contains("stop.txt: is no UTF-8 at byte"), "{error}");
                return refused(&error);
            }
        };
        let list = std::str::from_utf8(file).unwrap().trim_start_matches('\u{feff}');
        let folded = |word: &str| fold.map_or_else(|| word.to_owned(), |fold| plain::simplify(word, fold));
        let normalised = !spec.contains("tokens=all");
        let stop: BTreeSet<String> = list
            .split('\n')
            .map(|line| {
                if normalised {
                    folded(&normalise::plain::normalise(line))
                } else {
                    folded(line.trim())
                }
            })
            .filter(|word| !word.is_empty())
            .collect();
        // An empty line first: what marks UTF-8 is such a mark at the beginning only.
        let backwards: Vec<&str> = [""].into_iter().chain(list.split('\n').rev()).collect();
        let again = with_file(
            spec,
            "stop",
            &room.write("again.txt", backwards.join("\r\n\n").as_bytes()),
        );
        assert_eq!(OpenScheme::parse(&again).unwrap().digest(), scheme.digest());
        assert_eq!(scheme.spec(), OpenScheme::parse(&scheme.spec()).unwrap().spec());
        let with = features_of(&ready(scheme, &text), &text).unwrap();
        let without = features_of(&ready(OpenScheme::parse(spec).unwrap(), &text), &text).unwrap();
        left_out(&with, &without, &stop, spec.contains("n=2"));
    });
}

pub fn stop_seeds() -> Vec<Vec<u8>> {
    [
        "\u{0}the\nof\n\0The end of the road, and of the day.",
        "\u{1}\u{feff}\u{9019}\u{500b}\r\n\u{8edf}\u{9ad4}\n\0\u{9019}\u{500b}\u{8f6f}\u{4ef6}\u{7684}\u{96fb}\u{6c60}",
        "\u{2}\u{e20}\u{e32}\u{e29}\u{e32}\nv2\n\0\u{e20}\u{e32}\u{e29}\u{e32}\u{e44}\u{e17}\u{e22}v2 \u{e14}\u{e35}",
        "\u{3}a\n\n b \n\0a b c a b d",
        "\u{4}\u{ff34}he\n\u{7684}\n\0the \u{8001}\u{69d0}\u{6811}\u{7684}\u{6751}\u{53e3}",
        "\u{5}The\n \n\u{3002}\n\0The \u{8001}\u{69d0}\u{6811}\u{7684}\u{6751}\u{53e3}\u{3002}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

const CUT: [&str; 4] = [
    "words64:weights=tf",
    "words64:weights=tf,fold=tw2sp",
    "words128:weights=tf,unspaced=fours,fold=t2s",
    "words64:weights=tf,pos=n*+v",
];

/// A dictionary of a scheme is refused, with the line if a line is at fault. Otherwise it moves the borders of words
/// and no character. What remains under parts of speech is of the text.
pub fn dictionaries(bytes: &[u8]) {
    let (spec, bytes) = choose(bytes, &CUT);
    let (file, text) = parted(bytes);
    ROOM.with(|room| {
        let path = room.write("words.txt", file);
        let scheme = match Scheme::parse(&with_file(spec, "dict", &path)) {
            Ok(scheme) => scheme,
            Err(error) => {
                let told = error.to_string();
                assert!(told.contains("words.txt: "), "{told}");
                assert!(told.contains("is no UTF-8 at byte") || told.contains("line "), "{told}");
                return refused(&error);
            }
        };
        let with = features_of(&scheme, &text).unwrap();
        assert!(with.iter().all(|row| !row.text.is_empty()));
        if !spec.contains("pos=") {
            let characters = |features: &[Feature]| -> usize {
                let of = |row: &Feature| row.count as usize * row.text.chars().count();
                features.iter().map(of).sum()
            };
            let without = features_of(&Scheme::parse(spec).unwrap(), &text).unwrap();
            assert_eq!(characters(&with), characters(&without), "{with:?} {without:?}");
        }
    });
}

pub fn dictionary_seeds() -> Vec<Vec<u8>> {
    [
        "\u{0}\u{77f3}\u{58a8}\u{70ef} 9 n\n\u{96fb}\u{6c60}\u{58fd}\u{547d}\n\0\u{77f3}\u{58a8}\u{70ef}\u{7535}\u{6c60} is new",
        "\u{1}\u{feff}\u{8edf}\u{9ad4}\u{7684} 5\r\n\u{9019} n\n\0\u{9019}\u{500b}\u{8edf}\u{9ad4}\u{7684}\u{96fb}\u{6c60}",
        "\u{2}\u{e20}\u{e32}\u{e29}\u{e32}\u{4e2d} 7 n\n\0\u{e20}\u{e32}\u{e29}\u{e32}\u{e44}\u{e17}\u{e22}\u{4e2d}\u{6587}",
        "\u{3}\u{5317}\u{4eac}\u{57ce} 3 ns\nab 3 v\n\0\u{6211}\u{7231}\u{5317}\u{4eac}\u{57ce} ab 2024",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

const OWN: [(&str, u64, &[&str], bool); 5] = [
    ("words", 1, &["usual"], false),
    ("words", 1, &["usual", "tw2sp"], true),
    ("words", 2, &["no-digits", "usual"], true),
    ("lines", 1, &[], false),
    ("chars", 3, &["lower", "spaces"], false),
];

/// A scheme that a user put together leaves out the words of a list, whatever is in it, and nothing else.
pub fn own_stop_words(bytes: &[u8]) {
    let ((kind, n, steps, fours), bytes) = choose(bytes, &OWN);
    let (file, text) = parted(bytes);
    let list = String::from_utf8_lossy(file);
    let lines: Vec<String> = list.lines().map(|line| line.trim().to_owned()).collect();
    let scheme = |stop: Option<Vec<String>>| {
        let parts =
            json!({"features": kind, "n": n, "normalise": steps, "weights": "tf", "stop": stop.unwrap_or_default()});
        let mut parts = Part::all_of(&parts);
        if fours {
            parts.extend(Part::all_of(&json!({"unspaced": "fours"})));
        }
        OpenScheme::custom("own", &parts, None)
            .and_then(OpenScheme::ready)
            .unwrap()
    };
    let with = scheme(Some(lines.clone()));
    let again = lines.iter().rev().chain(&lines).cloned().collect();
    assert_eq!(scheme(Some(again)).digest(), with.digest());
    let stop = match kind {
        "chars" => BTreeSet::new(),
        _ => lines.into_iter().collect(),
    };
    let (found, all) = (features_of(&with, &text), features_of(&scheme(None), &text));
    left_out(&found.unwrap(), &all.unwrap(), &stop, n == 2);
}

pub fn own_stop_seeds() -> Vec<Vec<u8>> {
    [
        "\u{0}the\nof\n\0The end of the road, and of the day.",
        "\u{1}\u{8fd9}\u{4e2a}\n\u{e29}\u{e32}\u{e44}\u{e17}\n\0\u{9019}\u{500b}\u{8edf}\u{9ad4} \u{e20}\u{e32}\u{e29}\u{e32}\u{e44}\u{e17}\u{e22}",
        "\u{2}a\n b \n\0a b c 1 2 a b d",
        "\u{3}a line\nanother\n\0a line\nanother\r\na third\u{2028}a line",
        "\u{4}abc\n\0ABC  abc",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
