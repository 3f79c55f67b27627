//! New records that are looked up in an index, and those of its documents that differ from them in few bits.

use rayon::prelude::*;

use super::times::InTime;
use crate::base::kernel::Kernel;
use crate::base::tuning::Tuning;
use crate::collection::ingest::pieces::Batch;
use crate::collection::seen::NewTexts;
use crate::encode::sketch::SKETCH_WORDS;
use crate::hamming;
use crate::index::files::segment::Place;
use crate::index::files::state::State;

/// New records, and the state of the index in which documents near them are looked up.
pub(crate) struct Question<'a> {
    pub(crate) state: &'a State,
    pub(crate) new: &'a Batch,
    pub(crate) texts: NewTexts<'a>,
    pub(crate) times: InTime<'a>,
    pub(crate) kernel: Kernel,
    pub(crate) tuning: Tuning,
}

/// A kept document that differs in few bits from the new record at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FewBits {
    pub(crate) position: u32,
    pub(crate) place: Place,
}

impl Question<'_> {
    /// The kept documents with few different bits from a new record under a scheme.
    pub(crate) fn within_bits(&self, scheme: usize) -> Vec<FewBits> {
        let by_sketches = self.state.recipes[scheme].threshold.by_similarity();
        let words = if by_sketches {
            SKETCH_WORDS
        } else {
            self.state.schemes[scheme].words()
        };
        let most = self.state.most_bits(scheme);
        let rows = &self.new.encoded[scheme];
        let own = if by_sketches {
            &rows.sketches
        } else {
            &rows.fingerprints
        };
        let mut all = Vec::new();
        for (at, segment) in self.state.segments.iter().enumerate() {
            let of = &segment.encoded.encodings[scheme];
            let others = if by_sketches { &of.sketches } else { &of.fingerprints };
            let near = |found: &mut Vec<u32>, row: usize| {
                found.clear();
                if rows.valid[row] {
                    hamming::within(self.kernel, &own[row * words..][..words], others, most, found);
                }
                let valid = found.iter().filter(|found| of.valid[**found as usize]);
                let near = valid.map(|&found| FewBits {
                    position: row as u32,
                    place: Place::new(at, found),
                });
                near.filter(|near| self.times.is_near(near.place, near.position))
                    .collect::<Vec<FewBits>>()
            };
            all.par_extend(
                (0..rows.valid.len())
                    .into_par_iter()
                    .map_init(Vec::new, near)
                    .flatten_iter(),
            );
        }
        all
    }
}
