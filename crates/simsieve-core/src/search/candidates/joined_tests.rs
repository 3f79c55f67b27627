//! The tests of `joined.rs`.

use super::*;
use crate::base::context::Context;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::encode::encoder::EncodedBatch;
use crate::encode::scheme::Scheme;
use crate::encode::sketch::SKETCH_WORDS;
use crate::recipe::search_keys::is_family;
use crate::recipe::{Recipe, Threshold};
use crate::search::candidates::Rows;
use crate::search::documents::Documents;

const ROWS: u64 = 3000;
const TAKEN: u64 = 7;

/// Rows in groups of four, whose sketches differ in few bits.
fn documents(threshold: Threshold) -> Documents {
    let scheme = Scheme::parse("chars128").unwrap();
    let recipe = Recipe::new(&scheme, threshold, 0.99, 0, ROWS).unwrap();
    let word = |row: u64, at: u64| mix(((row / 4) << 8) | at) ^ (1 << (mix((row << 8) | at) % 64));
    let column = |words: u64| (0..ROWS * words).map(|at| word(at / words, at % words)).collect();
    let rows = EncodedBatch {
        fingerprints: column(scheme.words() as u64),
        sketches: column(SKETCH_WORDS as u64),
        valid: vec![true; ROWS as usize],
        sizes: vec![1000; ROWS as usize],
        ..EncodedBatch::default()
    };
    Documents::without_texts(&scheme, &recipe, rows)
}

#[test]
fn rows_that_are_read_in_order_of_places_give_what_rows_that_are_fetched_give() {
    let load = |part: usize, items: &mut Vec<u64>| {
        let of_part = (0..ROWS).filter(|row| mix(row / 2) % TAKEN == part as u64);
        // Buckets of one row to many, and some of a family.
        items.extend(of_part.map(|row| (mix(row / 2) % (1 << (row % 9))) << 32 | row));
    };
    // The rows of a run are in keep order, not in that of their places.
    let positions: Vec<u32> = (0..ROWS as u32).rev().collect();
    for threshold in [Threshold::Similarity(0.65), Threshold::Distance(12)] {
        let documents = documents(threshold);
        let rows = Rows::plain(positions.clone());
        let filter = Filter::new(documents.under(0), &rows, Kernel::active());
        let group = 0..TAKEN as usize;
        let ctx = Context::silent(2);
        for backward in [false, true] {
            let joined = take(
                &filter,
                ctx.pool().unwrap(),
                group.clone(),
                load,
                is_family,
                (64, backward),
            );
            let (mut edges, mut families) = (0, 0);
            for (part, (found, keys)) in joined.into_iter().enumerate() {
                let mut items = Vec::new();
                load(part, &mut items);
                sort_by_key(&mut items, &mut Vec::new());
                let fetched = Buckets::default().take(&filter, &items, is_family);
                assert_eq!(
                    (found.edges, found.families),
                    (fetched.edges.clone(), fetched.families.clone())
                );
                assert_eq!((found.tested, keys), (fetched.tested, items.len()));
                (edges, families) = (edges + fetched.edges.len(), families + fetched.families.len());
            }
            assert!(edges > 100 && families > 0, "{edges} pairs, {families} families");
        }
    }
}

#[test]
fn as_many_partitions_are_taken_as_fit() {
    let documents = documents(Threshold::Similarity(0.65));
    let rows = Rows::all(ROWS as u32);
    let filter = Filter::new(documents.under(0), &rows, Kernel::active());
    assert_eq!(bytes_of_row(&filter), 64 + 16);
    assert_eq!(
        [0, 1, 84_000, 840_000, 1 << 40].map(|bytes| partitions_within(bytes, 1000, &filter)),
        [1, 1, 1, 10, PARTS]
    );
    // 240,000 bytes of columns.
    let held = [240_000 * 2, 240_000 * 2 - 2].map(|memory| held_bytes(memory, &filter));
    assert_eq!(held, [None, Some(59_999)]);
    let large = 1 << 40;
    assert_eq!(held_bytes(large, &filter), None);
}
