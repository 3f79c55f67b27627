//! Into which words a text is cut.

use crate::base::error::{Error, Result};

/// Into which words a text is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Every character is in one word, by the likeliest path.
    #[default]
    Exact,
    /// All words of the dictionary, overlapping ones too.
    Full,
    /// The words of exact mode; before each long word its words of two and three characters.
    Search,
}

impl Mode {
    /// All modes by their names.
    pub const ALL: [(&'static str, Self); 3] = [("exact", Self::Exact), ("full", Self::Full), ("search", Self::Search)];

    /// Reads a mode by its name.
    ///
    /// # Errors
    /// [`Error::Config`] that lists them.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, mode)| *mode)
            .ok_or_else(|| Error::Config(msg!("unknown mode {name:?}; there are exact, full, search")))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }
}
