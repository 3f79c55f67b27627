//! A run against an index: which kept documents new records may be near.
//!
//! A kept document without a search key in common with any new one, or with too many different bits, is no candidate of a batch run
//! either, so it is left out. The others become old records of the run, which decides as any run does.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::copies::copies;
use super::crowd;
use super::times::InTime;
use super::with_keys::{Common, with_keys};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::{mix, xxh3_64};
use crate::base::kernel::Kernel;
use crate::collection::ingest::pieces::Batch;
use crate::collection::labels::{Labels, canonical};
use crate::collection::relation::Rules;
use crate::collection::seen::{Beside, NewTexts, SeenRows};
use crate::dedup::loading::WINDOW;
use crate::encode::paths::Paths;
use crate::encode::sketch::SKETCH_WORDS;
use crate::hamming;
use crate::index::files::bucket::Bucket;
use crate::index::files::segment::{At, Row, Writing, identity};
use crate::index::files::state::State;
use crate::recipe::Recipe;
use crate::recipe::search_keys::{PARTS, SearchKeys, item, part_of};
use crate::source::{RecordBuffer, Sources};

/// What becomes of a new record whose id is in the index with another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownId {
    /// It replaces the document that has the id.
    Replace,
    /// The run is refused.
    Refuse,
    /// It is as any other record: ids are labels only, and nothing is added.
    Ignore,
    /// No document of the index is looked up: the run has only its recipe and its frozen set.
    Alone,
}

impl KnownId {
    /// The rule of a name.
    ///
    /// # Errors
    /// [`Error::Config`] where there is no such rule.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "replace" => Ok(Self::Replace),
            "refuse" => Ok(Self::Refuse),
            "ignore" => Ok(Self::Ignore),
            "alone" => Ok(Self::Alone),
            _ => Err(Error::Config(msg!(
                "{@on_known_id} {name:?} is not allowed; allowed: replace, refuse, ignore"
            ))),
        }
    }
}

/// One run against one state of an index.
#[derive(Debug)]
pub struct SeenRun {
    pub(crate) state: Arc<State>,
    known: KnownId,
    /// Whether the settings of the run were read from the index.
    has_settings: bool,
    /// The date about which is asked: documents outside of its window of time are left out.
    date: Option<i64>,
    /// The ids of records that are texts alone, as raw JSON.
    labels: Option<Vec<Option<Vec<u8>>>>,
    /// The documents of the index that the records are, each of which is compared with all earlier ones, whatever their keys.
    own: Option<Vec<(usize, u32)>>,
    outcome: OnceLock<Outcome>,
}

/// What a run met in the index.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The numbers of the old documents of the run, ascending.
    pub(crate) numbers: Vec<u64>,
    /// The documents that new ones replace.
    pub(crate) replaced: HashSet<(usize, Row)>,
    /// Those of them that have the text of the new one in another writing.
    pub(crate) rewritten: HashSet<(usize, Row)>,
    /// The search keys of the new records under each scheme, where they may be added; no scheme where they are not known.
    pub(crate) keys: Vec<Option<SearchKeys>>,
}

/// Texts that one thread reads at a time.
const TEXTS_AT_ONCE: usize = 64;

/// Documents that one thread looks up by their ids at a time.
const LOOKED_UP_AT_ONCE: usize = 256;

impl SeenRun {
    pub(crate) fn new(state: Arc<State>, known: KnownId) -> Self {
        Self {
            state,
            known,
            has_settings: false,
            date: None,
            labels: None,
            own: None,
            outcome: OnceLock::new(),
        }
    }

    /// A run on records that are texts alone, with ids as raw JSON, under the settings of the index.
    pub(crate) fn of_texts(state: Arc<State>, known: KnownId, labels: Option<Vec<Option<Vec<u8>>>>) -> Self {
        Self {
            has_settings: true,
            labels,
            ..Self::new(state, known)
        }
    }

    /// A run on texts that nothing is added of, asked about a date or all times.
    pub(crate) fn at(state: Arc<State>, date: Option<i64>) -> Self {
        Self {
            date,
            has_settings: true,
            ..Self::new(state, KnownId::Ignore)
        }
    }

    /// A run on documents of the index themselves, in the order of their numbers.
    pub(crate) fn of_own(state: Arc<State>, own: Vec<(usize, u32)>) -> Self {
        Self {
            own: Some(own),
            ..Self::of_texts(state, KnownId::Ignore, None)
        }
    }

    /// Puts labels to the new records, and what is known of those that are documents of the index.
    fn complete(&self, new: &mut Batch) {
        if let Some(labels) = &self.labels {
            new.labels = Labels::default();
            for label in labels {
                new.labels.push(label.as_deref());
            }
        }
        for (position, &(at, row)) in self.own.iter().flatten().enumerate() {
            // It is no copy of itself, which may be among the old ones for another one's sake.
            for encoded in &mut new.encoded {
                encoded.digests[position] = u128::from(mix(position as u64));
            }
            let of = &self.state.segments[at].encoded;
            new.groups.extend(of.groups.get(row as usize));
            new.dates.extend(of.dates.get(row as usize));
        }
    }

    /// Whether the records are documents of the index.
    pub(crate) const fn is_of_own(&self) -> bool {
        self.own.is_some()
    }

    /// What the run met, once its records are encoded.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.outcome.get()
    }

    /// The documents whose ids new records have, and which these may replace; those of them that have the same text, date and fields; and
    /// those that have them in another writing.
    fn replaced(&self, new: &Batch, texts: NewTexts<'_>) -> Result<[HashSet<(usize, Row)>; 3]> {
        if self.known == KnownId::Ignore {
            return Ok(Default::default());
        }
        let label = |at: usize| new.labels.get(at).map(canonical);
        let mut labels: Vec<(u64, u32)> = (0..new.labels.len())
            .filter_map(|at| Some((xxh3_64(&label(at)?), at as u32)))
            .collect();
        labels.sort_unstable();
        for group in labels.chunk_by(|one, other| one.0 == other.0) {
            for (at, (_, one)) in group.iter().enumerate() {
                let same = |(_, other): &&(u64, u32)| label(*other as usize) == label(*one as usize);
                if let Some((_, other)) = group[at + 1..].iter().find(same) {
                    return Err(Error::Config(msg!(
                        "records {one} and {other} of the batch have the id {id}; give each record an id of its own, and add \
                         the batch again",
                        id = String::from_utf8_lossy(&label(*one as usize).unwrap_or_default()).into_owned()
                    )));
                }
            }
        }
        let changed = |position: usize, place: (usize, Row)| {
            let group = new.groups.get(position).copied();
            let digests = new.encoded.iter().map(|of| of.digests[position]);
            let dated = (identity(digests), new.dates.get(position).copied());
            !self.state.is_same(place, dated, group)
        };
        let of_some = |start: usize| {
            let some = start..new.labels.len().min(start + LOOKED_UP_AT_ONCE);
            let (positions, labels): (Vec<usize>, Vec<_>) = some.filter_map(|at| Some((at, label(at)?))).unzip();
            let rows = self.state.with_labels(&labels).into_iter();
            let (mut reader, mut buffer) = (self.state.reader(), RecordBuffer::default());
            let met = rows.map(|(of, place)| {
                let position = positions[of];
                let writing = match place.1 {
                    _ if changed(position, place) => Writing::OfOther,
                    Row::Dropped(_) => Writing::Same,
                    Row::Kept(row) => {
                        let kept = self.state.text((place.0, row), &mut reader)?;
                        let is_same = texts.with(position as u32, &mut buffer, |text| text == kept)?;
                        if is_same { Writing::Same } else { Writing::Other }
                    }
                };
                Ok((position, place, writing))
            });
            let met = met.filter(|met| !matches!(met, Ok((_, (_, Row::Kept(_)), Writing::Same))));
            met.collect::<Result<Vec<_>>>()
        };
        let starts = (0..new.labels.len()).into_par_iter().step_by(LOOKED_UP_AT_ONCE);
        let found = starts.map(of_some).collect::<Result<Vec<_>>>()?.concat();
        if self.known == KnownId::Refuse
            && let Some((position, ..)) = found.iter().find(|(.., writing)| *writing != Writing::Same)
        {
            return Err(Error::Config(msg!(
                "the id {id} is in the index with another text, date or field; leave the record out, or replace the document by \
                 {@on_known_id} replace",
                id = String::from_utf8_lossy(&label(*position).unwrap_or_default()).into_owned()
            )));
        }
        let with = |writing: Writing| {
            let some = found.iter().filter(move |found| found.2 == writing);
            some.map(|(_, place, _)| *place).collect()
        };
        Ok([
            found.iter().map(|found| found.1).collect(),
            with(Writing::Same),
            with(Writing::Other),
        ])
    }

    /// The kept documents with few different bits from a new one, each with the position of that.
    fn within_bits(&self, (new, times): (&Batch, &InTime<'_>), scheme: usize, kernel: Kernel) -> Vec<(At, u32)> {
        let by_sketches = self.state.recipes[scheme].threshold.by_similarity();
        let words = if by_sketches {
            SKETCH_WORDS
        } else {
            self.state.schemes[scheme].words()
        };
        let most = self.state.most_bits(scheme);
        let rows = &new.encoded[scheme];
        let own = if by_sketches {
            &rows.sketches
        } else {
            &rows.fingerprints
        };
        let mut all = Vec::new();
        for (at, segment) in self.state.segments.iter().enumerate() {
            let of = &segment.encoded.encodings[scheme];
            let others = if by_sketches { &of.sketches } else { &of.fingerprints };
            let near = |found: &mut Vec<u32>, row: usize| {
                found.clear();
                if rows.valid[row] {
                    hamming::within(kernel, &own[row * words..][..words], others, most, found);
                }
                found
                    .iter()
                    .filter(|found| of.valid[**found as usize])
                    .map(|&found| ((at as u32, found), row as u32))
                    .filter(|&(found, row)| times.is_near(found, row))
                    .collect::<Vec<(At, u32)>>()
            };
            all.par_extend(
                (0..rows.valid.len())
                    .into_par_iter()
                    .map_init(Vec::new, near)
                    .flatten_iter(),
            );
        }
        all
    }

    /// The earlier kept documents with few different bits from a document of the index. Each document gets a key that it has in common
    /// with these alone.
    fn earlier(
        &self,
        new: (&Batch, &InTime<'_>),
        keys: &mut SearchKeys,
        scheme: usize,
        kernel: Kernel,
    ) -> Result<Vec<Common>> {
        let own = self.own.as_deref().unwrap_or_default();
        let number = |(at, row): (usize, u32)| self.state.segments[at].number(Row::Kept(row));
        let mark = |position: u32| mix(u64::from(position)) & !1;
        let mut marked = SearchKeys::with_room(0, 0.0)?;
        for part in 0..PARTS {
            let marks = (0..own.len() as u32).filter(|&position| part_of(mark(position)) == part);
            let marks = marks.map(|position| item(mark(position), position));
            let mut items: Vec<u64> = keys.items(part).chain(marks).collect();
            items.sort_by_key(|&item| item as u32);
            marked.extend(part, items.into_iter());
        }
        *keys = marked;
        let found = self.within_bits(new, scheme, kernel).into_iter();
        let earlier =
            found.filter(|&((at, row), position)| number((at as usize, row)) < number(own[position as usize]));
        let common = earlier.map(|(at, position)| {
            let key = mark(position);
            (at, scheme as u8, part_of(key) as u8, (item(key, 0) >> 32) as u32)
        });
        Ok(common.collect())
    }

    /// The kept documents that verdicts name.
    fn judged(&self, rules: &Rules) -> Vec<At> {
        let names = rules.verdicts.iter().flat_map(|verdict| [&verdict.a, &verdict.b]);
        let labels: HashSet<&str> = names.filter_map(|name| name.label.as_deref()).collect();
        let raw = labels
            .iter()
            .flat_map(|label| [Value::from(*label).to_string(), (*label).to_owned()]);
        let mut found = Vec::new();
        for label in raw {
            for (at, row) in self.state.with_label(label.as_bytes()) {
                if let Row::Kept(row) = row {
                    found.push((at as u32, row));
                }
            }
        }
        found
    }

    /// Texts and columns of kept documents, which ascend.
    fn rows(&self, met: &[At], new: &Batch) -> Result<(Sources, Batch)> {
        let of_some = |met: &[At]| {
            let mut reader = self.state.reader();
            let text = |&(at, row): &At| Ok(self.state.text((at as usize, row), &mut reader)?.to_owned());
            met.iter().map(text).collect::<Result<Vec<String>>>()
        };
        let texts = met.par_chunks(TEXTS_AT_ONCE).map(of_some).collect::<Result<Vec<_>>>()?;
        let mut batch = Batch::empty(new.encoded.len());
        for of_segment in met.chunk_by(|one, other| one.0 == other.0) {
            let rows: Vec<u32> = of_segment.iter().map(|(_, row)| *row).collect();
            let segment = &self.state.segments[of_segment[0].0 as usize];
            rows.iter()
                .try_for_each(|&row| segment.given_label(Row::Kept(row)).map(drop))?;
            let found = segment.encoded.batch(&rows);
            for (all, rows) in batch.encoded.iter_mut().zip(&found.encoded) {
                all.append(rows);
            }
            // A question about a text alone is one about all groups.
            if !new.groups.is_empty() {
                batch.groups.extend(found.groups);
            }
            batch.dates.extend(found.dates);
            batch.labels.append(&found.labels);
        }
        Ok((Sources::from_texts(texts.iter().flatten()), batch))
    }
}

impl SeenRows for SeenRun {
    fn recipes(&self, common: &dyn Fn() -> Map<String, Value>) -> Result<Vec<Recipe>> {
        self.state.check_frozen()?;
        if self.has_settings {
            return Ok(self.state.recipes.clone());
        }
        let common = common();
        for (name, was) in &self.state.manifest.common {
            let now = common.get(name);
            // A question may be about all times.
            if now != Some(was) && (name != WINDOW || now.is_some() || self.known != KnownId::Ignore) {
                return Err(Error::Config(msg!(
                    "{name} is {was} in the index, and {now} in this run; leave it out, or make another index",
                    was = was.to_string(),
                    now = now.map_or_else(|| "nothing".to_owned(), Value::to_string)
                )));
            }
        }
        Ok(self.state.recipes.clone())
    }

    fn paths(&self) -> Vec<Option<Arc<Paths>>> {
        self.state.paths.clone()
    }

    fn frozen_digest(&self, scheme: usize) -> Option<String> {
        self.state.frozen_digests.get(scheme).cloned().flatten()
    }

    fn beside(
        &self,
        new: &mut Batch,
        texts: NewTexts<'_>,
        keys: &mut [Option<SearchKeys>],
        rules: &Rules,
        ctx: &Context<'_>,
    ) -> Result<Beside> {
        self.complete(new);
        let new = &*new;
        if self.known == KnownId::Alone {
            let (sources, rows) = self.rows(&[], new)?;
            return Ok((sources, rows, Vec::new()));
        }
        self.state.check_files()?;
        ctx.tick("look up", 0, 1)?;
        let (pool, kernel, tuning) = (ctx.pool()?, ctx.kernel(), ctx.tuning);
        let [replaced, resent, rewritten] = pool.install(|| self.replaced(new, texts))?;
        let times = InTime::new(&self.state, &new.dates, self.date);
        let live = |(at, row): At| {
            let is_in_time = times.has((at, row));
            let (at, row) = (at as usize, Row::Kept(row));
            is_in_time && self.state.is_live(at, row) && (replaced.is_empty() || !replaced.contains(&(at, row)))
        };
        let (mut met, mut common) = (Vec::new(), Vec::new());
        for scheme in 0..self.state.searched() {
            let of_new = (&new.encoded[scheme], &times);
            match &mut keys[scheme] {
                Some(keys) if self.own.is_some() => {
                    common.extend(pool.install(|| self.earlier((new, &times), keys, scheme, kernel))?);
                }
                Some(keys) => {
                    let (found, asked) =
                        pool.install(|| with_keys(&self.state, (new, &times), keys, scheme, (kernel, tuning)));
                    common.extend(found);
                    let of_crowds = crowd::near((&self.state, scheme), of_new, texts, asked, ctx)?;
                    common.extend(of_crowds.into_iter().filter_map(|(at, bucket)| match bucket {
                        Bucket::Key(part, tag) => Some((at, scheme as u8, part, tag)),
                        Bucket::Whole => None,
                    }));
                }
                None => {
                    let all = pool.install(|| self.within_bits((new, &times), scheme, kernel));
                    let (found, asked) = crowd::outside((&self.state, scheme), all, tuning);
                    met.extend(found);
                    let of_crowds = crowd::near((&self.state, scheme), of_new, texts, asked, ctx)?;
                    met.extend(of_crowds.into_iter().map(|(at, _)| at));
                }
            }
        }
        common.retain(|&(at, ..)| live(at));
        let mut of_dropped = Vec::new();
        if self.own.is_none() {
            let is_there = |place: (usize, Row)| {
                self.state.is_live(place.0, place.1) && (!replaced.contains(&place) || resent.contains(&place))
            };
            let copies = pool.install(|| copies(&self.state, new, &times, is_there));
            met.extend(copies.kept);
            met.extend(copies.of_dropped.iter().map(|(_, at, _)| *at));
            of_dropped = copies.of_dropped;
        }
        met.extend(self.judged(rules));
        met.retain(|&at| live(at));
        met.extend(common.iter().map(|(at, ..)| *at));
        met.sort_unstable();
        met.dedup();
        common.sort_unstable();
        // Several new documents may have one key in common with an old one.
        common.dedup();
        let first = new.labels.len();
        let own = match self.known {
            KnownId::Ignore if self.labels.is_none() => Vec::new(),
            _ => keys.to_vec(),
        };
        for (at, scheme, part, tag) in common {
            let place = met.binary_search(&at).expect("a document that was met");
            let item = u64::from(tag) << 32 | (first + place) as u64;
            if let Some(keys) = &mut keys[scheme as usize] {
                keys.extend(part as usize, std::iter::once(item));
            }
        }
        let numbers = met
            .iter()
            .map(|&(at, row)| self.state.segments[at as usize].number(Row::Kept(row)));
        let outcome = Outcome {
            numbers: numbers.collect(),
            replaced,
            rewritten,
            keys: own,
        };
        let place = |at: At| (first + met.binary_search(&at).expect("a document that was met")) as u32;
        let of_dropped = of_dropped
            .into_iter()
            .map(|(position, at, is_copy)| (position, place(at), is_copy))
            .collect();
        let (sources, rows) = pool.install(|| self.rows(&met, new))?;
        // Nothing more is read of the index for this run.
        self.state.check_read()?;
        self.outcome
            .set(outcome)
            .map_err(|_| Error::Config(msg!("a run against an index is made once")))?;
        ctx.tick("look up", 1, 1)?;
        Ok((sources, rows, of_dropped))
    }
}
