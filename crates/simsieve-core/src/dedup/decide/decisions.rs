//! The decision on each record, made from the decision of the walk on each row.
//!
//! In: assignments of rows in keep order, and the first copy of each document. Out: columns over the positions of the new records,
//! in memory or, with a run directory, in files.

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::base::bits::{BitSet, Ranks};
use crate::base::error::Result;
use crate::collection::Collection;
use crate::dedup::decide::outcome::{Assignment, Outcome};
use crate::dedup::verify::losses::NOT_MEASURED;
use crate::search::candidates::Rows;
use crate::search::documents::Documents;
pub use crate::sink::Decision;
use crate::storage::column::{Column, byte_element};
use crate::storage::run_dir::ScratchColumn;

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u8)]
pub enum Reason {
    /// Nothing near it was dropped.
    Unique = 0,
    /// It kept for others.
    Representative = 1,
    /// It has no features, so nothing is near it.
    NoFeatures = 2,
    /// Its normalised text is another's.
    Exact = 3,
    /// It is near its representative.
    Near = 4,
    /// It could not be read; the failure says why.
    Failed = 5,
    /// A verdict calls it the same as its representative, and the texts alone are not near.
    Verdict = 6,
    /// A value of a field is that of its representative, and the texts alone are not near.
    Agree = 7,
}

byte_element!(Reason, "reason");

impl Reason {
    /// The names of the codes, as tables have them.
    pub const NAMES: [&str; 8] = [
        "unique",
        "representative",
        "no_features",
        "exact",
        "near",
        "failed",
        "verdict",
        "agree",
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Stands for "none" among positions.
pub const NOBODY: u32 = u32::MAX;

/// The decisions of a run, as columns over the positions of the new records.
#[derive(Debug)]
pub struct Decisions {
    /// What became of each record.
    pub decision: Column<Decision>,
    /// Why.
    pub reason: Column<Reason>,
    /// Position of the document kept for it: itself where it is kept, [`NOBODY`] where it failed. An old document's
    /// position, in the store, is beyond all new ones.
    pub representative: Column<u32>,
    /// Bits between it and its representative; -1 where there are no two fingerprints to compare.
    pub distance: Column<i32>,
    /// Similarity to its representative; NaN where it was not computed.
    pub similarity: Column<f64>,
    /// The units that it loses to its representative, as [`units`](crate::dedup::verify::losses::units) and
    /// [`has_conflict`](crate::dedup::verify::losses::has_conflict) tell; [`NOT_MEASURED`] if that is not known.
    pub lost: Column<u32>,
    /// The scheme under which it is near its representative, if any of several schemes suffices; else empty.
    pub scheme: Column<u8>,
    /// Sums of the above.
    pub counts: Counts,
    /// The rows that were compared.
    pub rows: Rows,
    /// The kept rows, ascending; the old ones, which are first, among them.
    pub kept_rows: Column<u32>,
}

/// The books: read = kept + dropped + failed, dropped = exact + near.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records.
    pub read: u64,
    /// Documents that stay.
    pub kept: u64,
    /// Documents that go.
    pub dropped: u64,
    /// Of these, exact copies.
    pub exact: u64,
    /// Of these, near ones, by their texts or by a verdict.
    pub near: u64,
    /// Records that are no documents.
    pub failed: u64,
    /// Kept documents that represent others.
    pub clusters: u64,
    /// Documents in the largest cluster, its kept one included; 0 where there is none.
    pub largest_cluster: u64,
    /// Candidate pairs whose earlier side was kept.
    pub candidates: u64,
    /// Of these, compared by their features.
    pub verified: u64,
}

/// What is decided on a record, before the clusters are counted.
#[derive(Debug, Clone, Copy)]
struct RecordOutcome {
    decision: Decision,
    reason: Reason,
    representative: u32,
    distance: i32,
    similarity: f64,
    lost: u32,
    scheme: u8,
}

const FAILED: RecordOutcome = RecordOutcome {
    decision: Decision::Failed,
    reason: Reason::Failed,
    representative: NOBODY,
    distance: -1,
    similarity: f64::NAN,
    lost: NOT_MEASURED,
    scheme: 0,
};

/// The way from a place in the keep order to what became of it.
struct RecordOutcomes<'a> {
    collection: &'a Collection,
    rows: &'a Rows,
    row_of: Ranks,
    assignments: &'a [Assignment],
}

impl<'a> RecordOutcomes<'a> {
    fn new(collection: &'a Collection, rows: &'a Rows, assignments: &'a [Assignment]) -> Self {
        let mut set = BitSet::below(collection.copies.len());
        let mut positions = rows.positions.iter().peekable();
        for (place, position) in collection.order.iter().enumerate() {
            if positions.next_if_eq(&position).is_some() {
                set.insert(place);
            }
        }
        Self {
            collection,
            rows,
            row_of: Ranks::of(set),
            assignments,
        }
    }

    /// What the walk decided on the document at a place, where it is a row.
    fn of_row(&self, place: usize) -> Option<RecordOutcome> {
        let row = self.row_of.of_member(place)?;
        let assignment = self.assignments[row as usize];
        let kept = assignment.to == row;
        Some(RecordOutcome {
            decision: if kept { Decision::Kept } else { Decision::Dropped },
            reason: match (kept, assignment.is_joined()) {
                (true, _) => Reason::Unique,
                (false, false) if self.is_copy(row, assignment.to) => Reason::Exact,
                (false, false) => Reason::Near,
                (false, true) if self.is_judged(row, assignment.to) => Reason::Verdict,
                (false, true) => Reason::Agree,
            },
            representative: self.rows.positions[assignment.to as usize],
            distance: assignment.distance(),
            similarity: if kept { 1.0 } else { assignment.similarity },
            lost: assignment.lost,
            scheme: assignment.scheme,
        })
    }

    /// Whether a verdict joins two rows.
    fn is_judged(&self, row: u32, of: u32) -> bool {
        let [row, of] = [row, of].map(|row| self.rows.positions[row as usize]);
        self.collection.relation.verdict_joins(row, of)
    }

    /// Whether a row has the text of another, for copies with other dates or facts are rows; or of one that was dropped for
    /// the other.
    fn is_copy(&self, row: u32, of: u32) -> bool {
        let [row, of] = [row, of].map(|row| self.rows.positions[row as usize]);
        if self
            .collection
            .copies_of_dropped
            .binary_search(&(row, of, true))
            .is_ok()
        {
            return true;
        }
        let [row, of] = [row, of].map(|position| position as usize);
        let each = &self.collection.encodings;
        let relation = &self.collection.relation;
        (relation.times.is_some() || relation.has_fields())
            && each.iter().all(|each| each.digests[row] == each.digests[of])
    }

    /// What became of the document at a place.
    fn of(&self, place: usize, position: u32) -> RecordOutcome {
        let first = self.collection.copies[place] as usize;
        if !self.collection.has_fingerprint(position) {
            let alone = RecordOutcome {
                decision: Decision::Kept,
                reason: Reason::NoFeatures,
                representative: position,
                lost: 0,
                ..FAILED
            };
            let joined = self.of_row(place);
            let joined = joined.filter(|record| matches!(record.reason, Reason::Verdict | Reason::Agree));
            return joined.map_or(alone, |record| RecordOutcome {
                distance: FAILED.distance,
                similarity: FAILED.similarity,
                ..record
            });
        }
        let record = self.of_row(first).unwrap_or(FAILED);
        if first == place {
            return record;
        }
        RecordOutcome {
            decision: Decision::Dropped,
            reason: Reason::Exact,
            ..record
        }
    }
}

/// Makes the decisions from the outcome of the walk.
///
/// Complexity: linear. With a run directory a walk of all places for each part of the positions, whose columns are in memory at a time.
pub(crate) fn finish(documents: &Documents, rows: Rows, outcome: Outcome) -> Result<Decisions> {
    let collection = &*documents.collection;
    let (dir, new) = (collection.run_dir(), collection.sources.new_len());
    let records = RecordOutcomes::new(collection, &rows, &outcome.assignments);
    let mut decision = ScratchColumn::new(dir, "decisions", new)?;
    let mut reason = ScratchColumn::new(dir, "reasons", new)?;
    let mut representative = ScratchColumn::new(dir, "representatives", new)?;
    let mut distance = ScratchColumn::new(dir, "distances", new)?;
    let mut similarity = ScratchColumn::new(dir, "similarities", new)?;
    let mut lost = ScratchColumn::new(dir, "lost", new)?;
    let several = documents.searched().len() > 1;
    let mut scheme = ScratchColumn::new(dir, "schemes", if several { new } else { 0 })?;
    let parts = dir.map_or(1, |dir| dir.parts_of(new * size_of::<RecordOutcome>()));
    let mut kept = 0;
    let length = new.div_ceil(parts).max(1);
    for start in (0..new).step_by(length) {
        let part = start..(start + length).min(new);
        let mut of_part = vec![FAILED; part.len()];
        for (place, &position) in collection.order.iter().enumerate() {
            if part.contains(&(position as usize)) {
                of_part[position as usize - start] = records.of(place, position);
            }
        }
        for record in of_part {
            kept += u64::from(record.decision == Decision::Kept);
            decision.push(record.decision)?;
            reason.push(record.reason)?;
            representative.push(record.representative)?;
            distance.push(record.distance)?;
            similarity.push(record.similarity)?;
            lost.push(record.lost)?;
            if several {
                scheme.push(record.scheme)?;
            }
        }
    }
    drop(records);
    let mut kept_rows = ScratchColumn::new(dir, "kept_rows", 0)?;
    let walked = (0..).zip(&outcome.assignments);
    kept_rows.extend(
        walked
            .filter(|(row, assignment)| assignment.to == *row)
            .map(|(row, _)| row),
    )?;
    let counts = Counts {
        read: new as u64,
        kept,
        failed: collection.new_failures() as u64,
        candidates: outcome.candidates,
        verified: outcome.verified,
        ..Counts::default()
    };
    let (representative, reason) = (representative.finish()?, reason.finish()?);
    let mut named = ScratchColumn::new(dir, "reasons", new)?;
    let counts = count(counts, &representative, &reason, &mut named)?;
    Ok(Decisions {
        decision: decision.finish()?,
        reason: named.finish()?,
        representative,
        distance: distance.finish()?,
        similarity: similarity.finish()?,
        lost: lost.finish()?,
        scheme: scheme.finish()?,
        counts,
        rows,
        kept_rows: kept_rows.finish()?,
    })
}

/// Counts the records and the clusters, and names those that represent others.
fn count(
    mut counts: Counts,
    representative: &[u32],
    reasons: &[Reason],
    named: &mut ScratchColumn<'_, Reason>,
) -> Result<Counts> {
    let mut sizes = vec![0_u32; reasons.len()];
    for &representative in representative {
        // Neither old documents nor nobody head a cluster of the new ones.
        if let Some(size) = sizes.get_mut(representative as usize) {
            *size += 1;
        }
    }
    for (&reason, &size) in reasons.iter().zip(&sizes) {
        let reason = if size > 1 { Reason::Representative } else { reason };
        match reason {
            Reason::Exact => counts.exact += 1,
            Reason::Near | Reason::Verdict | Reason::Agree => counts.near += 1,
            Reason::Representative => counts.clusters += 1,
            Reason::Unique | Reason::NoFeatures | Reason::Failed => {}
        }
        if size > 1 {
            counts.largest_cluster = counts.largest_cluster.max(size.into());
        }
        named.push(reason)?;
    }
    counts.dropped = counts.exact + counts.near;
    Ok(counts)
}
