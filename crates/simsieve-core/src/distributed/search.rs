//! What is frozen before the first key, on one machine for all.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::kernel::Kernel;
use crate::collection::relation::Relation;
use crate::distributed::texts::TextColumn;
use crate::encode::encoder::{EncodedBatch, Encoder, SearchOptions, WorkerScratch};
use crate::encode::paths::Paths;
use crate::encode::scheme::Scheme;
use crate::recipe::Recipe;
use crate::search::documents::Documents;
use crate::search::sample::crowds::{self, Bounds, KeySample};
use crate::search::sample::frozen::{self, Frozen, FrozenState};
use crate::search::sample::{freeze_sampled, is_sampled_text};
use crate::search::tables::Tables;
use crate::source::Sources;

/// A search before its paths are frozen.
#[derive(Debug, Clone)]
pub struct Unfrozen {
    /// How texts become fingerprints.
    pub scheme: Scheme,
    /// What makes a pair a candidate.
    pub recipe: Recipe,
}

/// A frozen search: it makes the keys of any text.
#[derive(Debug)]
pub struct Search {
    pub(super) scheme: Scheme,
    pub(super) recipe: Recipe,
    /// Further schemes under which a pair must be near too.
    pub(super) also: Vec<(Scheme, Recipe)>,
    paths: Option<Arc<Paths>>,
    /// The tables of a search within a distance.
    pub(super) tables: Tables,
    /// Passes that may split crowded paths.
    passes: usize,
    records: usize,
}

/// A frozen search without its scheme, to be sent to another machine.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FrozenParts {
    /// [`Recipe::to_json`].
    pub recipe: String,
    /// The numbers of the paths as JSON, or the blocks of the tables.
    pub state: String,
    /// The classes of rarity.
    pub classes: Vec<u8>,
    /// The verdicts on paths.
    pub verdicts: Vec<u64>,
}

/// Which texts are in the sample of one of `2^log2`.
///
/// # Errors
/// As [`TextColumn::get`].
pub fn sampled(texts: TextColumn<'_>, log2: u32) -> Result<Vec<bool>> {
    let each = (0..texts.len()).map(|at| Ok(texts.get(at)?.is_some_and(|text| is_sampled_text(text, log2))));
    each.collect()
}

impl Unfrozen {
    /// The rate at which texts are sampled; `None` where nothing is frozen. The sample of a large collection is halved
    /// until it is small. So a caller may begin at a rate for which the sample has about `2^20` texts.
    pub fn sample_log2(&self) -> Option<u32> {
        self.recipe.paths.map(|options| options.sample_log2)
    }

    /// Freezes the search of a collection of `records` records by the texts that [`sampled`] has picked. `None` where
    /// `log2` is too high: then the texts of the next lower one are needed.
    ///
    /// # Errors
    /// [`Error::Memory`], or an interrupt.
    pub fn freeze(self, texts: &Sources, records: usize, log2: u32, ctx: &Context<'_>) -> Result<Option<Search>> {
        let Self { scheme, recipe } = self;
        let frozen = match recipe.paths {
            Some(options) => match freeze_sampled(texts, records, log2, (&scheme, &recipe), options, ctx)? {
                Some(frozen) => Some(frozen),
                None => return Ok(None),
            },
            None => None,
        };
        let bounds = Bounds::DEFAULT;
        let rate = frozen.as_ref().and_then(Frozen::rate);
        let is_coarse = bounds.are_passed(rate, records as f64);
        let tables = Tables::choose(&recipe, scheme.width(), ctx.tuning);
        Ok(Some(Search {
            scheme,
            recipe,
            also: Vec::new(),
            paths: frozen.map(|frozen| frozen.paths),
            tables,
            passes: if is_coarse { bounds.passes } else { 0 },
            records,
        }))
    }
}

impl Search {
    /// The search of parts that were sent, under the same scheme.
    ///
    /// # Errors
    /// [`Error::Digest`] where the scheme here has another digest; [`Error::Config`] where the parts are of no search.
    pub fn of_parts(scheme: Scheme, parts: FrozenParts) -> Result<Self> {
        let recipe = Recipe::from_json(&parts.recipe)?;
        let (sent, here) = (recipe.scheme_digest(), scheme.digest());
        if sent != here {
            let message = msg!(
                "the search was frozen for a scheme of digest {sent}, and scheme {spec} has the digest {here} \
                 on this machine; install one version of simsieve on all machines",
                spec = scheme.spec()
            );
            let digests = [sent.to_owned(), here];
            return Err(Error::Digest { message, digests });
        }
        let read = || {
            if recipe.paths.is_some() {
                let state: FrozenState = serde_json::from_str(&parts.state).ok()?;
                let paths = frozen::paths(&state, parts.classes, &parts.verdicts)?;
                return Some((Some(Arc::new(paths)), Tables::default()));
            }
            let state: Value = serde_json::from_str(&parts.state).ok()?;
            let blocks = u32::try_from(state["blocks"].as_u64()?).ok()?;
            Some((None, Tables::of(&recipe, scheme.width(), blocks)?))
        };
        let (paths, tables) =
            read().ok_or_else(|| Error::Config(msg!("the parts that were sent are of no frozen search")))?;
        Ok(Self {
            scheme,
            recipe,
            also: Vec::new(),
            paths,
            tables,
            passes: 0,
            records: 0,
        })
    }

    /// The same search, whose pairs must be near under further schemes too.
    #[must_use]
    pub fn with_also(self, also: Vec<(Scheme, Recipe)>) -> Self {
        Self { also, ..self }
    }

    /// The rate of the texts whose keys say which paths are crowded; `None` where no path is left that may be.
    pub fn crowd_log2(&self) -> Option<u32> {
        (self.passes > 0).then(|| Bounds::DEFAULT.first_log2(self.records as f64))
    }

    /// The keys of the texts that [`sampled`] picks at this rate, for [`Search::split`].
    ///
    /// # Errors
    /// As [`TextColumn::get`].
    pub fn sampled_keys(&self, texts: TextColumn<'_>, log2: u32, ctx: &Context<'_>) -> Result<Vec<u64>> {
        let encoder = Encoder::new(&self.scheme, crowds::search(self.paths.as_deref()), ctx.kernel());
        crowds::rows_of((0..texts.len()).map(|at| texts.get(at)), &encoder, log2)
    }

    /// The search with the crowded paths split that the keys of all sampled texts show.
    #[must_use]
    pub fn split<'a>(&self, keys: impl Iterator<Item = &'a [u64]>, log2: u32) -> Self {
        let (bounds, mut sample) = (Bounds::DEFAULT, KeySample::new(log2));
        keys.for_each(|rows| sample.add(rows, &bounds));
        let mut paths = self.paths.clone();
        let may_find = paths.as_mut().is_some_and(|paths| {
            let found = sample.crowds(paths, &self.recipe, 1.0, &bounds);
            found.split(Arc::make_mut(paths), &bounds)
        });
        Self {
            scheme: self.scheme.clone(),
            recipe: self.recipe.clone(),
            also: self.also.clone(),
            paths,
            tables: self.tables.clone(),
            passes: if may_find { self.passes.saturating_sub(1) } else { 0 },
            records: self.records,
        }
    }

    /// The parts of [`Search::of_parts`].
    pub fn parts(&self) -> FrozenParts {
        let mut parts = FrozenParts {
            recipe: self.recipe.to_json(),
            ..FrozenParts::default()
        };
        if let Some(paths) = &self.paths {
            parts.state = FrozenState::of(paths).to_json();
            parts.classes = paths.rarity.classes().to_vec();
            parts.verdicts = paths.fates.entries();
        } else {
            parts.state = json!({ "blocks": self.tables.blocks }).to_string();
        }
        parts
    }

    /// The recipe.
    pub const fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Keys of a text in the mean; `None` where every pair is tested and there are no keys.
    pub fn mean_keys(&self) -> Option<f64> {
        let of_paths = self.paths.as_ref().map(|paths| paths.mean_keys);
        of_paths.or_else(|| (!self.tables.is_empty()).then_some(self.tables.len() as f64))
    }

    /// Whether every pair is tested: then all rows are one large bucket.
    pub fn is_brute(&self) -> bool {
        self.paths.is_none() && self.tables.is_empty()
    }

    /// Whether texts decide which pairs are near, and not the fingerprints alone.
    pub fn reads_texts(&self) -> bool {
        self.recipe.threshold.by_similarity() || !self.also.is_empty()
    }

    /// Whether near pairs depend on the order of their texts.
    pub fn is_directed(&self) -> bool {
        let also = self.also.iter().map(|(_, recipe)| recipe);
        also.chain([&self.recipe]).any(|recipe| recipe.threshold.is_directed())
    }

    /// All schemes.
    pub(super) fn schemes(&self) -> impl Iterator<Item = &Scheme> {
        std::iter::once(&self.scheme).chain(self.also.iter().map(|(scheme, _)| scheme))
    }

    /// Documents of rows that are encoded under the first scheme; under the others they are encoded here. A row has its text where that is
    /// asked for.
    pub(super) fn documents(
        &self,
        texts: &[&str],
        rows: EncodedBatch,
        relation: Relation,
        kernel: Kernel,
    ) -> Result<Documents> {
        let valid = rows.valid.clone();
        let mut schemes = vec![(&self.scheme, &self.recipe, rows)];
        for (scheme, recipe) in &self.also {
            let mut rows = encoded(scheme, texts, kernel)?;
            rows.valid.clone_from(&valid);
            schemes.push((scheme, recipe, rows));
        }
        Ok(Documents::of_rows(Sources::from_texts(texts), schemes, relation))
    }

    pub(super) fn options(&self) -> SearchOptions<'_> {
        SearchOptions {
            sketches: self.recipe.threshold.by_similarity(),
            paths: self.paths.as_deref(),
            bits: 0,
        }
    }
}

/// Texts under a scheme, without sketches and keys; zeros of one that it cannot use.
pub(super) fn encoded(scheme: &Scheme, texts: &[&str], kernel: Kernel) -> Result<EncodedBatch> {
    let (encoder, mut scratch) = (
        Encoder::new(scheme, SearchOptions::default(), kernel),
        WorkerScratch::default(),
    );
    let mut rows = encoder.batch(texts.len())?;
    for (at, text) in texts.iter().enumerate() {
        if encoder.encode(text, &mut scratch, &mut rows).is_err() {
            encoder.encode_failed(at, &mut rows);
        }
    }
    Ok(rows)
}
