//! Where records begin and end.
//!
//! In: a source's bytes in pieces of any size. Out: the [`Spans`] of its records. The bytes of a spooled source that
//! are worth keeping go into a [`Spool`].

use std::fs::File;
use std::io;
use std::ops::Range;

use super::quotes::{Dialect, Quotes};
use crate::base::os::FileAt;
use crate::source::spans::{OVERLONG_HEAD_BYTES, Spans};
use crate::source::spool::Spool;

/// Bytes that are gone over again at a time.
const AGAIN_BYTES: usize = 1 << 20;

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

/// What a scan finds besides the spans.
#[derive(Debug, Default, Clone)]
pub(in crate::source) struct Scan {
    /// Lines without anything, where those are no records.
    pub(in crate::source) blank_lines: u64,
    /// (position, lines before it that are not records' first ones) wherever the second changes.
    pub(in crate::source) lines_before: Vec<(usize, u64)>,
    /// Of a table, where its header is, terminator included, and the bytes it has without one.
    pub(in crate::source) header: Option<(Range<u64>, u64)>,
    /// How the first line that ended at all ended.
    pub(in crate::source) terminator: Option<Terminator>,
    /// The last record has no terminator.
    pub(in crate::source) open_end: bool,
    /// A quote has opened a field.
    pub(in crate::source) has_quotes: bool,
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
    /// Its last byte so far: the `\r` of a terminator may be at the end of the piece before.
    last: u8,
}

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum Grammar {
    /// A line.
    Lines,
    /// A line with something else than white space in it.
    FilledLines,
    /// A row of a table of this dialect: a line, but line breaks inside quotes belong to it. Empty lines are none, and
    /// the first row is the header.
    Rows(Dialect),
}

/// Splits a source's bytes into records.
#[derive(Debug)]
pub(in crate::source) struct Scanner<'s> {
    spans: &'s mut Spans,
    spool: Option<Spool>,
    /// The spool, once everything is in it and it is read a second time.
    full: Option<Spool>,
    grammar: Grammar,
    quotes: Quotes,
    limit: u64,
    line: Line,
    /// Lines so far that are not records' first ones.
    extra_lines: u64,
    /// Where the line is that names the sign between fields.
    sign_at: Option<u64>,
    found: Scan,
}

impl<'s> Scanner<'s> {
    /// A scanner at `start` of the body. Records longer than `limit` become overlong ones. With a spool the body is what
    /// goes there, else it is the source itself.
    pub(in crate::source) fn new(
        spans: &'s mut Spans,
        spool: Option<Spool>,
        grammar: Grammar,
        limit: u64,
        start: u64,
    ) -> Self {
        let line = Line {
            start,
            bytes: 0,
            blank: true,
            last: 0,
        };
        let delimiter = match grammar {
            Grammar::Rows(dialect) => dialect.delimiter,
            Grammar::Lines | Grammar::FilledLines => b',',
        };
        Self {
            spans,
            spool,
            full: None,
            grammar,
            quotes: Quotes::new(delimiter),
            limit,
            line,
            extra_lines: 0,
            sign_at: None,
            found: Scan::default(),
        }
    }

    /// Takes the next bytes of the source. An error is one of writing to the spool.
    pub(in crate::source) fn feed(&mut self, bytes: &[u8]) -> io::Result<()> {
        if matches!(self.grammar, Grammar::Rows(Dialect { quoted: true, .. })) {
            return self.feed_rows(bytes);
        }
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

    fn feed_rows(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut start = 0;
        for at in memchr::memchr2_iter(b'"', b'\n', bytes) {
            let before = at.checked_sub(1).map(|before| bytes[before]);
            if bytes[at] == b'"' {
                self.quotes.quote(at, before);
            } else if !self.quotes.swallows_break(at, before) {
                self.piece(&bytes[start..=at])?;
                self.end_line(true)?;
                start = at + 1;
                self.quotes.begin_record(start);
            }
        }
        self.quotes.leave(bytes);
        if start < bytes.len() {
            self.piece(&bytes[start..])
        } else {
            Ok(())
        }
    }

    /// The records that ended so far.
    pub(in crate::source) fn records(&self) -> usize {
        self.spans.len()
    }

    /// The source is at its end; `file` is where a body that is not spooled can be read again.
    pub(in crate::source) fn finish(mut self, file: Option<&File>) -> io::Result<(Scan, Option<Spool>)> {
        while let Some(swallowed) = self.cut_at_open_quote()? {
            self.feed_again(swallowed, file)?;
        }
        if self.line.bytes > 0 {
            let records = self.spans.len();
            self.end_line(false)?;
            self.found.open_end = self.spans.len() > records;
        }
        self.found.has_quotes = self.quotes.have_opened();
        Ok((self.found, self.full.or(self.spool)))
    }

    /// Ends the record of a quote that is still open at the end of the source. The record ends with the line in which
    /// the quote was opened, so one quote too many costs one line. Gives the bytes of the body that are to be gone over
    /// again.
    ///
    /// That is done once at most: the quotes after one that stays open come in pairs, and pairs open nothing.
    fn cut_at_open_quote(&mut self) -> io::Result<Option<Range<u64>>> {
        if self.line.bytes > self.limit {
            return Ok(None);
        }
        let Some(cut) = self.quotes.cut() else { return Ok(None) };
        self.full = self.spool.take().or(self.full.take());
        let end = self.line.start + self.line.bytes;
        self.line.bytes = cut.bytes;
        self.line.last = cut.before;
        self.end_line(true)?;
        self.quotes.begin_again();
        Ok(Some(self.line.start..end))
    }

    fn feed_again(&mut self, swallowed: Range<u64>, file: Option<&File>) -> io::Result<()> {
        let mut chunk = vec![0; AGAIN_BYTES.min((swallowed.end - swallowed.start) as usize)];
        let mut at = swallowed.start;
        while at < swallowed.end {
            let length = chunk.len().min((swallowed.end - at) as usize);
            let now = &mut chunk[..length];
            match (&self.full, file) {
                (Some(spool), _) => spool.read_exact_at(now, at),
                (None, Some(file)) => file.read_exact_at(now, at),
                (None, None) => Err(io::Error::other("it cannot be read again")),
            }?;
            self.feed_rows(now)?;
            at += length as u64;
        }
        Ok(())
    }

    /// Whether the line that begins here is the one that names the sign between fields. It goes with the header.
    fn names_sign(&self, start: u64) -> bool {
        let is_named = matches!(self.grammar, Grammar::Rows(Dialect { named: true, .. }));
        is_named && self.sign_at.is_none_or(|at| at == start) && self.found.header.is_none()
    }

    /// A part of a line that has not ended, or its last part with the newline.
    fn piece(&mut self, piece: &[u8]) -> io::Result<()> {
        let line = &mut self.line;
        line.blank = line.blank && self.grammar == Grammar::FilledLines && piece.iter().all(u8::is_ascii_whitespace);
        // Of the piece before, only the last byte can matter: a `\r` before a newline that is alone in this piece.
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
            return spool.rewind(line.start + head);
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
        let is_table = matches!(self.grammar, Grammar::Rows(_));
        let breaks = self.quotes.take_breaks();
        let is_blank = match self.grammar {
            Grammar::Lines => false,
            Grammar::FilledLines => line.blank,
            Grammar::Rows(_) => true_bytes == 0,
        };
        if is_blank {
            self.found.blank_lines += 1;
            self.extra_lines += 1;
            // What is spooled of a table stays as it is, so that it can be gone over again.
            if let Some(spool) = self.spool.as_mut().filter(|_| !is_table) {
                spool.rewind(start)?;
                stored = 0;
            }
        } else if self.names_sign(start) {
            self.sign_at = Some(start);
            self.extra_lines += 1;
        } else if is_table && self.found.header.is_none() {
            self.found.header = Some((self.sign_at.unwrap_or(start)..start + stored, true_bytes));
            self.extra_lines += 1 + breaks;
        } else {
            if self.found.lines_before.last().map_or(0, |last| last.1) != self.extra_lines {
                self.found.lines_before.push((self.spans.len(), self.extra_lines));
            }
            self.extra_lines += breaks;
            if true_bytes > self.limit {
                if let Some(spool) = &mut self.spool {
                    let head = OVERLONG_HEAD_BYTES.min(self.limit);
                    spool.rewind(start + head)?;
                    spool.push(terminator.map_or(&[], |terminator| terminator.bytes()))?;
                    stored = head + ending;
                }
                self.spans.push_overlong(start, stored, true_bytes);
            } else {
                self.spans.push(start, stored);
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
