//! The rows of a segment that is made: of texts, or of other segments.

use std::path::Path;

use rayon::prelude::*;

use super::segment::{
    BATCH_NAMES, BATCHES, DIGEST_ENDS, DIGEST_ITEMS, DROPPED_BATCHES, DROPPED_DIGESTS, DROPPED_LABEL_ENDS,
    DROPPED_LABELS, DROPPED_NUMBERS, DROPPED_SIMILARITIES, Dropped, KEY_ENDS, KEY_ITEMS, KIND, LABEL_ITEMS,
    LABEL_TABLE_ENDS, NUMBERS, REPRESENTATIVES, Row, SEGMENT, Segment, SegmentState, TEXT_ENDS, TEXT_PLACES, TEXTS,
    TOMBSTONES, Tombstone,
};
use super::state::State;
use super::table::Table;
use super::texts::{TextBatch, TextBlocks, TextReader};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::xxh3_64;
use crate::collection::columns::{
    DIGESTS, ENCODE, EncodeState, FAILURES, FINGERPRINTS, GROUPS, LABEL_ENDS, LABELS, SIZES, SKETCHES, VALID,
};
use crate::collection::combine::{Combine, agree};
use crate::collection::ingest::pieces::Batch;
use crate::collection::keep_order::Keys;
use crate::collection::labels::{Labels, canonical};
use crate::encode::encoder::{EncodedBatch, Encoder, WorkerScratch};
use crate::encode::input::pattern::Hits;
use crate::encode::scheme::UnusableText;
use crate::recipe::search_keys::{PARTS, SearchKeys};
use crate::storage::form::ColumnSink;
use crate::storage::packed::Packer;

/// Texts that one thread encodes and packs at a time.
const CHUNK_ROWS: usize = 256;
/// Rows that are encoded before what they became is appended.
const ROUND_ROWS: usize = 64 * CHUNK_ROWS;
/// The blocks of a segment of fewer rows are short: a merge packs its texts anew.
const PACKED_ROWS: usize = 2048;

/// What a kept document has besides its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptRow<'a> {
    pub(super) number: u64,
    pub(super) batch: u32,
    pub(super) label: Option<&'a [u8]>,
    pub(super) group: Option<u128>,
}

/// Takes a text; the scheme may refuse it.
pub(super) type EachText<'a> = dyn FnMut(&str) -> Result<(), UnusableText> + 'a;

/// Columns in memory, rows by ascending numbers.
pub(super) struct SegmentRows {
    numbers: Vec<u64>,
    batches: Vec<u32>,
    columns: Batch,
    keys: Vec<Option<SearchKeys>>,
    texts: TextBlocks,
    pub(super) dropped: Dropped,
    pub(super) tombstones: Vec<Tombstone>,
    pub(super) names: Vec<u8>,
}

impl SegmentRows {
    pub(super) fn new(encoders: &[Encoder<'_>]) -> Result<Self> {
        let keys = encoders.iter().map(|encoder| {
            let keys = encoder.paths().map(|_| SearchKeys::with_room(0, 0.0));
            keys.transpose()
        });
        Ok(Self {
            numbers: Vec::new(),
            batches: Vec::new(),
            columns: Batch {
                encoded: encoders.iter().map(|_| EncodedBatch::default()).collect(),
                keys: Keys::default(),
                groups: Vec::new(),
                labels: Labels::default(),
                hits: Hits::default(),
            },
            keys: keys.collect::<Result<_>>()?,
            texts: TextBlocks::default(),
            dropped: Dropped::default(),
            tombstones: Vec::new(),
            names: Vec::new(),
        })
    }

    /// Adds kept documents, whose texts `text` gives by their places in `rows`, encoded by the schemes and paths of a state.
    pub(super) fn add_texts<S: Send>(
        &mut self,
        rows: &[KeptRow<'_>],
        state: &State,
        scratch: impl Fn() -> S + Sync + Send,
        text: impl Fn(&mut S, usize, &mut EachText<'_>) -> Result<()> + Sync + Send,
        ctx: &Context<'_>,
    ) -> Result<()> {
        let pool = ctx.pool()?;
        let encoders = state.encoders(ctx.kernel());
        for (round, of_round) in rows.chunks(ROUND_ROWS).enumerate() {
            let done = round * ROUND_ROWS;
            ctx.tick("store", done as u64, rows.len() as u64)?;
            let encode = |work: &mut (S, Vec<WorkerScratch>), chunk: usize| {
                let (scratch, workers) = work;
                let first = done + chunk * CHUNK_ROWS;
                let end = (first + CHUNK_ROWS).min(done + of_round.len());
                let batches = encoders.iter().map(|encoder| encoder.batch(end - first));
                let mut made = (batches.collect::<Result<Vec<_>>>()?, TextBatch::default());
                for at in first..end {
                    text(scratch, at, &mut |text| {
                        for ((encoder, worker), batch) in encoders.iter().zip(workers.iter_mut()).zip(&mut made.0) {
                            encoder.encode(text, worker, batch)?;
                        }
                        made.1.push(text);
                        Ok(())
                    })?;
                }
                Ok(made)
            };
            let workers = || (scratch(), encoders.iter().map(|_| WorkerScratch::default()).collect());
            let chunks = of_round.len().div_ceil(CHUNK_ROWS);
            let made = pool.install(|| {
                let chunks = (0..chunks).into_par_iter().map_init(workers, encode);
                chunks.collect::<Result<Vec<_>>>()
            })?;
            let (encoded, texts): (Vec<_>, Vec<_>) = made.into_iter().unzip();
            pool.install(|| self.texts.add(&texts, &state.dictionary))?;
            for mut batches in encoded {
                if state.rule == Combine::All {
                    let mut valid: Vec<_> = batches.iter_mut().map(|batch| &mut batch.valid).collect();
                    agree(&mut valid);
                }
                let first = self.columns.encoded[0].valid.len();
                for ((all, batch), keys) in self.columns.encoded.iter_mut().zip(&mut batches).zip(&mut self.keys) {
                    if let Some(keys) = keys {
                        keys.append(first, &batch.key_counts, &batch.keys);
                    }
                    batch.keys.clear();
                    batch.key_counts.clear();
                    all.append(batch);
                }
            }
        }
        for row in rows {
            self.numbers.push(row.number);
            self.batches.push(row.batch);
            self.columns.labels.push(row.label.map(canonical).as_deref());
            self.columns.groups.extend(row.group);
        }
        Ok(())
    }

    /// What a segment holds, encoded again by the schemes and paths of a state.
    pub(super) fn encoded_again(of: &Segment, state: &State, ctx: &Context<'_>) -> Result<Self> {
        let mut rows = Self::new(&state.encoders(ctx.kernel()))?;
        let kept: Vec<KeptRow<'_>> = (0..of.len())
            .map(|row| KeptRow {
                number: of.numbers[row],
                batch: of.batches[row],
                label: of.encoded.labels.get(row),
                group: of.encoded.groups.get(row).copied(),
            })
            .collect();
        let text = |reader: &mut Option<TextReader<'static>>, row: usize, each: &mut EachText<'_>| {
            let reader = match reader {
                Some(reader) => reader,
                none => none.insert(state.reader()?),
            };
            let damaged = || of.damaged_text(row as u32);
            each(reader.text(0, &of.texts, row).ok_or_else(damaged)?).map_err(|_| damaged())
        };
        rows.add_texts(&kept, state, || None, text, ctx)?;
        rows.take_rest(of, |_| true);
        Ok(rows)
    }

    /// Adds the rows of a segment that `stay`, whose numbers are higher than those that are here, its tombstones and names.
    pub(super) fn take(&mut self, of: &Segment, dictionary: &[u8], stays: impl Fn(Row) -> bool) -> Result<()> {
        let first = self.numbers.len();
        let rows: Vec<u32> = (0..of.len() as u32).filter(|&row| stays(Row::Kept(row))).collect();
        let mut places = vec![u32::MAX; of.len()];
        for (place, &row) in (first as u32..).zip(&rows) {
            places[row as usize] = place;
        }
        for (keys, table) in self.keys.iter_mut().zip(&of.keys) {
            if let (Some(keys), Some(table)) = (keys, table) {
                for part in 0..PARTS {
                    let moved = table
                        .part(part)
                        .iter()
                        .map(|item| (item, places[*item as u32 as usize]));
                    keys.extend(
                        part,
                        moved
                            .filter(|(_, place)| *place != u32::MAX)
                            .map(|(item, place)| item >> 32 << 32 | u64::from(place)),
                    );
                }
            }
        }
        let batch = of.encoded.batch(&rows);
        for (all, rows) in self.columns.encoded.iter_mut().zip(&batch.encoded) {
            all.append(rows);
        }
        self.columns.groups.extend(batch.groups);
        self.columns.labels.append(&batch.labels);
        self.numbers.extend(rows.iter().map(|&row| of.numbers[row as usize]));
        self.batches.extend(rows.iter().map(|&row| of.batches[row as usize]));
        if rows.len() == of.len() && of.len() >= PACKED_ROWS {
            self.texts.append(&of.texts);
        } else {
            self.repack(of, &rows, dictionary)?;
        }
        self.take_rest(of, stays);
        Ok(())
    }

    fn take_rest(&mut self, of: &Segment, stays: impl Fn(Row) -> bool) {
        self.tombstones.extend_from_slice(&of.tombstones);
        self.names.extend_from_slice(&of.names);
        for row in (0..of.dropped.numbers.len() as u32).filter(|&row| stays(Row::Dropped(row))) {
            let at = row as usize;
            self.dropped.push(
                (of.dropped.numbers[at], of.dropped.batches[at]),
                of.dropped.labels.get(at),
                of.dropped.digests[at],
                (of.dropped.representatives[at], of.dropped.similarities[at]),
            );
        }
    }

    /// Adds rows that are not written, with higher numbers.
    pub(super) fn append(&mut self, other: Self) {
        let first = self.numbers.len() as u64;
        for (keys, others) in self.keys.iter_mut().zip(&other.keys) {
            if let (Some(keys), Some(others)) = (keys, others) {
                for part in 0..PARTS {
                    keys.extend(part, others.items(part).map(|item| item + first));
                }
            }
        }
        for (all, rows) in self.columns.encoded.iter_mut().zip(&other.columns.encoded) {
            all.append(rows);
        }
        self.columns.groups.extend(other.columns.groups);
        self.columns.labels.append(&other.columns.labels);
        self.numbers.extend(other.numbers);
        self.batches.extend(other.batches);
        self.texts.append(&other.texts);
        self.dropped.append(&other.dropped);
        self.tombstones.extend(other.tombstones);
        self.names.extend(other.names);
    }

    fn repack(&mut self, of: &Segment, rows: &[u32], dictionary: &[u8]) -> Result<()> {
        let mut batches = Vec::new();
        let mut reader = TextReader::new(dictionary)?;
        for chunk in rows.chunks(CHUNK_ROWS) {
            let mut batch = TextBatch::default();
            for &row in chunk {
                let text = reader.text(0, &of.texts, row as usize);
                batch.push(text.ok_or_else(|| of.damaged_text(row))?);
            }
            batches.push(batch);
        }
        // The last batch of one segment and the first of the next share no block, so small segments give short blocks.
        self.texts.add(&batches, dictionary)
    }

    /// Documents of both kinds and tombstones.
    pub(super) fn weight(&self) -> usize {
        self.numbers.len() + self.dropped.numbers.len() + self.tombstones.len()
    }

    /// Writes the segment, durably.
    pub(super) fn write(&mut self, path: &Path, ctx: &Context<'_>) -> Result<()> {
        let pool = ctx.pool()?;
        self.tombstones.sort_unstable();
        let labels = &self.columns.labels;
        let of = |labels: &Labels, at: usize| labels.get(at).map_or(0, xxh3_64);
        let dropped = &self.dropped;
        let kept_labels = (0..labels.len()).map(|at| of(labels, at));
        let hashes = kept_labels.chain((0..dropped.labels.len()).map(|at| of(&dropped.labels, at)));
        let digests = self.columns.encoded[0].digests.iter().map(|&digest| digest as u64);
        let (labels_table, digests) = pool.install(|| (Table::of_hashes(hashes), Table::of_hashes(digests)));
        let mut out = Packer::create(path, &KIND, ctx)?;
        for (at, rows) in self.columns.encoded.iter().enumerate() {
            out.put(FINGERPRINTS.of(at), &rows.fingerprints)?;
            out.put(VALID.of(at), &rows.valid)?;
            out.put(SKETCHES.of(at), &rows.sketches)?;
            out.put(DIGESTS.of(at), &rows.digests)?;
            out.put(SIZES.of(at), &rows.sizes)?;
        }
        out.put(LABELS, &labels.bytes)?;
        out.put(LABEL_ENDS, &labels.ends)?;
        out.put(GROUPS, &self.columns.groups)?;
        out.put(FAILURES, &[])?;
        let state = EncodeState {
            records: self.numbers.len(),
            hits: Hits::default(),
        };
        out.finish(ENCODE, &state);
        out.put(NUMBERS, &self.numbers)?;
        out.put(BATCHES, &self.batches)?;
        for (at, keys) in self.keys.iter().enumerate() {
            if let Some(keys) = keys {
                let table = pool.install(|| Table::of_keys(keys));
                out.put(KEY_ITEMS.of(at), &table.items)?;
                out.put(KEY_ENDS.of(at), &table.ends)?;
            }
        }
        out.put(DIGEST_ITEMS, &digests.items)?;
        out.put(DIGEST_ENDS, &digests.ends)?;
        out.put(LABEL_ITEMS, &labels_table.items)?;
        out.put(LABEL_TABLE_ENDS, &labels_table.ends)?;
        out.put(TEXTS, &self.texts.bytes)?;
        out.put(TEXT_ENDS, &self.texts.ends)?;
        out.put(TEXT_PLACES, &self.texts.places)?;
        out.put(DROPPED_NUMBERS, &dropped.numbers)?;
        out.put(DROPPED_BATCHES, &dropped.batches)?;
        out.put(DROPPED_LABELS, &dropped.labels.bytes)?;
        out.put(DROPPED_LABEL_ENDS, &dropped.labels.ends)?;
        out.put(DROPPED_DIGESTS, &dropped.digests)?;
        out.put(REPRESENTATIVES, &dropped.representatives)?;
        out.put(DROPPED_SIMILARITIES, &dropped.similarities)?;
        out.put(TOMBSTONES, &self.tombstones)?;
        out.put(BATCH_NAMES, &self.names)?;
        let state = SegmentState {
            kept: self.numbers.len(),
            dropped: dropped.numbers.len(),
            schemes: self.columns.encoded.len(),
        };
        out.finish(SEGMENT, &state);
        out.commit(&serde_json::json!({}))
    }
}
