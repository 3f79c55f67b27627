//! One pass over the records of sources: each is read and parsed once, in batches, on all threads.
//!
//! In: [`Sources`], the names of fields, and the [`RecordWork`] on each record. Out: its batches, in the order of positions.
//! Ingest, samples and [`crate::collection::fit`] read records by this loop.

use std::ops::Range;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::in_order::in_order;
use crate::collection::ingest::pieces::Failures;
use crate::collection::ingest::unusable::failure_of;
use crate::encode::scheme::UnusableText;
use crate::source::{Fields, Record, Sources};

/// What is done with each record of a pass. Each thread has a scratch; consecutive records make a batch.
pub(crate) trait RecordWork: Sync {
    type Scratch: Send;
    type Batch: Send;

    fn scratch(&self) -> Self::Scratch;

    /// An empty batch with memory for this many records.
    fn batch(&self, records: usize) -> Result<Self::Batch>;

    /// Adds a record to a batch. Where its text cannot be used, [`RecordWork::add_failed`] follows.
    fn add(&self, record: Record<'_>, scratch: &mut Self::Scratch, batch: &mut Self::Batch)
    -> Result<(), UnusableText>;

    /// Adds a record that failed.
    fn add_failed(&self, batch: &mut Self::Batch);

    /// The number of blocks whose batches are in memory, for `threads` threads.
    fn blocks_ahead(&self, threads: usize) -> usize {
        BLOCKS_AHEAD * threads
    }
}

/// Blocks of a thread that may be read before the first of them is taken.
pub(crate) const BLOCKS_AHEAD: usize = 4;

/// Bytes that are read at once, where nothing asks for others.
pub(crate) const BLOCK_BYTES: u64 = 512 << 10;

/// Reads and parses every record of some sources, in batches, on all threads.
pub(crate) struct RecordReader<'a> {
    pub(crate) sources: &'a Sources,
    pub(crate) fields: &'a Fields,
    /// Bytes that are read at once.
    pub(crate) block_bytes: u64,
    /// Records a batch at most; 0 for all of a block.
    pub(crate) batch: usize,
    /// The stage that counts records.
    pub(crate) stage: &'static str,
    /// The first record that is read,
    pub(crate) from: usize,
    /// and the first after them that is not.
    pub(crate) to: usize,
}

impl RecordReader<'_> {
    /// Does the work on every record, and passes the batches to `take` in the order of positions, each with its records that failed.
    pub(crate) fn each_batch<W: RecordWork>(
        &self,
        work: &W,
        ctx: &Context<'_>,
        mut take: impl FnMut(W::Batch, Failures) -> Result<()>,
    ) -> Result<()> {
        self.sources.check_fields(self.fields)?;
        let (ranges, total) = (self.ranges(), self.to as u64);
        let pool = ctx.pool()?;
        let threads = pool.current_num_threads();
        // The stage begins before its first batch is taken.
        ctx.tick(self.stage, self.from as u64, total)?;
        in_order(
            pool,
            ranges.len(),
            || work.blocks_ahead(threads),
            || (Vec::new(), work.scratch()),
            |(bytes, scratch), at| self.read(work, ranges[at].clone(), bytes, scratch),
            |at, read| {
                if at > 0 {
                    ctx.tick(self.stage, ranges[at].start as u64, total)?;
                }
                let (batch, failed) = read?;
                take(batch, failed)
            },
        )?;
        ctx.tick(self.stage, total, total)?;
        self.sources.check_unchanged()
    }

    fn ranges(&self) -> Vec<Range<usize>> {
        let blocks = self.sources.blocks(self.block_bytes).into_iter();
        let blocks = blocks.filter(|block| block.end > self.from && block.start < self.to);
        let blocks = blocks.map(|block| block.start.max(self.from)..block.end.min(self.to));
        if self.batch == 0 {
            return blocks.collect();
        }
        let cut = |block: Range<usize>| {
            let end = block.end;
            let starts = block.step_by(self.batch);
            starts.map(move |start| start..(start + self.batch).min(end))
        };
        blocks.flat_map(cut).collect()
    }

    fn read<W: RecordWork>(
        &self,
        work: &W,
        range: Range<usize>,
        bytes: &mut Vec<u8>,
        scratch: &mut W::Scratch,
    ) -> Result<(W::Batch, Failures)> {
        let mut batch = work.batch(range.len())?;
        let mut failures = Vec::new();
        let block = self.sources.read(range.clone(), bytes)?;
        for position in range {
            let parsed = self.sources.parse(position, block.record(position), self.fields);
            let added = parsed.and_then(|record| {
                let added = work.add(record, scratch, &mut batch);
                added.map_err(|unusable| failure_of(&unusable, &self.sources.locate(position)))
            });
            if let Err(failure) = added {
                work.add_failed(&mut batch);
                failures.push((position, failure));
            }
        }
        Ok((batch, failures))
    }
}
