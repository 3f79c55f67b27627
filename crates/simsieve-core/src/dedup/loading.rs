//! The way from records to [`Documents`], in two steps: what is frozen of a sample, and the columns of all records with their exact copies.
//!
//! Between the steps it is known what the search is expected to meet, and nothing is encoded yet.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::memory::release_free;
use crate::collection::combine::{Combine, check_schemes};
use crate::collection::ingest::{IngestOptions, ingest};
use crate::collection::seen::Seen;
use crate::dedup::{exact, feature_bits};
use crate::encode::encoder::{Encoder, SearchOptions};
use crate::encode::paths::Paths;
use crate::encode::scheme::Scheme;
use crate::encode::weight::Weights;
use crate::recipe::Recipe;
use crate::search::documents::{Documents, Options, searched};
use crate::search::feature_bits::words_of_all;
use crate::search::sample::frozen::digest_of;
use crate::search::sample::{Frozen, freeze};
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

/// Documents that are loaded: the recipe of each scheme is frozen.
#[derive(Debug)]
pub struct Loading {
    sources: Arc<Sources>,
    schemes: Vec<Scheme>,
    recipes: Vec<Recipe>,
    frozen: Vec<Option<Frozen>>,
    how: IngestOptions,
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
            seen: first.seen,
        };
        let in_common = || of_index(each, rule).collect();
        let recipes = if let Some(Seen(seen)) = &how.seen {
            if how.run_dir.is_some() {
                return Err(Error::Config(msg!(
                    "a run against an index has no run directory; leave {@run_dir} out"
                )));
            }
            seen.recipes(&in_common)?
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
        let frozen = freeze(&sources, &how, &schemes[..searched(each.len(), rule)], ctx)?;
        Ok(Self {
            sources,
            schemes: each.iter().map(|options| options.scheme.clone()).collect(),
            recipes,
            frozen,
            // An index is made of a run that is against none.
            common: if how.seen.is_none() { in_common() } else { Map::new() },
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

    /// Reads and encodes all records, and finds exact copies.
    ///
    /// # Errors
    /// As [`load`].
    pub fn finish(self, ctx: &Context<'_>) -> Result<Documents> {
        // Old documents of an index are not read, so there are no bits.
        let is_whole = self.how.seen.is_none();
        let words: Vec<usize> = (0..self.schemes.len())
            .map(|at| if is_whole { self.bit_words(at) } else { 0 })
            .collect();
        let Self {
            sources,
            schemes,
            recipes,
            frozen,
            how,
            rule,
            common: _,
        } = self;
        let searched = searched(schemes.len(), rule);
        // The samples are not needed any more.
        let frozen: Vec<Option<Arc<Paths>>> = (frozen.into_iter()).map(|frozen| Some(frozen?.paths)).collect();
        let paths = |at: usize| frozen.get(at).and_then(Option::as_ref);
        let encoders: Vec<Encoder<'_>> = (schemes.iter().zip(&recipes).enumerate())
            .map(|(at, (scheme, recipe))| {
                let search = SearchOptions {
                    sketches: at < searched && recipe.threshold.by_similarity(),
                    paths: paths(at).map(|paths| &**paths),
                    bits: words[at],
                };
                Encoder::new(scheme, search, ctx.kernel())
            })
            .collect();
        let mut collection = ingest(sources, &how, &encoders, rule, ctx)?;
        // That of batches and of the sample.
        if collection.len() >= RELEASED_RECORDS {
            release_free();
        }
        for (at, encoding) in collection.encodings.iter_mut().enumerate() {
            encoding.frozen_digest = match &how.seen {
                Some(Seen(seen)) => seen.frozen_digest(at),
                None => paths(at).map(|paths| digest_of(paths)),
            };
            encoding.paths = paths(at).cloned();
        }
        if is_whole {
            feature_bits::complete(&mut collection, &recipes[..searched], ctx)?;
        }
        collection.copies = exact::copies(&collection, ctx)?;
        Ok(Documents::of(collection, recipes))
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
    let all = shared.chain(bounds).chain(window);
    all.map(|(name, value)| (name.to_owned(), value))
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
