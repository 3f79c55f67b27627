//! Passages for Python.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use simsieve_core::dedup::output;
use simsieve_core::passages::rows::{Pair, Shared, pairs, write};
use simsieve_core::passages::{self, Anchors, Options, Outside, Span};

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
    /// What is outside of excluded places, in place of what was found.
    outside: OnceLock<Outside>,
    pairs: OnceLock<Vec<Pair>>,
}

impl Passages {
    fn found(&self) -> &[Span] {
        self.outside.get().map_or(&self.core.spans, |(spans, _)| spans)
    }

    fn chosen(&self, pairs: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<&Pair>> {
        let all = self.pairs.get().map_or(&[][..], Vec::as_slice);
        Ok(pairs.as_slice()?.iter().map(|&at| &all[at as usize]).collect())
    }
}

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
        Ok(Self {
            core,
            outside: OnceLock::new(),
            pairs: OnceLock::new(),
        })
    }

    /// Document, source, start and end in each, and how many sources have it where one is held for all, of every span.
    fn spans<'py>(&self, py: Python<'py>) -> [Bound<'py, PyArray1<i64>>; 7] {
        let spans = self.found();
        [
            column(py, spans, |span| span.document),
            column(py, spans, |span| span.source),
            column(py, spans, |span| span.place.0),
            column(py, spans, |span| span.place.1),
            column(py, spans, |span| span.source_place.0),
            column(py, spans, |span| span.source_place.1),
            column(py, spans, |span| span.common),
        ]
    }

    /// From now on spans and what is common are those outside of places, which are given by document, ascend and do not touch. It is
    /// asked once, before `pairs`.
    #[pyo3(signature = (places, threads = 0, progress = None))]
    fn outside(
        &self,
        py: Python<'_>,
        places: HashMap<u32, Vec<(u32, u32)>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let outside = run(py, threads, progress, |ctx| self.core.outside(&places, ctx))?;
        self.outside.get_or_init(|| outside);
        Ok(())
    }

    /// Document, source, number of spans, code points of the document and of the source in spans, and those of the longest, of every
    /// pair. With `together` those of the source are in one stretch of the document.
    fn pairs<'py>(&self, py: Python<'py>, together: bool) -> [Bound<'py, PyArray1<i64>>; 6] {
        let lengths = together.then_some(&self.core.lengths[..]);
        let pairs = self.pairs.get_or_init(|| pairs(self.found(), lengths));
        [
            column(py, pairs, |pair| pair.document),
            column(py, pairs, |pair| pair.source),
            column(py, pairs, |pair| pair.spans.len() as u32),
            column(py, pairs, |pair| pair.own),
            column(py, pairs, |pair| pair.other),
            column(py, pairs, |pair| pair.longest),
        ]
    }

    /// Start and end in document and source, score, and how many sources have it where one is held for all, of the spans of a pair.
    fn spans_of(&self, pair: usize) -> Vec<(u32, u32, u32, u32, f64, u32)> {
        let spans = &self.found()[self.pairs.get().map_or(0..0, |pairs| pairs[pair].spans.clone())];
        let row = |span: &Span| {
            let ((start, end), (from, to)) = (span.place, span.source_place);
            (start, end, from, to, span.rounded_score(), span.common)
        };
        spans.iter().map(row).collect()
    }

    /// The code points of spans with any of some pairs, by document; the pairs are in the order of documents.
    fn covered(&self, pairs: PyReadonlyArray1<'_, i64>) -> PyResult<Vec<(u32, u32)>> {
        let pairs = self.chosen(&pairs)?;
        let of = |some: &[&Pair]| {
            let spans = some.iter().flat_map(|pair| &self.found()[pair.spans.clone()]);
            (
                some[0].document,
                passages::covered(spans.map(|span| span.place).collect()),
            )
        };
        let by_document = pairs.chunk_by(|one, other| one.document == other.document);
        Ok(by_document.map(of).collect())
    }

    /// Writes a line for each of some pairs, with the shares of document and source that are in spans.
    fn write_rows(
        &self,
        py: Python<'_>,
        pairs: PyReadonlyArray1<'_, i64>,
        shares: PyReadonlyArray1<'_, f64>,
        source_shares: PyReadonlyArray1<'_, f64>,
        sink: PathBuf,
    ) -> PyResult<()> {
        let shares = shares.as_slice()?.iter().zip(source_shares.as_slice()?);
        let pairs = self.chosen(&pairs)?.into_iter().cloned();
        let rows: Vec<Shared> = pairs.zip(shares.map(|(&one, &other)| [one, other])).collect();
        run(py, 0, None, |ctx| write(&self.core, self.found(), &rows, &sink, ctx))
    }

    /// Pairs left out because enough sources equal to theirs have spans.
    #[getter]
    fn unlisted(&self) -> u64 {
        self.core.unlisted
    }

    /// Characters of a document that common anchors cover and no span does, by its position.
    #[getter]
    fn common(&self) -> Vec<(u32, u32)> {
        self.outside
            .get()
            .map_or(&self.core.common, |(_, common)| common)
            .clone()
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

fn column<'py, T>(py: Python<'py>, all: &[T], value: fn(&T) -> u32) -> Bound<'py, PyArray1<i64>> {
    let values: Vec<i64> = all.iter().map(|one| value(one).into()).collect();
    values.into_pyarray(py)
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
