//! Invented words. A word is the function of its rank, so the vocabulary has no end: it grows with the collection.

use crate::chance::{Zipf, mix};

/// The language of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Words without spaces.
    Chinese,
    /// Words with spaces.
    English,
}

/// Words of these ranks follow Zipf's law with exponent 1. Rarer words follow a steeper law, with exponent 5/3.
pub const COMMON_RANKS: u32 = 8_192;
/// The share of the rarer words, of 1,000. With the exponent it makes the vocabulary grow as the power 0.6 of the texts.
const RARE_SHARE: u64 = 70;
const CHARACTERS: u32 = 3_000;

const FUNCTION_ZH: &str = "的 了 在 是 和 有 不 也 就 都 而 对 与 为 以 中 上 下 之 被 把 从 到 将 其 等 但 还 我们 一个 可以 因为 所以 如果 已经 \
                           进行 通过 这个 以及 其中 由于 需要";
const FUNCTION_EN: &str = "the of and to a in is that for it as was with be by on not at are this have from or an they which one all there \
                           would their been has when will no if out so what its about than into can only other some could these";

/// What turns ranks into words.
pub struct Words {
    characters: Vec<char>,
    of_character: Zipf,
    common: Zipf,
    function: [Vec<&'static str>; 2],
    /// The words of the common ranks, ready made.
    ready: [Vec<String>; 2],
}

impl Words {
    /// The words of a seed.
    pub fn new(seed: u64) -> Self {
        let mut characters: Vec<char> = (0x4E00..0x8E00).filter_map(char::from_u32).collect();
        characters.sort_by_key(|character| mix(seed ^ mix(u64::from(u32::from(*character)))));
        characters.truncate(CHARACTERS as usize);
        let mut words = Self {
            characters,
            of_character: Zipf::new(CHARACTERS, 20.0),
            common: Zipf::new(COMMON_RANKS, 8.0),
            function: [
                FUNCTION_ZH.split(' ').collect(),
                FUNCTION_EN.split_whitespace().collect(),
            ],
            ready: [Vec::new(), Vec::new()],
        };
        for language in [Language::Chinese, Language::English] {
            let ready = (0..u64::from(COMMON_RANKS)).map(|rank| {
                let mut word = String::new();
                words.spell(language, rank, &mut word);
                word
            });
            let ready = ready.collect();
            words.ready[language as usize] = ready;
        }
        words
    }

    /// The rank of a word that a text takes, from random bits.
    pub fn rank(&self, bits: u64) -> u64 {
        if bits % 1000 >= RARE_SHARE {
            return u64::from(self.common.rank(bits));
        }
        // Of all rarer words, those from rank r on have the share (COMMON_RANKS / r) ^ (2/3).
        let part = ((mix(bits) >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let beyond = 1.0 / (part * part.sqrt());
        (f64::from(COMMON_RANKS) * beyond).min(1e15) as u64
    }

    /// A function word.
    pub fn function(&self, language: Language, number: u64) -> &'static str {
        let words = &self.function[language as usize];
        words[number as usize % words.len()]
    }

    /// Write the word of a rank.
    pub fn write(&self, language: Language, rank: u64, text: &mut String) {
        match self.ready[language as usize].get(rank as usize) {
            Some(word) => text.push_str(word),
            None => self.spell(language, rank, text),
        }
    }

    fn spell(&self, language: Language, rank: u64, text: &mut String) {
        let bits = mix(rank ^ 0x57_6F72_6473);
        match language {
            Language::Chinese => {
                let length = [1, 2, 2, 2, 2, 3][(bits % 6) as usize].max(1 + usize::from(rank > 400));
                for at in 0..length {
                    let character = self.of_character.rank(mix(bits ^ at as u64));
                    text.push(self.characters[character as usize]);
                }
            }
            Language::English => {
                const ONSETS: [&str; 24] = [
                    "b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "br", "cl", "dr",
                    "gr", "pl", "st", "th", "tr",
                ];
                const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "oo"];
                const CODAS: [&str; 10] = ["", "", "n", "r", "s", "l", "t", "nd", "st", "ck"];
                let syllables = 1 + u64::from(rank > 60) + u64::from(rank > 4_000) + bits % 2;
                for at in 0..syllables {
                    let sound = mix(bits ^ at) as usize;
                    text.push_str(ONSETS[sound % 24]);
                    text.push_str(VOWELS[(sound >> 16) % 8]);
                }
                text.push_str(CODAS[(bits >> 32) as usize % 10]);
            }
        }
    }
}
