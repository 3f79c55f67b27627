//! The feature bits of the row at hand, and of earlier rows that it was compared with.

use crate::base::bits::BitSet;
use crate::base::error::Result;
use crate::base::tuning::Tuning;
use crate::search::candidates::{Filter, Member};
use crate::search::documents::SchemeDocuments;
use crate::search::feature_bits::{FeatureBits, KnownBy, OwnBits, Tested};
use crate::search::features::Features;

/// Bits of rows, where each feature counts once and the search has none of all rows.
#[derive(Debug)]
pub(super) struct RowBits {
    /// The rows of large buckets.
    members: BitSet,
    /// Bits of rows of large buckets, whose texts share a larger part, of others, and wide ones. Empty where there are no bits.
    columns: Vec<Column>,
    /// Whether all rows get wide bits, because the others leave too much.
    are_wide: bool,
    /// Candidates that few bits have ruled out, and verifications that failed though these were known.
    ruled_out_by_few: u64,
    failed: u64,
    /// Rows for which bits have left too many members.
    left: u64,
    /// From this many on they get wide.
    least: u64,
    /// The rows whose bits are known, in the order in which they were.
    rows: Vec<u32>,
    cosine: f64,
    tested: Tested,
    ruled_out: Vec<u32>,
}

/// The columns.
const OF_MEMBERS: usize = 0;
const FEW: usize = 1;
const WIDE: usize = 2;
/// Few bits say little where more than one in this many candidates that have them fails its verification.
const FAILED_OF: u64 = 4;
/// Bits of members say little where they leave too many for one row in this many.
const LEFT_OF: u32 = 16;

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
        let column = |by| Column {
            known: FeatureBits::of_walk(
                documents.recipe,
                (rows, features),
                by,
                (tuning, most_of_run / 2),
                filter.kernel(),
            ),
            own: None,
        };
        let columns = [KnownBy::BitsOfMember, KnownBy::FewBits, KnownBy::WideBits].map(column);
        let mut members = BitSet::below(rows);
        for member in memberships {
            members.insert(member.row as usize);
        }
        Self {
            members,
            columns: columns.into_iter().filter(|_| used).collect(),
            are_wide: false,
            ruled_out_by_few: 0,
            failed: 0,
            left: 0,
            least: tuning.rejections,
            rows: Vec::new(),
            cosine: filter.cosine(),
            tested: Tested::default(),
            ruled_out: Vec::new(),
        }
    }

    /// Those that are known of rows outside of large buckets, for what follows the walk.
    pub(super) fn into_known(self) -> Option<FeatureBits> {
        let at = if self.are_wide { WIDE } else { FEW };
        self.columns.into_iter().nth(at).map(|column| column.known)
    }

    /// Counts a failed verification of a row. Once one for each row fails in spite of few bits, all rows get wide ones.
    pub(super) fn count_failed(&mut self, row: u32, earlier: u32) {
        if self.columns.get(FEW).is_some_and(|few| few.known.has(earlier)) {
            self.failed += 1;
            let are_many = self.failed >= self.least.max(u64::from(row));
            self.are_wide |= are_many && FAILED_OF * self.failed > self.failed + self.ruled_out_by_few;
        }
    }

    /// Counts a row for which bits have left too many members of its large buckets. Once one row in [`LEFT_OF`] is such, all rows get wide
    /// bits.
    pub(super) fn count_left(&mut self, row: u32) {
        self.left += 1;
        self.are_wide |= self.left >= self.least.max(u64::from(row / LEFT_OF));
    }

    /// Words of a row of a large bucket; `None` where there are no bits.
    pub(super) fn words(&self) -> Option<usize> {
        let at = if self.are_wide { WIDE } else { OF_MEMBERS };
        self.columns.get(at).map(|column| column.known.words())
    }

    /// The rows whose bits are known, in the order in which they were.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The column of a row: its number.
    fn column_of(&self, row: u32) -> usize {
        match self.members.contains(row as usize) {
            _ if self.are_wide => WIDE,
            true => OF_MEMBERS,
            false => FEW,
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
