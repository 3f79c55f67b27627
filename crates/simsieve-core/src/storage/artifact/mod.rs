//! One checked file format for everything that simsieve keeps: models, segments of an index, kept anchors.
//!
//! In: a header in JSON and named columns. Out: a file, and from the file the header and the columns. A column that is not
//! compressed is viewed in the mapped file ([`Column`](super::column::Column)).
//!
//! The file, every number little-endian:
//!
//! ```text
//! preamble    64 bytes    magic (16), version of this layout (u32), kind (12, ASCII, zeros after it), version of the kind (u32),
//!                         zeros (28)
//! sections                each begins at a multiple of 64 bytes; zeros fill the gaps
//! directory               begins at a multiple of 64 bytes; JSON: the header, and for each section its name, element type,
//!                         length in elements, offset and length in bytes, whether zstd compresses it, XXH3-128 of its bytes
//! trailer     40 bytes    offset of the directory (u64), XXH3-128 of preamble and directory (u128), end mark (16)
//! ```
//!
//! Every byte of the file is in a checksum or has a fixed value, so any changed byte and any cut is found. A file that
//! can be opened is whole. The checksums find accidents, not forgery: readers check the meaning of the values.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::{Artifact, Held};
pub use write::Writer;

const MAGIC: &[u8; 16] = b"simsieve file\r\n\x1a";
const END_MARK: &[u8; 16] = b"simsieve end.\r\n\n";
const LAYOUT: u32 = 1;
const PREAMBLE_BYTES: usize = 64;
const TRAILER_BYTES: usize = 40;
const KIND_BYTES: usize = 12;
/// The section with the checksums of the pieces.
const PIECES: &str = "pieces";
/// Where sections may begin: a multiple of the alignment of every element type, and of a cache line.
const ALIGNMENT: usize = 64;

/// The kind of a file, and its texts for messages.
#[derive(Debug)]
pub struct ArtifactKind {
    /// Its name in the file: at most 12 ASCII characters.
    pub name: &'static str,
    /// The version of its header and sections.
    pub version: u32,
    /// The oldest version that is read.
    pub oldest: u32,
    /// Whether its last section has the XXH3-64 of each 64 KiB of the file before it, so that a reader looks at pieces when they are
    /// first read.
    pub has_pieces: bool,
    /// Its noun in messages, such as "model".
    pub noun: &'static str,
    /// Advice if another file was named.
    pub instead: &'static str,
    /// Advice if the file has another version.
    pub renew: &'static str,
    /// Advice if the file is damaged.
    pub repair: &'static str,
}

impl ArtifactKind {
    /// The versions that are read, for messages.
    fn versions(&self) -> String {
        match (self.oldest, self.version) {
            (oldest, version) if oldest == version => version.to_string(),
            (oldest, version) => format!("{oldest}-{version}"),
        }
    }

    fn preamble(&self, version: u32) -> [u8; PREAMBLE_BYTES] {
        let mut preamble = [0; PREAMBLE_BYTES];
        preamble[..16].copy_from_slice(MAGIC);
        preamble[16..20].copy_from_slice(&LAYOUT.to_le_bytes());
        preamble[20..][..self.name.len()].copy_from_slice(self.name.as_bytes());
        preamble[32..36].copy_from_slice(&version.to_le_bytes());
        preamble
    }
}

/// How a section is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// As it is: a reader views it in the mapped file.
    Plain,
    /// Compressed by zstd at this level: a reader decompresses it into memory.
    Zstd(i32),
}

/// The next place where a section may begin.
const fn aligned(offset: usize) -> Option<usize> {
    offset.checked_next_multiple_of(ALIGNMENT)
}
