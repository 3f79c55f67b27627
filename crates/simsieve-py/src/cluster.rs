//! The steps of a run whose records are spread over machines, for Python.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use simsieve_core::base::error::{Error, Result};
use simsieve_core::collection::fields::FieldRule;
use simsieve_core::collection::relation::{Bounds, Mean, Sure, Verdict};
use simsieve_core::distributed::{
    self, FrozenParts, InvolvedRows, Pairs, RecordValues, RowRules, RowValues, TextColumn, Unfrozen,
};
use simsieve_core::recipe::Recipe;
use simsieve_core::source::Sources;
use simsieve_core::text::conflict::Conflict;
use simsieve_core::text::guard::Guard;

use crate::convert::{Nearness, conflicts_of, losses_from, lost_units};
use crate::door::run;
use crate::errors::to_python;
use crate::message::Told;
use crate::scheme::Scheme;

/// A column of texts: one more offset than texts, all bytes, and which rows have a text.
type Texts<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, u8>,
    Option<PyReadonlyArray1<'py, bool>>,
);

/// What rows carry besides their texts: groups, facts of 16 bytes, dates.
type Carried<'py> = (
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray1<'py, u8>,
    PyReadonlyArray1<'py, i64>,
);

/// Rows as they are compared: fingerprints and sketches, row-major, sizes, and what they carry.
type Encoded<'py> = (
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray1<'py, u32>,
    Carried<'py>,
);

/// What is known of rows by rules: which have features, the digests of their texts under the first and all schemes, how many are old.
type Known<'py> = (PyReadonlyArray1<'py, bool>, [PyReadonlyArray1<'py, u8>; 2], u32);

/// The rules on what rows carry: names, bound, whether the rule keeps apart, and whether it joins; what is sure; the window of time.
type Rules = (Vec<(Vec<String>, String, bool, bool)>, Option<(u32, f64)>, Option<u64>);

/// Of pairs their similarities, what is lost of the first text and of the second, and whether numbers conflict; NaN and -1 where they are
/// not near.
type VerifiedColumns<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i8>>,
);

/// Texts that fail: number, code, message.
type Failures = Vec<(usize, &'static str, Told)>;

/// Further schemes that must agree, with their thresholds.
type Also<'py> = Vec<(PyRef<'py, Scheme>, Nearness)>;

/// A mean as it is given: weights and the least one.
type GivenMean = Option<(Vec<f64>, f64)>;

/// Digests and those of the texts alone under the first and all schemes as bytes, what the rows carry, and texts that fail.
type Digested<'py> = (
    [Bound<'py, PyArray1<u8>>; 3],
    (
        Bound<'py, PyArray1<u64>>,
        Bound<'py, PyArray1<u8>>,
        Bound<'py, PyArray1<i64>>,
    ),
    Failures,
);

/// A frozen search as it is sent: recipe, numbers, classes of rarity, verdicts.
type Sent<'py> = (String, String, Bound<'py, PyBytes>, Bound<'py, PyArray1<u64>>);

fn column<'a>(texts: &'a Texts<'_>) -> PyResult<TextColumn<'a>> {
    let valid = texts.2.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    TextColumn::new(texts.0.as_slice()?, texts.1.as_slice()?, valid).map_err(|error| to_python(&error))
}

fn rows_of(encoded: &Encoded<'_>) -> PyResult<InvolvedRows> {
    Ok(InvolvedRows {
        fingerprints: encoded.0.as_slice()?.to_vec(),
        sketches: encoded.1.as_slice()?.to_vec(),
        sizes: encoded.2.as_slice()?.to_vec(),
        values: values_of(&encoded.3)?,
        ..InvolvedRows::default()
    })
}

fn values_of(carried: &Carried<'_>) -> PyResult<RowValues> {
    Ok(RowValues {
        groups: carried.0.as_slice()?.to_vec(),
        facts: wide(carried.1.as_slice()?),
        dates: carried.2.as_slice()?.to_vec(),
    })
}

/// Numbers of 16 bytes.
fn wide(bytes: &[u8]) -> Vec<u128> {
    let (chunks, _) = bytes.as_chunks::<16>();
    chunks.iter().map(|&bytes| u128::from_le_bytes(bytes)).collect()
}

fn bytes_of<'py>(py: Python<'py>, numbers: &[u128]) -> Bound<'py, PyArray1<u8>> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    bytes.into_pyarray(py)
}

fn rules_of((fields, sure, span): Rules) -> Result<RowRules> {
    let rule = |(names, bound, apart, joins): (_, String, _, _)| FieldRule::new(names, &bound, apart, joins);
    Ok(RowRules {
        fields: fields.into_iter().map(rule).collect::<Result<_>>()?,
        sure: sure.map(|(agree, similarity)| Sure { agree, similarity }),
        span,
    })
}

fn verdicts_of(verdicts: Vec<(u32, u32, u8)>) -> Result<Vec<(u32, u32, Verdict)>> {
    let verdict = |(a, b, number)| Verdict::of(number).map(|verdict| (a, b, verdict));
    let all = verdicts.into_iter().map(verdict);
    all.collect::<Option<_>>()
        .ok_or_else(|| Error::Config(msg!("a verdict is unknown")))
}

/// A search before its paths are frozen.
#[pyclass(frozen, module = "simsieve._core")]
pub struct UnfrozenSearch {
    core: Unfrozen,
}

#[pymethods]
impl UnfrozenSearch {
    #[new]
    #[pyo3(signature = (scheme, records, nearness, recall = 0.98, seed = 0))]
    fn new(scheme: &Scheme, records: u64, nearness: Nearness, recall: f64, seed: u64) -> PyResult<Self> {
        let scheme = scheme.ready()?.clone();
        let threshold = nearness.threshold();
        let recipe = threshold.and_then(|threshold| Recipe::new(&scheme, threshold, recall, seed, records));
        let recipe = recipe.map_err(|error| to_python(&error))?;
        Ok(Self {
            core: Unfrozen { scheme, recipe },
        })
    }

    #[getter]
    fn sample_log2(&self) -> Option<u32> {
        self.core.sample_log2()
    }

    #[getter]
    fn recipe_digest(&self) -> String {
        self.core.recipe.digest()
    }

    fn freeze(&self, py: Python<'_>, texts: Texts<'_>, records: usize, log2: u32) -> PyResult<Option<FrozenSearch>> {
        let texts = column(&texts)?;
        let search = run(py, 0, None, |ctx| {
            let texts = (0..texts.len()).filter_map(|at| texts.get(at).transpose());
            let sources = Sources::from_texts(texts.collect::<Result<Vec<_>>>()?);
            self.core.clone().freeze(&sources, records, log2, ctx)
        })?;
        Ok(search.map(|core| FrozenSearch { core: Arc::new(core) }))
    }
}

/// The rank of each position in the sample of a seed.
#[pyfunction]
pub fn sample_ranks<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray1<'_, i64>,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    Ok(distributed::sample_ranks(positions.as_slice()?, seed).into_pyarray(py))
}

/// Which texts are in the sample of one of `2^log2`.
#[pyfunction]
pub fn sampled_texts<'py>(py: Python<'py>, texts: Texts<'_>, log2: u32) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let texts = column(&texts)?;
    let sampled = run(py, 1, None, |_| distributed::sampled(texts, log2))?;
    Ok(sampled.into_pyarray(py))
}

/// Failures with their messages on the way to Python.
fn told(failures: distributed::Failures) -> Failures {
    let row = |(at, code, message)| (at, code, Told(message));
    failures.into_iter().map(row).collect()
}

/// Within what the texts of a pair must stay.
fn bounds_of(max_lost: Option<u32>, conflict: &[String], mean: GivenMean) -> Result<Bounds> {
    Ok(Bounds {
        max_lost,
        conflict: Conflict::parse_all(conflict)?,
        mean: mean.map(|(weights, least)| Mean { weights, least }),
    })
}

/// The digests of texts and what their rows carry. `fields` has what must be equal in one value; `facts` the rules and the values of their
/// fields, one after another; `dates` the field of the date and its values.
#[pyfunction]
#[pyo3(signature = (scheme, texts, fields = None, same = Vec::new(), facts = None, dates = None, also = Vec::new()))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
pub fn text_digests<'py>(
    py: Python<'py>,
    scheme: &Scheme,
    texts: Texts<'_>,
    fields: Option<Texts<'_>>,
    same: Vec<String>,
    facts: Option<(Rules, Vec<Texts<'_>>)>,
    dates: Option<(String, Texts<'_>)>,
    also: Vec<PyRef<'_, Scheme>>,
) -> PyResult<Digested<'py>> {
    let (scheme, texts) = (scheme.ready()?, column(&texts)?);
    let equal = fields.as_ref().map(column).transpose()?;
    let (rules, facts) = facts.unwrap_or_default();
    let facts = facts.iter().map(column).collect::<PyResult<_>>()?;
    let dates = dates.as_ref();
    let dates = dates.map(|(name, values)| Ok::<_, PyErr>((name.clone(), column(values)?)));
    let dates = dates.transpose()?;
    let also = also.iter().map(|scheme| scheme.ready()).collect::<PyResult<Vec<_>>>()?;
    let found = run(py, 1, None, |_| {
        let besides = RecordValues {
            equal,
            same: Guard::parse_all(&same)?,
            rules: rules_of(rules)?.fields,
            facts,
            dates,
        };
        distributed::digests((scheme, &also), texts, &besides)
    })?;
    Ok((
        [&found.digests, &found.marks, &found.wholes].map(|digests| bytes_of(py, digests)),
        (
            found.values.groups.into_pyarray(py),
            bytes_of(py, &found.values.facts),
            found.values.dates.into_pyarray(py),
        ),
        told(found.failures),
    ))
}

/// Which pairs of near texts the rules allow: of the first rows of both sides, of the second ones, and so on.
#[pyfunction]
pub fn allowed_pairs<'py>(
    py: Python<'py>,
    rules: Rules,
    sides: [Carried<'_>; 2],
    similarities: PyReadonlyArray1<'_, f64>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let [a, b] = &sides;
    let sides = [values_of(a)?, values_of(b)?];
    let allowed = rules_of(rules).map_err(|error| to_python(&error))?;
    let allowed = distributed::allowed(sides, similarities.as_slice()?, &allowed).map_err(|error| to_python(&error))?;
    Ok(allowed.into_pyarray(py))
}

/// The order of rows under verdicts that keep one before another; rows are numbered in keep order.
#[pyfunction]
pub fn order_of_verdicts(
    py: Python<'_>,
    rows: u32,
    verdicts: Vec<(u32, u32, u8)>,
) -> PyResult<Bound<'_, PyArray1<u32>>> {
    let order = verdicts_of(verdicts).and_then(|verdicts| distributed::order_of_verdicts(rows, verdicts));
    Ok(order.map_err(|error| to_python(&error))?.into_pyarray(py))
}

/// A frozen search: it makes the keys of any text, on any machine.
#[pyclass(frozen, module = "simsieve._core")]
pub struct FrozenSearch {
    core: Arc<distributed::Search>,
}

#[pymethods]
impl FrozenSearch {
    #[new]
    #[pyo3(signature = (scheme, recipe, state, classes, verdicts, also = Vec::new()))]
    fn new(
        scheme: &Scheme,
        recipe: String,
        state: String,
        classes: Vec<u8>,
        verdicts: PyReadonlyArray1<'_, u64>,
        also: Also<'_>,
    ) -> PyResult<Self> {
        let parts = FrozenParts {
            recipe,
            state,
            classes,
            verdicts: verdicts.as_slice()?.to_vec(),
        };
        let core = distributed::Search::of_parts(scheme.ready()?.clone(), parts).map_err(|error| to_python(&error))?;
        let also = also.into_iter().map(|(scheme, nearness)| {
            let scheme = scheme.ready()?.clone();
            // Texts are compared by the threshold of the recipe alone, which is that of any size.
            let recipe = nearness
                .threshold()
                .and_then(|threshold| Recipe::new(&scheme, threshold, 0.5, 0, 1));
            Ok((scheme, recipe.map_err(|error| to_python(&error))?))
        });
        let core = core.with_also(also.collect::<PyResult<_>>()?);
        Ok(Self { core: Arc::new(core) })
    }

    fn parts<'py>(&self, py: Python<'py>) -> Sent<'py> {
        let FrozenParts {
            recipe,
            state,
            classes,
            verdicts,
        } = self.core.parts();
        (recipe, state, PyBytes::new(py, &classes), verdicts.into_pyarray(py))
    }

    #[getter]
    fn recipe_digest(&self) -> String {
        self.core.recipe().digest()
    }

    #[getter]
    fn is_brute(&self) -> bool {
        self.core.is_brute()
    }

    #[getter]
    fn is_exact(&self) -> bool {
        self.core.recipe().is_exact()
    }

    #[getter]
    fn by_similarity(&self) -> bool {
        self.core.recipe().threshold.by_similarity()
    }

    #[getter]
    fn reads_texts(&self) -> bool {
        self.core.reads_texts()
    }

    #[getter]
    fn is_directed(&self) -> bool {
        self.core.is_directed()
    }

    #[getter]
    fn mean_keys(&self) -> Option<f64> {
        self.core.mean_keys()
    }

    #[getter]
    fn crowd_log2(&self) -> Option<u32> {
        self.core.crowd_log2()
    }

    fn sampled_keys<'py>(&self, py: Python<'py>, texts: Texts<'_>, log2: u32) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let texts = column(&texts)?;
        let keys = run(py, 1, None, |ctx| self.core.sampled_keys(texts, log2, ctx))?;
        Ok(keys.into_pyarray(py))
    }

    fn split(&self, py: Python<'_>, keys: Vec<PyReadonlyArray1<'_, u64>>, log2: u32) -> PyResult<Self> {
        let each: Vec<&[u64]> = keys
            .iter()
            .map(|keys| keys.as_slice())
            .collect::<std::result::Result<_, _>>()?;
        let core = run(py, 1, None, |_| Ok(self.core.split(each.into_iter(), log2)))?;
        Ok(Self { core: Arc::new(core) })
    }

    #[pyo3(signature = (pieces, threads = 1))]
    fn pairs<'py>(&self, py: Python<'py>, pieces: Vec<PyBackedBytes>, threads: usize) -> PyResult<Bound<'py, PyDict>> {
        let found = run(py, threads, None, |ctx| {
            let pieces: Vec<&[u8]> = pieces.iter().map(|piece| &**piece).collect();
            distributed::bucket_pairs(&self.core, &pieces, ctx)
        })?;
        let dict = PyDict::new(py);
        let i64s = |column: Vec<i64>| column.into_pyarray(py);
        dict.set_item("a", i64s(found.pairs.iter().map(|pair| pair.0).collect()))?;
        dict.set_item("b", i64s(found.pairs.iter().map(|pair| pair.1).collect()))?;
        dict.set_item("distance", i64s(found.pairs.iter().map(|pair| pair.2.into()).collect()))?;
        dict.set_item("member", i64s(found.members.iter().map(|member| member.0).collect()))?;
        dict.set_item(
            "bucket",
            i64s(found.members.iter().map(|member| member.1.into()).collect()),
        )?;
        dict.set_item("tested", found.tested)?;
        Ok(dict)
    }

    #[pyo3(signature = (a, b, text_a, text_b, conflict = Vec::new(), mean = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        a: PyReadonlyArray1<'_, i64>,
        b: PyReadonlyArray1<'_, i64>,
        text_a: Texts<'_>,
        text_b: Texts<'_>,
        conflict: Vec<String>,
        mean: GivenMean,
    ) -> PyResult<VerifiedColumns<'py>> {
        let positions = [a.as_slice()?, b.as_slice()?];
        let texts = [column(&text_a)?, column(&text_b)?];
        let found = run(py, 1, None, |ctx| {
            let bounds = bounds_of(None, &conflict, mean)?;
            distributed::verify(&self.core, positions, texts, bounds, ctx)
        })?;
        let [of_a, of_b] = found.lost.each_ref().map(|lost| lost_units(lost).into_pyarray(py));
        let conflicts = conflicts_of(&found.lost[0]).into_pyarray(py);
        Ok((found.similarities.into_pyarray(py), of_a, of_b, conflicts))
    }

    /// The pairs of kept and sampled rows that may be near; rows are fingerprints, sketches, sizes and groups.
    fn compare_sampled<'py>(
        &self,
        py: Python<'py>,
        kept: Encoded<'_>,
        sampled: Encoded<'_>,
    ) -> PyResult<[Bound<'py, PyArray1<u32>>; 3]> {
        let (kept, sampled) = (rows_of(&kept)?, rows_of(&sampled)?);
        let pairs = run(py, 1, None, |ctx| {
            distributed::compare_sampled(&self.core, kept, sampled, ctx)
        })?;
        let columns = pairs
            .iter()
            .fold([const { Vec::new() }; 3], |mut columns, &(a, b, distance)| {
                for (column, value) in columns.iter_mut().zip([a, b, distance]) {
                    column.push(value);
                }
                columns
            });
        Ok(columns.map(|column: Vec<u32>| column.into_pyarray(py)))
    }

    #[pyo3(signature = (
        texts, rows, near, similarities, lost, conflicts, members, max_lost = None, conflict = Vec::new(), rules = None, known = None,
        verdicts = Vec::new(), mean = None, threads = 0, progress = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of one Python call")]
    fn decide<'py>(
        &self,
        py: Python<'py>,
        texts: Texts<'_>,
        rows: Encoded<'_>,
        near: [PyReadonlyArray1<'_, u32>; 3],
        similarities: PyReadonlyArray1<'_, f64>,
        lost: PyReadonlyArray1<'_, i64>,
        conflicts: PyReadonlyArray1<'_, i8>,
        members: [PyReadonlyArray1<'_, u32>; 2],
        max_lost: Option<u32>,
        conflict: Vec<String>,
        rules: Option<Rules>,
        known: Option<Known<'_>>,
        verdicts: Vec<(u32, u32, u8)>,
        mean: GivenMean,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let texts = column(&texts)?;
        let mut rows = rows_of(&rows)?;
        if let Some((valid, [digests, wholes], old)) = &known {
            (rows.valid, rows.old) = (valid.as_slice()?.to_vec(), *old);
            (rows.digests, rows.wholes) = (wide(digests.as_slice()?), wide(wholes.as_slice()?));
        }
        let [earlier, later, distance] = [near[0].as_slice()?, near[1].as_slice()?, near[2].as_slice()?];
        let edges = earlier.iter().zip(later).zip(distance);
        let pairs = Pairs {
            near: edges
                .map(|((&earlier, &later), &distance)| (earlier, later, distance))
                .collect(),
            similarities: similarities.as_slice()?.to_vec(),
            lost: losses_from(lost.as_slice()?, conflicts.as_slice()?),
            bounds: bounds_of(max_lost, &conflict, mean).map_err(|error| to_python(&error))?,
            members: (members[0].as_slice()?.iter().copied())
                .zip(members[1].as_slice()?.iter().copied())
                .collect(),
            rules: rules_of(rules.unwrap_or_default()).map_err(|error| to_python(&error))?,
            verdicts: verdicts_of(verdicts).map_err(|error| to_python(&error))?,
        };
        let assigned = run(py, threads, progress, |ctx| {
            distributed::decide(&self.core, texts, rows, pairs, ctx)
        })?;
        let dict = PyDict::new(py);
        dict.set_item("to", assigned.to.into_pyarray(py))?;
        dict.set_item("distance", assigned.distance.into_pyarray(py))?;
        dict.set_item("similarity", assigned.similarity.into_pyarray(py))?;
        dict.set_item("lost", lost_units(&assigned.lost).into_pyarray(py))?;
        dict.set_item("conflict", conflicts_of(&assigned.lost).into_pyarray(py))?;
        let reasons: Vec<u8> = assigned.reason.iter().map(|&reason| reason as u8).collect();
        dict.set_item("reason", reasons.into_pyarray(py))?;
        dict.set_item("candidates", assigned.candidates)?;
        dict.set_item("verified", assigned.verified)?;
        Ok(dict)
    }
}

/// Encodes the rows of one partition of digests.
#[pyclass(frozen, module = "simsieve._core")]
pub struct EncodePass {
    core: Mutex<distributed::EncodePass>,
}

impl EncodePass {
    fn held(&self) -> MutexGuard<'_, distributed::EncodePass> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl EncodePass {
    #[new]
    fn new(search: &FrozenSearch, parts_log2: u32) -> Self {
        Self {
            core: Mutex::new(distributed::EncodePass::new(Arc::clone(&search.core), parts_log2)),
        }
    }

    /// The interpreter is free meanwhile.
    fn push<'py>(
        &self,
        py: Python<'py>,
        digests: PyReadonlyArray1<'_, u8>,
        groups: PyReadonlyArray1<'_, u64>,
        positions: PyReadonlyArray1<'_, i64>,
        texts: Texts<'_>,
    ) -> PyResult<(Bound<'py, PyDict>, Failures)> {
        let digests = wide(digests.as_slice()?);
        let (groups, positions, texts) = (groups.as_slice()?, positions.as_slice()?, column(&texts)?);
        if [digests.len(), groups.len(), positions.len()] != [texts.len(); 3] {
            return Err(PyValueError::new_err("the columns are of different lengths"));
        }
        let rows = run(py, 1, None, |ctx| {
            self.held().push(&digests, groups, positions, texts, ctx)
        })?;
        let dict = PyDict::new(py);
        let matrix = |words: Vec<u64>| -> PyResult<Bound<'py, PyArray2<u64>>> {
            let width = words.len().checked_div(rows.first.len()).unwrap_or(0);
            words.into_pyarray(py).reshape([rows.first.len(), width])
        };
        dict.set_item("fingerprint", matrix(rows.batch.fingerprints)?)?;
        dict.set_item("sketch", matrix(rows.batch.sketches)?)?;
        dict.set_item("valid", rows.batch.valid.into_pyarray(py))?;
        dict.set_item("size", rows.batch.sizes.into_pyarray(py))?;
        dict.set_item("first", rows.first.into_pyarray(py))?;
        Ok((dict, told(rows.failures)))
    }

    fn gathered_bytes(&self) -> usize {
        self.held().gathered_bytes()
    }

    fn take_pieces<'py>(&self, py: Python<'py>) -> Vec<(u32, Bound<'py, PyBytes>)> {
        let pieces = self.held().take_pieces();
        pieces
            .iter()
            .map(|(part, piece)| (*part, PyBytes::new(py, piece)))
            .collect()
    }
}
