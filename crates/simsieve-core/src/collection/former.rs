//! What an earlier run kept, for a run on new documents: the columns of its run directory, its recipes and its frozen paths.
//!
//! In: the run directory of a finished run, and its sources, opened again. Out: the kept documents as old ones, with what they became.
//! Their texts are read for verification only. A run that is made this way has a run directory of the same kind, so there can be a
//! chain of runs.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::collection::ingest::pieces::{Batch, of_scheme};
use crate::collection::keep_order::Keys;
use crate::collection::labels::Labels;
use crate::encode::encoder::EncodedBatch;
use crate::encode::input::pattern::Hits;
use crate::encode::scheme::Scheme;
use crate::encode::sketch::SKETCH_WORDS;
use crate::recipe::Recipe;
use crate::recipe::search_keys::SearchKeys;
use crate::source::{Sources, parts};
use crate::storage::column::{Column, Element};
use crate::storage::run_dir::{RunDir, Start, label};

/// The stage that lists what was kept, and its file.
pub(crate) const STAGE: &str = "kept";
/// The positions of what was kept in the whole sources.
pub(crate) const ORIGINS: &str = "origins";

/// What an earlier run kept.
#[derive(Debug)]
pub struct Former {
    dir: RunDir,
    kept: Column<u32>,
    origins: Column<u32>,
    /// The records of the run.
    records: usize,
    /// The files that were looked through: once is enough.
    checked: Mutex<BTreeSet<String>>,
    state: Value,
}

impl Former {
    /// Opens the run directory of a finished run.
    ///
    /// # Errors
    /// [`Error::Config`] where it is none; [`Error::Resume`] where the run is not finished or damaged.
    pub fn open(path: &Path, ctx: &Context<'_>) -> Result<Self> {
        let dir = RunDir::open(path, Start::Read, 0, ctx)?;
        let Some(state) = dir.finished(STAGE) else {
            return Err(Error::Resume(msg!(
                "{path} holds a run that is not finished; go on with it by {@`resume`} first",
                path = path.display()
            )));
        };
        let ends = dir.column::<u64>("label_ends")?;
        let kept: Column<u32> = dir.fitting(STAGE, |kept: &[u32]| {
            kept.is_sorted_by(|one, other| one < other) && kept.last().is_none_or(|&last| (last as usize) < ends.len())
        })?;
        Ok(Self {
            origins: dir.fitting(ORIGINS, |origins: &[u32]| origins.len() == kept.len())?,
            records: ends.len(),
            checked: Mutex::default(),
            kept,
            state,
            dir,
        })
    }

    /// The sources of the run, by the names that it had for them.
    pub fn paths(&self) -> Vec<&str> {
        let paths = self.state["paths"].as_array().map_or(&[][..], Vec::as_slice);
        paths.iter().filter_map(Value::as_str).collect()
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
        let counts = self.state["counts"].as_array().map_or(&[][..], Vec::as_slice);
        let mut rest = &*self.origins;
        let mut each = Vec::with_capacity(counts.len());
        for count in counts {
            let count = count.as_u64().unwrap_or(0) as usize;
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
            if was != Some(source.identity().to_json()) {
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
        let recipes = self.state["recipes"].as_array().map_or(&[][..], Vec::as_slice);
        let recipes = recipes
            .iter()
            .map(|text| Recipe::from_json(text.as_str().unwrap_or_default()));
        recipes.collect()
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

    /// What the kept documents of a range became, as a batch.
    pub(crate) fn batch(&self, schemes: &[&Scheme], range: Range<usize>) -> Result<Batch> {
        let positions = &self.kept[range];
        let encoded = schemes.iter().enumerate().map(|(at, scheme)| {
            let name = |name| of_scheme(at, name);
            Ok(EncodedBatch {
                fingerprints: self.rows(&name("fingerprints"), scheme.words(), positions)?,
                valid: self.rows(&name("valid"), 1, positions)?,
                sketches: self.rows(&name("sketches"), self.sketch_words(at), positions)?,
                digests: self.rows(&name("digests"), 1, positions)?,
                sizes: self.rows(&name("sizes"), 1, positions)?,
                ..EncodedBatch::default()
            })
        });
        let known = Labels {
            bytes: self.dir.column("labels")?,
            ends: self.dir.column("label_ends")?,
        };
        if self.is_first("label_ends") && !known.fit(self.records) {
            return Err(self.dir.damaged("label_ends"));
        }
        let mut labels = Labels::default();
        for &position in positions {
            labels.push(known.get(position as usize));
        }
        Ok(Batch {
            encoded: encoded.collect::<Result<_>>()?,
            keys: Keys::default(),
            groups: self.rows("groups", 1, positions)?,
            labels,
            hits: Hits::default(),
        })
    }

    /// Adds the search keys of the kept documents of a range under a scheme; the first becomes the position `first`.
    pub(crate) fn add_keys(
        &self,
        scheme: usize,
        range: Range<usize>,
        first: usize,
        keys: &mut SearchKeys,
    ) -> Result<()> {
        let name = of_scheme(scheme, "keys");
        let known = SearchKeys::of_file(self.dir.column(&name)?)
            .filter(|known| !self.is_first(&name) || known.fit(self.records));
        let known = known.ok_or_else(|| self.dir.damaged(&name))?;
        keys.append_of(&known, &self.kept[range], first);
        Ok(())
    }

    /// Words of a sketch under a scheme; 0 where it is searched by bits.
    fn sketch_words(&self, scheme: usize) -> usize {
        let recipe = self.state["recipes"][scheme].as_str().map(Recipe::from_json);
        let by_similarity = matches!(recipe, Some(Ok(recipe)) if recipe.threshold.by_similarity());
        if by_similarity { SKETCH_WORDS } else { 0 }
    }

    fn is_first(&self, name: &str) -> bool {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.insert(name.to_owned())
    }

    /// Rows of a column, each of `words` values; none of a column that is empty.
    fn rows<T: Element>(&self, name: &str, words: usize, positions: &[u32]) -> Result<Vec<T>> {
        // Schemes after the first have no sketches where they are not searched.
        let may_be_empty = name == "groups" || name.starts_with("sketches.") && name != "sketches.0";
        let column = self.dir.fitting(name, |all: &[T]| {
            all.len() == self.records * words || may_be_empty && all.is_empty()
        })?;
        if column.is_empty() {
            return Ok(Vec::new());
        }
        let row = |&position: &u32| column[position as usize * words..][..words].iter().copied();
        Ok(positions.iter().flat_map(row).collect())
    }
}
