//! Custom schemes, and the user's functions.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Value as Json};
use simsieve_core::base::error::Result;
use simsieve_core::base::message::Message;
use simsieve_core::encode::scheme::{OpenScheme, Part};
use simsieve_core::encode::tokenize::functions::{Functions, UserFeature};

use crate::door::Session;

/// The scheme that parts make.
pub fn scheme(name: &str, given: BTreeMap<String, Bound<'_, PyAny>>) -> PyResult<Result<OpenScheme>> {
    let (mut parts, mut functions) = (BTreeMap::new(), BTreeMap::new());
    for (name, value) in given {
        let part = Part {
            value: json(&value),
            is_function: value.is_callable(),
            shown: value.repr()?.to_string(),
        };
        if part.is_function {
            functions.insert(name.clone(), value.unbind());
        }
        parts.insert(name, part);
    }
    let called = (!functions.is_empty()).then(|| Arc::new(Called { functions }) as Arc<dyn Functions>);
    Ok(OpenScheme::custom(name, &parts, called.as_ref()))
}

/// A value as JSON has it; null where JSON has no such value.
fn json(value: &Bound<'_, PyAny>) -> Json {
    if let Ok(text) = value.cast::<PyString>() {
        text.extract().map_or(Json::Null, Json::String)
    } else if value.is_instance_of::<PyBool>() {
        value.extract().map_or(Json::Null, Json::Bool)
    } else if value.is_instance_of::<PyInt>() {
        value.extract::<i64>().map_or(Json::Null, Json::from)
    } else if value.is_instance_of::<PyFloat>() {
        let number = value.extract().unwrap_or(f64::NAN);
        // A message shows which number it is that JSON does not have.
        serde_json::Number::from_f64(number)
            .map_or_else(|| Json::String(number.to_string().to_lowercase()), Json::Number)
    } else if let Ok(table) = value.cast::<PyDict>() {
        let row = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Some((key.extract().ok()?, json(&value)));
        let rows: Option<Map<String, Json>> = table.iter().map(row).collect();
        rows.map_or(Json::Null, Json::Object)
    } else if value.is_instance_of::<PyList>() {
        let items = value.try_iter().into_iter().flatten().flatten();
        Json::Array(items.map(|item| json(&item)).collect())
    } else {
        Json::Null
    }
}

/// The user's functions by the part that they are. The thread that works on the text calls them with the interpreter attached.
#[derive(Debug)]
struct Called {
    functions: BTreeMap<String, Py<PyAny>>,
}

impl Called {
    /// Calls a function. An error that it raises, or an invalid result, becomes a message. An exception that ends the
    /// program, such as `KeyboardInterrupt`, ends the call: no thread then calls a function again.
    fn call<T>(
        &self,
        part: &str,
        what: &str,
        work: impl FnOnce(&Bound<'_, PyAny>, &dyn Fn() -> PyResult<()>) -> PyResult<T>,
    ) -> std::result::Result<T, Message> {
        let function = self
            .functions
            .get(part)
            .ok_or_else(|| msg!("there is no function for {what}"))?;
        let session = Session::current();
        let go_on = || match &session {
            Some(session) if session.stopped() => Err(PyKeyboardInterrupt::new_err(())),
            _ => Ok(()),
        };
        Python::attach(|py| {
            go_on().and_then(|()| work(function.bind(py), &go_on)).map_err(|error| {
                let message = msg!("the function for {what} failed: {error}", error = error.to_string());
                if let (Some(session), false) = (&session, error.is_instance_of::<PyException>(py)) {
                    session.stop(error);
                }
                message
            })
        })
    }
}

impl Functions for Called {
    fn features(&self, text: &str) -> std::result::Result<Vec<UserFeature>, Message> {
        self.call("features", "features", |function, go_on| {
            let one = |item: PyResult<Bound<'_, PyAny>>| go_on().and_then(|()| given(&item?));
            function.call1((text,))?.try_iter()?.map(one).collect()
        })
    }

    fn weights(&self, features: &[&str], counts: &[u32]) -> std::result::Result<Vec<f64>, Message> {
        self.call("weights", "weights", |function, go_on| {
            let one = |(feature, count): (&&str, &u32)| {
                go_on()?;
                function.call1((*feature, *count))?.extract()
            };
            features.iter().zip(counts).map(one).collect()
        })
    }

    fn hashes(&self, features: &[&str]) -> std::result::Result<Vec<[u64; 4]>, Message> {
        self.call("hash", "hashes", |function, go_on| {
            let one = |feature: &&str| {
                go_on()?;
                bits(&function.call1((*feature,))?)
            };
            features.iter().map(one).collect()
        })
    }
}

/// One item of the result of a function of features.
fn given(item: &Bound<'_, PyAny>) -> PyResult<UserFeature> {
    if let Ok(text) = item.cast::<PyString>() {
        return Ok(UserFeature::Text(text.extract()?, None));
    }
    let pair =
        item.len().is_ok_and(|n| n == 2) && (item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyList>());
    if pair {
        let (feature, weight) = (item.get_item(0)?, item.get_item(1)?.extract()?);
        if let Ok(text) = feature.cast::<PyString>() {
            return Ok(UserFeature::Text(text.extract()?, Some(weight)));
        }
        return Ok(UserFeature::Hash(bits(&feature)?, weight));
    }
    Err(pyo3::exceptions::PyTypeError::new_err(format!(
        "{} is no feature: give a text, (text, weight) or (hash, weight)",
        item.repr()?
    )))
}

/// A hash: an integer from 0 to 2^256 - 1, lowest word first.
fn bits(number: &Bound<'_, PyAny>) -> PyResult<[u64; 4]> {
    let wrong = || {
        let shown = number.repr().map_or_else(|_| String::new(), |text| text.to_string());
        pyo3::exceptions::PyTypeError::new_err(format!("{shown} is no hash: give a whole number from 0 to 2^256 - 1"))
    };
    let whole = number.cast::<PyInt>().map_err(|_| wrong())?;
    let bytes = whole.call_method1("to_bytes", (32, "little")).map_err(|_| wrong())?;
    let bytes: Vec<u8> = bytes.extract()?;
    let word = |k: usize| {
        bytes[8 * k..]
            .first_chunk()
            .map_or(0, |chunk| u64::from_le_bytes(*chunk))
    };
    Ok(std::array::from_fn(word))
}
