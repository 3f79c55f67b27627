//! What the drops of a run lose in all.

use crate::dedup::decide::decisions::{Decisions, Reason};
use crate::dedup::verify::losses::{has_conflict, units};

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
