//! A run's results as files: decisions, pairs, fingerprints, kept records. Each appears complete or not at all.

use std::fmt::{self, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::json;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::Collection;
use crate::dedup::decide::{Decisions, NOBODY, Reason};
use crate::dedup::pairs::{Contained, NearPair};
use crate::dedup::verify::losses::{has_conflict, units};
use crate::encode::fingerprint::blocks::blocks;
use crate::search::documents::Documents;
use crate::search::found::NO_DISTANCE;
use crate::sink::decision_documents::{DecisionColumns, DecisionRow};
use crate::sink::{Cell, FailedSink, Field, Line, Lines, RowSink, Sink, write_through};
use crate::source::{Failure, Sources};

/// The notation of a fingerprint, most significant bit first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Hexadecimal digits with leading zeros.
    Hex,
    /// A decimal number.
    Int,
    /// Zeros and ones.
    Bits,
}

impl Form {
    /// Reads a form's name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "hex" => Ok(Self::Hex),
            "int" => Ok(Self::Int),
            "bits" => Ok(Self::Bits),
            _ => Err(Error::Config(msg!(
                "format {name:?} is unknown; there are hex, int, bits"
            ))),
        }
    }

    /// Prints a fingerprint of `width` bits, given as little-endian words.
    ///
    /// ```
    /// use simsieve_core::dedup::output::Form;
    /// assert_eq!(Form::Hex.print(&[0xAB, 1], 128), "000000000000000100000000000000ab");
    /// assert_eq!(Form::Int.print(&[0, 1], 128), "18446744073709551616");
    /// ```
    pub fn print(self, words: &[u64], width: u32) -> String {
        match self {
            Self::Hex => digits(words, width.div_ceil(4), |out, word| write!(out, "{word:016x}")),
            Self::Bits => digits(words, width, |out, word| write!(out, "{word:064b}")),
            Self::Int => decimal(words),
        }
    }
}

/// The last `count` digits of the printed words, most significant first.
fn digits(words: &[u64], count: u32, print: impl Fn(&mut String, u64) -> fmt::Result) -> String {
    let mut all = String::new();
    for &word in words.iter().rev() {
        print(&mut all, word).expect("a string takes every digit");
    }
    all.split_off(all.len() - count as usize)
}

/// Long division by 10^18, a word at a time.
fn decimal(words: &[u64]) -> String {
    const BASE: u128 = 1_000_000_000_000_000_000;
    let mut rest = words.to_vec();
    let mut groups = Vec::new();
    while rest.iter().any(|&word| word != 0) {
        let mut remainder = 0_u128;
        for word in rest.iter_mut().rev() {
            let value = remainder << 64 | u128::from(*word);
            *word = (value / BASE) as u64;
            remainder = value % BASE;
        }
        groups.push(remainder);
    }
    let Some(first) = groups.pop() else {
        return "0".to_owned();
    };
    groups
        .iter()
        .rev()
        .fold(first.to_string(), |text, group| format!("{text}{group:018}"))
}

/// Rows of a batch: made, then written.
const BATCH_ROWS: usize = 1 << 14;

/// Rows whose lines are made together.
const CHUNK_ROWS: usize = 1 << 10;

/// Failed records of a batch: read again, then written. Each can be long.
const BATCH_FAILURES: usize = 1 << 10;

/// The similarity by edits of characters of each row, as a column; NaN where there is none.
fn edit<'a>(edits: Option<&[f64]>, at: usize) -> Field<'a> {
    (
        "edit",
        Cell::real(edits.map(|edits| edits[at])).only_if(edits.is_some()),
    )
}

/// Writes one JSON line for each new record, in input order; `edits` has a value for each, or none is written.
pub fn write_decisions(
    documents: &Documents,
    decisions: &Decisions,
    edits: Option<&[f64]>,
    sink: &Path,
    ctx: &Context<'_>,
) -> Result<()> {
    let rows = 0..decisions.decision.len();
    let row = |position: usize| (row_at(documents, decisions, position), edit(edits, position));
    write_rows(&documents.collection, rows.len(), rows, row, sink, ctx)
}

/// Writes a row for each of at most `total` items, a batch at a time. The lines of a batch are made on all threads while those of
/// the batch before it are written. Stage `write` counts rows.
fn write_rows<Item: Copy + Send + Sync, Row: Line>(
    collection: &Collection,
    total: usize,
    mut items: impl Iterator<Item = Item>,
    row: impl Fn(Item) -> Row + Sync,
    sink: &Path,
    ctx: &Context<'_>,
) -> Result<()> {
    let sink: Box<dyn Sink<[Lines]> + '_> = Box::new(RowSink::new(sink));
    write_through(sink, &collection.sources, |sink| {
        let (mut lines, mut done) = (Vec::new(), 0);
        loop {
            ctx.tick("write", done, total as u64)?;
            let batch: Vec<Item> = items.by_ref().take(BATCH_ROWS).collect();
            let made = || {
                let chunks = batch.par_chunks(CHUNK_ROWS);
                chunks
                    .map(|items| Lines::of(items.iter().map(|item| row(*item))))
                    .collect()
            };
            let (made, written) = ctx.beside(made, || sink.write(&lines))?;
            written?;
            lines = made;
            if batch.is_empty() {
                return ctx.tick("write", total as u64, total as u64);
            }
            done += batch.len() as u64;
        }
    })
}

/// Writes the records that failed, with their bytes and the reason: see [`FailedSink`]. Stage `write_failed` counts records.
pub fn write_failed(
    sources: &Arc<Sources>,
    failures: &[(usize, Failure)],
    sink: &Path,
    ctx: &Context<'_>,
) -> Result<()> {
    let sink: Box<dyn Sink<[(usize, Failure)]>> = Box::new(FailedSink::new(sink));
    write_through(sink, sources, |sink| {
        for (at, batch) in failures.chunks(BATCH_FAILURES).enumerate() {
            ctx.tick("write_failed", (at * BATCH_FAILURES) as u64, failures.len() as u64)?;
            sink.write(batch)?;
        }
        Ok(())
    })
}

/// One record's decision; the reason of a failed record is its code.
pub fn row_at<'a>(documents: &'a Documents, decisions: &Decisions, position: usize) -> DecisionRow<'a> {
    let collection = &*documents.collection;
    let failures = &collection.failures;
    let failure = failures.binary_search_by_key(&position, |(at, _)| *at).ok();
    let to = decisions.representative[position];
    let represented = to != NOBODY;
    let measured = decisions.reason[position] != Reason::NoFeatures && represented;
    let scheme = decisions.scheme.get(position).copied();
    let under = documents.under(scheme.unwrap_or(0).into());
    let threshold = &under.recipe.threshold;
    let similarity = Some(decisions.similarity[position]).filter(|_| measured && threshold.by_similarity());
    let (side, apart) = collection_of(collection, to);
    let decision = decisions.decision[position].name();
    let reason = failure.map_or_else(|| decisions.reason[position].name(), |at| failures[at].1.code);
    let distance = u32::try_from(decisions.distance[position]).ok().filter(|_| measured);
    let by_verdict = matches!(decisions.reason[position], Reason::Verdict | Reason::Agree);
    let by_scheme = measured && to as usize != position;
    let loss = Some(decisions.lost[position]).filter(|_| to as usize != position);
    let lost = loss.and_then(units);
    let (source, line) = collection.sources.locate(position).cells();
    [
        ("position", Cell::Whole(position as u64)),
        ("id", Cell::json(collection.label(position))),
        ("decision", Cell::text(Some(decision))),
        (
            "representative",
            Cell::json(represented.then(|| collection.label(to as usize)).flatten()),
        ),
        ("representative_position", Cell::whole(represented.then_some(apart))),
        ("distance", Cell::whole(distance)),
        ("similarity", Cell::real(similarity)),
        (
            "measure",
            Cell::text((measured && !by_verdict).then(|| threshold.measure())),
        ),
        ("reason", Cell::text(Some(reason))),
        ("lost", Cell::whole(lost)),
        ("conflict", conflict(loss)),
        ("source", Cell::text(Some(source))),
        ("line", Cell::Whole(line)),
        (
            "representative_collection",
            Cell::text(represented.then_some(side)).only_if(collection.sources.is_against()),
        ),
        (
            "scheme",
            Cell::text(by_scheme.then(|| under.encoding.scheme.spec())).only_if(scheme.is_some()),
        ),
    ]
}

/// Whether numbers conflict, where a loss was measured.
fn conflict<'a>(loss: Option<u32>) -> Cell<'a> {
    let measured = loss.filter(|&loss| units(loss).is_some());
    measured.map_or(Cell::Null, |loss| Cell::Truth(has_conflict(loss)))
}

/// Calls `each` with the decisions of a run, for documents that are made of them.
pub fn with_columns<T>(documents: &Documents, decisions: &Decisions, each: impl FnOnce(DecisionColumns<'_>) -> T) -> T {
    let to = |position: usize| Some(decisions.representative[position]).filter(|to| *to != NOBODY);
    each(DecisionColumns {
        sources: &documents.collection.sources,
        representative: &|position| to(position).map(|to| to as usize),
        row: &|position| row_at(documents, decisions, position),
    })
}

/// Where records are, as columns: the names of files, for each record which of these it is in, and its line.
pub fn places(collection: &Collection, positions: Range<usize>) -> (Vec<String>, Vec<u32>, Vec<i64>) {
    let (mut names, mut sources, mut lines) = (Vec::<String>::new(), Vec::new(), Vec::new());
    for (name, line) in positions.map(|position| collection.sources.locate(position).cells()) {
        if names.last().is_none_or(|last| *last != name) {
            names.push(name.into_owned());
        }
        sources.push(names.len() as u32 - 1);
        lines.push(line as i64);
    }
    (names, sources, lines)
}

/// A record's collection, and its position in it; both count from 0.
pub fn collection_of(collection: &Collection, position: u32) -> (&'static str, u64) {
    if collection.is_old(position) {
        ("old", u64::from(position) - collection.sources.new_len() as u64)
    } else {
        ("new", u64::from(position))
    }
}

/// Writes one JSON line for each pair; `edits` has a value for each, or none is written.
pub fn write_pairs(
    collection: &Collection,
    pairs: impl ExactSizeIterator<Item = NearPair>,
    edits: Option<&[f64]>,
    sink: &Path,
    ctx: &Context<'_>,
) -> Result<()> {
    let label = |position: u32| match collection.label(position as usize) {
        Some(id) => Cell::Json(id),
        None => Cell::Whole(collection_of(collection, position).1),
    };
    let row = |(at, pair): (usize, NearPair)| {
        let distance = Some(pair.distance).filter(|distance| *distance != NO_DISTANCE);
        let contained = pair.contained.map(Contained::name);
        let row = [
            ("a", label(pair.a)),
            ("b", label(pair.b)),
            ("distance", Cell::whole(distance)),
            ("similarity", Cell::real(Some(pair.similarity))),
            ("lost_a", Cell::whole(units(pair.lost[0]))),
            ("lost_b", Cell::whole(units(pair.lost[1]))),
            ("conflict", conflict(Some(pair.lost[0]))),
            ("contained", Cell::text(contained).only_if(contained.is_some())),
        ];
        (row, edit(edits, at))
    };
    write_rows(collection, pairs.len(), pairs.enumerate(), row, sink, ctx)
}

/// Writes `id TAB fingerprint` for every document: its label as plain text, or its position without one; nothing after
/// the tab if it has no fingerprint. Each of several schemes has a column. Each fingerprint is followed by its `blocks`,
/// each in a column; see [`blocks`](mod@crate::encode::fingerprint::blocks). Failed records have no line. With the names of the
/// columns each line is a JSON object of `id` and these.
pub fn write_fingerprints(
    collection: &Collection,
    form: Form,
    blocks: u32,
    names: Option<&[String]>,
    sink: &Path,
    ctx: &Context<'_>,
) -> Result<()> {
    let mut failed = collection.failures.iter().map(|(position, _)| *position).peekable();
    let line = |position: usize| {
        let mut columns = String::new();
        for encoding in &collection.encodings {
            let print = encoding.valid[position].then(|| encoding.fingerprint(position as u32));
            push_columns(&mut columns, print, encoding.scheme.width(), form, blocks);
        }
        let Some(names) = names else {
            return plain_label(collection, position) + &columns;
        };
        let label = collection.label(position).map(String::from_utf8_lossy);
        let mut line = format!("{{\"id\":{}", label.unwrap_or_else(|| position.to_string().into()));
        for (name, value) in names.iter().zip(columns.split('\t').skip(1)) {
            let value = Some(value).filter(|value| !value.is_empty());
            write!(line, ",{}:{}", json!(name), json!(value)).expect("a string takes every column");
        }
        line + "}"
    };
    let made = (0..collection.len()).filter(|position| failed.next_if_eq(position).is_none());
    write_rows(collection, collection.len(), made, line, sink, ctx)
}

/// Appends a tab and the fingerprint, and for each of its blocks a tab and the block; without a fingerprint the tabs alone.
fn push_columns(line: &mut String, print: Option<&[u64]>, width: u32, form: Form, count: u32) {
    line.push('\t');
    let Some(words) = print else {
        line.extend((0..count).map(|_| '\t'));
        return;
    };
    line.push_str(&form.print(words, width));
    for (size, block) in blocks(words, width, count) {
        line.push('\t');
        line.push_str(&form.print(&[block], size));
    }
}

/// A label as plain text; a label with a tab or a line end stays in JSON form.
fn plain_label(collection: &Collection, position: usize) -> String {
    let Some(raw) = collection.label(position) else {
        return position.to_string();
    };
    match serde_json::from_slice::<serde_json::Value>(raw) {
        Ok(serde_json::Value::String(text)) if !text.contains(['\t', '\n', '\r']) => text,
        _ => String::from_utf8_lossy(raw).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_pieces_of_the_fingerprint() {
        let words = [0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210];
        let line = |blocks, print| {
            let mut line = "id".to_owned();
            push_columns(&mut line, print, 128, Form::Hex, blocks);
            line
        };
        assert_eq!(line(0, Some(&words)), "id\tfedcba98765432100123456789abcdef");
        assert_eq!(
            line(4, Some(&words)),
            "id\tfedcba98765432100123456789abcdef\tfedcba98\t76543210\t01234567\t89abcdef"
        );
        assert_eq!(line(2, None), "id\t\t\t");
    }

    #[test]
    fn forms_print_the_whole_width() {
        assert_eq!(Form::Bits.print(&[5], 4), "0101");
        assert_eq!(Form::Hex.print(&[5], 10), "005");
        assert_eq!(Form::Int.print(&[0, 0], 128), "0");
        let words = [u64::MAX; 4];
        let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        assert_eq!(Form::Int.print(&words, 256), most);
        assert!(Form::parse("octal").unwrap_err().to_string().contains("hex, int, bits"));
    }
}
