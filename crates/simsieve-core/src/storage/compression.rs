//! The compression of a file, detected by its name or its first bytes.

use std::path::Path;

/// The compression of a source or sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Plain,
    Gzip,
    Zstd,
}

impl Compression {
    /// By the name's ending.
    pub(crate) fn of_name(path: &Path) -> Self {
        match ending(path).as_deref() {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::Plain,
        }
    }

    /// By a file's first bytes.
    pub(crate) fn of_magic(head: &[u8]) -> Self {
        // The second zstd pattern is a skippable frame, which may precede the first data frame.
        match head {
            [0x1F, 0x8B, ..] => Self::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Self::Zstd,
            _ => Self::Plain,
        }
    }

    /// The name in messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// The extension of such files.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

/// The ending of a file name, in lower case.
pub(crate) fn ending(path: &Path) -> Option<String> {
    path.extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}
