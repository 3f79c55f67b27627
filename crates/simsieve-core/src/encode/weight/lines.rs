//! TF-IDF: of keywords, and of words whose documents are the lines of a text.

use super::idf::idf;
use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::windows::Features;

/// A weight by TF-IDF is at most 14 x 2^24, and under a model 46 x 2^24. The weights of a text sum to as much, so their
/// squares stay below 2^60.
const UNIT: f64 = 16_777_216.0;

/// A weight by TF-IDF as a whole number.
pub(crate) fn tf_idf(weight: f64) -> u32 {
    (UNIT * weight).round_ties_even() as u32
}

/// Weighs words by their share of the text and the lines that have them; `by_factors` where parts of speech weigh.
pub(crate) fn weigh(tokens: &Tokens, features: &Features, by_factors: bool, out: &mut Vec<u32>) {
    // In how many lines a word occurs; a line's tokens come one after another.
    let mut seen = vec![(0_u64, u32::MAX); features.len()];
    for (hash, &line) in tokens.known.iter().zip(&tokens.lines) {
        let seen = &mut seen[features.place(*hash).expect("every token is a feature")];
        if seen.1 != line {
            *seen = (seen.0 + 1, line);
        }
    }
    let lines = tokens.lines.last().map_or(0, |line| u64::from(*line) + 1);
    // Words count as often as the factors of their parts of speech say.
    let (times, total): (Vec<f64>, f64) = if by_factors {
        (
            features.sums(&tokens.known, &tokens.factors),
            tokens.factors.iter().sum(),
        )
    } else {
        (
            features.counts().iter().map(|&count| f64::from(count)).collect(),
            tokens.known.len() as f64,
        )
    };
    let weight = |(times, (lines_with, _)): (f64, (u64, u32))| tf_idf(times / total * idf(lines, lines_with));
    out.extend(times.into_iter().zip(seen).map(weight));
}
