//! Sorts keys with their rows. Where rows come in ascending order, a stable radix sort of the keys alone orders both.

/// Fewer items are sorted by comparisons.
const LEAST_ITEMS: usize = 2048;

/// Sorts `(key, row)` items, the key in the upper 32 bits. `spare` is working memory.
///
/// Complexity: three passes of 11 bits, fewer for short keys; up to three more where rows do not ascend, as under a keep order that is
/// not that of positions. `sort_unstable` of the same items took seven times as long at 180,000 rows.
pub(crate) fn sort_by_key(items: &mut Vec<u64>, spare: &mut Vec<u64>) {
    const BITS: u32 = 11;
    const DIGITS: usize = 1 << BITS;
    if items.len() < LEAST_ITEMS {
        items.sort_unstable();
        return;
    }
    let all = items.iter().fold(0, |all, item| all | item);
    spare.clear();
    spare.resize(items.len(), 0);
    let mut shift = if items.is_sorted_by_key(|&item| item as u32) {
        32
    } else {
        0
    };
    while shift < 64 && all >> shift != 0 {
        let digit = |item: u64| (item >> shift) as usize & (DIGITS - 1);
        let mut starts = [0_u32; DIGITS];
        for &item in items.iter() {
            starts[digit(item)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        for &item in items.iter() {
            let start = &mut starts[digit(item)];
            spare[*start as usize] = item;
            *start += 1;
        }
        std::mem::swap(items, spare);
        shift += BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::mix;

    #[test]
    fn keys_come_out_in_order_and_rows_within_them() {
        for (n, mask) in [
            (0, 0),
            (5, u64::MAX),
            (5000, 3),
            (5000, 0xFF_FFFF),
            (5000, u64::MAX),
            (5000, 0),
        ] {
            let items: Vec<u64> = (0..n).map(|row| (mix(row) & mask) << 32 | row).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            let mut mixed = items.clone();
            mixed.sort_unstable_by_key(|&item| mix(item));
            let reversed: Vec<u64> = items.iter().rev().copied().collect();
            for mut items in [items, reversed, mixed] {
                sort_by_key(&mut items, &mut Vec::new());
                assert_eq!(items, expected);
            }
        }
    }
}
