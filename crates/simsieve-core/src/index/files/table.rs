//! From a hash to the rows that have it: items in order, in 256 parts by the first byte of the hash.

use rayon::prelude::*;

use crate::recipe::search_keys::{PARTS, SearchKeys, equal_items, item, part_of};
use crate::storage::column::Column;

/// Rows by hashes. Items are those of [`search_keys`](crate::recipe::search_keys): 32 bits of the hash above the row.
#[derive(Debug, Default, Clone)]
pub(crate) struct Table {
    /// The items of each part in ascending order.
    pub(crate) items: Column<u64>,
    /// Where each part ends.
    pub(crate) ends: Column<u64>,
    /// The number of rows; each item has one row.
    pub(crate) rows: usize,
}

impl Table {
    /// The table of search keys.
    pub(crate) fn of_keys(keys: &SearchKeys) -> Self {
        let parts = (0..PARTS).into_par_iter().map(|at| {
            let mut items: Vec<u64> = keys.items(at).collect();
            items.sort_unstable();
            items
        });
        Self::of_parts(parts.collect())
    }

    /// The table of hashes, whose rows are their numbers.
    pub(crate) fn of_hashes(hashes: impl Iterator<Item = u64>) -> Self {
        let mut parts = vec![Vec::new(); PARTS];
        for (row, hash) in hashes.enumerate() {
            parts[part_of(hash)].push(item(hash, row as u32));
        }
        parts.par_iter_mut().for_each(|items| items.sort_unstable());
        Self::of_parts(parts)
    }

    fn of_parts(parts: Vec<Vec<u64>>) -> Self {
        let mut end = 0;
        let ends = parts.iter().map(|items| {
            end += items.len() as u64;
            end
        });
        Self {
            ends: ends.collect::<Vec<_>>().into(),
            items: parts.concat().into(),
            rows: usize::MAX,
        }
    }

    /// The items of a part, which are to be [`Table::sound`].
    pub(crate) fn part(&self, at: usize) -> &[u64] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.items.raw()[start as usize..self.ends[at] as usize]
    }

    /// The items with a hash.
    pub(crate) fn of_hash(&self, hash: u64) -> &[u64] {
        self.equal(part_of(hash), item(hash, 0))
    }

    /// The items of a part whose upper halves are that of one.
    pub(crate) fn equal(&self, part: usize, like: u64) -> &[u64] {
        self.sound(equal_items(self.part(part), like))
    }

    /// Items that a search among those of a part has found, if they are whole, and so are their neighbours: then the search is right. None
    /// where they are of rows that are not there.
    pub(crate) fn sound<'a>(&self, items: &'a [u64]) -> &'a [u64] {
        if !self.items.is_guarded() {
            return items;
        }
        let start = (items.as_ptr().addr() - self.items.raw().as_ptr().addr()) / size_of::<u64>();
        let end = self.items.len().min(start + items.len() + 1);
        self.items.touch(start.saturating_sub(1)..end);
        if items.iter().all(|&item| (item as u32 as usize) < self.rows) {
            return items;
        }
        self.items.refuse();
        &[]
    }

    /// What [`each_equal`](crate::recipe::search_keys::each_equal) is asked for the items with a hash.
    pub(crate) fn wanted<T>(&self, hash: u64, of: T) -> (&[u64], u64, T) {
        (self.part(part_of(hash)), item(hash, 0), of)
    }

    /// Whether there are `PARTS` ends, in order, and the last one is that of the items.
    pub(crate) fn has_parts(&self) -> bool {
        let ends = &self.ends;
        ends.len() == PARTS && ends.is_sorted() && ends.last().copied() == Some(self.items.len() as u64)
    }

    /// Whether the items of each part are in order and of rows that are there.
    pub(crate) fn fit(&self) -> bool {
        self.has_parts()
            && (0..PARTS).all(|at| self.part(at).is_sorted())
            && self.items.iter().all(|&item| (item as u32 as usize) < self.rows)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// For all items and hashes: the rows found are those of a plain loop.
        #[test]
        fn a_hash_finds_its_rows(hashes in prop::collection::vec(prop_oneof![any::<u64>(), 0..4_u64, Just(u64::MAX)], 0..200), other: u64) {
            let table = Table::of_hashes(hashes.iter().copied());
            let bounded = Table { rows: hashes.len(), ..table.clone() };
            prop_assert!(bounded.fit());
            for &hash in hashes.iter().chain([&other]) {
                let equal = |of: u64| (part_of(of), item(of, 0)) == (part_of(hash), item(hash, 0));
                let expected: Vec<u32> = (0..).zip(&hashes).filter(|(_, of)| equal(**of)).map(|(row, _)| row).collect();
                let found: Vec<u32> = table.of_hash(hash).iter().map(|&item| item as u32).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
