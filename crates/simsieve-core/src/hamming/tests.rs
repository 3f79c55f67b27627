//! Every plan, memory and kernel against the oracle, the laws of the distance, the refusals.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::base::kernel::Kernel;

use proptest::prelude::*;

use super::engine::Engine;
use super::field::Field;
use super::plan::{self, Task};
use super::sink::Tally;
use super::test_rows::{Collection, KERNELS, WIDTHS, search, with};
use super::{MEMORY, Pair, Rows, Search, distance, near_pairs, sort};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::progress::Progress;

/// All pairs within a distance, by plain loops.
fn brute_pairs(rows: &Rows<'_>, max_distance: u32) -> Vec<Pair> {
    let row = |i: usize| &rows.values[i * rows.words..(i + 1) * rows.words];
    let valid: Vec<usize> = (0..rows.len())
        .filter(|&i| rows.valid.is_none_or(|valid| valid[i]))
        .collect();
    let mut pairs = Vec::new();
    for (at, &i) in valid.iter().enumerate() {
        for &j in &valid[at + 1..] {
            let distance = distance(row(i), row(j));
            if distance <= max_distance {
                pairs.push(Pair {
                    i: i as u32,
                    j: j as u32,
                    distance,
                });
            }
        }
    }
    pairs
}

/// All ways to the answer: the public call, whole and with little memory, and every plan, whatever its price.
fn agrees(collection: &Collection, masked: bool, k: u32) {
    let rows = collection.rows(masked);
    let expected = brute_pairs(&rows, k);
    for kernel in KERNELS {
        for threads in [1, 2, 3] {
            let found = near_pairs(&rows, &search(k), &with(threads, kernel)).unwrap();

            assert_eq!(
                found, expected,
                "{kernel:?}, {threads} threads, width {}, k {k}",
                collection.width
            );
        }
        every_plan(&rows, None, k, kernel, &expected);
    }
}

/// Every plan by force.
pub(super) fn every_plan(rows: &Rows<'_>, other: Option<&Rows<'_>>, k: u32, kernel: Kernel, expected: &[Pair]) {
    match rows.width.div_ceil(64) {
        1 => every_plan_of::<1>(rows, other, k, kernel, expected),
        2 => every_plan_of::<2>(rows, other, k, kernel, expected),
        3 => every_plan_of::<3>(rows, other, k, kernel, expected),
        _ => every_plan_of::<4>(rows, other, k, kernel, expected),
    }
}

fn every_plan_of<const W: usize>(rows: &Rows<'_>, other: Option<&Rows<'_>>, k: u32, kernel: Kernel, expected: &[Pair]) {
    let field = Field::<W>::new(rows, other);
    let task = Task {
        n: field.len(),
        width: rows.width,
        max_distance: k.min(rows.width),
        share: 1.0,
        memory: MEMORY,
        recall: 1.0,
        seed: 0,
        kernel,
        for_queries: false,
    };
    for sample in [Vec::new(), field.sample()] {
        for tables in plan::every(&task, &sample) {
            let tally = Tally::new(u64::MAX);
            let engine = Engine {
                field: &field,
                kernel,
                threads: 2,
                memory: MEMORY,
                tally: &tally,
            };
            let mut pairs = engine.run(&tables, k).unwrap();
            pairs
                .iter_mut()
                .filter(|_| field.is_across())
                .for_each(|pair| pair.j -= field.border() as u32);
            sort(&mut pairs);

            assert_eq!(pairs, expected, "{kernel:?}, width {}, k {k}, {tables:?}", rows.width);
            assert_eq!(
                tally.pairs(),
                expected.len() as u64,
                "{kernel:?}, width {}, k {k}, {tables:?}",
                rows.width
            );

            if !expected.is_empty() {
                let tally = Tally::new(0);
                Engine {
                    tally: &tally,
                    ..engine
                }
                .run(&tables, k)
                .unwrap();

                assert_eq!(
                    tally.pairs(),
                    expected.len() as u64,
                    "counted, width {}, k {k}, {tables:?}",
                    rows.width
                );
            }
        }
    }
}

#[test]
fn every_width_finds_every_pair_at_the_distance_and_none_beyond() {
    every_width(80, 50);
}

#[test]
#[ignore = "slow"]
fn every_width_of_more_rows() {
    every_width(150, 90);
}

/// Rows of every width, some of them planted at the distance and beyond, against the oracle.
fn every_width(n: usize, planted: usize) {
    for (seed, width) in WIDTHS.into_iter().enumerate() {
        for k in [0, 1, 3, 6, width / 4, width / 2, width] {
            let k = k.min(width);
            agrees(
                &Collection::new(seed as u64, n, width, 0, planted, &[k, k + 1, 0]),
                false,
                k,
            );
        }
    }
}

#[test]
fn constant_bits_and_invalid_rows_change_nothing() {
    for (seed, width) in WIDTHS.into_iter().enumerate() {
        for constant in [50, 90, 100] {
            agrees(
                &Collection::new(seed as u64, 200, width, constant, 50, &[3, 4]),
                true,
                3.min(width),
            );
        }
    }
}

#[test]
fn nothing_one_and_two_rows() {
    for width in WIDTHS {
        for n in 0..3 {
            for k in [0, 1, width] {
                agrees(&Collection::new(7, n, width, 0, 0, &[]), false, k);
            }
        }
    }
}

#[test]
fn more_rows_than_a_tile_and_heavier_buckets_than_one_job() {
    for (width, constant, k) in [(64, 60, 3), (64, 0, 3), (33, 0, 2), (128, 80, 4), (200, 85, 2)] {
        let collection = Collection::new(3, 6500, width, constant, 500, &[k, k + 1]);
        let rows = collection.rows(true);
        let expected = brute_pairs(&rows, k);
        for (kernel, threads) in [(Kernel::Portable, 2), (Kernel::Avx512, 1), (Kernel::Avx512, 0)] {
            let found = near_pairs(&rows, &search(k), &with(threads, kernel)).unwrap();

            assert_eq!(found, expected, "{kernel:?}, width {width}");
        }
        every_plan(&rows, None, k, Kernel::Avx512, &expected);
    }
}

#[test]
fn all_equal_rows_are_all_pairs_at_distance_zero() {
    let values = vec![5_u64; 3000];
    let rows = Rows {
        values: &values,
        valid: None,
        words: 1,
        width: 3,
    };
    let found = near_pairs(&rows, &search(1), &with(2, Kernel::active())).unwrap();

    assert_eq!(found, brute_pairs(&rows, 1));
}

#[test]
fn more_pairs_than_allowed_are_counted_exactly_and_refused() {
    for (width, n, k, constant) in [
        (64, 3000, 20, 0),
        (10, 3000, 2, 0),
        (128, 2500, 3, 95),
        (64, 5000, 3, 70),
    ] {
        let collection = Collection::new(11, n, width, constant, 300, &[k]);
        let rows = collection.rows(true);
        let count = brute_pairs(&rows, k).len() as u64;
        for kernel in KERNELS {
            for max_pairs in [0, 1, count / 2, count - 1] {
                let search = Search { max_pairs, ..search(k) };
                let Err(Error::TooMany(message)) = near_pairs(&rows, &search, &with(2, kernel)) else {
                    panic!("{count} pairs must be refused at {max_pairs}");
                };

                let start = format!("{count} pairs are within distance {k}, more than max_pairs = {max_pairs}: raise");
                assert!(message.to_string().starts_with(&start), "{message}");
            }
            let exact = Search {
                max_pairs: count,
                ..search(k)
            };

            assert_eq!(near_pairs(&rows, &exact, &with(2, kernel)).unwrap().len() as u64, count);
        }
    }
}

#[test]
fn a_million_equal_rows_are_refused_at_once() {
    let values = vec![9_u64; 1_000_000];
    let rows = Rows {
        values: &values,
        valid: None,
        words: 1,
        width: 64,
    };
    let search = Search {
        max_pairs: 100_000_000,
        ..search(3)
    };
    let refused = near_pairs(&rows, &search, &with(1, Kernel::active()))
        .unwrap_err()
        .to_string();

    assert!(refused.starts_with("499999500000 pairs"), "{refused}");
}

#[test]
fn rows_that_cannot_be_are_refused() {
    let cases: [(&[u64], usize, u32, &str); 6] = [
        (&[1], 1, 0, "width is 0 bits: 1 to 256 are allowed"),
        (&[1; 5], 5, 257, "width is 257 bits: 1 to 256 are allowed"),
        (&[1], 1, 65, "rows of 1 words cannot hold 65 bits"),
        (&[1; 3], 2, 65, "3 words do not make rows of 2"),
        (&[1, 8], 1, 3, "row 1 has bits above its width of 3"),
        (&[1, 0, 1, 2], 2, 64, "row 1 has bits above its width of 64"),
    ];
    for (values, words, width, expected) in cases {
        let rows = Rows {
            values,
            valid: None,
            words,
            width,
        };
        let refused = near_pairs(&rows, &search(1), &with(1, Kernel::Portable)).unwrap_err();

        assert_eq!(refused.to_string(), expected);
    }
    let rows = Rows {
        values: &[1, 2],
        valid: Some(&[true]),
        words: 1,
        width: 2,
    };
    let refused = near_pairs(&rows, &search(1), &with(1, Kernel::Portable)).unwrap_err();

    assert_eq!(refused.to_string(), "the mask has 1 entries for 2 rows");
}

/// Stops the work at its first call, and counts the calls.
struct Impatient<'a>(&'a AtomicU32);

impl Progress for Impatient<'_> {
    fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        assert_eq!(stage, "search");
        assert!(done < total, "{done} of {total}");
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(Error::Interrupted)
    }
}

#[test]
fn the_monitor_stops_the_search() {
    let collection = Collection::new(1, 400_000, 64, 0, 0, &[]);
    let calls = AtomicU32::new(0);
    let stopped = near_pairs(
        &collection.rows(false),
        &search(30),
        &Context::new(2, Impatient(&calls))
            .unwrap()
            .with_kernel(Kernel::Portable),
    );

    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert_eq!(calls.into_inner(), 1, "nothing is searched after the stop");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_plan_and_kernel_finds_the_oracle_s_pairs(
        seed: u64, n in 0_usize..120, width in 1_u32..=256, k in 0_u32..40, constant in 0_u64..100, masked: bool
    ) {
        agrees(&Collection::new(seed, n, width, constant, n / 2, &[0, 1, k, k + 1]), masked, k.min(width));
    }

    #[test]
    fn distance_is_a_metric(words in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..5)) {
        let a: Vec<u64> = words.iter().map(|w| w.0).collect();
        let b: Vec<u64> = words.iter().map(|w| w.1).collect();
        let c: Vec<u64> = words.iter().map(|w| w.2).collect();

        prop_assert_eq!(distance(&a, &a), 0);
        prop_assert_eq!(distance(&a, &b), distance(&b, &a));
        prop_assert_eq!(distance(&a, &b) == 0, a == b);
        prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c));
    }
}
