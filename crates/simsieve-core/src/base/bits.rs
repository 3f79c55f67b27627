//! Sets of small numbers, a bit each, and how many are below a number.

const WORD: usize = u64::BITS as usize;
/// Words between two stored counts.
const STEP: usize = 8;

/// A set of numbers below a bound.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set of numbers below `bound`.
    pub fn below(bound: usize) -> Self {
        Self {
            words: vec![0; bound.div_ceil(WORD)],
        }
    }

    /// Whether the set has no room for any number.
    pub const fn is_unset(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds a number below the bound; `false` if the set has it.
    #[inline]
    pub fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (&mut self.words[number / WORD], 1 << (number % WORD));
        let added = *word & bit == 0;
        *word |= bit;
        added
    }

    /// Removes a number below the bound.
    #[inline]
    pub fn remove(&mut self, number: usize) {
        self.words[number / WORD] &= !(1 << (number % WORD));
    }

    /// Whether the set has a number below the bound.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        self.words[number / WORD] >> (number % WORD) & 1 == 1
    }
}

/// A set that counts its numbers below one of them.
#[derive(Debug)]
pub struct Ranks {
    set: BitSet,
    /// The numbers below each [`STEP`]-th word.
    counts: Vec<u32>,
}

impl Ranks {
    /// Counts the numbers of a set, at most 2^32 - 1.
    pub fn of(set: BitSet) -> Self {
        let mut count = 0;
        let step = |words: &[u64]| {
            let before = count;
            count += words.iter().map(|word| word.count_ones()).sum::<u32>();
            before
        };
        let counts = set.words.chunks(STEP).map(step).collect();
        Self { set, counts }
    }

    /// How many numbers of the set are below `number`, where the set has it.
    #[inline]
    pub fn of_member(&self, number: usize) -> Option<u32> {
        if !self.set.contains(number) {
            return None;
        }
        let word = number / WORD;
        let first = word - word % STEP;
        let whole: u32 = self.set.words[first..word].iter().map(|word| word.count_ones()).sum();
        let below = self.set.words[word] & ((1 << (number % WORD)) - 1);
        Some(self.counts[word / STEP] + whole + below.count_ones())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_and_ranks_are_those_of_a_tree(numbers in prop::collection::vec(0..3000_usize, 0..900), removed in 0..3000_usize) {
            let (mut set, mut tree) = (BitSet::below(3000), BTreeSet::new());
            for &number in &numbers {
                prop_assert_eq!(set.insert(number), tree.insert(number));
            }
            set.remove(removed);
            tree.remove(&removed);
            for number in 0..3000 {
                prop_assert_eq!(set.contains(number), tree.contains(&number));
            }
            let ranks = Ranks::of(set);
            for (rank, &number) in tree.iter().enumerate() {
                prop_assert_eq!(ranks.of_member(number), Some(rank as u32));
            }
            prop_assert_eq!(ranks.of_member(removed), None);
        }
    }
}
