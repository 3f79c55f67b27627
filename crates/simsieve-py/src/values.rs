//! Fingerprints as plain values and arrays, seen from Python.

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use simsieve_core::hamming::{self as search, Pair, Rows, Search};
use simsieve_core::kernel::Kernel;

use crate::door::{run, to_python};

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

type Columns<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
);

/// Every pair of rows within `max_distance` bits, sorted.
#[pyfunction]
#[pyo3(signature = (values, valid, width, max_distance, max_pairs, threads = 0, progress = None))]
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
) -> PyResult<Columns<'py>> {
    let words = values.shape()[1];
    // Owned before the interpreter is let go: another thread may write to the array meanwhile.
    let owned = values.as_slice()?.to_vec();
    let valid = valid.map(|valid| valid.to_vec()).transpose()?;
    let found = run(py, progress, |monitor| {
        let rows = Rows {
            values: &owned,
            valid: valid.as_deref(),
            words,
            width,
        };
        let wanted = Search {
            max_distance,
            max_pairs,
            threads,
            kernel: Kernel::active(),
        };
        search::near_pairs(&rows, &wanted, monitor)
    })?;
    let column = |value: fn(&Pair) -> i64| found.iter().map(value).collect::<Vec<i64>>().into_pyarray(py);
    Ok((
        column(|pair| pair.i.into()),
        column(|pair| pair.j.into()),
        column(|pair| pair.distance.into()),
    ))
}
