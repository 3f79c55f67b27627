//! The documents of a run: a collection, and the frozen recipe of each scheme. This is what a search works on.
//!
//! Runs at several thresholds share the collection and differ in their recipes.

use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::collection::combine::Combine;
use crate::collection::keep_order::KeepOrder;
use crate::collection::labels::Labels;
use crate::collection::relation::{Relation, Rules};
use crate::collection::seen::Settled;
use crate::collection::{Collection, Encoding};
use crate::encode::encoder::EncodedBatch;
use crate::encode::input::pattern::Hits;
use crate::encode::scheme::{Scheme, Scratch};
use crate::encode::weight::Weights;
use crate::recipe::{Recipe, Threshold};
use crate::search::found::Search;
use crate::source::{Fields, RecordBuffer, Sources};
use crate::storage::column::Column;
use crate::storage::run_dir::RunDir;

/// How documents are made of records.
#[derive(Debug, Clone)]
pub struct Options {
    /// How texts become fingerprints.
    pub scheme: Scheme,
    /// Where the text is; several fields are joined.
    pub text_field: Vec<String>,
    /// Where the label is.
    pub id_field: String,
    /// Which of two near documents stays.
    pub keep: KeepOrder,
    /// What else decides about a pair.
    pub rules: Rules,
    /// What is near.
    pub threshold: Threshold,
    /// Probability asked for that a pair at the threshold is found.
    pub recall: f64,
    /// Chooses the rows of the recall sample.
    pub seed: u64,
    /// Records that the recipe is made for; as many as the sources have where none is given.
    pub recipe_for: Option<u64>,
    /// Whether the recipe is that of an index, in which texts are looked up one by one.
    pub looked_up: bool,
    /// Documents a batch; 0 for batches of about 512 KiB. Never changes a result.
    pub batch: usize,
    /// Where columns are kept as files; in memory where there is none. Never changes a result.
    pub run_dir: Option<Arc<RunDir>>,
    /// What the index has settled whose kept documents are old ones.
    pub settled: Option<Arc<Settled>>,
}

/// A collection and the frozen recipe of each scheme.
#[derive(Debug)]
pub struct Documents {
    /// What was read and encoded.
    pub collection: Arc<Collection>,
    /// The search under each of them, at the loosest threshold of the runs that share it.
    pub searches: Arc<[Search]>,
    /// The frozen recipe of each of [`Collection::encodings`], in their order.
    pub recipes: Vec<Recipe>,
}

/// The documents under one scheme.
#[derive(Debug, Clone, Copy)]
pub struct SchemeDocuments<'a> {
    /// The documents of the run, under all schemes.
    pub run: &'a Documents,
    /// What they became under this scheme.
    pub encoding: &'a Encoding,
    /// Its search.
    pub search: &'a Search,
    /// The recipe of this scheme.
    pub recipe: &'a Recipe,
    /// Its number among the schemes.
    pub(crate) at: usize,
}

impl Documents {
    /// Documents of a collection that is there, under the recipes that it was made for.
    pub(crate) fn of(mut collection: Collection, recipes: Vec<Recipe>) -> Self {
        assert_eq!(collection.encodings.len(), recipes.len(), "one recipe a scheme");
        let keys = collection.encodings.iter_mut().map(|encoding| encoding.keys.take());
        Self {
            searches: keys.map(Search::of).collect(),
            collection: Arc::new(collection),
            recipes,
        }
    }

    /// Documents of encoded rows as by [`Self::of_rows`], where no texts are asked for.
    pub(crate) fn without_texts(scheme: &Scheme, recipe: &Recipe, rows: EncodedBatch) -> Self {
        Self::of_rows(
            Sources::from_texts::<&str>([]),
            vec![(scheme, recipe, rows)],
            Relation::default(),
        )
    }

    /// Documents of encoded rows under schemes that must agree, each a document in its place of the keep order. `sources` has their
    /// texts where texts are asked for.
    pub(crate) fn of_rows(
        sources: Sources,
        schemes: Vec<(&Scheme, &Recipe, EncodedBatch)>,
        relation: Relation,
    ) -> Self {
        let (scheme, recipe, rows) = &schemes[0];
        let count = rows.valid.len() as u32;
        let is_textless = schemes.len() == 1 && !recipe.threshold.by_similarity();
        let fields = Fields::of_text(&["text".to_owned()], scheme.takes());
        let recipes = schemes.iter().map(|(_, recipe, _)| (*recipe).clone()).collect();
        let encodings = schemes.into_iter();
        let collection = Collection {
            sources: Arc::new(sources),
            order: (0..count).collect::<Vec<_>>().into(),
            failures: Vec::new(),
            encodings: encodings
                .map(|(scheme, _, rows)| Encoding::of(scheme, rows, None, None))
                .collect(),
            hits: Hits::default(),
            rule: Combine::All,
            relation,
            labels: Labels::default(),
            keep_values: Vec::new(),
            fields,
            copies: Column::default(),
            run_dir: None,
            copies_of_dropped: Vec::new(),
            is_textless,
        };
        Self::of(collection, recipes)
    }

    /// Whether there are several schemes.
    pub fn is_combined(&self) -> bool {
        self.recipes.len() > 1
    }

    /// The documents under one of the schemes.
    ///
    /// # Panics
    /// Where there are not that many schemes.
    pub fn under(&self, scheme: usize) -> SchemeDocuments<'_> {
        SchemeDocuments {
            run: self,
            encoding: &self.collection.encodings[scheme],
            search: &self.searches[scheme],
            recipe: &self.recipes[scheme],
            at: scheme,
        }
    }

    /// The documents under each scheme.
    pub fn under_each(&self) -> impl ExactSizeIterator<Item = SchemeDocuments<'_>> {
        (0..self.recipes.len()).map(|scheme| self.under(scheme))
    }

    /// Those whose candidates are looked for: under [`Combine::All`] the first scheme's suffice.
    pub(crate) fn searched(&self) -> Vec<SchemeDocuments<'_>> {
        let schemes = searched(self.recipes.len(), self.collection.rule);
        self.under_each().take(schemes).collect()
    }

    /// The same documents under a stricter threshold (or the same): see [`Recipe::rethreshold`]. Nothing is read anew.
    ///
    /// # Errors
    /// [`Error::Config`] where there are several schemes, or the threshold is looser; [`Error::Source`] where a source has
    /// changed.
    pub fn rethreshold(&self, threshold: Threshold) -> Result<Self> {
        self.refuse_combined("deciding again")?;
        self.collection.sources.check_unchanged()?;
        let recipe = self.recipes[0].rethreshold(threshold)?;
        Ok(Self {
            collection: Arc::clone(&self.collection),
            searches: Arc::clone(&self.searches),
            recipes: vec![recipe],
        })
    }

    /// Refuses what is made for one scheme.
    pub(crate) fn refuse_combined(&self, what: &str) -> Result<()> {
        if self.is_combined() {
            return Err(Error::Config(msg!(
                "{what} is for one scheme, and there are {count}; run on the sources again",
                count = self.recipes.len()
            )));
        }
        Ok(())
    }
}

/// How many of some schemes are searched: under [`Combine::All`] the first suffices.
pub(crate) fn searched(schemes: usize, rule: Combine) -> usize {
    match rule {
        Combine::All => 1,
        Combine::Any => schemes,
    }
}

impl SchemeDocuments<'_> {
    /// The other schemes under which a pair that this one finds must be near as well.
    pub(crate) fn must_agree(&self) -> Vec<Self> {
        if self.at == 0 && self.run.collection.rule == Combine::All {
            self.run.under_each().skip(1).collect()
        } else {
            Vec::new()
        }
    }

    /// The least cosine of near texts, where bits of features can rule texts out: each feature counts once.
    pub(crate) fn cosine_of_bits(&self) -> Option<f64> {
        let cosine = self.recipe.threshold.least_cosine();
        cosine.filter(|_| self.encoding.scheme.weights() == Weights::Once)
    }

    /// Whether near pairs of this scheme and those that must agree depend on their order.
    pub(crate) fn is_directed(&self) -> bool {
        let also = self.must_agree();
        let mut recipes = also.iter().map(|also| also.recipe).chain([self.recipe]);
        recipes.any(|recipe| recipe.threshold.is_directed())
    }

    /// Takes the features of a document's text, fetched again from its source.
    pub fn extract(&self, position: u32, buffer: &mut RecordBuffer, scratch: &mut Scratch) -> Result<()> {
        self.run
            .collection
            .extract(&self.encoding.scheme, position, buffer, scratch)
    }
}
