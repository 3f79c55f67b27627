//! What the walk decided, a row after another; in a run directory it is a stage of its own.

use bytemuck::{Pod, Zeroable};
use serde_json::json;

use crate::base::error::Result;
use crate::dedup::documents::Documents;
use crate::dedup::recipe::Recipe;
use crate::storage::column::Element;

/// The stage's name in the log of a run directory, and its file.
const STAGE: &str = "decide";

/// Where a row goes: to itself or to an earlier row.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
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
}

/// The distance of a pair of which one has no fingerprint: what is left of [`crate::dedup::found::NO_DISTANCE`].
const NO_BITS: u16 = u16::MAX;

impl Assignment {
    /// Dropped for an earlier row.
    pub(crate) fn to(earlier: u32, distance: u32, similarity: Option<f64>) -> Self {
        Self {
            to: earlier,
            distance: distance as u16,
            scheme: 0,
            by_verdict: 0,
            similarity: similarity.unwrap_or(f64::NAN),
        }
    }

    /// Dropped for an earlier row because a verdict says so.
    pub(crate) fn by_verdict(earlier: u32, distance: u32) -> Self {
        Self {
            by_verdict: 1,
            ..Self::to(earlier, distance, None)
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
        Self::to(row, 0, None)
    }
}

impl Element for Assignment {
    const NAME: &'static str = "assignment";

    fn append_to(self, bytes: &mut Vec<u8>) {
        self.to.append_to(bytes);
        bytes.extend_from_slice(&self.distance.to_le_bytes());
        bytes.extend_from_slice(&[self.scheme, self.by_verdict]);
        self.similarity.append_to(bytes);
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; 16] = bytes.try_into().ok()?;
        let (to, rest) = bytes.split_first_chunk::<4>()?;
        let (distance, rest) = rest.split_first_chunk::<2>()?;
        let (&[scheme, by_verdict], similarity) = rest.split_first_chunk::<2>()?;
        Some(Self {
            to: u32::from_le_bytes(*to),
            distance: u16::from_le_bytes(*distance),
            scheme,
            by_verdict,
            similarity: f64::of_bytes(similarity)?,
        })
    }
}

/// What the walk found.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) candidates: u64,
    pub(crate) verified: u64,
}

impl Outcome {
    /// Ends the stage in the run directory of documents, where they have one. A decision at another threshold is not kept.
    pub(crate) fn write(&self, documents: &Documents) -> Result<()> {
        let Some(dir) = documents.collection.run_dir() else {
            return Ok(());
        };
        if dir.stage(STAGE).is_some() {
            return Ok(());
        }
        let mut file = dir.appender(STAGE)?;
        file.push(&self.assignments)?;
        let state = json!({"recipes": recipes(documents), "candidates": self.candidates, "verified": self.verified});
        dir.commit(STAGE, true, &state, &mut [&mut file], &[])
    }

    /// What [`Outcome::write`] wrote under the same recipes, for this number of rows.
    pub(crate) fn read(documents: &Documents, rows: usize) -> Result<Option<Self>> {
        let dir = documents.collection.run_dir();
        let Some((dir, state)) = dir.and_then(|dir| Some((dir, dir.finished(STAGE)?))) else {
            return Ok(None);
        };
        if state["recipes"] != json!(recipes(documents)) {
            return Ok(None);
        }
        let count = |name: &str| state[name].as_u64().ok_or_else(|| dir.damaged(STAGE));
        let assignments = dir.column::<Assignment>(STAGE)?.to_vec();
        if assignments.len() != rows {
            return Err(dir.damaged(STAGE));
        }
        Ok(Some(Self {
            assignments,
            candidates: count("candidates")?,
            verified: count("verified")?,
        }))
    }
}

fn recipes(documents: &Documents) -> Vec<String> {
    documents.recipes.iter().map(Recipe::digest).collect()
}
