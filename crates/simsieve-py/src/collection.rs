//! Documents that are encoded and compared with nothing, seen from Python.

use std::path::PathBuf;

use pyo3::prelude::*;
use simsieve_core::collection;
use simsieve_core::dedup::output::{self, Form};

use crate::convert::{RecordName, check, failures_from, found, from_json};
use crate::door::run;
use crate::message::Told;

/// Every document's fingerprints, one a scheme; there is no recipe, so nothing can be searched.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Collection {
    pub(crate) core: collection::Collection,
}

#[pymethods]
impl Collection {
    fn __len__(&self) -> usize {
        self.core.len()
    }

    fn id(&self, py: Python<'_>, position: usize) -> PyResult<Py<PyAny>> {
        check(position, self.core.len())?;
        from_json(py, self.core.label(position))
    }

    fn find(&self, py: Python<'_>, names: Vec<RecordName>) -> PyResult<Vec<Option<u32>>> {
        found(py, &self.core, names)
    }

    fn failures(&self) -> Vec<(usize, &'static str, Told)> {
        failures_from(0, &self.core.failures)
    }

    #[pyo3(signature = (sink, form, progress = None, blocks = 0, names = None))]
    fn write_fingerprints(
        &self,
        py: Python<'_>,
        sink: PathBuf,
        form: &str,
        progress: Option<Py<PyAny>>,
        blocks: u32,
        names: Option<Vec<String>>,
    ) -> PyResult<()> {
        run(py, 0, progress, |ctx| {
            output::write_fingerprints(&self.core, Form::parse(form)?, blocks, names.as_deref(), &sink, ctx)
        })
    }

    fn write_failed(&self, py: Python<'_>, sink: PathBuf) -> PyResult<()> {
        run(py, 0, None, |ctx| {
            output::write_failed(&self.core.sources, &self.core.failures, &sink, ctx)
        })
    }
}
