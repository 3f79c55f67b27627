//! Maps failures of the core to the exceptions of `simsieve.errors`.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyType};
use simsieve_core::base::error::Error;

static CONFIG: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SOURCE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SINK: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static TOO_MANY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static TEXT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static INTERNAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static INTERRUPTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The exception for a failure of the core; if its class cannot be imported, the import error.
pub fn to_python(error: &Error) -> PyErr {
    let (class, name) = match error {
        Error::Config(_) => (&CONFIG, "ConfigError"),
        Error::Source { .. } => (&SOURCE, "SourceError"),
        Error::Sink { .. } => (&SINK, "SinkError"),
        Error::TooMany(_) => (&TOO_MANY, "TooManyPairsError"),
        Error::Text { index, code, message } => return text_error(&error.to_string(), *index, code, message),
        Error::Memory(_) => return PyMemoryError::new_err(error.to_string()),
        Error::Interrupted => (&INTERRUPTED, "Interrupted"),
    };
    made_of(class, name, error.to_string())
}

fn made_of(class: &PyOnceLock<Py<PyType>>, name: &str, text: String) -> PyErr {
    Python::attach(|py| {
        let made = class
            .import(py, "simsieve.errors", name)
            .and_then(|class| class.call1((text,)));
        made.map_or_else(|failed| failed, PyErr::from_value)
    })
}

/// The exception for a fault of the core itself.
pub fn internal_error(message: &str) -> PyErr {
    made_of(
        &INTERNAL,
        "InternalError",
        format!("{message}; please report it with the lines above"),
    )
}

/// The exception for an unusable text: its message, the index and code of the text, and the reason alone.
pub fn text_error(shown: &str, index: usize, code: &str, why: &str) -> PyErr {
    Python::attach(|py| {
        let made = TEXT.import(py, "simsieve.errors", "TextError").and_then(|class| {
            let about = [
                ("index", index.into_pyobject(py)?.into_any()),
                ("code", code.into_pyobject(py)?.into_any()),
            ];
            let about = about.into_py_dict(py)?;
            about.set_item("why", why)?;
            class.call((shown,), Some(&about))
        });
        made.map_or_else(|failed| failed, PyErr::from_value)
    })
}
