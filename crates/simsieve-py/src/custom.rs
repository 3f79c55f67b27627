//! Custom schemes, and the user's functions.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString, PyTuple};
use simsieve_core::base::error::{Error, Result};
use simsieve_core::base::message::Message;
use simsieve_core::encode::hash::TokenHash;
use simsieve_core::encode::input::pattern::Pattern;
use simsieve_core::encode::scheme::{OpenScheme, set_word_option};
use simsieve_core::encode::tokenize::custom::{CustomRule, Kind, Weigh};
use simsieve_core::encode::tokenize::functions::{Functions, UserFeature};
use simsieve_core::encode::tokenize::step::Step;
use simsieve_core::encode::tokenize::word_options::WordOptions;
use simsieve_core::encode::weight::Weights;
use simsieve_core::encode::weight::custom::least_above;
use simsieve_core::encode::weight::pos::with_factors;
use simsieve_core::text::html;

use crate::door::Session;

/// The parts of a scheme, checked by Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Parts {
    name: String,
    described: String,
    described_weights: String,
    extract: String,
    cut_at: Option<String>,
    strip: Option<String>,
    steps: Vec<String>,
    kind: String,
    n: usize,
    levels: usize,
    classes: bool,
    decay: f64,
    features: Option<Py<PyAny>>,
    /// The pattern of the tokens that stay.
    pattern: Option<String>,
    stop: Vec<String>,
    unspaced: String,
    /// Options of words, as in the built-in schemes.
    words: Vec<(String, String)>,
    weights: String,
    weigh: Option<Py<PyAny>>,
    table: HashMap<String, f64>,
    other: f64,
    fraction_bits: u8,
    hash: String,
    hashed: Option<Py<PyAny>>,
    width: u32,
    /// `None` for `>= 0`.
    above: Option<f64>,
}

impl Parts {
    /// The scheme that they make.
    pub fn scheme(self) -> Result<OpenScheme> {
        let unknown = |what: &str, name: &str| Error::Config(msg!("unknown {what} {name:?} of a custom scheme"));
        let step = |name: &String| {
            let found = Step::ALL.iter().find(|(known, _)| known == name);
            found.map(|row| row.1).ok_or_else(|| unknown("step", name))
        };
        let kind = match self.kind.as_str() {
            "chars" => Kind::Chars(self.n),
            "words" => Kind::Words(self.n),
            "lines" => Kind::Lines,
            "called" => Kind::Called(self.n),
            "tokens" => Kind::Tokens(self.n),
            "dom" => Kind::Elements(self.elements()?),
            kind => return Err(unknown("kind of features", kind)),
        };
        let own = Weights::Own(self.fraction_bits);
        let (weigh, weights) = match self.weights.as_str() {
            "called" => (Weigh::Called, own),
            "given" => (Weigh::Given, own),
            "table" => {
                let table = self
                    .table
                    .into_iter()
                    .map(|(word, weight)| (word.into(), weight))
                    .collect();
                (Weigh::Table(Arc::new(table), self.other), own)
            }
            "entropy" => (Weigh::Rule, Weights::Entropy),
            "sum" | "nearest" => (Weigh::Rule, Weights::Decayed),
            name => {
                let found = Weights::ALL.iter().find(|(known, _)| *known == name);
                (Weigh::Rule, found.ok_or_else(|| unknown("rule of weights", name))?.1)
            }
        };
        let hash = match self.hash.as_str() {
            "xxh3" => TokenHash::Xxh3,
            "fnv1" => TokenHash::Fnv1,
            "fnv1a" => TokenHash::Fnv1a,
            "md5" => TokenHash::Md5,
            "sha1" => TokenHash::Sha1,
            "called" => TokenHash::Called,
            "given" => TokenHash::Given,
            name => return Err(unknown("hash", name)),
        };
        let mut words = WordOptions::default();
        if !self.stop.is_empty() {
            words.set_stop_words(self.stop);
        }
        let refuse = |error: Error| match error {
            Error::Config(message) => Error::Config(msg!("scheme {name:?}: {message}", name = self.name)),
            error => error,
        };
        set_word_option(&mut words, "unspaced", &self.unspaced).map_err(refuse)?;
        for (key, value) in &self.words {
            set_word_option(&mut words, key, value).map_err(refuse)?;
        }
        words.check().map_err(refuse)?;
        let weights = with_factors(weights, words.tags()).map_err(refuse)?;
        let least = self.above.map_or(Some(0), |threshold| least_above(threshold, weights));
        let least = least.ok_or_else(|| {
            let bits = weights.fraction_bits();
            Error::Config(msg!(
                "scheme {name:?}: sign > {unwrap_or_default} is not allowed; T is between -2^{most} and \
                 2^{most} where weights have {bits} fraction bits: give one nearer to zero",
                name = self.name,
                unwrap_or_default = format!("{:e}", self.above.unwrap_or_default()),
                most = 62 - bits
            ))
        })?;
        let filter = self.pattern.as_deref().map(Pattern::new).transpose();
        let filter = filter.map_err(|wrong| refuse(Error::Config(wrong)))?;
        let called = Called {
            features: self.features,
            weights: self.weigh,
            hashes: self.hashed,
        };
        let rule = CustomRule {
            name: self.name,
            described: self.described,
            described_weights: self.described_weights,
            steps: self.steps.iter().map(step).collect::<Result<_>>()?,
            kind,
            words,
            filter,
            weigh,
            fraction_bits: u32::from(self.fraction_bits),
            hash_called: hash == TokenHash::Called,
            width: self.width,
            functions: Some(Arc::new(called)),
        };
        OpenScheme::custom(rule, weights, hash, least)?
            .with_extract(&self.extract)?
            .with_cleaning(self.cut_at.as_deref(), self.strip.as_deref())
    }

    /// Which elements of a page are features, and how depth weighs, if it does. The hash is the scheme's own; FNV here
    /// lets paths continue from their parents' hashes.
    fn elements(&self) -> Result<html::Options> {
        let weight = if matches!(self.weights.as_str(), "sum" | "nearest") {
            self.weights.as_str()
        } else {
            "once"
        };
        Ok(html::Options {
            levels: self.levels,
            classes: self.classes,
            weight: html::Weight::parse(weight, self.decay)?,
            hash: html::Hash::Fnv1,
        })
    }
}

/// The user's functions. The thread that works on the text calls them with the interpreter attached.
struct Called {
    features: Option<Py<PyAny>>,
    weights: Option<Py<PyAny>>,
    hashes: Option<Py<PyAny>>,
}

impl Called {
    /// Calls a function. An error that it raises, or an invalid result, becomes a message. An exception that ends the
    /// program, such as `KeyboardInterrupt`, ends the call: no thread then calls a function again.
    fn call<T>(
        function: Option<&Py<PyAny>>,
        what: &str,
        work: impl FnOnce(&Bound<'_, PyAny>, &dyn Fn() -> PyResult<()>) -> PyResult<T>,
    ) -> std::result::Result<T, Message> {
        let function = function.ok_or_else(|| msg!("there is no function for {what}"))?;
        let session = Session::current();
        let go_on = || match &session {
            Some(session) if session.stopped() => Err(PyKeyboardInterrupt::new_err(())),
            _ => Ok(()),
        };
        Python::attach(|py| {
            go_on().and_then(|()| work(function.bind(py), &go_on)).map_err(|error| {
                let message = msg!("the function for {what} failed: {error}", error = error.to_string());
                if let (Some(session), false) = (&session, error.is_instance_of::<PyException>(py)) {
                    session.stop(error);
                }
                message
            })
        })
    }
}

impl Functions for Called {
    fn features(&self, text: &str) -> std::result::Result<Vec<UserFeature>, Message> {
        Self::call(self.features.as_ref(), "features", |function, go_on| {
            let one = |item: PyResult<Bound<'_, PyAny>>| go_on().and_then(|()| given(&item?));
            function.call1((text,))?.try_iter()?.map(one).collect()
        })
    }

    fn weights(&self, features: &[&str], counts: &[u32]) -> std::result::Result<Vec<f64>, Message> {
        Self::call(self.weights.as_ref(), "weights", |function, go_on| {
            let one = |(feature, count): (&&str, &u32)| {
                go_on()?;
                function.call1((*feature, *count))?.extract()
            };
            features.iter().zip(counts).map(one).collect()
        })
    }

    fn hashes(&self, features: &[&str]) -> std::result::Result<Vec<[u64; 4]>, Message> {
        Self::call(self.hashes.as_ref(), "hashes", |function, go_on| {
            let one = |feature: &&str| {
                go_on()?;
                bits(&function.call1((*feature,))?)
            };
            features.iter().map(one).collect()
        })
    }
}

/// One item of the result of a function of features.
fn given(item: &Bound<'_, PyAny>) -> PyResult<UserFeature> {
    if let Ok(text) = item.cast::<PyString>() {
        return Ok(UserFeature::Text(text.extract()?, None));
    }
    let pair =
        item.len().is_ok_and(|n| n == 2) && (item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyList>());
    if pair {
        let (feature, weight) = (item.get_item(0)?, item.get_item(1)?.extract()?);
        if let Ok(text) = feature.cast::<PyString>() {
            return Ok(UserFeature::Text(text.extract()?, Some(weight)));
        }
        return Ok(UserFeature::Hash(bits(&feature)?, weight));
    }
    Err(pyo3::exceptions::PyTypeError::new_err(format!(
        "{} is no feature: give a text, (text, weight) or (hash, weight)",
        item.repr()?
    )))
}

/// A hash: an integer from 0 to 2^256 - 1, lowest word first.
fn bits(number: &Bound<'_, PyAny>) -> PyResult<[u64; 4]> {
    let wrong = || {
        let shown = number.repr().map_or_else(|_| String::new(), |text| text.to_string());
        pyo3::exceptions::PyTypeError::new_err(format!("{shown} is no hash: give a whole number from 0 to 2^256 - 1"))
    };
    let whole = number.cast::<PyInt>().map_err(|_| wrong())?;
    let bytes = whole.call_method1("to_bytes", (32, "little")).map_err(|_| wrong())?;
    let bytes: Vec<u8> = bytes.extract()?;
    let word = |k: usize| {
        bytes[8 * k..]
            .first_chunk()
            .map_or(0, |chunk| u64::from_le_bytes(*chunk))
    };
    Ok(std::array::from_fn(word))
}
