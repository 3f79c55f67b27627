//! A segment: one file with the columns of some kept documents, of documents dropped for them, and of removed ones.
//!
//! Its documents are the stage `encode` of a run, packed, so a run on new records reads them as it reads a run directory.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::bucket::Crowds;
use super::manifest::Named;
use super::second::SECOND_SKETCHES;
use super::table::Table;
use super::texts::TextBlocks;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::collection::columns::{DATES, ENCODE};
use crate::collection::fields::{FieldRule, content_of, joining};
use crate::collection::ingest::pieces::Encoded;
use crate::collection::labels::{Labels, canonical};
use crate::encode::encoder::Encoder;
use crate::encode::sketch::SKETCH_WORDS;
use crate::search::feature_bits::SECOND_WORDS;
use crate::storage::artifact::{Artifact, ArtifactKind, Held};
use crate::storage::column::{Column, fields_element};
use crate::storage::form::{ColumnName, Stored, stage};

/// How many rows of each kind a segment has.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct SegmentState {
    pub(crate) kept: usize,
    pub(crate) dropped: usize,
    pub(crate) schemes: usize,
    /// Kept documents with one search key, at most.
    #[serde(default)]
    pub(crate) bucket: usize,
    /// Whether there are [second sketches](SECOND_SKETCHES).
    #[serde(default)]
    pub(crate) second_sketches: bool,
}

/// A document that was removed, and the batch that did it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Tombstone {
    /// The number of the document.
    pub number: u64,
    /// The number of the batch.
    pub by: u64,
}

fields_element!(Tombstone, "tombstone", number, by);

stage! {
    /// Adds to the encoded documents what an index knows of them.
    SEGMENT: SegmentState = "segment" after ["encode"] {
        /// The number of each kept document, ascending.
        NUMBERS: u64 = "numbers",
        /// The batch of each kept document.
        BATCHES: u32 = "batches",
        /// Search keys in order; see [`Table`].
        KEY_ITEMS: u64 = "key_items.N",
        /// Where each part of the keys ends.
        KEY_ENDS: u64 = "key_ends.N",
        /// Digests in order, those of kept documents by the first scheme.
        DIGEST_ITEMS: u64 = "digest_items",
        /// Where each part of the digests ends.
        DIGEST_ENDS: u64 = "digest_ends",
        /// Hashes of labels in order: first those of the kept documents, then those of the dropped ones.
        LABEL_ITEMS: u64 = "label_items",
        /// Where each part of the hashes ends.
        LABEL_TABLE_ENDS: u64 = "label_item_ends",
        /// Packed texts.
        TEXTS: u8 = "texts",
        /// Where each block of texts ends.
        TEXT_ENDS: u64 = "text_ends",
        /// Where each text begins.
        TEXT_PLACES: u64 = "text_places",
        /// The number of each dropped document, ascending.
        DROPPED_NUMBERS: u64 = "dropped_numbers",
        /// The batch of each dropped document.
        DROPPED_BATCHES: u32 = "dropped_batches",
        /// The labels of the dropped documents.
        DROPPED_LABELS: u8 = "dropped_labels",
        /// Where each of these labels ends.
        DROPPED_LABEL_ENDS: u64 = "dropped_label_ends",
        /// What says which texts they had: their digests, or of several schemes a hash of all digests.
        DROPPED_DIGESTS: u128 = "dropped_digests",
        /// The number of the kept document that represents each.
        REPRESENTATIVES: u64 = "representatives",
        /// Its similarity; NaN where there is none.
        DROPPED_SIMILARITIES: f64 = "dropped_similarities",
        /// Documents that were removed, of this segment or earlier ones.
        TOMBSTONES: Tombstone = "tombstones",
        /// A line of JSON for each batch with a name: its number and its name.
        BATCH_NAMES: u8 = "batch_names",
    }
}

/// The dates of dropped documents, where there is a window of time.
pub(crate) const DROPPED_DATES: ColumnName<i64> = ColumnName::new("dropped_dates");

pub(crate) const KIND: ArtifactKind = ArtifactKind {
    name: "segment",
    version: 8,
    oldest: 8,
    has_pieces: true,
    noun: "segment of an index",
    instead: "name the directory of an index",
    renew: "make the index anew of its sources",
    repair: "restore the index from a snapshot, or make it anew of its sources",
};

/// What a document must have in common with another one to be the same: text, date and fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Content {
    pub(crate) identity: u128,
    /// None where there is no window of time.
    pub(crate) date: Option<i64>,
    /// Of what is compared besides the text; none where nothing is.
    pub(crate) group: Option<u128>,
}

/// A dropped document, with the number of the kept one that represents it, and their similarity.
pub(crate) struct DroppedRow<'a> {
    pub(crate) number: u64,
    pub(crate) batch: u32,
    pub(crate) label: Option<&'a [u8]>,
    pub(crate) content: Content,
    pub(crate) representative: u64,
    pub(crate) similarity: f64,
}

/// What is known of dropped documents, as columns.
#[derive(Debug, Default)]
pub(crate) struct Dropped {
    pub(crate) numbers: Column<u64>,
    pub(crate) batches: Column<u32>,
    /// None where there is no window of time.
    pub(crate) dates: Column<i64>,
    pub(crate) labels: Labels,
    pub(crate) digests: Column<u128>,
    pub(crate) representatives: Column<u64>,
    pub(crate) similarities: Column<f64>,
}

impl Dropped {
    pub(crate) fn push(&mut self, one: &DroppedRow<'_>) {
        self.numbers.to_mut().push(one.number);
        self.batches.to_mut().push(one.batch);
        self.dates.to_mut().extend(one.content.date);
        self.labels.push(one.label.map(canonical).as_deref());
        self.digests.to_mut().push(one.content.identity);
        self.representatives.to_mut().push(one.representative);
        self.similarities.to_mut().push(one.similarity);
    }
}

/// An open segment.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Empty for one that is in memory.
    pub(crate) path: PathBuf,
    /// Its file; none for one that is in memory.
    pub(crate) held: Option<Held>,
    /// Kept documents with one search key, at most; 0 where that was not counted.
    pub(crate) bucket: usize,
    pub(crate) encoded: Encoded,
    pub(crate) keys: Vec<Option<Table>>,
    /// Under each scheme; empty where no document has one.
    pub(crate) second_sketches: Vec<Column<u64>>,
    pub(crate) numbers: Column<u64>,
    pub(crate) batches: Column<u32>,
    pub(crate) digests: Table,
    pub(crate) labels: Table,
    pub(crate) texts: TextBlocks,
    pub(crate) dropped: Dropped,
    pub(crate) tombstones: Column<Tombstone>,
    pub(crate) names: Column<u8>,
    /// Under each scheme.
    pub(crate) crowds: Vec<Crowds>,
    /// The lower halves of the values of [`joining`] for each kept document, with its row, in order; made at the first use.
    pub(crate) joining: OnceLock<Vec<(u64, u32)>>,
}

/// How a segment is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening {
    /// Whether there is a window of time.
    pub(crate) dated: bool,
    /// Whether all of it is read and checked.
    pub(crate) whole: bool,
}

/// A segment of more bytes is not read whole when it is opened; [`verify`](super::Index::verify) reads all.
const CHECKED_BYTES: u64 = 16 << 20;

impl Segment {
    /// Opens a segment, which is `dated` if there is a window of time. All of it is read and checked if it is small, or `whole` is asked
    /// for.
    pub(crate) fn open(
        folder: &Path,
        file: &Named,
        encoders: &[Encoder<'_>],
        Opening { dated, whole }: Opening,
        ctx: &Context<'_>,
    ) -> Result<Self> {
        let path = &folder.join(&file.name);
        let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let whole = whole || bytes <= CHECKED_BYTES;
        let of = if whole {
            Artifact::open(path, &KIND, &mut |done, total| ctx.tick("read", done, total))?
        } else {
            Artifact::open_in_pieces(path, &KIND)?
        };
        file.check(path, of.checksum())?;
        let state = of.state(SEGMENT)?.ok_or_else(|| of.damaged(SEGMENT))?;
        let SegmentState {
            kept,
            dropped,
            schemes,
            bucket,
            second_sketches,
        } = state;
        of.check(SEGMENT, || {
            schemes == encoders.len() && kept < u32::MAX as usize && dropped < u32::MAX as usize
        })?;
        of.check(
            DATES,
            || matches!(of.state(ENCODE), Ok(Some(state)) if state.dated == dated),
        )?;
        let table = |items, ends, rows: usize| {
            let table = Table {
                items: of.read(items)?,
                ends: of.read(ends)?,
                rows,
            };
            of.check(ends, || table.has_parts())?;
            if whole {
                of.check(items, || table.fit())?;
            }
            Ok(table)
        };
        let keys = encoders.iter().enumerate().map(|(at, encoder)| {
            let keys = encoder.paths().map(|_| table(KEY_ITEMS.of(at), KEY_ENDS.of(at), kept));
            keys.transpose()
        });
        let second = (0..schemes).map(|at| {
            let fits = |all: &[u64]| all.is_empty() || all.len() == kept * SECOND_WORDS;
            if second_sketches {
                of.fitting(SECOND_SKETCHES.of(at), fits)
            } else {
                Ok(Column::default())
            }
        });
        let texts = TextBlocks {
            bytes: of.read(TEXTS)?,
            ends: of.read(TEXT_ENDS)?,
            places: of.fitting(TEXT_PLACES, |places| places.len() == kept)?,
        };
        if whole {
            of.check(TEXT_PLACES, || texts.fit(kept))?;
        }
        let labels = Labels {
            bytes: of.read(DROPPED_LABELS)?,
            ends: of.read(DROPPED_LABEL_ENDS)?,
        };
        of.check(DROPPED_LABEL_ENDS, || labels.fit(dropped))?;
        let ascending = |numbers: &[u64]| numbers.is_sorted_by(|one, other| one < other);
        Ok(Self {
            path: path.clone(),
            bucket,
            keys: keys.collect::<Result<_>>()?,
            second_sketches: second.collect::<Result<_>>()?,
            encoded: Encoded::read(&of, encoders, kept, |_| false)?,
            numbers: of.fitting(NUMBERS, |numbers| {
                numbers.len() == kept && (!whole || ascending(numbers))
            })?,
            batches: of.fitting(BATCHES, |batches| batches.len() == kept)?,
            digests: table(DIGEST_ITEMS, DIGEST_ENDS, kept + dropped)?,
            labels: table(LABEL_ITEMS, LABEL_TABLE_ENDS, kept + dropped)?,
            texts,
            dropped: Dropped {
                numbers: of.fitting(DROPPED_NUMBERS, |all| {
                    all.len() == dropped && (!whole || ascending(all))
                })?,
                batches: of.fitting(DROPPED_BATCHES, |all| all.len() == dropped)?,
                dates: if dated {
                    of.fitting(DROPPED_DATES, |all| all.len() == dropped)?
                } else {
                    Column::default()
                },
                labels,
                digests: of.fitting(DROPPED_DIGESTS, |all| all.len() == dropped)?,
                representatives: of.fitting(REPRESENTATIVES, |all| all.len() == dropped)?,
                similarities: of.fitting(DROPPED_SIMILARITIES, |all| all.len() == dropped)?,
            },
            tombstones: of.read(TOMBSTONES)?,
            names: of.read(BATCH_NAMES)?,
            crowds: encoders.iter().map(|_| Crowds::default()).collect(),
            joining: OnceLock::new(),
            held: of.held(),
        })
    }

    /// The error for a text that cannot be unpacked.
    pub(crate) fn damaged_text(&self, row: u32) -> Error {
        Error::Source {
            path: self.path.clone(),
            message: msg!(
                "is a segment of an index, and the text of its row {row} is damaged; restore the index from a snapshot, or make \
                 it anew of its sources"
            ),
        }
    }

    /// Documents of both kinds and tombstones.
    pub(crate) fn weight(&self) -> usize {
        self.len() + self.dropped.numbers.len() + self.tombstones.len()
    }

    /// Kept documents, removed ones among them.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Those of some rows of the table of labels whose label is this: of the kept documents, and of the dropped ones.
    pub(crate) fn with_label<'a>(&'a self, items: &'a [u64], label: &'a [u8]) -> impl Iterator<Item = Row> + 'a {
        let rows = self.labels.sound(items).iter().map(|&item| self.row(item as u32));
        rows.filter(move |row| self.label(*row) == Some(label))
    }

    /// The row of a number in the tables of labels and digests.
    pub(crate) fn row(&self, number: u32) -> Row {
        match number.checked_sub(self.len() as u32) {
            None => Row::Kept(number),
            Some(row) => Row::Dropped(row),
        }
    }

    /// The label of a row.
    pub(crate) fn label(&self, row: Row) -> Option<&[u8]> {
        match row {
            Row::Kept(row) => self.encoded.labels.get(row as usize),
            Row::Dropped(row) => self.dropped.labels.get(row as usize),
        }
    }

    /// The label of a row as text, which is JSON.
    ///
    /// # Errors
    /// [`Error::Source`] where it is none.
    pub(crate) fn given_label(&self, row: Row) -> Result<Option<String>> {
        let given = |label: &[u8]| {
            let is_json = serde_json::from_slice::<IgnoredAny>(label).is_ok();
            let text = String::from_utf8(label.to_vec()).ok().filter(|_| is_json);
            text.ok_or_else(|| Error::Source {
                path: self.path.clone(),
                message: msg!(
                    "is a segment of an index, and the id of its document {number} is no JSON; restore the index from a snapshot, \
                     or make it anew of its sources",
                    number = self.number(row)
                ),
            })
        };
        self.label(row).map(given).transpose()
    }

    /// The number of the document of a row.
    pub(crate) fn number(&self, row: Row) -> u64 {
        match row {
            Row::Kept(row) => self.numbers.at(row as usize),
            Row::Dropped(row) => self.dropped.numbers.at(row as usize),
        }
    }

    /// What two documents have in common whose texts are equal under every scheme, and whose facts are equal.
    pub(crate) fn identity(&self, row: Row) -> u128 {
        match row {
            Row::Kept(at) => {
                let digests = self.encoded.encodings.iter().map(|of| of.digests.at(at as usize));
                identity(digests.chain(content_of(self.group(at))))
            }
            Row::Dropped(_) => self.digest(row),
        }
    }

    /// The digest of a kept document under the first scheme, and what says that a dropped one has a text.
    pub(crate) fn digest(&self, row: Row) -> u128 {
        match row {
            Row::Kept(row) => self.encoded.encodings[0].digests.at(row as usize),
            Row::Dropped(row) => self.dropped.digests.at(row as usize),
        }
    }

    /// The date of the document of a row, where there is a window of time.
    pub(crate) fn date(&self, row: Row) -> Option<i64> {
        let (dates, row) = match row {
            Row::Kept(row) => (&self.encoded.dates, row as usize),
            Row::Dropped(row) => (&self.dropped.dates, row as usize),
        };
        dates.some(row..row + 1).map(|one| one[0])
    }

    /// The batch of the document of a row.
    pub(crate) fn batch(&self, row: Row) -> u32 {
        match row {
            Row::Kept(row) => self.batches.at(row as usize),
            Row::Dropped(row) => self.dropped.batches.at(row as usize),
        }
    }

    /// What is compared of a kept document besides its text.
    pub(crate) fn group(&self, row: u32) -> &[u128] {
        let words = self.encoded.groups.len() / self.len().max(1);
        let start = row as usize * words;
        self.encoded.groups.some(start..start + words).unwrap_or_default()
    }

    /// The kept documents that may have this among what joins them with others.
    pub(crate) fn joined_by(&self, mark: u128, rules: &[FieldRule]) -> impl Iterator<Item = u32> {
        let all = self.joining.get_or_init(|| {
            let marks = |row: u32| joining(rules, self.group(row).get(1..).unwrap_or_default());
            let rows = (0..self.len() as u32).flat_map(|row| marks(row).map(move |mark| (mark as u64, row)));
            let mut all: Vec<(u64, u32)> = rows.collect();
            all.sort_unstable();
            all
        });
        let start = all.partition_point(|(own, _)| *own < mark as u64);
        let equal = all[start..].iter().take_while(move |(own, _)| *own == mark as u64);
        equal.map(|&(_, row)| row)
    }

    /// The numbers of documents that tombstones of this segment name, where a batch that `counts` has put them there and a segment may have
    /// the document.
    pub(crate) fn tombstones_within<'a>(
        &'a self,
        of: &Self,
        counts: impl Fn(u32) -> bool + 'a,
    ) -> impl Iterator<Item = u64> + 'a {
        let all = [&of.numbers, &of.dropped.numbers];
        let least = all.iter().filter_map(|numbers| Some(numbers.some(0..1)?[0])).min();
        let last = |numbers: &&Column<u64>| Some(numbers.at(numbers.len().checked_sub(1)?));
        let most = all.iter().filter_map(last).max();
        let start = self.tombstones.partition_point(|one| Some(one.number) < least);
        let end = self.tombstones.partition_point(|one| Some(one.number) <= most);
        let within = self.tombstones.get(start..end).unwrap_or_default().iter();
        within.filter(move |one| counts(one.by as u32)).map(|one| one.number)
    }

    /// Looks at the piece of the sketch of a kept document, where nobody has done so.
    #[inline]
    pub(crate) fn touch_sketch(&self, scheme: usize, row: u32) {
        let start = row as usize * SKETCH_WORDS;
        self.encoded.encodings[scheme]
            .sketches
            .touch(start..start + SKETCH_WORDS);
    }

    /// The second sketch of a kept document, if it has one.
    pub(crate) fn second_sketch(&self, scheme: usize, row: u32) -> Option<&[u64]> {
        let start = row as usize * SECOND_WORDS;
        let second = self.second_sketches[scheme].some(start..start + SECOND_WORDS)?;
        second.iter().any(|&word| word != 0).then_some(second)
    }

    /// The row of a document.
    pub(crate) fn row_of(&self, number: u64) -> Option<Row> {
        let at = |numbers: &Column<u64>| {
            // The search is right if the places around its end are whole.
            let found = numbers.raw().binary_search(&number);
            let place = found.unwrap_or_else(|place| place);
            numbers.touch(place.saturating_sub(1)..numbers.len().min(place + 1));
            found.ok().map(|row| row as u32)
        };
        let kept = at(&self.numbers).map(Row::Kept);
        kept.or_else(|| at(&self.dropped.numbers).map(Row::Dropped))
    }
}

/// Of the digests of a text under each scheme, and of its facts, what says that those of another are equal.
pub(crate) fn identity(mut digests: impl Iterator<Item = u128>) -> u128 {
    let first = digests.next().unwrap_or_default();
    digests.fold(first, |one, other| {
        xxh3_128([one.to_le_bytes(), other.to_le_bytes()].as_flattened())
    })
}

/// The place of a document in a state: the number of its segment, and its row there. Unless stated otherwise the document is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place<R = u32> {
    pub(crate) segment: u32,
    pub(crate) row: R,
}

impl<R> Place<R> {
    pub(crate) const fn new(segment: usize, row: R) -> Self {
        Self {
            segment: segment as u32,
            row,
        }
    }
}

impl Place {
    /// The same place among those of kept and dropped documents.
    pub(crate) const fn of_any(self) -> Place<Row> {
        Place {
            segment: self.segment,
            row: Row::Kept(self.row),
        }
    }
}

impl Place<Row> {
    /// The place of a kept document; none of a dropped one.
    pub(crate) const fn kept(self) -> Option<Place> {
        match self.row {
            Row::Kept(row) => Some(Place {
                segment: self.segment,
                row,
            }),
            Row::Dropped(_) => None,
        }
    }
}

/// A row of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Row {
    /// Of a kept document.
    Kept(u32),
    /// Of a dropped one.
    Dropped(u32),
}

/// What a record has in common with the document that has its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    /// The text as it is written; of a dropped document all that is known of its text.
    Same,
    /// The text, in another writing.
    Other,
    /// Another text, date or field.
    OfOther,
}
