//! The plan of a search within a distance: tables of agreeing bits, or a test of every pair.
//!
//! The width is cut into `m` blocks. A pair that differs in `k` bits agrees on some `m - k` of them (Manku, Jain and Das Sarma, WWW
//! 2007, section 3), so any `m > k` finds every pair within the distance. `m` decides the time alone: it is no part of the recipe.

use crate::base::tuning::Tuning;
use crate::recipe::{BRUTE_BELOW, Recipe, Threshold};

/// More tables are never tried.
const MOST_TABLES: f64 = 4096.0;
/// Blocks that are tried beyond the distance.
const FURTHER_BLOCKS: u32 = 4;

/// The tables of a search within a distance; none where every pair is tested.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tables {
    /// Blocks of the width; 0 where there are no tables.
    pub blocks: u32,
    /// For each table the bits in which its pairs agree.
    pub(crate) masks: Vec<Vec<u64>>,
}

impl Tables {
    /// The tables that cost least for as many records as the recipe is made for.
    pub fn choose(recipe: &Recipe, width: u32, tuning: Tuning) -> Self {
        let Threshold::Distance(k) = recipe.threshold else {
            return Self::default();
        };
        if recipe.log2_n < BRUTE_BELOW.ilog2() {
            return Self::default();
        }
        let n = libm::exp2(f64::from(recipe.log2_n));
        let mut best = (n / 2.0, 0);
        for blocks in k + 1..=(k + FURTHER_BLOCKS).min(width) {
            let agree = blocks - k;
            let tables = combinations(blocks, agree);
            let bits = f64::from(agree * (width / blocks));
            let cost = tables * (f64::from(tuning.table_key_cost) + n / 2.0 / libm::exp2(bits.min(32.0)));
            if tables <= MOST_TABLES && cost < best.0 {
                best = (cost, blocks);
            }
        }
        Self::of(recipe, width, best.1).unwrap_or_default()
    }

    /// The tables of some blocks; `None` where these find not every pair within the distance, or are too many.
    pub(crate) fn of(recipe: &Recipe, width: u32, blocks: u32) -> Option<Self> {
        if blocks == 0 {
            return Some(Self::default());
        }
        let Threshold::Distance(k) = recipe.threshold else {
            return None;
        };
        if blocks <= k || blocks > width || combinations(blocks, blocks - k) > MOST_TABLES {
            return None;
        }
        let mask = |chosen: Vec<u32>| {
            let mut mask = vec![0_u64; width.div_ceil(64) as usize];
            for bit in chosen
                .into_iter()
                .flat_map(|block| block * width / blocks..(block + 1) * width / blocks)
            {
                mask[bit as usize / 64] |= 1 << (bit % 64);
            }
            mask
        };
        let masks = choices(blocks, blocks - k).into_iter().map(mask).collect();
        Some(Self { blocks, masks })
    }

    /// The number of tables.
    pub fn len(&self) -> usize {
        self.masks.len()
    }

    /// Whether every pair is tested.
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    /// The share of unrelated pairs that meet in a table, once for each table.
    pub(crate) fn met(&self) -> f64 {
        let ones = |mask: &Vec<u64>| mask.iter().map(|word| word.count_ones()).sum::<u32>();
        self.masks.iter().map(|mask| libm::exp2(-f64::from(ones(mask)))).sum()
    }
}

fn combinations(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

/// Every choice of `k` of the numbers below `n`, in ascending order.
fn choices(n: u32, k: u32) -> Vec<Vec<u32>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    (k - 1..n)
        .flat_map(|last| {
            choices(last, k - 1).into_iter().map(move |mut rest| {
                rest.push(last);
                rest
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::mix;
    use crate::encode::scheme::Scheme;

    fn recipe(width: u32, k: u32, n: u64) -> Recipe {
        let scheme = Scheme::parse(&format!("chars{width}")).unwrap();
        Recipe::new(&scheme, Threshold::Distance(k), 0.98, 0, n).unwrap()
    }

    #[test]
    fn masks_cover_every_pair_within_the_distance() {
        for (width, k) in [(64, 3), (128, 6), (256, 10)] {
            let recipe = recipe(width, k, 1 << 20);
            let chosen = Tables::choose(&recipe, width, Tuning::DEFAULT).blocks;
            for blocks in [chosen, k + 1, k + 2] {
                let tables = Tables::of(&recipe, width, blocks).unwrap();
                assert_eq!((tables.blocks, tables.is_empty()), (blocks, false));
                for at in 0..2000 {
                    let mut differing = vec![0_u64; width as usize / 64];
                    for bit in (0..k).map(|bit| (mix(at << 8 | u64::from(bit)) % u64::from(width)) as usize) {
                        differing[bit / 64] |= 1 << (bit % 64);
                    }
                    let agree = |mask: &Vec<u64>| mask.iter().zip(&differing).all(|(m, d)| m & d == 0);
                    assert!(tables.masks.iter().any(agree), "{width} {k} {blocks}");
                }
            }
        }
    }

    #[test]
    fn blocks_that_miss_pairs_are_refused() {
        let recipe = recipe(64, 3, 1 << 20);
        for blocks in [1, 3, 65, u32::MAX] {
            assert_eq!(Tables::of(&recipe, 64, blocks), None, "{blocks}");
        }
        assert_eq!(Tables::of(&recipe, 64, 0), Some(Tables::default()));
    }
}
