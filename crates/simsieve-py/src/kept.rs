//! The sink of kept records for Python.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use simsieve_core::base::context::Context;
use simsieve_core::base::error::{Error, Result};
use simsieve_core::sink::{AnyKeptSink, Decided, Decision, batch_records, kept_sink};
use simsieve_core::source::Sources;

use crate::convert::format_named;
use crate::door::run;
use crate::errors::to_python;

/// A sink of the core, in the order of calls of its trait `Sink`.
#[pyclass(frozen, module = "simsieve._core")]
pub struct KeptSink {
    sources: Arc<Sources>,
    /// None after the commit or the abort.
    sink: Mutex<Option<AnyKeptSink>>,
    batch_records: usize,
    name: String,
}

/// Consecutive records, and which of them are written.
#[derive(FromPyObject)]
struct Rows<'py> {
    first: usize,
    wanted: PyReadonlyArray1<'py, bool>,
}

impl KeptSink {
    pub fn new(sources: &Arc<Sources>, path: &Path, format: Option<&str>, link: bool) -> PyResult<Self> {
        let made = format_named(format).and_then(|format| kept_sink(sources, path, format, link));
        Ok(Self {
            sources: Arc::clone(sources),
            sink: Mutex::new(Some(made.map_err(|error| to_python(&error))?)),
            batch_records: batch_records(path),
            name: path.display().to_string(),
        })
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<AnyKeptSink>, &Context<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        run(py, 1, None, |ctx| {
            work(&mut self.sink.lock().unwrap_or_else(PoisonError::into_inner), ctx)
        })
    }

    fn ended(&self) -> Error {
        Error::Config(msg!("the output {name} has ended; make another one", name = self.name))
    }
}

#[pymethods]
impl KeptSink {
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |sink, _| {
            sink.as_ref().ok_or_else(|| self.ended())?.check(&self.sources)
        })
    }

    fn begin(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |sink, _| {
            sink.as_mut().ok_or_else(|| self.ended())?.begin(&self.sources)
        })
    }

    #[pyo3(signature = (batch, /))]
    fn write(&self, py: Python<'_>, batch: Rows<'_>) -> PyResult<()> {
        let decision = |&wanted: &bool| if wanted { Decision::Kept } else { Decision::Dropped };
        let decisions: Vec<_> = batch.wanted.as_array().iter().map(decision).collect();
        let first = batch.first;
        let size = self.batch_records;
        self.with(py, |sink, ctx| {
            let sink = sink.as_mut().ok_or_else(|| self.ended())?;
            for (at, decisions) in decisions.chunks(size).enumerate() {
                let first = first + at * size;
                ctx.tick("write", first as u64, self.sources.new_len() as u64)?;
                sink.write(&Decided { first, decisions })?;
            }
            Ok(())
        })
    }

    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |sink, _| {
            // What was written is of the records that were decided on.
            self.sources.check_unchanged()?;
            sink.take().ok_or_else(|| self.ended())?.commit()
        })
    }

    fn abort(&self) {
        let sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sink) = sink {
            sink.abort();
        }
    }
}
