//! The encoded records as a stage of a run directory, which is committed piece by piece.
//!
//! In: batches of consecutive records. Out: [`Encoded`], whose columns are mapped. A run that was killed goes on after its last
//! piece. Segments of an index have the same columns.

use serde_json::{Value, json};

use crate::base::error::Result;
use crate::base::message::Message;
use crate::collection::columns::{
    CHARACTERS, DATES, DIGESTS, ENCODE, EncodeState, FAILURES, FINGERPRINTS, GROUPS, KEEP_VALUES, KEYS, LABEL_ENDS,
    LABELS, SIZES, SKETCHES, VALID,
};
use crate::collection::keep_order::{Keys, values_from_json, values_to_json};
use crate::collection::labels::Labels;
use crate::collection::{Encoding, rows};
use crate::encode::encoder::{EncodedBatch, Encoder};
use crate::encode::input::pattern::Hits;
use crate::recipe::search_keys::SearchKeys;
use crate::source::{FAILURE_CODES, Failure, Sources};
use crate::storage::column::Column;
use crate::storage::form::{ColumnName, ColumnSink, Stored};
use crate::storage::run_dir::{RunDir, StageFiles};

/// What consecutive records became.
pub(crate) struct Batch {
    pub(crate) encoded: Vec<EncodedBatch>,
    pub(crate) keys: Keys,
    /// A row for each record: a hash of the values that must be equal, and its facts. Empty if nothing is compared.
    pub(crate) groups: Vec<u128>,
    /// The dates; empty where there is no window of time.
    pub(crate) dates: Vec<i64>,
    pub(crate) labels: Labels,
    /// What the patterns of the first scheme matched.
    pub(crate) hits: Hits,
}

impl Batch {
    /// What is compared of a record besides its text.
    pub(crate) fn row(&self, at: usize) -> &[u128] {
        let words = self.groups.len() / self.labels.len().max(1);
        &self.groups[at * words..][..words]
    }

    /// A batch without records, for this many schemes.
    pub(crate) fn empty(schemes: usize) -> Self {
        Self {
            encoded: (0..schemes).map(|_| EncodedBatch::default()).collect(),
            keys: Keys::default(),
            groups: Vec::new(),
            dates: Vec::new(),
            labels: Labels::default(),
            hits: Hits::default(),
        }
    }
}

/// Records that failed, by position.
pub(crate) type Failures = Vec<(usize, Failure)>;

/// What all records became.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) encodings: Vec<Encoding>,
    pub(crate) keys: Keys,
    pub(crate) groups: Column<u128>,
    pub(crate) dates: Column<i64>,
    pub(crate) labels: Labels,
    pub(crate) failures: Failures,
    pub(crate) hits: Hits,
}

/// Writes batches in the order of positions.
pub(crate) struct PieceWriter<'a> {
    files: StageFiles<'a, EncodeState>,
    /// The keys of each scheme that are not committed.
    keys: Vec<Option<SearchKeys>>,
    written: EncodeState,
    committed: usize,
}

impl<'a> PieceWriter<'a> {
    /// Goes on after the last piece of a directory. A run with a window of time is `dated`.
    pub(crate) fn open(dir: &'a RunDir, encoders: &[Encoder<'_>], dated: bool) -> Result<Self> {
        let written = EncodeState {
            dated,
            ..dir.last_state(ENCODE)?.unwrap_or_default()
        };
        let files = StageFiles::open(dir, ENCODE, encoders.len())?;
        let keys = encoders.iter().map(|encoder| {
            let paths = encoder.paths();
            let keys = paths.map(|paths| SearchKeys::with_room(dir.piece_records(), paths.mean_keys));
            keys.transpose()
        });
        Ok(Self {
            keys: keys.collect::<Result<_>>()?,
            files: if dated { files.with(DATES)? } else { files },
            committed: written.records,
            written,
        })
    }

    /// Records that are written.
    pub(crate) const fn records(&self) -> usize {
        self.written.records
    }

    /// Adds the records that follow, and commits a piece where there are enough.
    pub(crate) fn add(&mut self, batch: &Batch, failures: &Failures) -> Result<()> {
        let files = &mut self.files;
        for ((at, rows), keys) in batch.encoded.iter().enumerate().zip(&mut self.keys) {
            files.put(FINGERPRINTS.of(at), &rows.fingerprints)?;
            files.put(VALID.of(at), &rows.valid)?;
            files.put(SKETCHES.of(at), &rows.sketches)?;
            files.put(DIGESTS.of(at), &rows.digests)?;
            files.put(SIZES.of(at), &rows.sizes)?;
            if let Some(keys) = keys {
                keys.append(self.written.records, &rows.key_counts, &rows.keys);
            }
        }
        let before = files.file(LABELS).bytes();
        let ends: Vec<u64> = batch.labels.ends.iter().map(|end| before + end).collect();
        files.put(LABELS, &batch.labels.bytes)?;
        files.put(LABEL_ENDS, &ends)?;
        files.put(GROUPS, &batch.groups)?;
        if self.written.dated {
            files.put(DATES, &batch.dates)?;
        }
        files.put(CHARACTERS, &batch.keys.characters)?;
        files.put(
            KEEP_VALUES,
            &lines(batch.keys.values.iter().map(|values| values_to_json(values))),
        )?;
        files.put(FAILURES, &failure_lines(failures))?;
        self.written.records += batch.labels.len();
        self.written.hits.add(batch.hits);
        if self.written.records - self.committed >= self.files.dir().piece_records() {
            self.commit(false)?;
        }
        Ok(())
    }

    fn commit(&mut self, done: bool) -> Result<()> {
        for (at, keys) in self.keys.iter_mut().enumerate() {
            if let Some(keys) = keys {
                keys.write(self.files.file(KEYS.of(at)))?;
            }
        }
        self.committed = self.written.records;
        self.files.commit(done, &self.written, &[])
    }

    /// Ends the stage.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.commit(true)
    }
}

impl Encoded {
    /// What `n` records became under the schemes of encoders, from a finished stage. The keys of the keep order are left out, and the
    /// search keys of schemes that are not `keyed`.
    pub(crate) fn read(
        stored: &impl Stored,
        encoders: &[Encoder<'_>],
        n: usize,
        keyed: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let state = stored.state(ENCODE)?.ok_or_else(|| stored.damaged(ENCODE))?;
        let encoding = |(at, encoder): (usize, &Encoder<'_>)| {
            let scheme = encoder.scheme();
            let keys = (encoder.paths().is_some() && keyed(at)).then(|| {
                let keys = SearchKeys::of_file(stored.read(KEYS.of(at))?);
                let keys = keys.ok_or_else(|| stored.damaged(KEYS.of(at)))?;
                stored.check(KEYS.of(at), || keys.fit(n))?;
                Ok(keys)
            });
            Ok(Encoding {
                fingerprints: stored.fitting(FINGERPRINTS.of(at), |all| all.len() == n * scheme.words())?,
                valid: stored.fitting(VALID.of(at), |all| all.len() == n)?,
                sketches: stored.fitting(SKETCHES.of(at), |all| all.len() == n * encoder.sketch_words())?,
                digests: stored.fitting(DIGESTS.of(at), |all| all.len() == n)?,
                sizes: stored.fitting(SIZES.of(at), |all| all.len() == n)?,
                ..Encoding::of(scheme, EncodedBatch::default(), None, keys.transpose()?)
            })
        };
        Ok(Self {
            encodings: encoders.iter().enumerate().map(encoding).collect::<Result<_>>()?,
            keys: Keys::default(),
            groups: stored.fitting(GROUPS, |all| all.len().is_multiple_of(n.max(1)))?,
            dates: if state.dated {
                stored.fitting(DATES, |all| all.len() == n)?
            } else {
                Column::default()
            },
            labels: read_labels(stored, n)?,
            failures: read_failures(stored, n)?,
            hits: state.hits,
        })
    }

    /// What the records of some positions became, without their keys and those of the keep order.
    pub(crate) fn batch(&self, positions: &[u32]) -> Batch {
        let mut labels = Labels::default();
        for &position in positions {
            labels.push(self.labels.get(position as usize));
        }
        Batch {
            encoded: self.encodings.iter().map(|of| of.rows(positions)).collect(),
            keys: Keys::default(),
            groups: rows(&self.groups, self.labels.len(), positions),
            dates: rows(&self.dates, self.labels.len(), positions),
            labels,
            hits: Hits::default(),
        }
    }
}

/// The labels of `n` records.
pub(crate) fn read_labels(stored: &impl Stored, n: usize) -> Result<Labels> {
    let labels = Labels {
        bytes: stored.read(LABELS)?,
        ends: stored.read(LABEL_ENDS)?,
    };
    stored.check(LABEL_ENDS, || labels.fit(n))?;
    Ok(labels)
}

/// Those of `n` records that failed.
pub(crate) fn read_failures(stored: &impl Stored, n: usize) -> Result<Failures> {
    let failures = read_lines(stored, FAILURES, failure_of)?;
    let in_order = failures.is_sorted_by(|(one, _), (other, _)| one < other);
    if !in_order || failures.last().is_some_and(|(position, _)| *position >= n) {
        return Err(stored.damaged(FAILURES));
    }
    Ok(failures)
}

/// The keys of the keep order from a finished stage. The flags say whether new records have any, and values among them.
pub(crate) fn read_keys(stored: &impl Stored, sources: &Sources, [keyed, valued]: [bool; 2]) -> Result<Keys> {
    let new = |there| if there { sources.new_len() } else { 0 };
    let values = read_lines(stored, KEEP_VALUES, values_from_json)?;
    if values.len() < new(valued) {
        return Err(stored.damaged(KEEP_VALUES));
    }
    Ok(Keys {
        characters: stored.fitting(CHARACTERS, |all| all.len() >= new(keyed))?,
        values,
    })
}

/// Failed records as lines of JSON.
pub(crate) fn failure_lines(failures: &Failures) -> Vec<u8> {
    lines(
        failures
            .iter()
            .map(|(position, of)| json!([position, of.code, of.message])),
    )
}

fn failure_of(line: &Value) -> Option<(usize, Failure)> {
    let code = line[1].as_str()?;
    let (code, _) = FAILURE_CODES.iter().find(|(known, _)| *known == code)?;
    let failure = Failure::new(code, Message::from_json(&line[2])?);
    Some((line[0].as_u64()? as usize, failure))
}

fn lines(values: impl Iterator<Item = Value>) -> Vec<u8> {
    values.flat_map(|value| format!("{value}\n").into_bytes()).collect()
}

fn read_lines<T>(stored: &impl Stored, column: ColumnName<u8>, of: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>> {
    let bytes = stored.read(column)?;
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let value = |line| serde_json::from_slice(line).ok().and_then(|value| of(&value));
    let values: Option<Vec<T>> = lines.map(value).collect();
    values.ok_or_else(|| stored.damaged(column))
}
