//! Schemes whose weights come from a model of document frequencies.

use std::fmt::Write as _;
use std::sync::Arc;

use super::Scheme;
use crate::base::error::{Error, Result};
use crate::encode::model::{Idf, Model};
use crate::encode::scheme::feature_rule::FeatureRule;

impl Scheme {
    /// The model in use.
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.idf.as_deref().map(Idf::model)
    }

    /// The digest of the model in use, or of the one that the spec asks for.
    pub fn model_digest(&self) -> Option<String> {
        self.model().map(|model| model.digest()).or_else(|| self.wanted.clone())
    }

    /// This scheme with the weights' rule that also uses a model.
    ///
    /// # Errors
    /// [`Error::Config`] for weights that have no such form, and for a scheme that names a model already.
    pub fn with_idf(self) -> Result<Self> {
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
        match self.weights.with_idf() {
            Some(weights) => Ok(Self { weights, ..self }),
            None => Err(Error::Config(format!(
                "scheme {:?}: weights={} are not used with a model; there are once, tf and log, which become idf, tf-idf and log-idf",
                self.spec(),
                self.weights.name()
            ))),
        }
    }

    /// This scheme, using `model`.
    ///
    /// # Errors
    /// [`Error::Config`] where the weights take no model, where it counts other features, where the spec asks for another,
    /// or where it has 0 documents.
    pub fn with_model(self, model: Arc<Model>) -> Result<Self> {
        self.check_model(&model)?;
        Ok(Self {
            idf: Some(Arc::new(Idf::new(model)?)),
            ..self
        })
    }

    /// As [`Scheme::with_model`], for a model of the very documents that it will weigh: where it has none, nothing is weighed.
    pub fn with_own_model(self, model: Arc<Model>) -> Result<Self> {
        self.check_model(&model)?;
        Ok(Self {
            idf: Some(Arc::new(Idf::of(model))),
            ..self
        })
    }

    fn check_model(&self, model: &Model) -> Result<()> {
        let spec = self.spec();
        if !self.weights.needs_model() {
            return Err(Error::Config(format!(
                "scheme {spec:?} takes no model; give weights=idf, log-idf or tf-idf"
            )));
        }
        let features = self.counted_features();
        if !self.is_served_by(model.rule()) {
            return Err(Error::Config(format!(
                "model {} is of {}, and scheme {spec:?} has {}; fit a model with this scheme (`simsieve fit SOURCE -o FILE{}`)",
                model.digest(),
                model.rule().words(),
                features.words(),
                self.fit_option()
            )));
        }
        match &self.wanted {
            Some(wanted) if *wanted != model.digest() => Err(Error::Config(format!(
                "scheme {spec:?} asks for model {wanted}, and {} was given; give the file of the one it asks for",
                model.digest()
            ))),
            _ => Ok(()),
        }
    }

    /// What `simsieve fit` needs to be told of the scheme, which has another default.
    fn fit_option(&self) -> String {
        let spec = self.spec();
        if self.has_windows() && self.features == FeatureRule::usual() {
            String::new()
        } else if spec.starts_with("own:") {
            " --scheme SCHEME.toml".to_owned()
        } else {
            format!(" --scheme {spec}")
        }
    }

    /// Adds to what a digest is made of the model, where the weights need one.
    pub(super) fn tell_model(&self, out: &mut String) {
        if self.weights.needs_model() {
            let _ = writeln!(out, "model {}", self.model_digest().as_deref().unwrap_or("none"));
        }
    }

    /// Whether the scheme has all that its weights need.
    ///
    /// # Errors
    /// [`Error::Config`] where its model is missing, with what to do.
    pub fn ready(&self) -> Result<()> {
        if self.idf.is_some() || !self.weights.needs_model() {
            return Ok(());
        }
        let which = self
            .wanted
            .as_ref()
            .map_or_else(String::new, |digest| format!(" {digest}"));
        Err(Error::Config(format!(
            "scheme {:?} needs its model{which} of document frequencies; name the file as model=FILE (`simsieve fit SOURCE -o FILE{}` \
             makes one), or fit one first",
            self.spec(),
            self.fit_option()
        )))
    }
}
