//! Whether the quotes of a table are quotes: by what fails, or is swallowed, under each reading.
//!
//! Programs that write TSV mostly put no quotes around fields, so a quote is a part of the text there. If it is taken for
//! the beginning of a quoted field, all rows up to the next quote become one. Both readings are tried on all rows.

use super::csv::{Cell, Cells};
use super::quotes::Dialect;

/// What was found of the rows of a table that have quotes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quoted {
    /// Rows that cannot be read where quotes are around fields, and where they are data.
    pub(crate) failed: u64,
    pub(crate) failed_plain: u64,
    /// Quoted fields that hold what looks like rows, and how many lines follow the first one there.
    pub(crate) fields: u64,
    pub(crate) lines: u64,
    /// Rows of one line that can be read and have quotes around fields; those where the field needs them; rows without quotes.
    sound: u64,
    needed: u64,
    unquoted: u64,
    /// Whether tabs are between the fields: the programs that put no quotes around fields write such tables.
    tabs: bool,
}

impl Quoted {
    /// Takes a row that was cut where quotes are around fields, of a table with this many columns.
    pub(in crate::source) fn add(&mut self, row: &[u8], dialect: Dialect, columns: usize) {
        self.tabs = dialect.delimiter == b'\t';
        if !row.contains(&b'"') {
            self.unquoted += 1;
            return;
        }
        let row = String::from_utf8_lossy(row);
        let row = row.trim_end_matches(['\n', '\r']);
        let cells: Option<Vec<_>> = Cells::new(row, dialect).map(Result::ok).collect();
        match cells.filter(|cells| cells.len() == columns) {
            None => self.failed += 1,
            Some(cells) if !row.contains('\n') => {
                let mut quoted = cells.iter().filter(|cell| cell.quoted).peekable();
                self.sound += u64::from(quoted.peek().is_some());
                let needs = |cell: &Cell<'_>| cell.doubled || cell.raw.as_bytes().contains(&dialect.delimiter);
                self.needed += u64::from(quoted.any(needs));
            }
            Some(_) => {}
        }
        let plain = Dialect {
            quoted: false,
            ..dialect
        };
        let mut like_first = None;
        let mut lines = 0;
        for line in row.lines() {
            let mut cells = Cells::new(line, plain).filter_map(Result::ok);
            let first = cells.next().map(|cell| FirstField::of(cell.raw));
            let is_row = cells.count() + 1 == columns;
            self.failed_plain += u64::from(!is_row);
            let is_like = is_row && first != Some(FirstField::Prose) && like_first.is_none_or(|like| like == first);
            like_first = Some(if is_like { first } else { None });
            lines += 1;
        }
        if columns > 1 && lines > 1 && like_first.is_some_and(|kind| kind.is_some()) {
            self.fields += 1;
            self.lines += lines - 1;
        }
    }

    /// Whether the quotes are data. `has_quoted_names`: the header has quotes around its names.
    pub(in crate::source) fn are_data(&self, has_quoted_names: bool) -> bool {
        // Programs put quotes where a field needs them, or around nearly all fields of a column.
        let is_usual = self.sound > 0 && self.sound >= 9 * self.unquoted;
        let more_fail = self.failed > 1 && self.failed_plain < self.failed;
        // A text of a CSV may have a numbered list, which looks like rows; it is sound as it is.
        let swallows = self.lines > 0 && self.failed_plain <= self.failed && (self.failed > 0 || self.tabs);
        !has_quoted_names && self.needed == 0 && !is_usual && (more_fail || swallows)
    }
}

/// What the first field of a row looks like. A line of a text that goes on seldom begins as the rows of its table do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstField {
    Number,
    Word,
    Prose,
}

impl FirstField {
    fn of(cell: &str) -> Self {
        let cell = cell.trim_matches('"');
        if cell.is_empty() || cell.contains(char::is_whitespace) || cell.chars().count() > 40 {
            Self::Prose
        } else if cell.bytes().all(|byte| byte.is_ascii_digit() || b".,-".contains(&byte)) {
            Self::Number
        } else {
            Self::Word
        }
    }
}

#[cfg(test)]
#[path = "quoting_tests.rs"]
mod tests;
