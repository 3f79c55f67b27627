//! The functions of a user, as a custom scheme calls them.

use std::fmt;

use crate::base::message::Message;
use crate::encode::hash::MOST_WORDS;

/// A feature as the user's function gives it.
#[derive(Debug, Clone, PartialEq)]
pub enum UserFeature {
    /// A text, with a weight of its own or not.
    Text(String, Option<f64>),
    /// A hash with a weight.
    Hash([u64; MOST_WORDS], f64),
}

/// The user's functions. Their message where they fail is why the text is unusable.
pub trait Functions: fmt::Debug + Send + Sync {
    /// The features of a text.
    fn features(&self, text: &str) -> Result<Vec<UserFeature>, Message>;
    /// The weights of a text's distinct features, with their counts.
    fn weights(&self, features: &[&str], counts: &[u32]) -> Result<Vec<f64>, Message>;
    /// The hashes of features, lowest word first.
    fn hashes(&self, features: &[&str]) -> Result<Vec<[u64; MOST_WORDS]>, Message>;
}
