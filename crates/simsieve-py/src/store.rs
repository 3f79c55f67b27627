//! Sources for Python.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::PyArray1;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use simsieve_core::base::error::Result;
use simsieve_core::collection::combine::Combine;
use simsieve_core::collection::dates::Window;
use simsieve_core::collection::fields::{self, FieldRule};
use simsieve_core::collection::fit;
use simsieve_core::collection::ingest::{IngestOptions, ingest};
use simsieve_core::collection::keep_order::KeepOrder;
use simsieve_core::collection::relation::{Bounds, Mean, Rules, Sure};
use simsieve_core::dedup::loading;
use simsieve_core::encode::encoder::{Encoder, SearchOptions};
use simsieve_core::forecast::peek;
use simsieve_core::search::documents::Options;
use simsieve_core::sink;
use simsieve_core::source::{self, EncodingChoice, Inode, LeftOut, Pattern, SourceSpec};
use simsieve_core::storage::atomic::exchange_names;
use simsieve_core::text::conflict::Conflict;
use simsieve_core::text::guard::Guard;

use crate::collection::Collection;
use crate::convert::{Nearness, RecordName, bson_fields, format_named, verdict};
use crate::documents::Documents;
use crate::door::run;
use crate::errors::to_python;
use crate::kept::KeptSink;
use crate::loading::Loading;
use crate::message::Told;
use crate::model::Model;
use crate::paper;
use crate::run_dir::RunDirectory;
use crate::scheme::Scheme;
use crate::seen::SeenRun;

/// Open sources with the place of every record; nothing is parsed yet.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Records {
    pub(crate) core: Arc<source::Sources>,
}

/// Other files by the endings of their names, how many names are of files read under another one, and the first of these.
type LeftOutParts = (BTreeMap<String, u64>, u64, Option<(PathBuf, Option<PathBuf>)>);

/// Failed records: position, code, message.
type FailedRows = Vec<(usize, &'static str, Told)>;

#[pymethods]
impl Records {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    #[pyo3(signature = (
        sources, max_record_bytes, progress = None, encoding = None, delimiter = None, limit = None, of_memory = false,
        copies = None, folder = None, suffixes = vec![], below = None, named = vec![], apart = vec![], quoting = "auto",
        papers = None
    ))]
    fn new(
        py: Python<'_>,
        sources: Vec<(PathBuf, Option<String>)>,
        max_record_bytes: u64,
        progress: Option<Py<PyAny>>,
        encoding: Option<Vec<(Option<String>, String)>>,
        delimiter: Option<char>,
        limit: Option<usize>,
        of_memory: bool,
        copies: Option<HashMap<PathBuf, PathBuf>>,
        folder: Option<PathBuf>,
        suffixes: Vec<String>,
        below: Option<HashMap<PathBuf, PathBuf>>,
        named: Vec<PathBuf>,
        apart: Vec<PyRef<'_, Self>>,
        quoting: &str,
        papers: Option<(Vec<String>, Py<PyAny>)>,
    ) -> PyResult<Self> {
        let (copies, below) = (copies.unwrap_or_default(), below.unwrap_or_default());
        let papers = papers.map(paper::papers);
        let mut taken: HashSet<_> = named.iter().filter_map(|path| Inode::of_file(path)).collect();
        taken.extend(apart.iter().flat_map(|store| store.core.inodes()));
        let taken = Arc::new(taken);
        let core = run(py, 0, progress, |ctx| {
            // Those with a pattern count before the one without.
            let (mut encodings, mut usual) = (Vec::new(), EncodingChoice::default());
            for (pattern, name) in encoding.unwrap_or_default() {
                match pattern {
                    Some(pattern) => encodings.push((Pattern::new(&pattern), name.parse()?)),
                    None => usual = name.parse()?,
                }
            }
            let spec = |(path, format): (PathBuf, Option<String>)| {
                let format = format_named(format.as_deref())?;
                let spec = SourceSpec {
                    encoding: usual,
                    encodings: encodings.clone(),
                    ..SourceSpec::new(path)
                };
                Ok(SourceSpec {
                    format,
                    encoding: spec.encoding_of(&spec.path),
                    delimiter: delimiter.and_then(|sign| u8::try_from(sign).ok()),
                    quoting: quoting.parse()?,
                    most_records: limit.unwrap_or(usize::MAX),
                    of_memory,
                    copy: copies.get(&spec.path).cloned(),
                    spool_in: folder.clone(),
                    suffixes: suffixes.clone(),
                    below: below.get(&spec.path).cloned(),
                    papers: papers.clone(),
                    taken: Arc::clone(&taken),
                    ..spec
                })
            };
            let specs = sources.into_iter().map(spec).collect::<Result<Vec<_>>>()?;
            source::Sources::open(&specs, max_record_bytes, ctx)
        })?;
        Ok(Self { core: Arc::new(core) })
    }

    #[staticmethod]
    fn from_texts(texts: Vec<String>) -> Self {
        Self {
            core: Arc::new(source::Sources::from_texts(texts)),
        }
    }

    #[staticmethod]
    fn joined(stores: Vec<PyRef<'_, Self>>) -> Self {
        let several: Vec<_> = stores.iter().map(|store| &*store.core).collect();
        Self {
            core: Arc::new(source::joined(&several)),
        }
    }

    #[getter]
    fn sources(&self) -> Vec<(OsString, usize)> {
        // A path object of Python would lose a slash of a URI.
        let counts = self.core.counts();
        counts.map(|(name, len)| (name.as_os_str().to_owned(), len)).collect()
    }

    fn only(&self, source: usize) -> PyResult<Self> {
        let only = self.core.only(source).map(Arc::new);
        let core = only.ok_or_else(|| PyIndexError::new_err(format!("there is no source {source}")))?;
        Ok(Self { core })
    }

    /// Whether each of the first records is a page, where it is a file of a folder; None where it is none.
    fn pages(&self, count: usize) -> Vec<Option<bool>> {
        let page = |position| self.core.file_of(position).map(|file| file.is_page());
        (0..count.min(self.core.new_len())).map(page).collect()
    }

    fn sizes<'py>(&self, py: Python<'py>, positions: Vec<usize>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let sizes = source::sizes(&self.core, &positions).map_err(|error| to_python(&error))?;
        Ok(PyArray1::from_vec(py, sizes))
    }

    /// These records and old ones, whose text may be in other fields.
    #[pyo3(signature = (old, text_field = Vec::new()))]
    fn against(&self, old: &Self, text_field: Vec<String>) -> Self {
        Self {
            core: Arc::new(self.core.against(&old.core).with_old_text(text_field)),
        }
    }

    fn __len__(&self) -> usize {
        self.core.len()
    }

    #[getter]
    fn new_len(&self) -> usize {
        self.core.new_len()
    }

    #[getter]
    fn is_against(&self) -> bool {
        self.core.is_against()
    }

    #[getter]
    fn bytes_read(&self) -> u64 {
        self.core.bytes_read()
    }

    #[getter]
    fn blank_lines(&self) -> u64 {
        self.core.blank_lines()
    }

    #[getter]
    fn left_out(&self) -> LeftOutParts {
        let LeftOut {
            others,
            same,
            first_same,
        } = self.core.left_out();
        (others, same, first_same)
    }

    fn holds(&self, paths: Vec<PathBuf>) -> Vec<bool> {
        let read = self.core.inodes();
        let is_read = |path: &PathBuf| Inode::of_file(path).is_some_and(|inode| read.contains(&inode));
        paths.iter().map(is_read).collect()
    }

    #[getter]
    fn encodings(&self) -> Vec<(PathBuf, &'static str, bool)> {
        self.core.encodings().collect()
    }

    #[getter]
    fn delimiters(&self) -> Vec<(PathBuf, char)> {
        let own = |(path, sign): (&Path, u8)| (path.to_path_buf(), char::from(sign));
        self.core.delimiters().map(own).collect()
    }

    #[getter]
    fn quotes(&self) -> Vec<(PathBuf, bool, u64, u64, u64)> {
        let own = |(path, quoted, failed, fields, lines): (&Path, _, _, _, _)| {
            (path.to_path_buf(), quoted, failed, fields, lines)
        };
        self.core.quotes().map(own).collect()
    }

    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        self.core.columns().map(<[String]>::to_vec)
    }

    fn first(&self, count: usize) -> Self {
        Self {
            core: Arc::new(self.core.first(count)),
        }
    }

    fn objects(&self, py: Python<'_>, positions: Vec<usize>) -> PyResult<Vec<Option<Py<PyBytes>>>> {
        let objects = run(py, 0, None, |_| sink::objects_at(&self.core, &positions))?;
        let bytes = |object: Vec<u8>| PyBytes::new(py, &object).unbind();
        Ok(objects.into_iter().map(|object| object.map(bytes)).collect())
    }

    #[getter]
    fn digest(&self) -> String {
        format!("{:032x}", self.core.digest())
    }

    fn unpacked(&self, py: Python<'_>, positions: Vec<usize>, field: &str) -> PyResult<Py<PyBytes>> {
        let values = run(py, 0, None, |_| source::packed_values(&self.core, &positions, field))?;
        Ok(PyBytes::new(py, &source::array_of(&values)).unbind())
    }

    /// For each position its document, the bytes as they were sent; `None` where none has the fields as they were read. Each
    /// reply is the document `cursor` of a server's answer.
    fn unchanged(
        &self,
        py: Python<'_>,
        positions: Vec<usize>,
        replies: Vec<PyBackedBytes>,
        names: Vec<String>,
        fields: Vec<(String, String)>,
    ) -> PyResult<Vec<Option<Py<PyBytes>>>> {
        let fields = bson_fields(fields)?;
        let replies: Vec<&[u8]> = replies.iter().map(|reply| &**reply).collect();
        let found = py.detach(|| source::unchanged(&self.core, &positions, &replies, &names, &fields));
        let bytes = |document: &[u8]| PyBytes::new(py, document).unbind();
        let found = found.map_err(|error| to_python(&error))?;
        Ok(found.into_iter().map(|document| document.map(bytes)).collect())
    }

    fn check_unchanged(&self) -> PyResult<()> {
        self.core.check_unchanged().map_err(|error| to_python(&error))
    }

    #[pyo3(signature = (sink, format = None))]
    fn is_other_table(&self, sink: PathBuf, format: Option<&str>) -> PyResult<bool> {
        let other = format_named(format).and_then(|format| sink::is_other_table(&self.core, &sink, format));
        other.map_err(|error| to_python(&error))
    }

    #[pyo3(signature = (sink, format = None, link = false))]
    fn kept_sink(&self, sink: PathBuf, format: Option<&str>, link: bool) -> PyResult<KeptSink> {
        KeptSink::new(&self.core, &sink, format, link)
    }

    #[pyo3(signature = (scheme, text_field, max_features, threads = 0, batch = 0, progress = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn fit(
        &self,
        py: Python<'_>,
        scheme: &Scheme,
        text_field: Vec<String>,
        max_features: usize,
        threads: usize,
        batch: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Model, FailedRows)> {
        let options = fit::Options {
            scheme: scheme.open.clone(),
            text_field,
            limit: max_features,
            batch,
        };
        let fitted = run(py, threads, progress, |ctx| fit::fit_store(&self.core, &options, ctx))?;
        let row = |(position, failure): (usize, source::Failure)| (position, failure.code, Told(failure.message));
        let core = Arc::new(fitted.model);
        Ok((Model { core }, fitted.failures.into_iter().map(row).collect()))
    }

    fn mean_features(
        &self,
        py: Python<'_>,
        schemes: Vec<PyRef<'_, Scheme>>,
        text_field: Vec<String>,
    ) -> PyResult<Vec<Option<f64>>> {
        let schemes = schemes.iter().map(|scheme| scheme.ready());
        let schemes = schemes.collect::<PyResult<Vec<_>>>()?;
        run(py, 1, None, |ctx| peek(&self.core, &text_field, &schemes, ctx))
    }

    #[pyo3(signature = (schemes, text_field, id_field, threads = 0, batch = 0, progress = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn encode(
        &self,
        py: Python<'_>,
        schemes: Vec<PyRef<'_, Scheme>>,
        text_field: Vec<String>,
        id_field: String,
        threads: usize,
        batch: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Collection> {
        let sources = Arc::clone(&self.core);
        let schemes = schemes.iter().map(|scheme| scheme.ready().cloned());
        let schemes = schemes.collect::<PyResult<Vec<_>>>()?;
        let core = run(py, threads, progress, |ctx| {
            let encoder = |scheme| Encoder::new(scheme, SearchOptions::default(), ctx.kernel());
            let encoders: Vec<_> = schemes.iter().map(encoder).collect();
            let keep = KeepOrder::parse(&["first"])?;
            let options = IngestOptions {
                text_field,
                id_field,
                keep,
                rules: Rules::default(),
                batch,
                run_dir: None,
            };
            // Nothing is compared, so no scheme takes the fingerprints of another.
            ingest(sources, &options, &encoders, Combine::Any, ctx)
        })?;
        Ok(Collection { core })
    }

    #[pyo3(signature = (schemes, settings, verdicts = vec![], progress = None, run_dir = None, seen = None, recipe_for = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn begin(
        &self,
        py: Python<'_>,
        schemes: Vec<PyRef<'_, Scheme>>,
        settings: SearchSettings,
        verdicts: Vec<(RecordName, RecordName, u8)>,
        progress: Option<Py<PyAny>>,
        run_dir: Option<&RunDirectory>,
        seen: Option<&SeenRun>,
        recipe_for: Option<u64>,
    ) -> PyResult<Loading> {
        let store = Arc::clone(&self.core);
        let schemes = schemes.iter().map(|scheme| scheme.ready().cloned());
        let schemes = schemes.collect::<PyResult<Vec<_>>>()?;
        let run_dir = run_dir.map(|dir| Arc::clone(&dir.core));
        let seen = seen.map(|seen| Arc::clone(&seen.core));
        let core = run(py, settings.threads, progress, |ctx| {
            let rules = Rules {
                equal: settings.equal_fields,
                same: Guard::parse_all(&settings.same)?,
                window: settings.window_millis.map(|span| Window {
                    span,
                    field: settings.date_field,
                }),
                fields: (settings.field_rules.into_iter())
                    .map(|(names, bound, apart, joins)| FieldRule::new(names, &bound, apart, joins))
                    .collect::<Result<_>>()?,
                sure: settings.sure_pair.map(|(agree, similarity)| Sure { agree, similarity }),
                bounds: Bounds {
                    max_lost: settings.max_lost,
                    conflict: Conflict::parse_all(&settings.conflict)?,
                    mean: (settings.mean_pair).map(|(weights, least)| Mean { weights, least }),
                },
                verdicts: verdicts.into_iter().map(verdict).collect::<Result<_>>()?,
            };
            let keep = KeepOrder::parse(&settings.keep)?;
            let options = |(scheme, nearness): (_, Nearness)| {
                Ok(Options {
                    scheme,
                    text_field: settings.text_field.clone(),
                    id_field: settings.id_field.clone(),
                    keep: keep.clone(),
                    rules: rules.clone(),
                    threshold: nearness.threshold()?,
                    recall: settings.recall,
                    seed: settings.seed,
                    // Zero is for an index of as many as there are.
                    recipe_for: recipe_for.filter(|&records| records > 0),
                    looked_up: recipe_for.is_some(),
                    batch: settings.batch,
                    run_dir: run_dir.clone(),
                    settled: seen.as_ref().map(|seen| seen.settled()),
                })
            };
            let each = schemes.into_iter().zip(settings.nearness).map(options);
            let each = each.collect::<Result<Vec<_>>>()?;
            loading::Loading::begin(store, &each, Combine::parse(&settings.combine)?, ctx)
        })?;
        Ok(Loading::of(core, seen))
    }

    /// The records of documents, old ones of an index among them; the new ones as another store has them.
    #[staticmethod]
    #[pyo3(signature = (documents, new = None))]
    fn of_documents(documents: &Documents, new: Option<&Self>) -> Self {
        let all = &documents.core.collection.sources;
        Self {
            core: new.map_or_else(|| Arc::clone(all), |new| Arc::new(all.with_new(&new.core))),
        }
    }
}

/// The settings of a search, by the names that `DedupConfig` has for them.
#[derive(FromPyObject)]
struct SearchSettings {
    text_field: Vec<String>,
    id_field: String,
    keep: Vec<String>,
    nearness: Vec<Nearness>,
    combine: String,
    equal_fields: Vec<String>,
    /// Names, bound, whether the rule keeps apart, and whether it joins.
    field_rules: Vec<(Vec<String>, String, bool, bool)>,
    sure_pair: Option<(u32, f64)>,
    /// The weights of the schemes, and the least mean.
    mean_pair: Option<(Vec<f64>, f64)>,
    same: Vec<String>,
    window_millis: Option<u64>,
    date_field: Option<String>,
    max_lost: Option<u32>,
    conflict: Vec<String>,
    recall: f64,
    seed: u64,
    threads: usize,
    batch: usize,
}

/// Whether a pattern of file names matches one of the paths, which are asked for one by one.
#[pyfunction]
pub fn matches(pattern: &str, paths: &Bound<'_, PyAny>) -> PyResult<bool> {
    let pattern = Pattern::new(pattern);
    for path in paths.try_iter()? {
        if pattern.matches(&path?.extract::<PathBuf>()?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether two values of a field agree within a bound; none where one is not known.
#[pyfunction]
pub fn field_agrees(bound: &str, a: Option<&str>, b: Option<&str>) -> PyResult<Option<bool>> {
    fields::agree(bound, a, b).map_err(|error| to_python(&error))
}

/// Gives two names of one file system to what the other had, in one step.
#[pyfunction]
pub fn exchange(one: PathBuf, other: PathBuf) -> PyResult<()> {
    Ok(exchange_names(&one, &other)?)
}

/// Refuses sinks that cannot be written or that would overwrite a source, before any work.
#[pyfunction]
#[pyo3(signature = (sources, sinks, folder = None))]
pub fn check_sinks(sources: Vec<PathBuf>, sinks: Vec<PathBuf>, folder: Option<PathBuf>) -> PyResult<()> {
    let checked = sink::check_sinks(&sources, &sinks).and_then(|()| match &folder {
        Some(folder) => sink::check_folder(&sources, folder),
        None => Ok(()),
    });
    checked.map_err(|error| to_python(&error))
}
