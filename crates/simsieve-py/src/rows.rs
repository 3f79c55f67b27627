//! Rows passed from Python: column by column, or as documents of `MongoDB`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use simsieve_core::source::{self, ArrowColumn, ColumnType, RowSpool};

use crate::convert::bson_fields;
use crate::errors::to_python;
use crate::run_dir::RunDirectory;
use crate::store::Records;

/// A column: its type (`json`, `texts` or `bytes`), one more offset than rows, all bytes, and which rows have a value.
type ColumnInput<'py> = (
    String,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, u8>,
    Option<PyReadonlyArray1<'py, bool>>,
);

/// Rows before they become a store.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Rows {
    core: Mutex<Option<RowSpool>>,
}

impl Rows {
    fn with<T>(&self, work: impl FnOnce(&mut Option<RowSpool>) -> PyResult<T>) -> PyResult<T> {
        let mut held = self
            .core
            .lock()
            .map_err(|_| PyValueError::new_err("an earlier call failed"))?;
        work(&mut held)
    }
}

fn column_type(name: &str) -> PyResult<ColumnType> {
    match name {
        "json" => Ok(ColumnType::Json),
        "texts" => Ok(ColumnType::Texts),
        "bytes" => Ok(ColumnType::Bytes),
        _ => Err(PyValueError::new_err(format!("a column holds no {name:?}"))),
    }
}

/// The number of the cursor of a server's answer, given as its document; 0 where nothing more is to be sent.
#[pyfunction]
pub fn cursor_number(cursor: &[u8]) -> PyResult<i64> {
    source::cursor_number(cursor).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn finished() -> PyErr {
    PyValueError::new_err("the rows are a store already")
}

#[pymethods]
impl Rows {
    /// With a directory the rows are in a file there. Rows of this name that were committed are there already. Else they are in a
    /// temporary file of `folder`, or of the system's folder where there is none.
    #[new]
    #[pyo3(signature = (names, max_record_bytes, directory = None, name = "", folder = None))]
    fn new(
        py: Python<'_>,
        names: Vec<String>,
        max_record_bytes: u64,
        directory: Option<Py<RunDirectory>>,
        name: &str,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let directory = directory.map(|directory| Arc::clone(&directory.get().core));
        let core = py.detach(|| match &directory {
            Some(directory) => RowSpool::in_directory(directory, name, &names, max_record_bytes),
            None => RowSpool::new(&names, max_record_bytes, folder.as_deref()),
        });
        let core = core.map_err(|error| to_python(&error))?;
        Ok(Self {
            core: Mutex::new(Some(core)),
        })
    }

    fn __len__(&self) -> PyResult<usize> {
        self.with(|held| Ok(held.as_ref().ok_or_else(finished)?.rows()))
    }

    /// Whether all rows are there, since they were committed.
    #[getter]
    fn is_complete(&self) -> PyResult<bool> {
        self.with(|held| Ok(held.as_ref().ok_or_else(finished)?.is_finished()))
    }

    /// The first `_id` that two documents have.
    #[getter]
    fn repeated_id(&self) -> PyResult<Option<String>> {
        self.with(|held| Ok(held.as_ref().ok_or_else(finished)?.repeated_id().map(str::to_owned)))
    }

    /// Ends the rows and makes them durable under a name in the directory.
    fn commit(&self, py: Python<'_>, directory: &RunDirectory, name: &str) -> PyResult<()> {
        py.detach(|| {
            self.with(|held| {
                let spool = held.as_mut().ok_or_else(finished)?;
                spool.commit(&directory.core, name).map_err(|error| to_python(&error))
            })
        })
    }

    fn begin(&self, name: PathBuf) -> PyResult<()> {
        self.with(|held| {
            held.as_mut().ok_or_else(finished)?.begin(name);
            Ok(())
        })
    }

    fn add(&self, rows: usize, columns: Vec<ColumnInput<'_>>) -> PyResult<()> {
        let valid: Vec<_> = columns
            .iter()
            .map(|column| column.3.as_ref().map(PyReadonlyArray1::as_slice).transpose())
            .collect::<Result<_, _>>()?;
        let made = columns.iter().zip(valid).map(|((values, offsets, bytes, _), valid)| {
            Ok(ArrowColumn {
                offsets: offsets.as_slice()?,
                bytes: bytes.as_slice()?,
                valid,
                values: column_type(values)?,
            })
        });
        let made = made.collect::<PyResult<Vec<_>>>()?;
        self.with(|held| {
            let spool = held.as_mut().ok_or_else(finished)?;
            spool.add(rows, &made).map_err(|error| to_python(&error))
        })
    }

    /// The interpreter is free meanwhile, so that another thread fetches the next batch.
    fn add_documents(&self, py: Python<'_>, batch: &[u8], fields: Vec<(String, String)>) -> PyResult<usize> {
        let fields = bson_fields(fields)?;
        py.detach(|| {
            self.with(|held| {
                let spool = held.as_mut().ok_or_else(finished)?;
                spool.add_documents(batch, &fields).map_err(|error| to_python(&error))
            })
        })
    }

    /// How many documents were added, and the last one. The interpreter is free meanwhile.
    fn add_page(
        &self,
        py: Python<'_>,
        cursor: &[u8],
        fields: Vec<(String, String)>,
        after: Option<PyBackedBytes>,
        limit: usize,
    ) -> PyResult<(usize, Option<Py<PyBytes>>)> {
        let fields = bson_fields(fields)?;
        let (count, last) = py.detach(|| {
            self.with(|held| {
                let spool = held.as_mut().ok_or_else(finished)?;
                let added = spool.add_page(cursor, &fields, after.as_deref(), limit);
                added.map_err(|error| to_python(&error))
            })
        })?;
        Ok((count, last.map(|document| PyBytes::new(py, document).unbind())))
    }

    #[pyo3(signature = (others = vec![]))]
    fn finish(&self, others: Vec<Py<Self>>) -> PyResult<Records> {
        let taken = |rows: &Self| rows.with(|held| held.take().ok_or_else(finished));
        let mut spools = vec![taken(self)?];
        for other in &others {
            spools.push(taken(other.get())?);
        }
        let core = RowSpool::joined(spools).map_err(|error| to_python(&error))?;
        Ok(Records { core: Arc::new(core) })
    }
}
