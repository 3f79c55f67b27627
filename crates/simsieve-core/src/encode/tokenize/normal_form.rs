//! Unicode normal forms.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// A Unicode normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Composed.
    Nfc,
    /// Decomposed.
    Nfd,
    /// Composed, compatibility characters mapped.
    Nfkc,
    /// Decomposed, compatibility characters mapped.
    Nfkd,
}

impl Form {
    /// Every form with its name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("nfc", Self::Nfc),
        ("nfd", Self::Nfd),
        ("nfkc", Self::Nfkc),
        ("nfkd", Self::Nfkd),
    ];

    /// The name in the canonical text of a scheme.
    pub(super) const fn canonical(self) -> &'static str {
        match self {
            Self::Nfc => "Nfc",
            Self::Nfd => "Nfd",
            Self::Nfkc => "Nfkc",
            Self::Nfkd => "Nfkd",
        }
    }

    pub(crate) fn of(self, text: &str) -> String {
        match self {
            Self::Nfc => ComposingNormalizerBorrowed::new_nfc().normalize(text),
            Self::Nfd => DecomposingNormalizerBorrowed::new_nfd().normalize(text),
            Self::Nfkc => ComposingNormalizerBorrowed::new_nfkc().normalize(text),
            Self::Nfkd => DecomposingNormalizerBorrowed::new_nfkd().normalize(text),
        }
        .into_owned()
    }
}
