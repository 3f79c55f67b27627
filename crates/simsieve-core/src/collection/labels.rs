//! The labels of all records, as raw JSON.

use rayon::prelude::*;

use crate::base::hash::xxh3_64;
use crate::storage::column::Column;

/// Labels as raw JSON, one after another.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    pub(crate) bytes: Column<u8>,
    /// Where each label ends among the bytes.
    pub(crate) ends: Column<u64>,
}

impl Labels {
    pub(crate) fn push(&mut self, label: Option<&[u8]>) {
        self.bytes.to_mut().extend_from_slice(label.unwrap_or_default());
        self.ends.to_mut().push(self.bytes.len() as u64);
    }

    pub(crate) fn append(&mut self, other: &Self) {
        let base = self.bytes.len() as u64;
        self.bytes.to_mut().extend_from_slice(&other.bytes);
        self.ends.to_mut().extend(other.ends.iter().map(|end| base + end));
    }

    /// Whether these are the labels of this many records.
    pub(crate) fn fit(&self, records: usize) -> bool {
        let Self { bytes, ends } = self;
        ends.len() == records && ends.is_sorted() && ends.last().copied().unwrap_or(0) == bytes.len() as u64
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&[u8]> {
        let start = if at == 0 { 0 } else { self.ends.at(at - 1) };
        let label = self.bytes.some(start as usize..self.ends.at(at) as usize);
        label.filter(|label| !label.is_empty())
    }

    /// Labels beyond the first of their kind among the first `count`. Memory holds the hashes of about one of `parts` at a time.
    pub(crate) fn repeated(&self, count: usize, parts: usize) -> usize {
        let (mut hashes, mut repeated): (Vec<u64>, usize) = (Vec::new(), 0);
        for part in 0..parts as u64 {
            hashes.clear();
            let all = (0..count).filter_map(|at| self.get(at)).map(xxh3_64);
            hashes.extend(all.filter(|hash| hash % parts as u64 == part));
            hashes.par_sort_unstable();
            repeated += hashes.windows(2).filter(|pair| pair[0] == pair[1]).count();
        }
        repeated
    }
}

/// The text of a JSON string; none of one that holds a lone surrogate.
pub(crate) fn text_of(raw: &[u8]) -> Option<std::borrow::Cow<'_, str>> {
    match raw {
        [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => std::str::from_utf8(inner).ok().map(Into::into),
        [b'"', ..] => serde_json::from_slice::<String>(raw).ok().map(Into::into),
        _ => None,
    }
}

/// A label as it is known again, however a source has written it: a string without needless escapes.
pub(crate) fn canonical(raw: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match text_of(raw) {
        Some(std::borrow::Cow::Owned(text)) => serde_json::Value::from(text).to_string().into_bytes().into(),
        _ => raw.into(),
    }
}
