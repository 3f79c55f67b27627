//! Sources without parts of their records: what is left has the places that it would have in a file without these parts.
//!
//! In come sources and what is cut out of their bodies; out come sources whose bodies lack it. So whatever writes records writes
//! what is left of them, byte for byte.

use std::ops::Range;
use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::source::format::RecordFormat;
use crate::source::format::place::{in_file, in_record};
use crate::source::format::record::Fields;
use crate::source::identity::{Identity, Inode};
use crate::source::kinds::source::Source;
use crate::source::profile::{FileRecord, Profile};
use crate::source::sources::collection::Sources;
use crate::source::spans::Spans;
use crate::storage::column::Column;
use crate::storage::run_dir::{RunDir, ScratchColumn};

/// Moves ascending places in the text of a record, in bytes, to places in the bytes of all its source.
///
/// # Errors
/// [`Error::Config`] where the text is not in one place of the record.
pub fn text_places(
    sources: &Sources,
    position: usize,
    bytes: &[u8],
    fields: &Fields,
    places: &mut [usize],
) -> Result<()> {
    let (member, local) = sources.member_of(position);
    let layout = &member.profile.layout;
    let moved = match member.source.file(local) {
        Some(file) if layout.format == RecordFormat::File => in_file(bytes, file.kind, file.encoding, places),
        _ => in_record(layout, bytes, fields, places),
    };
    moved.ok_or_else(|| {
        Error::Config(msg!(
            "{place}: its text is not in one place, so nothing can be cut out of it; name one field that holds a \
             string with {@text_field}, and give pages as their texts",
            place = sources.locate(position)
        ))
    })?;
    let start = member.spans.span(local).start as usize;
    for place in places {
        *place += start;
    }
    Ok(())
}

/// What is cut out of sources, in order.
#[derive(Debug)]
pub struct Cuts<'a> {
    /// Where a cut is in the body that is left, and how many bytes are cut up to its end.
    column: ScratchColumn<'a, u128>,
    count: usize,
    /// The cuts of each source end here.
    ends: Vec<usize>,
    removed: u64,
}

impl<'a> Cuts<'a> {
    /// No cuts. With a directory they are in a file there.
    ///
    /// # Errors
    /// [`Error::Storage`] where the directory cannot be written.
    pub fn new(dir: Option<&'a RunDir>) -> Result<Self> {
        Ok(Self {
            column: ScratchColumn::new(dir, "cuts", 0)?,
            count: 0,
            ends: Vec::new(),
            removed: 0,
        })
    }

    /// Cuts bytes out of the body of the source that has a record; they ascend.
    ///
    /// # Errors
    /// As [`Cuts::new`].
    pub fn add(&mut self, sources: &Sources, position: usize, cut: &Range<usize>) -> Result<()> {
        let source = sources.source_of(position);
        if self.ends.len() <= source {
            self.ends.resize(source + 1, self.count);
            self.removed = 0;
        }
        let place = cut.start as u64 - self.removed;
        self.removed += cut.len() as u64;
        self.column.push(u128::from(place) << 64 | u128::from(self.removed))?;
        self.count += 1;
        self.ends[source] = self.count;
        Ok(())
    }
}

/// The same records without what is cut out of them. Both read the same open files.
///
/// # Errors
/// As [`Cuts::new`].
pub fn cut(sources: &Sources, cuts: Cuts<'_>) -> Result<Sources> {
    let (column, ends) = (Arc::new(cuts.column.finish()?), cuts.ends);
    let mut start = 0;
    let one = |(at, source): (usize, &Arc<dyn Source>)| -> Arc<dyn Source> {
        let end = ends.get(at).copied().unwrap_or(start);
        let cuts = std::mem::replace(&mut start, end)..end;
        if cuts.is_empty() {
            return Arc::clone(source);
        }
        Arc::new(CutSource::new(Arc::clone(source), Arc::clone(&column), cuts))
    };
    Ok(Sources::of(sources.iter().enumerate().map(one).collect()).first(sources.len()))
}

/// A source whose body lacks what is cut out of it.
#[derive(Debug)]
struct CutSource {
    source: Arc<dyn Source>,
    spans: Arc<Spans>,
    column: Arc<Column<u128>>,
    /// Which of the column are its cuts.
    cuts: Range<usize>,
}

/// Where a cut is in what is left.
const fn place(cut: u128) -> u64 {
    (cut >> 64) as u64
}

/// The bytes that are cut up to its end.
const fn removed(cut: u128) -> u64 {
    cut as u64
}

/// Bytes of the whole body that are read at once.
const READ_BYTES: u64 = 4 << 20;

impl CutSource {
    fn new(source: Arc<dyn Source>, column: Arc<Column<u128>>, cuts: Range<usize>) -> Self {
        let mut spans = Spans::default();
        let (whole, mut at, mut gone) = (Arc::clone(source.spans()), cuts.start, 0);
        for position in 0..whole.len() {
            let span = whole.span(position);
            let start = span.start - gone;
            while at < cuts.end && place(column[at]) + gone < span.end {
                gone = removed(column[at]);
                at += 1;
            }
            let stored = span.end - gone - start;
            match whole.overlong(position) {
                Some(length) => spans.push_overlong(start, stored, length),
                None => spans.push(start, stored),
            }
        }
        spans.shrink();
        Self {
            source,
            spans: Arc::new(spans),
            column,
            cuts,
        }
    }

    /// Its cuts.
    fn own(&self) -> &[u128] {
        &self.column[self.cuts.clone()]
    }
}

impl Source for CutSource {
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
        let cuts = self.own();
        let before = |next: usize| next.checked_sub(1).map_or(0, |at| removed(cuts[at]));
        let end = start + buffer.len() as u64;
        let whole_end = end + before(cuts.partition_point(|&cut| place(cut) < end));
        let (mut at, mut next, mut bytes) = (start, cuts.partition_point(|&cut| place(cut) <= start), Vec::new());
        while at < end {
            let from = at + before(next);
            let to = whole_end.min(from + READ_BYTES);
            let read = self.source.read_span(from..to, &mut bytes)?;
            while at < end && at + before(next) < to {
                let whole = at + before(next);
                let stop = cuts.get(next).map_or(end, |&cut| place(cut).min(end));
                let length = (stop - at).min(to - whole);
                let wanted = &read[(whole - from) as usize..][..length as usize];
                buffer[(at - start) as usize..][..length as usize].copy_from_slice(wanted);
                at += length;
                while cuts.get(next).is_some_and(|&cut| place(cut) <= at) {
                    next += 1;
                }
            }
        }
        Ok(())
    }

    fn inodes(&self) -> Vec<Inode> {
        self.source.inodes()
    }

    fn file(&self, position: usize) -> Option<FileRecord<'_>> {
        self.source.file(position)
    }

    fn check_unchanged(&self) -> Result<()> {
        self.source.check_unchanged()
    }
}
