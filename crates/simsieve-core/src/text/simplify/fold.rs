//! The folds.

/// What is made Simplified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Single characters.
    Characters,
    /// Characters and their forms in Taiwan, then words of Taiwan that differ on the mainland, the longest first.
    Words,
}

/// What texts are compared without: the script, how numbers are written, and marks of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// What is made Simplified, if anything.
    pub script: Option<Script>,
    /// Whether numbers in Chinese numerals are written in digits, after that.
    pub numerals: bool,
    /// Whether accents and vowel marks are left out, at the end.
    pub marks: bool,
}
