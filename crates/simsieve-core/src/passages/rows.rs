//! Rows: what a document shares with one source, made of its spans, and the file that has a line for each.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use super::{Passages, Span, covered};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::sink::{Cell, Field, Line, Lines, RowSink, Sink, write_through};

/// What a document shares with one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Position of the document.
    pub document: u32,
    /// Position of the source.
    pub source: u32,
    /// Which of the spans it has.
    pub spans: Range<usize>,
    /// Code points of the document in spans.
    pub own: u32,
    /// Code points of the source in spans.
    pub other: u32,
    /// Code points of the longest span.
    pub longest: u32,
}

/// A row that is written: a pair, and the shares of its texts that are in spans.
pub type Shared = (Pair, [f64; 2]);

/// The pairs that have `spans`, which are in the order of [`Passages::spans`]. With the `lengths` of texts, of a source those code points
/// count that are in spans of one stretch of the document, twice as long as the source.
///
/// Complexity: linear in the spans of a pair, times their logarithm; squared with `lengths`.
pub fn pairs(spans: &[Span], lengths: Option<&[u32]>) -> Vec<Pair> {
    let of_source = |spans: &[Span]| covered(spans.iter().map(|span| span.source_place).collect());
    let mut end = 0;
    let pair = |some: &[Span]| {
        let Span { document, source, .. } = some[0];
        end += some.len();
        Pair {
            document,
            source,
            spans: end - some.len()..end,
            own: covered(some.iter().map(|span| span.place).collect()),
            other: lengths.map_or_else(|| of_source(some), |all| together(some, 2 * all[source as usize])),
            longest: some.iter().map(|span| span.place.1 - span.place.0).max().unwrap_or(0),
        }
    };
    spans
        .chunk_by(|one, other| (one.document, one.source) == (other.document, other.source))
        .map(pair)
        .collect()
}

/// The most code points of a source in spans that are within `reach` code points of a document.
fn together(spans: &[Span], reach: u32) -> u32 {
    let from = |at: usize| {
        let first = &spans[at];
        let end = first.place.0.saturating_add(reach);
        let near = spans[at + 1..].iter().take_while(|span| span.place.0 < end);
        let near = near.filter(|span| span.place.1 <= end);
        covered([first].into_iter().chain(near).map(|span| span.source_place).collect())
    };
    (0..spans.len()).map(from).max().unwrap_or(0)
}

impl Span {
    /// Its score with four digits.
    pub fn rounded_score(&self) -> f64 {
        (f64::from(self.score) * 1e4).round() / 1e4
    }
}

/// Writes a line of JSON for each of some rows, of `spans`; the file appears whole or not at all.
///
/// # Errors
/// [`Error::Sink`](crate::base::error::Error::Sink) where it cannot be written.
pub fn write(passages: &Passages, spans: &[Span], rows: &[Shared], sink: &Path, ctx: &Context<'_>) -> Result<()> {
    let sink: Box<dyn Sink<[Lines]>> = Box::new(RowSink::new(sink));
    write_through(sink, &passages.sources, |sink| {
        for (at, some) in rows.chunks(ROWS_AT_ONCE).enumerate() {
            ctx.tick("write", (at * ROWS_AT_ONCE) as u64, rows.len() as u64)?;
            sink.write(&[Lines::of(some.iter().map(|row| Row(passages, spans, row)))])?;
        }
        ctx.tick("write", rows.len() as u64, rows.len() as u64)
    })
}

/// Rows between two reports of progress.
const ROWS_AT_ONCE: usize = 1 << 14;

struct Row<'a>(&'a Passages, &'a [Span], &'a Shared);

impl Line for Row<'_> {
    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let Self(passages, spans, (pair, [share, source_share])) = self;
        let mut json = vec![b'['];
        for span in &spans[pair.spans.clone()] {
            let ((start, end), (source_start, source_end)) = (span.place, span.source_place);
            let before = if json.len() > 1 { "," } else { "" };
            let score = span.rounded_score();
            write!(
                json,
                "{before}{{\"start\":{start},\"end\":{end},\"source_start\":{source_start},\"source_end\":{source_end},\"score\":{score:?}"
            )?;
            match span.common {
                0 => json.push(b'}'),
                common => write!(json, ",\"common\":{common}}}")?,
            }
        }
        json.push(b']');
        let sources = &passages.sources;
        let first = if sources.is_against() { sources.new_len() } else { 0 };
        let label = |position: u32| Cell::json(passages.label(position as usize));
        let fields: [Field<'_>; 8] = [
            ("document", label(pair.document)),
            ("source", label(pair.source)),
            ("share", Cell::Real(*share)),
            ("source_share", Cell::Real(*source_share)),
            ("longest", Cell::Whole(pair.longest.into())),
            ("spans", Cell::Json(&json)),
            ("document_position", Cell::Whole(pair.document.into())),
            ("source_position", Cell::Whole(u64::from(pair.source) - first as u64)),
        ];
        fields.write_to(out)
    }
}
