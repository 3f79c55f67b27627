//! From records to a collection: every record is read and parsed once, and encoded under each scheme, in one parallel pass.
//!
//! In: [`Sources`], the names of fields, and an [`Encoder`] a scheme. Out: a [`Collection`] of columns. Nothing of a text is kept;
//! texts stay where they are and are fetched again for verification.

pub(crate) mod pieces;
pub(crate) mod record_reader;
mod unusable;

use std::iter::repeat_n;
use std::sync::Arc;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::xxh3_128;
use crate::collection::columns::{ENCODE, SEARCH_NAME};
use crate::collection::combine::{Combine, agree, check_schemes};
use crate::collection::dates::{Times, date_of_record};
use crate::collection::fields::{FieldRule, UNKNOWN};
use crate::collection::ingest::pieces::{Batch, Encoded, PieceWriter};
use crate::collection::ingest::record_reader::{BLOCK_BYTES, RecordReader, RecordWork};
use crate::collection::keep_order::{KeepOrder, Keys};
use crate::collection::keep_values::KeepValues;
use crate::collection::names::{Finder, check_at};
use crate::collection::relation::{CopiesOfDropped, Relation, Rules};
use crate::collection::seen::OldRows;
use crate::collection::{Collection, Encoding, check_number};
use crate::encode::encoder::{Encoder, WorkerScratch};
use crate::encode::scheme::{Scheme, UnusableText};
use crate::recipe::search_keys::SearchKeys;
use crate::source::{Failure, Fields, Record, Sources, Value};
use crate::storage::column::{Column, with_room};
use crate::storage::form::{Stored, of_scheme};
use crate::storage::run_dir::{RunDir, ScratchColumn};
use crate::text::guard::Guard;
use crate::text::{Compact, FieldKind, Normaliser};

/// Which fields of a record are used, and which of two near documents stays.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// Where the text is; several fields are joined.
    pub text_field: Vec<String>,
    /// Where the label is.
    pub id_field: String,
    /// Which of two near documents stays.
    pub keep: KeepOrder,
    /// What else decides about a pair.
    pub rules: Rules,
    /// Documents a batch; 0 for batches of about 512 KiB. Never changes a result.
    pub batch: usize,
    /// Where columns are kept as files; in memory where there is none. Never changes a result.
    pub run_dir: Option<Arc<RunDir>>,
}

impl IngestOptions {
    /// The field of the date, where there is a window of time.
    fn date_field(&self) -> Option<&str> {
        self.rules.window.as_ref()?.field.as_deref()
    }
}

/// Reads and parses every record once, and encodes its text with each encoder.
///
/// A record that cannot be parsed fails, and so does one whose text a scheme cannot use: the first such scheme gives the reason.
/// Under [`Combine::All`] a document has fingerprints only where it has one under every scheme.
///
/// Complexity: linear in the bytes, for the encoding times the schemes; memory of about 30 bytes a document, the label, and for
/// each scheme 30 bytes and the sketch.
///
/// # Errors
/// [`Error::Config`] where there are no encoders or too many, more than 2^32 - 2 records, or a table lacks a field;
/// [`Error::Source`] where a source cannot be read or has changed.
pub fn ingest(
    sources: Arc<Sources>,
    options: &IngestOptions,
    encoders: &[Encoder<'_>],
    rule: Combine,
    ctx: &Context<'_>,
) -> Result<Collection> {
    check_schemes(encoders.len())?;
    let n = check_number(sources.len())?;
    let (fields, work) = (fields_of(options, encoders), Encode::new(options, encoders));
    let mut reader = RecordReader {
        sources: &sources,
        fields: &fields,
        block_bytes: BLOCK_BYTES,
        batch: options.batch,
        stage: "fingerprint",
        from: 0,
        to: n,
    };
    let encoded = match &options.run_dir {
        Some(dir) => in_files(dir, &work, &mut reader, ctx)?,
        None => in_memory(&work, &reader, ctx)?.encoded(encoders.iter().map(Encoder::scheme)),
    };
    collected(sources, encoded, Vec::new(), fields, options, rule)
}

/// Reads and encodes the new records of a run against an index.
pub(crate) fn read_new(
    sources: &Sources,
    options: &IngestOptions,
    encoders: &[Encoder<'_>],
    ctx: &Context<'_>,
) -> Result<NewRows> {
    let reader = RecordReader {
        sources,
        fields: &fields_of(options, encoders),
        block_bytes: BLOCK_BYTES,
        batch: options.batch,
        stage: "fingerprint",
        from: 0,
        to: check_number(sources.len())?,
    };
    in_memory(&Encode::new(options, encoders), &reader, ctx)
}

/// The collection of new records and of the documents of an index that they may be near.
pub(crate) fn collect_beside(
    sources: &Sources,
    mut new: NewRows,
    old: OldRows,
    options: &IngestOptions,
    schemes: &[Scheme],
    rule: Combine,
) -> Result<Collection> {
    append(&mut new.rows, old.rows);
    let (sources, fields) = (Arc::new(sources.against(&old.sources)), new.fields.clone());
    let encoded = new.encoded(schemes.iter());
    collected(sources, encoded, old.copies_of_dropped, fields, options, rule)
}

/// Which fields of a record are read.
fn fields_of(options: &IngestOptions, encoders: &[Encoder<'_>]) -> Fields {
    let date_field = options.date_field().map(str::to_owned);
    Fields {
        text: options.text_field.clone(),
        id: options.id_field.clone(),
        // The date is the last value.
        values: options.keep.fields().into_iter().chain(date_field).collect(),
        equal: options.rules.equal.clone(),
        facts: options.rules.names_of_facts().cloned().collect(),
        takes: FieldKind::of_all(encoders.iter().map(|encoder| encoder.scheme().takes())),
    }
}

/// The collection of encoded records.
fn collected(
    sources: Arc<Sources>,
    encoded: Encoded,
    copies_of_dropped: CopiesOfDropped,
    fields: Fields,
    options: &IngestOptions,
    rule: Combine,
) -> Result<Collection> {
    let Encoded {
        mut encodings,
        keys,
        groups,
        dates,
        labels,
        failures,
        hits,
    } = encoded;
    check_number(sources.len())?;
    if rule == Combine::All {
        let parts = encodings.iter_mut();
        let mut valid: Vec<_> = parts.map(|of| (of.valid.to_mut(), of.scheme.is_optional())).collect();
        agree(&mut valid);
    }
    let finder = Finder {
        labels: &labels,
        new: sources.new_len(),
        check: &|position| check_at(&sources, &fields, position),
    };
    let mut relation = Relation::new(groups, &options.rules.fields, &options.rules.verdicts, &finder)?;
    relation.sure = options.rules.sure;
    relation.bounds = options.rules.bounds.clone();
    relation.times = options.rules.window.as_ref().map(|window| Times {
        dates,
        span: window.span,
    });
    let mut order = order(&sources, &failures, &options.keep, &keys);
    relation.put_in_order(&mut order)?;
    let keep_values = KeepValues::of_all(&options.keep, &keys, sources.new_len());
    drop(keys);
    let order = match &options.run_dir {
        Some(dir) => {
            let mut mapped = ScratchColumn::new(Some(dir), "order", order.len())?;
            mapped.extend(order)?;
            mapped.finish()?
        }
        None => order.into(),
    };
    Ok(Collection {
        order,
        relation,
        sources,
        failures,
        encodings,
        hits,
        rule,
        labels,
        keep_values,
        fields,
        copies: Column::default(),
        copies_of_dropped,
        run_dir: options.run_dir.clone(),
        is_textless: false,
    })
}

/// New records that are encoded in memory.
pub(crate) struct NewRows {
    pub(crate) rows: Batch,
    /// The search keys of each scheme that is searched by paths.
    pub(crate) keys: Vec<Option<SearchKeys>>,
    /// The fields that were read.
    pub(crate) fields: Fields,
    failures: Vec<(usize, Failure)>,
}

impl NewRows {
    fn encoded<'s>(self, schemes: impl Iterator<Item = &'s Scheme>) -> Encoded {
        let rows = self.rows;
        let encodings = schemes.zip(rows.encoded).zip(self.keys);
        Encoded {
            encodings: encodings
                .map(|((scheme, rows), keys)| Encoding::of(scheme, rows, None, keys))
                .collect(),
            keys: rows.keys,
            groups: rows.groups.into(),
            dates: rows.dates.into(),
            labels: rows.labels,
            failures: self.failures,
            hits: rows.hits,
        }
    }
}

/// Encodes all records into memory.
fn in_memory(work: &Encode<'_>, reader: &RecordReader<'_>, ctx: &Context<'_>) -> Result<NewRows> {
    let n = reader.sources.len();
    let mut all = work.batch(n)?;
    let keys = work.encoders.iter().map(|encoder| {
        let paths = encoder.paths();
        paths.map(|paths| SearchKeys::with_room(n, paths.mean_keys)).transpose()
    });
    let mut keys = keys.collect::<Result<Vec<Option<SearchKeys>>>>()?;
    let mut failures = Vec::new();
    reader.each_batch(work, ctx, |mut batch, failed| {
        let first = all.labels.len();
        for (keys, rows) in keys.iter_mut().zip(&mut batch.encoded) {
            if let Some(keys) = keys {
                keys.append(first, &rows.key_counts, &rows.keys);
                rows.keys.clear();
                rows.key_counts.clear();
            }
        }
        append(&mut all, batch);
        failures.extend(failed);
        Ok(())
    })?;
    Ok(NewRows {
        rows: all,
        keys,
        fields: reader.fields.clone(),
        failures,
    })
}

/// Encodes the records that a run directory does not have yet into its files.
fn in_files(dir: &RunDir, work: &Encode<'_>, reader: &mut RecordReader<'_>, ctx: &Context<'_>) -> Result<Encoded> {
    let mut bits = Vec::new();
    if dir.finished(ENCODE.name).is_none() {
        let mut files = PieceWriter::open(dir, work.encoders, work.date_field.is_some())?;
        reader.from = files.records();
        // Feature bits are not committed: a run that goes on makes them again.
        let names: Vec<String> = (0..work.encoders.len())
            .map(|at| of_scheme("feature_bits.N", at))
            .collect();
        let new = names.iter().filter(|_| reader.from == 0);
        let columns = new.map(|name| ScratchColumn::new(Some(dir), name, 0));
        let mut columns = columns.collect::<Result<Vec<_>>>()?;
        reader.each_batch(work, ctx, |batch, failed| {
            for (bits, rows) in columns.iter_mut().zip(&batch.encoded) {
                bits.extend(rows.bits.iter().copied())?;
            }
            files.add(&batch, &failed)
        })?;
        files.finish()?;
        bits = columns.into_iter().map(ScratchColumn::finish).collect::<Result<_>>()?;
    }
    // A search that is finished needs the keys no more.
    let is_open = |at| dir.finished(&of_scheme(SEARCH_NAME, at)).is_none();
    let mut encoded = Encoded::read(dir, work.encoders, reader.sources.len(), is_open)?;
    encoded.keys = pieces::read_keys(dir, reader.sources, [work.keyed, work.valued])?;
    for (encoding, bits) in encoded.encodings.iter_mut().zip(bits) {
        encoding.bits = bits;
    }
    Ok(encoded)
}

fn append(all: &mut Batch, other: Batch) {
    for (all, rows) in all.encoded.iter_mut().zip(&other.encoded) {
        all.append(rows);
    }
    all.keys.append(other.keys);
    all.groups.extend(other.groups);
    all.dates.extend(other.dates);
    all.labels.append(&other.labels);
    all.hits.add(other.hits);
}

/// The documents in keep order. The old ones precede all others, in the order of their sources; the rules order the new ones alone.
fn order(sources: &Sources, failures: &[(usize, Failure)], keep: &KeepOrder, keys: &Keys) -> Vec<u32> {
    let mut failed = failures.iter().map(|(position, _)| *position as u32).peekable();
    let mut order: Vec<u32> = (0..sources.len() as u32)
        .filter(|position| failed.next_if_eq(position).is_none())
        .collect();
    let new = order.partition_point(|&position| (position as usize) < sources.new_len());
    order.rotate_left(new);
    if !keep.is_positional() {
        let old = order.len() - new;
        order[old..].par_sort_unstable_by(|&a, &b| keep.compare(keys, a, b));
    }
    order
}

/// The work of ingest on each record.
struct Encode<'a> {
    encoders: &'a [Encoder<'a>],
    /// Whether the keep order compares more than positions,
    keyed: bool,
    /// and whether values of fields are among it.
    valued: bool,
    /// The field of the date, where there is a window of time.
    date_field: Option<&'a str>,
    /// Whether something is compared besides texts,
    grouped: bool,
    /// and rules on fields.
    fields: &'a [FieldRule],
    /// What must be the same in two texts,
    same: &'a [Guard],
    /// and makes the form in which it is read.
    exact: Normaliser,
}

/// What a thread keeps between two records.
pub(crate) struct EncodeScratch {
    each: Vec<WorkerScratch>,
    normalised: Compact,
}

impl<'a> Encode<'a> {
    fn new(options: &'a IngestOptions, encoders: &'a [Encoder<'a>]) -> Self {
        Self {
            encoders,
            keyed: !options.keep.is_positional(),
            valued: !options.keep.fields().is_empty(),
            date_field: options.date_field(),
            grouped: options.rules.group_records(),
            fields: &options.rules.fields,
            same: &options.rules.same,
            exact: Normaliser::new(true),
        }
    }

    /// What must be equal in a record and others near it: its fields, and what is read in its text as the first scheme uses it.
    fn group(&self, record: &Record<'_>, normalised: &mut Compact) -> Result<u128, UnusableText> {
        let scheme = self.encoders[0].scheme();
        group_of(record.group, self.same, scheme, &record.text, (&self.exact, normalised))
    }
}

/// The group of the fields of a record, and of what some guards read in its text as a scheme uses it.
pub(crate) fn group_of(
    fields: u128,
    same: &[Guard],
    scheme: &Scheme,
    text: &str,
    (exact, normalised): (&Normaliser, &mut Compact),
) -> Result<u128, UnusableText> {
    if same.is_empty() {
        return Ok(fields);
    }
    exact.run(&scheme.used_text(text)?.0, normalised);
    let exact = normalised.exact_text();
    let read = same.iter().map(|guard| guard.digest(&exact));
    let all: Vec<[u8; 16]> = [fields].into_iter().chain(read).map(u128::to_le_bytes).collect();
    Ok(xxh3_128(all.as_flattened()))
}

impl RecordWork for Encode<'_> {
    type Scratch = EncodeScratch;
    type Batch = Batch;

    fn scratch(&self) -> Self::Scratch {
        EncodeScratch {
            each: self.encoders.iter().map(|_| WorkerScratch::default()).collect(),
            normalised: Compact::default(),
        }
    }

    fn batch(&self, records: usize) -> Result<Batch> {
        let encoded = self.encoders.iter().map(|encoder| encoder.batch(records));
        Ok(Batch {
            encoded: encoded.collect::<Result<_>>()?,
            groups: with_room(if self.grouped {
                records * (1 + self.fields.len())
            } else {
                0
            })?,
            dates: with_room(if self.date_field.is_some() { records } else { 0 })?,
            ..Batch::empty(0)
        })
    }

    fn add(&self, mut record: Record<'_>, scratch: &mut Self::Scratch, batch: &mut Batch) -> Result<(), UnusableText> {
        let date = self.date_field.map(|field| {
            let value = record.values.pop().unwrap_or(Value::Missing);
            date_of_record(field, &value).map_err(|message| UnusableText::of_record("bad_date", message))
        });
        let date = date.transpose()?;
        for ((encoder, scratch), rows) in self.encoders.iter().zip(&mut scratch.each).zip(&mut batch.encoded) {
            encoder.encode(&record.text, scratch, rows)?;
        }
        if self.grouped {
            batch.groups.push(self.group(&record, &mut scratch.normalised)?);
            let mut facts = record.facts.iter().map(Option::as_deref);
            let fact = |rule: &FieldRule| rule.fact(facts.by_ref().take(rule.names.len()).collect::<Vec<_>>());
            batch.groups.extend(self.fields.iter().map(fact));
        }
        batch.dates.extend(date);
        batch.hits.add(scratch.each[0].hits());
        batch.labels.push(record.id.as_deref());
        if self.keyed {
            let characters = record.text.chars().count() as u32;
            batch.keys.push(characters, record.values, self.valued);
        }
        Ok(())
    }

    fn add_failed(&self, batch: &mut Batch) {
        // The label is added last, so there is one for each whole row.
        let row = batch.labels.len();
        for (encoder, rows) in self.encoders.iter().zip(&mut batch.encoded) {
            encoder.encode_failed(row, rows);
        }
        batch.labels.push(None);
        if self.grouped {
            batch.groups.extend(repeat_n(UNKNOWN, 1 + self.fields.len()));
        }
        batch.dates.extend(self.date_field.map(|_| 0));
        if self.keyed {
            batch.keys.push(0, Vec::new(), self.valued);
        }
    }
}
