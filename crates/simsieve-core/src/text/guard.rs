//! What must be the same in two texts that are similar, if the user asks for it.

use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::base::message::Message;
use crate::text::{negation, numbers};

/// Reads names of a table, each once, in the order of the values.
///
/// # Errors
/// [`Error::Config`] with the message of a name that is not in the table.
pub(crate) fn parse_names<T: Copy + Ord>(
    names: &[String],
    table: &[(&str, T)],
    unknown: fn(&String) -> Message,
) -> Result<Vec<T>> {
    let one = |name: &String| {
        let found = table.iter().find(|(known, _)| known == name);
        found.map(|row| row.1).ok_or_else(|| Error::Config(unknown(name)))
    };
    let mut all = names.iter().map(one).collect::<Result<Vec<_>>>()?;
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// One thing that must be the same in two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// Their numbers.
    Numbers,
    /// Their words of negation.
    Negation,
}

impl Guard {
    const ALL: [(&'static str, Self); 2] = [("numbers", Self::Numbers), ("negation", Self::Negation)];

    /// Reads names, each once, in a fixed order.
    ///
    /// # Errors
    /// [`Error::Config`] for another name.
    pub fn parse_all(names: &[String]) -> Result<Vec<Self>> {
        parse_names(names, &Self::ALL, |name| {
            msg!("same {name:?} is not known: allowed are numbers and negation")
        })
    }

    /// Name and version.
    pub fn canonical(self) -> String {
        let version = match self {
            Self::Numbers => numbers::VERSION,
            Self::Negation => negation::VERSION,
        };
        format!("{}/{version}", Self::ALL[usize::from(self == Self::Negation)].0)
    }

    /// What the guard reads in a text in its exact form, in order.
    pub fn read(self, exact: &str) -> Vec<String> {
        match self {
            Self::Numbers => numbers::numbers(exact),
            Self::Negation => negation::negations(exact).into_iter().map(str::to_owned).collect(),
        }
    }

    /// A hash of the values read in a text, whatever their order; each counts as often as it occurs.
    ///
    /// Complexity: n log n for what is read, and linear in the text.
    pub fn digest(self, exact: &str) -> u128 {
        let mut all = self.read(exact);
        all.sort_unstable();
        xxh3_128(all.join("\n").as_bytes())
    }
}
