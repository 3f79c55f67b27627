//! A scheme: how a text becomes features, weights and a fingerprint.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use super::custom::{self, PartMap};
use super::model_compat::is_served_by;
use super::model_slot::{ModelRef, ModelSlot};
use super::pipeline::Pipeline;
use super::resolve;
use super::scratch::Scratch;
use super::spec::SchemeSpec;
use super::value::Value;
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::base::kernel::Kernel;
use crate::encode::input::Input;
use crate::encode::input::html_text::Extract;
use crate::encode::input::templates::Templates;
use crate::encode::model::{FeatureRule, Idf, Model};
use crate::encode::tokenize::Tokenizer;
use crate::encode::tokenize::functions::Functions;
use crate::encode::tokenize::windows::Window;
use crate::encode::unusable_text::UnusableText;
use crate::encode::weight::Weights;
use crate::text::fields::FieldPart;
use crate::text::{FieldKind, Normaliser};

/// What a scheme is called.
#[derive(Debug, Clone)]
enum Label {
    /// The spec of a built-in scheme.
    BuiltIn(SchemeSpec),
    /// The name that a user gave.
    Custom(Box<str>),
}

/// A scheme whose weights have a model `M`, where they need one: see [`Scheme`] and [`OpenScheme`].
#[derive(Debug, Clone)]
pub struct SchemeOf<M> {
    label: Label,
    pub(super) pipeline: Pipeline<M>,
}

/// A scheme that has all that it needs.
pub type Scheme = SchemeOf<Arc<Idf>>;

/// A scheme whose files are read, and whose model may be missing.
pub type OpenScheme = SchemeOf<ModelSlot>;

impl<M> SchemeOf<M> {
    /// Bits of a fingerprint.
    pub const fn width(&self) -> u32 {
        self.pipeline.width
    }

    /// 64-bit words of a fingerprint.
    pub const fn words(&self) -> usize {
        self.pipeline.words()
    }

    /// What a record's text field may hold besides a text.
    pub const fn takes(&self) -> FieldKind {
        match self.pipeline.input {
            Input::External(external) => external.field_kind(),
            Input::Tokens => FieldKind::Tokens,
            _ if self.pipeline.cleaning.part.is_some() => FieldKind::Parts,
            _ => FieldKind::Texts,
        }
    }

    /// Whether its text is a further field of a record, which the record may lack.
    pub fn is_optional(&self) -> bool {
        self.pipeline.cleaning.part.is_some_and(|part| part.first > 0)
    }

    /// How features are weighted.
    pub fn weights(&self) -> Weights {
        self.pipeline.weights()
    }

    /// How windows are cut; of a scheme whose features are no windows as the default scheme has them.
    pub fn window(&self) -> Window {
        match &self.pipeline.tokenizer {
            Tokenizer::Windows(rule) => rule.window(),
            _ => FeatureRule::usual().window(),
        }
    }

    /// How texts are normalised.
    pub const fn normaliser(&self) -> &Normaliser {
        &self.pipeline.normaliser
    }

    /// Whether features are windows of characters.
    pub const fn has_windows(&self) -> bool {
        matches!(self.pipeline.tokenizer, Tokenizer::Windows(_))
    }

    /// In which form fingerprints are given, or `tokens`; `None` where the scheme makes all of texts.
    pub fn given_as(&self) -> Option<&'static str> {
        match self.pipeline.input {
            Input::External(external) => Some(external.form.name()),
            Input::Tokens => Some("tokens"),
            _ => None,
        }
    }

    /// Whether texts have features, and so similarities; under a given fingerprint there are distances only.
    pub const fn has_features(&self) -> bool {
        !matches!(self.pipeline.input, Input::External(_))
    }

    /// What is extracted of pages: `none`, `text` or `main`.
    pub const fn extract_name(&self) -> &'static str {
        self.pipeline.input.extract_name()
    }

    /// Whether a record's text is taken for a page of HTML.
    pub const fn takes_pages(&self) -> bool {
        self.pipeline.input.takes_pages()
    }

    /// The same with another model.
    fn map<N, E>(self, map: impl FnOnce(M) -> Result<N, E>) -> Result<SchemeOf<N>, E> {
        Ok(SchemeOf {
            label: self.label,
            pipeline: self.pipeline.map(map)?,
        })
    }

    /// The features that a model of this scheme counts, for a fit.
    ///
    /// # Errors
    /// [`Error::Config`] where its weights are its own.
    pub fn features_to_count(&self) -> Result<FeatureRule>
    where
        M: ModelRef,
    {
        if self.pipeline.takes_model() {
            return Ok(self.pipeline.counted_features());
        }
        Err(Error::Config(msg!(
            "no model can be fitted with scheme {spec:?}: its weights are its own; take a chars, words, \
             keywords or esimhash scheme",
            spec = self.spec()
        )))
    }

    /// Makes the normalised text of `text` in `scratch`, by which exact copies are known, and nothing else.
    ///
    /// # Errors
    /// An [`UnusableText`] where the scheme cannot use the text; what is in `scratch` is then of no text.
    pub fn normalise(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        self.pipeline.normalise(text, scratch)
    }

    /// The text that features are taken of, before it is normalised: extracted and cleaned; and the marks of its pictures.
    ///
    /// # Errors
    /// An [`UnusableText`] where the scheme cannot use the text.
    pub fn used_text(&self, text: &str) -> Result<(String, String), UnusableText> {
        self.pipeline.used_text(text)
    }

    /// Normalises `text` and takes the features that a model counts into `scratch`; no weights.
    ///
    /// # Errors
    /// As [`SchemeOf::normalise`].
    pub fn take_features(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        self.pipeline.take_features(text, scratch)
    }

    /// The distinct tokens of the text in `scratch` with the low 64 bits of their hash, in the order of the features.
    pub(crate) fn distinct_tokens(&self, scratch: &Scratch) -> Vec<(String, u64)> {
        self.pipeline.distinct_tokens(scratch)
    }

    /// The features of a page as [`Scheme::extract`] takes them, each with its text, in the order of the texts; `None` where
    /// the scheme takes no elements as the page is parsed.
    pub(crate) fn named_structure(&self, page: &str) -> Option<Result<Vec<(String, u64, u32)>>> {
        self.pipeline.named_structure(page)
    }
}

impl<M: ModelRef> SchemeOf<M> {
    /// The model in use.
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.pipeline.weighting.model()?.idf().map(|idf| idf.model())
    }

    /// The digest of the model in use, or of the one that the spec asks for.
    pub fn model_digest(&self) -> Option<String> {
        let wanted = || self.wanted().map(str::to_owned);
        self.model().map(|model| model.digest()).or_else(wanted)
    }

    /// The digest of the model that the spec asks for.
    fn wanted(&self) -> Option<&str> {
        match &self.label {
            Label::BuiltIn(spec) => spec.model_digest(),
            Label::Custom(_) => None,
        }
    }

    /// The scheme in its shortest spelling, options in a fixed order.
    pub fn spec(&self) -> String {
        match &self.label {
            Label::BuiltIn(spec) => spec.to_string(),
            Label::Custom(name) => {
                let model = self.model_digest();
                let model = model.map_or_else(String::new, |digest| format!(":model={digest}"));
                format!("own:{name}{model}")
            }
        }
    }

    /// All that can move a bit, in words: what [`SchemeOf::digest`] is made of.
    pub fn canonical(&self) -> String {
        self.pipeline.canonical(|| self.model_digest())
    }

    /// 32 hex digits: the digest of everything that can move a bit.
    pub fn digest(&self) -> String {
        format!("{:032x}", xxh3_128(self.canonical().as_bytes()))
    }

    /// Checks that the scheme has similarities.
    ///
    /// # Errors
    /// [`Error::Config`] where the scheme has no features, with what to do.
    pub fn check_similarity(&self) -> Result<()> {
        if self.has_features() {
            return Ok(());
        }
        Err(Error::Config(msg!(
            "scheme {spec:?} has fingerprints and no features, so there is no similarity: give {@max_distance}, \
             in bits from 0 to {value}",
            spec = self.spec(),
            value = self.pipeline.width - 1
        )))
    }

    /// This scheme on what is extracted of pages: `none`, `text` or `main`.
    ///
    /// ```
    /// use simsieve_core::encode::scheme::Scheme;
    /// let scheme = Scheme::parse("chars64").unwrap().with_extract("main").unwrap();
    /// assert_eq!((scheme.spec().as_str(), scheme.extract_name()), ("chars64:extract=main", "main"));
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for another name, and for a scheme that takes no text of pages.
    pub fn with_extract(mut self, name: &str) -> Result<Self> {
        if name == "none" {
            return Ok(self);
        }
        let Some(&(name, extract)) = Extract::ALL.iter().find(|(known, _)| *known == name) else {
            return Err(Error::Config(msg!(
                "scheme {spec:?}: \"extract={name}\" is not allowed; extract is none, text or main",
                spec = self.spec()
            )));
        };
        if self.pipeline.input != Input::Text {
            let (spec, why_no_text) = (self.spec(), self.pipeline.input.why_no_text());
            return Err(Error::Config(msg!(
                "scheme {spec:?} is not used with extract={name}: {why_no_text}; leave it out, or take a \
                 scheme on texts such as chars128"
            )));
        }
        self.pipeline.input = Input::HtmlText(extract);
        if let Label::BuiltIn(spec) = self.label {
            self.label = Label::BuiltIn(spec.with("extract", Value::Choice(name)));
        }
        Ok(self)
    }

    /// This scheme with further cleaning of its texts; unchanged if no pattern is given.
    ///
    /// ```
    /// use simsieve_core::encode::scheme::Scheme;
    /// let scheme = Scheme::parse("chars64").unwrap().with_cleaning(None, Some("[0-9],"), None).unwrap();
    /// assert_eq!(scheme.spec(), "chars64:strip=[0-9]%2C");
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for a wrong pattern, one that the scheme names already, and no texts; [`Error::Source`] for a file of templates.
    pub fn with_cleaning(mut self, cut_at: Option<&str>, strip: Option<&str>, ignore: Option<&str>) -> Result<Self> {
        for (key, text) in [("cut_at", cut_at), ("strip", strip), ("ignore", ignore)] {
            let Some(text) = text else { continue };
            let value = self.pipeline.clean(key, text).map_err(|error| match error {
                Error::Config(what) => Error::Config(msg!("scheme {spec:?}: {key}: {what}", spec = self.spec())),
                error => error,
            })?;
            if let Label::BuiltIn(spec) = self.label {
                self.label = Label::BuiltIn(spec.with(key, value));
            }
        }
        Ok(self)
    }

    /// This scheme on one of the texts of several fields.
    ///
    /// ```
    /// use simsieve_core::{encode::scheme::Scheme, text::fields::FieldPart};
    /// let scheme = Scheme::parse("chars64").unwrap().with_part(FieldPart { first: 1, count: 1 }).unwrap();
    /// assert_eq!(scheme.spec(), "chars64:part=2");
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for a scheme that takes no texts.
    pub fn with_part(mut self, part: FieldPart) -> Result<Self> {
        let taken = self.pipeline.cleaning().map(|cleaning| cleaning.part = Some(part));
        taken.map_err(|error| Error::Config(msg!("scheme {spec:?} is of no field: {error}", spec = self.spec())))?;
        if let Label::BuiltIn(spec) = self.label {
            let spec = spec.with("part", Value::Whole(part.first as u64 + 1));
            self.label = Label::BuiltIn(spec.with("parts", Value::Whole(part.count as u64)));
        }
        Ok(self)
    }

    /// This scheme on texts without some templates; its spec does not name them.
    ///
    /// # Errors
    /// As [`Self::with_cleaning`].
    pub fn ignoring(mut self, templates: Templates) -> Result<Self> {
        self.pipeline.ignore(templates)?;
        Ok(self)
    }
}

impl OpenScheme {
    /// Reads a spec and opens it.
    ///
    /// # Errors
    /// As [`SchemeSpec::parse`] and [`OpenScheme::open`].
    pub fn parse(spec: &str) -> Result<Self> {
        Self::open(&SchemeSpec::parse(spec)?)
    }

    /// Reads the files that a spec names: stop words, a dictionary, a model. Where it names a model by its digest, or none
    /// where its weights need one, the model is missing.
    ///
    /// # Errors
    /// [`Error::Source`] where a file cannot be read; [`Error::Config`] where a part of speech is none, or the model is not of
    /// these features.
    pub fn open(spec: &SchemeSpec) -> Result<Self> {
        let scheme = Self {
            label: Label::BuiltIn(spec.clone()),
            pipeline: resolve::pipeline(spec)?,
        };
        match spec.model_file() {
            Some(path) => Ok(scheme.with_model(Arc::new(Model::load(Path::new(path))?))?.into()),
            None => Ok(scheme),
        }
    }

    /// A scheme that a user put together of parts, which may have functions.
    ///
    /// # Errors
    /// [`Error::Config`] for a part that is not allowed; [`Error::Source`] where a file cannot be read.
    pub fn custom(name: &str, parts: &PartMap, functions: Option<&Arc<dyn Functions>>) -> Result<Self> {
        let pipeline = custom::pipeline(name, parts, functions)?;
        let label = Label::Custom(name.into());
        let [extract, cut_at, strip, ignore] = custom::input(name, parts)?;
        let scheme = Self { label, pipeline }.with_extract(extract.unwrap_or("none"))?;
        scheme.with_cleaning(cut_at, strip, ignore)
    }

    /// This scheme with the weights' rule that also uses a model.
    ///
    /// # Errors
    /// [`Error::Config`] for weights that have no such form, and for a scheme that names a model already.
    pub fn with_idf(mut self) -> Result<Self> {
        if let Some(digest) = self.model_digest() {
            return Err(Error::Config(msg!(
                "scheme {spec:?} names the model {digest} already; leave out one of the two",
                spec = self.spec()
            )));
        }
        if !self.pipeline.takes_model() {
            return Err(Error::Config(msg!(
                "scheme {spec:?} is not used with a model: its weights are its own; leave the model out, or \
                 take a chars or words scheme",
                spec = self.spec()
            )));
        }
        let (spec, name) = (self.spec(), self.weights().name());
        self.pipeline.weighting = self.pipeline.weighting.with_idf(ModelSlot::Missing).ok_or_else(|| {
            Error::Config(msg!(
                "scheme {spec:?}: weights={name} are not used with a model; there are once, tf and log, which \
                 become idf, tf-idf and log-idf"
            ))
        })?;
        if let Label::BuiltIn(spec) = self.label {
            let rule = self.pipeline.weighting.weights().name();
            self.label = Label::BuiltIn(spec.with("weights", Value::Choice(rule)));
        }
        Ok(self)
    }

    /// This scheme, using `model`.
    ///
    /// # Errors
    /// [`Error::Config`] where the weights take no model, where it counts other features, where the spec asks for another,
    /// or where it has 0 documents.
    pub fn with_model(self, model: Arc<Model>) -> Result<Scheme> {
        self.check_model(&model)?;
        self.with(Idf::new(model)?)
    }

    /// As [`OpenScheme::with_model`], for a model of the very documents that it will weigh: where it has none, nothing is
    /// weighed.
    pub fn with_own_model(self, model: Arc<Model>) -> Result<Scheme> {
        self.check_model(&model)?;
        self.with(Idf::of(model))
    }

    fn with(mut self, idf: Idf) -> Result<Scheme> {
        if let Label::BuiltIn(spec) = self.label {
            self.label = Label::BuiltIn(spec.with("model", Value::Text(idf.model().digest().into())));
        }
        self.map(|_| Ok(Arc::new(idf)))
    }

    fn check_model(&self, model: &Model) -> Result<()> {
        let spec = self.spec();
        if self.pipeline.weighting.model().is_none() {
            return Err(Error::Config(msg!(
                "scheme {spec:?} takes no model; give weights=idf, log-idf or tf-idf"
            )));
        }
        if !is_served_by(&self.pipeline, model.rule()) {
            return Err(Error::Config(msg!(
                "model {digest} is of {rule}, and scheme {spec:?} has {counted_features}; fit a model with \
                 this scheme (`simsieve fit SOURCE -o FILE{fit_option}`)",
                digest = model.digest(),
                rule = model.rule().words(),
                counted_features = self.pipeline.counted_features().words(),
                fit_option = self.fit_option()
            )));
        }
        match self.wanted() {
            Some(wanted) if wanted != model.digest() => Err(Error::Config(msg!(
                "scheme {spec:?} asks for model {wanted}, and {digest} was given; give the file of the one it \
                 asks for",
                digest = model.digest()
            ))),
            _ => Ok(()),
        }
    }

    /// The option that `simsieve fit` needs for this scheme, as its default is another one.
    fn fit_option(&self) -> String {
        match (&self.label, &self.pipeline.tokenizer) {
            (_, Tokenizer::Windows(rule)) if *rule == FeatureRule::usual() => String::new(),
            (Label::Custom(_), _) => " --scheme SCHEME.toml".to_owned(),
            _ => format!(" --scheme {}", self.spec()),
        }
    }

    /// The scheme, with all that its weights need.
    ///
    /// # Errors
    /// [`Error::Config`] where its model is missing, with what to do.
    pub fn ready(self) -> Result<Scheme> {
        let which = self.wanted().map_or_else(String::new, |digest| format!(" {digest}"));
        let (spec, fit_option) = (self.spec(), self.fit_option());
        let missing = msg!(
            "scheme {spec:?} needs its model{which} of document frequencies; name the file as model=FILE \
             (`simsieve fit SOURCE -o FILE{fit_option}` makes one), or fit one first"
        );
        self.map(|slot| match slot {
            ModelSlot::Loaded(idf) => Ok(idf),
            ModelSlot::Missing => Err(Error::Config(missing)),
        })
    }
}

impl Scheme {
    /// Reads a spec that has all that it needs: see [`SchemeSpec::parse`], [`OpenScheme::open`] and [`OpenScheme::ready`].
    ///
    /// ```
    /// use simsieve_core::encode::scheme::Scheme;
    /// let scheme = Scheme::parse("chars64:weights=log,n=3").unwrap();
    /// assert_eq!((scheme.width(), scheme.spec().as_str()), (64, "chars64:n=3,weights=log"));
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] that says what is unknown or missing; [`Error::Source`] for a file that cannot be read.
    pub fn parse(spec: &str) -> Result<Self> {
        OpenScheme::parse(spec)?.ready()
    }

    /// Normalises `text` and takes its features and weights into `scratch`.
    ///
    /// # Errors
    /// An [`UnusableText`] where the scheme cannot use the text; what is in `scratch` is then of no text.
    pub fn extract(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        self.pipeline.extract(text, scratch)
    }

    /// The integer weight of a feature that occurs `count` times in a text.
    pub fn weight(&self, hash: u64, count: u32) -> u32 {
        let (weights, idf) = (self.weights(), self.pipeline.weighting.model());
        idf.map_or_else(
            || weights.of(count),
            |idf| weights.with_idf_of(count, idf.of_feature(hash)),
        )
    }

    /// The fingerprint of the features that [`Scheme::extract`] left in `scratch`, as little-endian words; `false` if there are none.
    ///
    /// # Panics
    /// Where `words` is not [`SchemeOf::words`] long.
    pub fn fingerprint(&self, kernel: Kernel, scratch: &mut Scratch, words: &mut [u64]) -> bool {
        self.pipeline.fingerprint(kernel, scratch, words)
    }

    /// Whether the bits of fingerprints are those of sketches: of the same words of features that weigh the same.
    pub fn is_part_of_sketch(&self) -> bool {
        self.pipeline.is_part_of_sketch()
    }

    /// The exact sums, lowest bit first, of the features that [`Scheme::extract`] left in `scratch`: their sizes are the margins.
    pub fn sums(&self, kernel: Kernel, scratch: &mut Scratch) -> Vec<i64> {
        self.pipeline.sums(kernel, scratch)
    }
}

impl From<Scheme> for OpenScheme {
    fn from(scheme: Scheme) -> Self {
        let open = scheme.map(|idf| Ok::<_, Infallible>(ModelSlot::Loaded(idf)));
        open.unwrap_or_else(|never| match never {})
    }
}
