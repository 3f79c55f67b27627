//! What a run directory remembers of rows, and how the places of the rows are found again.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Spooled;
use crate::base::hash::hex;
use crate::source::identity::RowsDigest;
use crate::source::spans::Spans;

/// Bytes of rows that are looked through at a time.
const PIECE_BYTES: u64 = 1 << 20;

/// One source in the making.
#[derive(Debug)]
pub(in crate::source) struct RowSource {
    pub(in crate::source) path: PathBuf,
    pub(in crate::source) spans: Spans,
    /// Where its rows begin in the spool.
    pub(in crate::source) start: u64,
    pub(in crate::source) digest: RowsDigest,
}

/// The rows of one source, whose copy is a file of the directory.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::source) struct Committed {
    pub(in crate::source) source: String,
    /// Bytes of the rows.
    pub(in crate::source) bytes: u64,
    records: usize,
    #[serde(with = "hex")]
    pub(in crate::source) digest: u128,
    /// Position, bytes in the copy and true bytes of each row beyond the limit. Only its head is in the copy.
    overlong: Vec<(usize, u64, u64)>,
    /// The first `_id` of two documents.
    #[serde(default)]
    pub(in crate::source) repeated: Option<String>,
}

impl Committed {
    pub(in crate::source) fn of(source: &RowSource, bytes: u64, repeated: Option<String>) -> Self {
        Self {
            repeated,
            source: source.path.to_string_lossy().into_owned(),
            bytes,
            records: source.spans.len(),
            digest: source.digest.get(),
            overlong: source.spans.all_overlong().collect(),
        }
    }

    /// Finds the places of the rows: each ends with a line end, and has no other one. `None` where they are not those that were committed.
    pub(in crate::source) fn spans(&self, copy: &Spooled) -> Option<Spans> {
        let mut spans = Spans::default();
        let mut overlong = self.overlong.iter().peekable();
        let mut buffer = Vec::new();
        // Where the next row begins, and how far it was looked for its end.
        let (mut start, mut at) = (0, 0);
        while start < self.bytes {
            if let Some((_, stored, true_bytes)) = overlong.next_if(|row| row.0 == spans.len()) {
                spans.push_overlong(start, *stored, *true_bytes);
                start += stored;
                at = start;
                continue;
            }
            // Pieces end at multiples of their length, and so with a block.
            let end = ((at / PIECE_BYTES + 1) * PIECE_BYTES).min(self.bytes);
            if at >= end {
                return None;
            }
            buffer.resize((end - at) as usize, 0);
            copy.read_exact_at(&mut buffer, at).ok()?;
            let base = at;
            at = end;
            for newline in memchr::memchr_iter(b'\n', &buffer) {
                let stop = base + newline as u64 + 1;
                spans.push(start, stop - start);
                start = stop;
                if overlong.peek().is_some_and(|row| row.0 == spans.len()) {
                    at = start;
                    break;
                }
            }
        }
        spans.shrink();
        (start == self.bytes && spans.len() == self.records).then_some(spans)
    }
}
