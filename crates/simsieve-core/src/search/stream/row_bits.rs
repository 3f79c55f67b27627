//! The feature bits of the row at hand and of earlier rows that it was compared with.

use crate::base::error::Result;
use crate::encode::feature_bits;
use crate::recipe::bits::known_words;
use crate::search::candidates::Filter;
use crate::search::documents::SchemeDocuments;
use crate::search::features::Features;
use crate::search::known_bits::{KnownBits, Tested};
use crate::search::stream::journal::Journal;

/// Words that one row is compared with at most, 1 MiB: of more members the index of features costs less.
const MOST_TESTED_WORDS: usize = 1 << 17;

/// The bits of rows, where each feature counts once and the search has none of its own.
#[derive(Debug)]
pub(super) struct RowBits {
    known: Option<KnownBits>,
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
        let used = documents.cosine_of_bits().is_some() && !filter.has_feature_rows();
        let (rows, words) = (filter.rows().len(), known_words(mean_size as f64));
        Self {
            known: used.then(|| KnownBits::below(rows, words, most_bytes, filter.kernel())),
            own: None,
            cosine: filter.cosine(),
            tested: Tested::default(),
        }
    }

    /// Those that are known, for what follows the walk.
    pub(super) fn into_known(self) -> Option<KnownBits> {
        self.known
    }

    /// Whether rows have bits, and so many of them are few enough to be tested: each is a fetch.
    pub(super) fn are_few(&self, rows: usize) -> bool {
        let words = self.known.as_ref().map(KnownBits::words);
        words.is_some_and(|words| rows * words <= MOST_TESTED_WORDS)
    }

    /// Whether those of a row are known.
    pub(super) fn are_known(&self, row: u32) -> bool {
        self.known.as_ref().is_some_and(|known| known.has(row))
    }

    /// Drops earlier rows that cannot be near a row, and returns them. To know one costs one reading of its text, as a verification
    /// does.
    pub(super) fn rule_out(
        &mut self,
        row: u32,
        earlier: &mut Vec<u32>,
        features: &mut impl Features,
        journal: &mut Option<Journal>,
    ) -> Result<&[u32]> {
        self.tested.ruled_out.clear();
        for &earlier in &*earlier {
            self.know_other(earlier, features, journal)?;
        }
        if let Some(known) = &self.known {
            if self.own.as_ref().is_none_or(|(own, _)| *own != row) {
                self.own = Some((row, bits_of(features.held(row)?.features.hashes(), known.words())));
            }
            if let Some((_, own)) = &self.own {
                known.rule_out(own, self.cosine, earlier, |row| row, &mut self.tested);
            }
        }
        Ok(&self.tested.ruled_out)
    }

    /// Holds those of an earlier row, if they are not known and fit.
    pub(super) fn know_other(
        &mut self,
        earlier: u32,
        features: &mut impl Features,
        journal: &mut Option<Journal>,
    ) -> Result<()> {
        if let Some(known) = self.known.as_mut().filter(|known| known.has_room_for(earlier)) {
            let bits = bits_of(features.other(earlier)?.features.hashes(), known.words());
            know(known, earlier, &bits, journal);
        }
        Ok(())
    }

    /// Ends a row that is kept: holds its bits, if they were made.
    pub(super) fn finish(&mut self, row: u32, journal: &mut Option<Journal>) {
        if let (Some((_, own)), Some(known)) = (self.own.take_if(|(own, _)| *own == row), &mut self.known) {
            know(known, row, &own, journal);
        }
    }
}

/// Holds the bits of a row.
fn know(known: &mut KnownBits, row: u32, bits: &[u64], journal: &mut Option<Journal>) {
    if known.insert(row, bits)
        && let Some(journal) = journal
    {
        journal.known.push(row);
    }
}

/// The bits of a text, of its distinct features.
fn bits_of(features: &[u64], words: usize) -> Vec<u64> {
    let mut bits = vec![0; words];
    feature_bits::write(features, &mut bits);
    bits
}
