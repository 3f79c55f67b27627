//! The rows of a segment that is made of texts.

use std::path::PathBuf;
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::xxh3_64;
use crate::collection::Encoding;
use crate::collection::combine::{Combine, agree};
use crate::collection::ingest::pieces::{Batch, Encoded};
use crate::collection::keep_order::Keys;
use crate::collection::labels::{Labels, canonical};
use crate::encode::encoder::{Encoder, WorkerScratch};
use crate::encode::input::pattern::Hits;
use crate::encode::scheme::{Scratch, UnusableText};
use crate::index::files::bucket::Crowds;
use crate::index::files::second::{SecondSketches, has_second};
use crate::index::files::segment::{Dropped, Segment, Tombstone};
use crate::index::files::state::State;
use crate::index::files::table::Table;
use crate::index::files::texts::{TextBatch, TextBlocks};
use crate::recipe::search_keys::{PARTS, SearchKeys};

/// Texts that one thread encodes and packs at a time.
const CHUNK_ROWS: usize = 256;
/// Rows that are encoded before what they became is appended.
const ROUND_ROWS: usize = 64 * CHUNK_ROWS;

/// What a kept document has besides its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptRow<'a> {
    pub(crate) number: u64,
    pub(crate) batch: u32,
    pub(crate) label: Option<&'a [u8]>,
    /// What is compared of it besides its text.
    pub(crate) group: &'a [u128],
    /// Its date, where there is a window of time.
    pub(crate) date: Option<i64>,
}

/// The encoded documents of a run; some of them are added.
pub(crate) struct Known<'a> {
    pub(crate) encodings: &'a [Encoding],
    pub(crate) keys: &'a [Option<SearchKeys>],
    /// The positions of those that are added.
    pub(crate) positions: &'a [u32],
}

/// Takes a text; the scheme may refuse it.
pub(crate) type EachText<'a> = dyn FnMut(&str) -> Result<(), UnusableText> + 'a;

/// Columns in memory, rows by ascending numbers.
pub(crate) struct SegmentRows {
    numbers: Vec<u64>,
    batches: Vec<u32>,
    columns: Batch,
    keys: Vec<Option<SearchKeys>>,
    second_sketches: Vec<SecondSketches>,
    texts: TextBlocks,
    pub(crate) dropped: Dropped,
    pub(crate) tombstones: Vec<Tombstone>,
    pub(crate) names: Vec<u8>,
}

impl SegmentRows {
    pub(crate) fn new(encoders: &[Encoder<'_>]) -> Result<Self> {
        let keys = encoders.iter().map(|encoder| {
            let keys = encoder.paths().map(|_| SearchKeys::with_room(0, 0.0));
            keys.transpose()
        });
        Ok(Self {
            numbers: Vec::new(),
            batches: Vec::new(),
            columns: Batch::empty(encoders.len()),
            keys: keys.collect::<Result<_>>()?,
            second_sketches: encoders.iter().map(|_| SecondSketches::default()).collect(),
            texts: TextBlocks::default(),
            dropped: Dropped::default(),
            tombstones: Vec::new(),
            names: Vec::new(),
        })
    }

    /// Adds kept documents, whose texts `text` gives by their places in `rows`. What is not known of them is encoded by the schemes and
    /// paths of a state.
    pub(crate) fn add_texts<S: Send>(
        &mut self,
        rows: &[KeptRow<'_>],
        known: Option<&Known<'_>>,
        state: &State,
        scratch: impl Fn() -> S + Sync + Send,
        text: impl Fn(&mut S, usize, &mut EachText<'_>) -> Result<()> + Sync + Send,
        ctx: &Context<'_>,
    ) -> Result<()> {
        let (pool, kernel) = (ctx.pool()?, ctx.kernel());
        let encoders = match known {
            Some(_) => Vec::new(),
            None => state.encoders(kernel),
        };
        for (round, of_round) in rows.chunks(ROUND_ROWS).enumerate() {
            let done = round * ROUND_ROWS;
            ctx.tick("store", done as u64, rows.len() as u64)?;
            let encode = |work: &mut (S, Vec<WorkerScratch>), chunk: usize| {
                let (scratch, workers) = work;
                let first = done + chunk * CHUNK_ROWS;
                let end = (first + CHUNK_ROWS).min(done + of_round.len());
                let batches = encoders.iter().map(|encoder| encoder.batch(end - first));
                let second: Vec<SecondSketches> = state.schemes.iter().map(|_| SecondSketches::default()).collect();
                let mut made = (batches.collect::<Result<Vec<_>>>()?, TextBatch::default(), second);
                let mut extracted = Scratch::default();
                for at in first..end {
                    text(scratch, at, &mut |text| {
                        for ((encoder, worker), batch) in encoders.iter().zip(workers.iter_mut()).zip(&mut made.0) {
                            encoder.encode(text, worker, batch)?;
                        }
                        for ((scheme, by), second) in state.schemes.iter().enumerate().zip(&mut made.2) {
                            let size = match known {
                                Some(known) => known.encodings[scheme].sizes[known.positions[at] as usize],
                                None => made.0[scheme].sizes[at - first],
                            };
                            if has_second(by, &state.recipes[scheme], size) {
                                by.extract(text, &mut extracted)?;
                                second.set(at - first, kernel, extracted.features.hashes());
                            }
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
            let (mut encoded, mut texts) = (Vec::new(), Vec::new());
            for (at, (of_chunk, of_texts, second)) in made.into_iter().enumerate() {
                for (all, second) in self.second_sketches.iter_mut().zip(&second) {
                    all.append(self.numbers.len() + done + at * CHUNK_ROWS, second);
                }
                encoded.push(of_chunk);
                texts.push(of_texts);
            }
            pool.install(|| self.texts.add(&texts, &state.dictionary))?;
            for mut batches in encoded.into_iter().filter(|_| known.is_none()) {
                if state.rule == Combine::All {
                    let each = batches.iter_mut().zip(&state.schemes);
                    let mut valid: Vec<_> = each.map(|(of, by)| (&mut of.valid, by.is_optional())).collect();
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
        if let Some(known) = known {
            self.add_known(known);
        }
        for row in rows {
            self.numbers.push(row.number);
            self.batches.push(row.batch);
            self.columns.labels.push(row.label.map(canonical).as_deref());
            self.columns.groups.extend(row.group);
            self.columns.dates.extend(row.date);
        }
        Ok(())
    }

    fn add_known(&mut self, known: &Known<'_>) {
        let first = self.columns.encoded[0].valid.len() as u32;
        let mut places = vec![u32::MAX; known.encodings[0].valid.len()];
        for (place, &position) in (first..).zip(known.positions) {
            places[position as usize] = place;
        }
        let moved = |item: u64| {
            let place = places[item as u32 as usize];
            (place != u32::MAX).then_some(item >> 32 << 32 | u64::from(place))
        };
        let columns = self.columns.encoded.iter_mut().zip(&mut self.keys);
        for ((all, keys), (of, of_keys)) in columns.zip(known.encodings.iter().zip(known.keys)) {
            all.append(&of.rows(known.positions));
            if let (Some(keys), Some(of_keys)) = (keys, of_keys) {
                for part in 0..PARTS {
                    keys.extend(part, of_keys.items(part).filter_map(moved));
                }
            }
        }
    }

    /// Documents of both kinds and tombstones.
    pub(crate) fn weight(&self) -> usize {
        self.numbers.len() + self.dropped.numbers.len() + self.tombstones.len()
    }

    /// The segment of these rows, in memory.
    pub(crate) fn finish(mut self, state: &State, ctx: &Context<'_>) -> Result<Segment> {
        self.tombstones.sort_unstable();
        let pool = ctx.pool()?;
        let (labels, dropped) = (&self.columns.labels, &self.dropped);
        let of = |labels: &Labels, at: usize| labels.get(at).map_or(0, xxh3_64);
        let kept_labels = (0..labels.len()).map(|at| of(labels, at));
        let hashes = kept_labels.chain((0..dropped.labels.len()).map(|at| of(&dropped.labels, at)));
        let digests = self.columns.encoded[0].digests.iter().chain(&dropped.digests[..]);
        let digests = digests.map(|&digest| digest as u64);
        let (labels_table, digests) = pool.install(|| (Table::of_hashes(hashes), Table::of_hashes(digests)));
        let of_keys = |keys: &Option<SearchKeys>| keys.as_ref().map(Table::of_keys);
        let encodings = self.columns.encoded.into_iter().zip(&state.schemes);
        let rows = self.numbers.len();
        Ok(Segment {
            second_sketches: self.second_sketches.into_iter().map(|of| of.finish(rows)).collect(),
            path: PathBuf::new(),
            held: None,
            bucket: 0,
            keys: pool.install(|| self.keys.iter().map(of_keys).collect()),
            encoded: Encoded {
                encodings: encodings
                    .map(|(rows, scheme)| Encoding::of(scheme, rows, None, None))
                    .collect(),
                keys: Keys::default(),
                groups: self.columns.groups.into(),
                dates: self.columns.dates.into(),
                labels: self.columns.labels,
                failures: Vec::new(),
                hits: Hits::default(),
            },
            numbers: self.numbers.into(),
            batches: self.batches.into(),
            digests,
            labels: labels_table,
            texts: self.texts,
            dropped: self.dropped,
            tombstones: self.tombstones.into(),
            names: self.names.into(),
            crowds: state.schemes.iter().map(|_| Crowds::default()).collect(),
            joining: OnceLock::new(),
        })
    }
}
