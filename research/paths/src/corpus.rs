//! Texts, their planted copies and their features.

use std::fs::File;
use std::io::{BufRead, BufReader};

use simsieve_core::base::hash::mix;
use simsieve_core::encode::scheme::{Scheme, Scratch};

/// All features of all texts, side by side.
pub struct Corpus {
    pub features: Vec<u64>,
    pub ends: Vec<usize>,
    /// A text and its planted copy.
    pub pairs: Vec<(u32, u32)>,
    /// A digest of each text.
    pub digests: Vec<u64>,
}

/// Numbers from a seed.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = mix(self.0.wrapping_add(0x9E37_79B9_7F4A_7C15));
        ((u128::from(self.0) * n as u128) >> 64) as usize
    }
}

impl Corpus {
    /// Reads the first `count` texts of a file and plants copies.
    pub fn read(path: &str, count: usize) -> Self {
        let file = BufReader::new(File::open(path).expect("the file"));
        let mut texts = Vec::new();
        for line in file.lines() {
            let row: serde_json::Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
            let kind = row.pointer("/truth/kind").and_then(|kind| kind.as_str());
            if kind.is_none_or(|kind| kind == "original") {
                texts.push(row["text"].as_str().expect("a text").to_owned());
            }
            if texts.len() == count {
                break;
            }
        }
        let mut chance = Chance::new(7);
        let originals = texts.len();
        let mut pairs = Vec::new();
        for at in (0..originals).step_by(20) {
            let share = 0.05 * (1 + chance.below(7)) as f64;
            let spaced = texts[at].is_ascii();
            let other = texts[chance.below(originals)].clone();
            let copy = edited(&texts[at], &other, spaced, share, &mut chance);
            pairs.push((at as u32, texts.len() as u32));
            texts.push(copy);
        }
        let scheme = Scheme::parse("chars128").expect("a scheme");
        let mut scratch = Scratch::default();
        let (mut features, mut ends, mut digests) = (Vec::new(), Vec::new(), Vec::new());
        for text in &texts {
            scheme.extract(text, &mut scratch).ok().expect("a text");
            features.extend_from_slice(scratch.features.hashes());
            ends.push(features.len());
            digests.push(simsieve_core::base::hash::xxh3_64(scratch.text.normalised()));
        }
        Self {
            features,
            ends,
            pairs,
            digests,
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn of(&self, row: usize) -> &[u64] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.features[start..self.ends[row]]
    }

    /// The set cosine of two texts.
    pub fn cosine(&self, a: u32, b: u32) -> f64 {
        let mut a: Vec<u64> = self.of(a as usize).to_vec();
        let b = self.of(b as usize);
        a.sort_unstable();
        let shared = b.iter().filter(|hash| a.binary_search(hash).is_ok()).count();
        shared as f64 / ((a.len() * b.len()) as f64).sqrt().max(1.0)
    }
}

/// A copy with a share of its words or characters replaced, deleted or inserted in runs; new ones come from another text.
fn edited(text: &str, other: &str, spaced: bool, share: f64, chance: &mut Chance) -> String {
    let cut = |text: &str| -> Vec<String> {
        if spaced {
            text.split_whitespace().map(str::to_owned).collect()
        } else {
            text.chars().map(String::from).collect()
        }
    };
    let (mut words, other) = (cut(text), cut(other));
    let budget = ((words.len() as f64 * share) as usize).max(1);
    let mut done = 0;
    while done < budget && !words.is_empty() {
        let run = (1 + chance.below(8)).min(budget - done + 1);
        let at = chance.below(words.len());
        let end = (at + run).min(words.len());
        let new: Vec<String> = (0..run).map(|_| other[chance.below(other.len())].clone()).collect();
        match chance.below(10) {
            0..4 => words.splice(at..end, new).for_each(drop),
            4..7 => words.drain(at..end).for_each(drop),
            _ => words.splice(at..at, new).for_each(drop),
        }
        done += run;
    }
    words.join(if spaced { " " } else { "" })
}
