//! Segments are written: of rows in memory, of other segments, or of those of their rows that stay.
//!
//! One column follows another, so memory holds pieces of columns, the places of texts, and some parts of one table.

use std::path::Path;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::columns::{
    DATES, DIGESTS, ENCODE, EncodeState, FAILURES, FINGERPRINTS, GROUPS, LABEL_ENDS, LABELS, SIZES, SKETCHES, VALID,
};
use crate::collection::labels::Labels;
use crate::encode::input::pattern::Hits;
use crate::index::files::second::SECOND_SKETCHES;
use crate::index::files::segment::{
    BATCH_NAMES, BATCHES, DIGEST_ENDS, DIGEST_ITEMS, DROPPED_BATCHES, DROPPED_DATES, DROPPED_DIGESTS,
    DROPPED_LABEL_ENDS, DROPPED_LABELS, DROPPED_NUMBERS, DROPPED_SIMILARITIES, KEY_ENDS, KEY_ITEMS, KIND, LABEL_ITEMS,
    LABEL_TABLE_ENDS, NUMBERS, REPRESENTATIVES, Row, SEGMENT, Segment, SegmentState, TEXT_ENDS, TEXT_PLACES, TEXTS,
    TOMBSTONES, Tombstone,
};
use crate::index::files::state::State;
use crate::index::files::table::Table;
use crate::index::files::texts::{Dictionary, TextBatch, TextBlocks, TextReader};
use crate::recipe::search_keys::PARTS;
use crate::search::feature_bits::SECOND_WORDS;
use crate::storage::column::{Column, Element};
use crate::storage::form::{ColumnName, ColumnSink};
use crate::storage::packed::Packer;

/// The blocks of a segment of fewer rows are short, so its texts are packed anew.
const PACKED_ROWS: usize = 2048;
/// Texts that one thread packs at a time.
const PACKED_AT_ONCE: usize = 256;
/// Rows that are gathered at a time, and rows whose texts are packed anew before they are written.
const GATHERED_ROWS: usize = 16 << 10;
/// Parts of a table that are put in order at a time.
const SORTED_PARTS: usize = 16;

/// A segment that becomes part of another: its kept documents, and those that were dropped.
pub(crate) struct Part<'a> {
    of: &'a Segment,
    /// The rows that stay, ascending; all of them where there is no list.
    kept: Option<Vec<u32>>,
    dropped: Option<Vec<u32>>,
}

/// What segments know of batches.
#[derive(Default)]
pub(crate) struct History {
    pub(crate) tombstones: Vec<Tombstone>,
    pub(crate) names: Vec<u8>,
}

impl History {
    pub(crate) fn of<'a>(segments: impl Iterator<Item = &'a Segment>) -> Self {
        let mut all = Self::default();
        for segment in segments {
            all.tombstones.extend_from_slice(&segment.tombstones);
            all.names.extend_from_slice(&segment.names);
        }
        all.tombstones.sort_unstable();
        all
    }
}

impl<'a> Part<'a> {
    /// All rows of a segment.
    pub(crate) const fn whole(of: &'a Segment) -> Self {
        Self {
            of,
            kept: None,
            dropped: None,
        }
    }

    /// The rows that stay.
    pub(crate) fn of_rows(of: &'a Segment, stays: impl Fn(Row) -> bool) -> Self {
        let kept: Vec<u32> = (0..of.len() as u32).filter(|&row| stays(Row::Kept(row))).collect();
        let dropped = (0..of.dropped.numbers.len() as u32).filter(|&row| stays(Row::Dropped(row)));
        Self {
            kept: (kept.len() < of.len()).then_some(kept),
            dropped: Some(dropped.collect()),
            of,
        }
    }

    fn kept_rows(&self) -> Option<&[u32]> {
        self.kept.as_deref()
    }

    fn dropped_rows(&self) -> Option<&[u32]> {
        self.dropped.as_deref()
    }

    fn kept_len(&self) -> usize {
        self.kept.as_ref().map_or(self.of.len(), Vec::len)
    }

    fn dropped_len(&self) -> usize {
        let all = self.of.dropped.numbers.len();
        self.dropped.as_ref().map_or(all, Vec::len)
    }
}

/// Where the rows of a part go.
struct Places {
    first: u32,
    /// The new place of each row, or `u32::MAX`; all rows stay in their order where there is none.
    moved: Option<Vec<u32>>,
}

impl Places {
    fn of(rows: Option<&[u32]>, all: usize, first: u32) -> Self {
        let moved = rows.map(|rows| {
            let mut moved = vec![u32::MAX; all];
            for (place, &row) in (first..).zip(rows) {
                moved[row as usize] = place;
            }
            moved
        });
        Self { first, moved }
    }

    fn get(&self, row: u32) -> Option<u32> {
        match &self.moved {
            None => Some(self.first + row),
            Some(moved) => moved.get(row as usize).copied().filter(|&place| place != u32::MAX),
        }
    }
}

type Push<'p, T> = dyn FnMut(&[T]) -> Result<()> + 'p;

/// A segment that is written of parts.
struct Merge<'m, 'a, 'c> {
    parts: &'m [Part<'a>],
    /// For each part where its kept rows go, and its dropped ones behind all kept ones.
    places: Vec<[Places; 2]>,
    out: Packer<'m, 'c>,
}

/// Writes a segment of parts whose documents have ascending numbers, durably. Gives its checksum and the most kept documents with one search
/// key.
pub(crate) fn write(
    path: &Path,
    parts: &[Part<'_>],
    history: &History,
    state: &State,
    ctx: &Context<'_>,
) -> Result<(u128, usize)> {
    let kept: usize = parts.iter().map(Part::kept_len).sum();
    let dropped: usize = parts.iter().map(Part::dropped_len).sum();
    let mut next = [0, kept as u32];
    let places = parts.iter().map(|part| {
        let of = |rows: &Option<Vec<u32>>, all, first| Places::of(rows.as_deref(), all, first);
        let all = [part.of.len(), part.of.dropped.numbers.len()];
        let places = [of(&part.kept, all[0], next[0]), of(&part.dropped, all[1], next[1])];
        next[0] += part.kept_len() as u32;
        next[1] += part.dropped_len() as u32;
        places
    });
    let mut merge = Merge {
        places: places.collect(),
        parts,
        out: Packer::create(path, &KIND, ctx)?,
    };
    for at in 0..state.schemes.len() {
        merge.kept(FINGERPRINTS.of(at), |of| &of.encoded.encodings[at].fingerprints)?;
        merge.kept(VALID.of(at), |of| &of.encoded.encodings[at].valid)?;
        merge.kept(SKETCHES.of(at), |of| &of.encoded.encodings[at].sketches)?;
        merge.kept(DIGESTS.of(at), |of| &of.encoded.encodings[at].digests)?;
        merge.kept(SIZES.of(at), |of| &of.encoded.encodings[at].sizes)?;
    }
    let has_second = |at: usize| move |part: &Part<'_>| !part.of.second_sketches[at].is_empty();
    let second_sketches = (0..state.schemes.len()).any(|at| parts.iter().any(has_second(at)));
    for at in (0..state.schemes.len()).filter(|_| second_sketches) {
        merge.second_sketches(at, parts.iter().any(has_second(at)))?;
    }
    merge.labels(LABELS, LABEL_ENDS, |of| &of.encoded.labels, Part::kept_rows)?;
    merge.kept(GROUPS, |of| &of.encoded.groups)?;
    let dated = state.manifest.window().is_some();
    if dated {
        merge.kept(DATES, |of| &of.encoded.dates)?;
        merge.dropped(DROPPED_DATES, |of| &of.dropped.dates)?;
    }
    merge.out.put(FAILURES, &[])?;
    let encoded = EncodeState {
        records: kept,
        hits: Hits::default(),
        dated,
    };
    merge.out.finish(ENCODE, &encoded);
    merge.kept(NUMBERS, |of| &of.numbers)?;
    merge.kept(BATCHES, |of| &of.batches)?;
    let mut bucket = 0;
    for at in (0..state.schemes.len()).filter(|&at| state.paths.get(at).is_some_and(Option::is_some)) {
        let most = merge.table(KEY_ITEMS.of(at), KEY_ENDS.of(at), |of| of.keys[at].as_ref(), ctx)?;
        bucket = bucket.max(most);
    }
    merge.table(DIGEST_ITEMS, DIGEST_ENDS, |of| Some(&of.digests), ctx)?;
    merge.table(LABEL_ITEMS, LABEL_TABLE_ENDS, |of| Some(&of.labels), ctx)?;
    merge.texts(&state.dictionary, ctx)?;
    merge.dropped(DROPPED_NUMBERS, |of| &of.dropped.numbers)?;
    merge.dropped(DROPPED_BATCHES, |of| &of.dropped.batches)?;
    merge.labels(
        DROPPED_LABELS,
        DROPPED_LABEL_ENDS,
        |of| &of.dropped.labels,
        Part::dropped_rows,
    )?;
    merge.dropped(DROPPED_DIGESTS, |of| &of.dropped.digests)?;
    merge.dropped(REPRESENTATIVES, |of| &of.dropped.representatives)?;
    merge.dropped(DROPPED_SIMILARITIES, |of| &of.dropped.similarities)?;
    let mut out = merge.out;
    out.put(TOMBSTONES, &history.tombstones)?;
    out.put(BATCH_NAMES, &history.names)?;
    let state = SegmentState {
        kept,
        dropped,
        schemes: state.schemes.len(),
        bucket,
        second_sketches,
    };
    out.finish(SEGMENT, &state);
    let checksum = out.commit(&serde_json::json!({}))?;
    Ok((checksum, bucket))
}

impl<'a> Merge<'_, 'a, '_> {
    /// A column of the kept documents.
    fn kept<T: Element>(&mut self, column: ColumnName<T>, of: impl Fn(&Segment) -> &Column<T>) -> Result<()> {
        self.out.fill(column, |push| {
            let mut each = self.parts.iter();
            each.try_for_each(|part| push_rows(of(part.of), part.of.len(), part.kept.as_deref(), push))
        })
    }

    /// Second sketches, zeros for a part that has none; no column if none has.
    fn second_sketches(&mut self, scheme: usize, are_some: bool) -> Result<()> {
        self.out.fill(SECOND_SKETCHES.of(scheme), |push| {
            for part in self.parts.iter().filter(|_| are_some) {
                let (of, rows) = (&part.of.second_sketches[scheme], part.kept.as_deref());
                if of.is_empty() {
                    let zeros = vec![0; part.kept_len().min(GATHERED_ROWS) * SECOND_WORDS];
                    for first in (0..part.kept_len()).step_by(GATHERED_ROWS) {
                        push(&zeros[..(part.kept_len() - first).min(GATHERED_ROWS) * SECOND_WORDS])?;
                    }
                } else {
                    push_rows(of, part.of.len(), rows, push)?;
                }
            }
            Ok(())
        })
    }

    /// A column of the dropped documents.
    fn dropped<T: Element>(&mut self, column: ColumnName<T>, of: impl Fn(&Segment) -> &Column<T>) -> Result<()> {
        self.out.fill(column, |push| {
            let mut each = self.parts.iter();
            each.try_for_each(|part| push_rows(of(part.of), of(part.of).len(), part.dropped.as_deref(), push))
        })
    }

    fn labels(
        &mut self,
        bytes: ColumnName<u8>,
        ends: ColumnName<u64>,
        of: impl Fn(&Segment) -> &Labels,
        rows: for<'p> fn(&'p Part<'a>) -> Option<&'p [u32]>,
    ) -> Result<()> {
        let each = || self.parts.iter().map(|part| (of(part.of), rows(part)));
        self.out.fill(bytes, |push| {
            for (labels, rows) in each() {
                let Some(rows) = rows else {
                    push(&labels.bytes)?;
                    continue;
                };
                for some in rows.chunks(GATHERED_ROWS) {
                    let each = some.iter().filter_map(|&row| labels.get(row as usize));
                    push(&each.collect::<Vec<_>>().concat())?;
                }
            }
            Ok(())
        })?;
        self.out.fill(ends, |push| {
            let mut base = 0;
            for (labels, rows) in each() {
                let Some(rows) = rows else {
                    for some in labels.ends.chunks(GATHERED_ROWS) {
                        push(&some.iter().map(|end| base + end).collect::<Vec<u64>>())?;
                    }
                    base += labels.bytes.len() as u64;
                    continue;
                };
                for some in rows.chunks(GATHERED_ROWS) {
                    let ends = some.iter().map(|&row| {
                        base += labels.get(row as usize).map_or(0, <[u8]>::len) as u64;
                        base
                    });
                    push(&ends.collect::<Vec<u64>>())?;
                }
            }
            Ok(())
        })
    }

    /// A table from hashes to rows. Gives the most rows of one hash.
    fn table(
        &mut self,
        items: ColumnName<u64>,
        ends: ColumnName<u64>,
        of: impl Fn(&Segment) -> Option<&Table> + Sync,
        ctx: &Context<'_>,
    ) -> Result<usize> {
        let pool = ctx.pool()?;
        let (parts, places) = (self.parts, &self.places);
        let moved = |at: usize| {
            let mut all = Vec::new();
            for (part, [kept, dropped]) in parts.iter().zip(places) {
                let place = |row: u32| match row.checked_sub(part.of.len() as u32) {
                    None => kept.get(row),
                    Some(row) => dropped.get(row),
                };
                let items = of(part.of).map_or(&[][..], |table| table.sound(table.part(at)));
                all.extend(
                    items
                        .iter()
                        .filter_map(|&item| Some(item >> 32 << 32 | u64::from(place(item as u32)?))),
                );
            }
            // Of runs that ascend, one of each part, this sort merges the runs.
            all.sort_by_key(|&item| item);
            let same = all.chunk_by(|one, other| one >> 32 == other >> 32).map(<[u64]>::len);
            (same.max().unwrap_or(0), all)
        };
        let (mut most, mut lengths) = (0, Vec::with_capacity(PARTS));
        self.out.fill(items, |push| {
            for first in (0..PARTS).step_by(SORTED_PARTS) {
                let some = (first..first + SORTED_PARTS).into_par_iter().map(moved);
                for (same, items) in pool.install(|| some.collect::<Vec<_>>()) {
                    most = most.max(same);
                    lengths.push(items.len() as u64);
                    push(&items)?;
                }
            }
            Ok(())
        })?;
        let mut end = 0;
        let sums = lengths.iter().map(|length| {
            end += length;
            end
        });
        self.out.put(ends, &sums.collect::<Vec<u64>>())?;
        Ok(most)
    }

    fn texts(&mut self, dictionary: &Dictionary, ctx: &Context<'_>) -> Result<()> {
        let (mut bytes, mut ends, mut places) = (0, Vec::new(), Vec::new());
        let mut note = |blocks: &TextBlocks| {
            let first = (ends.len() as u64) << 32;
            places.extend(blocks.places.iter().map(|place| place + first));
            ends.extend(blocks.ends.iter().map(|end| end + bytes));
            bytes += blocks.bytes.len() as u64;
        };
        self.out.fill(TEXTS, |push| {
            for part in self.parts {
                let of_file = !part.of.path.as_os_str().is_empty();
                if part.kept.is_none() && (!of_file || part.of.len() >= PACKED_ROWS) {
                    note(&part.of.texts);
                    push(&part.of.texts.bytes)?;
                    continue;
                }
                let all: Vec<u32>;
                let rows = if let Some(rows) = part.kept_rows() {
                    rows
                } else {
                    all = (0..part.of.len() as u32).collect();
                    &all
                };
                for some in rows.chunks(GATHERED_ROWS) {
                    // The last batch of one segment and the first of the next share no block, so small segments give short blocks.
                    let blocks = packed_anew(part.of, some, dictionary, ctx)?;
                    note(&blocks);
                    push(&blocks.bytes)?;
                }
            }
            Ok(())
        })?;
        self.out.put(TEXT_ENDS, &ends)?;
        self.out.put(TEXT_PLACES, &places)
    }
}

/// The values of the rows that stay, of a column whose rows are equally wide.
fn push_rows<T: Element>(values: &[T], all: usize, rows: Option<&[u32]>, push: &mut Push<'_, T>) -> Result<()> {
    let Some(rows) = rows else { return push(values) };
    let width = values.len() / all.max(1);
    for some in rows.chunks(GATHERED_ROWS) {
        let gathered = some
            .iter()
            .flat_map(|&row| values[row as usize * width..][..width].iter().copied());
        push(&gathered.collect::<Vec<T>>())?;
    }
    Ok(())
}

fn packed_anew(of: &Segment, rows: &[u32], dictionary: &Dictionary, ctx: &Context<'_>) -> Result<TextBlocks> {
    let batch = |some: &[u32]| {
        let (mut reader, mut batch) = (TextReader::new(dictionary), TextBatch::default());
        for &row in some {
            let text = reader.text(0, &of.texts, row as usize);
            batch.push(text.ok_or_else(|| of.damaged_text(row))?);
        }
        Ok(batch)
    };
    let mut blocks = TextBlocks::default();
    ctx.pool()?.install(|| {
        let batches: Vec<TextBatch> = rows.par_chunks(PACKED_AT_ONCE).map(batch).collect::<Result<_>>()?;
        blocks.add(&batches, dictionary)
    })?;
    Ok(blocks)
}
