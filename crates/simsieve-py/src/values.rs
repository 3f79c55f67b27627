//! Fingerprints as plain values and arrays for Python.

use std::borrow::Cow;

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use simsieve_core::base::context::Context;
use simsieve_core::base::kernel::Kernel;
use simsieve_core::encode::fingerprint::blocks::blocks;
use simsieve_core::hamming::{self as search, Options, Pair, Rows, Search};

use crate::door::{run, run_or_here};
use crate::errors::to_python;

/// Bits in which two byte strings of one length differ.
#[pyfunction]
pub fn hamming(a: &[u8], b: &[u8]) -> PyResult<u32> {
    if a.len() != b.len() {
        return Err(PyValueError::new_err(format!(
            "{} and {} bytes cannot be compared",
            a.len(),
            b.len()
        )));
    }
    Ok(a.iter().zip(b).map(|(x, y)| (x ^ y).count_ones()).sum())
}

/// The blocks of each fingerprint, the most significant one first; see `blocks` of the core.
#[pyfunction]
pub fn cut_blocks<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, u64>,
    width: u32,
    count: u32,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let words = values.shape()[1].max(1);
    let taken = values.as_slice()?.chunks(words);
    let cut: Vec<u64> = taken
        .flat_map(|words| blocks(words, width, count))
        .map(|(_, block)| block)
        .collect();
    cut.into_pyarray(py).reshape([values.shape()[0], count as usize])
}

/// The names of this machine's kernels, the portable one first.
#[pyfunction]
pub fn kernels() -> Vec<&'static str> {
    Kernel::available().into_iter().map(Kernel::name).collect()
}

/// The name of the kernel in use.
#[pyfunction]
pub fn kernel() -> PyResult<&'static str> {
    Kernel::chosen().map(Kernel::name).map_err(|error| to_python(&error))
}

/// Rows, and which of them are valid.
type ValidRows<'py> = (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray1<bool>>);

/// (i, j, distance), one entry for each pair.
pub type Columns<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
);

/// From this many words (64 MiB) on an array is read in place: a copy would cost the memory that a mapped file saves.
const IN_PLACE: usize = 1 << 23;

/// Fingerprints from Python: values, and which rows count.
pub type Arrays<'py> = (PyReadonlyArray2<'py, u64>, Option<PyReadonlyArray1<'py, bool>>);

/// The words of an array, for work with the interpreter released.
pub struct Taken<'a> {
    values: Cow<'a, [u64]>,
    valid: Option<Vec<bool>>,
    words: usize,
}

impl<'a> Taken<'a> {
    /// Small arrays are owned, because another thread may write to them; the caller must not write to large ones.
    pub fn new((values, valid): &'a Arrays<'_>) -> PyResult<Self> {
        let words = values.shape()[1];
        let slice = values.as_slice()?;
        Ok(Self {
            values: if slice.len() < IN_PLACE {
                slice.to_vec().into()
            } else {
                slice.into()
            },
            valid: valid
                .as_ref()
                .map(|valid| valid.as_slice().map(<[bool]>::to_vec))
                .transpose()?,
            words,
        })
    }

    /// The rows, each of `width` bits.
    pub fn rows(&self, width: u32) -> Rows<'_> {
        Rows {
            values: &self.values,
            valid: self.valid.as_deref(),
            words: self.words,
            width,
        }
    }
}

/// Pairs as columns.
pub fn columns<'py>(py: Python<'py>, found: &[Pair]) -> Columns<'py> {
    let column = |value: fn(&Pair) -> i64| found.iter().map(value).collect::<Vec<i64>>().into_pyarray(py);
    (
        column(|pair| pair.i.into()),
        column(|pair| pair.j.into()),
        column(|pair| pair.distance.into()),
    )
}

/// Every pair of rows within `max_distance` bits, sorted; with `other` = (values, valid, width), across the two.
#[pyfunction]
#[pyo3(signature = (
    values, valid, width, max_distance, max_pairs, threads = 0, progress = None, other = None, memory = 0,
    recall = 1.0, seed = 0
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
pub fn near_pairs<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, u64>,
    valid: Option<PyReadonlyArray1<'py, bool>>,
    width: u32,
    max_distance: u32,
    max_pairs: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
    other: Option<(PyReadonlyArray2<'py, u64>, Option<PyReadonlyArray1<'py, bool>>, u32)>,
    memory: u64,
    recall: f64,
    seed: u64,
) -> PyResult<Columns<'py>> {
    let ours = (values, valid);
    let theirs = other.map(|(values, valid, width)| ((values, valid), width));
    let taken = Taken::new(&ours)?;
    let other = match &theirs {
        Some((arrays, width)) => Some((Taken::new(arrays)?, *width)),
        None => None,
    };
    let found = run(py, threads, progress, |ctx| {
        let other = other.as_ref().map(|(taken, width)| taken.rows(*width));
        let wanted = Search {
            max_distance,
            max_pairs,
        };
        let options = Options { memory, recall, seed };
        search::near_pairs_with(&taken.rows(width), other.as_ref(), &wanted, &options, ctx)
    })?;
    Ok(columns(py, &found))
}

/// An index in memory: the rows within a distance of others.
#[pyclass(frozen, module = "simsieve._core")]
pub struct HammingIndex {
    core: search::HammingIndex,
}

#[pymethods]
impl HammingIndex {
    #[new]
    #[pyo3(signature = (values, valid, width, max_distance, threads = 0, progress = None))]
    fn new<'py>(
        py: Python<'py>,
        values: PyReadonlyArray2<'py, u64>,
        valid: Option<PyReadonlyArray1<'py, bool>>,
        width: u32,
        max_distance: u32,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let arrays = (values, valid);
        let taken = Taken::new(&arrays)?;
        let core = run(py, threads, progress, |ctx| {
            search::HammingIndex::new(&taken.rows(width), max_distance, ctx)
        })?;
        Ok(Self { core })
    }

    fn __len__(&self) -> usize {
        self.core.len()
    }

    /// The rows, and which of them are valid.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<ValidRows<'py>> {
        let (values, valid) = self.core.values();
        let words = values.len().checked_div(valid.len()).unwrap_or(1);
        let values = values.into_pyarray(py).reshape([valid.len(), words])?;
        Ok((values, valid.into_pyarray(py)))
    }

    #[pyo3(signature = (values, valid, width, max_pairs, threads = 0, progress = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn query<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, u64>,
        valid: Option<PyReadonlyArray1<'py, bool>>,
        width: u32,
        max_pairs: u64,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Columns<'py>> {
        let arrays = (values, valid);
        let taken = Taken::new(&arrays)?;
        let rows = taken.rows(width);
        let is_brief = self.core.is_brief(rows.len());
        let work = |ctx: &Context<'_>| self.core.query(&rows, max_pairs, ctx);
        let found = run_or_here(py, is_brief, threads, progress, work)?;
        Ok(columns(py, &found))
    }
}
