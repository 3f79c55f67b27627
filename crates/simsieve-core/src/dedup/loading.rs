//! The way from records to [`Documents`], in two steps: what is frozen of a sample, and the columns of all records with their exact copies.
//!
//! Between the steps it is known what the search is expected to meet, and nothing is encoded yet.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::os::release_free;
use crate::collection::Collection;
use crate::collection::combine::{Combine, check_schemes};
use crate::collection::fields::FieldRule;
use crate::collection::ingest::{IngestOptions, NewRows, collect_beside, ingest, read_new};
use crate::collection::relation::Rules;
use crate::collection::seen::{OldRows, Settled};
use crate::dedup::{exact, feature_bits};
use crate::encode::encoder::{Encoder, SearchOptions};
use crate::encode::scheme::Scheme;
use crate::encode::weight::Weights;
use crate::recipe::Recipe;
use crate::search::documents::{Documents, Options, searched};
use crate::search::feature_bits::words_of_all;
use crate::search::sample::frozen::digest_of;
use crate::search::sample::{Frozen, freeze, known};
use crate::source::Sources;
use crate::text::NORMALISER;

/// Memory that fewer records have taken is not given back to the system: the look for it takes longer than such a run.
const RELEASED_RECORDS: usize = 1 << 14;

/// Makes documents of every record, under one scheme.
///
/// Complexity: linear in the bytes; memory of about 48 bytes a document, the label, and 64 bytes for a search by similarity.
///
/// # Errors
/// As [`ingest`]; [`Error::Config`](crate::base::error::Error::Config) where no recipe suits the scheme and the threshold.
pub fn load(sources: Arc<Sources>, options: &Options, ctx: &Context<'_>) -> Result<Documents> {
    load_each(sources, std::slice::from_ref(options), Combine::All, ctx)
}

/// Makes documents of every record under each of some schemes. Each record is read and parsed once. The options differ in
/// scheme and threshold alone.
///
/// # Errors
/// As [`load`].
pub fn load_each(sources: Arc<Sources>, each: &[Options], rule: Combine, ctx: &Context<'_>) -> Result<Documents> {
    Loading::begin(sources, each, rule, ctx)?.finish(ctx)
}

/// The window of an index, in milliseconds, among what runs against it have in common with it.
pub(crate) const WINDOW: &str = "window";
/// The rules on fields, in the same place.
pub(crate) const FIELDS: &str = "fields";

/// Documents that are loaded: the recipe of each scheme is frozen.
#[derive(Debug)]
pub struct Loading {
    sources: Arc<Sources>,
    schemes: Vec<Scheme>,
    recipes: Vec<Recipe>,
    frozen: Vec<Option<Frozen>>,
    how: IngestOptions,
    settled: Option<Arc<Settled>>,
    rule: Combine,
    common: Map<String, Value>,
}

impl Loading {
    /// Chooses the recipes, and freezes what they need of a sample.
    ///
    /// # Errors
    /// As [`load`].
    pub fn begin(sources: Arc<Sources>, each: &[Options], rule: Combine, ctx: &Context<'_>) -> Result<Self> {
        check_schemes(each.len())?;
        if !each[0].rules.bounds.is_none() && !each[0].scheme.has_features() {
            return Err(Error::Config(msg!(
                "{@max_lost} and {@conflict} are of texts, and scheme {spec:?} has fingerprints alone; leave them out",
                spec = each[0].scheme.spec()
            )));
        }
        let first = each[0].clone();
        let how = IngestOptions {
            text_field: first.text_field,
            id_field: first.id_field,
            keep: first.keep,
            rules: first.rules,
            batch: first.batch,
            run_dir: first.run_dir,
        };
        let in_common = || of_index(each, rule).collect();
        let recipes = if let Some(settled) = &first.settled {
            if how.run_dir.is_some() {
                return Err(Error::Config(msg!(
                    "a run against an index has no run directory; leave {@run_dir} out"
                )));
            }
            settled.check(in_common)?;
            settled.recipes.clone()
        } else {
            let recipe = |of: &Options| {
                let records = of.recipe_for.unwrap_or(sources.len() as u64);
                let recipe = Recipe::new(&of.scheme, of.threshold, of.recall, of.seed, records)?;
                Ok(if of.looked_up { recipe.looked_up() } else { recipe })
            };
            each.iter().map(recipe).collect::<Result<_>>()?
        };
        if let Some(dir) = &how.run_dir {
            dir.identify(&identity(&sources, each, &recipes, rule))?;
        }
        let schemes: Vec<(&Scheme, &Recipe)> = each.iter().map(|options| &options.scheme).zip(&recipes).collect();
        let frozen = match &first.settled {
            Some(settled) => known(settled.paths.clone()),
            None => freeze(&sources, &how, &schemes[..searched(each.len(), rule)], ctx)?,
        };
        Ok(Self {
            sources,
            schemes: each.iter().map(|options| options.scheme.clone()).collect(),
            recipes,
            frozen,
            // An index is made of a run that is against none.
            common: if first.settled.is_none() {
                in_common()
            } else {
                Map::new()
            },
            settled: first.settled,
            how,
            rule,
        })
    }

    /// What a run has in common with an index that is made of it, as a JSON object; nothing of a run against an index.
    pub fn common(&self) -> String {
        Value::from(self.common.clone()).to_string()
    }

    /// The records.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Where the text of a record is.
    pub fn text_field(&self) -> &[String] {
        &self.how.text_field
    }

    /// Each scheme with its recipe, and what is frozen where it is searched by paths.
    pub fn searches(&self) -> impl ExactSizeIterator<Item = ((&Scheme, &Recipe), Option<&Frozen>)> {
        let frozen = |at: usize| self.frozen.get(at).and_then(Option::as_ref);
        let schemes = self.schemes.iter().zip(&self.recipes).enumerate();
        schemes.map(move |(at, search)| (search, frozen(at)))
    }

    /// Words of the feature bits that are made of a scheme: by the sample, or where every pair is tested for texts that may be short.
    fn bit_words(&self, at: usize) -> usize {
        let features = self.frozen.get(at).and_then(|frozen| match frozen {
            Some(frozen) => frozen.sample.as_ref().map(|similar| similar.sample.mean_features()),
            None => Some(0.0),
        });
        let counted = self.schemes[at].weights() != Weights::Once;
        features.map_or(0, |features| words_of_all(&self.recipes[at], counted, features))
    }

    /// Makes the encoder of each scheme; `words` has the words of its feature bits.
    fn encoders(&self, words: &[usize], ctx: &Context<'_>) -> Vec<Encoder<'_>> {
        let searched = searched(self.schemes.len(), self.rule);
        let each = self.searches().zip(words).enumerate();
        each.map(|(at, (((scheme, recipe), frozen), &bits))| {
            let search = SearchOptions {
                sketches: at < searched && recipe.threshold.by_similarity(),
                paths: frozen.map(|frozen| &*frozen.paths),
                bits,
            };
            Encoder::new(scheme, search, ctx.kernel())
        })
        .collect()
    }

    /// Reads and encodes all records, and finds exact copies.
    ///
    /// # Errors
    /// As [`load`].
    pub fn finish(mut self, ctx: &Context<'_>) -> Result<Documents> {
        let words: Vec<usize> = (0..self.schemes.len()).map(|at| self.bit_words(at)).collect();
        // The samples are not needed any more.
        self.frozen.iter_mut().flatten().for_each(|frozen| frozen.sample = None);
        let sources = Arc::clone(&self.sources);
        let mut collection = ingest(sources, &self.how, &self.encoders(&words, ctx), self.rule, ctx)?;
        for (at, encoding) in collection.encodings.iter_mut().enumerate() {
            let paths = self.frozen.get(at).and_then(Option::as_ref).map(|frozen| &frozen.paths);
            encoding.frozen_digest = paths.map(|paths| digest_of(paths));
        }
        // That of batches and of the sample.
        if collection.len() >= RELEASED_RECORDS {
            release_free();
        }
        let searched = searched(self.schemes.len(), self.rule);
        feature_bits::complete(&mut collection, &self.recipes[..searched], ctx)?;
        self.documents(collection, ctx)
    }

    /// Reads and encodes the records of a run against an index; [`Self::finish_beside`] follows.
    pub(crate) fn read_new(&self, ctx: &Context<'_>) -> Result<NewRows> {
        let words = vec![0; self.schemes.len()];
        read_new(&self.sources, &self.how, &self.encoders(&words, ctx), ctx)
    }

    /// What else decides about a pair.
    pub(crate) const fn rules(&self) -> &Rules {
        &self.how.rules
    }

    /// The documents of a run against an index: the new records, and those of the index that they may be near.
    pub(crate) fn finish_beside(self, new: NewRows, old: OldRows, ctx: &Context<'_>) -> Result<Documents> {
        let mut collection = collect_beside(&self.sources, new, old, &self.how, &self.schemes, self.rule)?;
        let digests = self.settled.iter().flat_map(|settled| &settled.frozen_digests);
        for (encoding, digest) in collection.encodings.iter_mut().zip(digests) {
            encoding.frozen_digest.clone_from(digest);
        }
        self.documents(collection, ctx)
    }

    /// The documents of a collection, whose exact copies are looked for.
    fn documents(self, mut collection: Collection, ctx: &Context<'_>) -> Result<Documents> {
        for (encoding, frozen) in collection.encodings.iter_mut().zip(self.frozen) {
            encoding.paths = frozen.map(|frozen| frozen.paths);
        }
        collection.copies = exact::copies(&collection, ctx)?;
        Ok(Documents::of(collection, self.recipes))
    }
}

impl Settled {
    /// Refuses a run that lacks what it must have in common with the index.
    fn check(&self, common: impl FnOnce() -> Map<String, Value>) -> Result<()> {
        if self.common.is_empty() {
            return Ok(());
        }
        let common = common();
        for (name, was) in &self.common {
            let now = common.get(name);
            if now != Some(was) && (name != WINDOW || now.is_some() || !self.is_timeless) {
                return Err(Error::Config(msg!(
                    "{name} is {was} in the index, and {now} in this run; leave it out, or make another index",
                    was = was.to_string(),
                    now = now.map_or_else(|| "nothing".to_owned(), Value::to_string)
                )));
            }
        }
        Ok(())
    }
}

/// What a run is made of, by the names that a user knows: a run that goes on has the same.
fn identity(sources: &Sources, each: &[Options], recipes: &[Recipe], rule: Combine) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let (path, identity) = (source.profile().path().display(), source.identity());
        all.push((format!("source {} ({path})", at + 1), json!(identity)));
    }
    let first = &each[0];
    let mut set = |name: &str, value: Value| all.push((name.to_owned(), value));
    set("records", json!([sources.new_len(), sources.len() - sources.new_len()]));
    for (name, value) in common(each, rule) {
        set(name, value);
    }
    for (name, value) in first.rules.bounds.identity() {
        set(name, value);
    }
    for (name, value) in of_fields(&first.rules) {
        set(name, value);
    }
    if !first.rules.fields.is_empty() {
        set(
            "names of fields",
            first.rules.fields.iter().map(|rule| json!(rule.names)).collect(),
        );
    }
    if let Some(window) = &first.rules.window {
        set("window", json!([window.span, window.field]));
    }
    set("verdicts", json!(format!("{:032x}", first.rules.digest_of_verdicts())));
    set("search", recipes.iter().map(|recipe| json!(recipe.digest())).collect());
    all
}

/// The part of the identity that runs against an index have in common: each may have fields and a keep order of its own.
fn of_index(each: &[Options], rule: Combine) -> impl Iterator<Item = (String, Value)> {
    let own = |(name, _): &(&str, Value)| !["text_field", "id_field", "keep"].contains(name);
    let shared = common(each, rule).into_iter().filter(own);
    let bounds = each[0].rules.bounds.identity();
    // What an index does not have plays no role in it, as in those of earlier versions.
    let window = each[0].rules.window.as_ref().map(|window| (WINDOW, json!(window.span)));
    let all = shared.chain(bounds).chain(of_fields(&each[0].rules)).chain(window);
    all.map(|(name, value)| (name.to_owned(), value))
}

/// The rules on fields in an identity; none where there are none, as in identities of earlier versions.
fn of_fields(rules: &Rules) -> impl Iterator<Item = (&'static str, Value)> {
    let fields = || rules.fields.iter().map(FieldRule::identity).collect();
    let sure = rules.sure.map(|sure| ("sure", json!([sure.agree, sure.similarity])));
    (!rules.fields.is_empty())
        .then(|| (FIELDS, fields()))
        .into_iter()
        .chain(sure)
}

/// The settings in the identity that decide about documents.
fn common(each: &[Options], rule: Combine) -> [(&'static str, Value); 11] {
    let first = &each[0];
    let of_each = |of: &dyn Fn(&Options) -> Value| each.iter().map(of).collect::<Value>();
    let same = first.rules.same.iter().map(|guard| guard.canonical());
    [
        (
            "scheme",
            of_each(&|options| json!([options.scheme.spec(), options.scheme.digest()])),
        ),
        ("threshold", of_each(&|options| json!(options.threshold.to_string()))),
        ("combine", json!(rule.name())),
        ("recall", json!(first.recall)),
        ("seed", json!(first.seed)),
        ("text_field", json!(first.text_field)),
        ("id_field", json!(first.id_field)),
        ("keep", json!(first.keep.to_string())),
        ("equal fields", json!(first.rules.equal)),
        ("same", same.collect()),
        ("normaliser", json!(NORMALISER)),
    ]
}
