//! The first pass: every unit of every text as one number.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::options::Options;
use super::units::{Span, Unit, take_spans};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::check_number;
use crate::collection::ingest::pieces::Failures;
use crate::collection::ingest::record_reader::{BLOCK_BYTES, RecordReader, RecordWork};
use crate::encode::scheme::UnusableText;
use crate::source::{Fields, Record, Sources};
use crate::storage::column::Column;
use crate::storage::run_dir::SortedRuns;
use crate::text::{Compact, Normaliser};

/// The hash of a unit, and where it is: the position of the text, and the number of the unit in it. Ascending ones of one hash are in the
/// order of the texts.
pub(super) const fn hash(occurrence: u128) -> u64 {
    (occurrence >> 64) as u64
}

pub(super) const fn place(occurrence: u128) -> u64 {
    occurrence as u64
}

pub(super) const fn position(place: u64) -> usize {
    (place >> 32) as usize
}

pub(super) const fn ordinal(place: u64) -> usize {
    place as u32 as usize
}

/// What is known after all records were read.
pub(super) struct Counted {
    /// Every unit that counts, ascending.
    pub(super) occurrences: Column<u128>,
    /// Which texts a unit may be repeated in, by position: texts of one number. Empty where it is all.
    pub(super) scopes: Vec<u64>,
    /// Code points of every text.
    pub(super) characters: Vec<u32>,
    pub(super) failures: Failures,
}

/// Reads all records.
pub(super) fn count(sources: &Arc<Sources>, fields: &Fields, options: &Options, ctx: &Context<'_>) -> Result<Counted> {
    check_number(sources.len())?;
    let reader = RecordReader {
        sources,
        fields,
        block_bytes: BLOCK_BYTES,
        batch: 0,
        stage: "read",
        from: 0,
        to: sources.len(),
    };
    let pool = ctx.pool()?;
    let place = options.run_dir.as_deref().map(|dir| (dir, "units"));
    let mut occurrences = SortedRuns::new(place, 0);
    let (mut scopes, mut characters, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let work = Gather {
        unit: options.unit,
        min_length: options.min_length,
        has_scope: options.scope.is_some(),
    };
    reader.each_batch(&work, ctx, |batch, failed| {
        let first = (characters.len() as u128) << 32;
        occurrences.extend(batch.occurrences.iter().map(|occurrence| occurrence + first));
        occurrences.bound(pool)?;
        scopes.extend(batch.scopes);
        characters.extend(batch.characters);
        failures.extend(failed);
        Ok(())
    })?;
    Ok(Counted {
        occurrences: occurrences.finish_mapped(pool)?,
        scopes,
        characters,
        failures,
    })
}

struct Gather {
    unit: Unit,
    min_length: u32,
    has_scope: bool,
}

#[derive(Default)]
struct Batch {
    occurrences: Vec<u128>,
    scopes: Vec<u64>,
    characters: Vec<u32>,
}

struct Scratch {
    normaliser: Normaliser,
    compact: Compact,
    spans: Vec<Span>,
    /// Hash and length of each span.
    units: Vec<(u64, u32)>,
}

impl RecordWork for Gather {
    type Scratch = Scratch;
    type Batch = Batch;

    fn scratch(&self) -> Scratch {
        Scratch {
            normaliser: Normaliser::new(true),
            compact: Compact::default(),
            spans: Vec::new(),
            units: Vec::new(),
        }
    }

    fn batch(&self, _records: usize) -> Result<Batch> {
        Ok(Batch::default())
    }

    fn add(&self, record: Record<'_>, scratch: &mut Scratch, batch: &mut Batch) -> Result<(), UnusableText> {
        let Scratch {
            normaliser,
            compact,
            spans,
            units,
        } = scratch;
        let text = &*record.text;
        let scope = record.group as u64;
        take_spans(text, self.unit, spans);
        units.clear();
        units.extend(spans.iter().map(|span| {
            normaliser.run(&text[span.body()], compact);
            let hash = xxh3_64_with_seed(compact.exact(), scope);
            (hash, characters_of(compact.normalised()))
        }));
        let at = (batch.characters.len() as u128) << 32;
        let together = self.unit.spans().min(units.len());
        for (ordinal, window) in units.windows(together.max(1)).enumerate() {
            let length = window.iter().fold(0_u32, |sum, unit| sum.saturating_add(unit.1));
            if length >= self.min_length.max(1) {
                let hash = if let [(hash, _)] = window {
                    *hash
                } else {
                    let bytes: Vec<u8> = window.iter().flat_map(|unit| unit.0.to_le_bytes()).collect();
                    xxh3_64_with_seed(&bytes, scope)
                };
                batch.occurrences.push(u128::from(hash) << 64 | at | ordinal as u128);
            }
        }
        if self.has_scope {
            batch.scopes.push(scope);
        }
        batch.characters.push(characters_of(text.as_bytes()));
        Ok(())
    }

    fn add_failed(&self, batch: &mut Batch) {
        if self.has_scope {
            batch.scopes.push(0);
        }
        batch.characters.push(0);
    }
}

/// The code points of UTF-8.
pub(super) fn characters_of(text: &[u8]) -> u32 {
    text.iter().filter(|byte| (**byte as i8) >= -0x40).count() as u32
}
