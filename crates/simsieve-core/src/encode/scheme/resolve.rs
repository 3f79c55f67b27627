//! From a spec to the values of a scheme: files of words are read.

use std::sync::Arc;

use super::family::Family;
use super::model_slot::ModelSlot;
use super::pipeline::{Pipeline, Sign};
use super::spec::SchemeSpec;
use crate::base::error::{Error, Result};
use crate::encode::hash::TokenHash;
use crate::encode::input::Input;
use crate::encode::input::external::{External, Form as Format};
use crate::encode::input::html_text::Extract;
use crate::encode::input::pattern::Cleaning;
use crate::encode::input::templates::Templates;
use crate::encode::model::FeatureRule;
use crate::encode::tokenize::Tokenizer;
use crate::encode::tokenize::foreign::Foreign;
use crate::encode::tokenize::normal_form::Form;
use crate::encode::tokenize::windows::Window;
use crate::encode::tokenize::word_options::WordOptions;
use crate::encode::weight::custom::least_above;
use crate::encode::weight::entropy::{Cap, EntropyRule, OVER, PLACE, REPEAT, TF};
use crate::encode::weight::{Rule, Weighting};
use crate::text::html;
use crate::text::segment::parts::Tags;
use crate::text::{Fold, Normaliser};

/// The values of a spec, with the files that it names: stop words and a dictionary. A model is missing.
///
/// # Errors
/// [`Error::Source`] where a file cannot be read; [`Error::Config`] where a part of speech is none.
pub(super) fn pipeline(spec: &SchemeSpec) -> Result<Pipeline<ModelSlot>> {
    let tokenizer = tokenizer(spec)?;
    let weights = spec.weights();
    let by_factors = spec.tags().is_some_and(Tags::weigh);
    let rule = || Rule::new(weights, || ModelSlot::Missing);
    let weighting = match spec.family() {
        Family::Esimhash => Weighting::Entropy(entropy_rule(spec), ModelSlot::Missing),
        Family::Keywords => Weighting::Keywords(
            spec.ceiling().unwrap_or(Cap::None),
            spec.has("model").then_some(ModelSlot::Missing),
        ),
        Family::LinesTfidf => Weighting::Lines,
        Family::Dom => Weighting::Depth(element_weight(spec)),
        Family::External => Weighting::Nothing,
        _ if by_factors => Weighting::Pos(rule()),
        _ => Weighting::Rule(rule()),
    };
    let described_weights = match &weighting {
        Weighting::Entropy(rule, _) => format!(
            " of {}, words unknown to the model in 0 documents and of entropy 0",
            rule.canonical()
        ),
        Weighting::Keywords(cap, _) if *cap != Cap::None => format!(" of at most {}", cap.name()),
        _ => String::new(),
    };
    let width = spec.width();
    let input = match spec.family() {
        Family::External => Input::External(External {
            form: spec.pick("format", &Format::ALL).unwrap_or(Format::Hex),
            width,
        }),
        Family::Dom => Input::HtmlElements,
        _ => spec.pick("extract", &Extract::ALL).map_or(Input::Text, Input::HtmlText),
    };
    let hash = match spec.family() {
        Family::Chars | Family::Words | Family::Keywords => TokenHash::Xxh3,
        Family::Simhash | Family::EsimhashBaseline | Family::Esimhash => TokenHash::Md5,
        Family::Gemantic => TokenHash::Units,
        Family::Angelo => TokenHash::Md5Digits,
        Family::Dom if spec.choice("hash") == "xxh3" => TokenHash::Xxh3,
        Family::Mfonda | Family::LinesTfidf | Family::Dom => TokenHash::Fnv1,
        Family::External => TokenHash::Given,
    };
    let least = match spec.family() {
        Family::Gemantic | Family::Mfonda => Some(0),
        _ => least_above(spec.number("above"), weighting.weights()),
    };
    // What the option allows is within the bounds of every rule.
    let sign = Sign(least.unwrap_or(1));
    Ok(Pipeline {
        normaliser: normaliser(&tokenizer),
        input,
        cleaning: cleaning(spec)?,
        tokenizer,
        weighting,
        described_weights,
        hash,
        hash_function: None,
        width,
        sign,
    })
}

/// What is taken out of texts; a file of templates is read.
fn cleaning(spec: &SchemeSpec) -> Result<Cleaning> {
    let ignore = spec.text("ignore").map(Templates::load).transpose()?;
    Ok(Cleaning {
        ignore: ignore.map(Arc::new),
        ..spec.cleaning()
    })
}

fn tokenizer(spec: &SchemeSpec) -> Result<Tokenizer> {
    Ok(match spec.family() {
        Family::Chars => {
            let window = match spec.whole("n") {
                0 => Window::Units(spec.whole("units") as u32),
                n => Window::Chars(n as u32),
            };
            let rule = FeatureRule::new(window, spec.choice("punctuation") == "keep");
            Tokenizer::Windows(rule.folding(fold(spec)))
        }
        Family::Words => Tokenizer::Words(spec.whole("n") as usize, words_of(spec, true)?),
        Family::Simhash => Tokenizer::Foreign(Foreign::Simhash),
        Family::Gemantic => Tokenizer::Foreign(Foreign::Gemantic),
        Family::Mfonda => Tokenizer::Foreign(Foreign::Mfonda(spec.pick("words", &Form::ALL))),
        Family::EsimhashBaseline => Tokenizer::Foreign(Foreign::Segments(words_of(spec, false)?)),
        Family::Esimhash if spec.choice("tokens") == "all" => {
            Tokenizer::Foreign(Foreign::Segments(words_of(spec, false)?))
        }
        Family::Esimhash => Tokenizer::Words(1, words_of(spec, true)?),
        Family::Angelo => Tokenizer::Foreign(Foreign::Angelo(words_of(spec, false)?)),
        Family::Keywords => Tokenizer::Keywords(spec.whole("top") as usize, words_of(spec, false)?),
        Family::LinesTfidf => Tokenizer::Lines(words_of(spec, true)?),
        Family::Dom => Tokenizer::Elements(html::Options {
            levels: spec.whole("levels") as usize,
            classes: spec.choice("classes") == "keep",
            weight: element_weight(spec),
            hash: spec.pick("hash", &html::Hash::ALL).unwrap_or(html::Hash::Fnv1),
        }),
        Family::External => Tokenizer::Nothing,
    })
}

fn fold(spec: &SchemeSpec) -> Option<Fold> {
    spec.pick("fold", &Fold::ALL)
}

/// The options of words, with their files; stop words are `normalised` where words are.
fn words_of(spec: &SchemeSpec, normalised: bool) -> Result<WordOptions> {
    let mut words = WordOptions::default();
    // First of all: the words of files are folded as they are read.
    words.set_fold(fold(spec));
    words.set_mode(spec.mode());
    words.set_hmm(spec.choice("hmm") != "off");
    words.set_tags(spec.tags().cloned().unwrap_or_default());
    words.set_fours(spec.choice("unspaced") == "fours");
    let of_scheme = |error| match error {
        Error::Config(message) => Error::Config(msg!("scheme {value:?}: {message}", value = spec.to_string())),
        error => error,
    };
    if let Some(path) = spec.text("stop") {
        words.load_stop_words(path, normalised).map_err(of_scheme)?;
    }
    if let Some(path) = spec.text("dict") {
        words.load_dictionary(path).map_err(of_scheme)?;
    }
    words.check().map_err(of_scheme)?;
    Ok(words)
}

fn entropy_rule(spec: &SchemeSpec) -> EntropyRule {
    let usual = EntropyRule::USUAL;
    EntropyRule {
        counts: spec.pick("tf", &TF).unwrap_or(usual.counts),
        cap: spec.ceiling().unwrap_or(usual.cap),
        over: spec.pick("over", &OVER).unwrap_or(usual.over),
        place: spec.pick("place", &PLACE).unwrap_or(usual.place),
        from: spec.pick("from", &[("0", 0), ("1", 1)]).unwrap_or(usual.from),
        repeat: spec.pick("repeat", &REPEAT).unwrap_or(usual.repeat),
    }
}

fn element_weight(spec: &SchemeSpec) -> html::Weight {
    match spec.choice("weight") {
        "nearest" => html::Weight::Nearest(spec.share("decay")),
        "once" => html::Weight::Once,
        _ => html::Weight::Sum(spec.share("decay")),
    }
}

/// How texts are normalised before these tokens.
pub(super) fn normaliser(tokenizer: &Tokenizer) -> Normaliser {
    match tokenizer {
        Tokenizer::Windows(rule) => rule.normaliser().clone(),
        tokenizer => Normaliser::new(false).folding(tokenizer.fold()),
    }
}
