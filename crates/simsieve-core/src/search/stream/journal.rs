//! What happened in a [`CandidateStream`](crate::search::stream::CandidateStream) besides which rows were kept: rejections,
//! and all that a stream is restored from.

/// What a stream is restored from: rows, in the order of the events.
#[derive(Debug, Default)]
pub struct Journal {
    /// Those that were rejected, once for each time.
    pub rejected: Vec<u32>,
    /// Those of the index.
    pub indexed: Vec<u32>,
    /// Those whose bits are known.
    pub known: Vec<u32>,
}

/// Failed verifications, and candidates that were ruled out before one: for each row and in all.
#[derive(Debug, Default)]
pub(super) struct Rejections {
    of_rows: Vec<u8>,
    pub(super) all: u64,
}

impl Rejections {
    /// Counts one of an earlier row among `rows`; returns how many it has, up to 255.
    pub(super) fn count(&mut self, earlier: u32, rows: usize) -> u8 {
        if self.of_rows.is_empty() {
            self.of_rows = vec![0; rows];
        }
        let own = &mut self.of_rows[earlier as usize];
        *own = own.saturating_add(1);
        self.all += 1;
        *own
    }
}
