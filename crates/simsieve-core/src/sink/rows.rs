//! The lines of the decisions file and of the pairs: JSON, keys always in the same order.
//!
//! In come rows that borrow all they have; out go lines. They are written once for every record or pair, millions
//! of times, so a line is put together by hand and nothing is allocated.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::Sink;
use super::target::Target;
use crate::base::error::Result;
use crate::source::Sources;
use crate::storage::atomic::AtomicFile;

/// A column of a row: its name, and its value there. A row is an array of them in order.
pub type Field<'a> = (&'static str, Cell<'a>);

/// The value of a column in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// The rows of this run do not have the column.
    Absent,
    /// There is no value.
    Null,
    /// A label, as raw JSON.
    Json(&'a [u8]),
    /// A text.
    Text(Cow<'a, str>),
    /// A whole number.
    Whole(u64),
    /// Yes or no.
    Truth(bool),
    /// A number, which is written with six digits; one that is not finite is none.
    Real(f64),
}

impl<'a> Cell<'a> {
    /// A label as raw JSON, if there is one.
    pub fn json(label: Option<&'a [u8]>) -> Self {
        label.map_or(Self::Null, Self::Json)
    }

    /// A text, if there is one.
    pub fn text(text: Option<impl Into<Cow<'a, str>>>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.into()))
    }

    /// A whole number, if there is one.
    pub fn whole(number: Option<impl Into<u64>>) -> Self {
        number.map_or(Self::Null, |number| Self::Whole(number.into()))
    }

    /// A number, if there is one and it is finite.
    pub fn real(number: Option<f64>) -> Self {
        number
            .filter(|number| number.is_finite())
            .map_or(Self::Null, Self::Real)
    }

    /// The cell, in a column that only the rows of some runs have.
    #[must_use]
    pub fn only_if(self, present: bool) -> Self {
        if present { self } else { Self::Absent }
    }

    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Json(raw) => out.write_all(raw),
            Self::Text(text) => serde_json::to_writer(out, text).map_err(io::Error::from),
            Self::Whole(number) => write!(out, "{number}"),
            Self::Truth(truth) => write!(out, "{truth}"),
            // Six decimals are more than any threshold has; the shortest form of the rounded number reads back the same.
            Self::Real(number) if number.is_finite() => write!(out, "{:?}", (number * 1e6).round() / 1e6),
            Self::Absent | Self::Null | Self::Real(_) => out.write_all(b"null"),
        }
    }
}

/// A file of lines: decisions, pairs, or texts that are lines already.
#[derive(Debug)]
pub struct RowSink {
    target: Target,
}

impl RowSink {
    /// A sink at this name.
    pub fn new(path: &Path) -> Self {
        Self {
            target: Target::new(path),
        }
    }

    fn write_with(&mut self, write: impl FnOnce(&mut AtomicFile) -> io::Result<()>) -> Result<()> {
        let file = &mut self.target.begun()?.file;
        write(file).map_err(|error| file.error(&error))
    }
}

/// A row that is written as a line.
pub trait Line {
    /// Writes the line and its end.
    ///
    /// # Errors
    /// Those of `out`.
    fn write_to(&self, out: &mut impl Write) -> io::Result<()>;
}

/// The lines of some rows, so that several threads make lines that one writes.
#[derive(Debug)]
pub struct Lines(Vec<u8>);

impl Lines {
    /// The lines of rows.
    pub fn of<Row: Line>(rows: impl Iterator<Item = Row>) -> Self {
        let mut lines = Vec::new();
        for row in rows {
            row.write_to(&mut lines).expect("memory takes every line");
        }
        Self(lines)
    }
}

impl Line for Lines {
    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.0)
    }
}

impl<Row: Line> Sink<[Row]> for RowSink {
    fn check(&self, sources: &Sources) -> Result<()> {
        self.target.check(sources)
    }

    fn begin(&mut self, sources: &Arc<Sources>) -> Result<()> {
        self.target.begin(sources)
    }

    fn write(&mut self, batch: &[Row]) -> Result<()> {
        self.write_with(|file| batch.iter().try_for_each(|row| row.write_to(file)))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.target.commit()
    }
}

impl Line for String {
    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.as_bytes())?;
        out.write_all(b"\n")
    }
}

impl<const COLUMNS: usize> Line for [Field<'_>; COLUMNS] {
    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        write_fields(self.iter(), out)
    }
}

/// A row with one more column.
impl<const COLUMNS: usize> Line for ([Field<'_>; COLUMNS], Field<'_>) {
    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        write_fields(self.0.iter().chain([&self.1]), out)
    }
}

fn write_fields<'a>(fields: impl Iterator<Item = &'a Field<'a>>, out: &mut impl Write) -> io::Result<()> {
    let mut before = "{\"";
    for (name, cell) in fields.filter(|(_, cell)| *cell != Cell::Absent) {
        out.write_all(before.as_bytes())?;
        out.write_all(name.as_bytes())?;
        out.write_all(b"\":")?;
        cell.write_to(out)?;
        before = ",\"";
    }
    out.write_all(b"}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::write_through;

    fn written<Row>(path: &Path, rows: &[Row]) -> String
    where
        RowSink: Sink<[Row]>,
    {
        let sink: Box<dyn Sink<[Row]> + '_> = Box::new(RowSink::new(path));
        let sources = Arc::new(Sources::from_texts([""; 0]));
        write_through(sink, &sources, |sink| sink.write(rows)).unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    /// Rows are objects with keys in order; a key that is absent is left out.
    #[test]
    fn rows() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("rows.jsonl");
        let row = |label: Option<&'static [u8]>, similarity, scheme: Cell<'static>| {
            [
                ("position", Cell::Whole(7)),
                ("id", Cell::json(label)),
                ("reason", Cell::Text("a\"b".into())),
                ("distance", Cell::whole(label.map(|_| 2_u32))),
                ("similarity", Cell::real(similarity)),
                ("scheme", scheme),
            ]
        };
        let rows = [
            row(Some(b"\"a\\u00e9\""), Some(0.912_345_67), Cell::Absent),
            row(Some(b"1.50"), Some(1.0), Cell::text(None::<&str>)),
            row(None, Some(f64::NAN), Cell::text(Some("dom128")).only_if(true)),
        ];
        let lines = concat!(
            "{\"position\":7,\"id\":\"a\\u00e9\",\"reason\":\"a\\\"b\",\"distance\":2,\"similarity\":0.912346}\n",
            "{\"position\":7,\"id\":1.50,\"reason\":\"a\\\"b\",\"distance\":2,\"similarity\":1.0,\"scheme\":null}\n",
            "{\"position\":7,\"id\":null,\"reason\":\"a\\\"b\",\"distance\":null,\"similarity\":null,\"scheme\":\"dom128\"}\n",
        );
        assert_eq!(written(&path, &rows), lines);
    }
}
