//! What the walk decides, a row after another; in a run directory it is a stage of its own, in blocks of rows.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use crate::base::bits::BitSet;
use crate::base::error::{Error, Result};
use crate::recipe::Recipe;
use crate::search::documents::Documents;
use crate::storage::column::{Column, fields_element, with_room};
use crate::storage::form::{ColumnSink, Stored, stage};
use crate::storage::run_dir::{RunDir, StageFiles};

/// How far the walk is.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct WalkState {
    /// The digest of the recipe of each scheme.
    recipes: Vec<String>,
    candidates: u64,
    verified: u64,
}

stage! {
    /// Walks the rows in keep order. Its columns of schemes are what the walk is restored from.
    DECIDE: WalkState = "decide" after ["search.N"] {
        /// The assignment of each row.
        DECIDED: Assignment = "decide",
        /// Rows that were rejected, once for each time.
        REJECTED: u32 = "rejected.N",
        /// Rows of the index of features.
        INDEXED: u32 = "indexed.N",
        /// Rows whose bits are known.
        KNOWN: u32 = "known.N",
    }
}

/// Assignments that are written at once.
const WRITTEN: usize = 1 << 12;

/// Where a row goes: to itself or to an earlier row.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, packed(4))]
pub(crate) struct Assignment {
    pub(crate) to: u32,
    /// In bits: a fingerprint has at most 256. [`NO_BITS`] if one row has no fingerprint.
    distance: u16,
    /// Under which of the schemes that are searched.
    pub(crate) scheme: u8,
    /// 1 where a verdict says so, and not the texts; else 0.
    by_verdict: u8,
    /// NaN where it was not computed.
    pub(crate) similarity: f64,
    /// Units that are lost; [`NOT_MEASURED`](crate::dedup::verify::losses::NOT_MEASURED) where that is not known.
    pub(crate) lost: u32,
}

/// The distance of a pair if one row has no fingerprint: [`crate::search::found::NO_DISTANCE`] in 16 bits.
const NO_BITS: u16 = u16::MAX;

impl Assignment {
    /// Dropped for an earlier row.
    pub(crate) fn to(earlier: u32, distance: u32, similarity: Option<f64>, lost: u32) -> Self {
        Self {
            to: earlier,
            distance: distance as u16,
            scheme: 0,
            by_verdict: 0,
            similarity: similarity.unwrap_or(f64::NAN),
            lost,
        }
    }

    /// Dropped for an earlier row because a verdict or a fact says so.
    pub(crate) fn joined(earlier: u32, distance: u32, lost: u32) -> Self {
        Self {
            by_verdict: 1,
            ..Self::to(earlier, distance, None, lost)
        }
    }

    /// Whether a verdict or a fact says so, and not the texts.
    pub(crate) const fn is_joined(self) -> bool {
        self.by_verdict == 1
    }

    /// The distance in bits; -1 where there is none.
    pub(crate) fn distance(self) -> i32 {
        if self.distance == NO_BITS {
            -1
        } else {
            self.distance.into()
        }
    }

    /// Kept.
    pub(crate) fn kept(row: u32) -> Self {
        Self::to(row, 0, None, 0)
    }
}

fields_element!(
    Assignment,
    "assignment",
    to,
    distance,
    scheme,
    by_verdict,
    similarity,
    lost
);

/// What the walk found.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) assignments: Column<Assignment>,
    pub(crate) candidates: u64,
    pub(crate) verified: u64,
}

impl Outcome {
    /// What a finished stage wrote under the same recipes, for this number of rows.
    pub(crate) fn read(documents: &Documents, rows: usize) -> Result<Option<Self>> {
        let dir = documents.collection.run_dir();
        let stored = dir.map(|dir| Ok((dir, dir.state(DECIDE)?))).transpose()?;
        let Some((dir, Some(state))) = stored else {
            return Ok(None);
        };
        if state.recipes != recipes(documents) {
            return Ok(None);
        }
        let found = Self::written(documents, dir, &state)?;
        if found.assignments.len() != rows {
            return Err(dir.damaged(DECIDED));
        }
        Ok(Some(found))
    }

    /// What is in the files of the stage.
    fn written(documents: &Documents, dir: &RunDir, state: &WalkState) -> Result<Self> {
        Ok(Self {
            assignments: dir.fitting(DECIDED, |assignments| fit(assignments, documents))?,
            candidates: state.candidates,
            verified: state.verified,
        })
    }
}

/// What the walk has found so far: assignments in memory or in a file, and in memory a bit for each row that is kept.
#[derive(Debug)]
pub(crate) struct Walked<'a> {
    documents: &'a Documents,
    files: Option<StageFiles<'a, WalkState>>,
    /// Those that are not in the file.
    pending: Vec<Assignment>,
    kept: BitSet,
    rows: u32,
    committed: u32,
    pub(crate) candidates: u64,
    pub(crate) verified: u64,
}

impl<'a> Walked<'a> {
    /// The walk over this many rows, after the last block in the run directory. A decision at a second threshold is not
    /// written.
    pub(crate) fn begin(documents: &'a Documents, rows: usize) -> Result<Self> {
        let dir = documents.collection.run_dir();
        let dir = dir.filter(|dir| dir.finished(DECIDE.name).is_none());
        let schemes = documents.searched().len();
        let files = dir.map(|dir| StageFiles::open(dir, DECIDE, schemes)).transpose()?;
        let mut walked = Self {
            documents,
            pending: with_room(if files.is_some() { WRITTEN } else { rows })?,
            files,
            kept: BitSet::below(rows),
            rows: 0,
            committed: 0,
            candidates: 0,
            verified: 0,
        };
        let begun = dir.map(|dir| Ok((dir, dir.last_state(DECIDE)?))).transpose()?;
        if let Some((dir, Some(state))) = begun {
            if state.recipes != recipes(documents) {
                return Err(Error::Resume(msg!(
                    "{dir} holds decisions at another threshold that are not finished; finish them, or remove \
                     it",
                    dir = dir.path().display()
                )));
            }
            let written = Outcome::written(documents, dir, &state)?;
            if written.assignments.len() > rows {
                return Err(dir.damaged(DECIDED));
            }
            for (row, assignment) in (0..).zip(&written.assignments) {
                walked.take(row, *assignment);
            }
            (walked.candidates, walked.verified) = (written.candidates, written.verified);
            walked.committed = walked.rows;
        }
        Ok(walked)
    }

    /// Rows that are decided.
    pub(crate) const fn rows(&self) -> u32 {
        self.rows
    }

    /// The directory, if the walk is written.
    pub(crate) fn run_dir(&self) -> Option<&'a RunDir> {
        self.files.as_ref().map(StageFiles::dir)
    }

    /// Whether a row that is decided is kept.
    #[inline]
    pub(crate) fn is_kept(&self, row: u32) -> bool {
        self.kept.contains(row as usize)
    }

    /// Whether a row is kept, or not decided yet.
    #[inline]
    pub(crate) fn is_open(&self, row: u32) -> bool {
        row >= self.rows || self.is_kept(row)
    }

    /// Adds the next row.
    pub(crate) fn push(&mut self, assignment: Assignment) -> Result<()> {
        self.take(self.rows, assignment);
        self.pending.push(assignment);
        match &mut self.files {
            Some(files) if self.pending.len() >= WRITTEN => {
                files.put(DECIDED, &self.pending)?;
                self.pending.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn take(&mut self, row: u32, assignment: Assignment) {
        if assignment.to == row {
            self.kept.insert(row as usize);
        }
        self.rows = row + 1;
    }

    /// Whether enough rows are decided for a commit.
    pub(crate) fn is_due(&self) -> bool {
        let dir = self.run_dir();
        dir.is_some_and(|dir| (self.rows - self.committed) as usize >= dir.piece_records())
    }

    /// Notes what the walk of a scheme is restored from.
    pub(crate) fn note(&mut self, scheme: usize, [rejected, indexed, known]: &[Vec<u32>; 3]) -> Result<()> {
        if let Some(files) = &mut self.files {
            files.put(REJECTED.of(scheme), rejected)?;
            files.put(INDEXED.of(scheme), indexed)?;
            files.put(KNOWN.of(scheme), known)?;
        }
        Ok(())
    }

    /// Commits what is decided. At the end the journals are removed.
    pub(crate) fn commit(&mut self, done: bool) -> Result<()> {
        let Some(files) = &mut self.files else {
            return Ok(());
        };
        files.put(DECIDED, &self.pending)?;
        self.pending.clear();
        // A text that was fetched again may have been another one than was encoded.
        self.documents.collection.sources.check_unchanged()?;
        let state = WalkState {
            recipes: recipes(self.documents),
            candidates: self.candidates,
            verified: self.verified,
        };
        let removed = if done { files.of_schemes() } else { Vec::new() };
        files.commit(done, &state, &removed)?;
        self.committed = self.rows;
        Ok(())
    }

    /// Ends the walk, which is committed.
    pub(crate) fn finish(self) -> Result<Outcome> {
        self.documents.collection.sources.check_unchanged()?;
        Ok(Outcome {
            assignments: match self.run_dir() {
                Some(dir) => dir.read(DECIDED)?,
                None => self.pending.into(),
            },
            candidates: self.candidates,
            verified: self.verified,
        })
    }
}

/// Whether every row has become one that is kept, and not a later one, under a scheme that there is.
fn fit(assignments: &[Assignment], documents: &Documents) -> bool {
    let schemes = documents.searched().len();
    (0..).zip(assignments).all(|(row, of): (u32, &Assignment)| {
        of.to <= row && assignments[of.to as usize].to == of.to && usize::from(of.scheme) < schemes
    })
}

fn recipes(documents: &Documents) -> Vec<String> {
    documents.recipes.iter().map(Recipe::digest).collect()
}
