//! Several schemes for one document: two must agree, or one suffices.
//!
//! Under [`Combine::All`] the first scheme finds the candidates and the others must agree that a pair is near: text that is
//! near on pages of near structure. Under [`Combine::Any`] the near pairs of each scheme are taken together: a copy that one
//! fingerprint misses, another may find (several fingerprints a document, as Manku et al., WWW 2007, section 3, have
//! several tables of one). A document that fails under one scheme fails. Exact copies are equal under all.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::dedup::documents::{Columns, Documents, Options};
use crate::source::Sources;

/// How the schemes of a document are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// A pair is near where it is near under every scheme.
    All,
    /// A pair is near where it is near under one of them.
    Any,
}

impl Combine {
    /// Reads a rule's name.
    ///
    /// # Errors
    /// [`Error::Config`] that says which there are.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "all" => Ok(Self::All),
            "any" => Ok(Self::Any),
            _ => Err(Error::Config(format!(
                "combine {name:?} is unknown; there are all and any"
            ))),
        }
    }
}

/// Most schemes of one document; decisions hold which of them was it in a byte.
pub const MOST_SCHEMES: usize = 16;

/// Makes documents of every record of `store` under each of some schemes. The options differ in scheme and threshold.
///
/// # Errors
/// As [`Documents::load`]; [`Error::Config`] where there are no schemes, or more than [`MOST_SCHEMES`].
pub fn load(store: &Arc<Sources>, each: &[Options], rule: Combine, ctx: &Context<'_>) -> Result<Documents> {
    if each.is_empty() || each.len() > MOST_SCHEMES {
        return Err(Error::Config(format!(
            "{} schemes for one document; allowed are 1 to {MOST_SCHEMES}",
            each.len()
        )));
    }
    let mut parts = Vec::with_capacity(each.len());
    for options in each {
        parts.push(Documents::read(Arc::clone(store), options, ctx)?);
    }
    join(parts.iter_mut().map(|(_, columns)| columns).collect(), rule);
    let mut parts = parts
        .into_iter()
        .map(|(recipe, columns)| Documents::of(recipe, columns));
    let first = parts.next().expect("there is one scheme at least");
    Ok(Documents {
        others: parts.collect(),
        rule,
        ..first
    })
}

/// Makes the columns agree about which records are documents, and under [`Combine::All`] about which can be near anything.
fn join(mut parts: Vec<&mut Columns>, rule: Combine) {
    let mut failures = BTreeMap::new();
    for columns in parts.iter().rev() {
        // Of several reasons the first scheme's is told.
        failures.extend(columns.failures.iter().cloned());
    }
    let stand = |position: usize| parts.iter().all(|columns| columns.valid[position]);
    let all_stand: Vec<bool> = match rule {
        Combine::All => (0..parts[0].len()).map(stand).collect(),
        Combine::Any => Vec::new(),
    };
    for columns in &mut parts {
        columns
            .order
            .to_mut()
            .retain(|&position| !failures.contains_key(&(position as usize)));
        columns.failures = failures.clone().into_iter().collect();
        let valid = columns.valid.to_mut();
        for &position in failures.keys() {
            valid[position] = false;
        }
        if rule == Combine::All {
            valid.copy_from_slice(&all_stand);
        }
    }
}

/// Leaves of the exact copies under one scheme those that are copies under another as well; both as
/// [`crate::dedup::exact::collapse`] has them.
pub(crate) fn copies_under_both(one: &mut [u32], another: &[u32]) {
    let mut has_copies = vec![false; one.len()];
    for (place, &head) in one.iter().enumerate().filter(|(place, head)| *place != **head as usize) {
        has_copies[place] = true;
        has_copies[head as usize] = true;
    }
    let mut first: HashMap<(u32, u32), u32> = HashMap::new();
    for (place, (one, &another)) in one
        .iter_mut()
        .zip(another)
        .enumerate()
        .filter(|(place, _)| has_copies[*place])
    {
        *one = *first.entry((*one, another)).or_insert(place as u32);
    }
}
