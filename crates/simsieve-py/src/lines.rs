//! Repeated lines for Python.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use simsieve_core::dedup::output;
use simsieve_core::lines::units::Unit;
use simsieve_core::lines::{self, Choice, Options};

use crate::convert::{check, failures_from};
use crate::door::run;
use crate::errors::to_python;
use crate::message::Told;
use crate::run_dir::RunDirectory;
use crate::store::Records;

/// The lines, sentences or paragraphs of a collection.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Lines {
    core: lines::Lines,
}

#[pymethods]
impl Lines {
    #[new]
    #[pyo3(signature = (store, text_field, id_field, scope, unit, min_length, threads = 0, progress = None, run_dir = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn new(
        py: Python<'_>,
        store: &Records,
        text_field: String,
        id_field: String,
        scope: Option<String>,
        unit: &str,
        min_length: u32,
        threads: usize,
        progress: Option<Py<PyAny>>,
        run_dir: Option<&RunDirectory>,
    ) -> PyResult<Self> {
        let options = Options {
            text_field,
            id_field,
            scope,
            unit: Unit::parse(unit).map_err(|error| to_python(&error))?,
            min_length,
            run_dir: run_dir.map(|dir| Arc::clone(&dir.core)),
        };
        let core = run(py, threads, progress, |ctx| {
            lines::Lines::read(&store.core, options, ctx)
        })?;
        Ok(Self { core })
    }

    /// How many units are long enough to count.
    #[getter]
    fn units(&self) -> usize {
        self.core.units()
    }

    /// Code points of every text.
    #[getter]
    fn characters<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.core.characters.clone().into_pyarray(py)
    }

    #[pyo3(signature = (sink, similarity, threads = 0, progress = None))]
    fn write_distinct<'py>(
        &self,
        py: Python<'py>,
        sink: PathBuf,
        similarity: f64,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, usize)> {
        let (numbers, count) = run(py, threads, progress, |ctx| {
            self.core.write_distinct(&sink, similarity, ctx)
        })?;
        Ok((numbers.into_pyarray(py), count))
    }

    #[pyo3(signature = (keep, min_share, shown, representatives = None, threads = 0, progress = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn remove(
        &self,
        py: Python<'_>,
        keep: usize,
        min_share: f64,
        shown: usize,
        representatives: Option<PyReadonlyArray1<'_, u32>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<RemovedLines> {
        let choice = Choice { keep, min_share, shown };
        let representatives = representatives.map(|all| all.as_array().to_vec());
        let core = run(py, threads, progress, |ctx| {
            self.core.remove(choice, representatives.as_deref(), ctx)
        })?;
        Ok(RemovedLines { core })
    }

    fn failures(&self) -> Vec<(usize, &'static str, Told)> {
        failures_from(0, &self.core.failures)
    }

    fn write_failed(&self, py: Python<'_>, sink: PathBuf) -> PyResult<()> {
        run(py, 0, None, |ctx| {
            output::write_failed(self.core.sources(), &self.core.failures, &sink, ctx)
        })
    }
}

/// A collection without what is repeated in it.
#[pyclass(frozen, module = "simsieve._core")]
pub struct RemovedLines {
    core: lines::Removed,
}

#[pymethods]
impl RemovedLines {
    /// The records without what goes.
    #[getter]
    fn store(&self) -> Records {
        Records {
            core: Arc::clone(self.core.sources()),
        }
    }

    /// Code points that go, of every text.
    #[getter]
    fn characters<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.core.characters.clone().into_pyarray(py)
    }

    /// Different units, repeated ones, and units that go.
    #[getter]
    fn counts(&self) -> (u64, u64, u64) {
        (self.core.distinct, self.core.repeated, self.core.count)
    }

    /// Count, number of texts, first position and text of the most frequent units.
    #[getter]
    fn frequent(&self) -> Vec<(u64, u64, usize, String)> {
        let rows = self.core.frequent.iter();
        rows.map(|unit| (unit.count, unit.documents, unit.position, unit.text.clone()))
            .collect()
    }

    /// First position, texts, code points and those that go, of each scope.
    #[getter]
    fn scopes(&self) -> Vec<(usize, u64, u64, u64)> {
        let rows = self.core.scopes.iter();
        rows.map(|scope| (scope.position, scope.documents, scope.characters, scope.removed))
            .collect()
    }

    fn text(&self, py: Python<'_>, position: usize) -> PyResult<String> {
        check(position, self.core.characters.len())?;
        py.detach(|| self.core.text(position))
            .map_err(|error| to_python(&error))
    }

    fn spans(&self, py: Python<'_>, position: usize) -> PyResult<Vec<(u32, u32)>> {
        check(position, self.core.characters.len())?;
        py.detach(|| self.core.spans(position))
            .map_err(|error| to_python(&error))
    }
}
