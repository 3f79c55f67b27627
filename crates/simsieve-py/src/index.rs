//! Durable indexes for Python.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{IntoPyDict, PyDict};
use simsieve_core::base::context::Context;
use simsieve_core::collection::dates::date_of;
use simsieve_core::dedup::decide;
use simsieve_core::encode::encoder;
use simsieve_core::encode::scheme;
use simsieve_core::index::{
    self, Added, BatchCounts, DecidedRun, Followed, KeptDocument, KnownDocument, KnownId, Made, NearDocument, NewBatch,
    Removed, Sizes, TextLabels,
};
use simsieve_core::search::documents;

use crate::convert::number;
use crate::decisions::Decisions;
use crate::door::{here, run, run_or_here};
use crate::errors::to_python;
use crate::scheme::Scheme;
use crate::seen::SeenRun;
use crate::store::Records;

/// A durable index of kept documents.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Index {
    core: index::Index,
}

/// The kept documents of one state of an index.
#[pyclass(frozen, module = "simsieve._core")]
pub struct KeptDocuments {
    core: Mutex<index::KeptDocuments>,
}

#[pymethods]
impl KeptDocuments {
    /// Ids as JSON, texts and dates in milliseconds of the next documents, at most `count`; none at the end.
    fn next(&self, py: Python<'_>, count: usize) -> PyResult<Vec<KeptDocument>> {
        py.detach(|| {
            let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
            core.next(count).map_err(|error| to_python(&error))
        })
    }
}

/// A kept document that is near a text: id as JSON, similarity, distance, text.
type Near = (Option<String>, Option<f64>, Option<u32>, String);

/// Whether the document of an id is kept, and of a dropped one the id of its representative as JSON and the similarity.
type Known = (bool, Option<String>, Option<f64>);

/// A batch: number, name, counts, and whether it was undone.
type BatchRow = (u32, String, [u64; 4], bool);

fn ready(schemes: &[PyRef<'_, Scheme>]) -> PyResult<Vec<scheme::Scheme>> {
    schemes.iter().map(|scheme| scheme.ready().cloned()).collect()
}

fn decided(decisions: &Decisions) -> DecidedRun<'_> {
    DecidedRun {
        documents: &decisions.documents,
        decisions: &decisions.core,
    }
}

fn added_dict(py: Python<'_>, added: Added) -> PyResult<Bound<'_, PyDict>> {
    let counts = [
        ("kept", added.kept),
        ("dropped", added.dropped),
        ("exact", added.exact),
        ("known", added.known),
        ("replaced", added.replaced),
    ];
    let dict = counts.into_py_dict(py)?;
    dict.set_item("batch", added.batch)?;
    dict.set_item("orphans", added.orphans)?;
    Ok(dict)
}

/// Ids, which are JSON, as the core has them.
fn labels(ids: Vec<Option<String>>) -> TextLabels {
    ids.into_iter().map(|id| id.map(String::into_bytes)).collect()
}

fn decisions((documents, core): (documents::Documents, decide::Decisions)) -> Decisions {
    Decisions {
        documents: Arc::new(documents),
        core,
    }
}

fn removed<'py>(py: Python<'py>, of: &Removed) -> PyResult<Bound<'py, PyDict>> {
    let dict = [("kept", of.kept), ("dropped", of.dropped)].into_py_dict(py)?;
    dict.set_item("missing", &of.missing)?;
    dict.set_item("orphans", &of.orphans)?;
    Ok(dict)
}

#[pymethods]
impl Index {
    /// Whether a directory is an index.
    #[staticmethod]
    fn is_index(path: PathBuf) -> bool {
        index::Index::is_index(&path)
    }

    /// Refuses the directory of a new index that has something in it.
    #[staticmethod]
    fn check_new(path: PathBuf) -> PyResult<()> {
        index::check_new(&path).map_err(|error| to_python(&error))
    }

    /// The settings that an index was made with.
    #[staticmethod]
    fn settings(path: PathBuf) -> PyResult<String> {
        index::Index::settings(&path).map_err(|error| to_python(&error))
    }

    /// Opens an index; its schemes are made of its settings.
    #[new]
    #[pyo3(signature = (path, schemes, write = false, progress = None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        schemes: Vec<PyRef<'_, Scheme>>,
        write: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let schemes = ready(&schemes)?;
        let core = run(py, 1, progress, |ctx| index::Index::open(&path, schemes, write, ctx))?;
        Ok(Self { core })
    }

    /// Makes an index of the documents that a run keeps.
    #[staticmethod]
    #[pyo3(signature = (path, settings, expected, decisions, common, threads = 0, progress = None, followed = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn create(
        py: Python<'_>,
        path: PathBuf,
        settings: &str,
        expected: u64,
        decisions: &Decisions,
        common: &str,
        threads: usize,
        progress: Option<Py<PyAny>>,
        followed: Option<(String, String)>,
    ) -> PyResult<Self> {
        let followed = followed.map(|(source, place)| Followed::new(source, place));
        let common = serde_json::from_str(common).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let made = Made {
            settings,
            expected,
            common,
        };
        let core = run(py, threads, progress, |ctx| {
            index::create(&path, made, decided(decisions), followed, ctx)
        })?;
        Ok(Self { core })
    }

    /// The settings of the index that is open.
    #[getter]
    fn made(&self) -> String {
        self.core.made()
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.core.path().to_path_buf()
    }

    /// Prepares a run on new records; `known` says what becomes of ids that the index has.
    fn seen(&self, known: &str) -> PyResult<SeenRun> {
        let known = KnownId::parse(known).map_err(|error| to_python(&error))?;
        let core = self.core.seen(known).map_err(|error| to_python(&error))?;
        Ok(SeenRun { core: Arc::new(core) })
    }

    /// Freezes the search keys of an index whose search tests every pair, where the records of a store make it too large for that.
    #[pyo3(signature = (store, text_field, threads = 0, progress = None))]
    fn prepare(
        &self,
        py: Python<'_>,
        store: &Records,
        text_field: Vec<String>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<bool> {
        run(py, threads, progress, |ctx| {
            index::prepare(&self.core, &store.core, &text_field, ctx)
        })
    }

    /// Adds what a run has decided, as one batch.
    #[pyo3(signature = (seen, decisions, name = None, threads = 0, progress = None, followed = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn add<'py>(
        &self,
        py: Python<'py>,
        seen: &SeenRun,
        decisions: &Decisions,
        name: Option<&str>,
        threads: usize,
        progress: Option<Py<PyAny>>,
        followed: Option<(String, String)>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let followed = followed.map(|(source, place)| Followed::new(source, place));
        let batch = NewBatch { name, followed };
        let added = run(py, threads, progress, |ctx| {
            index::add(&self.core, &seen.core, decided(decisions), batch, ctx)
        })?;
        added_dict(py, added)
    }

    /// Up to where a source that the index follows was read; none where it does not follow it.
    fn followed(&self, source: &str) -> Option<String> {
        index::followed(&self.core, source)
    }

    /// Decides on texts with ids, which are JSON. A text replaces the document that has its id.
    #[pyo3(signature = (texts, ids = None, threads = 0))]
    fn check(
        &self,
        py: Python<'_>,
        texts: Vec<PyBackedStr>,
        ids: Option<Vec<Option<String>>>,
        threads: usize,
    ) -> PyResult<Decisions> {
        let (is_brief, labels) = (encoder::is_brief(&texts), ids.map(labels));
        let check = |ctx: &Context<'_>| index::check(&self.core, &texts, labels, ctx);
        run_or_here(py, is_brief, threads, None, check).map(decisions)
    }

    /// Adds texts with ids, which are JSON, as one batch: what it came to, and the decisions.
    #[pyo3(signature = (texts, ids, known, name = None, threads = 0))]
    fn add_texts<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        ids: Option<Vec<Option<String>>>,
        known: &str,
        name: Option<&str>,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyDict>, Decisions)> {
        let known = KnownId::parse(known).map_err(|error| to_python(&error))?;
        let (is_brief, labels) = (encoder::is_brief(&texts), ids.map(labels));
        let add = |ctx: &Context<'_>| index::add_texts(&self.core, &texts, labels, known, name, ctx);
        let (added, documents, decided) = run_or_here(py, is_brief, threads, None, add)?;
        Ok((added_dict(py, added)?, decisions((documents, decided))))
    }

    /// At most `most` kept documents that are near a text, the nearest first: id as JSON, similarity, distance and text.
    #[pyo3(signature = (text, most, date = None, threads = 0))]
    fn query(
        &self,
        py: Python<'_>,
        text: PyBackedStr,
        most: usize,
        date: Option<&str>,
        threads: usize,
    ) -> PyResult<Vec<Near>> {
        let date = date.map(date_of).transpose().map_err(|error| to_python(&error))?;
        let is_brief = encoder::is_brief(std::slice::from_ref(&text));
        let query = |ctx: &Context<'_>| index::query(&self.core, &text, most, date, ctx);
        let found = run_or_here(py, is_brief, threads, None, query)?;
        let row = |near: NearDocument| (near.id, number(near.similarity), near.distance, near.text);
        Ok(found.into_iter().map(row).collect())
    }

    /// Removes the documents with these ids, which are JSON.
    #[pyo3(signature = (ids, threads = 0, progress = None))]
    fn remove<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<String>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let labels: Vec<Vec<u8>> = ids.into_iter().map(String::into_bytes).collect();
        let found = run(py, threads, progress, |ctx| index::remove(&self.core, &labels, ctx))?;
        removed(py, &found)
    }

    /// Takes a batch back.
    #[pyo3(signature = (name, threads = 0, progress = None))]
    fn undo<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let found = run(py, threads, progress, |ctx| index::undo(&self.core, name, ctx))?;
        removed(py, &found)
    }

    /// Removes the documents with earlier dates, or of all batches whose names come before one.
    #[pyo3(signature = (before, threads = 0, progress = None))]
    fn expire<'py>(
        &self,
        py: Python<'py>,
        before: &str,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let found = run(py, threads, progress, |ctx| index::expire(&self.core, before, ctx))?;
        removed(py, &found)
    }

    #[pyo3(signature = (purge = false, threads = 0, progress = None))]
    fn compact(&self, py: Python<'_>, purge: bool, threads: usize, progress: Option<Py<PyAny>>) -> PyResult<()> {
        run(py, threads, progress, |ctx| index::compact(&self.core, purge, ctx))
    }

    /// Makes the frozen set and the search keys anew, for this many documents at least.
    #[pyo3(signature = (documents = 0, threads = 0, progress = None))]
    fn refreeze(&self, py: Python<'_>, documents: u64, threads: usize, progress: Option<Py<PyAny>>) -> PyResult<()> {
        run(py, threads, progress, |ctx| {
            index::refreeze(&self.core, documents, None, ctx)
        })
    }

    fn snapshot(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        run(py, 1, None, |_| self.core.snapshot(&to))
    }

    #[pyo3(signature = (threads = 0, progress = None))]
    fn verify(&self, py: Python<'_>, threads: usize, progress: Option<Py<PyAny>>) -> PyResult<()> {
        run(py, threads, progress, |ctx| index::verify(&self.core, ctx))
    }

    /// Compares a sample of the kept documents with all earlier ones: sampled, missed, and whether the search is exact.
    #[pyo3(signature = (sample, threads = 0, progress = None))]
    fn recall<'py>(
        &self,
        py: Python<'py>,
        sample: usize,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let found = run(py, threads, progress, |ctx| index::recall(&self.core, sample, ctx))?;
        let dict = [("sampled", found.sampled), ("missed", found.missed)].into_py_dict(py)?;
        dict.set_item("exact", found.exact)?;
        Ok(dict)
    }

    /// Opens what other processes have added.
    fn refresh(&self, py: Python<'_>) -> PyResult<bool> {
        run(py, 1, None, |ctx| self.core.refresh(ctx))
    }

    /// The text of the kept document with an id, which is JSON.
    fn text(&self, py: Python<'_>, id: &str) -> PyResult<Option<String>> {
        py.detach(|| here(|| self.core.text(id.as_bytes()).map_err(|error| to_python(&error))))
    }

    /// Whether the document with an id is kept, and of a dropped one the id of its representative as JSON and the similarity.
    fn find(&self, id: &str) -> PyResult<Option<Known>> {
        let found = self.core.find(id.as_bytes()).map_err(|error| to_python(&error))?;
        Ok(found.map(|found| match found {
            KnownDocument::Kept => (true, None, None),
            KnownDocument::Dropped {
                representative,
                similarity,
            } => (false, representative, number(similarity)),
        }))
    }

    /// The newest batches: number, name, documents that are kept, dropped, gone, and removed by it, and whether it was undone.
    fn batches(&self, py: Python<'_>, newest: u32) -> PyResult<Vec<BatchRow>> {
        let all = py.detach(|| index::batches(&self.core, newest).map_err(|error| to_python(&error)))?;
        let row = |of: BatchCounts| {
            let counts = [of.kept, of.dropped, of.gone, of.removed];
            (of.number, of.name, counts, of.undone)
        };
        Ok(all.into_iter().map(row).collect())
    }

    /// The kept documents at this moment.
    fn kept(&self) -> KeptDocuments {
        KeptDocuments {
            core: Mutex::new(self.core.kept()),
        }
    }

    /// The sizes of the index.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Sizes {
            kept,
            dropped,
            segments,
            bytes,
            manifests,
            epoch,
            bucket,
            refreeze_due,
        } = py.detach(|| self.core.sizes().map_err(|error| to_python(&error)))?;
        let dict = [
            ("kept", kept),
            ("dropped", dropped),
            ("segments", segments),
            ("bytes", bytes),
            ("changes", manifests),
            ("epoch", epoch),
            ("largest_bucket", bucket),
        ]
        .into_py_dict(py)?;
        dict.set_item("refreeze_due", refreeze_due)?;
        Ok(dict)
    }
}
