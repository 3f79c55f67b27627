//! The feature bits of the row at hand, and of earlier rows that it was compared with.

use crate::base::bits::BitSet;
use crate::base::error::Result;
use crate::base::tuning::Tuning;
use crate::search::candidates::{Filter, Member};
use crate::search::documents::SchemeDocuments;
use crate::search::feature_bits::{FeatureBits, OwnBits, Tested};
use crate::search::features::Features;

/// Bits of rows, where each feature counts once and the search has none of all rows.
#[derive(Debug)]
pub(super) struct RowBits {
    /// The rows of large buckets.
    members: BitSet,
    /// Wide bits, and few. Empty where there are no bits.
    columns: Vec<Column>,
    /// The column of rows that are in no large bucket: those of large buckets, whose texts share a larger part, have wide bits.
    others: usize,
    /// Candidates that few bits have ruled out, and verifications that failed though these were known.
    ruled_out_by_few: u64,
    failed: u64,
    least_failed: u64,
    /// The rows whose bits are known, in the order in which they were.
    rows: Vec<u32>,
    cosine: f64,
    tested: Tested,
    ruled_out: Vec<u32>,
}

/// The columns.
const WIDE: usize = 0;
const FEW: usize = 1;
/// Few bits say little where more than one in this many candidates that have them fails its verification.
const FAILED_OF: u64 = 4;

/// Bits of one width.
#[derive(Debug)]
struct Column {
    known: FeatureBits,
    own: Option<(u32, OwnBits)>,
}

impl RowBits {
    /// No row yet; texts have `mean_size` features in the mean, and bits take `most_of_run` bytes at most.
    pub(super) fn new(
        documents: SchemeDocuments<'_>,
        filter: &Filter<'_>,
        memberships: &[Member],
        mean_size: usize,
        most_of_run: usize,
        tuning: Tuning,
    ) -> Self {
        let used = documents.cosine_of_bits().is_some() && !filter.has_wide_bits();
        let (rows, features) = (filter.rows().len(), mean_size as f64);
        let column = |are_wide| Column {
            known: FeatureBits::of_walk(
                documents.recipe,
                (rows, features),
                are_wide,
                (tuning, most_of_run / 2),
                filter.kernel(),
            ),
            own: None,
        };
        let columns = [true, false].map(column);
        let mut members = BitSet::below(rows);
        for member in memberships {
            members.insert(member.row as usize);
        }
        Self {
            members,
            columns: columns.into_iter().filter(|_| used).collect(),
            others: FEW,
            ruled_out_by_few: 0,
            failed: 0,
            least_failed: tuning.rejections,
            rows: Vec::new(),
            cosine: filter.cosine(),
            tested: Tested::default(),
            ruled_out: Vec::new(),
        }
    }

    /// Those that are known of rows outside of large buckets, for what follows the walk.
    pub(super) fn into_known(self) -> Option<FeatureBits> {
        self.columns.into_iter().nth(self.others).map(|column| column.known)
    }

    /// Counts a failed verification of an earlier row. Once many fail in spite of few bits, all rows get wide ones.
    pub(super) fn count_failed(&mut self, earlier: u32) {
        if self.columns.get(FEW).is_some_and(|few| few.known.has(earlier)) {
            self.failed += 1;
            if self.failed >= self.least_failed && FAILED_OF * self.failed > self.failed + self.ruled_out_by_few {
                self.others = WIDE;
            }
        }
    }

    /// Words of a row of a large bucket; `None` where there are no bits.
    pub(super) fn words(&self) -> Option<usize> {
        self.columns.first().map(|column| column.known.words())
    }

    /// The rows whose bits are known, in the order in which they were.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The column of a row: its number.
    fn column_of(&self, row: u32) -> usize {
        if self.members.contains(row as usize) {
            WIDE
        } else {
            self.others
        }
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
        self.ruled_out.clear();
        for &earlier in earlier.iter().filter(|&&earlier| met(earlier)) {
            self.know(earlier, features)?;
        }
        for (at, Column { known, own }) in self.columns.iter_mut().enumerate() {
            if !earlier.iter().any(|&earlier| known.has(earlier)) {
                continue;
            }
            let fits = |(of, bits): &(u32, OwnBits)| *of == row && known.is_as_wide(bits);
            if !own.as_ref().is_some_and(fits) {
                *own = Some((row, known.of_text(features.held(row)?.features.hashes())));
            }
            if let Some((_, own)) = own {
                known.rule_out(own, self.cosine, earlier, |row| row, &mut self.tested);
                if at == FEW {
                    self.ruled_out_by_few += self.tested.ruled_out.len() as u64;
                }
                self.ruled_out.append(&mut self.tested.ruled_out);
            }
        }
        Ok(&self.ruled_out)
    }

    /// Holds those of an earlier row, if they are not known and fit.
    pub(super) fn know(&mut self, earlier: u32, features: &mut impl Features) -> Result<()> {
        let at = self.column_of(earlier);
        if let Some(Column { known, .. }) = self
            .columns
            .get_mut(at)
            .filter(|column| column.known.has_room_for(earlier))
        {
            let bits = known.of_text(features.other(earlier)?.features.hashes());
            if known.insert(earlier, bits) {
                self.rows.push(earlier);
            }
        }
        Ok(())
    }

    /// Ends a row that is kept: holds its bits, if they were made.
    pub(super) fn finish(&mut self, row: u32) {
        let at = self.column_of(row);
        if let Some(Column { known, own }) = self.columns.get_mut(at)
            && let Some((_, own)) = own.take_if(|(own, _)| *own == row)
            && known.insert(row, own)
        {
            self.rows.push(row);
        }
    }
}
