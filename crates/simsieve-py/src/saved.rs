//! Saved runs for Python.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use simsieve_core::runs as core;
use simsieve_core::source::SavedSource;

use crate::documents::{Documents, SavedPairs};
use crate::door::run;
use crate::scheme::Scheme;
use crate::store::Records;

/// A saved run, checked to be intact; `documents` reads its columns.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Snapshot {
    core: core::Snapshot,
}

#[pymethods]
impl Snapshot {
    #[new]
    #[pyo3(signature = (path, progress = None))]
    fn new(py: Python<'_>, path: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        let core = run(py, 0, progress, |ctx| core::Snapshot::open(&path, ctx))?;
        Ok(Self { core })
    }

    #[getter]
    fn settings(&self) -> &str {
        self.core.settings()
    }

    #[getter]
    fn sources(&self) -> Vec<(String, String, bool)> {
        let row = |source: &SavedSource| {
            let path = source.path.to_string_lossy().into_owned();
            (path, source.format.to_string(), source.old)
        };
        self.core.sources().iter().map(row).collect()
    }

    fn documents(&self, py: Python<'_>, store: &Records, scheme: &Scheme) -> PyResult<(Documents, Option<SavedPairs>)> {
        let (store, scheme) = (Arc::clone(&store.core), scheme.ready()?);
        let (documents, pairs) = run(py, 0, None, |_| self.core.documents(store, scheme))?;
        let documents = Documents {
            core: Arc::new(documents),
        };
        Ok((documents, pairs.map(|core| SavedPairs { core })))
    }
}
