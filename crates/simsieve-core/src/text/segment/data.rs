//! jieba's own data, read from the source of the crate `jieba-rs` (MIT); `build.rs` finds it.
//!
//! They are those of jieba 0.42.1 with two differences. The one repeated line of the dictionary is there once. The
//! emissions of the hidden Markov model are rounded to six decimals. Both are restored here, exactly.

use std::sync::OnceLock;

use super::logarithm::ln;
use super::trie::{FIRST_HAN, SYMBOLS};

/// Lines `word frequency tag`, in ascending order.
pub const WORDS: &str = include_str!(env!("SIMSIEVE_JIEBA_WORDS"));

/// jieba's extra frequency: it has the word `B超` twice, with frequency 3, and adds both.
pub const REPEATED: u64 = 3;

/// The inverse document frequencies, without the words that the dictionary has: see `build.rs`.
const IDF_VALUES: &str = include_str!(concat!(env!("OUT_DIR"), "/idf.values"));
const IDF_PLACES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/idf.places"));
const IDF_OTHERS: &str = include_str!(concat!(env!("OUT_DIR"), "/idf.others"));

/// jieba's inverse document frequencies, by their words.
pub fn idf() -> impl Iterator<Item = (&'static str, f64)> {
    let number = |digits: &str| digits.parse::<f64>().expect("a number");
    let values: Vec<f64> = IDF_VALUES.lines().map(number).collect();
    let places = IDF_PLACES
        .as_chunks()
        .0
        .iter()
        .map(|&two| usize::from(u16::from_le_bytes(two)));
    let listed = WORDS.lines().zip(places).filter_map(move |(line, place)| {
        let word = &line[..line.find(' ')?];
        Some((word, *values.get(place.checked_sub(1)?)?))
    });
    let others = IDF_OTHERS.lines().filter_map(|line| line.split_once(' '));
    listed.chain(others.map(move |(word, digits)| (word, number(digits))))
}

/// The tables of the model that tags words; [`super::tags`] reads them.
pub const TAGS: &str = include_str!(env!("SIMSIEVE_JIEBA_TAGS"));

const STATES: &str = include_str!(env!("SIMSIEVE_JIEBA_STATES"));

/// jieba's logarithm of zero.
pub const NEVER: f64 = -3.14e100;

/// The model that finds words which no dictionary has: a character begins a word, is in its middle or its end, or is one.
///
/// States are numbered in the order of their letters, B, E, M, S. Of two equally likely states jieba takes the later
/// letter.
#[derive(Debug)]
pub struct States {
    /// The first character's state.
    pub start: [f64; 4],
    /// From a state to the next.
    pub step: [[f64; 4]; 4],
    /// The character of a state; by the character's symbol less [`FIRST_HAN`].
    pub emit: Vec<[f64; 4]>,
}

/// How many characters each state was seen with, in the order of the file: B, E, M, S. The probability of a character
/// is an integer count divided by this; jieba's emission is its logarithm.
const SEEN: [f64; 4] = [33_749_694.0, 33_749_694.0, 6_980_216.0, 29_953_599.0];

/// Six decimals determine a count below a million exactly. One count is above: 的 as a word.
const COUNT_OF_DE: f64 = 3_188_252.0;

impl States {
    /// A character that begins a word.
    pub const B: usize = 0;
    /// One that ends a word.
    pub const E: usize = 1;
    /// One between the two.
    pub const M: usize = 2;
    /// One that is a word.
    pub const S: usize = 3;

    /// jieba's model.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<States> = OnceLock::new();
        BUILTIN.get_or_init(|| Self::parse(STATES))
    }

    fn parse(text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut row = || {
            let numbers = lines.next().expect("a row of four").split(' ');
            let mut row = [0.0; 4];
            for (at, number) in row.iter_mut().zip(numbers) {
                *at = number.parse().expect("a number");
            }
            row
        };
        let start = row();
        let step = [row(), row(), row(), row()];
        let mut emit = vec![[NEVER; 4]; SYMBOLS - FIRST_HAN as usize];
        for (state, line) in lines.enumerate() {
            for pair in line.split(',') {
                let (character, rounded) = pair.split_once(':').expect("a character and its emission");
                let character = character.chars().next().expect("a character");
                let Some(symbol) = super::trie::symbol(character).filter(|&symbol| symbol >= FIRST_HAN) else {
                    continue;
                };
                let rounded: f64 = rounded.parse().expect("a number");
                let count = match (state, character) {
                    (Self::S, '的') => COUNT_OF_DE,
                    _ => (libm::exp(rounded) * SEEN[state]).round(),
                };
                emit[usize::from(symbol - FIRST_HAN)][state] = ln(count / SEEN[state]);
            }
        }
        Self { start, step, emit }
    }
}

/// The hash of the tables of both models.
pub fn models_digest() -> u128 {
    static DIGEST: OnceLock<u128> = OnceLock::new();
    *DIGEST.get_or_init(|| crate::base::hash::xxh3_128(&[STATES.as_bytes(), TAGS.as_bytes()].concat()))
}
