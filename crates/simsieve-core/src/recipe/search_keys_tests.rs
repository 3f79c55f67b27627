//! The tests of `search_keys.rs`.

use proptest::prelude::*;

use super::*;
use crate::base::hash::mix;

proptest! {
    #[test]
    fn items_come_out_as_they_went_in(
        steps in proptest::collection::vec((any::<u32>(), prop_oneof![0..200_u32, 0..40_000_u32, any::<u32>()]), 0..300),
    ) {
        let (mut keys, mut position) = (SearchKeys::with_room(3, 2.0).unwrap(), 0_u32);
        let item = |(tag, step): (u32, u32)| {
            // Beyond the last one they begin anew.
            position = position.wrapping_add(step);
            u64::from(tag) << 32 | u64::from(position)
        };
        let items: Vec<u64> = steps.into_iter().map(item).collect();
        keys.extend(7, items.iter().copied());
        prop_assert_eq!(keys.items(7).collect::<Vec<_>>(), items.clone());
        prop_assert_eq!(keys.len(), items.len());
        prop_assert_eq!(keys.filled(0..PARTS), if items.is_empty() { vec![] } else { vec![7] });
        prop_assert_eq!(keys.filled(8..PARTS), Vec::<usize>::new());
        keys.forget(0..7);
        prop_assert_eq!(keys.len(), items.len());
        keys.forget(7..8);
        prop_assert!(keys.is_empty());
    }

    /// For all items in order and all that are looked up: many at a time give what each gives alone, which is that of a plain loop.
    #[test]
    fn items_are_looked_up_together(
        tags in proptest::collection::vec(prop_oneof![0..40_u32, any::<u32>(), Just(u32::MAX)], 0..200),
        wanted in proptest::collection::vec(prop_oneof![0..40_u32, any::<u32>(), Just(u32::MAX)], 0..100),
    ) {
        let mut items: Vec<u64> = (0..).zip(&tags).map(|(row, &tag)| u64::from(tag) << 32 | row).collect();
        items.sort_unstable();
        let mut found = Vec::new();
        let each = wanted.iter().enumerate().map(|(at, &tag)| (&*items, u64::from(tag) << 32, at));
        each_equal(each, |equal, at| found.push((at, equal.to_vec())));
        prop_assert_eq!(found.len(), wanted.len());
        for (place, ((at, equal), &tag)) in found.into_iter().zip(&wanted).enumerate() {
            let plain: Vec<u64> = items.iter().copied().filter(|item| item >> 32 == u64::from(tag)).collect();
            prop_assert_eq!(at, place);
            prop_assert_eq!(equal_items(&items, u64::from(tag) << 32), &plain[..]);
            prop_assert_eq!(equal, plain);
        }
    }
}

#[test]
fn a_key_of_a_large_collection_takes_five_bytes() {
    let mut keys = SearchKeys::with_room(100_000, 8.0).unwrap();
    for text in 0..100_000 {
        keys.append(
            text,
            &[8],
            &std::array::from_fn::<u64, 8, _>(|at| mix((text * 8 + at) as u64)),
        );
    }
    let bytes: usize = keys
        .parts
        .iter()
        .map(|part| 4 * part.tags.len() + part.steps.len())
        .sum();
    assert!((5.0..5.1).contains(&(bytes as f64 / keys.len() as f64)), "{bytes}");
}
