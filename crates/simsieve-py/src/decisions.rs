//! Decisions for Python.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyString};
use simsieve_core::base::error::Result;
use simsieve_core::dedup::decide::{self, Counts, NOBODY};
use simsieve_core::dedup::recall::loss_summary;
use simsieve_core::dedup::recall::rejected::{self, Rejected};
use simsieve_core::dedup::{output, recall};
use simsieve_core::forecast;
use simsieve_core::index::{self, TextFate};
use simsieve_core::search::documents;
use simsieve_core::sink::Cell;
use simsieve_core::sink::decision_documents::{DecisionColumns, DecisionNames, decision_documents, mark_updates};

use crate::convert::{check, conflicts_of, from_json, lost_units, number};
use crate::door::run;
use crate::errors::to_python;

type RejectedColumns<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
);

/// What became of a text: decision, reason, its representative's id as JSON or its number among the texts, distance, similarity, lost, conflict.
type Fate = (
    u8,
    u8,
    (Option<String>, Option<usize>),
    Option<i32>,
    Option<f64>,
    i64,
    i8,
);

/// One decision for each record, as columns over positions.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Decisions {
    pub(crate) documents: Arc<documents::Documents>,
    pub(crate) core: decide::Decisions,
}

fn codes<T: Copy, C>(column: &[T], code: impl Fn(T) -> C) -> Vec<C> {
    column.iter().map(|&value| code(value)).collect()
}

fn signed(position: u32) -> i64 {
    if position == NOBODY { -1 } else { i64::from(position) }
}

impl Decisions {
    /// Documents that are made of positions, which are checked first. The interpreter is free meanwhile.
    fn bson<'n>(
        &self,
        py: Python<'_>,
        positions: &[usize],
        names: DecisionNames<'n>,
        make: impl FnOnce(DecisionColumns<'_>, &[usize], DecisionNames<'n>) -> Result<Vec<Vec<u8>>> + Send,
    ) -> PyResult<Vec<Py<PyBytes>>> {
        let len = self.core.decision.len();
        positions.iter().try_for_each(|position| check(*position, len))?;
        let made = py
            .detach(|| output::with_columns(&self.documents, &self.core, |columns| make(columns, positions, names)))
            .map_err(|error| to_python(&error))?;
        Ok(made.iter().map(|one| PyBytes::new(py, one).unbind()).collect())
    }
}

#[pymethods]
impl Decisions {
    fn __len__(&self) -> usize {
        self.core.decision.len()
    }

    /// What became of each text, where the records are texts that an index was asked about.
    fn fates(&self) -> Vec<Fate> {
        let fate = |fate: TextFate| {
            (
                fate.decision as u8,
                fate.reason as u8,
                (fate.representative, fate.of),
                (fate.distance >= 0).then_some(fate.distance),
                number(fate.similarity),
                lost_units(&[fate.lost])[0],
                conflicts_of(&[fate.lost])[0],
            )
        };
        index::fates(&self.documents, &self.core)
            .into_iter()
            .map(fate)
            .collect()
    }

    #[getter]
    fn decision<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        codes(&self.core.decision, |decision| decision as u8).into_pyarray(py)
    }

    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        codes(&self.core.reason, |reason| reason as u8).into_pyarray(py)
    }

    #[getter]
    fn representative<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        codes(&self.core.representative, signed).into_pyarray(py)
    }

    #[getter]
    fn distance<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.core.distance.to_vec().into_pyarray(py)
    }

    #[getter]
    fn lost<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        lost_units(&self.core.lost).into_pyarray(py)
    }

    /// 1 where numbers conflict with those of the representative, 0 where not, and -1 where that was not measured.
    #[getter]
    fn conflict<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        conflicts_of(&self.core.lost).into_pyarray(py)
    }

    #[getter]
    fn similarity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.similarity.to_vec().into_pyarray(py)
    }

    /// The columns of the records from `start` to `stop`, as arrays by name. Codes stand for words, `representative` is -1 where there is
    /// none, and `scheme` is empty where there are none. `source` counts in the names of sources that come with it.
    fn columns<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
        let len = self.core.decision.len();
        if start > stop || stop > len {
            return Err(PyIndexError::new_err(format!(
                "there are {len} decisions, not {start} to {stop}"
            )));
        }
        let Self { core, documents } = self;
        let (names, sources, lines) = output::places(&documents.collection, start..stop);
        let schemes = if core.scheme.is_empty() { 0..0 } else { start..stop };
        let dict = PyDict::new(py);
        let decision = codes(&core.decision[start..stop], |decision| decision as u8);
        dict.set_item("decision", decision.into_pyarray(py))?;
        let reason = codes(&core.reason[start..stop], |reason| reason as u8);
        dict.set_item("reason", reason.into_pyarray(py))?;
        let representative = codes(&core.representative[start..stop], signed);
        dict.set_item("representative", representative.into_pyarray(py))?;
        dict.set_item("distance", core.distance[start..stop].to_vec().into_pyarray(py))?;
        dict.set_item("similarity", core.similarity[start..stop].to_vec().into_pyarray(py))?;
        dict.set_item("lost", lost_units(&core.lost[start..stop]).into_pyarray(py))?;
        dict.set_item("conflict", conflicts_of(&core.lost[start..stop]).into_pyarray(py))?;
        dict.set_item("scheme", core.scheme[schemes].to_vec().into_pyarray(py))?;
        dict.set_item("source", sources.into_pyarray(py))?;
        dict.set_item("line", lines.into_pyarray(py))?;
        Ok((dict, names))
    }

    /// What near duplicates lose: how many were measured, the median, the longest, how many lose more than `units`, and how
    /// many have numbers that conflict.
    fn lost_summary(&self, py: Python<'_>, units: u32) -> (u64, f64, u32, u64, u64) {
        let found = py.detach(|| loss_summary::summary(&self.core, units));
        (found.measured, found.median, found.longest, found.much, found.conflicts)
    }

    /// Near duplicates to look at, as positions, each with the position of its representative, and the features of both.
    fn some_near(&self, largest: usize, drawn: usize, seed: u64) -> Vec<(u32, u32, u64)> {
        let sizes = &self.documents.collection.encodings[0].sizes;
        let some = loss_summary::some_near(&self.documents, &self.core, largest, drawn, seed);
        let row = |position: u32| {
            let to = self.core.representative[position as usize];
            (
                position,
                to,
                u64::from(sizes[position as usize]) + u64::from(sizes[to as usize]),
            )
        };
        some.into_iter().map(row).collect()
    }

    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Counts {
            read,
            kept,
            dropped,
            exact,
            near,
            failed,
            clusters,
            largest_cluster,
            candidates,
            verified,
        } = self.core.counts;
        [
            ("read", read),
            ("kept", kept),
            ("dropped", dropped),
            ("exact", exact),
            ("near", near),
            ("failed", failed),
            ("clusters", clusters),
            ("largest_cluster", largest_cluster),
            ("candidates", candidates),
            ("verified", verified),
        ]
        .into_py_dict(py)
    }

    /// Search keys of a document in the mean, and the pairs that met in one.
    fn met(&self) -> Option<(f64, u64)> {
        forecast::met(self.documents.under(0), self.core.rows.len() as u64)
    }

    fn row<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Bound<'py, PyDict>> {
        check(position, self.core.decision.len())?;
        let dict = PyDict::new(py);
        for (name, cell) in output::row_at(&self.documents, &self.core, position) {
            match cell {
                Cell::Absent | Cell::Null => dict.set_item(name, py.None())?,
                Cell::Json(label) => dict.set_item(name, from_json(py, Some(label))?)?,
                // The same texts are in many rows.
                Cell::Text(text) => dict.set_item(name, PyString::intern(py, &text))?,
                Cell::Whole(number) => dict.set_item(name, number)?,
                Cell::Truth(truth) => dict.set_item(name, truth)?,
                Cell::Real(number) => dict.set_item(name, number)?,
            }
        }
        Ok(dict)
    }

    /// The updates that mark documents of `MongoDB` in a field, each as BSON.
    fn mark_updates(
        &self,
        py: Python<'_>,
        positions: Vec<usize>,
        run: &str,
        packed_id: &str,
        field: &str,
    ) -> PyResult<Vec<Py<PyBytes>>> {
        let packed_id = Some(packed_id);
        self.bson(
            py,
            &positions,
            DecisionNames { run, packed_id },
            |columns, at, names| mark_updates(columns, at, names, field),
        )
    }

    /// Decisions as documents of `MongoDB`, each as BSON.
    #[pyo3(signature = (positions, run, packed_id = None))]
    fn documents(
        &self,
        py: Python<'_>,
        positions: Vec<usize>,
        run: &str,
        packed_id: Option<&str>,
    ) -> PyResult<Vec<Py<PyBytes>>> {
        self.bson(py, &positions, DecisionNames { run, packed_id }, decision_documents)
    }

    #[pyo3(signature = (sample = None, seed = 0, threads = 0, progress = None))]
    fn measure_recall<'py>(
        &self,
        py: Python<'py>,
        sample: Option<usize>,
        seed: u64,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let found = run(py, threads, progress, |ctx| {
            recall::measure(&self.documents, &self.core, sample, seed, ctx)
        })?;
        let dict = PyDict::new(py);
        dict.set_item("sampled", found.sampled)?;
        dict.set_item("missed", found.missed)?;
        dict.set_item("kept", found.kept)?;
        dict.set_item("near", found.near)?;
        dict.set_item("exact", found.exact)?;
        Ok(dict)
    }

    /// A sample of rejected pairs: positions, positions, distances, similarities.
    #[pyo3(signature = (seed = 0, threads = 0))]
    fn rejected<'py>(&self, py: Python<'py>, seed: u64, threads: usize) -> PyResult<RejectedColumns<'py>> {
        let found = run(py, threads, None, |ctx| {
            rejected::sample(&self.documents, &self.core, seed, ctx)
        })?;
        let column = |value: fn(&Rejected) -> i64| found.iter().map(value).collect::<Vec<i64>>().into_pyarray(py);
        let similarities: Vec<f64> = found.iter().map(|pair| pair.similarity).collect();
        Ok((
            column(|pair| pair.a.into()),
            column(|pair| pair.b.into()),
            column(|pair| pair.distance.into()),
            similarities.into_pyarray(py),
        ))
    }

    #[pyo3(signature = (sink, progress = None, edits = None))]
    fn write_decisions(
        &self,
        py: Python<'_>,
        sink: PathBuf,
        progress: Option<Py<PyAny>>,
        edits: Option<Vec<f64>>,
    ) -> PyResult<()> {
        if edits
            .as_ref()
            .is_some_and(|edits| edits.len() != self.core.decision.len())
        {
            return Err(PyValueError::new_err("there is not one edit for each decision"));
        }
        run(py, 0, progress, |ctx| {
            output::write_decisions(&self.documents, &self.core, edits.as_deref(), &sink, ctx)
        })
    }
}
