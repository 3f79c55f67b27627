//! Models that are fitted from Python.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use simsieve_core::collection::fit::fit_texts;
use simsieve_core::encode::model::{Counter, DEFAULT_LIMIT};
use simsieve_core::encode::scheme::OpenScheme;

use crate::convert::Text;
use crate::door::run;
use crate::errors::to_python;
use crate::model::Model;
use crate::scheme::Scheme;

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
