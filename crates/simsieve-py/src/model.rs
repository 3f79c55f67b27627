//! Models of document frequencies for Python.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use simsieve_core::encode::model;

use crate::door::run;
use crate::errors::to_python;

/// In how many documents of a collection each feature occurs.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Model {
    pub(crate) core: Arc<model::Model>,
}

#[pymethods]
impl Model {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let core = run(py, 0, None, |_| model::Model::load(&path))?;
        Ok(Self { core: Arc::new(core) })
    }

    #[staticmethod]
    fn check_sink(path: PathBuf) -> PyResult<()> {
        model::Model::check_sink(&path).map_err(|error| to_python(&error))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        run(py, 0, None, |_| self.core.save(&path))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, content: Vec<u8>) -> PyResult<Self> {
        let core = run(py, 0, None, |_| model::Model::from_bytes(content))?;
        Ok(Self { core: Arc::new(core) })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let content = run(py, 0, None, |_| self.core.to_bytes())?;
        Ok(PyBytes::new(py, &content))
    }

    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let core = run(py, 0, None, |_| self.core.merge(&other.core))?;
        Ok(Self { core: Arc::new(core) })
    }

    #[getter]
    fn documents(&self) -> u64 {
        self.core.documents()
    }

    #[getter]
    fn features(&self) -> usize {
        self.core.features()
    }

    #[getter]
    fn bits(&self) -> u32 {
        self.core.bits()
    }

    #[getter]
    fn max_features(&self) -> usize {
        self.core.limit()
    }

    #[getter]
    fn digest(&self) -> String {
        self.core.digest()
    }

    #[getter]
    fn features_spec(&self) -> String {
        self.core.rule().spec()
    }

    #[getter]
    fn features_digest(&self) -> String {
        self.core.rule().digest()
    }

    #[getter]
    fn neighbour_bits(&self) -> Option<u32> {
        self.core.neighbour_bits()
    }

    fn neighbour_entropies(&self, word: &str) -> Option<(f64, f64)> {
        self.core.entropies(word)
    }

    fn document_frequency(&self, feature: &str) -> PyResult<u64> {
        self.core.frequency_of(feature).map_err(|error| to_python(&error))
    }
}
