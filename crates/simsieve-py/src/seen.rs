//! Runs against an index, for Python.

use std::sync::Arc;

use pyo3::prelude::*;
use simsieve_core::index;

/// One run against one state of an index.
#[pyclass(frozen, module = "simsieve._core")]
pub struct SeenRun {
    pub(crate) core: Arc<index::SeenRun>,
}
