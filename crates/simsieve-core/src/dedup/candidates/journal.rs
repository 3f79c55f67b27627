//! What happened in a [`CandidateStream`](crate::dedup::candidates::stream::CandidateStream) besides which rows were kept.

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
