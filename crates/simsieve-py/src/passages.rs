//! Passages for Python.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use simsieve_core::dedup::output;
use simsieve_core::passages::{self, Anchors, Options, Span};

use crate::convert::{check, failures_from, from_json};
use crate::door::run;
use crate::errors::to_python;
use crate::message::Told;
use crate::run_dir::RunDirectory;
use crate::scheme::Scheme;
use crate::store::Records;

/// The passages that records share with old records, or with earlier ones.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Passages {
    core: passages::Passages,
}

/// Document, source, start and end in each, how many sources have it where one is held for all, and score, of every span.
type SpanColumns<'py> = ([Bound<'py, PyArray1<i64>>; 7], Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Passages {
    #[new]
    #[pyo3(signature = (
        store, scheme, text_field, id_field, min_length, common, threads = 0, progress = None, run_dir = None, anchors = None,
        every_copy = false, cuts = false, room = u64::MAX, joined = 0, within = false
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn new(
        py: Python<'_>,
        store: &Records,
        scheme: &Scheme,
        text_field: Vec<String>,
        id_field: String,
        min_length: u32,
        common: u32,
        threads: usize,
        progress: Option<Py<PyAny>>,
        run_dir: Option<&RunDirectory>,
        anchors: Option<&PassageAnchors>,
        every_copy: bool,
        cuts: bool,
        room: u64,
        joined: u32,
        within: bool,
    ) -> PyResult<Self> {
        let options = Options {
            min_length,
            common,
            every_copy,
            cuts,
            room,
            joined,
            within,
            ..options(scheme, text_field, id_field, run_dir)?
        };
        let core = run(py, threads, progress, |ctx| {
            passages::find(&store.core, &options, anchors.map(|kept| &kept.core), ctx)
        })?;
        Ok(Self { core })
    }

    fn spans<'py>(&self, py: Python<'py>) -> SpanColumns<'py> {
        columns(py, &self.core.spans)
    }

    /// The spans and what is common outside of places, which are given by document, ascend and do not touch. It is asked once.
    #[pyo3(signature = (places, threads = 0, progress = None))]
    fn outside<'py>(
        &self,
        py: Python<'py>,
        places: HashMap<u32, Vec<(u32, u32)>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(SpanColumns<'py>, Vec<(u32, u32)>)> {
        let (spans, common) = run(py, threads, progress, |ctx| self.core.outside(&places, ctx))?;
        Ok((columns(py, &spans), common))
    }

    /// Pairs left out because enough sources equal to theirs have spans.
    #[getter]
    fn unlisted(&self) -> u64 {
        self.core.unlisted
    }

    /// Characters of a document that common anchors cover and no span does, by its position.
    #[getter]
    fn common(&self) -> Vec<(u32, u32)> {
        self.core.common.clone()
    }

    /// Lengths from which on every shared run is found: in Chinese characters, and in letters of an alphabet.
    #[getter]
    fn certain(&self) -> (u32, u32) {
        self.core.certain()
    }

    /// Code points of every record's text.
    #[getter]
    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.core.lengths.clone().into_pyarray(py)
    }

    fn id(&self, py: Python<'_>, position: usize) -> PyResult<Py<PyAny>> {
        check(position, self.core.lengths.len())?;
        from_json(py, self.core.label(position))
    }

    fn text(&self, py: Python<'_>, position: usize) -> PyResult<String> {
        check(position, self.core.lengths.len())?;
        py.detach(|| self.core.text(position))
            .map_err(|error| to_python(&error))
    }

    /// The failed records, old ones counted after the new.
    fn failures(&self) -> Vec<(usize, &'static str, Told)> {
        failures_from(0, &self.core.failures)
    }

    fn write_failed(&self, py: Python<'_>, sink: PathBuf) -> PyResult<()> {
        run(py, 0, None, |ctx| {
            output::write_failed(&self.core.sources, &self.core.failures, &sink, ctx)
        })
    }
}

fn columns<'py>(py: Python<'py>, spans: &[Span]) -> SpanColumns<'py> {
    let column = |value: fn(&Span) -> u32| {
        let values: Vec<i64> = spans.iter().map(|span| value(span).into()).collect();
        values.into_pyarray(py)
    };
    let scores: Vec<f64> = spans.iter().map(|span| span.score.into()).collect();
    let places = [
        column(|span| span.document),
        column(|span| span.source),
        column(|span| span.place.0),
        column(|span| span.place.1),
        column(|span| span.source_place.0),
        column(|span| span.source_place.1),
        column(|span| span.common),
    ];
    (places, scores.into_pyarray(py))
}

/// How records are read; what is found is for the caller to say.
pub(crate) fn options(
    scheme: &Scheme,
    text_field: Vec<String>,
    id_field: String,
    run_dir: Option<&RunDirectory>,
) -> PyResult<Options> {
    Ok(Options {
        run_dir: run_dir.map(|dir| Arc::clone(&dir.core)),
        ..Options::new(scheme.ready()?.clone(), text_field, id_field)
    })
}

/// The anchors of old records, in a file.
#[pyclass(frozen, module = "simsieve._core")]
pub struct PassageAnchors {
    core: Anchors,
    /// Whether the file was written now.
    #[pyo3(get)]
    made: bool,
}

#[pymethods]
impl PassageAnchors {
    /// Opens the file, or makes it where there is none that fits the records.
    #[new]
    #[pyo3(signature = (path, store, scheme, text_field, id_field, threads = 0, progress = None, run_dir = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        store: &Records,
        scheme: &Scheme,
        text_field: Vec<String>,
        id_field: String,
        threads: usize,
        progress: Option<Py<PyAny>>,
        run_dir: Option<&RunDirectory>,
    ) -> PyResult<Self> {
        let options = options(scheme, text_field, id_field, run_dir)?;
        let (core, made) = run(py, threads, progress, |ctx| {
            if let Some(kept) = Anchors::open(&path, &store.core, &options, ctx)? {
                return Ok((kept, false));
            }
            Anchors::make(&path, &store.core, &options, ctx).map(|made| (made, true))
        })?;
        Ok(Self { core, made })
    }
}
