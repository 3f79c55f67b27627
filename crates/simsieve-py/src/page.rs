//! Pages for Python.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use simsieve_core::base::error::{Error, Result};
use simsieve_core::base::hash::xxh3_128;
use simsieve_core::text::html::{self, Hash, Options, PageScratch, Weight};

use crate::convert::big_endian;
use crate::door::whole;
use crate::errors::{text_error, to_python};
use crate::message::Told;

/// A page's bytes as text, and the name of their encoding.
fn decoded<'a>(html: &'a [u8], charset: Option<&str>) -> PyResult<(Cow<'a, str>, &'static str)> {
    // An invalid charset is not a fault of the page: decoding no bytes shows it.
    html::decode(b"", charset).map_err(|error| to_python(&error))?;
    html::decode(html, charset).map_err(|error| unusable(&error, "not_text"))
}

/// The error of a page that the core refuses.
fn unusable(error: &Error, code: &str) -> PyErr {
    match error {
        Error::Config(message) => text_error(Told(message.clone()), 0, code, message),
        error => to_python(error),
    }
}

/// Works on a page as text: a `str` directly, `bytes` decoded. Every error of `work` is a fault of the page.
fn with_text<T>(html: &Bound<'_, PyAny>, charset: Option<&str>, work: impl FnOnce(&str) -> Result<T>) -> PyResult<T> {
    let worked = |text: &str| work(text).map_err(|error| unusable(&error, "unusable_text"));
    if let Ok(bytes) = html.cast::<PyBytes>() {
        let (text, _) = decoded(bytes.as_bytes(), charset)?;
        whole(|| worked(&text))
    } else {
        let text = html.cast::<PyString>().map_err(|_| {
            let kind = html
                .get_type()
                .name()
                .map_or_else(|_| "?".to_owned(), |name| name.to_string());
            PyTypeError::new_err(format!("a page is str or bytes, and this is of type {kind}"))
        })?;
        // Encoded for this call: a view from Python would keep the encoding attached to the caller's text. Python made
        // these bytes as UTF-8, so the check never fails.
        let bytes = text.encode_utf8()?;
        whole(|| worked(simdutf8::basic::from_utf8(bytes.as_bytes()).unwrap_or_default()))
    }
}

fn options(levels: usize, classes: bool, weight: &str, decay: f64, hash: &str) -> PyResult<Options> {
    let names: Vec<&str> = Hash::ALL.iter().map(|(name, _)| *name).collect();
    let found = Hash::ALL
        .iter()
        .find(|(name, _)| *name == hash)
        .ok_or_else(|| to_python(&Error::Config(msg!("hash {hash:?} is not known; there are {names}"))))?;
    let options = Options {
        levels,
        classes,
        weight: Weight::parse(weight, decay).map_err(|error| to_python(&error))?,
        hash: found.1,
    };
    // An empty page checks the options.
    html::dom_features("", &options, &mut PageScratch::default()).map_err(|error| to_python(&error))?;
    Ok(options)
}

/// A page's bytes as text, and the name of their encoding.
#[pyfunction]
#[pyo3(signature = (html, charset = None))]
pub fn page_decode(html: &[u8], charset: Option<&str>) -> PyResult<(String, &'static str)> {
    let (text, encoding) = decoded(html, charset)?;
    Ok((text.into_owned(), encoding))
}

/// The visible text of a page, or its main text.
#[pyfunction]
#[pyo3(signature = (html, charset = None, main = false))]
pub fn page_text(py: Python<'_>, html: &Bound<'_, PyAny>, charset: Option<&str>, main: bool) -> PyResult<String> {
    let take = if main { html::main_text } else { html::mixed_text };
    with_text(html, charset, |text| {
        py.detach(|| {
            let mut out = String::new();
            take(text, &mut PageScratch::default(), &mut out).map(|()| out)
        })
    })
}

/// The elements of a page: depth, tag, and whether a start tag made it.
#[pyfunction]
#[pyo3(signature = (html, charset = None))]
pub fn page_outline(html: &Bound<'_, PyAny>, charset: Option<&str>) -> PyResult<Vec<(u32, String, bool)>> {
    with_text(html, charset, |text| html::outline(text, &mut PageScratch::default()))
}

/// The features of a page's structure: text, hash, weight.
#[pyfunction]
pub fn page_features(
    html: &Bound<'_, PyAny>,
    charset: Option<&str>,
    levels: usize,
    classes: bool,
    weight: &str,
    decay: f64,
    hash: &str,
) -> PyResult<Vec<(String, u64, i64)>> {
    let options = options(levels, classes, weight, decay, hash)?;
    let named = with_text(html, charset, |text| {
        html::dom_named(text, &options, &mut PageScratch::default())
    })?;
    let row = |(name, feature): (String, html::Feature)| (name, feature.hash, feature.weight);
    Ok(named.into_iter().map(row).collect())
}

/// The fingerprint of a page's structure, most significant byte first; None without features. Also returns the digest
/// of all that can change a bit.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
pub fn page_fingerprint<'py>(
    py: Python<'py>,
    html: &Bound<'py, PyAny>,
    charset: Option<&str>,
    levels: usize,
    classes: bool,
    weight: &str,
    decay: f64,
    hash: &str,
    width: u32,
) -> PyResult<(Option<Bound<'py, PyBytes>>, String)> {
    let options = options(levels, classes, weight, decay, hash)?;
    let words = with_text(html, charset, |text| {
        py.detach(|| {
            let mut scratch = PageScratch::default();
            html::dom_features(text, &options, &mut scratch).and_then(|features| html::dom_fold(features, width))
        })
    })?;
    let digest = format!("{:032x}", xxh3_128(options.canonical(width).as_bytes()));
    Ok((words.map(|words| big_endian(py, &words, width)), digest))
}
