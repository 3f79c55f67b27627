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

/// Letters beside the parts; records with fewer are one group.
const OWN: usize = 4;
/// Of its groups so large a part must differ without the parts. Trial, `--ignore` with the parts found: of 37 right drops of citations 10
/// stay without this rule, 16 with half, 29 with three quarters; of 23 wrong drops of reviews under one footer one stays.
const DIFFER: (usize, usize) = (3, 4);

/// The group of each record: by the whole texts, and by the texts without the parts.
#[derive(Clone, Copy)]
pub struct Groups<'a> {
    pub whole: &'a [u32],
    pub rest: &'a [u32],
}

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
    groups: Groups<'_>,
    least: usize,
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
    let (mut first, mut rest) = (0_u128, groups.rest.to_vec());
    reader.each_batch(&work, ctx, |batch, _| {
        places.extend(batch.places.iter().map(|place| place + (first << 64)));
        for &record in &batch.bare {
            rest[first as usize + record as usize] = u32::MAX;
        }
        first += u128::from(batch.records);
        places.bound(pool)
    })?;
    let places = places.finish_mapped(pool)?;
    let (mut parts, mut seen, mut buffer) = (Vec::new(), Vec::new(), RecordBuffer::default());
    for same in places.chunk_by(|one, other| one >> 96 == other >> 96) {
        let documents = || same.iter().map(|&place| (place >> 64) as u32 as usize);
        seen.clear();
        seen.extend(documents().map(|document| groups.whole[document]));
        let whole = distinct(&mut seen);
        seen.clear();
        seen.extend(documents().map(|document| rest[document]));
        let mut shown: Vec<usize> = Vec::new();
        for at in 0..same.len() {
            if shown.len() < SHOWN && shown.iter().all(|&other| seen[other] != seen[at]) {
                shown.push(at);
            }
        }
        let differ = distinct(&mut seen);
        if differ < least || differ * DIFFER.1 < whole * DIFFER.0 {
            continue;
        }
        let place = |&at: &usize| ((same[at] >> 64) as u32, (same[at] >> 32) as u32, same[at] as u32);
        let (document, start, end) = place(&shown[0]);
        let text = records.text(document, &mut buffer)?;
        parts.push(Part {
            text: text.chars().skip(start as usize).take((end - start) as usize).collect(),
            letters: templates.letters_of((same[0] >> 96) as usize),
            documents: same.len() as u32,
            groups: differ as u32,
            places: shown.iter().map(place).collect(),
        });
    }
    parts.sort_by(|a, b| (b.groups, b.letters, &a.text).cmp(&(a.groups, a.letters, &b.text)));
    Ok(parts)
}

/// How many values there are; sorts them.
fn distinct(values: &mut Vec<u32>) -> usize {
    values.sort_unstable();
    values.dedup();
    values.len()
}

/// The places of templates in some records.
#[derive(Default)]
struct PlaceBatch {
    /// Template, number of the record among them, first code point and the one behind the last.
    places: Vec<u128>,
    /// Records with a template and without enough text beside.
    bare: Vec<u32>,
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
        let (mut places, mut own, mut covered) = (Vec::new(), letters.len(), Vec::new());
        self.templates.each_place(letters, |part, range| {
            covered.push((range.start, range.end));
            let (start, end) = (letters[range.start].start, letters[range.end - 1].end);
            places.push(
                u128::from(part) << 96 | u128::from(batch.records) << 64 | u128::from(start) << 32 | u128::from(end),
            );
        });
        covered.sort_unstable();
        let mut gone = 0;
        for (start, end) in covered {
            own -= end.max(gone) - start.max(gone);
            gone = gone.max(end);
        }
        if !places.is_empty() && own < OWN {
            batch.bare.push(batch.records);
        }
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
