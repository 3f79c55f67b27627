//! One of the sources of a run, and where its records begin among all.

use std::sync::Arc;

use crate::base::error::Result;
use crate::source::format::{Format, RecordFormat};
use crate::source::kinds::source::Source;
use crate::source::profile::{Location, Profile};
use crate::source::spans::Spans;

/// A source and where its records begin.
#[derive(Debug, Clone)]
pub(in crate::source) struct Member {
    /// The position of its first record.
    pub(in crate::source) first: usize,
    pub(in crate::source) source: Arc<dyn Source>,
    /// The source's own, so that no record takes a call through the trait.
    pub(in crate::source) profile: Arc<Profile>,
    /// The source's own too, or the first of them: see [`crate::source::Sources::first`].
    pub(in crate::source) spans: Arc<Spans>,
}

impl Member {
    /// The position after its last record.
    pub(in crate::source) fn end(&self) -> usize {
        self.first + self.spans.len()
    }

    /// The file and line of a record.
    pub(in crate::source) fn locate(&self, local: usize) -> Location<'_> {
        if let Some(file) = self.source.file(local) {
            return Location {
                path: file.path.into(),
                line: 1,
                unit: "",
            };
        }
        let lines_before = &self.profile.scan.lines_before;
        let entries = lines_before.partition_point(|entry| entry.0 <= local);
        let extra = entries.checked_sub(1).map_or(0, |entry| lines_before[entry].1);
        let (unit, line) = match self.profile.layout.format {
            RecordFormat::Row if self.profile.path.starts_with("mongodb:") => ("document", local as u64 + extra + 1),
            RecordFormat::Row => ("row", local as u64 + extra + 1),
            RecordFormat::Lines(Format::Json) => ("index", local as u64),
            _ if self.profile.of_memory => ("index", local as u64),
            _ => ("line", local as u64 + extra + 1),
        };
        let path = self.profile.shown().into();
        Location { path, line, unit }
    }

    /// Reads at most `max_bytes` of a record, and returns its true length in bytes too.
    pub(in crate::source) fn read_head<'b>(
        &'b self,
        local: usize,
        max_bytes: u64,
        buffer: &'b mut Vec<u8>,
    ) -> Result<(&'b [u8], u64)> {
        let format = self.profile.layout.format;
        let span = self.spans.span(local);
        // Two more, so that a terminator at the cut is seen as one.
        let end = span.end.min(span.start.saturating_add(max_bytes).saturating_add(2));
        let bytes = self.source.read_span(span.start..end, buffer)?;
        let bytes = if end == span.end { format.strip(bytes) } else { bytes };
        let true_bytes = match self.spans.overlong(local) {
            Some(true_bytes) => true_bytes,
            None if end == span.end => bytes.len() as u64,
            None => {
                let mut tail = Vec::new();
                let from = span.start.max(span.end.saturating_sub(2));
                let tail = self.source.read_span(from..span.end, &mut tail)?;
                span.end - span.start - (tail.len() - format.strip(tail).len()) as u64
            }
        };
        Ok((&bytes[..bytes.len().min(max_bytes as usize)], true_bytes))
    }
}
