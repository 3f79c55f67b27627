//! The one door from Python into long work: it lets the interpreter go, hears Ctrl-C, tells progress and maps errors.

use std::time::{Duration, Instant};

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use simsieve_core::error::{Error, Result};
use simsieve_core::monitor::Monitor;

create_exception!(
    _core,
    CoreError,
    PyException,
    "A failure told by the core; `kind` is config, source, sink, too_many, text or interrupted."
);

/// A core error as the exception that `simsieve.errors.translate` knows.
pub fn to_python(error: &Error) -> PyErr {
    let kind = match error {
        Error::Config(_) => "config",
        Error::Source { .. } => "source",
        Error::Sink { .. } => "sink",
        Error::TooMany(_) => "too_many",
        Error::Text { .. } => "text",
        Error::Interrupted => "interrupted",
    };
    Python::attach(|py| {
        let exception = CoreError::new_err(error.to_string());
        match exception.value(py).setattr("kind", kind) {
            Ok(()) => exception,
            Err(failed) => failed,
        }
    })
}

/// How often at most Python is asked, so that asking costs nothing.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs `work` with the interpreter let go; `progress` is called with (stage, done, total) now and then.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn Monitor) -> Result<T> + Send,
) -> PyResult<T> {
    let mut asker = Asker {
        progress,
        asked: None,
        raised: None,
    };
    let result = py.detach(|| work(&mut asker));
    result.map_err(|error| asker.raised.take().unwrap_or_else(|| to_python(&error)))
}

struct Asker {
    progress: Option<Py<PyAny>>,
    asked: Option<Instant>,
    raised: Option<PyErr>,
}

impl Monitor for Asker {
    fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        let is_end = done == 0 || done == total;
        if !is_end && self.asked.is_some_and(|asked| asked.elapsed() < PAUSE) {
            return Ok(());
        }
        self.asked = Some(Instant::now());
        let answer = Python::attach(|py| {
            py.check_signals()?;
            self.progress
                .as_ref()
                .map_or(Ok(()), |progress| progress.call1(py, (stage, done, total)).map(drop))
        });
        answer.map_err(|raised| {
            self.raised = Some(raised);
            Error::Interrupted
        })
    }
}
