//! Pairs of rows that need no search: a verdict or a common fact joins them, or their texts are equal. Equal texts are a pair if one
//! row has a verdict, or under a window of time or rules on fields.
//!
//! Copies with a verdict or with another date or fact are rows of their own, and a text may have no search key at all.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::collection::relation::Relation;
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
    /// Under a window of time or rules on fields: the numbers of the sets of rows with the text of a row, or a fact that joins, where
    /// there are several.
    alike: HashMap<u32, Vec<u32>>,
    /// Of these the ones that were kept: the set, the date, and the row.
    kept: BTreeSet<(u32, i64, u32)>,
}

impl Joined {
    /// The sets of the rows under one scheme.
    pub(crate) fn new(documents: SchemeDocuments<'_>, rows: &Rows) -> Self {
        let (encoding, relation) = (documents.encoding, &documents.run.collection.relation);
        let mut joined = Self::default();
        let valid = |position: u32| encoding.valid[position as usize];
        let digest = |position: u32| encoding.digests[position as usize];
        if relation.times.is_some() || relation.has_fields() {
            let marks = |(row, &position): (u32, &u32)| {
                let text = valid(position).then(|| digest(position));
                text.into_iter()
                    .chain(relation.joining(position))
                    .map(move |mark| (mark, row))
            };
            let mut all: Vec<(u128, u32)> = (0..).zip(&rows.positions).flat_map(marks).collect();
            all.sort_unstable();
            let equal = all
                .chunk_by(|one, other| one.0 == other.0)
                .filter(|equal| equal.len() > 1);
            for (set, equal) in (0..).zip(equal) {
                for &(_, row) in equal {
                    joined.alike.entry(row).or_default().push(set);
                }
            }
        }
        if !relation.has_verdicts() {
            return joined;
        }
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

    /// Notes that a row is kept, which is at a position.
    pub(crate) fn keep(&mut self, row: u32, position: u32, relation: &Relation) {
        let date = relation.date(position).unwrap_or(0);
        self.kept
            .extend(self.alike.get(&row).into_iter().flatten().map(|&set| (set, date, row)));
    }

    /// The kept rows with the text of a row or a fact that joins, whose dates are near its own: few, as two new ones are not near one
    /// another, or their facts differ.
    pub(crate) fn kept_copies(&self, row: u32, position: u32, relation: &Relation) -> impl Iterator<Item = u32> {
        let date = relation.date(position).unwrap_or(0);
        let span = relation.times.as_ref().map_or(0, |times| times.span);
        let (least, most) = (date.saturating_sub_unsigned(span), date.saturating_add_unsigned(span));
        let sets = self.alike.get(&row).into_iter().flatten();
        let kept = sets.flat_map(move |&set| self.kept.range((set, least, 0)..=(set, most, u32::MAX)));
        kept.map(|&(_, _, row)| row)
    }

    /// Every pair that is asked for, each once, in order of the later row. Memory is of one row's pairs.
    pub(crate) fn edges(&self, filter: &Filter<'_>) -> impl Iterator<Item = Edge> {
        let mut alike: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut rows: BTreeSet<u32> = self.of.keys().copied().collect();
        rows.extend(self.alike.keys());
        for &row in &rows {
            for &set in self.alike.get(&row).into_iter().flatten() {
                alike.entry(set).or_default().push(row);
            }
        }
        rows.into_iter().flat_map(move |row| {
            let sets = self
                .alike
                .get(&row)
                .into_iter()
                .flatten()
                .filter_map(|set| alike.get(set));
            let before = sets.flat_map(|rows| rows.iter().copied().take_while(|&earlier| earlier < row));
            let edges = before
                .chain(self.earlier(row))
                .filter_map(|earlier| filter.joined(earlier, row));
            edges.collect::<BTreeSet<Edge>>()
        })
    }
}

/// Whether the texts of a candidate can be near, by its distance: under a distance the bits decide.
pub(crate) fn can_be_near(threshold: Threshold, distance: u32) -> bool {
    match threshold {
        Threshold::Distance(bits) => distance <= bits,
        _ => distance < NO_DISTANCE,
    }
}
