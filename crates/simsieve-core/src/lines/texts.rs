//! Texts that are read again for some of their units.

use std::ops::Range;
use std::sync::Arc;

use super::count::{ordinal, position};
use super::units::{Span, Unit, parts, take_spans};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::in_order::in_order;
use crate::base::message::Message;
use crate::collection::changed;
use crate::collection::ingest::record_reader::{BLOCK_BYTES, BLOCKS_AHEAD};
use crate::source::{Fields, RecordBuffer, Sources};

/// The texts of a collection.
#[derive(Debug, Clone)]
pub(super) struct Texts {
    pub(super) sources: Arc<Sources>,
    pub(super) fields: Fields,
    pub(super) unit: Unit,
}

/// A text and some of its units.
pub(super) struct Touched<'a> {
    pub(super) position: usize,
    pub(super) text: &'a str,
    /// The bytes of the record.
    pub(super) record: &'a [u8],
    spans: &'a [Span],
    unit: Unit,
    /// The upper half of each is the place of a unit.
    places: &'a [u128],
}

impl Touched<'_> {
    /// The units as they are written.
    pub(super) fn units(&self) -> impl Iterator<Item = &str> {
        self.numbers().map(|unit| {
            let last = (unit + self.unit.spans()).min(self.spans.len()) - 1;
            &self.text[self.spans[unit].body().start..self.spans[last].body().end]
        })
    }

    /// The parts of the text that go with the units, in bytes.
    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        parts(self.spans, self.unit, self.numbers())
    }

    fn numbers(&self) -> impl Iterator<Item = usize> {
        self.places.iter().map(|&place| ordinal(upper(place)))
    }
}

const fn upper(place: u128) -> u64 {
    (place >> 64) as u64
}

/// The places in texts from one position on, up to another one.
fn places_in(places: &[u128], positions: Range<usize>) -> &[u128] {
    let at = |position: usize| places.partition_point(|&place| upper(place) < (position as u64) << 32);
    &places[at(positions.start)..at(positions.end)]
}

impl Texts {
    /// Does `work` on every text that has one of some places, ascending, on all threads, each with a scratch, and passes what it gives to
    /// `take` in order.
    ///
    /// # Errors
    /// [`Error::Source`] where a source cannot be read or has changed; the first of `work` and `take`.
    pub(super) fn each_touched<T: Send, S: Send + Default>(
        &self,
        places: &[u128],
        stage: &'static str,
        ctx: &Context<'_>,
        work: impl Fn(&Touched<'_>, &mut S) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let (sources, pool) = (&self.sources, ctx.pool()?);
        let (blocks, total) = (sources.blocks(BLOCK_BYTES), sources.len() as u64);
        ctx.tick(stage, 0, total)?;
        let read = |(bytes, spans, own_scratch): &mut (Vec<u8>, Vec<Span>, S), nth: usize| -> Result<Vec<T>> {
            let block: Range<usize> = blocks[nth].clone();
            let own = places_in(places, block.clone());
            if own.is_empty() {
                return Ok(Vec::new());
            }
            let read = sources.read(block, bytes)?;
            let same = |one: &u128, other: &u128| position(upper(*one)) == position(upper(*other));
            let each = own.chunk_by(same);
            each.map(|places| {
                let record = read.record(position(upper(places[0])));
                self.touched(record, places, spans, |touched| work(touched, own_scratch))
            })
            .collect()
        };
        let threads = pool.current_num_threads();
        let scratch = || (Vec::new(), Vec::new(), S::default());
        in_order(
            pool,
            blocks.len(),
            || BLOCKS_AHEAD * threads,
            scratch,
            read,
            |nth, done| {
                ctx.tick(stage, blocks[nth].start as u64, total)?;
                done?.into_iter().try_for_each(&mut take)
            },
        )?;
        ctx.tick(stage, total, total)?;
        sources.check_unchanged()
    }

    /// The parts of one text that go with the units at some places, in code points.
    ///
    /// # Errors
    /// [`Error::Source`] where it cannot be read again, or has changed.
    pub(super) fn parts(&self, places: &[u128], position: usize) -> Result<Vec<(u32, u32)>> {
        let own = places_in(places, position..position + 1);
        if own.is_empty() {
            return Ok(Vec::new());
        }
        let mut buffer = RecordBuffer::default();
        let record = buffer.record(&self.sources, position)?;
        self.touched(record, own, &mut Vec::new(), |touched| {
            let (mut from, mut points) = (0, 0);
            let mut point = |to: usize| {
                points += touched.text[from..to].chars().count() as u32;
                from = to;
                points
            };
            let parts = touched.parts().into_iter();
            Ok(parts.map(|part| (point(part.start), point(part.end))).collect())
        })
    }

    /// The text of a record.
    ///
    /// # Errors
    /// As [`Texts::parts`].
    pub(super) fn text(&self, position: usize) -> Result<String> {
        let mut buffer = RecordBuffer::default();
        let record = buffer.record(&self.sources, position)?;
        let parsed = self.sources.parse(position, record, &self.fields);
        Ok(parsed
            .map_err(|failure| self.changed(position, &failure.message))?
            .text
            .into_owned())
    }

    fn touched<T>(
        &self,
        record: &[u8],
        places: &[u128],
        spans: &mut Vec<Span>,
        work: impl FnOnce(&Touched<'_>) -> Result<T>,
    ) -> Result<T> {
        let position = position(upper(places[0]));
        let parsed = self.sources.parse(position, record, &self.fields);
        let parsed = parsed.map_err(|failure| self.changed(position, &failure.message))?;
        take_spans(&parsed.text, self.unit, spans);
        let touched = Touched {
            position,
            text: &parsed.text,
            record,
            spans,
            unit: self.unit,
            places,
        };
        if touched.numbers().any(|unit| unit >= spans.len()) {
            return Err(self.changed(position, &msg!("its text is another")));
        }
        work(&touched)
    }

    fn changed(&self, position: usize, message: &Message) -> Error {
        changed(&self.sources, position as u32, message)
    }
}
