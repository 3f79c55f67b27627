//! The documents that have a part, counted over all records.

use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::ingest::record_reader::{BLOCK_BYTES, RecordReader, RecordWork};
use crate::encode::input::templates::Templates;
use crate::encode::scheme::{Scheme, UnusableText};
use crate::passages::Records;
use crate::passages::options::Options;
use crate::source::{Record, RecordBuffer};
use crate::storage::run_dir::SortedRuns;
use crate::text::letters::{Letter, take_letters};

/// Places that a part is told with, one a group.
const SHOWN: usize = 3;

/// A part that documents of many groups have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// As it is written in the first document that has it.
    pub text: String,
    /// Its letters.
    pub letters: u32,
    /// Documents that have it.
    pub documents: u32,
    /// Groups of these.
    pub groups: u32,
    /// The first documents that have it, one a group: position, first code point, and the one behind the last.
    pub places: Vec<(u32, u32, u32)>,
}

/// The parts that enough groups have, as all records have them.
pub(super) fn counted(
    records: &Records<'_>,
    templates: &Templates,
    (groups, least): (&[u32], usize),
    options: &Options,
    ctx: &Context<'_>,
) -> Result<Vec<Part>> {
    if templates.is_empty() {
        return Ok(Vec::new());
    }
    let pool = ctx.pool()?;
    let mut places = SortedRuns::new(options.place("places"), 0);
    let reader = RecordReader {
        sources: records.sources,
        fields: records.fields,
        block_bytes: BLOCK_BYTES,
        batch: 0,
        stage: "count",
        from: 0,
        to: records.sources.len(),
    };
    let work = Count {
        scheme: records.scheme,
        templates,
    };
    let mut first = 0_u128;
    reader.each_batch(&work, ctx, |batch, _| {
        places.extend(batch.places.iter().map(|place| place + (first << 64)));
        first += u128::from(batch.records);
        places.bound(pool)
    })?;
    let places = places.finish_mapped(pool)?;
    let (mut parts, mut seen, mut buffer) = (Vec::new(), Vec::new(), RecordBuffer::default());
    for same in places.chunk_by(|one, other| one >> 96 == other >> 96) {
        let documents = same.iter().map(|&place| (place >> 64) as u32);
        seen.clear();
        seen.extend(documents.map(|document| groups[document as usize]));
        let mut shown: Vec<usize> = Vec::new();
        for at in 0..same.len() {
            if shown.len() < SHOWN && shown.iter().all(|&other| seen[other] != seen[at]) {
                shown.push(at);
            }
        }
        seen.sort_unstable();
        seen.dedup();
        if seen.len() < least {
            continue;
        }
        let place = |&at: &usize| ((same[at] >> 64) as u32, (same[at] >> 32) as u32, same[at] as u32);
        let (document, start, end) = place(&shown[0]);
        let text = records.text(document, &mut buffer)?;
        parts.push(Part {
            text: text.chars().skip(start as usize).take((end - start) as usize).collect(),
            letters: templates.letters_of((same[0] >> 96) as usize),
            documents: same.len() as u32,
            groups: seen.len() as u32,
            places: shown.iter().map(place).collect(),
        });
    }
    parts.sort_by(|a, b| (b.groups, b.letters, &a.text).cmp(&(a.groups, a.letters, &b.text)));
    Ok(parts)
}

/// The places of templates in some records.
#[derive(Default)]
struct PlaceBatch {
    /// Template, number of the record among them, first code point and the one behind the last.
    places: Vec<u128>,
    records: u32,
}

struct Count<'a> {
    scheme: &'a Scheme,
    templates: &'a Templates,
}

impl RecordWork for Count<'_> {
    type Scratch = Vec<Letter>;
    type Batch = PlaceBatch;

    fn scratch(&self) -> Vec<Letter> {
        Vec::new()
    }

    fn batch(&self, _records: usize) -> Result<PlaceBatch> {
        Ok(PlaceBatch::default())
    }

    fn add(&self, record: Record<'_>, letters: &mut Vec<Letter>, batch: &mut PlaceBatch) -> Result<(), UnusableText> {
        take_letters(&self.scheme.used_text(&record.text)?.0, letters);
        let mut places = Vec::new();
        self.templates.each_place(letters, |part, range| {
            let (start, end) = (letters[range.start].start, letters[range.end - 1].end);
            places.push(
                u128::from(part) << 96 | u128::from(batch.records) << 64 | u128::from(start) << 32 | u128::from(end),
            );
        });
        places.sort_unstable();
        places.dedup_by_key(|place| *place >> 96);
        batch.places.append(&mut places);
        batch.records += 1;
        Ok(())
    }

    fn add_failed(&self, batch: &mut PlaceBatch) {
        batch.records += 1;
    }
}
