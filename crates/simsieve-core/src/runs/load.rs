//! From a saved run to documents.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{About, KIND};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::kernel::Kernel;
use crate::collection::Collection;
use crate::collection::columns::{COPIES, JUDGED, ORDER};
use crate::collection::combine::Combine;
use crate::collection::ingest::pieces::Encoded;
use crate::collection::relation::Relation;
use crate::dedup::exact::are_copies;
use crate::encode::encoder::{Encoder, SearchOptions};
use crate::encode::scheme::Scheme;
use crate::recipe::Recipe;
use crate::runs::rethreshold::SavedPairs;
use crate::search::candidates::{Candidates, Rows};
use crate::search::documents::Documents;
use crate::search::found::SEARCH;
use crate::source::{Failure, Fields, SavedSource, Sources};
use crate::storage::artifact::Artifact;
use crate::storage::form::Stored;

/// A saved run that is whole. Its columns are still in the file.
#[derive(Debug)]
pub struct Snapshot {
    file: Artifact,
    about: About,
}

impl Snapshot {
    /// Opens a saved run and reads it through once, to see that it is whole.
    ///
    /// # Errors
    /// [`Error::Source`] where it is not a saved run, is one of another version, or is cut off or damaged.
    pub fn open(path: &Path, ctx: &Context<'_>) -> Result<Self> {
        let file = Artifact::open(path, &KIND, &mut |done, total| ctx.tick("check", done, total))?;
        let about = About::deserialize(&file.header()["about"]);
        let mut about = about.map_err(|error| file.unreadable(msg!("its header ({error})")))?;
        if serde_json::from_str::<Map<String, Value>>(&about.settings).is_err() {
            return Err(file.unreadable("its settings"));
        }
        for source in &mut about.sources {
            // From another folder the name leads elsewhere.
            if std::path::absolute(&source.path).ok().as_ref() != Some(&source.absolute) {
                source.path.clone_from(&source.absolute);
            }
        }
        Ok(Self { file, about })
    }

    /// The settings that the caller gave to [`super::save`]: an object in JSON.
    pub fn settings(&self) -> &str {
        &self.about.settings
    }

    /// The sources of the run, in order, the new ones first: by the names they had where these still lead to them, and
    /// else from the root.
    pub fn sources(&self) -> &[SavedSource] {
        &self.about.sources
    }

    /// The documents of the run over its sources, which are open, and its pairs where they were saved.
    ///
    /// # Errors
    /// [`Error::Source`] where a source is not what it was; [`Error::Config`] where the scheme, or this version's recipe,
    /// is another.
    pub fn documents(&self, sources: Arc<Sources>, scheme: &Scheme) -> Result<(Documents, Option<SavedPairs>)> {
        self.check_sources(&sources)?;
        let recipe = self.recipe(scheme)?;
        let (file, n) = (&self.file, sources.len());
        let by_similarity = recipe.threshold.by_similarity();
        let search = SearchOptions {
            sketches: by_similarity,
            ..SearchOptions::default()
        };
        let encoder = Encoder::new(scheme, search, Kernel::active());
        let mut encoded = Encoded::read(file, &[encoder], n, |_| false)?;
        encoded.encodings[0].frozen_digest.clone_from(&self.about.frozen_digest);
        let order = file.fitting(ORDER, |order| order_fits(&sources, order, &encoded.failures))?;
        let relation = Relation::of_judged(encoded.groups, &file.read(JUDGED)?, n, self.about.max_lost);
        let collection = Collection {
            fields: Fields {
                text: self.about.text_field.clone(),
                id: self.about.id_field.clone(),
                values: Vec::new(),
                equal: Vec::new(),
                takes: scheme.takes(),
            },
            encodings: encoded.encodings,
            hits: encoded.hits,
            rule: Combine::All,
            failures: encoded.failures,
            labels: encoded.labels,
            keep_values: Vec::new(),
            relation: relation.ok_or_else(|| file.damaged(JUDGED))?,
            copies: file.read(COPIES)?,
            run_dir: None,
            copies_of_dropped: Vec::new(),
            is_textless: false,
            order,
            sources,
        };
        file.check(COPIES, || are_copies(&collection.copies, &collection))?;
        let documents = Documents::of(collection, vec![recipe]);
        let rows = Rows::of(&documents.collection)?.len();
        if !documents.recipes[0].is_exact() {
            let found = Candidates::read(file, 0, rows)?.ok_or_else(|| file.damaged(SEARCH.of(0)))?;
            documents.searches[0].found.get_or_init(|| found);
        }
        let pairs = SavedPairs::read(file, rows, by_similarity)?;
        Ok((documents, pairs))
    }

    fn recipe(&self, scheme: &Scheme) -> Result<Recipe> {
        let (saved, here) = (self.about.scheme_digest.clone(), scheme.digest());
        if saved != here {
            let message = msg!(
                "{file}: its fingerprints are of scheme {value} (digest {saved}), and this scheme is {spec} \
                 (digest {here}); run on the sources again",
                file = self.file.path().display(),
                value = self.about.scheme,
                spec = scheme.spec()
            );
            let digests = [saved, here];
            return Err(Error::Digest { message, digests });
        }
        let saved = Recipe::from_json(&self.about.recipe).map_err(|_| self.file.unreadable("its recipe"))?;
        let records = 1 << saved.log2_n.min(63);
        let recipe = Recipe::new(scheme, saved.threshold, saved.recall, saved.seed, records)?;
        if saved != recipe {
            let digests = [saved.digest(), recipe.digest()];
            let message = msg!(
                "{file}: was saved by a version of simsieve that searches otherwise (recipe digest {value}, \
                 here {value_2}); run on the sources again",
                file = self.file.path().display(),
                value = digests[0],
                value_2 = digests[1]
            );
            return Err(Error::Digest { message, digests });
        }
        Ok(recipe)
    }

    fn check_sources(&self, sources: &Sources) -> Result<()> {
        let now = sources.saved()?;
        for (was, now) in self.about.sources.iter().zip(&now) {
            if was.identity != now.identity || was.records != now.records {
                return Err(Error::Source {
                    path: was.path.clone(),
                    message: msg!(
                        "changed since {file} was saved ({size} bytes and {records} records then, {size_2} and \
                         {records_2} now); run on the sources again",
                        file = self.file.path().display(),
                        size = was.identity.size,
                        records = was.records,
                        size_2 = now.identity.size,
                        records_2 = now.records
                    ),
                });
            }
        }
        if self.about.sources.len() == now.len()
            && self.about.sources.iter().zip(&now).all(|(was, now)| was.old == now.old)
        {
            return Ok(());
        }
        Err(Error::Config(msg!(
            "{file} was made of {count} sources, and {count_2} are given",
            file = self.file.path().display(),
            count = self.about.sources.len(),
            count_2 = now.len()
        )))
    }
}

/// Whether every record of the sources is once in the order or among the failures, and the order has the old ones first.
fn order_fits(sources: &Sources, order: &[u32], failures: &[(usize, Failure)]) -> bool {
    let is_old = |position: &&u32| **position as usize >= sources.new_len();
    let mut seen = vec![false; sources.len()];
    let failed = failures.iter().map(|(position, _)| *position);
    let mut positions = order.iter().map(|&position| position as usize).chain(failed);
    order.len() + failures.len() == seen.len()
        && positions.all(|position| {
            seen.get_mut(position)
                .is_some_and(|seen| !std::mem::replace(seen, true))
        })
        && failures.is_sorted_by_key(|(position, _)| *position)
        && !order.iter().skip_while(is_old).any(|position| is_old(&position))
}
