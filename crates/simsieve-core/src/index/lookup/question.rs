//! New records that are looked up in an index, and those of its documents that differ from them in few bits.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::times::InTime;
use crate::base::kernel::Kernel;
use crate::base::tuning::Tuning;
use crate::collection::ingest::pieces::Batch;
use crate::collection::seen::NewTexts;
use crate::encode::scheme::Scratch;
use crate::encode::sketch::SKETCH_WORDS;
use crate::hamming;
use crate::index::files::segment::Place;
use crate::index::files::state::State;
use crate::search::feature_bits::{SECOND_WORDS, write_second};
use crate::source::RecordBuffer;

/// New records, and the state of the index in which documents near them are looked up.
pub(crate) struct Question<'a> {
    pub(crate) state: &'a State,
    pub(crate) new: &'a Batch,
    pub(crate) texts: NewTexts<'a>,
    pub(crate) times: InTime<'a>,
    /// Second sketches of the new records under each scheme, made when one is asked for; none where no kept document has one.
    pub(crate) second: Vec<OnceLock<Box<[u64]>>>,
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
    /// Room for second sketches of `records` new records.
    pub(crate) fn second_of(state: &State, records: usize) -> Vec<OnceLock<Box<[u64]>>> {
        let mut of_segments = state.segments.iter().flat_map(|segment| &segment.second_sketches);
        let asked = of_segments.any(|of| !of.is_empty());
        let all = if asked { records * state.schemes.len() } else { 0 };
        (0..all).map(|_| OnceLock::new()).collect()
    }

    /// Whether a new record and a kept document may be near by both of their sketches, of which the first differ in `bits`.
    pub(crate) fn pass_second(&self, scheme: usize, position: u32, place: Place, bits: u32) -> bool {
        let kept = || self.state.segment(place).second_sketch(scheme, place.row);
        let Some(kept) = (!self.second.is_empty()).then(kept).flatten() else {
            return true;
        };
        let make = || {
            let (mut buffer, mut scratch) = (RecordBuffer::default(), Scratch::default());
            let extracted = self
                .texts
                .extract(&self.state.schemes[scheme], position, &mut buffer, &mut scratch);
            if extracted.is_err() {
                // Whoever reads the record next tells of it.
                return Box::default();
            }
            let mut own = vec![0; SECOND_WORDS];
            write_second(self.kernel, scratch.features.hashes(), &mut own);
            own.into()
        };
        let own = self.second[position as usize * self.state.schemes.len() + scheme].get_or_init(make);
        own.is_empty() || bits + hamming::distance(own, kept) <= self.state.most_bits_of_both(scheme)
    }

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
