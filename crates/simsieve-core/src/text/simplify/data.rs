//! `OpenCC`'s own tables, read from the source of the crate `zhhz` (Apache-2.0), which `build.rs` finds: the tables of
//! its conversions `t2s` and `tw2sp`.
//!
//! The tables convert a text; here texts in both scripts must become equal. So a Simplified character or word never
//! changes, even if it is also Traditional for another one:
//!
//! - 坏 and 苧 would become 坯 and 苎, but 壞 and 薴 become 坏 and 苧; these stay.
//! - 檔案 (a file) becomes 文件, which in Taiwan is a document and becomes 文档. 文件 can mean either, so all three become 文档;
//!   程式 and 程序 become 进程 in the same way.
//! - 著 is the form of 着 in Taiwan, so under `tw2sp` both become 着, in 著名 too. 么 is the form of 幺 there, and is the
//!   Simplified 麼, so 幺 becomes 么.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::base::hash::xxh3_128;
use crate::text::normalise::plain;
use crate::text::simplify::fold::Script;

/// Lines `character TAB characters`, the usual one first. After a comment with [`RARE`], the first value is the
/// character itself, for fonts without the Simplified one; `OpenCC`'s programs take the second.
const CHARACTERS: &str = include_str!(env!("SIMSIEVE_OPENCC_CHARACTERS"));
const RARE: &str = "# @tofu-risk";

/// Lines `character TAB character`, the second as Taiwan writes it.
const VARIANTS: &str = include_str!(env!("SIMSIEVE_OPENCC_VARIANTS"));

/// Lines `word TAB words` in Traditional characters.
const WORDS: &str = include_str!(env!("SIMSIEVE_OPENCC_WORDS"));

/// The Simplified character of each Traditional one; Simplified characters never change.
pub fn characters() -> &'static BTreeMap<char, char> {
    static CHARACTERS_BY_KEY: OnceLock<BTreeMap<char, char>> = OnceLock::new();
    CHARACTERS_BY_KEY.get_or_init(|| {
        let mut rare = false;
        let mut all = BTreeMap::new();
        for line in CHARACTERS.lines() {
            if let Some((key, values)) = entry(line) {
                let value = values.split(' ').find(|value| !rare || *value != key);
                all.insert(only(key), only(value.expect("a line has a value")));
            }
            rare = line.starts_with(RARE);
        }
        all.retain(|key, value| key != value);
        let simplified: BTreeSet<char> = all.values().copied().collect();
        all.retain(|key, _| !simplified.contains(key));
        all
    })
}

/// What each character becomes under a fold of the script.
pub fn characters_of(script: Script) -> &'static BTreeMap<char, char> {
    static WITH_VARIANTS: OnceLock<BTreeMap<char, char>> = OnceLock::new();
    if script == Script::Characters {
        return characters();
    }
    WITH_VARIANTS.get_or_init(|| {
        let simple = |c: char| *characters().get(&c).unwrap_or(&c);
        let simplified: BTreeSet<char> = characters().values().copied().collect();
        let mut variants = BTreeMap::new();
        for (usual, of_taiwan) in VARIANTS.lines().filter_map(entry) {
            let (usual, of_taiwan) = (only(usual), only(of_taiwan));
            let (end, here) = (simple(usual), simple(of_taiwan));
            if here == of_taiwan && simplified.contains(&here) {
                variants.insert(end, here);
            } else {
                variants.insert(here, end);
            }
        }
        variants.retain(|key, value| key != value);
        let end = |c: char| *variants.get(&c).unwrap_or(&c);
        let mut all: BTreeMap<char, char> = characters().iter().map(|(key, value)| (*key, end(*value))).collect();
        all.extend(&variants);
        all
    })
}

/// The replacements of words of Taiwan, both in Simplified characters. A replacement is itself in the map, so no part
/// of it is replaced.
///
/// Words with other characters than Han (A型肝炎) are omitted.
pub fn words() -> &'static BTreeMap<String, String> {
    static WORDS_BY_KEY: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    WORDS_BY_KEY.get_or_init(|| {
        let is_han = |word: &str| word.chars().all(|c| super::han::HAN.contains(&(c as u32)));
        let simple = |text: &str| -> String {
            let normalised = plain::normalise(text);
            normalised
                .chars()
                .map(|c| *characters_of(Script::Words).get(&c).unwrap_or(&c))
                .collect()
        };
        let mut all = BTreeMap::new();
        for (key, values) in WORDS.lines().filter_map(entry) {
            let value = values.split(' ').next().unwrap_or_default();
            let (key, value) = (simple(key), simple(value));
            if key != value && is_han(&key) {
                all.entry(key).or_insert(value);
            }
        }
        let ends: BTreeMap<String, String> = all
            .keys()
            .map(|key| {
                let mut end = key;
                // There is no cycle: a test follows all words.
                while let Some(next) = all.get(end) {
                    end = next;
                }
                (key.clone(), end.clone())
            })
            .collect();
        let kept: Vec<String> = ends.values().cloned().collect();
        let mut closed = ends;
        for word in kept {
            if word.chars().count() > 1 && is_han(&word) {
                closed.entry(word.clone()).or_insert(word);
            }
        }
        closed
    })
}

/// The hash of the final tables of a script.
pub fn digest(script: Script) -> u128 {
    static DIGESTS: [OnceLock<u128>; 2] = [const { OnceLock::new() }; 2];
    *DIGESTS[usize::from(script == Script::Words)].get_or_init(|| {
        let mut told = String::new();
        for (key, value) in characters_of(script) {
            told.extend([*key, *value]);
        }
        if script == Script::Words {
            for (key, value) in words() {
                told.extend(["\n", key, "\t", value]);
            }
        }
        xxh3_128(told.as_bytes())
    })
}

fn entry(line: &str) -> Option<(&str, &str)> {
    (!line.starts_with('#')).then_some(line)?.split_once('\t')
}

fn only(text: &str) -> char {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => c,
        _ => panic!("{text:?} is no single character"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Class, class_of};

    #[test]
    fn tables_are_those_of_the_version_named() {
        assert_eq!((characters().len(), words().len()), (4110, 1369));
        assert_eq!(characters()[&'體'], '体');
        assert_eq!(characters()[&'㑮'], '\u{2B748}');
        assert_eq!(words()["软体"], "软件");
        let of_taiwan = |c: char| characters_of(Script::Words).get(&c).copied().unwrap_or(c);
        let all: String = "著着痺痹睪睾簷檐顎颚腭鯰鲶鲇潀潨麼么幺"
            .chars()
            .map(of_taiwan)
            .collect();
        assert_eq!(all, "着着痹痹睾睾檐檐腭腭腭鲇鲇鲇潨潨么么么");
        assert!(characters().get(&'著').is_none());
        assert!(["文件", "档案"].iter().all(|word| words()[*word] == "文档"));
    }

    #[test]
    fn what_something_becomes_stays() {
        for script in [Script::Characters, Script::Words] {
            let all = characters_of(script);
            assert!(all.values().all(|value| !all.contains_key(value)), "{script:?}");
        }
        for value in words().values() {
            assert!(
                value.chars().all(|c| !characters_of(Script::Words).contains_key(&c)),
                "{value}"
            );
            assert!(words().get(value).is_none_or(|end| end == value), "{value}");
        }
    }

    #[test]
    fn both_sides_are_normalised_and_plain() {
        let chars = characters_of(Script::Words)
            .iter()
            .map(|(key, value)| format!("{key}{value}"));
        for text in chars.chain(words().iter().map(|(key, value)| format!("{key}{value}"))) {
            assert_eq!(plain::normalise(&text), text);
            assert!(text.chars().all(|c| class_of(c) == Class::Plain), "{text}");
        }
    }
}
