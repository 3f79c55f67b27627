//! From a document's text to the compared text.
//!
//! In: a text as its author wrote it. Out: two forms of it:
//!
//! - the *normalised* text: invisible characters dropped, NFKC, case folded, one character for those that look alike, NFKC
//!   again, runs of white space made one space, none at the ends. Documents whose normalised texts are equal with the marks of numbers ([`marks`]) are exact
//!   copies.
//! - the *compact* text: the normalised text without the characters that a scheme takes no features from (by default
//!   punctuation, spaces, and symbols beside other characters). [`crate::encode::tokenize::windows`] cuts its windows from it.
//!
//! A scheme can make Traditional Chinese characters of both forms Simplified ([`Fold`]).
//!
//! [`plain`] is the short form of [`Normaliser`]; a test compares both.

mod alike;
pub(crate) mod ascii;
#[cfg(target_arch = "x86_64")]
mod ascii_avx512;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod buffer;
mod compact;
pub mod marks;
pub mod places;
pub mod plain;
mod portable;
#[cfg(test)]
mod simplify_tests;
mod table;

pub use alike::is_dropped;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Blocks;
pub use buffer::Normaliser;
pub use compact::Compact;
pub use table::{Class, UNICODE_VERSION, class_of, is_dense};

/// Name and version of the normalisation, part of every scheme's digest.
pub const NORMALISER: &str = "nfkc-casefold/3";
