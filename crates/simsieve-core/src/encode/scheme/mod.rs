//! Schemes: how a text becomes features, weights and a fingerprint, under one name and one digest.
//!
//! A scheme is written `name` or `name:option=value,option=value`: `chars128`, `chars64:n=3,weights=log`. The way of a scheme:
//! [`SchemeSpec`] is the spec as a pure value; [`OpenScheme::open`] reads the files that it names and gives an [`OpenScheme`],
//! whose model may be missing; with its model it is a [`Scheme`], which fingerprints. A scheme's digest covers everything
//! that can move a bit; fingerprints of different digests are not comparable.

mod builtin;
mod custom;
#[cfg(test)]
mod custom_tests;
mod family;
mod model_compat;
mod model_slot;
mod nearest;
pub mod options;
#[cfg(test)]
mod page_tests;
mod parts;
mod pipeline;
mod resolve;
#[expect(clippy::module_inception, reason = "the type that the module is named for")]
mod scheme;
mod scratch;
mod spec;
#[cfg(test)]
mod spec_tests;
mod value;
#[cfg(test)]
mod word_tests;

pub use crate::encode::hash::TokenHash;
pub use crate::encode::unusable_text::UnusableText;
pub(crate) use crate::encode::unusable_text::first_unusable;
pub use builtin::{DEFAULT, Described, TABLE};
pub use family::Family;
pub use model_slot::{ModelRef, ModelSlot};
pub use parts::Part;
pub use scheme::{OpenScheme, Scheme, SchemeOf};
pub use scratch::Scratch;
pub use spec::SchemeSpec;
pub use value::OptionKind;
