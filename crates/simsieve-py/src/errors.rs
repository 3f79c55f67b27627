//! Maps failures of the core to the exceptions of `simsieve.errors`.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict, PyType};
use simsieve_core::base::error::Error;
use simsieve_core::base::message::Message;

use crate::message::Told;

static CONFIG: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SOURCE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SINK: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static TOO_MANY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static TEXT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DIGEST: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static STORAGE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static RESUME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static INTERNAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static INTERRUPTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The exception for a failure of the core; if its class cannot be imported, the import error.
pub fn to_python(error: &Error) -> PyErr {
    let message = Told(error.message());
    let (class, name) = match error {
        Error::Config(_) => (&CONFIG, "ConfigError"),
        Error::Source { .. } => (&SOURCE, "SourceError"),
        Error::Sink { .. } => (&SINK, "SinkError"),
        Error::TooMany(_) => (&TOO_MANY, "TooManyPairsError"),
        Error::Resume(_) => (&RESUME, "ResumeError"),
        Error::Interrupted => (&INTERRUPTED, "Interrupted"),
        Error::Memory(_) => return PyMemoryError::new_err(error.to_string()),
        Error::Text {
            index,
            code,
            message: why,
        } => return text_error(message, *index, code, why),
        Error::Digest {
            digests: [one, other], ..
        } => {
            return raised(&DIGEST, "DigestError", |_, class| class.call1((message, (one, other))));
        }
        Error::Storage { retryable, .. } => {
            return raised(&STORAGE, "StorageError", |py, class| {
                class.call((message,), Some(&[("retryable", *retryable)].into_py_dict(py)?))
            });
        }
    };
    raised(class, name, |_, class| class.call1((message,)))
}

/// The exception that a call of the class makes; if the class cannot be imported or called, that error.
fn raised(
    class: &PyOnceLock<Py<PyType>>,
    name: &str,
    call: impl for<'py> FnOnce(Python<'py>, &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>>,
) -> PyErr {
    Python::attach(|py| {
        let made = class
            .import(py, "simsieve.errors", name)
            .and_then(|class| call(py, class));
        made.map_or_else(|failed| failed, PyErr::from_value)
    })
}

/// The exception for a fault of the core itself.
pub fn internal_error(message: &str) -> PyErr {
    let message = msg!("{message}; please report it with the lines above");
    raised(&INTERNAL, "InternalError", |_, class| class.call1((Told(message),)))
}

/// The exception for an unusable text: its message, the index and code of the text, and the reason alone.
pub fn text_error(shown: Told, index: usize, code: &str, why: &Message) -> PyErr {
    raised(&TEXT, "TextError", |py, class| {
        let about = PyDict::new(py);
        about.set_item("index", index)?;
        about.set_item("code", code)?;
        about.set_item("why", Told(why.clone()))?;
        class.call((shown,), Some(&about))
    })
}
