//! Segmenters for Python.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString};
use simsieve_core::base::error::Result;
use simsieve_core::text::segment::keywords::Keywords;
use simsieve_core::text::segment::parts::Tags;
use simsieve_core::text::segment::{self, CutScratch, Mode};

use crate::door::run_or_here;
use crate::errors::to_python;

/// Texts of fewer bytes are cut by the calling thread: that takes some milliseconds.
const BRIEF_BYTES: usize = 1 << 15;

/// A segmenter and its keywords; words can be added while other threads cut.
#[pyclass(frozen, module = "simsieve._core")]
pub struct Segmenter {
    inner: RwLock<(segment::Segmenter, Keywords)>,
}

thread_local! {
    static SCRATCH: RefCell<CutScratch> = RefCell::default();
}

impl Segmenter {
    /// Works with the current segmenter, with the interpreter released.
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&segment::Segmenter, &Keywords, &mut CutScratch) -> T + Send,
    ) -> T {
        py.detach(|| {
            let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
            SCRATCH.with_borrow_mut(|scratch| work(&inner.0, &inner.1, scratch))
        })
    }

    fn change<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut segment::Segmenter, &mut Keywords) -> Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            let (segmenter, keywords) = &mut *inner;
            work(segmenter, keywords)
        })
        .map_err(|error| to_python(&error))
    }
}

#[pymethods]
impl Segmenter {
    #[new]
    #[pyo3(signature = (dictionary = None))]
    fn new(py: Python<'_>, dictionary: Option<(String, Vec<u8>)>) -> PyResult<Self> {
        let made = py.detach(|| match &dictionary {
            Some((file, bytes)) => segment::Segmenter::with_dictionary(file, bytes),
            None => Ok(segment::Segmenter::builtin()),
        });
        let segmenter = made.map_err(|error| to_python(&error))?;
        Ok(Self {
            inner: RwLock::new((segmenter, Keywords::builtin())),
        })
    }

    #[getter]
    fn digest(&self, py: Python<'_>) -> String {
        self.read(py, |segmenter, _, _| segmenter.digest())
    }

    #[getter]
    fn total(&self, py: Python<'_>) -> u64 {
        self.read(py, |segmenter, _, _| segmenter.total())
    }

    fn cut<'t>(&self, py: Python<'_>, text: &'t str, mode: &str, hmm: bool) -> PyResult<Vec<&'t str>> {
        let mode = Mode::parse(mode).map_err(|error| to_python(&error))?;
        Ok(self.read(py, |segmenter, _, scratch| {
            let mut words = Vec::with_capacity(text.len() / 4);
            segmenter.cut(text, mode, hmm, scratch, |place| words.push(&text[place]));
            words
        }))
    }

    fn cut_all<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        mode: &str,
        hmm: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let mode = Mode::parse(mode).map_err(|error| to_python(&error))?;
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let is_brief = texts.iter().map(|text| text.len()).sum::<usize>() < BRIEF_BYTES;
        let places = run_or_here(py, is_brief, threads, None, |ctx| {
            let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
            inner.0.cut_all(&texts, mode, hmm, ctx)
        })?;
        // Most words occur often: one object for each takes a third of the time, and little memory.
        let mut known: HashMap<&str, Bound<'py, PyString>> = HashMap::new();
        let all = PyList::empty(py);
        for (text, places) in texts.iter().zip(places) {
            let words = places.into_iter().map(|place| {
                let word = &text[place.start as usize..place.end as usize];
                known.entry(word).or_insert_with(|| PyString::new(py, word)).clone()
            });
            all.append(PyList::new(py, words.collect::<Vec<_>>())?)?;
        }
        Ok(all)
    }

    fn tag<'t>(&self, py: Python<'_>, text: &'t str, hmm: bool) -> Vec<(&'t str, String)> {
        self.read(py, |segmenter, _, scratch| {
            let mut words = Vec::new();
            segmenter.tag(text, hmm, scratch, |place, tag| {
                words.push((&text[place], tag.to_owned()));
            });
            words
        })
    }

    fn keywords<'t>(
        &self,
        py: Python<'_>,
        text: &'t str,
        top: usize,
        tags: Vec<(String, f64)>,
    ) -> PyResult<Vec<(&'t str, f64)>> {
        let tags = Tags::of(tags).map_err(|error| to_python(&error))?;
        Ok(self.read(py, |segmenter, keywords, scratch| {
            keywords.find(segmenter, text, top, &tags, scratch)
        }))
    }

    fn frequency(&self, py: Python<'_>, word: &str) -> Option<u64> {
        self.read(py, |segmenter, _, _| segmenter.frequency(word))
    }

    fn tag_of(&self, py: Python<'_>, word: &str) -> Option<String> {
        self.read(py, |segmenter, _, _| segmenter.tag_of(word).map(str::to_owned))
    }

    fn suggested(&self, py: Python<'_>, word: &str) -> PyResult<u64> {
        self.read(py, |segmenter, _, _| segmenter.suggested(word))
            .map_err(|error| to_python(&error))
    }

    fn suggested_apart(&self, py: Python<'_>, parts: Vec<String>) -> PyResult<u64> {
        let parts: Vec<_> = parts.iter().map(String::as_str).collect();
        self.read(py, |segmenter, _, _| segmenter.suggested_apart(&parts))
            .map_err(|error| to_python(&error))
    }

    #[pyo3(signature = (word, frequency = None, tag = None))]
    fn add_word(&self, py: Python<'_>, word: &str, frequency: Option<u64>, tag: Option<&str>) -> PyResult<u64> {
        self.change(py, |segmenter, _| segmenter.add_word(word, frequency, tag))
    }

    fn load_words(&self, py: Python<'_>, file: &str, content: &[u8]) -> PyResult<()> {
        self.change(py, |segmenter, _| segmenter.load_words(file, content))
    }

    fn load_stop_words(&self, py: Python<'_>, file: &str, content: &[u8]) -> PyResult<()> {
        self.change(py, |_, keywords| keywords.load_stop_words(file, content))
    }

    fn load_frequencies(&self, py: Python<'_>, file: &str, content: &[u8]) -> PyResult<()> {
        self.change(py, |_, keywords| keywords.load_frequencies(file, content))
    }
}
