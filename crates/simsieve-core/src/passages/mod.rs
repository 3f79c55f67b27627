//! Passages: runs that two texts share inside, found by anchors and borne out on the texts.
//!
//! In: the records of a collection, and those that it is held against. Out: spans in code points of both texts, each verified.
//!
//! 1. [`letters`](crate::text::letters): a text becomes letters with their places.
//! 2. [`anchors`](crate::text::anchors): of every stretch of it one window is remembered; of a small collection every window, so that any
//!    that the edits of a passage have left whole is met.
//! 3. `gather`, `hits`: equal anchors of two documents, by sorted runs that may be files. An anchor in many documents is *common*: it leads to
//!    no pair, and is told of each document. Places in one document count once, and so do sources of equal letters.
//!    Those of old records can be in a file (`kept`). The letters of sources are kept beside them (`packed`).
//! 4. `align`: hits become spans on the letters of both texts, and end at the borders of excluded text. Spans on one diagonal are joined.
//!
//! Every shared run of [`Windows::certain`] letters has an anchor, so it is found unless its anchors are common, or overlap common ones: a line of
//! many documents and a letter behind it are no passage. A row of twice as many other anchors as a window has letters is one: in a small
//! collection of an alphabet most runs of seven letters stand beside one that is common by chance.

mod align;
mod gather;
mod hits;
mod kept;
mod options;
mod packed;
pub mod rows;
pub mod templates;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::collection::changed;
use crate::collection::labels::Labels;
use crate::encode::scheme::Scheme;
use crate::source::{Failure, Fields, RecordBuffer, Sources};
use crate::storage::column::Column;
use crate::text::anchors::Windows;
use crate::text::letters::{Letter, take_letters};
use align::{Aligned, Ids};
pub use kept::Anchors;
pub use options::Options;
use packed::Slice;

/// A passage: a span of a document, and the span of a source that it shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Position of the document.
    pub document: u32,
    /// Position of the source: an old record, or without these an earlier one, or with [`Options::within`] the document itself.
    pub source: u32,
    /// First code point in the document, and the one behind the last.
    pub place: (u32, u32),
    /// The same in the source.
    pub source_place: (u32, u32),
    /// The share of the longer side that is equal.
    pub score: f32,
    /// How many sources have a part of it, where these are more than [`Options::common`] and this one is held for all; else 0.
    pub common: u32,
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
    /// Pairs left out because enough sources equal to theirs have spans.
    pub unlisted: u64,
    labels: Labels,
    fields: Fields,
    options: Options,
    windows: Windows,
    letters: packed::Packed,
    equal: hits::Equal,
    /// What [`Passages::outside`] reads.
    hits: Mutex<Column<u128>>,
}

/// Places in code points, by document; those of a document ascend and do not touch.
pub type Places = HashMap<u32, Vec<(u32, u32)>>;

/// Spans, and [`Passages::common`] beside them.
pub type Outside = (Vec<Span>, Vec<(u32, u32)>);

impl Passages {
    /// The label of a record as raw JSON.
    pub fn label(&self, position: usize) -> Option<&[u8]> {
        self.labels.get(position)
    }

    /// Lengths from which on every shared run has an anchor: in dense characters, and in letters of an alphabet.
    pub const fn certain(&self) -> (u32, u32) {
        self.windows.certain()
    }

    /// The text of a record, in whose code points spans are.
    ///
    /// # Errors
    /// [`Error::Source`] where it cannot be read again, or has changed.
    pub fn text(&self, position: usize) -> Result<String> {
        self.records().text(position as u32, &mut RecordBuffer::default())
    }

    fn records(&self) -> Records<'_> {
        Records {
            sources: &self.sources,
            fields: &self.fields,
            scheme: &self.options.scheme,
        }
    }

    /// The spans outside of `places`, cut at their borders, and [`Passages::common`] there. Call it once, after [`find`] with
    /// [`Options::cuts`].
    ///
    /// # Errors
    /// As [`find`].
    pub fn outside(&self, places: &Places, ctx: &Context<'_>) -> Result<Outside> {
        let hits = std::mem::take(&mut *self.hits.lock().unwrap_or_else(PoisonError::into_inner));
        let of_places = |hits: &&[u128]| places.contains_key(&hits::document(hits[0]));
        let documents: Vec<&[u128]> = by_document(&hits).filter(of_places).collect();
        let of_them = self.verify(&documents, places, ctx)?;
        let (mut spans, mut common) = (self.spans.clone(), self.common.clone());
        spans.retain(|span| !places.contains_key(&span.document));
        spans.extend(of_them.spans);
        spans.sort_by_key(|span| span.document);
        common.retain(|(document, _)| !places.contains_key(document));
        common.extend(of_them.common);
        common.sort_unstable();
        Ok((spans, common))
    }

    /// What the hits of documents come to.
    fn verify(&self, documents: &[&[u128]], places: &Places, ctx: &Context<'_>) -> Result<Verified> {
        let verify = Verify {
            passages: self,
            places,
            count: AtomicU64::new(0),
        };
        let pool = ctx.pool()?;
        let mut all = Verified::default();
        // Hits say more of the time that is left than documents do.
        let total = documents.iter().map(|hits| hits.len() as u64).sum();
        let mut told = 0;
        for some in documents.chunks(DOCUMENTS_AT_ONCE) {
            ctx.tick("verify", told, total)?;
            told += some.iter().map(|hits| hits.len() as u64).sum::<u64>();
            let done: Vec<Result<Verified>> = pool.install(|| {
                some.par_iter()
                    .map_init(Memory::default, |held, hits| verify.document(hits, held))
                    .collect()
            });
            for one in done {
                let one = one?;
                all.spans.extend(one.spans);
                all.common.extend(one.common);
                all.unlisted += one.unlisted;
            }
        }
        ctx.tick("verify", total, total)?;
        self.place_in_sources(&mut all.spans, ctx, total)?;
        Ok(all)
    }

    /// Writes the letters of a record into `letters`; its text is read where they are not kept with their places.
    fn take_letters(&self, position: u32, buffer: &mut RecordBuffer, letters: &mut Vec<Letter>) -> Result<()> {
        if !self.letters.take(position, letters) {
            take_letters(&self.records().text(position, buffer)?, letters);
        }
        Ok(())
    }

    /// Turns the letters of sources into code points; each source is looked at once.
    fn place_in_sources(&self, spans: &mut [Span], ctx: &Context<'_>, total: u64) -> Result<()> {
        let mut of_sources: Vec<&mut Span> = spans.iter_mut().collect();
        of_sources.sort_by_key(|span| span.source);
        let mut sources: Vec<&mut [&mut Span]> = of_sources
            .chunk_by_mut(|one, other| one.source == other.source)
            .collect();
        let pool = ctx.pool()?;
        while !sources.is_empty() {
            ctx.tick("verify", total, total)?;
            let some = sources.split_off(sources.len().saturating_sub(DOCUMENTS_AT_ONCE));
            let place = |held: &mut (RecordBuffer, Vec<Letter>), spans: &mut [&mut Span]| {
                self.take_letters(spans[0].source, &mut held.0, &mut held.1)?;
                for span in spans.iter_mut() {
                    let letters = held.1.get(span.source_place.0 as usize..span.source_place.1 as usize);
                    let Some(([first, ..], [.., last])) = letters.map(|letters| (letters, letters)) else {
                        return Err(changed(&self.sources, span.source, &msg!("its text is shorter")));
                    };
                    span.source_place = (first.start, last.end);
                }
                Ok(())
            };
            pool.install(|| some.into_par_iter().try_for_each_init(Default::default, place))?;
        }
        Ok(())
    }
}

/// The hits of each document.
fn by_document(hits: &[u128]) -> impl Iterator<Item = &[u128]> {
    hits.chunk_by(|one, other| hits::document(*one) == hits::document(*other))
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
    let mut passages = Passages {
        sources: Arc::clone(sources),
        spans: Vec::new(),
        common: Vec::new(),
        lengths: read.lengths,
        failures: read.failures,
        unlisted: 0,
        labels: read.labels,
        fields,
        options: options.clone(),
        windows,
        letters: read.letters,
        equal: read.equal,
        hits: Mutex::default(),
    };
    let pairs = read.hits.chunk_by(|one, other| hits::pair(*one) == hits::pair(*other));
    let pairs = pairs.filter(|hits| hits::source(hits[0]) != hits::COMMON).count() as u64;
    if pairs > options.most_pairs {
        return Err(options.too_many_pairs(pairs));
    }
    let documents: Vec<&[u128]> = by_document(&read.hits).collect();
    let verified = passages.verify(&documents, &Places::new(), ctx)?;
    sources.check_unchanged()?;
    passages.spans = verified.spans;
    passages.common = verified.common;
    passages.unlisted = verified.unlisted;
    if options.cuts {
        passages.hits = Mutex::new(read.hits);
    }
    Ok(passages)
}

/// The spans of documents; documents with the number of their code points that common windows cover beside them, if any; and the pairs with
/// copies of a source that have no span of their own.
#[derive(Default)]
struct Verified {
    spans: Vec<Span>,
    common: Vec<(u32, u32)>,
    unlisted: u64,
}

/// Documents that are verified between two reports of progress.
const DOCUMENTS_AT_ONCE: usize = 64;

/// Letters that a thread holds of sources that it may meet again: 16 MiB of ids, but for one text of more.
const HELD_LETTERS: usize = 1 << 22;

/// The records whose texts are read again.
struct Records<'a> {
    sources: &'a Sources,
    fields: &'a Fields,
    scheme: &'a Scheme,
}

impl Records<'_> {
    fn text(&self, position: u32, buffer: &mut RecordBuffer) -> Result<String> {
        let changed = |message: &Message| changed(self.sources, position, message);
        let bytes = buffer.record(self.sources, position as usize)?;
        let record = self.sources.parse(position as usize, bytes, self.fields);
        let record = record.map_err(|failure| changed(&failure.message))?;
        let used = self.scheme.used_text(&record.text);
        used.map(|(text, _)| text)
            .map_err(|unusable| changed(unusable.message()))
    }
}

/// What a thread holds of texts that it may meet again: letters, or their ids.
struct Held<T = Letter> {
    buffer: RecordBuffer,
    letters: HashMap<u32, Vec<T>>,
    size: usize,
}

impl<T> Default for Held<T> {
    fn default() -> Self {
        Self {
            buffer: RecordBuffer::default(),
            letters: HashMap::new(),
            size: 0,
        }
    }
}

impl Held {
    /// The letters of a record.
    fn letters(&mut self, records: &Records<'_>, position: u32) -> Result<&[Letter]> {
        self.get(position, |buffer| letters(records, position, buffer))
    }
}

impl Held<u32> {
    /// The ids of a record's letters.
    fn ids(&mut self, records: &Records<'_>, position: u32) -> Result<&[u32]> {
        self.get(position, |buffer| Ok(ids(&letters(records, position, buffer)?)))
    }
}

fn letters(records: &Records<'_>, position: u32, buffer: &mut RecordBuffer) -> Result<Vec<Letter>> {
    let mut letters = Vec::new();
    take_letters(&records.text(position, buffer)?, &mut letters);
    Ok(letters)
}

fn ids(letters: &[Letter]) -> Vec<u32> {
    letters.iter().map(Letter::id).collect()
}

impl<T> Held<T> {
    /// The letters of a record, made where they are not held.
    fn get(&mut self, position: u32, make: impl FnOnce(&mut RecordBuffer) -> Result<Vec<T>>) -> Result<&[T]> {
        if !self.letters.contains_key(&position) {
            if self.size > HELD_LETTERS {
                self.letters.clear();
                self.size = 0;
            }
            let letters = make(&mut self.buffer)?;
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
    sources: Held<u32>,
}

struct Verify<'a> {
    passages: &'a Passages,
    places: &'a Places,
    /// Spans so far.
    count: AtomicU64,
}

impl Verify<'_> {
    /// The spans that one document's hits lead to, and what common anchors cover beside them.
    fn document(&self, hits: &[u128], memory: &mut Memory) -> Result<Verified> {
        let Memory {
            buffer,
            document: a,
            sources,
        } = memory;
        let Passages { equal, options, .. } = self.passages;
        let at = hits::document(hits[0]);
        self.passages.take_letters(at, buffer, a)?;
        let of_source = hits.partition_point(|hit| hits::source(*hit) != hits::COMMON);
        let (hits, told) = hits.split_at(of_source);
        let place = |&hit: &u128| {
            let start = hits::letters(hit).0;
            Some((start, self.passages.windows.end(a, start)?))
        };
        let counts: Vec<(usize, u32)> = told.iter().map(|&hit| (hits::letters(hit).0, hit as u32)).collect();
        let told: Vec<(usize, usize)> = told.iter().filter_map(place).collect();
        let places = self.places.get(&at).map_or(&[] as &[(u32, u32)], Vec::as_slice);
        let document = Document {
            position: at,
            letters: a,
            ids: ids(a),
            parts: parts(a, places),
        };
        let mut all = Verified::default();
        for pair in hits.chunk_by(|one, other| hits::source(*one) == hits::source(*other)) {
            let for_all = |hit: &u128| {
                counts
                    .binary_search_by_key(&hits::letters(*hit).0, |count| count.0)
                    .ok()
            };
            let is_for_all = pair.iter().any(|hit| for_all(hit).is_some());
            let windows = || pair.iter().filter_map(|hit| Some((hits::letters(*hit), place(hit)?)));
            if !is_for_all && windows().all(|(_, window)| overlaps(&told, window)) && !are_many(windows()) {
                continue;
            }
            let source = hits::source(pair[0]);
            let before = all.spans.len();
            self.pair(&document, source, pair, sources, &mut all.spans)?;
            if is_for_all {
                let of_pair = pair
                    .iter()
                    .filter_map(|hit| Some((hits::letters(*hit).0, counts[for_all(hit)?].1)));
                for (letter, count) in of_pair {
                    let place = a[letter].start;
                    let of_it = |span: &&mut Span| span.place.0 <= place && place < span.place.1;
                    all.spans[before..]
                        .iter_mut()
                        .filter(of_it)
                        .for_each(|span| span.common = span.common.max(count));
                }
            }
            let found = all.spans.len() - before;
            if found == 0 {
                continue;
            }
            let copies = equal.copies(source);
            let most = if options.every_copy {
                usize::MAX
            } else {
                options.common as usize
            };
            let listed = copies.len().min(most.saturating_sub(1));
            all.unlisted += (copies.len() - listed) as u64;
            let count = (found * (1 + listed)) as u64;
            let count = self.count.fetch_add(count, Ordering::Relaxed) + count;
            if count.saturating_mul(size_of::<Span>() as u64) > options.room {
                return Err(options.too_many(count));
            }
            for &(_, copy) in &copies[..listed] {
                self.pair(&document, copy, pair, sources, &mut all.spans)?;
            }
        }
        all.spans.sort_by_key(|span| span.source);
        let common = told.iter().map(|&(start, end)| (a[start].start, a[end - 1].end));
        let spans = || all.spans.iter().map(|span| span.place).chain(places.iter().copied());
        let beside = covered(common.chain(spans()).collect()) - covered(spans().collect());
        if beside > 0 {
            all.common.push((at, beside));
        }
        Ok(all)
    }

    /// The spans that a document shares with a source, by the hits of the document with it, or with one of equal letters. Their places in
    /// the source are letters.
    fn pair(
        &self,
        document: &Document<'_>,
        source: u32,
        hits: &[u128],
        sources: &mut Held<u32>,
        spans: &mut Vec<Span>,
    ) -> Result<()> {
        match self.passages.letters.get(source) {
            Some(Slice::One(b)) => self.of_letters(document, (source, &b), hits, spans),
            Some(Slice::Two(b)) => self.of_letters(document, (source, &b), hits, spans),
            Some(Slice::Four(b)) => self.of_letters(document, (source, &b), hits, spans),
            None => {
                let b = sources.ids(&self.passages.records(), source)?;
                self.of_letters(document, (source, b), hits, spans)
            }
        }
    }

    fn of_letters(
        &self,
        document: &Document<'_>,
        (source, b): (u32, &(impl Ids + ?Sized)),
        hits: &[u128],
        spans: &mut Vec<Span>,
    ) -> Result<()> {
        if hits.iter().any(|&hit| hits::letters(hit).1 >= b.len()) {
            return Err(Error::Source {
                path: self.passages.sources.locate(source as usize).path.into_owned(),
                message: msg!("does not fit its kept anchors; remove their file, and they are made again"),
            });
        }
        let Options { min_length, joined, .. } = self.passages.options;
        let mut rest = hits;
        for part in &document.parts {
            rest = &rest[rest.partition_point(|&hit| hits::letters(hit).0 < part.start)..];
            let here = rest.partition_point(|&hit| hits::letters(hit).0 < part.end);
            let of_part = rest[..here].iter().map(|&hit| {
                let (x, y) = hits::letters(hit);
                (x - part.start, y)
            });
            let (a, letters) = (&document.ids[part.clone()], &document.letters[part.clone()]);
            let least = |units: u32| move |span: &Aligned| span.units(a) >= units;
            let mut found = align::spans(a, b, of_part);
            if source == document.position {
                let apart = |span: Aligned| span.apart(&document.ids, part.start);
                found = found.into_iter().map(apart).filter(|span| !span.a.is_empty()).collect();
            }
            if joined > 0 {
                found.retain(least(min_length / PIECE));
                found = align::joined(found, joined as usize);
            }
            found.retain(least(min_length));
            spans.extend(found.into_iter().map(|span| Span {
                document: document.position,
                source,
                place: (letters[span.a.start].start, letters[span.a.end - 1].end),
                source_place: (span.b.start as u32, span.b.end as u32),
                score: span.score(),
                common: 0,
            }));
        }
        Ok(())
    }
}

/// A document that is held against its sources.
struct Document<'a> {
    position: u32,
    letters: &'a [Letter],
    ids: Vec<u32>,
    /// The letters between places that are left out.
    parts: Vec<Range<usize>>,
}

/// What is joined is at least the least length divided by this.
const PIECE: u32 = 2;

/// The letters between places, all where there is none.
fn parts(letters: &[Letter], places: &[(u32, u32)]) -> Vec<Range<usize>> {
    let mut parts = Vec::with_capacity(places.len() + 1);
    let mut from = 0;
    for &(start, end) in places {
        let to = letters.partition_point(|letter| letter.end <= start);
        parts.push(from..to.max(from));
        from = letters.partition_point(|letter| letter.start < end);
    }
    parts.push(from..letters.len());
    parts
}

/// Whether a window has a letter in common with one of some, which ascend.
fn overlaps(windows: &[(usize, usize)], (start, end): (usize, usize)) -> bool {
    let before = windows.partition_point(|window| window.0 < end);
    before > 0 && windows[before - 1].1 > start
}

/// Whether hits, with the windows in the document, are more than common windows bring by chance: before one and behind it stand fewer than
/// it has letters.
fn are_many(hits: impl Iterator<Item = ((usize, usize), (usize, usize))>) -> bool {
    let (mut before, mut count) = ((0, 0), 0);
    for ((x, y), (start, end)) in hits {
        let goes_on = count > 0 && x - before.0 <= end - start && x + before.1 == y + before.0;
        count = if goes_on { count + 1 } else { 1 };
        if count >= 2 * (end - start) {
            return true;
        }
        before = (x, y);
    }
    false
}

/// How many code points places cover in all.
pub fn covered(mut places: Vec<(u32, u32)>) -> u32 {
    places.sort_unstable();
    let (mut sum, mut reached) = (0, 0);
    for (start, end) in places {
        sum += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    sum
}
