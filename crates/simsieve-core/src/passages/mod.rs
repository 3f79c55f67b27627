//! Passages: runs that two texts share inside, found by anchors and borne out on the texts.
//!
//! In: the records of a collection, and those that it is held against. Out: spans in code points of both texts, each verified.
//!
//! 1. [`letters`](crate::text::letters): a text becomes letters with their places.
//! 2. [`anchors`](crate::text::anchors): of every stretch of it one window is remembered; of a small collection every window, so that any
//!    that the edits of a passage have left whole is met.
//! 3. `gather`, `hits`: equal anchors of two documents, by sorted runs that may be files. An anchor at many places is *common*: it leads to no
//!    pair, and is told of each document.
//!    Those of old records can be in a file (`kept`).
//! 4. `align`: hits become spans on the letters of both texts.
//!
//! Every shared run of [`Windows::certain`] letters has an anchor, so it is found unless its anchors are common, or overlap common ones: a line of
//! many documents and a letter behind it are no passage.

mod align;
mod gather;
mod hits;
mod kept;
mod options;
pub mod templates;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::collection::changed;
use crate::collection::labels::Labels;
use crate::encode::scheme::Scheme;
use crate::source::{Failure, Fields, RecordBuffer, Sources};
use crate::text::anchors::Windows;
use crate::text::letters::{Letter, take_letters};
use align::Aligned;
pub use kept::Anchors;
pub use options::Options;

/// A passage: a span of a document, and the span of a source that it shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Position of the document.
    pub document: u32,
    /// Position of the source: an old record, or without these an earlier one.
    pub source: u32,
    /// First code point in the document, and the one behind the last.
    pub place: (u32, u32),
    /// The same in the source.
    pub source_place: (u32, u32),
    /// The share of the longer side that is equal.
    pub score: f32,
}

/// The passages of a collection.
#[derive(Debug)]
pub struct Passages {
    /// What was read; old records follow the new ones.
    pub sources: Arc<Sources>,
    /// All spans, by document, source and place.
    pub spans: Vec<Span>,
    /// Documents in which common anchors stand outside of spans, and how many code points their windows cover there.
    pub common: Vec<(u32, u32)>,
    /// Code points of every record's text.
    pub lengths: Vec<u32>,
    /// Records that are no documents, by position.
    pub failures: Vec<(usize, Failure)>,
    labels: Labels,
    fields: Fields,
    scheme: Scheme,
    windows: Windows,
}

impl Passages {
    /// The label of a record as raw JSON.
    pub fn label(&self, position: usize) -> Option<&[u8]> {
        self.labels.get(position)
    }

    /// Dense characters, and letters of an alphabet, of which every shared run has an anchor.
    pub const fn certain(&self) -> (u32, u32) {
        self.windows.certain()
    }

    /// The text of a record, in whose code points spans are.
    ///
    /// # Errors
    /// [`Error::Source`] where it cannot be read again, or has changed.
    pub fn text(&self, position: usize) -> Result<String> {
        text_of(
            &self.sources,
            &self.fields,
            &self.scheme,
            position,
            &mut RecordBuffer::default(),
        )
    }
}

fn text_of(
    sources: &Sources,
    fields: &Fields,
    scheme: &Scheme,
    position: usize,
    buffer: &mut RecordBuffer,
) -> Result<String> {
    let changed = |message: &Message| changed(sources, position as u32, message);
    let bytes = buffer.record(sources, position)?;
    let record = sources.parse(position, bytes, fields);
    let record = record.map_err(|failure| changed(&failure.message))?;
    let used = scheme.used_text(&record.text);
    used.map(|(text, _)| text)
        .map_err(|unusable| changed(unusable.message()))
}

/// Finds the passages that the records of `sources` share with the old records, or without these with earlier records. With the
/// anchors of the old records in a file, these are not read for them.
///
/// Complexity: linear in the texts, and in the pairs of documents with a hit; memory of 16 bytes an anchor and a hit, a sixth of a
/// character each, or of a run directory's bound, and of the letters of two documents a thread.
///
/// # Errors
/// [`Error::Source`] where a source cannot be read or has changed; [`Error::Storage`] where the run directory cannot be written.
pub fn find(sources: &Arc<Sources>, options: &Options, kept: Option<&Anchors>, ctx: &Context<'_>) -> Result<Passages> {
    let fields = options.fields();
    let windows = kept.map_or_else(|| Windows::of_bytes(sources.bytes_read()), Anchors::windows);
    let read = hits::read(sources, &fields, (options, windows), kept, ctx)?;
    let found = read.hits;
    let (mut spans, mut common) = (Vec::new(), Vec::new());
    let documents: Vec<Range<usize>> = {
        let mut groups = Vec::new();
        let mut start = 0;
        for group in found.chunk_by(|one, other| hits::document(*one) == hits::document(*other)) {
            groups.push(start..start + group.len());
            start += group.len();
        }
        groups
    };
    let verify = Verify {
        records: Records {
            sources,
            fields: &fields,
            scheme: &options.scheme,
        },
        least: options.min_length as usize,
        windows,
    };
    let pool = ctx.pool()?;
    for (at, some) in documents.chunks(DOCUMENTS_AT_ONCE).enumerate() {
        ctx.tick("verify", (at * DOCUMENTS_AT_ONCE) as u64, documents.len() as u64)?;
        let done: Vec<Result<Verified>> = pool.install(|| {
            some.par_iter()
                .map_init(Memory::default, |held, range| {
                    verify.document(&found[range.clone()], held)
                })
                .collect()
        });
        for one in done {
            let (found, told) = one?;
            spans.extend(found);
            common.extend(told);
        }
    }
    ctx.tick("verify", documents.len() as u64, documents.len() as u64)?;
    sources.check_unchanged()?;
    Ok(Passages {
        sources: Arc::clone(sources),
        spans,
        common,
        lengths: read.lengths,
        failures: read.failures,
        labels: read.labels,
        fields,
        scheme: options.scheme.clone(),
        windows,
    })
}

/// The spans of a document; and the document with the number of its code points that common windows cover beside them, if any.
type Verified = (Vec<Span>, Option<(u32, u32)>);

/// Documents that are verified between two reports of progress.
const DOCUMENTS_AT_ONCE: usize = 64;

/// Letters that a thread holds of sources that it may meet again: 48 MiB, but for one text of more.
const HELD_LETTERS: usize = 1 << 22;

/// The records whose texts are read again.
struct Records<'a> {
    sources: &'a Sources,
    fields: &'a Fields,
    scheme: &'a Scheme,
}

impl Records<'_> {
    fn text(&self, position: u32, buffer: &mut RecordBuffer) -> Result<String> {
        text_of(self.sources, self.fields, self.scheme, position as usize, buffer)
    }
}

/// What a thread holds of texts that it may meet again.
#[derive(Default)]
struct Held {
    buffer: RecordBuffer,
    letters: HashMap<u32, Vec<Letter>>,
    size: usize,
}

impl Held {
    /// The letters of a record.
    fn letters(&mut self, records: &Records<'_>, position: u32) -> Result<&[Letter]> {
        if !self.letters.contains_key(&position) {
            if self.size > HELD_LETTERS {
                self.letters.clear();
                self.size = 0;
            }
            let mut letters = Vec::new();
            take_letters(&records.text(position, &mut self.buffer)?, &mut letters);
            self.size += letters.len();
            self.letters.insert(position, letters);
        }
        Ok(&self.letters[&position])
    }
}

/// What a thread holds between two documents.
#[derive(Default)]
struct Memory {
    buffer: RecordBuffer,
    document: Vec<Letter>,
    sources: Held,
}

struct Verify<'a> {
    records: Records<'a>,
    least: usize,
    windows: Windows,
}

impl Verify<'_> {
    /// The spans that one document's hits lead to, and what common anchors cover beside them.
    fn document(&self, hits: &[u128], memory: &mut Memory) -> Result<Verified> {
        let Memory {
            buffer,
            document: a,
            sources,
        } = memory;
        let at = hits::document(hits[0]);
        take_letters(&self.records.text(at, buffer)?, a);
        let of_source = hits.partition_point(|hit| hits::source(*hit) != hits::COMMON);
        let (hits, told) = hits.split_at(of_source);
        let place = |&hit: &u128| {
            let start = hits::letters(hit).0;
            Some((start, self.windows.end(a, start)?))
        };
        let told: Vec<(usize, usize)> = told.iter().filter_map(place).collect();
        let mut found = Vec::new();
        for pair in hits.chunk_by(|one, other| hits::source(*one) == hits::source(*other)) {
            let source = hits::source(pair[0]);
            if pair.iter().filter_map(place).all(|window| overlaps(&told, window)) {
                continue;
            }
            let b = sources.letters(&self.records, source)?;
            if pair.iter().any(|&hit| hits::letters(hit).1 >= b.len()) {
                return Err(Error::Source {
                    path: self.records.sources.locate(source as usize).path.into_owned(),
                    message: msg!("does not fit its kept anchors; remove their file, and they are made again"),
                });
            }
            let spans = align::spans(a, b, pair.iter().map(|&hit| hits::letters(hit)));
            let enough = |span: &Aligned| span.a.len() >= self.least;
            found.extend(spans.into_iter().filter(enough).map(|span| Span {
                document: at,
                source,
                place: (a[span.a.start].start, a[span.a.end - 1].end),
                source_place: (b[span.b.start].start, b[span.b.end - 1].end),
                score: span.score(),
            }));
        }
        let common = told.iter().map(|&(start, end)| (a[start].start, a[end - 1].end));
        let beside = covered(common.chain(found.iter().map(|span| span.place)).collect())
            - covered(found.iter().map(|span| span.place).collect());
        Ok((found, (beside > 0).then_some((at, beside))))
    }
}

/// Whether a window has a letter in common with one of some, which ascend.
fn overlaps(windows: &[(usize, usize)], (start, end): (usize, usize)) -> bool {
    let before = windows.partition_point(|window| window.0 < end);
    before > 0 && windows[before - 1].1 > start
}

/// How many code points places cover in all.
fn covered(mut places: Vec<(u32, u32)>) -> u32 {
    places.sort_unstable();
    let (mut sum, mut reached) = (0, 0);
    for (start, end) in places {
        sum += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    sum
}
