//! Documents on their way, for Python.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use simsieve_core::dedup::loading;
use simsieve_core::forecast::{self, Work};
use simsieve_core::index::SeenRun;

use crate::convert::forecast_dict;
use crate::documents::Documents;
use crate::door::run;

/// Documents whose recipes are frozen and that are not encoded yet.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Loading {
    core: Mutex<Option<loading::Loading>>,
    /// The index that the run is against.
    seen: Option<Arc<SeenRun>>,
}

impl Loading {
    pub(crate) fn of(core: loading::Loading, seen: Option<Arc<SeenRun>>) -> Self {
        Self {
            core: Mutex::new(Some(core)),
            seen,
        }
    }

    fn with<T>(&self, of: impl FnOnce(&loading::Loading) -> T) -> PyResult<T> {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        core.as_ref().map(of).ok_or_else(is_over)
    }
}

fn is_over() -> PyErr {
    PyValueError::new_err("these documents are loaded already")
}

#[pymethods]
impl Loading {
    #[getter]
    fn documents(&self) -> PyResult<usize> {
        self.with(|loading| loading.sources().len())
    }

    #[getter]
    fn bytes_read(&self) -> PyResult<u64> {
        self.with(|loading| loading.sources().bytes_read())
    }

    /// What a run has in common with an index that is made of it, as a JSON object.
    #[getter]
    fn common(&self) -> PyResult<String> {
        self.with(loading::Loading::common)
    }

    /// Under each scheme the forecast of the run, by a sample of its texts.
    #[pyo3(signature = (threads = 0))]
    fn forecasts<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        let loading = core.as_ref().ok_or_else(is_over)?;
        let threads = threads.max(1);
        let (mean_bytes, each) = run(py, threads, None, |ctx| {
            let mean_bytes = match loading.searches().next() {
                Some(((scheme, _), _)) => forecast::mean_bytes(loading.sources(), loading.text_field(), scheme)?,
                None => 0,
            };
            let each = loading.searches().map(|(by, frozen)| {
                let expected = frozen.map(|frozen| forecast::expected(loading.sources(), frozen, by.1, ctx));
                Ok((by, expected.transpose()?.flatten()))
            });
            Ok((mean_bytes, each.collect::<Result<Vec<_>, _>>()?))
        })?;
        let each = each.into_iter();
        each.map(|((scheme, recipe), expected)| {
            let work = Work {
                documents: loading.sources().len() as u64,
                mean_bytes,
                threads,
                mean_features: expected.as_ref().map(|expected| expected.features),
            };
            forecast_dict(py, recipe, scheme, &work, expected.as_ref())
        })
        .collect()
    }

    /// Reads and encodes the records; once.
    #[pyo3(signature = (threads = 0, progress = None))]
    fn finish(&self, py: Python<'_>, threads: usize, progress: Option<Py<PyAny>>) -> PyResult<Documents> {
        let taken = self.core.lock().unwrap_or_else(PoisonError::into_inner).take();
        let loading = taken.ok_or_else(is_over)?;
        let core = run(py, threads, progress, |ctx| match &self.seen {
            Some(seen) => seen.finish(loading, ctx),
            None => loading.finish(ctx),
        })?;
        Ok(Documents { core: Arc::new(core) })
    }
}
