//! Run directories for Python.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use simsieve_core::storage::copies;
use simsieve_core::storage::form::Stored;
use simsieve_core::storage::run_dir::{RunDir, Start};

use crate::door::run;
use crate::errors::to_python;

/// A directory with the columns of a run, and what is finished of it; no other process has it at the same time.
#[pyclass(frozen, module = "simsieve._core")]
pub struct RunDirectory {
    pub(crate) core: Arc<RunDir>,
}

#[pymethods]
impl RunDirectory {
    /// `settings` are names and values in JSON that a run which goes on must have again.
    #[new]
    #[pyo3(signature = (path, start, memory, settings, progress = None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        start: &str,
        memory: u64,
        settings: Vec<(String, String)>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let start = match start {
            "new" => Start::New,
            "replace" => Start::Replace,
            "resume" => Start::Resume,
            _ => return Err(PyValueError::new_err("start is new, replace or resume")),
        };
        let core = run(py, 1, progress, |ctx| RunDir::open(&path, start, memory, ctx))?;
        Ok(Self {
            core: Arc::new(core.with_settings(settings)),
        })
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.core.path().to_path_buf()
    }

    /// Whether anything is finished.
    #[getter]
    fn has_stages(&self) -> bool {
        self.core.has_stages()
    }

    /// Whether a stage is finished.
    fn finished(&self, stage: &str) -> bool {
        self.core.finished(stage).is_some()
    }

    /// What was noted under a name.
    fn noted(&self, name: &str) -> Option<String> {
        copies::noted(&self.core, name)
    }

    /// What was noted under a name in a directory that another process may have open.
    #[staticmethod]
    fn noted_in(path: PathBuf, name: &str) -> PyResult<Option<String>> {
        copies::noted_in(&path, name).map_err(|error| to_python(&error))
    }

    /// Notes a text under a name, durably.
    fn note(&self, name: &str, text: &str) -> PyResult<()> {
        copies::note(&self.core, name, text).map_err(|error| to_python(&error))
    }

    fn close(&self) {
        self.core.close();
    }

    fn remove(&self) -> PyResult<()> {
        self.core.remove().map_err(|error| to_python(&error))
    }
}
