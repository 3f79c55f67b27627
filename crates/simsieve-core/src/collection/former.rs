//! What an earlier run kept, for a run on new documents: the columns of its run directory, its recipes and its frozen paths.
//!
//! In: the run directory of a finished run, and its sources, opened again. Out: the kept documents as old ones, with what they became.
//! Their texts are read for verification only. A run that is made this way has a run directory of the same kind, so there can be a
//! chain of runs.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::collection::columns::LABEL_ENDS;
use crate::collection::ingest::pieces::Encoded;
use crate::encode::encoder::Encoder;
use crate::recipe::Recipe;
use crate::source::{Sources, parts};
use crate::storage::column::Column;
use crate::storage::form::{Stored, stage};
use crate::storage::run_dir::{RunDir, Start, label};

/// What was kept, and by which recipes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeepState {
    /// The sources of the run, by the names that it had for them,
    pub(crate) paths: Vec<String>,
    /// and how many records of each were kept.
    pub(crate) counts: Vec<usize>,
    /// The recipe of each scheme as JSON.
    pub(crate) recipes: Vec<String>,
}

stage! {
    /// Lists what was kept.
    KEEP: KeepState = "kept" after ["decide"] {
        /// The positions of what was kept among the records of the run.
        KEPT: u32 = "kept",
        /// The positions of what was kept in the whole sources.
        ORIGINS: u32 = "origins",
    }
}

/// What an earlier run kept.
#[derive(Debug)]
pub struct Former {
    dir: RunDir,
    kept: Column<u32>,
    origins: Column<u32>,
    /// The records of the run.
    records: usize,
    state: KeepState,
}

impl Former {
    /// Opens the run directory of a finished run.
    ///
    /// # Errors
    /// [`Error::Config`] where it is none; [`Error::Resume`] where the run is not finished or damaged.
    pub fn open(path: &Path, ctx: &Context<'_>) -> Result<Self> {
        let dir = RunDir::open(path, Start::Read, 0, ctx)?;
        let Some(state) = dir.state(KEEP)? else {
            return Err(Error::Resume(msg!(
                "{path} holds a run that is not finished; go on with it by {@`resume`} first",
                path = path.display()
            )));
        };
        let ends = dir.read(LABEL_ENDS)?;
        let kept: Column<u32> = dir.fitting(KEPT, |kept| {
            kept.is_sorted_by(|one, other| one < other) && kept.last().is_none_or(|&last| (last as usize) < ends.len())
        })?;
        Ok(Self {
            origins: dir.fitting(ORIGINS, |origins| origins.len() == kept.len())?,
            records: ends.len(),
            kept,
            state,
            dir,
        })
    }

    /// The sources of the run, by the names that it had for them.
    pub fn paths(&self) -> &[String] {
        &self.state.paths
    }

    /// A setting of the run that the core does not see, as JSON.
    pub fn setting(&self, name: &str) -> Option<String> {
        self.dir.made_of(name).map(|value| value.to_string())
    }

    /// The number of kept documents.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether nothing was kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The kept records of the run's sources, which were opened again in their order.
    ///
    /// # Errors
    /// [`Error::Source`] where a source has changed since the run.
    pub fn records(&self, opened: &Sources) -> Result<Sources> {
        let mut rest = &*self.origins;
        let mut each = Vec::with_capacity(self.state.counts.len());
        for &count in &self.state.counts {
            let (own, others) = rest.split_at_checked(count).ok_or_else(|| self.dir.damaged(ORIGINS))?;
            if !own.is_sorted_by(|one, other| one < other) {
                return Err(self.dir.damaged(ORIGINS));
            }
            each.push(own);
            rest = others;
        }
        if !rest.is_empty() {
            return Err(self.dir.damaged(ORIGINS));
        }
        for (at, source) in opened.iter().enumerate() {
            let path = source.profile().path();
            let was = self.dir.made_of(&format!("source {} ({})", at + 1, path.display()));
            if was != Some(json!(source.identity())) {
                return Err(Error::Source {
                    path: path.to_path_buf(),
                    message: msg!(
                        "has changed since the run in {dir} read it; run on all sources again",
                        dir = self.dir.path().display()
                    ),
                });
            }
        }
        parts(opened, &each)
    }

    /// The recipes of the run, where the new run has the same of all that the two must have in common.
    ///
    /// # Errors
    /// [`Error::Resume`] that names the first difference.
    pub(crate) fn recipes(&self, common: &[(&str, Value)]) -> Result<Vec<Recipe>> {
        for (name, now) in common {
            let was = self.dir.made_of(name);
            if Some(now) != was.as_ref() {
                return Err(Error::Resume(msg!(
                    "{dir}: {name} was {value} in the earlier run, and is {now} now; give the same, or run on \
                     all sources",
                    dir = self.dir.path().display(),
                    name = label(name),
                    value = was.map_or_else(|| "nothing".to_owned(), |was| was.to_string())
                )));
            }
        }
        self.state.recipes.iter().map(|text| Recipe::from_json(text)).collect()
    }

    /// A digest of which records were kept.
    pub(crate) fn digest(&self) -> String {
        let [kept, origins] = [&self.kept, &self.origins].map(|column| xxh3_128(bytemuck::cast_slice(column)));
        format!("{kept:032x}{origins:032x}")
    }

    /// The run directory.
    pub(crate) const fn run_dir(&self) -> &RunDir {
        &self.dir
    }

    /// The positions of the kept records among those of the run.
    pub(crate) fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// What all records of the run became, with their search keys.
    pub(crate) fn encoded(&self, encoders: &[Encoder<'_>]) -> Result<Encoded> {
        Encoded::read(&self.dir, encoders, self.records, |_| true)
    }
}
