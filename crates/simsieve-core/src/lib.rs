//! The core of simsieve: it finds the near-duplicates in a collection of texts and keeps one of each. It knows no Python.
//!
//! # The flow of a run
//!
//! ```text
//!  files, tables          source     records with their positions, read block by block
//!      |
//!      v
//!  text of a record       text       HTML to text, normalised text, words
//!      |
//!      v
//!  features, weights      encode     fingerprint, sketch, digest of the normalised text, under a scheme
//!      |
//!      v
//!  columns by position    collection keep order, labels, rules for pairs
//!      |
//!      v
//!  candidates             search     pairs that a recipe makes candidates, by keys that a sample has frozen
//!      |
//!      v
//!  decisions              dedup      exact copies -> walk in keep order -> verify on the features -> recall of the search
//!      |
//!      v
//!  files                  sink       kept and failed records, decisions, pairs: each file whole or not at all
//! ```
//!
//! # The modules
//!
//! A module imports from modules below it only, and no two files import one another: `tests/layers.rs` holds both.
//!
//! | layer | module | in | out |
//! |---|---|---|---|
//! | 9 | [`index`] | runs | the kept documents in files, and the old ones that new records may be near |
//! | 9 | [`lines`] | records | repeated lines, and the records without them |
//! | 9 | [`passages`] | records | spans of text that two records share |
//! | 9 | [`forecast`] | a sample of the records | time and memory of a run |
//! | 9 | [`distributed`] | rows of many machines | pieces of the search and of the decisions |
//! | 8 | [`dedup`] | candidate pairs | decisions, near pairs, recall |
//! | 7 | [`search`] | a collection and a recipe | candidate pairs |
//! | 6 | [`collection`] | records | columns by position |
//! | 5 | [`recipe`] | a scheme and a threshold | what makes a pair a candidate |
//! | 5 | [`sink`] | decisions | files |
//! | 4 | [`encode`] | a text and a scheme | features, weights, fingerprint, sketch, similarity |
//! | 4 | [`source`] | files and tables | records with positions |
//! | 3 | [`text`] | bytes | normalised text, text of pages, words |
//! | 3 | [`hamming`] | fingerprints and a distance | all pairs within the distance |
//! | 2 | [`storage`] | bytes | checked, atomic, compressed files |
//! | 1 | [`base`] | | errors, context, kernels, hashes |
//!
//! # Where to begin
//!
//! [`encode::scheme::Scheme`] says how a text becomes a fingerprint, [`recipe::Recipe`] which pairs are candidates,
//! [`dedup::decide::decide`] which documents are kept. [`dedup::pairs::near_pairs`] gives all near pairs,
//! [`hamming::near_pairs`] those of bare fingerprints. [`base::context::Context`] has the threads and the progress.
//!
//! ```
//! use simsieve_core::base::error::Error;
//! use simsieve_core::recipe::{Recipe, Threshold};
//! use simsieve_core::encode::scheme::Scheme;
//! use simsieve_core::encode::similarity::similarity;
//!
//! let scheme = Scheme::parse("chars128")?;
//! let (a, b) = ("The quick brown fox jumps over the lazy dog.", "The quick brown fox jumps over the lazy dogs!");
//! assert!(similarity(&scheme, a, b)?.is_some_and(|cosine| cosine > 0.8));
//!
//! // What makes a pair of a million documents a candidate: a pure function of these values.
//! let recipe = Recipe::new(&scheme, Threshold::Similarity(0.8), 0.98, 0, 1_000_000)?;
//! assert_eq!(Recipe::from_json(&recipe.to_json())?.digest(), recipe.digest());
//! # Ok::<(), Error>(())
//! ```
//!
//! # The laws, and what holds them
//!
//! 1. **One answer.** Every engine gives what a loop over all pairs gives, whatever the threads and batches:
//!    [`dedup::decide`]; `decisions_are_the_oracles` in `src/tests/decide.rs`.
//! 2. **Recipe and plan are apart.** A recipe is a value with a digest and a JSON form ([`recipe`]); a forecast
//!    ([`forecast`]) changes no candidate: `neither_threads_nor_batches_change_a_decision` in `src/tests/decide.rs`.
//! 3. **Nothing false is dropped.** Each drop is verified on the features or by the bits: [`dedup::verify`];
//!    `kept_sets_are_independent_and_dropped_ones_are_near` in `src/tests/decide.rs`.
//! 4. **Every run measures its recall** by sampling kept documents: [`dedup::recall`];
//!    `the_sampler_sees_what_a_blind_search_misses` in `src/tests/decide.rs`. Python computes the interval of the measured
//!    recall: `python/simsieve/results/recall.py`.
//! 5. **Identity.** All that can move a bit is in a scheme's digest ([`encode::scheme::Scheme::digest`]);
//!    `tests/golden` of the project pins digests and fingerprints. A comparison across digests is an error that has both:
//!    [`base::error::Error::Digest`], and `python/simsieve/comparison/hamming.py` for fingerprints.
//! 6. **Same bits everywhere.** Weights are integers and sums are exact ([`encode::weight`], [`encode::fingerprint`]); the
//!    tests of each kernel force it and compare it with a plain loop ([`base::kernel`]).
//! 7. **Texts without features match nothing**: `texts_without_features_are_kept_each` in `src/tests/decide.rs`. A text of
//!    fewer than 12 features selects all of them as search keys ([`encode::paths`]): `texts_with_few_features_select_all_of_them`
//!    in `src/encode/paths/tests.rs`.
//! 8. **The books balance**: [`dedup::decide::Counts`]; `check_books` in `src/tests/decide.rs` checks every run of the tests.
//! 9. **Nothing is lost.** A file appears whole or not at all ([`storage::atomic`]); a failed record goes to a file with its
//!    bytes and its reason ([`dedup::output::write_failed`]). A killed run goes on from its directory ([`storage::run_dir`]) to
//!    the same result: `a_stopped_run_goes_on_to_the_same_result` in `src/tests/run_dir.rs`.
//! 10. **No silent cap.** Too many pairs are refused with their count ([`base::error::Error::TooMany`]):
//!     `too_many_pairs_are_refused_with_the_count` in `src/tests/decide.rs`.
//! 11. **Adversarial shapes are ordinary.** Exact copies collapse ([`dedup::exact`]) and a bound on shared features prunes
//!     large buckets ([`search::candidates::overlap`]): `a_template_family_that_is_not_near_stays_whole` in `src/tests/decide.rs`.

#![allow(clippy::needless_pass_by_value, reason = "a message is made where it is handed over")]

// The macro names what it makes by this crate, inside it too.
extern crate self as simsieve_core;
#[macro_use]
extern crate simsieve_macros;
pub use simsieve_macros::msg;

pub mod base;
pub mod collection;
pub mod dedup;
pub mod distributed;
pub mod encode;
pub mod forecast;
pub mod hamming;
pub mod index;
pub mod lines;
pub mod passages;
pub mod recipe;
pub mod search;
pub mod sink;
pub mod source;
pub mod storage;
#[cfg(test)]
mod tests;
pub mod text;
