//! Schemes, seen from Python.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyString};
use simsieve_core::base::kernel::Kernel;
use simsieve_core::encode::encoder::{Feature, features_of, transform};
use simsieve_core::encode::scheme::{self, Scratch, TABLE};
use simsieve_core::encode::similarity;

use crate::door::{here, run};
use crate::errors::to_python;
use crate::model::Model;
use crate::own::Parts;

/// A scheme, checked and ready.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Scheme {
    pub(crate) core: scheme::Scheme,
}

/// Columns of fingerprints: the words, row-major, and which rows have one.
type Columns<'py> = (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray1<bool>>);

#[pymethods]
impl Scheme {
    #[new]
    fn new(spec: &str) -> PyResult<Self> {
        Kernel::chosen().map_err(|error| to_python(&error))?;
        scheme::Scheme::parse(spec)
            .map(|core| Self { core })
            .map_err(|error| to_python(&error))
    }

    #[staticmethod]
    fn own(parts: Parts) -> PyResult<Self> {
        Kernel::chosen().map_err(|error| to_python(&error))?;
        Self::made(parts.scheme())
    }

    #[getter]
    fn spec(&self) -> String {
        self.core.spec()
    }

    #[getter]
    fn digest(&self) -> String {
        self.core.digest()
    }

    #[getter]
    fn width(&self) -> u32 {
        self.core.width()
    }

    #[getter]
    fn given_as(&self) -> Option<&'static str> {
        self.core.given_as()
    }

    #[getter]
    fn has_features(&self) -> bool {
        self.core.has_features()
    }

    #[getter]
    fn extract(&self) -> &'static str {
        self.core.extract_name()
    }

    #[getter]
    fn takes_pages(&self) -> bool {
        self.core.takes_pages()
    }

    fn with_extract(&self, name: &str) -> PyResult<Self> {
        Self::made(self.core.clone().with_extract(name))
    }

    fn check_similarity(&self) -> PyResult<()> {
        self.core.check_similarity().map_err(|error| to_python(&error))
    }

    #[getter]
    fn fraction_bits(&self) -> u32 {
        self.core.weights().fraction_bits()
    }

    #[getter]
    fn needs_model(&self) -> bool {
        self.core.weights().needs_model()
    }

    #[getter]
    fn model(&self) -> Option<Model> {
        self.core.model().map(|core| Model { core: Arc::clone(core) })
    }

    fn check_ready(&self) -> PyResult<()> {
        self.ready()
    }

    fn with_idf(&self) -> PyResult<Self> {
        Self::made(self.core.clone().with_idf())
    }

    #[pyo3(signature = (model, own = false))]
    fn with_model(&self, model: &Model, own: bool) -> PyResult<Self> {
        let (core, model) = (self.core.clone(), Arc::clone(&model.core));
        Self::made(if own {
            core.with_own_model(model)
        } else {
            core.with_model(model)
        })
    }

    fn features(&self, text: &str) -> PyResult<Vec<(String, u64, u32, u32)>> {
        let row = |Feature {
                       text,
                       hash,
                       count,
                       weight,
                   }| (text, hash, count, weight);
        let features = here(|| features_of(&self.core, text).map_err(|error| to_python(&error)))?;
        Ok(features.into_iter().map(row).collect())
    }

    fn sums<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
        self.ready()?;
        let mut scratch = self.extracted(text)?;
        let valid = !scratch.features.is_empty();
        Ok(valid.then(|| self.core.sums(Kernel::active(), &mut scratch).into_pyarray(py)))
    }

    fn fingerprint<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.ready()?;
        let mut scratch = self.extracted(text)?;
        let mut words = vec![0; self.core.words()];
        let valid = self.core.fingerprint(Kernel::active(), &mut scratch, &mut words);
        Ok(valid.then(|| big_endian(py, &words, self.core.width())))
    }

    #[pyo3(signature = (texts, threads = 0, progress = None, first = 0))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyString>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
        first: usize,
    ) -> PyResult<Columns<'py>> {
        let texts = texts.iter().map(Text::of).collect::<PyResult<Vec<_>>>()?;
        let (values, valid) = run(py, threads, progress, |ctx| transform(&self.core, &texts, first, ctx))?;
        let rows = values.into_pyarray(py).reshape([texts.len(), self.core.words()])?;
        Ok((rows, valid.into_pyarray(py)))
    }

    #[pyo3(signature = (a, b, measure = "cosine"))]
    fn similarity(&self, a: &str, b: &str, measure: &str) -> PyResult<f64> {
        self.ready()?;
        let measure = similarity::Measure::parse(measure).map_err(|error| to_python(&error))?;
        let similarity = here(|| measure.between(&self.core, a, b).map_err(|error| to_python(&error)))?;
        Ok(similarity.unwrap_or(0.0))
    }
}

impl Scheme {
    fn made(core: simsieve_core::base::error::Result<scheme::Scheme>) -> PyResult<Self> {
        core.map(|core| Self { core }).map_err(|error| to_python(&error))
    }

    fn extracted(&self, text: &str) -> PyResult<Scratch> {
        let mut scratch = Scratch::default();
        let mut taken = || self.core.extract(text, &mut scratch);
        here(|| taken().map_err(|refusal| to_python(&refusal.of_text(0))))?;
        Ok(scratch)
    }

    fn ready(&self) -> PyResult<()> {
        self.core.ready().map_err(|error| to_python(&error))
    }
}

/// A Python text as UTF-8, held without a copy where Python has it so.
pub enum Text {
    Ascii(PyBackedStr),
    /// Encoded for this call: asking Python for a view would leave the encoding attached to the caller's text for good.
    Encoded(PyBackedBytes),
}

impl Text {
    /// Takes a text for the time of a call.
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

/// Every scheme as a row for people.
#[pyfunction]
pub fn scheme_table(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    TABLE
        .iter()
        .map(|row| {
            let scheme = scheme::Scheme::parse(row.name).map_err(|error| to_python(&error))?;
            let dict = PyDict::new(py);
            dict.set_item("name", row.name)?;
            dict.set_item("source", row.source)?;
            dict.set_item("features", row.features)?;
            dict.set_item("weights", row.weights)?;
            dict.set_item("hash", row.hash)?;
            dict.set_item("width", scheme.width())?;
            dict.set_item("widths", row.widths())?;
            dict.set_item("sign", row.sign)?;
            dict.set_item("digest", scheme.digest())?;
            dict.set_item("options", row.options)?;
            Ok(dict)
        })
        .collect()
}

/// The normalised text.
#[pyfunction]
pub fn normalise(text: &str) -> String {
    simsieve_core::text::normalise::plain::normalise(text)
}

/// The fingerprint of features given as (hash, weight), as bytes, most significant first; None where nothing weighs.
#[pyfunction]
pub fn fold(py: Python<'_>, features: Vec<(u64, u32)>, width: u32) -> PyResult<Option<Bound<'_, PyBytes>>> {
    let words = simsieve_core::encode::fingerprint::fold(&features, width).map_err(|error| to_python(&error))?;
    Ok(words.map(|words| big_endian(py, &words, width)))
}
