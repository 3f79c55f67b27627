//! Models of document frequencies for Python.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use simsieve_core::collection::fit::fit_texts;
use simsieve_core::encode::model::{self, Counter, DEFAULT_LIMIT};
use simsieve_core::encode::scheme::OpenScheme;

use crate::door::run;
use crate::errors::to_python;
use crate::scheme::{Scheme, Text};

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

/// A model under construction.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Fitter {
    scheme: OpenScheme,
    counter: Mutex<Option<Counter>>,
}

#[pymethods]
impl Fitter {
    #[new]
    #[pyo3(signature = (scheme, max_features = DEFAULT_LIMIT))]
    fn new(scheme: &Scheme, max_features: usize) -> PyResult<Self> {
        let counter = scheme
            .open
            .features_to_count()
            .and_then(|features| Counter::new(features, max_features))
            .map_err(|error| to_python(&error))?;
        Ok(Self {
            scheme: scheme.open.clone(),
            counter: Mutex::new(Some(counter)),
        })
    }

    #[pyo3(signature = (texts, threads = 0, progress = None, first = 0))]
    fn add(
        &self,
        py: Python<'_>,
        texts: Vec<Bound<'_, PyString>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
        first: usize,
    ) -> PyResult<()> {
        let texts = texts.iter().map(Text::of).collect::<PyResult<Vec<_>>>()?;
        // Taken out during the work: a stopped fit is not a model any more.
        let mut counter = self.take()?;
        let counter = run(py, threads, progress, move |ctx| {
            fit_texts(&mut counter, &self.scheme, &texts, first, ctx)?;
            Ok(counter)
        })?;
        *self.counter.lock().unwrap_or_else(PoisonError::into_inner) = Some(counter);
        Ok(())
    }

    fn finish(&self, py: Python<'_>) -> PyResult<Model> {
        let counter = self.take()?;
        let core = run(py, 0, None, move |_| Ok(counter.finish()))?;
        Ok(Model { core: Arc::new(core) })
    }
}

impl Fitter {
    fn take(&self) -> PyResult<Counter> {
        let counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner).take();
        counter.ok_or_else(|| {
            PyRuntimeError::new_err("this fit is finished, was stopped, or is at work in another thread")
        })
    }
}
