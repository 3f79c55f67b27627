//! Two collections, queries, little memory, a recall below 1, dense refusals, against the oracle; timings (ignored).

use proptest::prelude::*;

use super::test_rows::{Collection, KERNELS, SplitMix, WIDTHS, search, with};
use super::tests::every_plan;
use super::{HammingIndex, Options, Pair, Rows, Search, distance, near_pairs, near_pairs_with};
use crate::base::context::Context;
use crate::base::error::Error;
use crate::base::kernel::Kernel;

/// All pairs of a row of `a` with a row of `b`, by plain loops.
fn brute_across(a: &Rows<'_>, b: &Rows<'_>, k: u32) -> Vec<Pair> {
    let valid = |rows: &Rows<'_>, at: usize| rows.valid.is_none_or(|valid| valid[at]);
    let mut pairs = Vec::new();
    for (i, x) in a.values.chunks(a.words).enumerate().filter(|(i, _)| valid(a, *i)) {
        for (j, y) in b.values.chunks(b.words).enumerate().filter(|(j, _)| valid(b, *j)) {
            let distance = distance(x, y);
            if distance <= k {
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

/// The two halves of a collection, so that copies are on either side.
fn halves(rows: Rows<'_>) -> (Rows<'_>, Rows<'_>) {
    let at = rows.len() / 3;
    let (values, others) = rows.values.split_at(at * rows.words);
    let (valid, invalid) = rows.valid.map(|valid| valid.split_at(at)).unzip();
    (
        Rows { values, valid, ..rows },
        Rows {
            values: others,
            valid: invalid,
            ..rows
        },
    )
}

fn across_agrees(collection: &Collection, masked: bool, k: u32) {
    let (a, b) = halves(collection.rows(masked));
    let expected = brute_across(&a, &b, k);
    let count = expected.len() as u64;
    for kernel in KERNELS {
        let join = |max_pairs: u64, threads: usize| {
            let search = Search { max_pairs, ..search(k) };
            near_pairs_with(&a, Some(&b), &search, &Options::default(), &with(threads, kernel))
        };
        let index = HammingIndex::new(&b, k, &with(2, kernel)).unwrap();
        for threads in [1, 2, 3] {
            assert_eq!(
                join(u64::MAX, threads).unwrap(),
                expected,
                "{kernel:?}, width {}, k {k}",
                a.width
            );
            assert_eq!(
                index.query(&a, u64::MAX, &with(threads, kernel)).unwrap(),
                expected,
                "queries, {kernel:?}, width {}, k {k}",
                a.width
            );
        }
        every_plan(&a, Some(&b), k, kernel, &expected);
        if count > 0 {
            let start = format!("{count} pairs are within distance {k}");
            for refused in [join(count - 1, 2), index.query(&a, count - 1, &with(2, kernel))] {
                let message = refused.unwrap_err().to_string();

                assert!(message.starts_with(&start), "{message}");
            }
        }
    }
}

#[test]
fn two_collections_and_queries_of_every_width() {
    for (seed, width) in WIDTHS.into_iter().enumerate() {
        for k in [0, 1, 3, width / 4, width - 1, width] {
            let flips = [0, k, (k + 1).min(width)];
            across_agrees(&Collection::new(seed as u64, 120, width, 0, 80, &flips), k % 2 == 1, k);
        }
    }
}

#[test]
fn empty_and_lone_sides() {
    for n in [0, 1, 2, 3, 4] {
        for width in [1, 64, 65, 256] {
            across_agrees(&Collection::new(5, n, width, 50, 0, &[]), false, width / 2);
        }
    }
}

#[test]
fn large_buckets_on_both_sides_and_more_rows_than_a_tile() {
    for (width, constant, k) in [(64, 70, 3), (64, 0, 3), (128, 85, 4), (33, 80, 1), (200, 95, 8)] {
        let collection = Collection::new(9, 7000, width, constant, 1000, &[0, k]);
        let (a, b) = halves(collection.rows(true));
        let expected = brute_across(&a, &b, k);
        let found = near_pairs_with(
            &a,
            Some(&b),
            &search(k),
            &Options::default(),
            &with(2, Kernel::active()),
        );

        assert_eq!(found.unwrap(), expected, "width {width}");

        let index = HammingIndex::new(&b, k, &with(2, Kernel::active())).unwrap();

        assert_eq!(
            index.query(&a, u64::MAX, &Context::silent(2)).unwrap(),
            expected,
            "queries, width {width}"
        );
    }
}

#[test]
fn sides_of_two_widths_are_refused() {
    let rows = |values, words, width| Rows {
        values,
        valid: None,
        words,
        width,
    };
    let (a, b) = (rows(&[1, 2], 1, 64), rows(&[1, 2], 2, 128));
    let message = "fingerprints of 64 and of 128 bits cannot be compared: give two collections of one width";
    let refused = near_pairs_with(
        &a,
        Some(&b),
        &search(1),
        &Options::default(),
        &with(1, Kernel::Portable),
    );

    assert_eq!(refused.unwrap_err().to_string(), message);

    let index = HammingIndex::new(&a, 1, &with(1, Kernel::Portable)).unwrap();

    assert_eq!(
        index.query(&b, 1, &Context::silent(1)).unwrap_err().to_string(),
        message
    );
}

#[test]
fn memory_bounds_change_no_pair_and_too_little_is_told() {
    for (width, constant, k) in [(64, 0, 3), (64, 50, 2), (128, 0, 6)] {
        let collection = Collection::new(21, 90_000, width, constant, 5000, &[0, 1, k]);
        let rows = collection.rows(true);
        let expected = near_pairs(&rows, &search(k), &with(2, Kernel::active())).unwrap();
        let with = |memory: u64, threads: usize| {
            let options = Options {
                memory,
                ..Options::default()
            };
            near_pairs_with(&rows, None, &search(k), &options, &with(threads, Kernel::active()))
        };

        assert!(expected.len() >= 3000, "most planted pairs have two valid rows");
        for (memory, threads) in [(5_000_000, 2), (3_000_000, 1), (2_000_000, 3)] {
            assert_eq!(
                with(memory, threads).unwrap(),
                expected,
                "{memory} bytes, width {width}"
            );
        }

        // Less than a row takes.
        let Err(Error::Config(message)) = with(10, 1) else {
            panic!("10 bytes must be refused");
        };

        assert!(
            message.to_string().starts_with("memory 10 is too little to search "),
            "{message}"
        );
        assert!(message.to_string().contains("give memory "), "{message}");
    }
}

#[test]
fn a_recall_below_one_finds_its_share_and_nothing_false() {
    let (n, k) = (30_000, 16);
    let collection = Collection::new(2, n, 128, 0, 6000, &[k]);
    let rows = collection.rows(false);
    let exact = near_pairs(&rows, &search(k), &with(2, Kernel::active())).unwrap();
    for (seed, recall) in [(1, 0.5), (2, 0.9), (3, 0.98)] {
        let options = Options {
            recall,
            seed,
            ..Options::default()
        };
        let run = |threads| near_pairs_with(&rows, None, &search(k), &options, &with(threads, Kernel::active()));
        let found = run(2).unwrap();

        assert_eq!(run(1).unwrap(), found, "the seed decides, not the threads");
        assert!(
            found.iter().all(|pair| exact.binary_search(pair).is_ok()),
            "only near pairs, each once"
        );
        // Four standard deviations of 6,000 independent pairs, had the recall been met exactly.
        let slack = 4.0 * (recall * (1.0 - recall) / 6000.0).sqrt();
        let share = found.len() as f64 / exact.len() as f64;

        assert!(share >= recall - slack, "{share} of the pairs at recall {recall}");
    }
}

#[test]
fn a_recall_outside_its_range_is_refused() {
    let rows = Rows {
        values: &[1, 2],
        valid: None,
        words: 1,
        width: 64,
    };
    for recall in [0.0, -0.5, 1.01, f64::NAN] {
        let options = Options {
            recall,
            ..Options::default()
        };
        let refused = near_pairs_with(&rows, None, &search(1), &options, &with(1, Kernel::Portable));

        let expected = format!("recall {recall} is not allowed: above 0, and at most 1, which finds all pairs");
        assert_eq!(refused.unwrap_err().to_string(), expected);
    }
}

#[test]
fn queries_near_a_million_equal_rows_are_counted() {
    let values = vec![9_u64; 1_000_000];
    let rows = |values| Rows {
        values,
        valid: None,
        words: 1,
        width: 64,
    };
    let index = HammingIndex::new(&rows(&values), 3, &with(2, Kernel::active())).unwrap();
    let refused = index
        .query(&rows(&values[..1000]), 5_000_000, &Context::silent(2))
        .unwrap_err()
        .to_string();

    assert!(refused.starts_with("1000000000 pairs"), "{refused}");
}

#[test]
fn rows_near_a_centre_are_counted_and_not_listed() {
    let mut random = SplitMix(8);
    let (n, width) = (60_000, 128);
    let mut values = vec![0_u64; 2 * n];
    for row in values.chunks_mut(2) {
        for _ in 0..8 {
            let bit = random.below(width);
            row[bit as usize / 64] |= 1 << (bit % 64);
        }
    }
    let rows = Rows {
        values: &values,
        valid: None,
        words: 2,
        width: 128,
    };
    let dense = Search {
        max_pairs: 1000,
        ..search(16)
    };
    let refused = near_pairs(&rows, &dense, &with(2, Kernel::active()))
        .unwrap_err()
        .to_string();
    let all = n as u64 * (n as u64 - 1) / 2;

    assert!(
        refused.starts_with(&format!("{all} pairs are within distance 16")),
        "{refused}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn two_sides_queries_and_the_oracle_agree(
        seed: u64, n in 0_usize..100, width in 1_u32..=256, k in 0_u32..30, constant in 0_u64..=100, masked: bool
    ) {
        across_agrees(&Collection::new(seed, n, width, constant, n / 2, &[0, 1, k, k + 1]), masked, k.min(width));
    }
}
