//! Documents for Python.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use simsieve_core::collection::Collection;
use simsieve_core::collection::keep_values::KeepValues;
use simsieve_core::collection::label_column::{LabelColumn, LabelKind, label_column, label_kind};
use simsieve_core::collection::relation::VerdictCounts;
use simsieve_core::dedup::decide;
use simsieve_core::dedup::output;
use simsieve_core::dedup::pairs::{self, Contained, NearPair};
use simsieve_core::forecast;
use simsieve_core::search::documents;
use simsieve_core::search::found::NO_DISTANCE;
use simsieve_core::source::RecordBuffer;

use crate::convert::{
    Nearness, RecordName, check, conflicts_of, failures_from, found, from_json, losses_from, lost_units,
};
use crate::decisions::Decisions;
use crate::door::run;
use crate::errors::to_python;
use crate::message::Told;

/// Every document's fingerprint, sketch, label and place in the keep order; the recipe is fixed.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Documents {
    pub(crate) core: Arc<documents::Documents>,
}

/// Pairs as columns: positions, positions, distances, similarities (NaN if there is none), numbers of [`Contained`] (0 if there is none).
type PairColumns<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i8>>,
);

/// Labels as a column: offsets, bytes, which records have one.
type Labels<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<bool>>,
);

type PairInputs<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, u8>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i8>,
);

#[pymethods]
impl Documents {
    /// The documents that were decided on.
    #[staticmethod]
    fn of_decisions(decisions: &Decisions) -> Self {
        Self {
            core: Arc::clone(&decisions.documents),
        }
    }

    #[getter]
    fn recipes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let encodings = &self.collection().encodings;
        let rows = self.core.recipes.iter().zip(encodings).map(|(recipe, encoding)| {
            let dict = PyDict::new(py);
            dict.set_item("digest", recipe.digest())?;
            dict.set_item("frozen_digest", encoding.frozen_digest.as_deref())?;
            dict.set_item("source", Told(forecast::describe(recipe, &encoding.scheme)))?;
            dict.set_item("keys", forecast::keys(recipe, &encoding.scheme))?;
            dict.set_item("max_bits", recipe.max_bits)?;
            dict.set_item("seed", recipe.seed)?;
            dict.set_item("log2_n", recipe.log2_n)?;
            Ok(dict)
        });
        rows.collect()
    }

    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let encoding = self.core.under(0).encoding;
        let shape = [self.collection().len(), encoding.scheme.words()];
        encoding.fingerprints.to_vec().into_pyarray(py).reshape(shape)
    }

    #[getter]
    fn valid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.core.under(0).encoding.valid.to_vec().into_pyarray(py)
    }

    #[getter]
    fn failed(&self) -> usize {
        self.collection().new_failures()
    }

    #[getter]
    fn old_failed(&self) -> usize {
        self.collection().failures.len() - self.collection().new_failures()
    }

    #[getter]
    fn repeated_ids(&self, py: Python<'_>) -> usize {
        py.detach(|| self.collection().repeated_labels())
    }

    /// The texts that the first scheme cleaned, those that were cut, those with a removed match, and those with a template.
    #[getter]
    fn cleaned(&self) -> (u64, Option<u64>, Option<u64>, Option<u64>) {
        let hits = self.collection().hits;
        (hits.texts, hits.cut_at, hits.strip, hits.ignore)
    }

    /// Counts of the verdicts' use, and a label that no record has.
    fn verdicts<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Option<String>)> {
        let VerdictCounts {
            different,
            same,
            keep,
            overruled,
            unknown,
            example,
            digest,
        } = self.collection().relation.counts();
        let dict = PyDict::new(py);
        dict.set_item("same", same)?;
        dict.set_item("different", different)?;
        dict.set_item("keep", keep)?;
        dict.set_item("overruled", overruled)?;
        dict.set_item("unknown", unknown)?;
        dict.set_item("digest", format!("{digest:032x}"))?;
        Ok((dict, example))
    }

    /// For each field of the keep order: its name, counts of numbers, texts and none, the first text, and two texts out of order.
    #[allow(clippy::type_complexity, reason = "one row of plain values, as Python has it")]
    fn keep_values(&self) -> Vec<(String, usize, usize, usize, Option<String>, Option<(String, String)>)> {
        let fields = self.collection().keep_values.iter().cloned();
        let row = |KeepValues {
                       field,
                       numbers,
                       texts,
                       missing,
                       text,
                       misordered,
                   }: KeepValues| { (field, numbers, texts, missing, text, misordered) };
        fields.map(row).collect()
    }

    fn id(&self, py: Python<'_>, position: usize) -> PyResult<Py<PyAny>> {
        self.check(position)?;
        from_json(py, self.collection().label(position))
    }

    fn label_kind(&self, py: Python<'_>) -> &'static str {
        py.detach(|| label_kind(self.collection())).name()
    }

    fn labels<'py>(&self, py: Python<'py>, kind: &str, positions: PyReadonlyArray1<'_, i64>) -> PyResult<Labels<'py>> {
        let kind = LabelKind::of_name(kind).ok_or_else(|| PyValueError::new_err(format!("unknown kind {kind:?}")))?;
        let positions = positions.as_slice()?;
        for position in positions {
            self.check((*position).max(0) as usize)?;
        }
        let LabelColumn { offsets, bytes, valid } = py.detach(|| {
            let positions = positions.iter().map(|&position| usize::try_from(position).ok());
            label_column(self.collection(), kind, positions)
        });
        Ok((offsets.into_pyarray(py), bytes.into_pyarray(py), valid.into_pyarray(py)))
    }

    fn find(&self, py: Python<'_>, names: Vec<RecordName>) -> PyResult<Vec<Option<u32>>> {
        found(py, self.collection(), names)
    }

    fn check_of(&self, position: usize) -> PyResult<Option<u32>> {
        self.check(position)?;
        Ok(self.collection().check(position as u32))
    }

    fn text(&self, py: Python<'_>, position: usize) -> PyResult<String> {
        self.check(position)?;
        let fetched = py.detach(|| {
            self.collection()
                .with_text(position as u32, &mut RecordBuffer::default(), str::to_owned)
        });
        fetched.map_err(|error| to_python(&error))
    }

    fn failure(&self, position: usize) -> PyResult<Option<(&'static str, Told)>> {
        self.check(position)?;
        let failures = &self.collection().failures;
        let found = failures.binary_search_by_key(&position, |(at, _)| *at).ok();
        Ok(found.map(|at| (failures[at].1.code, Told(failures[at].1.message.clone()))))
    }

    fn failures(&self) -> Vec<(usize, &'static str, Told)> {
        let collection = self.collection();
        failures_from(0, &collection.failures[..collection.new_failures()])
    }

    fn old_failures(&self) -> Vec<(usize, &'static str, Told)> {
        let collection = self.collection();
        failures_from(
            collection.sources.new_len(),
            &collection.failures[collection.new_failures()..],
        )
    }

    fn rethreshold(&self, nearness: Nearness) -> PyResult<Self> {
        let stricter = nearness
            .threshold()
            .and_then(|threshold| self.core.rethreshold(threshold));
        let core = Arc::new(stricter.map_err(|error| to_python(&error))?);
        Ok(Self { core })
    }

    #[pyo3(signature = (threads = 0, progress = None))]
    fn dedup(&self, py: Python<'_>, threads: usize, progress: Option<Py<PyAny>>) -> PyResult<Decisions> {
        let documents = Arc::clone(&self.core);
        let core = run(py, threads, progress, |ctx| decide::decide(&documents, ctx))?;
        Ok(Decisions { documents, core })
    }

    #[pyo3(signature = (max_pairs, lost = false, threads = 0, progress = None))]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        max_pairs: u64,
        lost: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PairColumns<'py>> {
        let found = run(py, threads, progress, |ctx| {
            pairs::near_pairs(&self.core, max_pairs, lost, ctx)
        })?;
        let column = |value: fn(&NearPair) -> i64| found.iter().map(value).collect::<Vec<i64>>().into_pyarray(py);
        let similarities: Vec<f64> = found.iter().map(|pair| pair.similarity).collect();
        let contained: Vec<u8> = found
            .iter()
            .map(|pair| pair.contained.map_or(0, |it| it as u8))
            .collect();
        Ok((
            column(|pair| pair.a.into()),
            column(|pair| pair.b.into()),
            column(|pair| {
                if pair.distance == NO_DISTANCE {
                    -1
                } else {
                    pair.distance.into()
                }
            }),
            similarities.into_pyarray(py),
            contained.into_pyarray(py),
            lost_units(&found.iter().map(|pair| pair.lost[0]).collect::<Vec<_>>()).into_pyarray(py),
            lost_units(&found.iter().map(|pair| pair.lost[1]).collect::<Vec<_>>()).into_pyarray(py),
            conflicts_of(&found.iter().map(|pair| pair.lost[0]).collect::<Vec<_>>()).into_pyarray(py),
        ))
    }

    #[pyo3(signature = (sink, pairs, progress = None, edits = None))]
    fn write_pairs(
        &self,
        py: Python<'_>,
        sink: PathBuf,
        pairs: PairInputs<'_>,
        progress: Option<Py<PyAny>>,
        edits: Option<Vec<f64>>,
    ) -> PyResult<()> {
        let (a, b, distance, similarity, contained) = (
            pairs.0.to_vec()?,
            pairs.1.to_vec()?,
            pairs.2.to_vec()?,
            pairs.3.to_vec()?,
            pairs.4.to_vec()?,
        );
        let conflicts = pairs.7.to_vec()?;
        let lost = [
            losses_from(&pairs.5.to_vec()?, &conflicts),
            losses_from(&pairs.6.to_vec()?, &conflicts),
        ];
        let n = a.len();
        let others = [
            b.len(),
            distance.len(),
            similarity.len(),
            contained.len(),
            lost[0].len(),
            lost[1].len(),
        ];
        if others != [n; 6] || edits.as_ref().is_some_and(|edits| edits.len() != n) {
            return Err(PyValueError::new_err("the columns of pairs differ in length"));
        }
        for &position in a.iter().chain(&b) {
            self.check(usize::try_from(position).unwrap_or(usize::MAX))?;
        }
        run(py, 0, progress, |ctx| {
            let pair = |at: usize| NearPair {
                a: a[at] as u32,
                b: b[at] as u32,
                distance: distance[at] as u32,
                similarity: similarity[at],
                contained: Contained::of(contained[at]),
                lost: [lost[0][at], lost[1][at]],
            };
            output::write_pairs(self.collection(), (0..n).map(pair), edits.as_deref(), &sink, ctx)
        })
    }

    fn write_failed(&self, py: Python<'_>, sink: PathBuf) -> PyResult<()> {
        let Collection { sources, failures, .. } = self.collection();
        run(py, 0, None, |ctx| output::write_failed(sources, failures, &sink, ctx))
    }
}

impl Documents {
    fn collection(&self) -> &Collection {
        &self.core.collection
    }

    fn check(&self, position: usize) -> PyResult<()> {
        check(position, self.collection().len())
    }
}
