//! A scheme: how a text becomes features, weights and a fingerprint.

use std::fmt::Write as _;
use std::sync::Arc;

use super::scratch::Scratch;
use super::spec::SchemeSpec;
use super::value::Value;
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::encode::hash::TokenHash;
use crate::encode::input::Input;
use crate::encode::input::html_text::Extract;
use crate::encode::input::pattern::Cleaning;
use crate::encode::model::{FeatureRule, Idf, Model};
use crate::encode::tokenize::Tokenizer;
use crate::encode::tokenize::custom::CustomRule;
use crate::encode::tokenize::token_list;
use crate::encode::tokenize::windows::Window;
use crate::encode::tokenize::word_options::WordOptions;
use crate::encode::unusable_text::UnusableText;
use crate::encode::weight::{Weighting, Weights};
use crate::text::{FieldKind, MAX_TEXT_BYTES, NORMALISER, Normaliser, UNICODE_VERSION};

/// What a scheme is called.
#[derive(Debug, Clone)]
pub(super) enum Label {
    /// The spec of a built-in scheme.
    BuiltIn(SchemeSpec),
    /// The name that a user gave.
    Custom(Arc<CustomRule>),
}

/// The model of a scheme whose weights need one.
#[derive(Debug, Clone)]
pub enum ModelSlot {
    /// It is asked for, and not there.
    Missing,
    /// It is there.
    Loaded(Arc<Idf>),
}

/// The model of a scheme: there, or only asked for.
pub trait ModelRef {
    /// The model, where it is there.
    fn idf(&self) -> Option<&Arc<Idf>>;
}

impl ModelRef for Arc<Idf> {
    fn idf(&self) -> Option<&Arc<Idf>> {
        Some(self)
    }
}

impl ModelRef for ModelSlot {
    fn idf(&self) -> Option<&Arc<Idf>> {
        match self {
            Self::Missing => None,
            Self::Loaded(idf) => Some(idf),
        }
    }
}

/// The least sum of whole weights that gives a 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign(pub(super) i64);

impl Sign {
    fn canonical(self) -> String {
        match self.0 {
            0 => ">= 0".to_owned(),
            least => format!("> {}", least - 1),
        }
    }
}

/// A scheme whose weights have a model `M`, where they need one: see [`Scheme`] and [`OpenScheme`].
#[derive(Debug, Clone)]
pub struct SchemeOf<M> {
    pub(super) label: Label,
    pub(super) input: Input,
    /// What is taken out of texts, after they are extracted.
    pub(super) cleaning: Cleaning,
    pub(super) tokenizer: Tokenizer,
    pub(super) weighting: Weighting<M>,
    pub(super) hash: TokenHash,
    pub(super) width: u32,
    pub(super) sign: Sign,
    /// How texts are normalised, by which exact copies are known.
    pub(super) normaliser: Normaliser,
}

/// A scheme that has all that it needs.
pub type Scheme = SchemeOf<Arc<Idf>>;

/// A scheme whose files are read, and whose model may be missing.
pub type OpenScheme = SchemeOf<ModelSlot>;

impl<M> SchemeOf<M> {
    /// Bits of a fingerprint.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// 64-bit words of a fingerprint.
    pub const fn words(&self) -> usize {
        self.width.div_ceil(64) as usize
    }

    /// What a record's text field may hold besides a text.
    pub const fn takes(&self) -> FieldKind {
        match self.input {
            Input::External(external) => external.field_kind(),
            Input::Tokens => FieldKind::Tokens,
            _ => FieldKind::Texts,
        }
    }

    /// How features are weighted.
    pub fn weights(&self) -> Weights {
        self.weighting.weights()
    }

    /// How windows are cut; of a scheme whose features are no windows as the default scheme has them.
    pub fn window(&self) -> Window {
        match &self.tokenizer {
            Tokenizer::Windows(rule) => rule.window(),
            _ => FeatureRule::usual().window(),
        }
    }

    /// How texts are normalised.
    pub const fn normaliser(&self) -> &Normaliser {
        &self.normaliser
    }

    /// Whether features are windows of characters.
    pub const fn has_windows(&self) -> bool {
        matches!(self.tokenizer, Tokenizer::Windows(_))
    }

    /// In which form fingerprints are given, or `tokens`; `None` where the scheme makes all of texts.
    pub fn given_as(&self) -> Option<&'static str> {
        match self.input {
            Input::External(external) => Some(external.form.name()),
            Input::Tokens => Some("tokens"),
            _ => None,
        }
    }

    /// Whether texts have features, and so similarities; under a given fingerprint there are distances only.
    pub const fn has_features(&self) -> bool {
        !matches!(self.input, Input::External(_))
    }

    /// What is extracted of pages: `none`, `text` or `main`.
    pub const fn extract_name(&self) -> &'static str {
        self.input.extract_name()
    }

    /// Whether a record's text is taken for a page of HTML.
    pub const fn takes_pages(&self) -> bool {
        self.input.takes_pages()
    }

    /// What the user put together, where the scheme is not built in.
    pub(super) fn custom_rule(&self) -> Option<&CustomRule> {
        match &self.label {
            Label::Custom(rule) => Some(rule),
            Label::BuiltIn(_) => None,
        }
    }

    /// Whether models may count the features: those of other programs' schemes have weights of their own.
    pub(super) const fn takes_model(&self) -> bool {
        matches!(
            self.tokenizer,
            Tokenizer::Windows(_) | Tokenizer::Words(..) | Tokenizer::Keywords(..) | Tokenizer::Custom(_)
        ) || matches!(self.weighting, Weighting::Entropy(..))
    }

    /// The features that a model of this scheme counts.
    pub(super) fn counted_features(&self) -> FeatureRule {
        self.tokenizer
            .counted_features(matches!(self.weighting, Weighting::Entropy(..)))
    }

    /// The same with another model.
    pub(super) fn map<N, E>(self, map: impl FnOnce(M) -> Result<N, E>) -> Result<SchemeOf<N>, E> {
        Ok(SchemeOf {
            label: self.label,
            input: self.input,
            cleaning: self.cleaning,
            tokenizer: self.tokenizer,
            weighting: self.weighting.map(map)?,
            hash: self.hash,
            width: self.width,
            sign: self.sign,
            normaliser: self.normaliser,
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
        if self.takes_model() {
            return Ok(self.counted_features());
        }
        Err(Error::Config(format!(
            "no model can be fitted with scheme {:?}: its weights are its own; take a chars, words, keywords or esimhash scheme",
            self.spec()
        )))
    }

    /// Makes the normalised text of `text` in `scratch`, by which exact copies are known, and nothing else.
    ///
    /// # Errors
    /// An [`UnusableText`] where the scheme cannot use the text; what is in `scratch` is then of no text.
    pub fn normalise(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        self.with_extracted(text, scratch, |text, scratch| self.normalise_extracted(text, scratch))
    }

    pub(super) fn normalise_extracted(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        if let Input::External(external) = self.input {
            scratch.given = external.read(text)?;
            self.normaliser
                .run(&external.uniform(&scratch.given), &mut scratch.text);
            return Ok(());
        }
        match self.input {
            Input::Tokens => self.normaliser.run(&token_list::uniform(text)?, &mut scratch.text),
            _ => self.normaliser.run(text, &mut scratch.text),
        }
        if scratch.text.compact().len() > MAX_TEXT_BYTES {
            return Err(UnusableText::too_long());
        }
        Ok(())
    }

    /// Hands `work` the text that features are taken of: what is extracted of a page, or the text as it is, cleaned.
    pub(super) fn with_extracted(
        &self,
        text: &str,
        scratch: &mut Scratch,
        work: impl FnOnce(&str, &mut Scratch) -> Result<(), UnusableText>,
    ) -> Result<(), UnusableText> {
        let mut taken = std::mem::take(&mut scratch.extracted);
        let mut room = std::mem::take(&mut scratch.cleaned);
        let extracted = match self.input {
            Input::HtmlText(extract) => extract.run(text, &mut scratch.page, &mut taken).map(|()| &*taken),
            _ => Ok(text),
        };
        let done = extracted.and_then(|text| work(self.cleaning.run(text, &mut room), scratch));
        (scratch.extracted, scratch.cleaned) = (taken, room);
        done
    }

    /// The text that features are taken of, before it is normalised: what is extracted of a page, without what is taken out.
    ///
    /// # Errors
    /// An [`UnusableText`] where the scheme cannot use the text.
    pub fn used_text(&self, text: &str) -> Result<String, UnusableText> {
        let mut used = String::new();
        self.with_extracted(text, &mut Scratch::default(), |text, _| {
            used.push_str(text);
            Ok(())
        })?;
        Ok(used)
    }

    /// Normalises `text` and takes the features that a model counts into `scratch`; no weights.
    ///
    /// # Errors
    /// As [`SchemeOf::normalise`].
    pub fn take_features(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        match &self.tokenizer {
            Tokenizer::Windows(rule) => {
                self.normalise(text, scratch)?;
                self.take_windows(rule, scratch);
                Ok(())
            }
            Tokenizer::Elements(_) | Tokenizer::Nothing => {
                self.normalise(text, scratch)?;
                scratch.features.collect_hashes(&[], false);
                scratch.weights.clear();
                Ok(())
            }
            tokenizer => self.with_extracted(text, scratch, |text, scratch| {
                self.normalise_extracted(text, scratch)?;
                let Scratch {
                    tokens,
                    page,
                    text: normalised,
                    ..
                } = scratch;
                tokenizer.take_counted(tokens, (text, normalised), self.hash, page)?;
                Self::collect(scratch, false);
                Ok(())
            }),
        }
    }

    /// Takes windows of the normalised text as features.
    #[inline]
    pub(super) fn take_windows(&self, rule: &FeatureRule, scratch: &mut Scratch) {
        let counted = self.weights().counted();
        scratch
            .features
            .collect(&scratch.text, rule.window(), counted, &mut scratch.marks);
        scratch.weights.clear();
    }

    /// Takes the tokens in `scratch` as features: known by the XXH3-64 of their UTF-8, whatever hash their bits are of.
    pub(super) fn collect(scratch: &mut Scratch, counted: bool) {
        scratch.weights.clear();
        scratch.shift = 0;
        scratch.hashes.rows.clear();
        scratch.features.collect_hashes(&scratch.tokens.known, counted);
    }
}

impl<M: ModelRef> SchemeOf<M> {
    /// The model in use.
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.weighting.model()?.idf().map(|idf| idf.model())
    }

    /// The digest of the model in use, or of the one that the spec asks for.
    pub fn model_digest(&self) -> Option<String> {
        let wanted = || match &self.label {
            Label::BuiltIn(spec) => spec.text("model").map(str::to_owned),
            Label::Custom(_) => None,
        };
        self.model().map(|model| model.digest()).or_else(wanted)
    }

    /// The scheme in its shortest spelling, options in a fixed order.
    pub fn spec(&self) -> String {
        match &self.label {
            Label::BuiltIn(spec) => spec.to_string(),
            Label::Custom(rule) => {
                let model = self.model_digest();
                let model = model.map_or_else(String::new, |digest| format!(":model={digest}"));
                format!("own:{}{model}", rule.name)
            }
        }
    }

    /// All that can move a bit, in words: what [`SchemeOf::digest`] is made of.
    pub fn canonical(&self) -> String {
        let mut out = String::from("simsieve scheme 1\n");
        match &self.input {
            Input::External(external) => return out + &external.canonical(),
            Input::HtmlText(extract) => out.push_str(&extract.canonical()),
            Input::Text | Input::HtmlElements | Input::Tokens => {}
        }
        out.push_str(&self.cleaning.canonical());
        let (weights, width) = (self.weights(), self.width);
        match &self.tokenizer {
            Tokenizer::Elements(rule) => return rule.canonical(width),
            Tokenizer::Windows(rule) => {
                let fold = rule.fold().map_or_else(String::new, |fold| fold.canonical() + "\n");
                let window = match rule.window() {
                    Window::Units(size) => format!("units {size}"),
                    Window::Chars(size) => format!("characters {size}"),
                };
                let _ = write!(
                    out,
                    "normaliser {NORMALISER}\nunicode {UNICODE_VERSION}\n{fold}punctuation {}\nwindow {window}\nweights {}, {} fraction bits\n",
                    if rule.punctuation() { "keep" } else { "drop" },
                    weights.name(),
                    weights.fraction_bits(),
                );
            }
            tokenizer => {
                let told = match (&self.label, &self.weighting) {
                    (Label::Custom(rule), _) => format!(" {}", rule.told_weights),
                    (_, Weighting::Entropy(rule, _)) => format!(
                        " of {}, words unknown to the model in 0 documents and of entropy 0",
                        rule.canonical()
                    ),
                    _ => String::new(),
                };
                let factors = tokenizer
                    .words()
                    .map_or_else(String::new, WordOptions::canonical_factors);
                let _ = writeln!(
                    out,
                    "tokens {}\nweights {}{told}{factors}, {} fraction bits",
                    tokenizer.canonical(),
                    weights.name(),
                    weights.fraction_bits(),
                );
            }
        }
        let (hash, sign) = (self.hash.name(width), self.sign.canonical());
        let _ = writeln!(out, "hash {hash}\nwidth {width}\nsign {sign}");
        if weights.needs_model() {
            let _ = writeln!(out, "model {}", self.model_digest().as_deref().unwrap_or("none"));
        }
        out
    }

    /// 32 hex digits that stand for everything that can move a bit.
    pub fn digest(&self) -> String {
        format!("{:032x}", xxh3_128(self.canonical().as_bytes()))
    }

    /// Asks whether similarities can be told.
    ///
    /// # Errors
    /// [`Error::Config`] where the scheme has no features, with what to do.
    pub fn check_similarity(&self) -> Result<()> {
        if self.has_features() {
            return Ok(());
        }
        Err(Error::Config(format!(
            "scheme {:?} has fingerprints and no features, so there is no similarity: give max_distance, in bits from 0 to {}",
            self.spec(),
            self.width - 1
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
        let Some(&(name, extract)) = Extract::ALL.iter().find(|(known, _)| *known == name) else {
            return if name == "none" {
                Ok(self)
            } else {
                Err(Error::Config(format!(
                    "scheme {:?}: \"extract={name}\" is not allowed; extract is none, text or main",
                    self.spec()
                )))
            };
        };
        if self.input != Input::Text {
            return Err(Error::Config(format!(
                "scheme {:?} is not used with extract={name}: {}; leave it out, or take a scheme on texts such as chars128",
                self.spec(),
                self.takes_no_text()
            )));
        }
        self.input = Input::HtmlText(extract);
        if let Label::BuiltIn(spec) = self.label {
            self.label = Label::BuiltIn(spec.with("extract", Value::Choice(name)));
        }
        Ok(self)
    }

    /// This scheme on texts out of which more is taken; nothing is changed where neither pattern is given.
    ///
    /// ```
    /// use simsieve_core::encode::scheme::Scheme;
    /// let scheme = Scheme::parse("chars64").unwrap().with_cleaning(None, Some("[0-9],")).unwrap();
    /// assert_eq!(scheme.spec(), "chars64:strip=[0-9]%2C");
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for a wrong pattern, for one that the scheme names already, and for a scheme that takes no texts.
    pub fn with_cleaning(mut self, cut_at: Option<&str>, strip: Option<&str>) -> Result<Self> {
        for (key, text) in [("cut_at", cut_at), ("strip", strip)] {
            let Some(text) = text else { continue };
            let added = match self.input {
                Input::Text | Input::HtmlText(_) => self.cleaning.add(key, text),
                Input::HtmlElements | Input::Tokens | Input::External(_) => {
                    Err(format!("{}; leave it out", self.takes_no_text()))
                }
            };
            let added = added.map_err(|what| Error::Config(format!("scheme {:?}: {key}: {what}", self.spec())))?;
            if let Label::BuiltIn(spec) = self.label {
                self.label = Label::BuiltIn(spec.with(key, Value::Pattern(added)));
            }
        }
        Ok(self)
    }

    /// Why the text of a record is not one that can be extracted or cleaned.
    const fn takes_no_text(&self) -> &'static str {
        match self.input {
            Input::External(_) => "its texts are fingerprints",
            Input::Tokens => "its documents are lists of tokens",
            _ => "its features are the page's elements",
        }
    }
}
