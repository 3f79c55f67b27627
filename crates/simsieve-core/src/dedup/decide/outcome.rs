//! What the walk decides, a row after another; in a run directory it is a stage of its own, in blocks of rows.

use bytemuck::{Pod, Zeroable};
use serde_json::{Value, json};

use crate::base::bits::BitSet;
use crate::base::error::{Error, Result};
use crate::recipe::Recipe;
use crate::search::documents::Documents;
use crate::storage::column::{Column, fields_element, with_room};
use crate::storage::run_dir::{Appender, RunDir};

/// The stage's name in the log of a run directory, and its file.
const STAGE: &str = "decide";
/// Assignments that are written at once.
const WRITTEN: usize = 1 << 12;

/// Where a row goes: to itself or to an earlier row.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, packed(4))]
pub(crate) struct Assignment {
    pub(crate) to: u32,
    /// In bits, of which fingerprints have at most 256; [`NO_BITS`] where one has no fingerprint.
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

/// The distance of a pair of which one has no fingerprint: what is left of [`crate::search::found::NO_DISTANCE`].
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

    /// Dropped for an earlier row because a verdict says so.
    pub(crate) fn by_verdict(earlier: u32, distance: u32, lost: u32) -> Self {
        Self {
            by_verdict: 1,
            ..Self::to(earlier, distance, None, lost)
        }
    }

    /// Whether a verdict says so, and not the texts.
    pub(crate) const fn is_by_verdict(self) -> bool {
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
        let Some((dir, state)) = dir.and_then(|dir| Some((dir, dir.finished(STAGE)?))) else {
            return Ok(None);
        };
        if state["recipes"] != json!(recipes(documents)) {
            return Ok(None);
        }
        let found = Self::written(documents, dir, &state)?;
        if found.assignments.len() != rows {
            return Err(dir.damaged(STAGE));
        }
        Ok(Some(found))
    }

    /// What is in the files of the stage.
    fn written(documents: &Documents, dir: &RunDir, state: &Value) -> Result<Self> {
        let count = |name: &str| state[name].as_u64().ok_or_else(|| dir.damaged(STAGE));
        Ok(Self {
            assignments: dir.fitting(STAGE, |assignments| fit(assignments, documents))?,
            candidates: count("candidates")?,
            verified: count("verified")?,
        })
    }
}

/// What the walk has found so far: assignments in memory or in a file, and in memory a bit for each row that is kept.
#[derive(Debug)]
pub(crate) struct Walked<'a> {
    documents: &'a Documents,
    file: Option<(&'a RunDir, Appender)>,
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
        let dir = dir.filter(|dir| dir.finished(STAGE).is_none());
        let file = dir.map(|dir| Ok((dir, dir.appender(STAGE)?))).transpose()?;
        let mut walked = Self {
            documents,
            pending: with_room(if file.is_some() { WRITTEN } else { rows })?,
            file,
            kept: BitSet::below(rows),
            rows: 0,
            committed: 0,
            candidates: 0,
            verified: 0,
        };
        if let Some((dir, stage)) = dir.and_then(|dir| Some((dir, dir.stage(STAGE)?))) {
            if stage.state["recipes"] != json!(recipes(documents)) {
                return Err(Error::Resume(msg!(
                    "{dir} holds decisions at another threshold that are not finished; finish them, or remove \
                     it",
                    dir = dir.path().display()
                )));
            }
            let written = Outcome::written(documents, dir, &stage.state)?;
            if written.assignments.len() > rows {
                return Err(dir.damaged(STAGE));
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
        self.file.as_ref().map(|(dir, _)| *dir)
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
        match &mut self.file {
            Some((_, out)) if self.pending.len() >= WRITTEN => {
                out.push(&self.pending)?;
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
        let due = |(dir, _): &(&RunDir, Appender)| (self.rows - self.committed) as usize >= dir.piece_records();
        self.file.as_ref().is_some_and(due)
    }

    /// Commits what is decided, with `others`, the other files of the stage.
    pub(crate) fn commit(&mut self, done: bool, others: Vec<&mut Appender>, removed: &[&str]) -> Result<()> {
        let Some((dir, out)) = &mut self.file else {
            return Ok(());
        };
        out.push(&self.pending)?;
        self.pending.clear();
        // A text that was fetched again may have been another one than was encoded.
        self.documents.collection.sources.check_unchanged()?;
        let state = json!({
            "recipes": recipes(self.documents), "candidates": self.candidates, "verified": self.verified,
        });
        let mut files = others;
        files.push(out);
        dir.commit(STAGE, done, &state, &mut files, removed)?;
        self.committed = self.rows;
        Ok(())
    }

    /// Ends the walk, which is committed.
    pub(crate) fn finish(self) -> Result<Outcome> {
        self.documents.collection.sources.check_unchanged()?;
        Ok(Outcome {
            assignments: match self.file {
                Some((dir, _)) => dir.column(STAGE)?,
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
