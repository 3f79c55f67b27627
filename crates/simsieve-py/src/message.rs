//! Messages of the core as those of `simsieve.messages`: a text with its template and values.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use simsieve_core::base::message::{Message, Value};

static MESSAGE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static LISTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static QUOTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A message on its way to Python.
#[derive(Debug)]
pub struct Told(pub Message);

impl<'py> IntoPyObject<'py> for Told {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Self(message) = self;
        let values = PyDict::new(py);
        for (name, value) in &message.values {
            let quoted = message.template.contains(&format!("{{{name}:?}}"));
            values.set_item(&**name, converted(py, value, quoted)?)?;
        }
        let class = MESSAGE.import(py, "simsieve.messages", "Message")?;
        class.call_method1("of", (message.to_string(), &*message.template, values, message.id))
    }
}

/// A value; a text that the template has between quotes comes with them.
fn converted<'py>(py: Python<'py>, value: &Value, quoted: bool) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Whole(number) => Ok(number.into_pyobject(py)?.into_any()),
        // As text, Python would write other digits of numbers that are very small or large, and 1.0 for 1.
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            Ok((*number as i64).into_pyobject(py)?.into_any())
        }
        Value::Number(number) if (1e-4..1e15).contains(&number.abs()) => Ok(number.into_pyobject(py)?.into_any()),
        Value::Number(number) => Ok(number.to_string().into_pyobject(py)?.into_any()),
        Value::Text(text) if quoted => {
            let class = QUOTED.import(py, "simsieve.messages", "Quoted")?;
            class.call1((text, format!("{text:?}")))
        }
        Value::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
        Value::List(items) => {
            let items = items.iter().map(|item| converted(py, item, false));
            let class = LISTED.import(py, "simsieve.messages", "Listed")?;
            class.call1((items.collect::<PyResult<Vec<_>>>()?,))
        }
        Value::Message(message) => Told(message.clone()).into_pyobject(py),
    }
}
