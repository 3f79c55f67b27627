//! Values of Python as the core takes them, and the core's as Python takes them.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyString};
use simsieve_core::base::error::{Error, Result};
use simsieve_core::collection::Collection;
use simsieve_core::collection::names::Name;
use simsieve_core::collection::relation::{LabelVerdict, Verdict};
use simsieve_core::dedup::verify::losses::{NOT_MEASURED, has_conflict, loss, units};
use simsieve_core::encode::scheme::Scheme;
use simsieve_core::encode::similarity::Measure;
use simsieve_core::forecast::{self, Expected, Work};
use simsieve_core::recipe::{Recipe, Threshold};
use simsieve_core::source::{BsonField, BsonForm, Failure, Format};

use crate::errors::to_python;
use crate::message::Told;

/// The threshold of one scheme, as `Nearness` of Python has it.
#[derive(FromPyObject)]
pub struct Nearness {
    similarity: Option<f64>,
    max_distance: Option<u32>,
    measure: String,
    max_ratio: f64,
}

impl Nearness {
    /// The threshold for the core.
    pub fn threshold(&self) -> Result<Threshold> {
        Threshold::of(
            self.similarity,
            self.max_distance,
            Measure::parse(&self.measure)?,
            self.max_ratio,
        )
    }
}

/// How a record is named: the label, the position and the check of the text.
pub type RecordName = (Option<String>, Option<u32>, Option<u32>);

/// A name for the core.
pub fn name_of((label, position, text): RecordName) -> Name {
    Name { label, position, text }
}

/// A verdict of two names and its number.
pub fn verdict((a, b, number): (RecordName, RecordName, u8)) -> Result<LabelVerdict> {
    let known = Verdict::of(number).ok_or_else(|| Error::Config(msg!("verdict {number} is unknown")));
    let [a, b] = [a, b].map(name_of);
    known.map(|verdict| LabelVerdict { a, b, verdict })
}

/// The format of a name, if there is one.
pub fn format_named(name: Option<&str>) -> Result<Option<Format>> {
    name.map(str::parse).transpose()
}

/// The positions of the records with these names.
pub fn found(py: Python<'_>, collection: &Collection, names: Vec<RecordName>) -> PyResult<Vec<Option<u32>>> {
    let names: Vec<_> = names.into_iter().map(name_of).collect();
    py.detach(|| collection.find(&names)).map_err(|error| to_python(&error))
}

/// Failures as rows, positions counted from `first`.
pub fn failures_from(first: usize, failures: &[(usize, Failure)]) -> Vec<(usize, &'static str, Told)> {
    let row = |(position, failure): &(usize, Failure)| (position - first, failure.code, Told(failure.message.clone()));
    failures.iter().map(row).collect()
}

/// Refuses a position beyond the records.
pub fn check(position: usize, len: usize) -> PyResult<()> {
    if position < len {
        return Ok(());
    }
    Err(PyIndexError::new_err(format!(
        "position {position} is beyond the {len} records"
    )))
}

/// A label as the Python value of its JSON.
pub fn from_json(py: Python<'_>, raw: Option<&[u8]>) -> PyResult<Py<PyAny>> {
    match raw {
        None => Ok(py.None()),
        Some(raw) => Ok(py.import("json")?.call_method1("loads", (raw,))?.unbind()),
    }
}

/// Losses of units that are lost, and whether numbers conflict; -1 where that was not measured.
pub fn losses_from(units: &[i64], conflicts: &[i8]) -> Vec<u32> {
    let of = |(&units, &conflict): (&i64, &i8)| u32::try_from(units).map_or(NOT_MEASURED, |of| loss(of, conflict == 1));
    units.iter().zip(conflicts).map(of).collect()
}

/// Units that are lost; -1 where they were not measured.
pub fn lost_units(column: &[u32]) -> Vec<i64> {
    column.iter().map(|&loss| units(loss).map_or(-1, i64::from)).collect()
}

/// Whether numbers conflict; -1 where that was not measured.
pub fn conflicts_of(column: &[u32]) -> Vec<i8> {
    let conflict = |&loss: &u32| units(loss).map_or(-1, |_| has_conflict(loss).into());
    column.iter().map(conflict).collect()
}

/// A field of documents: its name, and `text`, `value`, `label` or `packed`.
pub fn bson_fields(fields: Vec<(String, String)>) -> PyResult<Vec<BsonField>> {
    let field = |(name, form): (String, String)| {
        let form = match form.as_str() {
            "text" => BsonForm::Text,
            "value" => BsonForm::Value,
            "label" => BsonForm::Label,
            "packed" => BsonForm::Packed,
            _ => return Err(PyValueError::new_err(format!("a field has no form {form:?}"))),
        };
        Ok(BsonField { name, form })
    };
    fields.into_iter().map(field).collect()
}

/// The forecast of a run in Python's form.
pub fn forecast_dict<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    scheme: &Scheme,
    work: &Work,
    expected: Option<&Expected>,
) -> PyResult<Bound<'py, PyDict>> {
    let found = forecast::forecast(recipe, scheme, work, expected);
    let (equals, parts) = forecast::reach(recipe);
    let dict = PyDict::new(py);
    dict.set_item("source", Told(forecast::describe(recipe, scheme)))?;
    dict.set_item("keys", forecast::keys(recipe, scheme))?;
    dict.set_item("recall_of_equals", equals)?;
    dict.set_item("recall_of_parts", parts)?;
    dict.set_item("least_similarity", forecast::least_similarity(recipe, scheme))?;
    dict.set_item("largest_ratio", forecast::largest_ratio(recipe, scheme))?;
    dict.set_item("digest", recipe.digest())?;
    let why: Vec<Told> = forecast::why(recipe, scheme).into_iter().map(Told).collect();
    dict.set_item("why", why)?;
    dict.set_item("recall_by_size", forecast::reach_by_size(recipe))?;
    dict.set_item("column_bytes", forecast::column_bytes(recipe, scheme))?;
    dict.set_item("has_sample", recipe.paths.is_some())?;
    dict.set_item("mean_bytes", work.mean_bytes)?;
    for (name, number) in [
        ("keys_mean", found.keys),
        ("looks", found.looks),
        ("candidates", found.candidates),
        ("verified", found.verified),
        ("bytes", found.bytes),
    ] {
        dict.set_item(name, number)?;
    }
    dict.set_item("sampled", expected.map_or(0, |expected| expected.sampled))?;
    dict.set_item("near_pairs", expected.map_or(0, |expected| expected.near_pairs))?;
    let crowd = expected.filter(|expected| expected.is_crowded());
    dict.set_item("crowd", crowd.map_or(0, |expected| expected.crowd as u64))?;
    dict.set_item("recall_of_sample", expected.and_then(|expected| expected.recall))?;
    Ok(dict)
}

/// A Python text as UTF-8, without a copy if Python holds it so.
pub enum Text {
    Ascii(PyBackedStr),
    /// Encoded for this call: a view from Python would keep the encoding attached to the caller's text.
    Encoded(PyBackedBytes),
}

impl Text {
    /// Borrows a text for one call.
    pub fn of(text: &Bound<'_, PyString>) -> PyResult<Self> {
        if text.call_method0(intern!(text.py(), "isascii"))?.is_truthy()? {
            Ok(Self::Ascii(text.clone().try_into()?))
        } else {
            Ok(Self::Encoded(text.encode_utf8()?.into()))
        }
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        match self {
            Self::Ascii(text) => text,
            // Python made these bytes as UTF-8, so the check never fails; it costs a tenth of the standard library's.
            Self::Encoded(bytes) => simdutf8::basic::from_utf8(bytes).unwrap_or_default(),
        }
    }
}

/// The words as bytes, most significant first.
pub fn big_endian<'py>(py: Python<'py>, words: &[u64], width: u32) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    PyBytes::new(py, &bytes[bytes.len() - width.div_ceil(8) as usize..])
}

/// A similarity; none where it is NaN.
pub(crate) fn number(similarity: f64) -> Option<f64> {
    (!similarity.is_nan()).then_some(similarity)
}
