//! Several schemes for one document: two must agree, or one suffices.
//!
//! Under [`Combine::All`] the first scheme finds the candidates and the others must agree that a pair is near: text
//! that is near on pages of near structure. Under [`Combine::Any`] the near pairs of each scheme are taken together:
//! one fingerprint may find a copy that another misses. Manku et al., WWW 2007, section 3, have several tables of one
//! fingerprint for the same purpose. A document that fails under one scheme fails. Exact copies are equal under all. Under
//! [`Combine::All`] a scheme on a further field of a record agrees where one of two records lacks that field.

use crate::base::error::{Error, Result};

/// How the schemes of a document are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// A pair is near where it is near under every scheme.
    All,
    /// A pair is near where it is near under one of them.
    Any,
}

impl Combine {
    /// The rule's name; it is part of the identity of a run.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
        }
    }

    /// Reads a rule's name.
    ///
    /// # Errors
    /// [`Error::Config`] that says which there are.
    pub fn parse(name: &str) -> Result<Self> {
        let rule = [Self::All, Self::Any].into_iter().find(|rule| rule.name() == name);
        rule.ok_or_else(|| Error::Config(msg!("combine {name:?} is unknown; there are all and any")))
    }
}

/// Leaves a document its fingerprints only where it has one under every scheme; of each scheme it is said which documents have one,
/// and whether they may lack it.
pub(crate) fn agree(each: &mut [(&mut Vec<bool>, bool)]) {
    let [(first, _), others @ ..] = each else { return };
    for (other, _) in others.iter().filter(|(_, optional)| !optional) {
        for (all, &valid) in first.iter_mut().zip(&**other) {
            *all &= valid;
        }
    }
    for (other, _) in others {
        other.copy_from_slice(first);
    }
}

/// Most schemes of one document; decisions hold which of them was it in a byte.
pub const MOST_SCHEMES: usize = 16;

/// Refuses no schemes, and more than [`MOST_SCHEMES`].
pub(crate) fn check_schemes(count: usize) -> Result<()> {
    if (1..=MOST_SCHEMES).contains(&count) {
        return Ok(());
    }
    Err(Error::Config(msg!(
        "{count} schemes for one document; allowed are 1 to {most_schemes}",
        most_schemes = MOST_SCHEMES
    )))
}
