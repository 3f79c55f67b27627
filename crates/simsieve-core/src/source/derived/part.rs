//! Parts of sources, and sources that are parts of others: the records that an earlier run kept, and sources that are joined.

use std::ops::Range;
use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::source::identity::Identity;
use crate::source::kinds::source::Source;
use crate::source::kinds::source::check_ascending;
use crate::source::profile::{FileRecord, Profile};
use crate::source::sources::collection::Sources;
use crate::source::spans::Spans;

/// The records of each source at these positions in it, which ascend; a list for each source.
///
/// # Errors
/// [`Error::Config`] where there is another number of lists, or a position is none of its source.
pub fn parts(sources: &Sources, each: &[&[u32]]) -> Result<Sources> {
    if each.len() != sources.iter().len() {
        return Err(Error::Config(msg!(
            "there are {count} sources, and records of {count_2} are wanted",
            count = sources.iter().len(),
            count_2 = each.len()
        )));
    }
    let part = |(source, positions): (&Arc<dyn Source>, &&[u32])| -> Result<Arc<dyn Source>> {
        let all: Vec<usize> = positions.iter().map(|&position| position as usize).collect();
        check_ascending(&all, source.spans().len())?;
        Ok(Arc::new(PartSource::new(Arc::clone(source), positions.to_vec())))
    };
    let parts = sources.iter().zip(each).map(part).collect::<Result<_>>()?;
    Ok(Sources::of(parts))
}

/// All sources of several, in order: the records of the first have the first positions. All read the same open files.
#[must_use]
pub fn joined(several: &[&Sources]) -> Sources {
    Sources::of(
        several
            .iter()
            .flat_map(|sources| sources.iter().map(Arc::clone))
            .collect(),
    )
}

/// How many bytes each of these records takes in its source, its terminator included; of one beyond the limit its own.
///
/// # Errors
/// As [`Sources::whole_span`].
pub fn sizes(sources: &Sources, positions: &[usize]) -> Result<Vec<u64>> {
    let size = |&position: &usize| match sources.overlong(position) {
        Some(bytes) => Ok(bytes),
        None => sources.whole_span(position).map(|span| span.end - span.start),
    };
    positions.iter().map(size).collect()
}

/// Some records of a source, in its order.
#[derive(Debug)]
pub(in crate::source) struct PartSource {
    source: Arc<dyn Source>,
    spans: Arc<Spans>,
    /// The positions in the whole source.
    positions: Vec<u32>,
}

impl PartSource {
    /// The records at ascending positions.
    pub(in crate::source) fn new(source: Arc<dyn Source>, positions: Vec<u32>) -> Self {
        let mut spans = Spans::default();
        for &position in &positions {
            let (span, overlong) = (
                source.spans().span(position as usize),
                source.spans().overlong(position as usize),
            );
            match overlong {
                Some(length) => spans.push_overlong(span.start, span.end - span.start, length),
                None => spans.push(span.start, span.end - span.start),
            }
        }
        spans.shrink();
        Self {
            source,
            spans: Arc::new(spans),
            positions,
        }
    }
}

impl Source for PartSource {
    fn identity(&self) -> &Identity {
        self.source.identity()
    }

    fn profile(&self) -> &Arc<Profile> {
        self.source.profile()
    }

    fn spans(&self) -> &Arc<Spans> {
        &self.spans
    }

    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> Result<()> {
        self.source.read_exact_at(buffer, start)
    }

    fn announce(&self, span: Range<u64>) {
        self.source.announce(span);
    }

    fn lent(&self) -> Option<&[u8]> {
        self.source.lent()
    }

    fn file(&self, position: usize) -> Option<FileRecord<'_>> {
        self.source.file(self.original(position))
    }

    fn original(&self, position: usize) -> usize {
        self.positions[position] as usize
    }

    fn check_unchanged(&self) -> Result<()> {
        self.source.check_unchanged()
    }
}
