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
}
