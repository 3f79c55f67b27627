//! From a document's text to the text that is compared.
//!
//! In comes a text as its author wrote it; out go two forms of it:
//!
//! - the *normalised* text: format characters dropped, NFKC, case folded, NFKC again, runs of white space made one
//!   space, none at the ends. Two documents with equal normalised texts are exact copies of each other.
//! - the *compact* text: the normalised text without the characters that a scheme takes no features from (by default
//!   punctuation and spaces). [`crate::encode::tokenize::windows`] cuts its windows from it.
//!
//! Where a scheme asks for it, Traditional Chinese characters of both forms become Simplified ([`Fold`]).
//!
//! [`plain`] says in a few lines what [`Normaliser`] does fast; a test holds them equal.

pub(crate) mod ascii;
#[cfg(target_arch = "x86_64")]
mod ascii_avx512;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod buffer;
mod compact;
pub mod plain;
mod portable;
#[cfg(test)]
mod simplify_tests;
mod table;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Blocks;
pub use buffer::Normaliser;
pub use compact::Compact;
pub use table::{Class, UNICODE_VERSION, class_of, is_dense, is_dropped};

/// Name and version of the normalisation, part of every scheme's digest.
pub const NORMALISER: &str = "nfkc-casefold/1";
