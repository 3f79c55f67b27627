//! Reading one record after another. Where they are asked for in ascending order, several neighbours come with one read.

use std::ops::Range;

use super::collection::Sources;
use crate::base::error::Result;
use crate::source::kinds::block::Block;

/// Records of one read at most, and their bytes.
const MOST_RECORDS: usize = 64;
const MOST_BYTES: u64 = 64 << 10;

/// The records that were read last. A record that follows them, or nearly does, is read with twice as many after it; any other is
/// read alone. A run on 700,000 short texts of one template made 1.5 million reads of one record each.
#[derive(Debug, Default)]
pub struct RecordBuffer {
    bytes: Vec<u8>,
    /// How many of the bytes are of the records.
    length: usize,
    /// The positions of the records.
    held: Range<usize>,
}

impl RecordBuffer {
    /// The bytes of a record, without its terminator; of a record beyond the limit only the head. All calls are for the same sources.
    ///
    /// # Errors
    /// As [`Sources::read`].
    pub fn record<'b>(&'b mut self, sources: &'b Sources, position: usize) -> Result<&'b [u8]> {
        let (member, local) = sources.member_of(position);
        let (source, spans, first) = (&member.source, &member.spans, position - local);
        if source.lent().is_some() {
            return Ok(source.read(local..local + 1, &mut self.bytes)?.record(local));
        }
        if !self.held.contains(&position) {
            let Range { start, end } = std::mem::take(&mut self.held);
            let twice = 2 * (end - start);
            let wanted = if (end..end + twice).contains(&position) {
                twice
            } else {
                1
            };
            let from = spans.span(local).start;
            let fits = |stop: usize| {
                spans.span(stop - 1).end - from <= MOST_BYTES
                    && (local..stop).all(|position| spans.overlong(position).is_none())
            };
            let mut count = wanted.min(MOST_RECORDS).min(spans.len() - local);
            while count > 1 && !fits(local + count) {
                count /= 2;
            }
            self.length = (spans.loaded(local + count - 1).end - from) as usize;
            source.read(local..local + count, &mut self.bytes)?;
            self.held = position..position + count;
        }
        let held = self.held.start - first..self.held.end - first;
        let (base, format) = (spans.span(held.start).start, member.profile.layout.format);
        Ok(Block::new(spans, format, held, base, &self.bytes[..self.length]).record(local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::context::Context;
    use crate::base::hash::mix;
    use crate::source::SourceSpec;

    /// In any order, over several sources, with records of all sizes and one beyond the limit, the bytes are those of a read of each.
    #[test]
    fn records_are_those_of_single_reads() {
        const LIMIT: u64 = 100_000;
        let folder = tempfile::tempdir().unwrap();
        let specs: Vec<SourceSpec> = (0..3_u64)
            .map(|file| {
                let path = folder.path().join(format!("{file}.txt"));
                let size = |at: u64| match mix(at ^ (file << 32)) % 100 {
                    0 => 70_000,
                    1 if file == 1 => 150_000,
                    other => other as usize * 7,
                };
                let lines: Vec<String> = (0..400).map(|at| format!("{at}{}", "x".repeat(size(at)))).collect();
                std::fs::write(&path, lines.join("\n")).unwrap();
                SourceSpec::new(path)
            })
            .collect();
        let sources = Sources::open(&specs, LIMIT, &Context::silent(1)).unwrap();
        assert_eq!(sources.len(), 1200);
        let ascending = 0..1200;
        let some = (0..1200).filter(|&at| mix(at).is_multiple_of(3));
        let anywhere = (0..1200).map(|at| mix(at) % 1200);
        let mut buffer = RecordBuffer::default();
        let mut most = 0;
        for position in ascending.chain(some).chain(anywhere).chain((0..1200).rev()) {
            let position = position as usize;
            let alone = sources.read_record(position, &mut Vec::new()).unwrap().to_vec();
            assert!(buffer.record(&sources, position).unwrap() == alone, "record {position}");
            most = most.max(buffer.held.len());
            assert!(buffer.length as u64 <= MOST_BYTES.max(LIMIT));
        }
        assert_eq!(most, MOST_RECORDS);
    }
}
