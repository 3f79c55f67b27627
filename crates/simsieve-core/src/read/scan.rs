//! Where records begin and end.
//!
//! In come a source's bytes in pieces of any size; out go the spans of its records into [`Columns`], and, for a source that
//! is spooled, the bytes worth keeping into a [`Spool`]. `open` feeds it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::OVERLONG_HEAD_BYTES;

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminator {
    Lf,
    CrLf,
}

impl Terminator {
    /// Its bytes.
    pub(crate) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// What cannot be told of a record in twelve bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Long {
    /// Bytes of the span in the body, with the terminator.
    pub(super) stored: u64,
    /// Bytes of the record itself as it was in the source, without the terminator.
    pub(super) true_bytes: u64,
    /// Beyond the limit: never loaded whole.
    pub(super) overlong: bool,
}

/// The spans of all records: twelve bytes each, whatever the number of sources.
#[derive(Debug, Default, Clone)]
pub(super) struct Columns {
    offsets: Vec<u64>,
    /// `u32::MAX` refers to `long`.
    lengths: Vec<u32>,
    long: BTreeMap<usize, Long>,
}

impl Columns {
    pub(super) fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Adds an ordinary record; `stored` is the length of its span.
    pub(super) fn push(&mut self, offset: u64, stored: u64) {
        match u32::try_from(stored) {
            Ok(length) if length != u32::MAX => {
                self.offsets.push(offset);
                self.lengths.push(length);
            }
            _ => self.push_long(
                offset,
                Long {
                    stored,
                    true_bytes: stored,
                    overlong: false,
                },
            ),
        }
    }

    fn push_long(&mut self, offset: u64, long: Long) {
        self.long.insert(self.offsets.len(), long);
        self.offsets.push(offset);
        self.lengths.push(u32::MAX);
    }

    /// The span of a record in its source's body, terminator included.
    pub(super) fn span(&self, position: usize) -> Range<u64> {
        let start = self.offsets[position];
        match self.lengths[position] {
            u32::MAX => start..start + self.long.get(&position).map_or(0, |long| long.stored),
            length => start..start + u64::from(length),
        }
    }

    /// The record's true length if it is beyond the limit.
    pub(super) fn overlong(&self, position: usize) -> Option<u64> {
        if self.lengths[position] != u32::MAX {
            return None;
        }
        self.long
            .get(&position)
            .filter(|long| long.overlong)
            .map(|long| long.true_bytes)
    }

    /// Adds the records of other columns behind these.
    pub(super) fn extend(&mut self, other: &Self) {
        let base = self.len();
        self.offsets.extend_from_slice(&other.offsets);
        self.lengths.extend_from_slice(&other.lengths);
        self.long
            .extend(other.long.iter().map(|(position, long)| (base + position, *long)));
    }

    pub(super) fn shrink(&mut self) {
        self.offsets.shrink_to_fit();
        self.lengths.shrink_to_fit();
    }
}

/// A temporary file without a name, written through a buffer whose end can be taken back.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    pending: Vec<u8>,
    /// Bytes of the body that are in the file; what is pending stands behind them.
    flushed: u64,
}

impl Spool {
    const BUFFER_BYTES: usize = 1 << 20;

    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            pending: Vec::with_capacity(2 * Self::BUFFER_BYTES),
            flushed: 0,
        })
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= Self::BUFFER_BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all_at(&self.pending, self.flushed)?;
        self.flushed += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Forgets everything from `offset` on.
    fn rewind(&mut self, offset: u64) {
        if let Some(left) = offset.checked_sub(self.flushed) {
            self.pending.truncate(left as usize);
        } else {
            self.flushed = offset;
            self.pending.clear();
        }
    }

    /// The finished file; nothing that was taken back is left behind its end.
    pub(super) fn finish(mut self) -> io::Result<File> {
        self.flush()?;
        self.file.set_len(self.flushed)?;
        Ok(self.file)
    }
}

/// What a scan found out about a source besides the spans.
#[derive(Debug, Default, Clone)]
pub(super) struct Found {
    /// Lines of white space only, where those are no records.
    pub(super) blank_lines: u64,
    /// (position, blank lines before it) wherever the second changes: what `locate` needs.
    pub(super) blanks_before: Vec<(usize, u64)>,
    /// How the first line that ended at all ended.
    pub(super) terminator: Option<Terminator>,
    /// The last record has no terminator.
    pub(super) open_end: bool,
}

/// The line that is being read.
#[derive(Debug)]
struct Line {
    /// Where it begins in the body.
    start: u64,
    /// Its bytes so far, those that were not kept included.
    bytes: u64,
    /// Nothing but white space so far.
    blank: bool,
    /// Its last byte so far: the `\r` of a terminator may stand at the end of the piece before.
    last: u8,
}

/// Splits a source's bytes into lines.
#[derive(Debug)]
pub(super) struct Scanner<'c> {
    columns: &'c mut Columns,
    spool: Option<Spool>,
    skip_blank: bool,
    limit: u64,
    line: Line,
    found: Found,
}

impl<'c> Scanner<'c> {
    /// A scanner at `start` of the body. Lines longer than `limit` become overlong records; with `skip_blank` lines of white
    /// space are no records. With a spool the body is what goes there, else it is the source itself.
    pub(super) fn new(
        columns: &'c mut Columns,
        spool: Option<Spool>,
        skip_blank: bool,
        limit: u64,
        start: u64,
    ) -> Self {
        let line = Line {
            start,
            bytes: 0,
            blank: true,
            last: 0,
        };
        Self {
            columns,
            spool,
            skip_blank,
            limit,
            line,
            found: Found::default(),
        }
    }

    /// Takes the next bytes of the source. An error is one of writing to the spool.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut start = 0;
        for newline in memchr::memchr_iter(b'\n', bytes) {
            self.piece(&bytes[start..=newline])?;
            self.end_line(true)?;
            start = newline + 1;
        }
        if start < bytes.len() {
            self.piece(&bytes[start..])
        } else {
            Ok(())
        }
    }

    /// The source is at its end.
    pub(super) fn finish(mut self) -> io::Result<(Found, Option<Spool>)> {
        if self.line.bytes > 0 {
            let records = self.columns.len();
            self.end_line(false)?;
            self.found.open_end = self.columns.len() > records;
        }
        Ok((self.found, self.spool))
    }

    /// A part of a line that has not ended, or its last part with the newline.
    fn piece(&mut self, piece: &[u8]) -> io::Result<()> {
        let line = &mut self.line;
        line.blank = line.blank && self.skip_blank && piece.iter().all(u8::is_ascii_whitespace);
        // Of the piece before, only the last byte can matter: a `\r` before a newline that stands alone in this piece.
        line.last = match piece {
            [.., before, b'\n'] => *before,
            [b'\n'] | [] => line.last,
            [.., last] => *last,
        };
        line.bytes += piece.len() as u64;
        let Some(spool) = &mut self.spool else { return Ok(()) };
        // Beyond the limit even if the last two bytes were a terminator: keep the head only, here and for the rest.
        if line.bytes > self.limit.saturating_add(2) {
            let kept = line.bytes - piece.len() as u64;
            let head = OVERLONG_HEAD_BYTES.min(self.limit);
            if kept < head {
                spool.push(&piece[..(head - kept) as usize])?;
            }
            spool.rewind(line.start + head);
            return Ok(());
        }
        spool.push(piece)
    }

    /// The line ends here, with a newline or with the source.
    fn end_line(&mut self, newline: bool) -> io::Result<()> {
        let line = &self.line;
        let terminator = match (newline, line.last) {
            (false, _) => None,
            (true, b'\r') => Some(Terminator::CrLf),
            (true, _) => Some(Terminator::Lf),
        };
        self.found.terminator = self.found.terminator.or(terminator);
        let ending = terminator.map_or(0, |terminator| terminator.bytes().len() as u64);
        let start = line.start;
        let true_bytes = line.bytes - ending;
        let mut stored = line.bytes;
        if line.blank && self.skip_blank {
            self.found.blank_lines += 1;
            if let Some(spool) = &mut self.spool {
                spool.rewind(start);
                stored = 0;
            }
        } else {
            if self.found.blanks_before.last().map_or(0, |last| last.1) != self.found.blank_lines {
                self.found
                    .blanks_before
                    .push((self.columns.len(), self.found.blank_lines));
            }
            if true_bytes > self.limit {
                if let Some(spool) = &mut self.spool {
                    let head = OVERLONG_HEAD_BYTES.min(self.limit);
                    spool.rewind(start + head);
                    spool.push(terminator.map_or(&[], |terminator| terminator.bytes()))?;
                    stored = head + ending;
                }
                self.columns.push_long(
                    start,
                    Long {
                        stored,
                        true_bytes,
                        overlong: true,
                    },
                );
            } else {
                self.columns.push(start, stored);
            }
        }
        self.line = Line {
            start: start + stored,
            bytes: 0,
            blank: true,
            last: 0,
        };
        Ok(())
    }
}
