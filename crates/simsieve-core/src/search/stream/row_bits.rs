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
    /// The events of the last rows.
    recent: Recent,
    /// From this many on they get wide.
    least: u64,
    /// The rows whose bits are known, in the order in which they were.
    rows: Vec<u32>,
    cosine: f64,
    tested: Tested,
    ruled_out: Vec<u32>,
}

/// What bits did for the rows from a first one on.
#[derive(Debug, Default)]
struct Recent {
    first: u32,
    /// Verifications that failed.
    failed: u64,
    /// Rows for which bits have left too many members.
    left: u64,
}

/// Rows whose events are counted together: what bits leave grows with the earlier rows.
const RECENT: u32 = 1 << 15;

impl Recent {
    /// The rows from the first one to `row`, which are counted anew once they are many.
    fn rows(&mut self, row: u32) -> u64 {
        if row.saturating_sub(self.first) >= RECENT {
            *self = Self {
                first: row,
                ..Self::default()
            };
        }
        u64::from(row.saturating_sub(self.first))
    }
}

/// The columns.
const OF_MEMBERS: usize = 0;
const FEW: usize = 1;
const WIDE: usize = 2;
/// Bits of members say little where they leave too many for one row in this many.
const LEFT_OF: u64 = 16;

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
            recent: Recent::default(),
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

    /// Counts a failed verification of a row. Once one for each row fails, all rows get wide bits.
    pub(super) fn count_failed(&mut self, row: u32) {
        let rows = self.recent.rows(row);
        self.recent.failed += 1;
        self.are_wide |= self.recent.failed >= self.least.max(rows) && self.are_narrower();
    }

    /// Whether rows have less than wide bits.
    fn are_narrower(&self) -> bool {
        let words = |column: &Column| column.known.words();
        let wide = self.columns.get(WIDE).map_or(0, words);
        self.columns.iter().any(|column| words(column) < wide)
    }

    /// Counts a row for which bits have left too many members of its large buckets. Once one row in [`LEFT_OF`] is such, all rows get wide
    /// bits.
    pub(super) fn count_left(&mut self, row: u32) {
        let rows = self.recent.rows(row);
        self.recent.left += 1;
        self.are_wide |= self.recent.left >= self.least.max(rows / LEFT_OF) && self.are_narrower();
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
        for Column { known, own } in &mut self.columns {
            if !earlier.iter().any(|&earlier| known.has(earlier)) {
                continue;
            }
            let fits = |(of, bits): &(u32, OwnBits)| *of == row && known.is_as_wide(bits);
            if !own.as_ref().is_some_and(fits) {
                *own = Some((row, known.of_text(features.held(row)?.features.hashes())));
            }
            if let Some((_, own)) = own {
                known.rule_out(own, self.cosine, earlier, |row| row, &mut self.tested);
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
