//! The encoded records, as files of a run directory that are committed piece by piece.
//!
//! In: batches of consecutive records. Out: columns that are mapped. A run that was killed goes on after its last
//! piece.

use serde_json::{Value, json};

use crate::base::error::Result;
use crate::collection::Encoding;
use crate::collection::keep_order::{Keys, values_from_json, values_to_json};
use crate::collection::labels::Labels;
use crate::encode::encoder::{EncodedBatch, Encoder};
use crate::encode::input::pattern::Hits;
use crate::recipe::search_keys::SearchKeys;
use crate::source::{FAILURE_CODES, Failure, Sources};
use crate::storage::column::Column;
use crate::storage::run_dir::{Appender, RunDir};

/// The stage's name in the log.
const STAGE: &str = "encode";

/// What consecutive records became.
pub(crate) struct Batch {
    pub(crate) encoded: Vec<EncodedBatch>,
    pub(crate) keys: Keys,
    /// What must be equal; empty where nothing must.
    pub(crate) groups: Vec<u128>,
    pub(crate) labels: Labels,
    /// What the patterns of the first scheme matched.
    pub(crate) hits: Hits,
}

/// Records that failed, by position.
pub(crate) type Failures = Vec<(usize, Failure)>;

/// What all records became.
pub(crate) struct Encoded {
    pub(crate) encodings: Vec<Encoding>,
    pub(crate) keys: Keys,
    pub(crate) groups: Column<u128>,
    pub(crate) labels: Labels,
    pub(crate) failures: Failures,
    pub(crate) hits: Hits,
}

/// The files of one scheme.
struct SchemeFiles {
    fingerprints: Appender,
    valid: Appender,
    sketches: Appender,
    digests: Appender,
    sizes: Appender,
    keys: Option<(Appender, SearchKeys)>,
}

/// Writes batches in the order of positions.
pub(crate) struct PieceWriter<'a> {
    dir: &'a RunDir,
    schemes: Vec<SchemeFiles>,
    labels: Appender,
    label_ends: Appender,
    characters: Appender,
    keep_values: Appender,
    groups: Appender,
    failures: Appender,
    records: usize,
    hits: Hits,
    committed: usize,
}

/// The name of a scheme's file.
pub(crate) fn of_scheme(scheme: usize, name: &str) -> String {
    format!("{name}.{scheme}")
}

/// Whether all records are encoded in a directory.
pub(crate) fn is_finished(dir: &RunDir) -> bool {
    dir.finished(STAGE).is_some()
}

impl<'a> PieceWriter<'a> {
    /// Goes on after the last piece of a directory.
    pub(crate) fn open(dir: &'a RunDir, encoders: &[Encoder<'_>]) -> Result<Self> {
        let (records, hits) = match dir.stage(STAGE) {
            None => (0, Hits::default()),
            Some(stage) => {
                let records = stage.state["records"].as_u64().ok_or_else(|| dir.damaged(STAGE))?;
                (records as usize, hits_of(&stage.state))
            }
        };
        let files = |(at, encoder): (usize, &Encoder<'_>)| -> Result<SchemeFiles> {
            let open = |name| dir.appender(&of_scheme(at, name));
            let keys = |mean| Ok((open("keys")?, SearchKeys::with_room(dir.piece_records(), mean)?));
            Ok(SchemeFiles {
                fingerprints: open("fingerprints")?,
                valid: open("valid")?,
                sketches: open("sketches")?,
                digests: open("digests")?,
                sizes: open("sizes")?,
                keys: encoder.paths().map(|paths| keys(paths.mean_keys)).transpose()?,
            })
        };
        Ok(Self {
            dir,
            schemes: encoders.iter().enumerate().map(files).collect::<Result<_>>()?,
            labels: dir.appender("labels")?,
            label_ends: dir.appender("label_ends")?,
            characters: dir.appender("characters")?,
            keep_values: dir.appender("keep_values")?,
            groups: dir.appender("groups")?,
            failures: dir.appender("failures")?,
            records,
            hits,
            committed: records,
        })
    }

    /// Records that are written.
    pub(crate) const fn records(&self) -> usize {
        self.records
    }

    /// Adds the records that follow, and commits a piece where there are enough.
    pub(crate) fn add(&mut self, batch: &Batch, failures: &Failures) -> Result<()> {
        for (files, rows) in self.schemes.iter_mut().zip(&batch.encoded) {
            files.fingerprints.push(&rows.fingerprints)?;
            files.valid.push(&rows.valid)?;
            files.sketches.push(&rows.sketches)?;
            files.digests.push(&rows.digests)?;
            files.sizes.push(&rows.sizes)?;
            if let Some((_, keys)) = &mut files.keys {
                keys.append(self.records, &rows.key_counts, &rows.keys);
            }
        }
        let before = self.labels.bytes();
        let ends: Vec<u64> = batch.labels.ends.iter().map(|end| before + end).collect();
        self.labels.push(&batch.labels.bytes)?;
        self.label_ends.push(&ends)?;
        self.groups.push(&batch.groups)?;
        self.characters.push(&batch.keys.characters)?;
        for values in &batch.keys.values {
            push_line(&mut self.keep_values, &values_to_json(values))?;
        }
        for (position, failure) in failures {
            push_line(&mut self.failures, &json!([position, failure.code, failure.message]))?;
        }
        self.records += batch.labels.len();
        self.hits.add(batch.hits);
        if self.records - self.committed >= self.dir.piece_records() {
            self.commit(false)?;
        }
        Ok(())
    }

    /// Adds documents whose keys are made already; at most a piece. `add_keys` adds those under a scheme, for the position of the first.
    pub(crate) fn add_with_keys(
        &mut self,
        batch: &Batch,
        add_keys: impl Fn(usize, usize, &mut SearchKeys) -> Result<()>,
    ) -> Result<()> {
        for (at, files) in self.schemes.iter_mut().enumerate() {
            if let Some((_, keys)) = &mut files.keys {
                add_keys(at, self.records, keys)?;
            }
        }
        self.add(batch, &Vec::new())
    }

    fn commit(&mut self, done: bool) -> Result<()> {
        let mut files: Vec<&mut Appender> = vec![
            &mut self.labels,
            &mut self.label_ends,
            &mut self.characters,
            &mut self.keep_values,
            &mut self.groups,
            &mut self.failures,
        ];
        for scheme in &mut self.schemes {
            files.extend([
                &mut scheme.fingerprints,
                &mut scheme.valid,
                &mut scheme.sketches,
                &mut scheme.digests,
                &mut scheme.sizes,
            ]);
            if let Some((out, keys)) = &mut scheme.keys {
                keys.write(out)?;
                files.push(out);
            }
        }
        self.committed = self.records;
        let Hits { texts, cut_at, strip } = self.hits;
        let state = json!({"records": self.records, "texts": texts, "cut_at": cut_at, "strip": strip});
        self.dir.commit(STAGE, done, &state, &mut files, &[])
    }

    /// Ends the stage.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.commit(true)
    }
}

/// What matched in the records that a state is of.
fn hits_of(state: &Value) -> Hits {
    Hits {
        texts: state["texts"].as_u64().unwrap_or(0),
        cut_at: state["cut_at"].as_u64(),
        strip: state["strip"].as_u64(),
    }
}

/// What all records became, from the files of a directory where the stage is finished. The flags say whether new records have keys of
/// the keep order, and values among them.
pub(crate) fn read(
    dir: &RunDir,
    encoders: &[Encoder<'_>],
    sources: &Sources,
    [keyed, valued]: [bool; 2],
) -> Result<Encoded> {
    let n = sources.len();
    let new = |there| if there { sources.new_len() } else { 0 };
    let encoding = |(at, encoder): (usize, &Encoder<'_>)| -> Result<Encoding> {
        let name = |name| of_scheme(at, name);
        // A search that is finished needs them no more.
        let keys = if encoder.paths().is_some() && dir.finished(&name("search")).is_none() {
            let keys = SearchKeys::of_file(dir.column(&name("keys"))?);
            let keys = keys.filter(|keys| !dir.is_of_before() || keys.fit(n));
            Some(keys.ok_or_else(|| dir.damaged(&name("keys")))?)
        } else {
            None
        };
        Ok(Encoding {
            fingerprints: dir.fitting(&name("fingerprints"), |all| all.len() == n * encoder.scheme().words())?,
            valid: dir.fitting(&name("valid"), |all| all.len() == n)?,
            sketches: dir.fitting(&name("sketches"), |all| all.len() == n * encoder.sketch_words())?,
            digests: dir.fitting(&name("digests"), |all| all.len() == n)?,
            sizes: dir.fitting(&name("sizes"), |all| all.len() == n)?,
            ..Encoding::of(encoder.scheme(), EncodedBatch::default(), None, keys)
        })
    };
    let labels = Labels {
        bytes: dir.column("labels")?,
        ends: dir.column("label_ends")?,
    };
    if dir.is_of_before() && !labels.fit(n) {
        return Err(dir.damaged("label_ends"));
    }
    let failure = |line: &Value| {
        let code = line[1].as_str()?;
        let (code, _) = FAILURE_CODES.iter().find(|(known, _)| *known == code)?;
        Some((line[0].as_u64()? as usize, Failure::new(code, line[2].as_str()?)))
    };
    let failures = read_lines(dir, "failures", failure)?;
    let in_order = failures.is_sorted_by(|(one, _), (other, _)| one < other);
    if !in_order || failures.last().is_some_and(|(position, _)| *position >= n) {
        return Err(dir.damaged("failures"));
    }
    let values = read_lines(dir, "keep_values", values_from_json)?;
    if values.len() < new(valued) {
        return Err(dir.damaged("keep_values"));
    }
    Ok(Encoded {
        encodings: encoders.iter().enumerate().map(encoding).collect::<Result<_>>()?,
        keys: Keys {
            characters: dir.fitting("characters", |all| all.len() >= new(keyed))?,
            values,
        },
        groups: dir.fitting("groups", |all: &[u128]| [0, n].contains(&all.len()))?,
        labels,
        failures,
        hits: dir.finished(STAGE).map_or_else(Hits::default, |state| hits_of(&state)),
    })
}

fn push_line(out: &mut Appender, value: &Value) -> Result<()> {
    out.push(format!("{value}\n").as_bytes())
}

fn read_lines<T>(dir: &RunDir, name: &str, of: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>> {
    let column = dir.column::<u8>(name)?;
    let lines = column.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let value = |line| serde_json::from_slice(line).ok().and_then(|value| of(&value));
    let values: Option<Vec<T>> = lines.map(value).collect();
    values.ok_or_else(|| dir.damaged(name))
}
