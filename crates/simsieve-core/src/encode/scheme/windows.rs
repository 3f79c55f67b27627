//! Schemes on windows of characters, as they are written.

use std::path::Path;
use std::sync::Arc;

use super::known::{FOLDS, OPTIONS};
use super::{Reading, Scheme, names};
use crate::base::error::{Error, Result};
use crate::encode::model::Model;
use crate::encode::scheme::feature_rule::{FeatureRule, WINDOW_LIMIT};
use crate::encode::tokenize::windows::Window;
use crate::encode::weight::Weights;
use crate::text::simplify::Fold;

/// What the options of a spec say, before they are put together.
struct Parts {
    window: Window,
    weights: Weights,
    punctuation: bool,
    fold: Option<Fold>,
    model: Option<String>,
}

impl Scheme {
    /// Reads a scheme on windows; of other names it says which there are.
    pub(super) fn parse_windows(spec: &str) -> Result<Self> {
        let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
        let Some(("chars", width)) = names::apart(name) else {
            return Err(names::unknown(name));
        };
        let mut parts = Parts {
            window: Window::Units(6),
            weights: Weights::Once,
            punctuation: false,
            fold: None,
            model: None,
        };
        let mut seen = Vec::new();
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let key = parts.set(spec, option)?;
            if seen.contains(&key) || (matches!(key, "n" | "units") && seen.iter().any(|k| matches!(*k, "n" | "units")))
            {
                return Err(Error::Config(format!(
                    "scheme {spec:?}: {key} is given twice, or beside its other form"
                )));
            }
            seen.push(key);
        }
        let scheme = Self {
            width,
            features: FeatureRule::new(parts.window, parts.punctuation).folding(parts.fold),
            weights: parts.weights,
            tokens: None,
            reading: Reading::Text,
            wanted: None,
            idf: None,
        };
        match parts.model {
            Some(_) if !scheme.weights.needs_model() => Err(Error::Config(format!(
                "scheme {spec:?}: weights={} take no model; leave it out, or give weights=idf, log-idf or tf-idf",
                scheme.weights.name()
            ))),
            Some(digest) if is_digest(&digest) => Ok(Self {
                wanted: Some(digest),
                ..scheme
            }),
            Some(path) => scheme.with_model(Arc::new(Model::load(Path::new(&path))?)),
            None => Ok(scheme),
        }
    }

    /// The options that differ from what the name alone says.
    pub(super) fn window_options(&self) -> Vec<String> {
        let mut options = Vec::new();
        match self.features.window() {
            Window::Units(6) => {}
            Window::Units(size) => options.push(format!("units={size}")),
            Window::Chars(size) => options.push(format!("n={size}")),
        }
        if self.weights != Weights::Once {
            options.push(format!("weights={}", self.weights.name()));
        }
        options.extend(self.model_digest().map(|digest| format!("model={digest}")));
        if self.features.punctuation() {
            options.push("punctuation=keep".to_owned());
        }
        options.extend(self.features.fold().map(|fold| format!("fold={}", fold.name())));
        options
    }
}

impl Parts {
    fn set(&mut self, spec: &str, option: &str) -> Result<&'static str> {
        let refuse = |what: &str, allowed: &str| {
            Error::Config(format!(
                "scheme {spec:?}: {what} in {option:?} is not allowed; {allowed}"
            ))
        };
        let (key, value) = option
            .split_once('=')
            .ok_or_else(|| refuse("a missing value", "options are key=value"))?;
        match key {
            "units" | "n" => {
                let size = value
                    .parse()
                    .ok()
                    .filter(|size| (1..=WINDOW_LIMIT).contains(size))
                    .ok_or_else(|| refuse("the size", &format!("it is a whole number from 1 to {WINDOW_LIMIT}")))?;
                if key == "n" {
                    self.window = Window::Chars(size);
                    Ok("n")
                } else {
                    self.window = Window::Units(size);
                    Ok("units")
                }
            }
            "weights" => {
                let rule = Weights::ALL.iter().find(|(name, _)| *name == value);
                self.weights = rule
                    .ok_or_else(|| refuse("the rule", &format!("there are {}", Weights::NAMES)))?
                    .1;
                Ok("weights")
            }
            "model" if value.is_empty() => Err(refuse(
                "the model",
                "give the file that `simsieve fit` wrote, or a digest",
            )),
            "model" => {
                self.model = Some(value.to_owned());
                Ok("model")
            }
            "punctuation" => {
                self.punctuation = match value {
                    "drop" => false,
                    "keep" => true,
                    _ => return Err(refuse("the choice", "there are drop and keep")),
                };
                Ok("punctuation")
            }
            "fold" => {
                self.fold = Fold::named(value).ok_or_else(|| refuse("the fold", FOLDS))?;
                Ok("fold")
            }
            _ => Err(refuse("the option", &format!("there are {OPTIONS}"))),
        }
    }
}

/// Whether a model is named by its digest.
pub(super) fn is_digest(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
