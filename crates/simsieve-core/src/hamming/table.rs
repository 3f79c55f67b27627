//! Tables: which bits make the key, and which of the meeting pairs the table reports.
//!
//! In: the width, the distance and a shape. Out: the tables, in the order in which they report. Called by
//! [`super::plan`]. Three shapes:
//!
//! - **Combinations.** The width is cut into m > k blocks. Two rows within k bits differ in at most k blocks, so they
//!   agree in m - k. There is a table for each choice of m - k blocks. Source: Manku, Jain, Das Sarma: "Detecting
//!   near-duplicates for web crawling", WWW 2007, sections 3.1 and 4.
//! - **Radii.** The width is cut into m <= k + 1 blocks, each with a radius, and the radii + 1 sum to k + 1. So a pair
//!   within k bits cannot exceed every radius. There is a table for each block, and each bucket meets those whose keys
//!   differ in at most the radius. Source: Norouzi, Punjani, Fleet: "Fast exact search in Hamming space with
//!   multi-index hashing", TPAMI 2014, section 3. Radii differ as in Qin et al.: "GPH", ICDE 2018, section 3.
//! - **Samples.** Keys are s random bits (Indyk, Motwani: "Approximate nearest neighbors", STOC 1998, section 4.2). Two
//!   rows that differ in k of w bits agree in a table with the hypergeometric probability C(w - k, s) / C(w, s). Not
//!   exact: the number of tables is chosen so that a pair at distance k is found with the requested recall.
//!
//! A pair is reported by the first table in which it meets: within the radius of its block, beyond the radii of earlier
//! blocks.

use super::near::{Block, Near};

/// A hashed key gets this many bits more than its blocks have, so that few different keys share a bucket.
const SPARE_BITS: u32 = 3;
/// An odd multiplier that spreads every bit upwards (the golden ratio's fraction).
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// One table.
#[derive(Debug, Clone)]
pub(super) struct Table<const W: usize> {
    key: Key<W>,
    /// Bits of the key.
    pub bits: u32,
    /// When this table reports a pair of rows that meet.
    pub near: Near<W>,
}

/// From a row to its bucket.
#[derive(Debug, Clone)]
enum Key<const W: usize> {
    /// Multipliers that spread (or, for a single block within a word, just shift up) the bits of the blocks.
    Hash([u64; W]),
    /// Bits of the block itself, in runs: a bit that differs in the rows differs in the keys.
    Bits(Vec<Run>),
}

/// A run of bits on its way into a key.
#[derive(Debug, Clone, Copy)]
struct Run {
    word: u32,
    shift: u32,
    mask: u64,
    place: u32,
}

impl<const W: usize> Table<W> {
    /// The bucket of a row: equal for rows that agree in the key's bits, and for few others.
    #[inline]
    pub fn key(&self, row: &[u64; W]) -> u64 {
        match &self.key {
            Key::Hash(multipliers) => {
                let mut sum = 0_u64;
                for ((word, mask), multiplier) in row.iter().zip(&self.near.own.mask).zip(multipliers) {
                    sum = sum.wrapping_add((word & mask).wrapping_mul(*multiplier));
                }
                sum >> (64 - self.bits)
            }
            Key::Bits(runs) => {
                let bits = |run: &Run| (row[run.word as usize] >> run.shift & run.mask) << run.place;
                runs.iter().map(bits).fold(0, |key, bits| key | bits)
            }
        }
    }

    /// Bits in which the keys of meeting rows may differ; 0 for a hashed key.
    pub fn radius(&self) -> u32 {
        self.near.own.radius
    }

    /// Whether buckets are found by the bits of the key, not by a hash of them.
    pub fn is_direct(&self) -> bool {
        matches!(self.key, Key::Bits(_))
    }

    /// One bucket for all rows: every pair is compared.
    pub fn everything(max_distance: u32) -> Self {
        Self {
            key: Key::Bits(Vec::new()),
            bits: 0,
            near: Near::everywhere(max_distance),
        }
    }
}

/// The information of each bit, and the cuts that give every block its share.
#[derive(Debug, Clone)]
pub(super) struct Cutter {
    /// Collision entropy of each bit: 1 for a fair coin, 0 for a constant.
    information: Vec<f64>,
    /// Information below each bit, with the sum of all.
    below: Vec<f64>,
}

impl Cutter {
    /// Measures the bits of a sample; of an empty one, takes every bit for a fair coin.
    pub fn new<const W: usize>(width: u32, sample: &[[u64; W]]) -> Self {
        let bits = 0..width as usize;
        let of = |bit: usize| {
            let ones = sample.iter().filter(|row| row[bit / 64] >> (bit % 64) & 1 == 1).count();
            let share = ones as f64 / sample.len() as f64;
            -(share * share + (1.0 - share) * (1.0 - share)).log2()
        };
        let information: Vec<f64> = bits.map(|bit| if sample.is_empty() { 1.0 } else { of(bit) }).collect();
        let mut below = vec![0.0];
        for bit in &information {
            // A small amount for constant bits, so that blocks of constant bits are cut evenly.
            below.push(below[below.len() - 1] + bit.max(1e-6));
        }
        Self { information, below }
    }

    /// All of the information, in bits.
    pub fn total(&self) -> f64 {
        self.below[self.information.len()]
    }

    fn width(&self) -> u32 {
        self.information.len() as u32
    }

    /// The ends of contiguous, non-empty blocks whose information follows the shares.
    fn cut(&self, shares: &[f64]) -> Vec<u32> {
        let (width, blocks, sum) = (self.width(), shares.len() as u32, shares.iter().sum::<f64>());
        let (mut bounds, mut wanted) = (vec![0], 0.0);
        for (block, share) in (1..=blocks).zip(shares) {
            wanted += share / sum * self.total();
            // A quarter of a bit of slack: the sample's noise must not move a cut between fair bits.
            let at = self.below.partition_point(|&below| below < wanted - 0.25) as u32;
            bounds.push(at.clamp(bounds[bounds.len() - 1] + 1, width - (blocks - block)));
        }
        bounds[blocks as usize] = width;
        bounds
    }

    /// The information of a mask's bits.
    pub fn of<const W: usize>(&self, mask: &[u64; W]) -> f64 {
        let held = self.information.iter().enumerate();
        held.filter(|(bit, _)| mask[bit / 64] >> (bit % 64) & 1 == 1)
            .map(|(_, bits)| bits)
            .sum()
    }

    /// A direct key of at most `bits` bits of a block, those with most information; with the bits taken.
    fn direct<const W: usize>(&self, (low, high): (u32, u32), bits: u32) -> (Key<W>, u32) {
        let mut order: Vec<u32> = (low..high).collect();
        order.sort_by(|&a, &b| self.information[b as usize].total_cmp(&self.information[a as usize]));
        order.truncate(bits as usize);
        order.sort_unstable();
        let mut runs = Vec::<Run>::new();
        for (place, &bit) in (0..).zip(&order) {
            let follows = |run: &&mut Run| run.word == bit / 64 && run.shift + run.mask.count_ones() == bit % 64;
            if let Some(run) = runs.last_mut().filter(follows) {
                run.mask = run.mask << 1 | 1;
            } else {
                runs.push(Run {
                    word: bit / 64,
                    shift: bit % 64,
                    mask: 1,
                    place,
                });
            }
        }
        (Key::Bits(runs), order.len() as u32)
    }
}

/// The tables of `blocks` blocks for distance `k`, one for each choice of `blocks - k`, in lexicographic order.
pub(super) fn combinations<const W: usize>(cutter: &Cutter, k: u32, blocks: u32, widest_key: u32) -> Vec<Table<W>> {
    let bounds = cutter.cut(&vec![1.0; blocks as usize]);
    let masks: Vec<[u64; W]> = bounds.windows(2).map(|ends| mask(ends[0]..ends[1])).collect();
    let taken = (blocks - k) as usize;
    let mut tables = Vec::new();
    let mut choice: Vec<usize> = (0..taken).collect();
    loop {
        let mut agree = [0; W];
        for &block in &choice {
            for w in 0..W {
                agree[w] |= masks[block][w];
            }
        }
        // The first choice of agreeing blocks has the first blocks that agree: all other blocks before its last differ.
        let others = (0..choice[taken - 1]).filter(|block| !choice.contains(block));
        let earlier = others.map(|block| block_of(masks[block], 0)).collect();
        let (low, high) = (bounds[choice[0]], bounds[choice[0] + 1]);
        let alone = (taken == 1 && low / 64 == (high - 1) / 64).then_some(high);
        tables.push(hashed(k, agree, earlier, widest_key, alone));
        // The next choice: the rightmost block that can move moves up, and the later ones follow it directly.
        let Some(at) = (0..taken).rev().find(|&at| choice[at] < blocks as usize - taken + at) else {
            return tables;
        };
        choice[at] += 1;
        for behind in at + 1..taken {
            choice[behind] = choice[behind - 1] + 1;
        }
    }
}

/// The tables of `blocks` blocks with radii for distance `k`. The blocks of the larger radius have `wider` times the
/// information of the others. Keys have at most the bits that `widest_key` gives for a radius and the block's
/// information.
pub(super) fn radii<const W: usize>(
    cutter: &Cutter,
    k: u32,
    (blocks, wider): (u32, f64),
    widest_key: impl Fn(u32, f64) -> u32,
) -> Vec<Table<W>> {
    let (least, larger) = ((k + 1) / blocks - 1, (k + 1) % blocks);
    let of = |block: u32| least + u32::from(block < larger);
    let shares: Vec<f64> = (0..blocks)
        .map(|block| if block < larger { wider } else { 1.0 })
        .collect();
    let bounds = cutter.cut(&shares);
    let all: Vec<Block<W>> = (0..blocks)
        .map(|block| block_of(mask(bounds[block as usize]..bounds[block as usize + 1]), of(block)))
        .collect();
    let tables = (0..blocks as usize).map(|block| {
        let radius = all[block].radius;
        let (key, bits) = cutter.direct(
            (bounds[block], bounds[block + 1]),
            widest_key(radius, cutter.of(&all[block].mask)),
        );
        Table {
            key,
            bits,
            near: Near {
                max_distance: k,
                own: all[block],
                earlier: all[..block].to_vec(),
            },
        }
    });
    tables.collect()
}

/// `count` tables of `taken` random bits each, any `taken` bits as likely as any others.
pub(super) fn samples<const W: usize>(
    (width, k): (u32, u32),
    (taken, count): (u32, usize),
    widest_key: u32,
    seed: u64,
) -> Vec<Table<W>> {
    let mut state = seed;
    let mut random = move |below: u32| {
        state = state.wrapping_add(ODD);
        // The finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(below)) >> 64) as u32
    };
    let mut earlier = Vec::new();
    let mut tables = Vec::new();
    let mut pool = Vec::new();
    for _ in 0..count {
        // One shuffle gives as many tables as it has bits for, so bits are used evenly. Whether disjoint keys have
        // differing bits is negatively associated. So the product of the law is still a bound.
        if pool.len() < taken as usize {
            pool = (0..width).collect();
            for place in (1..width).rev() {
                pool.swap(place as usize, random(place + 1) as usize);
            }
        }
        let mut sampled = [0; W];
        for bit in pool.split_off(pool.len() - taken as usize) {
            sampled[bit as usize / 64] |= 1 << (bit % 64);
        }
        tables.push(hashed(k, sampled, earlier.clone(), widest_key, None));
        earlier.push(block_of(sampled, 0));
    }
    tables
}

fn block_of<const W: usize>(mask: [u64; W], radius: u32) -> Block<W> {
    Block { mask, radius }
}

/// A table of rows that agree in a mask. `alone`: its bits are contiguous in one word.
fn hashed<const W: usize>(
    k: u32,
    mask: [u64; W],
    earlier: Vec<Block<W>>,
    widest_key: u32,
    alone: Option<u32>,
) -> Table<W> {
    let held: u32 = mask.iter().map(|word| word.count_ones()).sum();
    let (multipliers, bits) = match alone {
        // The block itself, shifted to the top: no two keys share a bucket.
        Some(high) if held <= widest_key => ([1 << (63 - (high - 1) % 64); W], held),
        _ => {
            let mut odd = ODD;
            let spread = std::array::from_fn(|_| {
                odd = odd.wrapping_mul(ODD);
                odd
            });
            (spread, widest_key.min(held + SPARE_BITS))
        }
    };
    Table {
        key: Key::Hash(multipliers),
        bits,
        near: Near {
            max_distance: k,
            own: block_of(mask, 0),
            earlier,
        },
    }
}

/// The bits of a range.
fn mask<const W: usize>(bits: std::ops::Range<u32>) -> [u64; W] {
    let mut mask = [0; W];
    for bit in bits {
        mask[bit as usize / 64] |= 1 << (bit % 64);
    }
    mask
}
