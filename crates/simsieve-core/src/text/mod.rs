//! Operations on texts without a scheme: HTML to text, normalising, Traditional to Simplified Chinese, words.

pub mod anchors;
pub mod conflict;
pub(crate) mod encoding;
mod field_kind;
pub mod fields;
pub mod guard;
pub mod html;
pub mod letters;
pub(crate) mod negation;
pub mod normalise;
pub(crate) mod numbers;
pub mod pictures;
pub mod segment;
pub mod simplify;

pub use field_kind::FieldKind;
pub use normalise::{Class, Compact, NORMALISER, Normaliser, UNICODE_VERSION, class_of, is_dense, is_dropped};
pub use simplify::Fold;

/// The greatest length of a text: offsets inside a text have 31 bits.
pub const MAX_TEXT_BYTES: usize = 1 << 30;

/// Bytes after the text in text buffers, which kernels may read and write.
pub(crate) const SLACK: usize = 64;
