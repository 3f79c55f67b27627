//! Templates for Python.

use std::path::PathBuf;
use std::sync::OnceLock;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use simsieve_core::dedup::output;
use simsieve_core::encode::input::templates::{FIELD, LEAST, VERSION};
use simsieve_core::passages::Options;
use simsieve_core::passages::templates::{self, Part};

use crate::convert::{check, failures_from, from_json};
use crate::door::run;
use crate::message::Told;
use crate::passages::options;
use crate::run_dir::RunDirectory;
use crate::scheme::Scheme;
use crate::store::Records;

/// Text, letters, documents, groups, and the places of a part: position, start, end.
type Row = (String, u32, u32, u32, Vec<(u32, u32, u32)>);

/// The parts that documents of many groups share.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Templates {
    core: templates::Found,
    parts: OnceLock<Vec<Part>>,
}

#[pymethods]
impl Templates {
    /// The field that marks a line as a template and gives its version.
    #[classattr]
    const FIELD: &'static str = FIELD;
    #[classattr]
    const VERSION: u64 = VERSION;
    /// The least letters of a template.
    #[classattr]
    const LEAST: u32 = LEAST;

    #[new]
    #[pyo3(signature = (
        store, scheme, text_field, id_field, min_length, min_count, groups, threads = 0, progress = None, run_dir = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn new(
        py: Python<'_>,
        store: &Records,
        scheme: &Scheme,
        text_field: Vec<String>,
        id_field: String,
        min_length: u32,
        min_count: u32,
        groups: PyReadonlyArray1<'_, u32>,
        threads: usize,
        progress: Option<Py<PyAny>>,
        run_dir: Option<&RunDirectory>,
    ) -> PyResult<Self> {
        let options = Options {
            min_length,
            ..options(scheme, text_field, id_field, run_dir)?
        };
        let groups = groups.as_array().to_vec();
        let core = run(py, threads, progress, |ctx| {
            templates::find(&store.core, &options, min_count, &groups, ctx)
        })?;
        Ok(Self {
            core,
            parts: OnceLock::new(),
        })
    }

    #[pyo3(signature = (groups, threads = 0, progress = None))]
    fn count(
        &self,
        py: Python<'_>,
        groups: PyReadonlyArray1<'_, u32>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let groups = groups.as_array().to_vec();
        let parts = run(py, threads, progress, |ctx| self.core.counted(&groups, ctx))?;
        self.parts.get_or_init(|| parts);
        Ok(())
    }

    /// A scheme that ignores these parts.
    fn ignored_by(&self, scheme: &Scheme) -> PyResult<Scheme> {
        Scheme::made(scheme.open.clone().ignoring(self.core.templates.clone()))
    }

    fn rows(&self) -> Vec<Row> {
        let row = |part: &Part| {
            let Part {
                text,
                letters,
                documents,
                groups,
                places,
            } = part.clone();
            (text, letters, documents, groups, places)
        };
        self.parts.get().into_iter().flatten().map(row).collect()
    }

    fn id(&self, py: Python<'_>, position: usize) -> PyResult<Py<PyAny>> {
        check(position, self.core.sources.len())?;
        from_json(py, self.core.label(position))
    }

    fn failures(&self) -> Vec<(usize, &'static str, Told)> {
        failures_from(0, &self.core.failures)
    }

    fn write_failed(&self, py: Python<'_>, sink: PathBuf) -> PyResult<()> {
        run(py, 0, None, |ctx| {
            output::write_failed(&self.core.sources, &self.core.failures, &sink, ctx)
        })
    }
}
