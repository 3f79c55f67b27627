//! Plans and forecasts for Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use simsieve_core::forecast::small_parts::small_parts as core_small_parts;
use simsieve_core::forecast::{self as core, Work};

use crate::convert::{Nearness, forecast_dict};
use crate::documents::Documents;
use crate::door::run;
use crate::errors::to_python;
use crate::scheme::Scheme;
use crate::store::Records;

/// The forecast of a run of this many documents; the store is a random part of them. Without a store nothing is known of
/// texts.
#[pyfunction]
#[pyo3(signature = (scheme, documents, recall, seed, threads, nearness, store = None, text_field = vec!["text".to_owned()], progress = None))]
#[allow(clippy::too_many_arguments, reason = "the border takes them flat")]
pub fn forecast<'py>(
    py: Python<'py>,
    scheme: &Scheme,
    documents: u64,
    recall: f64,
    seed: u64,
    threads: usize,
    nearness: Nearness,
    store: Option<PyRef<'py, Records>>,
    text_field: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let scheme = scheme.ready()?;
    let sources = store.map(|store| Arc::clone(&store.core));
    let (recipe, mean_bytes, expected) = run(py, threads, progress, |ctx| {
        let recipe = core::recipe(scheme, nearness.threshold()?, recall, seed, documents)?;
        let (mean_bytes, expected) = match &sources {
            Some(sources) => (
                core::mean_bytes(sources, &text_field, scheme)?,
                core::expect(sources, &text_field, (scheme, &recipe), documents, ctx)?,
            ),
            None => (0, None),
        };
        Ok((recipe, mean_bytes, expected))
    })?;
    let work = Work {
        documents,
        mean_bytes,
        mean_features: expected.as_ref().map(|expected| expected.features),
        threads,
    };
    forecast_dict(py, &recipe, scheme, &work, expected.as_ref())
}

/// Bytes of memory without and with a run directory, and those of the directory's columns, keys, pairs and decisions.
type RunBytes = (u64, u64, (u64, u64, u64, u64));

/// The most bytes that a run of this many documents takes; `means` are the bytes of a text and, where that is known, its features.
/// They are the bytes of memory without a run directory, those of memory with one (`memory` bytes are allowed), and those of the
/// directory: columns, search keys, pairs found, and decisions.
#[pyfunction]
pub fn run_bytes(
    scheme: &Scheme,
    documents: u64,
    means: (u64, Option<f64>),
    recall: f64,
    threads: usize,
    nearness: Nearness,
    memory: u64,
) -> PyResult<RunBytes> {
    let work = Work {
        documents,
        mean_bytes: means.0,
        mean_features: means.1,
        threads,
    };
    let scheme = scheme.ready()?;
    let found = nearness.threshold().and_then(|threshold| {
        let recipe = core::recipe(scheme, threshold, recall, 0, documents)?;
        Ok(core::bytes_of_run(&recipe, scheme, &work, memory))
    });
    let found = found.map_err(|error| to_python(&error))?;
    let on_disk = (
        found.disk_columns,
        found.disk_keys,
        found.disk_pairs,
        found.disk_decisions,
    );
    Ok((found.in_memory, found.with_directory, on_disk))
}

/// Texts looked at, the number with a finding, and the position of one with a finding.
type LookedAt = (u64, u64, Option<u32>);

/// The pages of each scheme whose main text is a small part of them; `None` where another text is compared.
#[pyfunction]
#[pyo3(signature = (documents, threads = 0))]
pub fn small_parts(py: Python<'_>, documents: &Documents, threads: usize) -> PyResult<Vec<Option<LookedAt>>> {
    run(py, threads, None, |ctx| {
        let each = documents.core.under_each();
        each.map(|part| core_small_parts(part, ctx)).collect()
    })
}
