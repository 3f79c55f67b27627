//! Chooses the search: brute force, or a set of tables.
//!
//! In: a sample of the rows, their number, the width and the distance. Out: the tables to make; none means brute force.
//! Called by [`super::engine`] and [`super::index`]. Every exact plan finds the same pairs; a bad plan is only slower.
//!
//! The price of a plan, in nanoseconds of one thread:
//!
//! ```text
//! tables * n * row + visits * visit + pairs * pair        pairs = sum over tables of n^2 / 2 * p(table)
//! ```
//!
//! `row` moves one row into its bucket, `visit` opens a bucket, `pair` compares two rows, p is the chance that two rows
//! meet. For uniform bits p is 2^-bits times the keys within the radius; plans are tried in the order of that price.
//! Real bits are skewed. So blocks are cut by the information of a sample's bits (see `Cutter`). A plan is accepted
//! only after the sample's own pairs are counted. The price for uniform bits stays the lower bound, because a sample is
//! small.

use super::partition::widest_key;
use super::table::{Cutter, Table, combinations, radii, samples};
use crate::base::kernel::Kernel;

/// Tables of a plan that are sampled, spread evenly.
const SAMPLED_TABLES: usize = 32;
/// Rows of the sample whose keys are compared with a radius, each with each: half a million pairs.
const SAMPLED_ROWS: usize = 1024;
/// More tables were never faster: at 12 ns a row they cost as much as brute force at 400,000 rows.
const MAX_TABLES: usize = 1024;
/// The widest direct key: it has a counter for every value.
const MAX_DIRECT_BITS: u32 = 24;
/// Nanoseconds a row for each further walk, if memory makes a table in parts: 1.7 at 10^8.
const WALK: f64 = 1.7;
/// Nanoseconds to find a bucket of a table too large for the caches, and its first row.
const LOOK_UP: f64 = 150.0;
/// How much more information the blocks of the larger radius may get.
const WIDER: [f64; 5] = [1.0, 1.1, 1.2, 1.35, 1.5];

/// The inputs of a plan's price.
#[derive(Debug, Clone)]
pub(super) struct Task {
    /// Rows.
    pub n: usize,
    /// Bits.
    pub width: u32,
    /// Bits, inclusive, below the width.
    pub max_distance: u32,
    /// The share of all pairs that is wanted; less than 1 if pairs have a row of each of two sides.
    pub share: f64,
    /// Bytes for tables.
    pub memory: u64,
    /// 1: exact.
    pub recall: f64,
    /// Of the samples' bits.
    pub seed: u64,
    /// The kernel that will run.
    pub kernel: Kernel,
    /// The price of one query to existing tables, not of a join.
    pub for_queries: bool,
}

/// A way to make tables.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Combinations { blocks: u32 },
    Radii { blocks: u32, wider: f64 },
    Samples { bits: u32, tables: usize },
}

/// The tables that do the task at the least price; empty for brute force.
///
/// Complexity: a few sorts of a sample for each plan that could be the cheapest.
pub(super) fn choose<const W: usize>(task: &Task, sample: &[[u64; W]]) -> Vec<Table<W>> {
    let mut sample = sample.to_vec();
    sample.sort_unstable();
    let taken = sample.len().max(1);
    // Equal rows are merged in large buckets, so they do not affect the price.
    sample.dedup();
    let price = Price::new::<W>(task, sample.len() as f64 / taken as f64);
    let cutter = Cutter::new(task.width, &sample);
    let mut best = (price.brute(), Vec::new());
    let mut plans = price.shapes::<W>(&cutter);
    plans.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (least, shape) in plans {
        if least >= best.0 {
            break;
        }
        let tables = make::<W>(task, &price, &cutter, shape);
        let cost = price.measured(&tables, &sample, &cutter);
        if cost < best.0 {
            best = (cost, tables);
        }
    }
    best.1
}

fn make<const W: usize>(task: &Task, price: &Price, cutter: &Cutter, shape: Shape) -> Vec<Table<W>> {
    let (k, widest) = (task.max_distance, widest_key(task.n));
    match shape {
        Shape::Combinations { blocks } => combinations(cutter, k, blocks, widest),
        Shape::Radii { blocks, wider } => radii(cutter, k, (blocks, wider), |radius, information| {
            price.direct_key(radius, information).0
        }),
        Shape::Samples { bits, tables } => samples((task.width, k), (bits, tables), widest, task.seed),
    }
}

/// Every plan for distance `k`, whatever its price, with at most 70 tables: for tests.
#[cfg(test)]
pub(super) fn every<const W: usize>(task: &Task, sample: &[[u64; W]]) -> Vec<Vec<Table<W>>> {
    let (price, cutter) = (Price::new::<W>(task, 1.0), Cutter::new(task.width, sample));
    let (width, k) = (task.width, task.max_distance);
    let few = |blocks: &u32| choices(*blocks, blocks - k).is_some_and(|tables| tables <= 70);
    let chosen = (k + 1..=width.min(k + 4)).filter(few);
    let mut shapes: Vec<Shape> = chosen.map(|blocks| Shape::Combinations { blocks }).collect();
    let blocks = [1, 2, 3, k / 2, k + 1]
        .into_iter()
        .filter(|&m| m > 0 && m <= (k + 1).min(width) && k / m < 4);
    shapes.extend(blocks.flat_map(|blocks| [1.0, 1.5].map(|wider| Shape::Radii { blocks, wider })));
    shapes
        .into_iter()
        .map(|shape| make(task, &price, &cutter, shape))
        .collect()
}

/// What the work costs here.
#[derive(Debug)]
struct Price<'a> {
    task: &'a Task,
    n: f64,
    /// Rows that remain after equal ones are merged.
    distinct: f64,
    /// Walks over all rows beyond the first that make a table.
    walks: f64,
    row: f64,
    pair: f64,
}

impl<'a> Price<'a> {
    /// Measured on one core of a Zen 4. `row` is from 10^6 rows: 13, 35 and 43 for 1, 2 and 4 words; for 1 word it is 14 at 2 x 10^7.
    /// `pair` is from 200,000 rows by brute force: 0.061 and 0.11 for 1 and 2 words; for 1 word 0.2 by `Avx2`, 0.33 by `Portable`.
    fn new<const W: usize>(task: &'a Task, distinct: f64) -> Self {
        let pair = match task.kernel {
            Kernel::Avx512 => 0.06,
            Kernel::Avx2 => 0.2,
            // None was measured on ARM.
            Kernel::Portable | Kernel::Neon => 0.33,
        };
        let n = task.n as f64;
        // Bytes a row as the engine has them.
        let walks = (n * (32.0 + 16.0 * W as f64) / task.memory as f64).floor();
        let row = if W == 1 { 12.0 } else { 25.0 + 5.0 * W as f64 };
        Self {
            task,
            n,
            distinct: n * distinct,
            walks,
            row: row + WALK * walks,
            pair: pair * W as f64,
        }
    }

    /// Brute force; it holds all rows at once.
    fn brute(&self) -> f64 {
        if self.walks >= 1.0 && !self.task.for_queries {
            return f64::INFINITY;
        }
        self.pairs(1.0)
    }

    /// Comparing the share `chance` of all pairs, or of all rows with a query.
    fn pairs(&self, chance: f64) -> f64 {
        if self.task.for_queries {
            return self.distinct * chance * self.pair * 1.5;
        }
        self.distinct * self.distinct / 2.0 * self.task.share * chance * self.pair
    }

    /// A table with a direct key of `bits` bits, without its pairs. Each row is moved twice. Each bucket looks up the
    /// buckets within the radius, unless it is empty. A short bucket leaves half a vector empty.
    fn direct(&self, bits: f64, radius: u32) -> f64 {
        if self.task.for_queries {
            return ball(bits, radius) * LOOK_UP;
        }
        let buckets = bits.exp2();
        let visits = buckets * (ball(bits, radius) + 1.0) / 2.0;
        let filled = (self.distinct / buckets).min(1.0);
        let idle = self.distinct * (ball(bits, radius) + 1.0) / 2.0 * 4.0 * self.pair;
        1.8 * self.n * self.row + visits * (2.0 + 25.0 * filled * filled) + idle.min(visits * 32.0 * self.pair)
    }

    /// The cheapest width of a direct key for a radius within a block of this much information, with its price for
    /// uniform bits.
    fn direct_key(&self, radius: u32, information: f64) -> (u32, f64) {
        let widest = (information.round() as u32).clamp(1, MAX_DIRECT_BITS);
        let of = |bits: u32| {
            let bits = f64::from(bits);
            self.direct(bits, radius) + self.pairs(ball(bits, radius) * (-bits.min(information)).exp2())
        };
        let keys = (1..=widest).map(|bits| (bits, of(bits)));
        keys.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((1, f64::INFINITY))
    }

    /// Whether whole tables with direct keys fit: the records, the values and numbers, and memory to join parts.
    fn direct_fits<const W: usize>(&self) -> bool {
        if self.task.for_queries {
            return true;
        }
        self.n * (16.0 + 2.0 * (8.0 * W as f64 + 8.0)) + 8.0 * f64::from(1 << MAX_DIRECT_BITS)
            <= self.task.memory as f64
            || self.task.n < 1 << 16
    }

    /// Every plan worth trying, with its price by the information of each bit.
    fn shapes<const W: usize>(&self, cutter: &Cutter) -> Vec<(f64, Shape)> {
        let (k, width, total) = (self.task.max_distance, self.task.width, cutter.total());
        let rows = |tables: usize| tables as f64 * self.n * self.row;
        let mut plans = Vec::new();
        let most = if self.task.for_queries { k } else { width.min(k + 12) };
        for blocks in k + 1..=most {
            let Some(tables) = choices(blocks, blocks - k).filter(|&tables| tables <= MAX_TABLES) else {
                break;
            };
            let bits = total * f64::from(blocks - k) / f64::from(blocks);
            let cost = rows(tables) + self.pairs(tables as f64 * (-bits).exp2());
            plans.push((cost, Shape::Combinations { blocks }));
        }
        if self.direct_fits::<W>() {
            for blocks in 1..=(k + 1).min(width) {
                let (least, larger) = ((k + 1) / blocks - 1, (k + 1) % blocks);
                for wider in if larger == 0 { &WIDER[..1] } else { &WIDER } {
                    let share = total / (f64::from(larger) * wider + f64::from(blocks - larger));
                    let light = self.direct_key(least, share).1 * f64::from(blocks - larger);
                    let heavy = match larger {
                        0 => 0.0,
                        _ => self.direct_key(least + 1, share * wider).1 * f64::from(larger),
                    };
                    plans.push((light + heavy, Shape::Radii { blocks, wider: *wider }));
                }
            }
        }
        if self.task.recall < 1.0 {
            for bits in 1..=(width - k).min(48) {
                let agree = (0..bits)
                    .map(|step| f64::from(width - k - step) / f64::from(width - step))
                    .product::<f64>();
                let tables = ((1.0 - self.task.recall).ln() / (1.0 - agree).ln()).ceil();
                if tables <= MAX_TABLES as f64 {
                    let tables = (tables as usize).max(1);
                    let met = tables as f64 * (-f64::from(bits) * total / f64::from(width)).exp2();
                    plans.push((rows(tables) + self.pairs(met), Shape::Samples { bits, tables }));
                }
            }
        }
        plans
    }

    /// The price of tables by the pairs that meet in a sample.
    fn measured<const W: usize>(&self, tables: &[Table<W>], sample: &[[u64; W]], cutter: &Cutter) -> f64 {
        let step = tables.len().div_ceil(SAMPLED_TABLES);
        let looked = tables.len().div_ceil(step);
        let one = |table: &Table<W>| {
            let (bits, radius) = (f64::from(table.bits), table.radius());
            let even = ball(bits, radius) * (-bits.min(cutter.of(&table.near.own.mask))).exp2();
            let moves = if table.is_direct() {
                self.direct(bits, radius)
            } else {
                self.n * self.row
            };
            moves + self.pairs(chance(table, sample).max(even))
        };
        tables.iter().step_by(step).map(one).sum::<f64>() * tables.len() as f64 / looked as f64
    }
}

/// The chance that two rows of a sample meet in a table.
fn chance<const W: usize>(table: &Table<W>, sample: &[[u64; W]]) -> f64 {
    let step = if table.radius() == 0 {
        1
    } else {
        sample.len().div_ceil(SAMPLED_ROWS).max(1)
    };
    let mut keys: Vec<u64> = sample.iter().step_by(step).map(|row| table.key(row)).collect();
    let all = (keys.len() * keys.len().saturating_sub(1) / 2).max(1) as f64;
    let meet: usize = if table.radius() == 0 {
        keys.sort_unstable();
        let runs = keys.chunk_by(|a, b| a == b);
        runs.map(|run| run.len() * (run.len() - 1) / 2).sum()
    } else {
        let near = |a: u64, b: u64| (a ^ b).count_ones() <= table.radius();
        let later = |(at, &a): (usize, &u64)| keys[at + 1..].iter().filter(|&&b| near(a, b)).count();
        keys.iter().enumerate().map(later).sum()
    };
    meet as f64 / all
}

/// The number of keys of `bits` bits within a radius of one.
pub(super) fn ball(bits: f64, radius: u32) -> f64 {
    let (mut ways, mut sum) = (1.0, 1.0);
    for step in 0..radius.min(bits as u32) {
        ways *= (bits - f64::from(step)).max(0.0) / f64::from(step + 1);
        sum += ways;
    }
    sum
}

/// How many ways there are to choose `taken` of `blocks`; `None` if that overflows.
fn choices(blocks: u32, taken: u32) -> Option<usize> {
    let mut ways = 1_usize;
    for step in 0..taken.min(blocks - taken) {
        ways = ways.checked_mul((blocks - step) as usize)? / (step as usize + 1);
    }
    Some(ways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::mix;

    /// Where there are many rows, a slower comparison asks for more tables.
    #[test]
    fn tables_are_chosen_by_rows_and_kernel() {
        let sample: Vec<[u64; 1]> = (0..1 << 14).map(|row| [mix(row)]).collect();
        let tables = |n, kernel| {
            let task = Task {
                n,
                width: 64,
                max_distance: 3,
                share: 1.0,
                memory: 1 << 40,
                recall: 1.0,
                seed: 0,
                kernel,
                for_queries: false,
            };
            choose(&task, &sample).len()
        };
        let of = |n| [Kernel::Avx512, Kernel::Avx2, Kernel::Portable].map(|kernel| tables(n, kernel));
        let found = [100_000, 1_000_000, 10_000_000, 20_000_000, 50_000_000].map(of);
        assert_eq!(found, [[4, 4, 4], [4, 4, 4], [4, 4, 10], [4, 10, 10], [3, 10, 10]]);
    }
}
