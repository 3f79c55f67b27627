//! Checksums of the pieces of a file, each looked at when a value of its piece is first read.
//!
//! A piece that is damaged is noted, and its values are given as they are: who reads them asks [`Pieces::is_damaged`] before it answers.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use xxhash_rust::xxh3::Xxh3;

use crate::base::hash::xxh3_64;

/// Bytes of a piece: some microseconds of hashing.
const PIECE_BYTES: usize = 64 << 10;

/// The XXH3-64 of each piece of a file, and which pieces were looked at.
#[derive(Debug)]
pub(super) struct Pieces {
    sums: Vec<u64>,
    /// The bytes that the pieces have together.
    bytes: usize,
    seen: Vec<AtomicU64>,
    is_damaged: AtomicBool,
}

impl Pieces {
    /// The pieces of the first `bytes` bytes; `None` if the number of sums is another.
    pub(super) fn new(sums: &[u64], bytes: usize) -> Option<Self> {
        let words = || AtomicU64::new(0);
        (sums.len() == bytes.div_ceil(PIECE_BYTES)).then(|| Self {
            sums: sums.to_vec(),
            bytes,
            seen: std::iter::repeat_with(words).take(sums.len().div_ceil(64)).collect(),
            is_damaged: AtomicBool::new(false),
        })
    }

    /// Looks at the pieces of a range of the bytes of the file.
    #[inline]
    pub(super) fn check(&self, all: &[u8], range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        for piece in range.start / PIECE_BYTES..=(range.end - 1) / PIECE_BYTES {
            let bit = 1 << (piece % 64);
            let is_seen = |word: &AtomicU64| word.load(Ordering::Relaxed) & bit != 0;
            if !self.seen.get(piece / 64).is_some_and(is_seen) {
                self.look_at(all, piece);
            }
        }
    }

    #[cold]
    fn look_at(&self, all: &[u8], piece: usize) {
        let start = piece * PIECE_BYTES;
        let bytes = all.get(start..self.bytes.min(start + PIECE_BYTES));
        if bytes.map(xxh3_64) == self.sums.get(piece).copied() {
            self.seen[piece / 64].fetch_or(1 << (piece % 64), Ordering::Relaxed);
        } else {
            self.refuse();
        }
    }

    /// Notes that values do not fit.
    pub(super) fn refuse(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    /// Whether something that was read was damaged.
    pub(super) fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }
}

/// Makes the checksums of the pieces of a file that is written.
pub(super) struct Summing {
    hash: Xxh3,
    /// Bytes of the piece that is not full.
    filled: usize,
    sums: Vec<u64>,
}

impl Summing {
    pub(super) fn new() -> Self {
        Self {
            hash: Xxh3::new(),
            filled: 0,
            sums: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        while let Some(some) = bytes.split_off(..bytes.len().min(PIECE_BYTES - self.filled)) {
            if some.is_empty() {
                return;
            }
            self.hash.update(some);
            self.filled += some.len();
            if self.filled == PIECE_BYTES {
                self.end_piece();
            }
        }
    }

    fn end_piece(&mut self) {
        self.sums.push(self.hash.digest());
        self.hash.reset();
        self.filled = 0;
    }

    /// The checksums; the last piece may be short.
    pub(super) fn finish(mut self) -> Vec<u64> {
        if self.filled > 0 {
            self.end_piece();
        }
        self.sums
    }
}

impl fmt::Debug for Summing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Summing({} pieces)", self.sums.len())
    }
}
