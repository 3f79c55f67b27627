//! The columns of a collection and the stages that write them, each named once. Columns of candidates and decisions are named
//! where they are made.

use serde::{Deserialize, Serialize};

use crate::encode::input::pattern::Hits;
use crate::storage::form::{ColumnName, stage};

/// What of the records is encoded.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct EncodeState {
    pub(crate) records: usize,
    /// What the patterns of the first scheme matched.
    pub(crate) hits: Hits,
    /// Whether there is the column of dates, which other runs do not have.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) dated: bool,
}

/// The date of each record in milliseconds since 1970, where there is a window of time.
pub(crate) const DATES: ColumnName<i64> = ColumnName::new("dates");

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

stage! {
    /// Reads and encodes the records.
    ENCODE: EncodeState = "encode" after ["freeze"] {
        /// Fingerprints, row-major; zeros where there is none.
        FINGERPRINTS: u64 = "fingerprints.N",
        /// Whether a record has a fingerprint.
        VALID: bool = "valid.N",
        /// Sketches, row-major; none under a distance.
        SKETCHES: u64 = "sketches.N",
        /// XXH3-128 of the exact form of each text.
        DIGESTS: u128 = "digests.N",
        /// Distinct features of each text.
        SIZES: u32 = "sizes.N",
        /// Segments of [`SearchKeys`](crate::recipe::search_keys::SearchKeys); none where the search is not by paths.
        KEYS: u64 = "keys.N",
        /// The labels as raw JSON, one after another.
        LABELS: u8 = "labels",
        /// Where the label of each record ends.
        LABEL_ENDS: u64 = "label_ends",
        /// A row for each record: a hash of the values that must be equal, and the facts of rules on fields. Empty if nothing is
        /// compared.
        GROUPS: u128 = "groups",
        /// A line of JSON for each failed record: position, code, message.
        FAILURES: u8 = "failures",
        /// Characters of each text, for the keep order.
        CHARACTERS: u32 = "characters",
        /// A line of JSON for each record: the values of fields that the keep order compares.
        KEEP_VALUES: u8 = "keep_values",
    }
}

stage! {
    /// Finds the exact copies under all schemes.
    COPY: () = "copies" after ["encode", "equal.N"] {
        /// For each place in keep order the place of its first exact copy.
        COPIES: u32 = "copies",
    }
}

/// The name of the stage that searches; see [`SEARCH`](crate::search::found::SEARCH).
pub(crate) const SEARCH_NAME: &str = "search.N";
