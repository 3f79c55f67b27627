//! What the text field of a record may hold.

/// What a text field may hold besides texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldKind {
    /// Nothing.
    #[default]
    Texts,
    /// Nothing, and the texts are fingerprints in digits.
    Digits,
    /// Fingerprints as numbers, which are taken as they are written.
    Numbers,
    /// Lists of tokens, which are taken as they are written.
    Tokens,
    /// Fingerprints as bytes, where a source has bytes.
    Bytes,
    /// Numbers and lists of texts, and the texts of several fields stay apart; see [`super::fields`].
    Parts,
}

impl FieldKind {
    /// What a text field may hold where several schemes read it: numbers and tokens only where all of them take such, and parts where
    /// one of them takes a part.
    pub fn of_all(mut each: impl Iterator<Item = Self>) -> Self {
        let first = each.next().unwrap_or_default();
        let other = match first {
            Self::Numbers | Self::Tokens => each.find(|takes| *takes != first),
            _ => each.find(|takes| *takes == Self::Parts),
        };
        other.unwrap_or(first)
    }
}
