//! From a row of a table to the fields that are wanted.
//!
//! In come the bytes of a row, without its line break, and the [`Header`] of its source; out comes a [`Record`] or what is
//! wrong. `scan` has cut the rows by the rules of `quotes`; the same rules cut fields here. A row has exactly as many fields
//! as the header, so that nothing slips into the next column. A table has no types: a label is a string, and only keep rules
//! read numbers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use encoding_rs::UTF_8;

use super::encoding::{SourceEncoding, decode_as};
use super::quotes::Dialect;
use super::record::{Fields, Record, group_of, nul_at, text_of};
use super::value::Value;
use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::source::failure::{Cause, shorten};
use crate::text::FieldKind;

/// How many names of columns a message lists, and how much of each.
const SHOWN_NAMES: usize = 8;
const SHOWN_CHARS: usize = 80;

/// The first row of a table.
#[derive(Debug)]
pub(crate) struct Header {
    /// As it is in the source, with its line break if it has one.
    bytes: Vec<u8>,
    dialect: Dialect,
    names: Vec<String>,
    /// By name, where the column is; the second says that it is not the only one.
    places: HashMap<String, (usize, bool)>,
    /// The encoding that it was read in, where that is not UTF-8.
    read_as: Option<&'static str>,
}

impl Header {
    /// Reads a header; `first` are the first rows under it. An error says what is wrong with the file.
    pub(in crate::source) fn read(
        bytes: Vec<u8>,
        dialect: Dialect,
        encoding: SourceEncoding,
        first: &[Vec<u8>],
    ) -> std::result::Result<Self, Message> {
        let named = bytes.iter().position(|&byte| byte == b'\n').filter(|_| dialect.named);
        let line = &bytes[named.map_or(0, |end| end + 1)..];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let row = if encoding.is_utf8_inside() {
            std::str::from_utf8(line).map(Cow::Borrowed).map_err(|error| {
                msg!(
                    "its header is not valid {name} at byte {valid_up_to}; name the encoding that the file has \
                     with {@`encoding`}, or give auto",
                    name = encoding.encoding.name(),
                    valid_up_to = error.valid_up_to()
                )
            })?
        } else {
            let decoded = decode_as(line, encoding).map_err(|cause| msg!("its header is {why}", why = cause.1))?;
            Cow::Owned(decoded)
        };
        if let Some(at) = memchr::memchr(0, line) {
            return Err(msg!("its header has a {why}", why = nul_at(at)));
        }
        let mut names = Vec::new();
        for cell in Cells::new(&row, dialect) {
            let cell =
                cell.map_err(|wrong| msg!("its header cannot be read: {why}", why = wrong.message(names.len())))?;
            if !cell.quoted && cell.raw.contains('\r') {
                return Err(msg!(
                    "its lines end in carriage returns alone; convert them to line feeds, for example with tr '\\r' '\\n'"
                ));
            }
            names.push(cell.text().into_owned());
        }
        if is_short(names.len(), dialect, first) {
            names.insert(0, ROW_NAMES.to_owned());
        }
        let mut places = HashMap::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            places
                .entry(name.clone())
                .and_modify(|known: &mut (usize, bool)| known.1 = true)
                .or_insert((place, false));
        }
        Ok(Self {
            bytes,
            dialect,
            names,
            places,
            read_as: (encoding.encoding != UTF_8).then(|| encoding.encoding.name()),
        })
    }

    /// The header as it is in its source.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How the fields are written.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Makes sure that the columns that are wanted are there, once each. A table may lack the usual label.
    pub(in crate::source) fn check(&self, fields: &Fields, ordered: bool, path: &Path) -> Result<()> {
        let has_apart = fields.takes == FieldKind::Parts;
        for name in fields
            .text
            .iter()
            .filter(|name| !has_apart || self.place(name).is_some())
        {
            self.require(name, path, msg!("that holds the text with {@text_field}"))?;
        }
        if !fields.id.is_empty() && (fields.id != Fields::default().id || self.places.contains_key(&fields.id)) {
            self.require(&fields.id, path, msg!("that holds the label with {@id_field}"))?;
        }
        for name in fields.values.iter().filter(|_| ordered) {
            self.require(name, path, msg!("to compare with {@`keep`} or {@date_field}"))?;
        }
        for name in &fields.equal {
            self.require(
                name,
                path,
                msg!("that must be equal with the settings {`block_by`} and {`differ`}"),
            )?;
        }
        Ok(())
    }

    fn require(&self, name: &str, path: &Path, what: Message) -> Result<()> {
        let shown = || {
            let names = self.names.iter().take(SHOWN_NAMES);
            let names: Vec<_> = names.map(|name| format!("{:?}", shorten(name, SHOWN_CHARS))).collect();
            match self.names.len().saturating_sub(SHOWN_NAMES) {
                0 => msg!("{names}"),
                more => msg!("{names} and {more} more"),
            }
        };
        match self.places.get(name) {
            Some((_, false)) => Ok(()),
            Some((_, true)) => Err(Error::Config(msg!(
                "{path}: more than one column is named {name:?} ({shown}); name each once, or name another \
                 column {what}",
                path = path.display(),
                shown = shown()
            ))),
            None => Err(Error::Config(msg!(
                "{path}: no column {name:?}; {has}; name the column {what}",
                path = path.display(),
                has = self.with_delimiter(match self.read_as {
                    Some(name) => msg!("the header, read as {name}, has {shown}", shown = shown()),
                    None => msg!("the header has {shown}", shown = shown()),
                })
            ))),
        }
    }

    /// What the header has, with a guess why it has but one column.
    fn with_delimiter(&self, has: Message) -> Message {
        let [only] = self.names.as_slice() else {
            return has;
        };
        let others = [(',', "commas"), (';', "semicolons"), ('\t', "tabs"), ('|', "bars")];
        let found = others.iter().find(|(delimiter, _)| only.contains(*delimiter));
        match found {
            Some((sign, what)) => msg!(
                "{has} (the fields seem to be separated by {what}: give {@`delimiter`} {sign})",
                sign = format!("{sign:?}")
            ),
            None => has,
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).map(|known| known.0)
    }

    /// Parses a row under this header.
    pub(super) fn parse<'a>(&self, row: &'a str, fields: &Fields) -> std::result::Result<Record<'a>, Cause> {
        if let Some(at) = memchr::memchr(0, row.as_bytes()) {
            return Err(("nul", nul_at(at)));
        }
        let texts_at: Vec<_> = fields.text.iter().map(|name| self.place(name)).collect();
        // Fields that are compared apart may be columns of other tables of the run.
        let lacks = |at: &Option<usize>| at.is_none();
        let may_lack = fields.takes == FieldKind::Parts && !texts_at.iter().all(lacks);
        if let Some(at) = texts_at.iter().position(lacks).filter(|_| !may_lack) {
            return Err(self.no_column(&fields.text[at]));
        }
        let id_at = self.place(&fields.id);
        let values_at: Vec<_> = fields.values.iter().map(|name| self.place(name)).collect();
        let equal_at: Vec<_> = (fields.equal.iter().chain(&fields.facts))
            .map(|name| self.place(name))
            .collect();
        let mut equal = vec![None; equal_at.len()];
        let mut texts = vec![Cow::Borrowed(""); texts_at.len()];
        let mut id = None;
        let mut values = vec![Value::Missing; values_at.len()];
        let mut count = 0;
        for cell in Cells::new(row, self.dialect) {
            let cell = cell.map_err(|wrong| ("bad_quotes", self.with_advice(wrong.message(count))))?;
            for (text, _) in texts.iter_mut().zip(&texts_at).filter(|(_, at)| **at == Some(count)) {
                *text = cell.text();
            }
            if Some(count) == id_at && !cell.raw.is_empty() {
                id = Some(Cow::Owned(json_string(&cell.text())));
            }
            for (value, _) in values.iter_mut().zip(&values_at).filter(|(_, at)| **at == Some(count)) {
                *value = Value::of_text(&cell.text());
            }
            for (value, _) in equal.iter_mut().zip(&equal_at).filter(|(_, at)| **at == Some(count)) {
                *value = Some(cell.text());
            }
            count += 1;
        }
        if count != self.names.len() {
            return Err(("ragged_row", self.ragged(row, count)));
        }
        Ok(Record {
            text: text_of(texts, fields.takes),
            id,
            values,
            group: group_of(equal.drain(..fields.equal.len())),
            facts: equal,
        })
    }

    /// The fields of a row that was parsed, by the names of their columns.
    pub(crate) fn pairs<'r>(&'r self, row: &'r str) -> impl Iterator<Item = (&'r str, Cow<'r, str>)> {
        let cells = Cells::new(row, self.dialect).map_while(std::result::Result::ok);
        self.names.iter().map(String::as_str).zip(cells.map(|cell| cell.text()))
    }

    /// The field of a row in the column of this name, as it is written.
    pub(super) fn cell<'r>(&self, row: &'r str, name: &str) -> Option<Cell<'r>> {
        Cells::new(row, self.dialect).nth(self.place(name)?)?.ok()
    }

    fn with_advice(&self, what: Message) -> Message {
        let sign = match self.dialect.delimiter {
            b',' => "comma".to_owned(),
            b'\t' => "tab".to_owned(),
            sign => format!("{:?}", char::from(sign)),
        };
        if !self.dialect.quoted {
            return msg!("{what}; fix the record: no field has a {sign} or a line break, because quotes are data here");
        }
        msg!(
            "{what}; fix the record: a field with a {sign}, a quote or a line break is put in quotes, and a \
             quote in it is written twice"
        )
    }

    fn ragged(&self, row: &str, count: usize) -> Message {
        let names: Vec<_> = self
            .names
            .iter()
            .take(SHOWN_NAMES)
            .map(|name| shorten(name, SHOWN_CHARS))
            .collect();
        let (columns, row) = (self.names.len(), shorten(row, SHOWN_CHARS));
        let more = if columns > SHOWN_NAMES { ", ..." } else { "" };
        self.with_advice(match count {
            1 => msg!("the row has 1 field and the header {columns} ({names}{more}): {row}"),
            _ => msg!("the row has {count} fields and the header {columns} ({names}{more}): {row}"),
        })
    }

    fn no_column(&self, name: &str) -> Cause {
        (
            "no_text_field",
            msg!("no column {name:?} among {count} columns", count = self.names.len()),
        )
    }
}

/// What the column is called that the header lacks: R writes the names of rows so.
const ROW_NAMES: &str = "row.names";

/// Whether each of the first rows has one field more than the header, and it is the first one: it has quotes, or tabs are
/// between the fields, and the last one is not empty, as behind a sign at the end.
fn is_short(names: usize, dialect: Dialect, first: &[Vec<u8>]) -> bool {
    let has_name = |row: &Vec<u8>| {
        let row = String::from_utf8_lossy(row);
        let cells: Option<Vec<_>> = Cells::new(row.trim_end_matches(['\n', '\r']), dialect)
            .map(Result::ok)
            .collect();
        cells.is_some_and(|cells| {
            let is_name = cells[0].quoted || dialect.delimiter == b'\t';
            cells.len() == names + 1 && is_name && !cells[0].raw.is_empty() && !cells[names].raw.is_empty()
        })
    };
    !first.is_empty() && first.iter().all(has_name)
}

/// A string as JSON has it.
fn json_string(text: &str) -> Vec<u8> {
    serde_json::Value::from(text).to_string().into_bytes()
}

/// One field as it is in its row, without the quotes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) struct Cell<'a> {
    pub(super) raw: &'a str,
    pub(super) quoted: bool,
    /// Has quotes in it, each written twice.
    pub(super) doubled: bool,
}

impl<'a> Cell<'a> {
    /// The field's text.
    pub(super) fn text(&self) -> Cow<'a, str> {
        if self.doubled {
            Cow::Owned(self.raw.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(self.raw)
        }
    }
}

/// What is wrong with the quotes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum QuoteError<'a> {
    /// The quote that opened it, at this byte, is not closed.
    Open(usize),
    /// This follows the closing quote.
    Behind(&'a str),
}

impl QuoteError<'_> {
    /// In words; `before` fields precede it.
    fn message(self, before: usize) -> Message {
        let field = before + 1;
        match self {
            Self::Open(at) => msg!("the quote that opens field {field} at byte {at} is not closed"),
            Self::Behind(rest) => msg!(
                "{rest:?} follows the closing quote of field {field}; only a delimiter may follow it",
                rest = shorten(rest, SHOWN_CHARS)
            ),
        }
    }
}

/// The fields of a row; nothing follows a wrong one. An empty row has one empty field.
#[derive(Debug)]
pub(in crate::source) struct Cells<'a> {
    row: &'a str,
    dialect: Dialect,
    /// Where the next field begins.
    next: Option<usize>,
}

impl<'a> Cells<'a> {
    pub(in crate::source) fn new(row: &'a str, dialect: Dialect) -> Self {
        Self {
            row,
            dialect,
            next: Some(0),
        }
    }

    fn quoted(&mut self, start: usize) -> std::result::Result<Cell<'a>, QuoteError<'a>> {
        let bytes = self.row.as_bytes();
        let mut doubled = false;
        let mut at = start + 1;
        loop {
            let Some(step) = memchr::memchr(b'"', &bytes[at..]) else {
                return Err(QuoteError::Open(start));
            };
            let quote = at + step;
            match bytes.get(quote + 1) {
                Some(b'"') => {
                    doubled = true;
                    at = quote + 2;
                    continue;
                }
                Some(&byte) if byte == self.dialect.delimiter => self.next = Some(quote + 2),
                Some(_) => return Err(QuoteError::Behind(&self.row[quote + 1..])),
                None => {}
            }
            return Ok(Cell {
                raw: &self.row[start + 1..quote],
                quoted: true,
                doubled,
            });
        }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = std::result::Result<Cell<'a>, QuoteError<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.next.take()?;
        let rest = &self.row.as_bytes()[start..];
        if self.dialect.quoted && rest.first() == Some(&b'"') {
            return Some(self.quoted(start));
        }
        let end = memchr::memchr(self.dialect.delimiter, rest);
        self.next = end.map(|end| start + end + 1);
        let raw = &self.row[start..end.map_or(self.row.len(), |end| start + end)];
        Some(Ok(Cell {
            raw,
            quoted: false,
            doubled: false,
        }))
    }
}
