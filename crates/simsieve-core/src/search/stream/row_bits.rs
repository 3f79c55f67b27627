//! The feature bits of the row at hand, and of earlier rows that it was compared with.

use crate::base::error::Result;
use crate::search::candidates::Filter;
use crate::search::documents::SchemeDocuments;
use crate::search::feature_bits::{FeatureBits, Tested, words};
use crate::search::features::Features;

/// Bits of rows, where each feature counts once and the search has none of all rows.
#[derive(Debug)]
pub(super) struct RowBits {
    known: Option<FeatureBits>,
    own: Option<(u32, Vec<u64>)>,
    cosine: f64,
    tested: Tested,
}

impl RowBits {
    /// No row yet; texts have `mean_size` features in the mean, and bits take `most_bytes` at most.
    pub(super) fn new(
        documents: SchemeDocuments<'_>,
        filter: &Filter<'_>,
        mean_size: usize,
        most_bytes: usize,
    ) -> Self {
        let used = documents.cosine_of_bits().is_some() && !filter.has_wide_bits();
        let rows = filter.rows().len();
        let known = || FeatureBits::below(rows, words(mean_size as f64), most_bytes, filter.kernel());
        Self {
            known: used.then(known),
            own: None,
            cosine: filter.cosine(),
            tested: Tested::default(),
        }
    }

    /// Those that are known, for what follows the walk.
    pub(super) fn into_known(self) -> Option<FeatureBits> {
        self.known
    }

    /// Words of a row; `None` where there are no bits.
    pub(super) fn words(&self) -> Option<usize> {
        self.known.as_ref().map(FeatureBits::words)
    }

    /// The rows whose bits are known, in the order in which they were.
    pub(super) fn rows(&self) -> &[u32] {
        self.known.as_ref().map_or(&[], FeatureBits::rows)
    }

    /// Whether those of a row are known.
    pub(super) fn are_known(&self, row: u32) -> bool {
        self.known.as_ref().is_some_and(|known| known.has(row))
    }

    /// Drops earlier rows that cannot be near a row, and returns them. Those that are `met` again and again are known from here on: it
    /// costs one reading of a text, as a verification does.
    pub(super) fn rule_out(
        &mut self,
        row: u32,
        earlier: &mut Vec<u32>,
        met: impl Fn(u32) -> bool,
        features: &mut impl Features,
    ) -> Result<&[u32]> {
        self.tested.ruled_out.clear();
        for &earlier in earlier.iter().filter(|&&earlier| met(earlier)) {
            self.know(earlier, features)?;
        }
        let any_known = earlier.iter().any(|&earlier| self.are_known(earlier));
        if let Some(known) = self.known.as_ref().filter(|_| any_known) {
            if self.own.as_ref().is_none_or(|(own, _)| *own != row) {
                self.own = Some((row, known.of_text(features.held(row)?.features.hashes())));
            }
            if let Some((_, own)) = &self.own {
                known.rule_out(own, self.cosine, earlier, |row| row, &mut self.tested);
            }
        }
        Ok(&self.tested.ruled_out)
    }

    /// Holds those of an earlier row, if they are not known and fit.
    pub(super) fn know(&mut self, earlier: u32, features: &mut impl Features) -> Result<()> {
        if let Some(known) = self.known.as_mut().filter(|known| known.has_room_for(earlier)) {
            let bits = known.of_text(features.other(earlier)?.features.hashes());
            known.insert(earlier, &bits);
        }
        Ok(())
    }

    /// Ends a row that is kept: holds its bits, if they were made.
    pub(super) fn finish(&mut self, row: u32) {
        if let (Some((_, own)), Some(known)) = (self.own.take_if(|(own, _)| *own == row), &mut self.known) {
            known.insert(row, &own);
        }
    }
}
