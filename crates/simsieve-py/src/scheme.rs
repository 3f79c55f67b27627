//! Schemes for Python.

use std::collections::BTreeMap;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use simsieve_core::base::context::Context;
use simsieve_core::base::kernel::Kernel;
use simsieve_core::encode::encoder::{Feature, features_of, is_brief, transform};
use simsieve_core::encode::scheme::options::{OPTIONS, OptionRow};
use simsieve_core::encode::scheme::{self, OpenScheme, OptionKind, SchemeSpec, Scratch, TABLE};
use simsieve_core::encode::tokenize::stop_words::stop_words_of;
use simsieve_core::encode::{lost, similarity};
use simsieve_core::text::fields::FieldPart;
use simsieve_core::text::guard::Guard;
use simsieve_core::text::normalise::marks;

use crate::convert::{Text, big_endian};
use crate::door::{here, run_or_here};
use crate::errors::to_python;
use crate::model::Model;

/// A scheme whose files are read.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Scheme {
    /// As it is without its model.
    pub(crate) open: OpenScheme,
    /// With all that it needs; none while its model is missing.
    core: Option<scheme::Scheme>,
}

/// Columns of fingerprints: the words, row-major, and which rows have one.
type Columns<'py> = (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray1<bool>>);

#[pymethods]
impl Scheme {
    #[new]
    fn new(spec: &str) -> PyResult<Self> {
        Kernel::chosen().map_err(|error| to_python(&error))?;
        Self::made(OpenScheme::parse(spec))
    }

    #[staticmethod]
    fn custom(name: &str, parts: BTreeMap<String, Bound<'_, PyAny>>) -> PyResult<Self> {
        Kernel::chosen().map_err(|error| to_python(&error))?;
        Self::made(crate::custom::scheme(name, parts)?)
    }

    #[getter]
    fn spec(&self) -> String {
        self.open.spec()
    }

    #[getter]
    fn digest(&self) -> String {
        self.open.digest()
    }

    #[getter]
    fn width(&self) -> u32 {
        self.open.width()
    }

    #[getter]
    fn given_as(&self) -> Option<&'static str> {
        self.open.given_as()
    }

    #[getter]
    fn has_features(&self) -> bool {
        self.open.has_features()
    }

    #[getter]
    fn extract(&self) -> &'static str {
        self.open.extract_name()
    }

    #[getter]
    fn takes_pages(&self) -> bool {
        self.open.takes_pages()
    }

    fn with_extract(&self, name: &str) -> PyResult<Self> {
        Self::made(self.open.clone().with_extract(name))
    }

    #[pyo3(signature = (cut_at = None, strip = None, ignore = None))]
    fn with_cleaning(&self, cut_at: Option<&str>, strip: Option<&str>, ignore: Option<&str>) -> PyResult<Self> {
        Self::made(self.open.clone().with_cleaning(cut_at, strip, ignore))
    }

    fn with_part(&self, first: usize, count: usize) -> PyResult<Self> {
        Self::made(self.open.clone().with_part(FieldPart { first, count }))
    }

    /// The text that features are taken of, and the marks of its pictures.
    fn used_text(&self, text: &str) -> PyResult<(String, String)> {
        here(|| {
            let used = self.open.used_text(text);
            used.map_err(|refusal| to_python(&refusal.of_text(0)))
        })
    }

    fn check_similarity(&self) -> PyResult<()> {
        self.open.check_similarity().map_err(|error| to_python(&error))
    }

    #[getter]
    fn fraction_bits(&self) -> u32 {
        self.open.weights().fraction_bits()
    }

    #[getter]
    fn needs_model(&self) -> bool {
        self.open.weights().needs_model()
    }

    #[getter]
    fn model(&self) -> Option<Model> {
        self.open.model().map(|core| Model { core: Arc::clone(core) })
    }

    fn check_ready(&self) -> PyResult<()> {
        self.ready().map(|_| ())
    }

    fn with_idf(&self) -> PyResult<Self> {
        Self::made(self.open.clone().with_idf())
    }

    #[pyo3(signature = (model, own = false))]
    fn with_model(&self, model: &Model, own: bool) -> PyResult<Self> {
        let (open, model) = (self.open.clone(), Arc::clone(&model.core));
        let ready = if own {
            open.with_own_model(model)
        } else {
            open.with_model(model)
        };
        Self::made(ready.map(Into::into))
    }

    fn features(&self, text: &str) -> PyResult<Vec<(String, u64, u32, u32)>> {
        let row = |Feature {
                       text,
                       hash,
                       count,
                       weight,
                   }| (text, hash, count, weight);
        let core = self.ready()?;
        let features = here(|| features_of(core, text).map_err(|error| to_python(&error)))?;
        Ok(features.into_iter().map(row).collect())
    }

    fn sums<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
        let core = self.ready()?;
        let mut scratch = extracted(core, text)?;
        let valid = !scratch.features.is_empty();
        Ok(valid.then(|| core.sums(Kernel::active(), &mut scratch).into_pyarray(py)))
    }

    fn fingerprint<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let core = self.ready()?;
        let mut scratch = extracted(core, text)?;
        let mut words = vec![0; core.words()];
        let valid = core.fingerprint(Kernel::active(), &mut scratch, &mut words);
        Ok(valid.then(|| big_endian(py, &words, core.width())))
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
        let core = self.ready()?;
        let work = |ctx: &Context<'_>| transform(core, &texts, first, ctx);
        let (values, valid) = run_or_here(py, is_brief(&texts), threads, progress, work)?;
        let rows = values.into_pyarray(py).reshape([texts.len(), core.words()])?;
        Ok((rows, valid.into_pyarray(py)))
    }

    #[pyo3(signature = (a, b, measure = "cosine"))]
    fn similarity(&self, a: &str, b: &str, measure: &str) -> PyResult<f64> {
        let core = self.ready()?;
        let measure = similarity::Measure::parse(measure).map_err(|error| to_python(&error))?;
        let similarity = here(|| measure.between(core, a, b).map_err(|error| to_python(&error)))?;
        Ok(similarity.unwrap_or(0.0))
    }

    /// What is lost of a text if another stays: units, and the lost run. None where the scheme has no texts.
    fn lost(&self, text: &str, other: &str) -> PyResult<Option<(u32, String)>> {
        let core = self.ready()?;
        here(|| lost::between(core, text, other).map_err(|refusal| to_python(&refusal.of_text(0))))
    }
}

impl Scheme {
    pub(crate) fn made(open: simsieve_core::base::error::Result<OpenScheme>) -> PyResult<Self> {
        let open = open.map_err(|error| to_python(&error))?;
        Ok(Self {
            core: open.clone().ready().ok(),
            open,
        })
    }

    /// The scheme with all that it needs.
    pub(crate) fn ready(&self) -> PyResult<&scheme::Scheme> {
        match &self.core {
            Some(core) => Ok(core),
            None => match self.open.clone().ready() {
                Err(error) => Err(to_python(&error)),
                Ok(_) => Err(PyRuntimeError::new_err("a scheme with its model is not ready")),
            },
        }
    }
}

/// What a scheme takes of a text.
fn extracted(core: &scheme::Scheme, text: &str) -> PyResult<Scratch> {
    let mut scratch = Scratch::default();
    let mut taken = || core.extract(text, &mut scratch);
    here(|| taken().map_err(|refusal| to_python(&refusal.of_text(0))))?;
    Ok(scratch)
}

/// Every scheme as a row for display.
#[pyfunction]
pub fn scheme_table(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    TABLE
        .iter()
        .map(|row| {
            let scheme = OpenScheme::parse(row.name).map_err(|error| to_python(&error))?;
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
            dict.set_item("options", row.options())?;
            let (unit, purpose) = row.purpose();
            dict.set_item("unit", unit)?;
            dict.set_item("purpose", purpose)?;
            Ok(dict)
        })
        .collect()
}

/// Every option of the built-in schemes as a row, in the order of canonical specs.
#[pyfunction]
pub fn scheme_options(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let row = |row: &OptionRow| {
        let dict = PyDict::new(py);
        let (kind, least, most, choices): (_, _, _, &[&str]) = match row.kind {
            OptionKind::Whole(least, most) => ("whole", Some(least), Some(most), &[]),
            OptionKind::Share => ("share", None, None, &[]),
            OptionKind::Number => ("number", None, None, &[]),
            OptionKind::Choice(choices) => ("choice", None, None, choices),
            OptionKind::Ceiling => ("ceiling", None, None, &[]),
            OptionKind::Tags => ("tags", None, None, &[]),
            OptionKind::File => ("file", None, None, &[]),
            OptionKind::StopWords => ("stop words", None, None, &[]),
            OptionKind::Model => ("model", None, None, &[]),
            OptionKind::Pattern => ("pattern", None, None, &[]),
        };
        let families: Vec<&str> = row.families.iter().map(|family| family.name()).collect();
        dict.set_item("key", row.key)?;
        dict.set_item("families", families)?;
        dict.set_item("kind", kind)?;
        dict.set_item("least", least)?;
        dict.set_item("most", most)?;
        dict.set_item("choices", choices)?;
        dict.set_item("default", Some(row.default).filter(|default| !default.is_empty()))?;
        dict.set_item("sample", row.sample())?;
        dict.set_item("help", row.help)?;
        Ok(dict)
    };
    OPTIONS.iter().map(row).collect()
}

/// The stop words of a file, or of a built-in list.
#[pyfunction]
pub fn stop_words(path: &str) -> PyResult<Vec<String>> {
    stop_words_of(path).map_err(|error| to_python(&error))
}

/// The files that the spec of a built-in scheme names.
#[pyfunction]
pub fn spec_files(spec: &str) -> PyResult<Vec<String>> {
    let spec = SchemeSpec::parse(spec).map_err(|error| to_python(&error))?;
    Ok(spec.files().into_iter().map(str::to_owned).collect())
}

/// The spec of a built-in scheme whose files are in a folder, where their names are not absolute.
#[pyfunction]
pub fn spec_in_folder(spec: &str, folder: &str) -> PyResult<String> {
    let moved = SchemeSpec::parse(spec).and_then(|spec| spec.in_folder(folder));
    moved.map(|spec| spec.to_string()).map_err(|error| to_python(&error))
}

/// The normalised text.
#[pyfunction]
pub fn normalise(text: &str) -> String {
    simsieve_core::text::normalise::plain::normalise(text)
}

/// What a guard reads in a text, such as its numbers.
#[pyfunction]
pub fn guarded(guard: &str, text: &str) -> PyResult<Vec<String>> {
    let guards = Guard::parse_all(&[guard.to_owned()]).map_err(|error| to_python(&error))?;
    Ok(guards[0].read(&marks::exact(text)))
}

/// The fingerprint of features given as (hash, weight), as bytes, most significant first; None if all weights are zero.
#[pyfunction]
pub fn fold(py: Python<'_>, features: Vec<(u64, u32)>, width: u32) -> PyResult<Option<Bound<'_, PyBytes>>> {
    let words = simsieve_core::encode::fingerprint::fold(&features, width).map_err(|error| to_python(&error))?;
    Ok(words.map(|words| big_endian(py, &words, width)))
}
