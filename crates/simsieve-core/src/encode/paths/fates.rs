//! What was found on a sample of the paths that many texts have.

/// What becomes of a path that is no leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Fate {
    /// Each of its texts selects a further feature.
    Split = 1,
    /// Its texts are near one another: each is compared with the kept ones alone.
    Family = 2,
    /// Its texts are too many and not near, and their paths are as long as allowed: no key.
    Dead = 3,
}

/// Fates by path. A path that has none is a leaf.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fates {
    /// A table of open addresses: a path's bits above the two lowest, and its fate in these; 0 where there is none.
    slots: Vec<u64>,
    len: usize,
}

const FATE: u64 = 3;

impl Fates {
    /// The number of paths.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether every path is a leaf.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The fate of a path.
    #[inline]
    pub fn get(&self, path: u64) -> Option<Fate> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = path as usize >> 2 & mask;
        while let Some(&slot) = self.slots.get(at).filter(|&&slot| slot != 0) {
            if slot & !FATE == path & !FATE {
                return Some(match slot & FATE {
                    1 => Fate::Split,
                    2 => Fate::Family,
                    _ => Fate::Dead,
                });
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Sets the fates of further paths.
    pub fn extend(&mut self, found: &[(u64, Fate)]) {
        let len = self.len + found.len();
        let slots = (4 * len).next_power_of_two();
        let old = std::mem::replace(&mut self.slots, vec![0; slots]);
        self.len = 0;
        let entries = found.iter().map(|&(path, fate)| path & !FATE | fate as u64);
        for entry in old.into_iter().filter(|&slot| slot != 0).chain(entries) {
            self.insert(entry);
        }
    }

    /// The paths with their fates in the two lowest bits, ascending.
    pub fn entries(&self) -> Vec<u64> {
        let mut entries: Vec<u64> = self.slots.iter().copied().filter(|&slot| slot != 0).collect();
        entries.sort_unstable();
        entries
    }

    /// Fates from their [`Fates::entries`]; `None` where one is no entry.
    pub fn of_entries(entries: &[u64]) -> Option<Self> {
        let fate = |&entry: &u64| {
            let fate = match entry & FATE {
                1 => Fate::Split,
                2 => Fate::Family,
                3 => Fate::Dead,
                _ => return None,
            };
            Some((entry, fate))
        };
        let found: Vec<(u64, Fate)> = entries.iter().map(fate).collect::<Option<_>>()?;
        let mut fates = Self::default();
        fates.extend(&found);
        Some(fates)
    }

    fn insert(&mut self, entry: u64) {
        let mask = self.slots.len() - 1;
        let mut at = entry as usize >> 2 & mask;
        while self.slots[at] != 0 {
            if self.slots[at] & !FATE == entry & !FATE {
                self.slots[at] = entry;
                return;
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = entry;
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_are_a_map(pieces in prop::collection::vec(prop::collection::vec((4..200_u64, 1..4_u8), 0..40), 0..4)) {
            let (mut fates, mut plain) = (Fates::default(), HashMap::new());
            for piece in pieces {
                let kinds = [Fate::Split, Fate::Family, Fate::Dead];
                let found: Vec<(u64, Fate)> = piece.iter().map(|&(path, kind)| (path << 2, kinds[usize::from(kind) - 1])).collect();
                fates.extend(&found);
                plain.extend(found);
                for path in 0..220 {
                    prop_assert_eq!(fates.get(path << 2), plain.get(&(path << 2)).copied());
                }
                prop_assert_eq!(fates.len(), plain.len());
                prop_assert_eq!(fates.entries().len(), plain.len());
                let read = Fates::of_entries(&fates.entries()).unwrap();
                prop_assert_eq!(read.entries(), fates.entries());
            }
        }
    }
}
