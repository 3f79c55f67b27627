//! Pairs that need no search: rows that a verdict joins, and rows of equal texts of which one at least has a verdict.
//!
//! Copies with a verdict are rows of their own, and a text may have no search key at all.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::recipe::Threshold;
use crate::search::candidates::{Edge, Filter, Rows};
use crate::search::documents::SchemeDocuments;
use crate::search::found::NO_DISTANCE;

/// Sets of rows; every pair of a set is a candidate.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    /// Each in ascending order.
    sets: Vec<Vec<u32>>,
    /// The sets of a row.
    of: BTreeMap<u32, Vec<usize>>,
}

impl Joined {
    /// The sets of the rows under one scheme.
    pub(crate) fn new(documents: SchemeDocuments<'_>, rows: &Rows) -> Self {
        let (encoding, relation) = (documents.encoding, &documents.run.collection.relation);
        let mut joined = Self::default();
        if !relation.has_verdicts() {
            return joined;
        }
        let valid = |position: u32| encoding.valid[position as usize];
        let digest = |position: u32| encoding.digests[position as usize];
        let judged: HashSet<u128> = relation.judged().filter(|&at| valid(at)).map(digest).collect();
        let mut row_of: HashMap<u32, u32> = HashMap::new();
        let mut equal: BTreeMap<u128, Vec<u32>> = BTreeMap::new();
        for (row, &position) in (0..).zip(&rows.positions) {
            if relation.is_judged(position) {
                row_of.insert(position, row);
            }
            if valid(position) && judged.contains(&digest(position)) {
                equal.entry(digest(position)).or_default().push(row);
            }
        }
        for (&position, &row) in &row_of {
            for other in relation.joined_with(position).filter_map(|other| row_of.get(&other)) {
                if *other < row {
                    joined.add(vec![*other, row]);
                }
            }
        }
        for rows in equal.into_values().filter(|rows| rows.len() > 1) {
            joined.add(rows);
        }
        joined
    }

    fn add(&mut self, rows: Vec<u32>) {
        for &row in &rows {
            self.of.entry(row).or_default().push(self.sets.len());
        }
        self.sets.push(rows);
    }

    /// The earlier rows that share a set with a row.
    pub(crate) fn earlier(&self, row: u32) -> impl Iterator<Item = u32> {
        let sets = self.of.get(&row).into_iter().flatten();
        sets.flat_map(move |&set| self.sets[set].iter().copied().take_while(move |&earlier| earlier < row))
    }

    /// Every pair that is asked for, each once, in order of the later row.
    pub(crate) fn edges(&self, filter: &Filter<'_>) -> Vec<Edge> {
        let mut edges: Vec<Edge> = (self.of.keys())
            .flat_map(|&row| self.earlier(row).filter_map(move |earlier| filter.joined(earlier, row)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// Whether the texts of a candidate can be near, by its distance: under a distance the bits decide.
pub(crate) fn can_be_near(threshold: Threshold, distance: u32) -> bool {
    match threshold {
        Threshold::Distance(bits) => distance <= bits,
        _ => distance < NO_DISTANCE,
    }
}
