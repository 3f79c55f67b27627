//! From a saved run to documents.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::KIND;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::combine::Combine;
use crate::collection::labels::Labels;
use crate::collection::relation::{Relation, Verdict};
use crate::collection::{Collection, Encoding};
use crate::dedup::exact;
use crate::encode::input::pattern::Hits;
use crate::encode::scheme::Scheme;
use crate::encode::sketch::SKETCH_WORDS;
use crate::recipe::Recipe;
use crate::runs::rethreshold::SavedPairs;
use crate::search::candidates::{Candidates, Edge, Member, Rows};
use crate::search::documents::Documents;
use crate::search::found::edges_fit;
use crate::source::{FAILURE_CODES, Failure, Fields, Format, Identity, SavedSource, Sources};
use crate::storage::artifact::Artifact;
use crate::storage::column::Column;

/// A saved run that is whole. Its columns are still in the file.
#[derive(Debug)]
pub struct Snapshot {
    file: Artifact,
    sources: Vec<SavedSource>,
}

impl Snapshot {
    /// Opens a saved run and reads it through once, to see that it is whole.
    ///
    /// # Errors
    /// [`Error::Source`] where it is not a saved run, is one of another version, or is cut off or damaged.
    pub fn open(path: &Path, ctx: &Context<'_>) -> Result<Self> {
        let file = Artifact::open(path, &KIND, &mut |done, total| ctx.tick("check", done, total))?;
        let settings = file.header()["settings"].as_str().unwrap_or_default();
        if serde_json::from_str::<Map<String, Value>>(settings).is_err() {
            return Err(file.unreadable("its settings"));
        }
        let sources = file.header()["sources"].as_array();
        let sources = sources.and_then(|sources| sources.iter().map(source).collect());
        let sources = sources.ok_or_else(|| file.unreadable("its list of sources"))?;
        Ok(Self { file, sources })
    }

    /// The settings that the caller gave to [`super::save`]: an object in JSON.
    pub fn settings(&self) -> &str {
        self.file.header()["settings"].as_str().unwrap_or_default()
    }

    /// The sources of the run, in order, the new ones first: by the names they had where these still lead to them, and
    /// else from the root.
    pub fn sources(&self) -> &[SavedSource] {
        &self.sources
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
        let order = file.column::<u32>("order", ..=n)?;
        let fingerprints = n * scheme.words();
        let sketches = if recipe.threshold.by_similarity() {
            n * SKETCH_WORDS
        } else {
            0
        };
        let encoding = Encoding {
            scheme: scheme.clone(),
            fingerprints: file.column("fingerprints", fingerprints..=fingerprints)?,
            valid: file.column("valid", n..=n)?,
            sketches: file.column("sketches", sketches..=sketches)?,
            digests: file.column("digests", n..=n)?,
            sizes: file.column("sizes", n..=n)?,
            paths: None,
            frozen_digest: file.header()["frozen_digest"].as_str().map(str::to_owned),
            keys: None,
        };
        let collection = Collection {
            encodings: vec![encoding],
            hits: Hits::default(),
            rule: Combine::All,
            failures: self.failures(&file.column("failures", ..)?)?,
            labels: Labels {
                bytes: file.column("labels", ..)?,
                ends: file.column("label_ends", n..=n)?,
            },
            keep_values: Vec::new(),
            fields: Fields {
                text: self.texts("text_field")?,
                id: self.text("id_field")?,
                values: Vec::new(),
                equal: Vec::new(),
                takes: scheme.takes(),
            },
            relation: self.relation(n)?,
            copies: file.column("copies", order.len()..=order.len())?,
            run_dir: None,
            is_textless: false,
            order,
            sources,
        };
        self.check_columns(&collection)?;
        let documents = Documents::of(collection, vec![recipe]);
        let rows = Rows::of(&documents.collection)?.len();
        if !documents.recipes[0].is_exact() {
            let found = self.read_candidates(rows)?;
            documents.searches[0].found.get_or_init(|| found);
        }
        let pairs = match &file.header()["pairs"] {
            Value::Null => None,
            count => Some(self.read_pairs(count)?),
        };
        if let Some(pairs) = &pairs {
            self.check_pairs(&documents, rows, pairs)?;
        }
        Ok((documents, pairs))
    }

    /// Which pairs may be near, and which are so by a verdict.
    fn relation(&self, records: usize) -> Result<Relation> {
        let groups = self.file.column::<u128>("groups", ..=records)?;
        let [a, b] = ["verdict_a", "verdict_b"].map(|name| self.file.column::<u32>(name, ..));
        let (a, b, verdicts) = (a?, b?, self.file.column::<u8>("verdict", ..)?);
        let damaged = || self.file.unreadable("its verdicts");
        if ![0, records].contains(&groups.len()) || [a.len(), b.len()] != [verdicts.len(); 2] {
            return Err(damaged());
        }
        let verdict = |((&a, &b), &verdict): ((&u32, &u32), &u8)| {
            let of_records = (a.max(b) as usize) < records;
            Verdict::of(verdict)
                .filter(|_| of_records)
                .map(|verdict| (a, b, verdict))
        };
        let verdicts: Option<Vec<_>> = a.iter().zip(&b).zip(&verdicts).map(verdict).collect();
        let mut relation = Relation::of_groups(groups);
        relation.max_lost = match &self.file.header()["max_lost"] {
            Value::Null => None,
            units => Some(
                units
                    .as_u64()
                    .and_then(|units| units.try_into().ok())
                    .ok_or_else(damaged)?,
            ),
        };
        let taken = relation.take(verdicts.ok_or_else(damaged)?);
        taken.map_err(|_| damaged())?;
        Ok(relation)
    }

    fn read_pairs(&self, count: &Value) -> Result<SavedPairs> {
        let count = self.count(count, "the number of its pairs")?;
        Ok(SavedPairs {
            edges: self.read_edges(count, ["later", "earlier", "distance"])?,
            similarities: self.file.column::<f64>("similarity", ..=count)?.to_vec(),
        })
    }

    /// What the search found, where it was by paths.
    fn read_candidates(&self, rows: usize) -> Result<Candidates> {
        let counts = &self.file.header()["candidates"];
        let count = |name: &str| self.count(&counts[name], "the counts of its candidates");
        let columns = ["candidate_later", "candidate_earlier", "candidate_distance"];
        let edges = self.read_edges(count("edges")?, columns)?;
        let members = count("members")?;
        let of_member = |name| self.file.column::<u32>(name, members..=members);
        let (row, bucket) = (of_member("member_row")?, of_member("member_bucket")?);
        let pairs = row.iter().zip(&bucket);
        let memberships: Column<Member> = pairs.map(|(&row, &bucket)| Member { row, bucket }).collect();
        let found = Candidates {
            similarities: Vec::new(),
            lost: Vec::new(),
            edges: edges.into(),
            memberships,
            heavy_buckets: u32::try_from(count("buckets")?).unwrap_or(u32::MAX),
            tested: counts["tested"].as_u64().unwrap_or(0),
            keys: 0,
        };
        if found.fit(rows) {
            return Ok(found);
        }
        Err(self.file.unreadable("its candidates"))
    }

    fn read_edges(&self, count: usize, names: [&str; 3]) -> Result<Vec<Edge>> {
        let [later, earlier, distance] = names.map(|name| self.file.column::<u32>(name, count..=count));
        let (later, earlier, distance) = (later?, earlier?, distance?);
        let edge = |at| Edge {
            later: later[at],
            distance: distance[at],
            earlier: earlier[at],
        };
        Ok((0..count).map(edge).collect())
    }

    fn count(&self, value: &Value, what: &str) -> Result<usize> {
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        count.ok_or_else(|| self.file.unreadable(what))
    }

    fn check_columns(&self, collection: &Collection) -> Result<()> {
        if collection.labels.fit(collection.len())
            && order_fits(&collection.sources, &collection.order, &collection.failures)
            && exact::are_copies(&collection.copies, collection)
        {
            return Ok(());
        }
        Err(self.file.unreadable("its columns"))
    }

    fn recipe(&self, scheme: &Scheme) -> Result<Recipe> {
        let (saved, here) = (self.text("scheme_digest")?, scheme.digest());
        if saved != here {
            let message = format!(
                "{}: its fingerprints are of scheme {} (digest {saved}), and this scheme is {} (digest {here}); run on the \
                 sources again",
                self.file.path().display(),
                self.text("scheme")?,
                scheme.spec()
            );
            let digests = [saved, here];
            return Err(Error::Digest { message, digests });
        }
        let saved = Recipe::from_json(&self.text("recipe")?).map_err(|_| self.file.unreadable("its recipe"))?;
        let records = 1 << saved.log2_n.min(63);
        let recipe = Recipe::new(scheme, saved.threshold, saved.recall, saved.seed, records)?;
        if saved != recipe {
            let digests = [saved.digest(), recipe.digest()];
            let message = format!(
                "{}: was saved by a version of simsieve that searches otherwise (recipe digest {}, here {}); run on the \
                 sources again",
                self.file.path().display(),
                digests[0],
                digests[1]
            );
            return Err(Error::Digest { message, digests });
        }
        Ok(recipe)
    }

    fn check_sources(&self, sources: &Sources) -> Result<()> {
        let now = sources.saved()?;
        for (was, now) in self.sources.iter().zip(&now) {
            if was.identity != now.identity || was.records != now.records {
                return Err(Error::Source {
                    path: was.path.clone(),
                    message: format!(
                        "changed since {} was saved ({} bytes and {} records then, {} and {} now); run on the sources again",
                        self.file.path().display(),
                        was.identity.size,
                        was.records,
                        now.identity.size,
                        now.records
                    ),
                });
            }
        }
        if self.sources.len() == now.len() && self.sources.iter().zip(&now).all(|(was, now)| was.old == now.old) {
            return Ok(());
        }
        Err(Error::Config(format!(
            "{} was made of {} sources, and {} are given",
            self.file.path().display(),
            self.sources.len(),
            now.len()
        )))
    }

    fn check_pairs(&self, documents: &Documents, rows: usize, pairs: &SavedPairs) -> Result<()> {
        let by_similarity = documents.recipes[0].threshold.by_similarity();
        let measured = if by_similarity { pairs.edges.len() } else { 0 };
        if pairs.similarities.len() == measured && edges_fit(&pairs.edges, rows) {
            return Ok(());
        }
        Err(self.file.unreadable("its pairs"))
    }

    fn failures(&self, bytes: &[u8]) -> Result<Vec<(usize, Failure)>> {
        let rows: Vec<(usize, String, String)> =
            serde_json::from_slice(bytes).map_err(|_| self.file.unreadable("its failures"))?;
        let failure = |(position, code, message): (usize, String, String)| {
            let known = FAILURE_CODES.iter().find(|(known, _)| *known == code);
            let (code, _) = known.ok_or_else(|| self.file.unreadable(&format!("the failure {code:?}")))?;
            Ok((position, Failure::new(code, message)))
        };
        rows.into_iter().map(failure).collect()
    }

    fn text(&self, name: &str) -> Result<String> {
        let text = self.file.header()[name].as_str();
        text.map(str::to_owned).ok_or_else(|| self.file.unreadable(name))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>> {
        let list = self.file.header()[name].as_array();
        let texts = list.and_then(|list| list.iter().map(|text| text.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| self.file.unreadable(name))
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

fn source(value: &Value) -> Option<SavedSource> {
    let (name, path) = (Path::new(value["name"].as_str()?), Path::new(value["path"].as_str()?));
    // From another folder the name leads elsewhere.
    let same = std::path::absolute(name).is_ok_and(|absolute| absolute == path);
    Some(SavedSource {
        path: if same { name.into() } else { path.into() },
        format: value["format"].as_str()?.parse::<Format>().ok()?,
        identity: Identity {
            size: value["size"].as_u64()?,
            modified: Some(value["modified"].as_i64()?),
            digest: u128::from_str_radix(value["content"].as_str()?, 16).ok()?,
        },
        records: value["records"].as_u64()?,
        old: value["old"].as_bool()?,
    })
}
