//! The neighbours of a collection's words: their counts and entropies.
//!
//! A pair has 96 bits: the side (0 left, 1 right), the word's hash, and the first 31 bits of its neighbour's hash. As
//! with words, only the first `bits` of them count. `bits` starts at 96 and is lowered whenever there would be more
//! pairs than a limit. First the neighbours of one word merge, which lowers its entropy; much later words do. So the
//! counts are a pure function of the documents, and merged models equal the model of both collections.

use rayon::prelude::*;

/// Pairs kept for each feature of a model's limit; a pair takes 16 bytes.
pub(super) const PAIRS_A_FEATURE: usize = 4;
/// The bits of a pair; a number below 2^96 is above the 32 bits of its count.
const WHOLE: u32 = 96;
const COUNT: u128 = u32::MAX as u128;
/// The bits of side and word.
const WORD: u32 = 65;

/// The side of a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before it.
    Left = 0,
    /// After it.
    Right = 1,
}

/// How often each pair of a word and its neighbour is in the documents of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    bits: u32,
    /// In ascending order: the pair in the upper 96 bits, zeros in the bits that do not count, its count in the lower
    /// 32. A count of 2^32 - 1 means at least as many.
    entries: Vec<u128>,
}

impl Neighbours {
    pub(super) const fn new() -> Self {
        Self {
            bits: WHOLE,
            entries: Vec::new(),
        }
    }

    /// From the values of a file; `None` if they are invalid.
    pub(super) fn read(bits: u32, entries: Vec<u128>) -> Option<Self> {
        if bits > WHOLE {
            return None;
        }
        let mask = mask(bits);
        let in_order = entries.windows(2).all(|pair| pair[0] & !COUNT < pair[1] & !COUNT);
        let whole = entries
            .iter()
            .all(|entry| entry & !COUNT & !mask == 0 && entry & COUNT > 0);
        (in_order && whole).then_some(Self { bits, entries })
    }

    /// Bits of a pair that identify it, 0 to 96.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    pub(super) fn entries(&self) -> &[u128] {
        &self.entries
    }

    /// Adds the pairs of [`pairs_of`] and empties them.
    pub(super) fn add(&mut self, pairs: &mut Vec<u128>, limit: usize) {
        pairs.par_sort_unstable();
        let mask = mask(self.bits);
        let counted = pairs
            .chunk_by(|a, b| a & mask == b & mask)
            .map(|run| run[0] & mask | (run.len() as u128).min(COUNT))
            .collect();
        pairs.clear();
        self.entries = merged(std::mem::take(&mut self.entries), counted);
        self.keep_within(limit);
    }

    /// Those of both collections.
    pub(super) fn merge(&self, other: &Self, limit: usize) -> Self {
        let bits = self.bits.min(other.bits);
        let entries = merged(folded(&self.entries, bits), folded(&other.entries, bits));
        let mut both = Self { bits, entries };
        both.keep_within(limit);
        both
    }

    /// Lowers the bits until the limit is respected.
    fn keep_within(&mut self, limit: usize) {
        if self.entries.len() <= limit {
            return;
        }
        let mut shared = [0_usize; WHOLE as usize];
        for pair in self.entries.windows(2) {
            shared[(pair[0] ^ pair[1]).leading_zeros() as usize] += 1;
        }
        let (mut fewer, mut bits) = (0, 0);
        while bits < self.bits && 1 + fewer + shared[bits as usize] <= limit {
            fewer += shared[bits as usize];
            bits += 1;
        }
        self.entries = folded(&self.entries, bits);
        self.bits = bits;
    }

    /// The entropy, in bits, of the word's neighbours on one side; 0 for a word without any.
    pub fn entropy(&self, word: u64, side: Side) -> f64 {
        let mask = mask(self.bits.min(WORD));
        let wanted = pair(side, word, 0) & mask;
        let begin = self.entries.partition_point(|entry| entry & mask < wanted);
        let run = self.entries[begin..].iter().take_while(|&entry| entry & mask == wanted);
        entropy(run.map(|entry| (entry & COUNT) as u64))
    }

    /// Every word by its first bits, in ascending order, with half the sum of its two entropies; and the number of
    /// bits.
    pub(super) fn mean_entropies(&self) -> (u32, Vec<(u64, f64)>) {
        let bits = self.bits.min(WORD);
        let mask = mask(bits);
        let mut words: Vec<(u64, f64)> = self
            .entries
            .chunk_by(|a, b| a & mask == b & mask)
            .map(|run| {
                let half = entropy(run.iter().map(|entry| (entry & COUNT) as u64)) / 2.0;
                (((run[0] & mask) >> (128 - WORD)) as u64, half)
            })
            .collect();
        // Left neighbours are before right ones; a stable sort keeps that, so sums have one order.
        words.sort_by_key(|word| word.0);
        words.dedup_by(|right, left| {
            let same = right.0 == left.0;
            if same {
                left.1 += right.1;
            }
            same
        });
        (bits.saturating_sub(1), words)
    }
}

/// The entropy of a distribution given by counts: log2 N - (1/N) sum n log2 n, which needs one logarithm for each count
/// other than 1. `libm` is pure Rust: the same bits on every machine.
fn entropy(counts: impl Iterator<Item = u64>) -> f64 {
    let (mut all, mut sum) = (0, 0.0);
    for count in counts {
        all += count;
        if count > 1 {
            sum += count as f64 * libm::log2(count as f64);
        }
    }
    if all == 0 {
        return 0.0;
    }
    (libm::log2(all as f64) - sum / all as f64).max(0.0)
}

/// The pairs of a text, given by its words' hashes in their order. The ends of a text are no neighbours.
pub(crate) fn pairs_of(words: &[u64], pairs: &mut Vec<u128>) {
    for two in words.windows(2) {
        pairs.push(pair(Side::Right, two[0], two[1]));
        pairs.push(pair(Side::Left, two[1], two[0]));
    }
}

const fn pair(side: Side, word: u64, neighbour: u64) -> u128 {
    (side as u128) << 127 | (word as u128) << 63 | (neighbour as u128 >> 33) << 32
}

/// The upper `bits` of a pair, of at most 96.
const fn mask(bits: u32) -> u128 {
    if bits == 0 {
        0
    } else {
        u128::MAX << (128 - bits) & !COUNT
    }
}

fn folded(entries: &[u128], bits: u32) -> Vec<u128> {
    let mask = mask(bits);
    let sum = |run: &[u128]| run.iter().fold(0, |sum, entry| COUNT.min(sum + (entry & COUNT)));
    entries
        .chunk_by(|a, b| a & mask == b & mask)
        .map(|run| run[0] & mask | sum(run))
        .collect()
}

fn merged(a: Vec<u128>, b: Vec<u128>) -> Vec<u128> {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i] & !COUNT, b[j] & !COUNT);
        let count = if x <= y { a[i] & COUNT } else { 0 } + if y <= x { b[j] & COUNT } else { 0 };
        out.push(x.min(y) | count.min(COUNT));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

#[cfg(test)]
#[path = "neighbours_tests.rs"]
mod tests;
