//! How to search: brute force, or which blocks and tables.
//!
//! In: the distinct rows, the width and the distance. Out: the tables to make; none means brute force. Called by
//! [`super::near_pairs`]. Every plan finds the same pairs; a bad one is only slow.
//!
//! The width is cut into m > k blocks that cover all bits. Two rows within k bits differ in at most k blocks, so they
//! agree in m - k of them: one table for each choice of m - k blocks, its key the bits of those blocks (Manku, Jain,
//! Das Sarma: "Detecting near-duplicates for web crawling", WWW 2007, section 3.1, where the tables answer queries;
//! section 4 has them for batches). We join the table with itself instead, and report a pair in one table only: the
//! first, in lexicographic order, whose blocks agree. That is the table of the pair's first m - k agreeing blocks, so
//! the test is: these blocks agree, and every other block before the last of them differs.
//!
//! The price of a plan, in nanoseconds of one thread:
//!
//! ```text
//! tables * n * row + pairs * pair        pairs = sum over tables of n^2 / 2 * p(table)
//! ```
//!
//! `row` moves one row into its bucket, `pair` compares two rows, p is the chance that two rows share a bucket: 2^-bits
//! for even bits, so the plans are tried in the order of that price; but real bits are skewed, so the keys of a sample
//! are made and their equal pairs counted before a plan is believed. The floor 2^-bits stays, a sample being small.

use super::group::ODD;
use super::kernel::Near;
use crate::kernel::Kernel;

/// Rows of the sample: 8 million pairs, so a 16-bit key shows 128 equal ones.
const SAMPLE: usize = 4096;
/// Tables of a plan that are sampled, spread evenly.
const SAMPLED_TABLES: usize = 32;
/// More tables than this never paid: at 12 ns a row they cost what brute force costs at 400,000 rows.
const MAX_TABLES: usize = 1024;
/// A hashed key gets this many bits more than its blocks have, so that few different keys share a bucket.
const SPARE_BITS: u32 = 3;
/// Two digits, of at most 10 and 12 bits: buckets of two rows at 10^7.
const MAX_KEY_BITS: u32 = 22;

/// One choice of blocks.
#[derive(Debug, Clone)]
pub(super) struct Table<const W: usize> {
    /// Spreads (or, for a single block within a word, just shifts up) the bits of the table's blocks.
    multiplier: [u64; W],
    /// Bits of the key.
    pub bits: u32,
    /// When a pair of a bucket is this table's to report.
    pub near: Near<W>,
}

impl<const W: usize> Table<W> {
    /// The bucket of a row: equal for rows that agree in the table's blocks, and for few others.
    pub fn key(&self, row: &[u64; W]) -> u64 {
        let mut sum = 0_u64;
        for ((word, mask), multiplier) in row.iter().zip(&self.near.agree).zip(&self.multiplier) {
            sum = sum.wrapping_add((word & mask).wrapping_mul(*multiplier));
        }
        sum >> (64 - self.bits)
    }
}

/// The tables that search `rows` at the least price; empty for brute force.
///
/// Complexity: a few sorts of a sample for each plan that could be the cheapest.
pub(super) fn choose<const W: usize>(rows: &[[u64; W]], width: u32, k: u32, kernel: Kernel) -> Vec<Table<W>> {
    let price = Price::new::<W>(rows.len(), kernel);
    let mut best = (price.of(0, 1.0), Vec::new());
    let mut plans = Vec::new();
    for blocks in k + 1..=width.min(k + 12) {
        let Some(tables) = choices(blocks, blocks - k).filter(|&tables| tables <= MAX_TABLES) else {
            break;
        };
        let bits = f64::from(width) * f64::from(blocks - k) / f64::from(blocks);
        plans.push((price.of(tables, tables as f64 * (-bits).exp2()), blocks));
    }
    plans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let step = rows.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<[u64; W]> = rows.iter().step_by(step).copied().collect();
    for (least, blocks) in plans {
        if least >= best.0 {
            break;
        }
        let tables = tables::<W>(width, k, blocks, rows.len());
        let chance = chance(&tables, &sample);
        let cost = price.of(tables.len(), chance);
        if cost < best.0 {
            best = (cost, tables);
        }
    }
    best.1
}

/// The sum over the tables of the chance that two rows meet.
fn chance<const W: usize>(tables: &[Table<W>], sample: &[[u64; W]]) -> f64 {
    let step = tables.len().div_ceil(SAMPLED_TABLES);
    let (mut sum, mut looked) = (0.0, 0);
    let all = (sample.len() * (sample.len() - 1) / 2) as f64;
    for table in tables.iter().step_by(step) {
        let mut keys: Vec<u64> = sample.iter().map(|row| table.key(row)).collect();
        keys.sort_unstable();
        let equal: usize = keys
            .chunk_by(|a, b| a == b)
            .map(|run| run.len() * (run.len() - 1) / 2)
            .sum();
        let block_bits: u32 = table.near.agree.iter().map(|word| word.count_ones()).sum();
        sum += (equal as f64 / all).max((-f64::from(table.bits.min(block_bits))).exp2());
        looked += 1;
    }
    sum * tables.len() as f64 / f64::from(looked)
}

/// What the work costs here.
struct Price {
    n: f64,
    row: f64,
    pair: f64,
}

impl Price {
    /// Measured on one core of a Zen 4: 10^6 rows (`row`: 13, 35 and 43 for 1, 2 and 4 words), and 200,000 rows by
    /// brute force (`pair`: 0.061 and 0.11 for 1 and 2 words; 0.33 for 1 word by `Portable`).
    fn new<const W: usize>(n: usize, kernel: Kernel) -> Self {
        let pair = match kernel {
            Kernel::Avx512 => 0.06,
            Kernel::Portable => 0.33,
        };
        let row = if W == 1 { 12.0 } else { 25.0 + 5.0 * W as f64 };
        Self {
            n: n as f64,
            row,
            pair: pair * W as f64,
        }
    }

    fn of(&self, tables: usize, chances: f64) -> f64 {
        tables as f64 * self.n * self.row + self.n * self.n / 2.0 * chances * self.pair
    }
}

/// All tables of `blocks` blocks for distance `k`, in lexicographic order of their blocks.
pub(super) fn tables<const W: usize>(width: u32, k: u32, blocks: u32, n: usize) -> Vec<Table<W>> {
    let bounds = |block: u32| (block * width / blocks, (block + 1) * width / blocks);
    let masks: Vec<[u64; W]> = (0..blocks).map(|block| mask(bounds(block))).collect();
    let taken = (blocks - k) as usize;
    let wanted = (n.checked_ilog2().unwrap_or(0) + 2).clamp(8, MAX_KEY_BITS);
    let mut tables = Vec::new();
    let mut choice: Vec<usize> = (0..taken).collect();
    loop {
        let last = choice[taken - 1];
        let mut agree = [0; W];
        for &block in &choice {
            for w in 0..W {
                agree[w] |= masks[block][w];
            }
        }
        let differ = (0..last)
            .filter(|block| !choice.contains(block))
            .map(|block| masks[block])
            .collect();
        let key_bits: u32 = agree.iter().map(|word| word.count_ones()).sum();
        let (low, high) = bounds(choice[0] as u32);
        let in_one_word = low / 64 == (high - 1) / 64;
        let (multiplier, bits) = if taken == 1 && in_one_word && key_bits <= wanted {
            // The block alone, shifted to the top: no two keys share a bucket.
            let shift = 63 - (high - 1) % 64;
            (std::array::from_fn(|_| 1 << shift), key_bits)
        } else {
            let mut odd = ODD;
            let spread = std::array::from_fn(|_| {
                odd = odd.wrapping_mul(ODD);
                odd
            });
            (spread, wanted.min(key_bits + SPARE_BITS))
        };
        tables.push(Table {
            multiplier,
            bits,
            near: Near {
                max_distance: k,
                agree,
                differ,
            },
        });
        // The next choice: the rightmost block that can move up does, those behind it follow closely.
        let Some(at) = (0..taken).rev().find(|&at| choice[at] < blocks as usize - taken + at) else {
            return tables;
        };
        choice[at] += 1;
        for behind in at + 1..taken {
            choice[behind] = choice[behind - 1] + 1;
        }
    }
}

/// The bits from `low` up to `high`.
fn mask<const W: usize>((low, high): (u32, u32)) -> [u64; W] {
    let mut mask = [0; W];
    for bit in low..high {
        mask[bit as usize / 64] |= 1 << (bit % 64);
    }
    mask
}

/// How many ways there are to choose `taken` of `blocks`; `None` where that is absurdly many.
fn choices(blocks: u32, taken: u32) -> Option<usize> {
    let mut ways = 1_usize;
    for step in 0..taken.min(blocks - taken) {
        ways = ways.checked_mul((blocks - step) as usize)? / (step as usize + 1);
    }
    Some(ways)
}
