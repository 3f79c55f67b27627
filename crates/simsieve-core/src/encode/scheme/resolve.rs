//! From a spec to a scheme: files and models are read, and a scheme without its model is completed.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use super::family::Family;
use super::model_compat::is_served_by;
use super::options;
use super::scheme::{Label, ModelSlot, OpenScheme, Scheme, Sign};
use super::spec::SchemeSpec;
use super::value::Value;
use crate::base::error::{Error, Result};
use crate::encode::hash::TokenHash;
use crate::encode::input::Input;
use crate::encode::input::external::{External, Form as Format};
use crate::encode::input::html_text::Extract;
use crate::encode::input::pattern::Cleaning;
use crate::encode::model::{FeatureRule, Idf, Model};
use crate::encode::tokenize::Tokenizer;
use crate::encode::tokenize::custom::{CustomRule, Kind, Weigh};
use crate::encode::tokenize::foreign::Foreign;
use crate::encode::tokenize::normal_form::Form;
use crate::encode::tokenize::windows::Window;
use crate::encode::tokenize::word_options::WordOptions;
use crate::encode::weight::entropy::{EntropyRule, OVER, PLACE, REPEAT, TF};
use crate::encode::weight::{Rule, Weighting, Weights};
use crate::text::html;
use crate::text::segment::Mode;
use crate::text::segment::parts::Tags;
use crate::text::{Fold, Normaliser};

impl SchemeSpec {
    /// Reads the files that the spec names: stop words, a dictionary, a model. Where it names a model by its digest, or none
    /// where its weights need one, the model is missing.
    ///
    /// # Errors
    /// [`Error::Source`] where a file cannot be read; [`Error::Config`] where a part of speech is none, or the model is not of
    /// these features.
    pub fn open(&self) -> Result<OpenScheme> {
        let tokenizer = self.tokenizer()?;
        let weights = self.weights();
        let by_factors = self.tags().is_some_and(Tags::weigh);
        let rule = || Rule::new(weights, || ModelSlot::Missing);
        let weighting = match self.family() {
            Family::Esimhash => Weighting::Entropy(self.entropy_rule(), ModelSlot::Missing),
            Family::Keywords => Weighting::Keywords(self.has("model").then_some(ModelSlot::Missing)),
            Family::LinesTfidf => Weighting::Lines,
            Family::Dom => Weighting::Depth(self.element_weight()),
            Family::External => Weighting::Nothing,
            _ if by_factors => Weighting::Pos(rule()),
            _ => Weighting::Rule(rule()),
        };
        let width = self.width();
        let input = match self.family() {
            Family::External => Input::External(External {
                form: self.pick("format", &Format::ALL).unwrap_or(Format::Hex),
                width,
            }),
            Family::Dom => Input::HtmlElements,
            _ => self.pick("extract", &Extract::ALL).map_or(Input::Text, Input::HtmlText),
        };
        let hash = match self.family() {
            Family::Chars | Family::Words | Family::Keywords => TokenHash::Xxh3,
            Family::Simhash | Family::EsimhashBaseline | Family::Esimhash => TokenHash::Md5,
            Family::Gemantic => TokenHash::Units,
            Family::Angelo => TokenHash::Md5Digits,
            Family::Dom if self.choice("hash") == "xxh3" => TokenHash::Xxh3,
            Family::Mfonda | Family::LinesTfidf | Family::Dom => TokenHash::Fnv1,
            Family::External => TokenHash::Given,
        };
        let sign = Sign(i64::from(!matches!(self.family(), Family::Gemantic | Family::Mfonda)));
        let scheme = OpenScheme {
            normaliser: normaliser(&tokenizer),
            label: Label::BuiltIn(self.clone()),
            input,
            cleaning: self.cleaning(),
            tokenizer,
            weighting,
            hash,
            width,
            sign,
        };
        match self.text("model").filter(|name| !is_digest(name)) {
            Some(path) => Ok(scheme.with_model(Arc::new(Model::load(Path::new(path))?))?.into()),
            None => Ok(scheme),
        }
    }

    fn tokenizer(&self) -> Result<Tokenizer> {
        Ok(match self.family() {
            Family::Chars => {
                let window = match self.whole("n") {
                    0 => Window::Units(self.whole("units") as u32),
                    n => Window::Chars(n as u32),
                };
                let rule = FeatureRule::new(window, self.choice("punctuation") == "keep");
                Tokenizer::Windows(rule.folding(self.fold()))
            }
            Family::Words => Tokenizer::Words(self.whole("n") as usize, self.words(true)?),
            Family::Simhash => Tokenizer::Foreign(Foreign::Simhash),
            Family::Gemantic => Tokenizer::Foreign(Foreign::Gemantic),
            Family::Mfonda => Tokenizer::Foreign(Foreign::Mfonda(self.pick("words", &Form::ALL))),
            Family::EsimhashBaseline => Tokenizer::Foreign(Foreign::Segments(self.words(false)?)),
            Family::Esimhash if self.choice("tokens") == "all" => {
                Tokenizer::Foreign(Foreign::Segments(self.words(false)?))
            }
            Family::Esimhash => Tokenizer::Words(1, self.words(true)?),
            Family::Angelo => Tokenizer::Foreign(Foreign::Angelo(self.words(false)?)),
            Family::Keywords => Tokenizer::Keywords(self.whole("top") as usize, self.words(false)?),
            Family::LinesTfidf => Tokenizer::Lines(self.words(true)?),
            Family::Dom => Tokenizer::Elements(html::Options {
                levels: self.whole("levels") as usize,
                classes: self.choice("classes") == "keep",
                weight: self.element_weight(),
                hash: self.pick("hash", &html::Hash::ALL).unwrap_or(html::Hash::Fnv1),
            }),
            Family::External => Tokenizer::Nothing,
        })
    }

    fn fold(&self) -> Option<Fold> {
        self.pick("fold", &Fold::ALL)
    }

    /// The options of words, with their files; stop words are `normalised` where words are.
    fn words(&self, normalised: bool) -> Result<WordOptions> {
        let mut words = WordOptions::default();
        // First of all: the words of files are folded as they are read.
        words.set_fold(self.fold());
        words.set_mode(self.mode());
        words.set_hmm(self.choice("hmm") != "off");
        words.set_tags(self.tags().cloned().unwrap_or_default());
        words.set_fours(self.choice("unspaced") == "fours");
        let of_scheme = |error| match error {
            Error::Config(message) => Error::Config(format!("scheme {:?}: {message}", self.to_string())),
            error => error,
        };
        if let Some(path) = self.text("stop") {
            words.load_stop_words(path, normalised).map_err(of_scheme)?;
        }
        if let Some(path) = self.text("dict") {
            words.load_dictionary(path).map_err(of_scheme)?;
        }
        words.check().map_err(of_scheme)?;
        Ok(words)
    }

    fn entropy_rule(&self) -> EntropyRule {
        let usual = EntropyRule::USUAL;
        EntropyRule {
            counts: self.pick("tf", &TF).unwrap_or(usual.counts),
            cap: self.ceiling().unwrap_or(usual.cap),
            over: self.pick("over", &OVER).unwrap_or(usual.over),
            place: self.pick("place", &PLACE).unwrap_or(usual.place),
            from: self.pick("from", &[("0", 0), ("1", 1)]).unwrap_or(usual.from),
            repeat: self.pick("repeat", &REPEAT).unwrap_or(usual.repeat),
        }
    }

    fn element_weight(&self) -> html::Weight {
        match self.choice("weight") {
            "nearest" => html::Weight::Nearest(self.share("decay")),
            "once" => html::Weight::Once,
            _ => html::Weight::Sum(self.share("decay")),
        }
    }
}

fn normaliser(tokenizer: &Tokenizer) -> Normaliser {
    match tokenizer {
        Tokenizer::Windows(rule) => rule.normaliser().clone(),
        tokenizer => Normaliser::new(false).folding(tokenizer.fold()),
    }
}

/// Whether a model is named by its digest.
fn is_digest(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Sets an option of words of a custom scheme: the mode, the hidden Markov model, parts of speech, a file of stop words or
/// a dictionary, as `words` schemes have them.
///
/// # Errors
/// [`Error::Config`] where there is no such option, or its value is not allowed; [`Error::Source`] where a file cannot be read.
pub fn set_word_option(words: &mut WordOptions, key: &str, value: &str) -> Result<()> {
    let option = || format!("{key}={value}");
    let row = options::find(Family::Words, key).map(|(_, row)| row);
    let row = row.ok_or_else(|| Error::Config(options::unknown(Family::Words, &option(), key)))?;
    let read = row.read(value);
    match (
        key,
        read.map_err(|allowed| Error::Config(format!("{:?} is not allowed; {allowed}", option())))?,
    ) {
        ("mode", Value::Choice(name)) => words.set_mode(Mode::parse(name)?),
        ("hmm", Value::Choice(name)) => words.set_hmm(name == "on"),
        ("unspaced", Value::Choice(name)) => words.set_fours(name == "fours"),
        ("pos", Value::Tags(tags)) => words.set_tags(tags),
        ("stop", Value::Text(path)) => words.load_stop_words(&path, true)?,
        ("dict", Value::Text(path)) => words.load_dictionary(&path)?,
        _ => return Err(Error::Config(options::unknown(Family::Words, &option(), key))),
    }
    Ok(())
}

impl OpenScheme {
    /// Reads a spec and opens it.
    ///
    /// # Errors
    /// As [`SchemeSpec::parse`] and [`SchemeSpec::open`].
    pub fn parse(spec: &str) -> Result<Self> {
        SchemeSpec::parse(spec)?.open()
    }

    /// A scheme that a user put together; `least` is the least sum of whole weights that gives a 1.
    ///
    /// # Errors
    /// [`Error::Config`] for a width outside 1 to 256 or above what the hash has.
    pub fn custom(rule: CustomRule, weights: Weights, hash: TokenHash, least: i64) -> Result<Self> {
        hash.check_width(&rule.name, rule.width)?;
        let rule = Arc::new(rule);
        let weighting = match (&rule.weigh, weights, rule.kind) {
            (Weigh::Called | Weigh::Given | Weigh::Table(..), ..) => {
                Weighting::Custom(Arc::clone(&rule), rule.fraction_bits as u8)
            }
            (_, Weights::Entropy, _) => Weighting::Entropy(EntropyRule::WEIGHTS, ModelSlot::Missing),
            (_, Weights::Decayed, Kind::Elements(options)) => Weighting::Depth(options.weight),
            (_, Weights::Tagged(weights), _) => Weighting::Pos(Rule::new(*weights, || ModelSlot::Missing)),
            (_, weights, _) => Weighting::Rule(Rule::new(weights, || ModelSlot::Missing)),
        };
        let tokenizer = Tokenizer::Custom(Arc::clone(&rule));
        Ok(Self {
            normaliser: normaliser(&tokenizer),
            input: if rule.has_elements() {
                Input::HtmlElements
            } else if rule.has_tokens() {
                Input::Tokens
            } else {
                Input::Text
            },
            cleaning: Cleaning::default(),
            width: rule.width,
            label: Label::Custom(rule),
            tokenizer,
            weighting,
            hash,
            sign: Sign(least),
        })
    }

    /// This scheme with the weights' rule that also uses a model.
    ///
    /// # Errors
    /// [`Error::Config`] for weights that have no such form, and for a scheme that names a model already.
    pub fn with_idf(mut self) -> Result<Self> {
        if let Some(digest) = self.model_digest() {
            return Err(Error::Config(format!(
                "scheme {:?} names the model {digest} already; leave out one of the two",
                self.spec()
            )));
        }
        if !self.takes_model() {
            return Err(Error::Config(format!(
                "scheme {:?} is not used with a model: its weights are its own; leave the model out, or take a chars or words scheme",
                self.spec()
            )));
        }
        let (spec, name) = (self.spec(), self.weights().name());
        self.weighting = self.weighting.with_idf(ModelSlot::Missing).ok_or_else(|| {
            Error::Config(format!(
                "scheme {spec:?}: weights={name} are not used with a model; there are once, tf and log, which become idf, tf-idf and log-idf"
            ))
        })?;
        if let Label::BuiltIn(spec) = self.label {
            let rule = self.weighting.weights().name();
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
            let digest = idf.model().digest();
            self.label = Label::BuiltIn(spec.with("model", Value::Text(digest.into())));
        }
        self.map(|_| Ok(Arc::new(idf)))
    }

    fn check_model(&self, model: &Model) -> Result<()> {
        let spec = self.spec();
        if self.weighting.model().is_none() {
            return Err(Error::Config(format!(
                "scheme {spec:?} takes no model; give weights=idf, log-idf or tf-idf"
            )));
        }
        let features = self.counted_features();
        if !is_served_by(self, model.rule()) {
            return Err(Error::Config(format!(
                "model {} is of {}, and scheme {spec:?} has {}; fit a model with this scheme (`simsieve fit SOURCE -o FILE{}`)",
                model.digest(),
                model.rule().words(),
                features.words(),
                self.fit_option()
            )));
        }
        match self.wanted() {
            Some(wanted) if wanted != model.digest() => Err(Error::Config(format!(
                "scheme {spec:?} asks for model {wanted}, and {} was given; give the file of the one it asks for",
                model.digest()
            ))),
            _ => Ok(()),
        }
    }

    /// The digest of the model that the spec asks for.
    fn wanted(&self) -> Option<&str> {
        match &self.label {
            Label::BuiltIn(spec) => spec.text("model").filter(|name| is_digest(name)),
            Label::Custom(_) => None,
        }
    }

    /// What `simsieve fit` needs to be told of the scheme, which has another default.
    fn fit_option(&self) -> String {
        match (&self.label, &self.tokenizer) {
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
        let missing = format!(
            "scheme {:?} needs its model{which} of document frequencies; name the file as model=FILE (`simsieve fit SOURCE -o FILE{}` \
             makes one), or fit one first",
            self.spec(),
            self.fit_option()
        );
        self.map(|slot| match slot {
            ModelSlot::Loaded(idf) => Ok(idf),
            ModelSlot::Missing => Err(Error::Config(missing)),
        })
    }
}

impl Scheme {
    /// Reads a spec that has all that it needs: see [`SchemeSpec::parse`], [`SchemeSpec::open`] and [`OpenScheme::ready`].
    ///
    /// ```
    /// use simsieve_core::encode::scheme::Scheme;
    /// let scheme = Scheme::parse("chars64:weights=log,n=3").unwrap();
    /// assert_eq!((scheme.width(), scheme.spec().as_str()), (64, "chars64:n=3,weights=log"));
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] that says what is unknown and what there is, or that a model is missing; [`Error::Source`] for a file
    /// that cannot be read.
    pub fn parse(spec: &str) -> Result<Self> {
        OpenScheme::parse(spec)?.ready()
    }
}

impl From<Scheme> for OpenScheme {
    fn from(scheme: Scheme) -> Self {
        let Ok(open) = scheme.map(|idf| Ok::<_, Infallible>(ModelSlot::Loaded(idf)));
        open
    }
}
