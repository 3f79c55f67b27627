//! The border between Python and the core: declare, convert, map errors, release the interpreter. It has no logic.

#![allow(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands every converted argument over by value"
)]

#[macro_use]
extern crate simsieve_core;

use pyo3::prelude::*;

mod cluster;
mod collection;
mod convert;
mod custom;
mod decisions;
mod documents;
mod door;
mod errors;
mod fitter;
mod index;
mod kept;
mod lines;
mod loading;
mod memory;
mod message;
mod model;
mod page;
mod paper;
mod passages;
mod plan;
mod rows;
mod run_dir;
mod scheme;
mod seen;
mod segment;
mod store;
mod templates;
mod values;

/// The compiled core of simsieve. Users import `simsieve`.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::cluster::{
        EncodePass, FrozenSearch, UnfrozenSearch, allowed_pairs, order_of_verdicts, sample_ranks, sampled_texts,
        text_digests,
    };
    #[pymodule_export]
    use crate::collection::Collection;
    #[pymodule_export]
    use crate::decisions::Decisions;
    #[pymodule_export]
    use crate::documents::Documents;
    #[pymodule_export]
    use crate::fitter::Fitter;
    #[pymodule_export]
    use crate::index::{Index, KeptDocuments};
    #[pymodule_export]
    use crate::kept::KeptSink;
    #[pymodule_export]
    use crate::lines::{Lines, RemovedLines};
    #[pymodule_export]
    use crate::loading::Loading;
    #[pymodule_export]
    use crate::memory::exit_when_memory_runs_out;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::page::{page_decode, page_features, page_fingerprint, page_outline, page_text};
    #[pymodule_export]
    use crate::passages::{PassageAnchors, Passages};
    #[pymodule_export]
    use crate::plan::{forecast, run_bytes, small_parts};
    #[pymodule_export]
    use crate::rows::{Rows, cursor_number};
    #[pymodule_export]
    use crate::run_dir::RunDirectory;
    #[pymodule_export]
    #[pymodule_export]
    use crate::scheme::{
        Scheme, fold, guarded, normalise, scheme_options, scheme_table, spec_files, spec_in_folder, stop_words,
    };
    #[pymodule_export]
    use crate::seen::SeenRun;
    #[pymodule_export]
    use crate::segment::Segmenter;
    #[pymodule_export]
    use crate::store::{Records, check_sinks, exchange, field_agrees, matches};
    #[pymodule_export]
    use crate::templates::Templates;
    #[pymodule_export]
    use crate::values::{HammingIndex, cut_blocks, hamming, kernel, kernels, near_pairs};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's own name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const STOP_LISTS: [&str; 1] = simsieve_core::encode::tokenize::stop_words::LIST_NAMES;
    #[pymodule_export]
    const DECISIONS: [&str; 3] = simsieve_core::sink::Decision::NAMES;
    #[pymodule_export]
    const REASONS: [&str; 8] = simsieve_core::dedup::decide::Reason::NAMES;
    #[pymodule_export]
    const LINES_MISSED: f64 = simsieve_core::lines::near::MISSED;
    #[pymodule_export]
    const BRUTE_BELOW: u64 = simsieve_core::recipe::BRUTE_BELOW;
}
