//! Which line breaks of a table are inside quotes.
//!
//! In come the places of quotes and line breaks, piece by piece, from `scan`; out goes whether a break ends its record.
//! The grammar is that of RFC 4180 as it is mostly read. A quote opens a field where it is the field's first byte, and
//! is data elsewhere. Inside, two quotes are one, and a single one closes. What follows a closing quote is data up to
//! the next delimiter here, and a failure of the record when it is parsed.

/// How the fields of a table are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The sign between them.
    pub(crate) delimiter: u8,
    /// Whether quotes are around fields, and not data.
    pub(crate) quoted: bool,
    /// Whether the first line names the sign, as `sep=;`.
    pub(crate) named: bool,
}

/// Where a record that a quote holds open can be ended instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Bytes of the record up to the line break, which is included.
    pub(super) bytes: u64,
    /// The byte before that break.
    pub(super) before: u8,
}

/// The state between two bytes. Places count from the start of the source.
#[derive(Debug)]
pub(super) struct Quotes {
    delimiter: u8,
    inside: bool,
    /// Whether a quote has opened a field at all.
    opened: bool,
    /// The place after a quote that has closed the field, unless another quote is there.
    closed: Option<u64>,
    /// The first line break since the field was opened.
    first_break: Option<Cut>,
    /// Line breaks in the record, and how many of them are before the quote that was opened last.
    breaks: u64,
    breaks_before: u64,
    /// Where the record and where the piece begins.
    record: u64,
    piece: u64,
    /// The last byte of the piece before; a line break where there is none.
    last: u8,
}

impl Quotes {
    pub(super) fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            inside: false,
            opened: false,
            closed: None,
            first_break: None,
            breaks: 0,
            breaks_before: 0,
            record: 0,
            piece: 0,
            last: b'\n',
        }
    }

    /// A quote at this place of the piece; `before` is the byte before it if that is in the piece.
    pub(super) fn quote(&mut self, at: usize, before: Option<u8>) {
        let place = self.piece + at as u64;
        if self.inside {
            match self.closed {
                None => {
                    self.closed = Some(place + 1);
                    return;
                }
                Some(closed) if closed == place => {
                    self.closed = None;
                    return;
                }
                Some(_) => self.close(),
            }
        }
        let before = before.unwrap_or(self.last);
        if before == self.delimiter || before == b'\n' {
            self.inside = true;
            self.opened = true;
            self.first_break = None;
            self.breaks_before = self.breaks;
        }
    }

    /// A line break at this place of the piece: whether it is inside quotes, and so in its record.
    pub(super) fn swallows_break(&mut self, at: usize, before: Option<u8>) -> bool {
        if self.closed.is_some() {
            self.close();
        }
        if self.inside {
            self.breaks += 1;
            let bytes = self.piece + at as u64 + 1 - self.record;
            let before = before.unwrap_or(self.last);
            self.first_break.get_or_insert(Cut { bytes, before });
        }
        self.inside
    }

    /// The next record begins at this place of the piece.
    pub(super) fn begin_record(&mut self, at: usize) {
        self.record = self.piece + at as u64;
    }

    /// The piece is at its end.
    pub(super) fn leave(&mut self, piece: &[u8]) {
        self.piece += piece.len() as u64;
        self.last = piece.last().copied().unwrap_or(self.last);
    }

    /// Whether a quote has opened a field.
    pub(super) fn have_opened(&self) -> bool {
        self.opened
    }

    /// The line breaks in the record that ends.
    pub(super) fn take_breaks(&mut self) -> u64 {
        std::mem::take(&mut self.breaks)
    }

    /// The source is at its end: where the record can be cut if a quote is open and a line break follows it.
    pub(super) fn cut(&mut self) -> Option<Cut> {
        let cut = self.first_break.filter(|_| self.inside && self.closed.is_none())?;
        self.breaks = self.breaks_before;
        Some(cut)
    }

    /// What follows the cut comes again.
    pub(super) fn begin_again(&mut self) {
        self.close();
        self.first_break = None;
        self.record = self.piece;
        self.last = b'\n';
    }

    fn close(&mut self) {
        self.inside = false;
        self.closed = None;
    }
}
