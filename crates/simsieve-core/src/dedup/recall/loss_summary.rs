//! What the drops of a run lose in all.

use std::collections::HashSet;

use crate::dedup::decide::decisions::{Decisions, Reason};
use crate::dedup::recall::{least_by, sample_rank};
use crate::dedup::verify::losses::{has_conflict, units};
use crate::search::documents::Documents;

/// What the near duplicates of a run lose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// Near duplicates whose loss was measured.
    pub measured: u64,
    /// The median of their units; 0 where none was measured.
    pub median: f64,
    /// The most units.
    pub longest: u32,
    /// How many lose more units than were asked about.
    pub much: u64,
    /// How many that no verdict joins have numbers that conflict with those of their representative.
    pub conflicts: u64,
}

/// Sums up what the near duplicates of a run lose; `much` of them lose more than `most` units.
pub fn summary(decisions: &Decisions, most: u32) -> Summary {
    let of_near = decisions.reason.iter().zip(&*decisions.lost);
    let near = of_near.filter(|(reason, _)| matches!(reason, Reason::Near | Reason::Verdict | Reason::Agree));
    let is_conflict = |(reason, loss): &(&Reason, &u32)| **reason == Reason::Near && has_conflict(**loss);
    let conflicts = near.clone().filter(is_conflict).count() as u64;
    let mut lost: Vec<u32> = near.filter_map(|(_, &loss)| units(loss)).collect();
    let Some(&longest) = lost.iter().max() else {
        return Summary::default();
    };
    let (count, much) = (lost.len(), lost.iter().filter(|&&lost| lost > most).count());
    let mut at = |place: usize| f64::from(*lost.select_nth_unstable(place).1);
    Summary {
        measured: count as u64,
        median: f64::midpoint(at((count - 1) / 2), at(count / 2)),
        longest,
        much: much as u64,
        conflicts,
    }
}

/// Positions of near duplicates: those of which the smaller text of the pair has most features, and some that are drawn.
pub fn some_near(documents: &Documents, decisions: &Decisions, largest: usize, drawn: usize, seed: u64) -> Vec<u32> {
    let near = || {
        (0..)
            .zip(&*decisions.reason)
            .filter(|(_, reason)| **reason == Reason::Near)
            .map(|(position, _)| position)
    };
    let sizes = &documents.collection.encodings[0].sizes;
    let smaller = |position: u32| {
        let to = decisions.representative[position as usize];
        u64::from(u32::MAX - sizes[position as usize].min(sizes[to as usize]))
    };
    let mut some = least_by(near(), largest, smaller);
    some.extend(least_by(near(), drawn, |position| sample_rank(position.into(), seed)));
    let mut seen = HashSet::new();
    some.retain(|position| seen.insert(*position));
    some
}
