//! The rules of exact and search mode in a few lines, with maps and strings: the oracle of the tests.

use std::collections::HashMap;

use super::data::{NEVER, States};
use super::trie::{FIRST_HAN, symbol};

/// A dictionary as in jieba: every word and every prefix of one.
#[derive(Debug, Default)]
pub struct Plain {
    pub words: HashMap<String, u64>,
    pub total: u64,
}

impl Plain {
    pub fn of(words: &[(&str, u64)]) -> Self {
        let mut plain = Self::default();
        for (word, frequency) in words {
            plain.total += frequency;
            for (at, c) in word.char_indices() {
                plain.words.entry(word[..at + c.len_utf8()].to_owned()).or_default();
            }
            plain.words.insert((*word).to_owned(), *frequency);
        }
        plain
    }

    fn has(&self, word: &[char]) -> bool {
        self.words.get(&word.iter().collect::<String>()).is_some_and(|&f| f > 0)
    }

    pub fn cut(&self, text: &str, hmm: bool) -> Vec<String> {
        let in_block =
            |c: char| matches!(c, '\u{4e00}'..='\u{9fd5}') || c.is_ascii_alphanumeric() || "+#&._%-".contains(c);
        let chars: Vec<char> = text.chars().collect();
        let mut words = Vec::new();
        for run in chars.chunk_by(|&a, &b| in_block(a) == in_block(b)) {
            if in_block(run[0]) {
                self.cut_block(run, hmm, &mut words);
            } else {
                let text: String = run.iter().collect();
                let apart = text.split("\r\n").map(|part| part.chars().map(String::from).collect());
                let apart: Vec<Vec<String>> = apart.collect();
                words.extend(apart.join(&"\r\n".to_owned()));
            }
        }
        words
    }

    pub fn cut_for_search(&self, text: &str, hmm: bool) -> Vec<String> {
        let mut words = Vec::new();
        for word in self.cut(text, hmm) {
            let chars: Vec<char> = word.chars().collect();
            for length in [2, 3].into_iter().filter(|&length| chars.len() > length) {
                let grams = chars.windows(length).filter(|gram| self.has(gram));
                words.extend(grams.map(|gram| gram.iter().collect::<String>()));
            }
            words.push(word);
        }
        words
    }

    fn cut_block(&self, block: &[char], hmm: bool, words: &mut Vec<String>) {
        let log = |f: u64| super::logarithm::ln(f.max(1) as f64);
        let mut route = vec![(0.0, 0); block.len() + 1];
        for i in (0..block.len()).rev() {
            let mut ends: Vec<usize> = (i + 1..=block.len()).filter(|&j| self.has(&block[i..j])).collect();
            if ends.is_empty() {
                ends.push(i + 1);
            }
            let likely = |j: usize| {
                let frequency = self.words.get(&block[i..j].iter().collect::<String>());
                (log(*frequency.unwrap_or(&1)) - log(self.total) + route[j].0, j)
            };
            route[i] = ends
                .into_iter()
                .map(likely)
                .fold((f64::NEG_INFINITY, 0), |a, b| if b >= a { b } else { a });
        }
        let mut single: Vec<char> = Vec::new();
        let mut at = 0;
        while at < block.len() {
            let word = &block[at..route[at].1];
            at = route[at].1;
            if word.len() == 1 && (hmm || word[0].is_ascii_alphanumeric()) {
                single.push(word[0]);
                continue;
            }
            self.cut_single(&std::mem::take(&mut single), hmm, words);
            words.push(word.iter().collect());
        }
        self.cut_single(&single, hmm, words);
    }

    fn cut_single(&self, run: &[char], hmm: bool, words: &mut Vec<String>) {
        let as_word = |chars: &[char]| chars.iter().collect::<String>();
        if run.len() < 2 || !hmm {
            words.extend((!run.is_empty()).then(|| as_word(run)));
        } else if self.has(run) {
            words.extend(run.iter().map(|&c| as_word(&[c])));
        } else {
            for piece in run.chunk_by(|a, b| a.is_ascii() == b.is_ascii()) {
                if piece[0].is_ascii() {
                    cut_ascii(&as_word(piece), words);
                } else {
                    cut_by_states(piece, words);
                }
            }
        }
    }
}

/// `[a-zA-Z0-9]+(\.[0-9]+)?%?` and the text between.
fn cut_ascii(piece: &str, words: &mut Vec<String>) {
    let length = |text: &str, is: fn(&u8) -> bool| text.bytes().take_while(is).count();
    let mut rest = piece;
    while !rest.is_empty() {
        let mut end = length(rest, u8::is_ascii_alphanumeric);
        if end == 0 {
            end = length(rest, |byte| !byte.is_ascii_alphanumeric());
        } else {
            if let Some(fraction) = rest[end..].strip_prefix('.') {
                let digits = length(fraction, u8::is_ascii_digit);
                end += if digits > 0 { digits + 1 } else { 0 };
            }
            end += usize::from(rest[end..].starts_with('%'));
        }
        words.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
}

/// Viterbi with whole paths; states are letters, so that pairs compare as jieba's do.
fn cut_by_states(run: &[char], words: &mut Vec<String>) {
    let model = States::builtin();
    let number = |state: char| "BEMS".find(state).unwrap();
    let emit = |state, at: usize| model.emit[usize::from(symbol(run[at]).unwrap() - FIRST_HAN)][number(state)];
    let greater = |a: (f64, char), b: (f64, char)| if b > a { b } else { a };
    let mut ways: HashMap<char, (f64, String)> = "BEMS"
        .chars()
        .map(|y| (y, (model.start[number(y)] + emit(y, 0), y.to_string())))
        .collect();
    for at in 1..run.len() {
        let step = |(y, before): (char, [char; 2])| {
            let likely = before.map(|x| (ways[&x].0 + model.step[number(x)][number(y)] + emit(y, at), x));
            let (likely, x) = greater(likely[0], likely[1]);
            (y, (likely, format!("{}{y}", ways[&x].1)))
        };
        ways = [
            ('B', ['E', 'S']),
            ('M', ['M', 'B']),
            ('S', ['S', 'E']),
            ('E', ['B', 'M']),
        ]
        .map(step)
        .into();
    }
    let last = greater((ways[&'E'].0, 'E'), (ways[&'S'].0, 'S')).1;
    let mut begin = 0;
    for (at, state) in ways[&last].1.chars().enumerate() {
        match state {
            'B' => begin = at,
            'E' => words.push(run[begin..=at].iter().collect()),
            'S' => words.push(run[at].to_string()),
            _ => assert!(model.start[number('M')] == NEVER),
        }
    }
}
