//! The lines of the decisions file and of the pairs: JSON, keys always in the same order.
//!
//! In come rows that borrow all they have; out go lines. They are written once for every record or pair, millions
//! of times, so a line is put together by hand and nothing is allocated.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::Sink;
use super::target::Target;
use crate::base::error::Result;
use crate::source::Sources;
use crate::storage::atomic::AtomicFile;

/// What was decided about one record.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionRow<'a> {
    /// The record's place in the input, from 0.
    pub position: u64,
    /// Its label, as raw JSON.
    pub id: Option<&'a [u8]>,
    /// `kept`, `dropped` or `failed`.
    pub decision: &'a str,
    /// The label of the record that represents it, as raw JSON.
    pub representative: Option<&'a [u8]>,
    /// The place of the record that represents it.
    pub representative_position: Option<u64>,
    /// Hamming distance to the representative, in bits.
    pub distance: Option<u32>,
    /// Similarity to the representative, in [0, 1].
    pub similarity: Option<f64>,
    /// The measure of the similarity.
    pub measure: Option<&'a str>,
    /// `unique`, `representative`, `no_features`, `exact`, `near`, or a failure's code.
    pub reason: &'a str,
    /// The collection of the record that represents it, `new` or `old`. Absent where there is one collection.
    pub representative_collection: Extra<&'a str>,
    /// The scheme under which it is near the record that represents it. Absent unless one of several schemes suffices.
    pub scheme: Extra<String>,
}

/// The value of a key that only the rows of some runs have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra<T> {
    /// The rows of this run do not have the key.
    Absent,
    /// The row has the key with `null`.
    Null,
    /// The row has the key with this value.
    Value(T),
}

impl<T> Extra<T> {
    /// The value of a key that the row has.
    pub fn present(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }

    /// The value, if there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

/// How a record is named in a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label<'a> {
    /// By its label, as raw JSON.
    Id(&'a [u8]),
    /// By its place in the input.
    Position(u64),
}

/// Two records that are near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairRow<'a> {
    /// The earlier one.
    pub a: Label<'a>,
    /// The later one.
    pub b: Label<'a>,
    /// Hamming distance in bits.
    pub distance: Option<u32>,
    /// Similarity in [0, 1].
    pub similarity: Option<f64>,
    /// Under a containment which one the other contains; else it is not written.
    pub contained: Option<&'static str>,
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

impl Line for DecisionRow<'_> {
    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{{\"position\":{},\"id\":", self.position)?;
        raw_or_null(out, self.id)?;
        out.write_all(b",\"decision\":")?;
        string(out, self.decision)?;
        out.write_all(b",\"representative\":")?;
        raw_or_null(out, self.representative)?;
        out.write_all(b",\"representative_position\":")?;
        number_or_null(out, self.representative_position)?;
        distance_and_similarity(out, self.distance, self.similarity)?;
        out.write_all(b",\"measure\":")?;
        string_or_null(out, self.measure)?;
        out.write_all(b",\"reason\":")?;
        string(out, self.reason)?;
        extra(out, "representative_collection", &self.representative_collection)?;
        extra(out, "scheme", &self.scheme)?;
        out.write_all(b"}\n")
    }
}

fn extra(out: &mut impl Write, name: &str, value: &Extra<impl AsRef<str>>) -> io::Result<()> {
    let value = match value {
        Extra::Absent => return Ok(()),
        Extra::Null => None,
        Extra::Value(value) => Some(value.as_ref()),
    };
    write!(out, ",\"{name}\":")?;
    string_or_null(out, value)
}

fn string_or_null(out: &mut impl Write, value: Option<&str>) -> io::Result<()> {
    match value {
        Some(value) => string(out, value),
        None => out.write_all(b"null"),
    }
}

impl Line for PairRow<'_> {
    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"{\"a\":")?;
        label(out, self.a)?;
        out.write_all(b",\"b\":")?;
        label(out, self.b)?;
        distance_and_similarity(out, self.distance, self.similarity)?;
        if let Some(contained) = self.contained {
            write!(out, ",\"contained\":\"{contained}\"")?;
        }
        out.write_all(b"}\n")
    }
}

fn distance_and_similarity(out: &mut impl Write, distance: Option<u32>, similarity: Option<f64>) -> io::Result<()> {
    out.write_all(b",\"distance\":")?;
    number_or_null(out, distance.map(u64::from))?;
    out.write_all(b",\"similarity\":")?;
    match similarity {
        // Six decimals are more than any threshold has; the shortest form of what is left reads back the same.
        Some(similarity) if similarity.is_finite() => write!(out, "{:?}", (similarity * 1e6).round() / 1e6),
        _ => out.write_all(b"null"),
    }
}

fn label(out: &mut impl Write, label: Label<'_>) -> io::Result<()> {
    match label {
        Label::Id(raw) => out.write_all(raw),
        Label::Position(position) => write!(out, "{position}"),
    }
}

fn raw_or_null(out: &mut impl Write, raw: Option<&[u8]>) -> io::Result<()> {
    out.write_all(raw.unwrap_or(b"null"))
}

fn number_or_null(out: &mut impl Write, number: Option<u64>) -> io::Result<()> {
    match number {
        Some(number) => write!(out, "{number}"),
        None => out.write_all(b"null"),
    }
}

fn string(out: &mut impl Write, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
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

    /// Decisions and pairs are JSON with keys in the promised order.
    #[test]
    fn rows() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("rows.jsonl");
        let row = DecisionRow {
            position: 7,
            id: Some(b"\"a\\u00e9\""),
            decision: "dropped",
            representative: Some(b"1.50"),
            representative_position: Some(3),
            distance: Some(2),
            similarity: Some(0.912_345_67),
            measure: Some("cosine"),
            reason: "near",
            representative_collection: Extra::Absent,
            scheme: Extra::Absent,
        };
        let none = DecisionRow {
            id: None,
            representative: None,
            representative_position: None,
            similarity: None,
            ..row.clone()
        };
        let other = DecisionRow {
            distance: None,
            measure: None,
            reason: "a\"b",
            representative_collection: Extra::Null,
            scheme: Extra::Value("dom128".to_owned()),
            ..none
        };
        let pair = PairRow {
            a: Label::Id(b"\"x\""),
            b: Label::Position(9),
            distance: Some(0),
            similarity: Some(1.0),
            contained: None,
        };
        let contained = PairRow {
            contained: Some("b"),
            ..pair
        };
        let unmeasured = PairRow {
            distance: None,
            similarity: Some(f64::NAN),
            ..pair
        };
        let decisions = concat!(
            "{\"position\":7,\"id\":\"a\\u00e9\",\"decision\":\"dropped\",\"representative\":1.50,",
            "\"representative_position\":3,\"distance\":2,\"similarity\":0.912346,\"measure\":\"cosine\",\"reason\":\"near\"}\n",
            "{\"position\":7,\"id\":null,\"decision\":\"dropped\",\"representative\":null,",
            "\"representative_position\":null,\"distance\":null,\"similarity\":null,\"measure\":null,\"reason\":\"a\\\"b\",",
            "\"representative_collection\":null,\"scheme\":\"dom128\"}\n",
        );
        assert_eq!(written(&path, &[row, other]), decisions);
        let pairs = concat!(
            "{\"a\":\"x\",\"b\":9,\"distance\":0,\"similarity\":1.0}\n",
            "{\"a\":\"x\",\"b\":9,\"distance\":null,\"similarity\":null}\n",
            "{\"a\":\"x\",\"b\":9,\"distance\":0,\"similarity\":1.0,\"contained\":\"b\"}\n",
        );
        assert_eq!(written(&path, &[pair, unmeasured, contained]), pairs);
    }
}
