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
use super::question::Question;
use super::times::InTime;
use super::with_keys::{SharedKey, with_keys};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::{mix, xxh3_64};
use crate::collection::fields::{content_of, joining};
use crate::collection::ingest::pieces::Batch;
use crate::collection::labels::{Labels, canonical};
use crate::collection::relation::Rules;
use crate::collection::seen::{NewTexts, OldRows, Settled};
use crate::dedup::loading::Loading;
use crate::index::files::bucket::Bucket;
use crate::index::files::segment::{Content, Place, Row, Segment, Writing, identity};
use crate::index::files::state::State;
use crate::recipe::search_keys::{PARTS, SearchKeys, item, part_of};
use crate::search::documents::Documents;
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

/// What is asked of an index.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Whether records are near its documents; they come with settings of their own.
    Records(KnownId),
    /// Whether texts are, with their ids as raw JSON, under the settings of the index.
    Texts(KnownId, Option<TextLabels>),
    /// Which documents are near a text, in the window of time of a date or of all times.
    Near(Option<i64>),
    /// Whether some of its documents are near any earlier one, whatever their keys; in the order of their numbers.
    Own(Vec<Place>),
}

/// The ids of texts, as raw JSON.
pub type TextLabels = Vec<Option<Vec<u8>>>;

/// One run against one state of an index.
#[derive(Debug)]
pub struct SeenRun {
    pub(crate) state: Arc<State>,
    pub(in crate::index) asked: Asked,
    settled: Arc<Settled>,
    outcome: OnceLock<Outcome>,
}

/// What a run met in the index.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The numbers of the old documents of the run, ascending.
    pub(crate) numbers: Vec<u64>,
    /// The documents that new ones replace.
    pub(crate) replaced: HashSet<Place<Row>>,
    /// Those of them that have the text of the new one in another writing.
    pub(crate) rewritten: HashSet<Place<Row>>,
    /// The search keys of the new records under each scheme, where they may be added; no scheme where they are not known.
    pub(crate) keys: Vec<Option<SearchKeys>>,
}

/// Texts that one thread reads at a time.
const TEXTS_AT_ONCE: usize = 64;

/// Documents that one thread looks up by their ids at a time.
const LOOKED_UP_AT_ONCE: usize = 256;

impl SeenRun {
    /// A run against a state, whose frozen set records are encoded by.
    pub(crate) fn new(state: Arc<State>, asked: Asked) -> Result<Self> {
        state.check_frozen()?;
        let common = match asked {
            Asked::Records(_) => state.manifest.common.clone(),
            _ => Map::new(),
        };
        Ok(Self {
            settled: Arc::new(Settled {
                recipes: state.recipes.clone(),
                paths: state.paths.clone(),
                frozen_digests: state.frozen_digests.clone(),
                common,
                is_timeless: matches!(asked, Asked::Records(KnownId::Ignore)),
            }),
            state,
            asked,
            outcome: OnceLock::new(),
        })
    }

    /// What the index has settled for the run.
    pub fn settled(&self) -> Arc<Settled> {
        Arc::clone(&self.settled)
    }

    /// What becomes of new records with known ids.
    const fn known(&self) -> KnownId {
        match self.asked {
            Asked::Records(known) | Asked::Texts(known, _) => known,
            Asked::Near(_) | Asked::Own(_) => KnownId::Ignore,
        }
    }

    /// The documents of the index that the new records are.
    fn own(&self) -> Option<&[Place]> {
        match &self.asked {
            Asked::Own(own) => Some(own),
            _ => None,
        }
    }

    /// Encodes the new records, and gives them and the documents of the index that they may be near.
    ///
    /// # Errors
    /// As [`Loading::finish`]; [`Error::Source`] where the index is damaged; [`Error::Config`] where an id is refused, or twice in the
    /// batch.
    pub fn finish(&self, loading: Loading, ctx: &Context<'_>) -> Result<Documents> {
        if self.known() == KnownId::Alone {
            return loading.finish(ctx);
        }
        let mut new = loading.read_new(ctx)?;
        let texts = NewTexts {
            sources: loading.sources(),
            fields: &new.fields,
        };
        let old = self.beside(&mut new.rows, texts, &mut new.keys, loading.rules(), ctx)?;
        loading.finish_beside(new, old, ctx)
    }

    /// Puts labels to the new records, and what is known of those that are documents of the index.
    fn complete(&self, new: &mut Batch) {
        if let Asked::Texts(_, Some(labels)) = &self.asked {
            new.labels = Labels::default();
            for label in labels {
                new.labels.push(label.as_deref());
            }
        }
        for (position, &place) in self.own().into_iter().flatten().enumerate() {
            // It is no copy of itself, which may be among the old ones for another one's sake.
            for encoded in &mut new.encoded {
                encoded.digests[position] = u128::from(mix(position as u64));
            }
            let (of, row) = (&self.state.segment(place).encoded, place.row as usize);
            new.groups.extend(self.state.segment(place).group(place.row));
            new.dates.extend(of.dates.get(row));
        }
    }

    /// What the run met, once its records are encoded.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.outcome.get()
    }

    /// The documents whose ids new records have, and which these may replace; those of them that have the same text, date and fields; and
    /// those that have them in another writing.
    fn replaced(&self, new: &Batch, texts: NewTexts<'_>) -> Result<[HashSet<Place<Row>>; 3]> {
        if self.known() == KnownId::Ignore {
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
        let changed = |position: usize, place: Place<Row>| {
            let row = new.row(position);
            let content = Content {
                identity: identity(new.encoded.iter().map(|of| of.digests[position]).chain(content_of(row))),
                date: new.dates.get(position).copied(),
                group: row.first().copied(),
            };
            !self.state.is_same(place, content)
        };
        let of_some = |start: usize| {
            let some = start..new.labels.len().min(start + LOOKED_UP_AT_ONCE);
            let (positions, labels): (Vec<usize>, Vec<_>) = some.filter_map(|at| Some((at, label(at)?))).unzip();
            let rows = self.state.with_labels(&labels).into_iter();
            let (mut reader, mut buffer) = (self.state.reader(), RecordBuffer::default());
            let met = rows.map(|(of, place)| {
                let position = positions[of];
                let writing = match place.kept() {
                    _ if changed(position, place) => Writing::OfOther,
                    None => Writing::Same,
                    Some(kept) => {
                        let kept = self.state.text(kept, &mut reader)?;
                        let is_same = texts.with(position as u32, &mut buffer, |text| text == kept)?;
                        if is_same { Writing::Same } else { Writing::Other }
                    }
                };
                Ok((position, place, writing))
            });
            let met = met.filter(|met| !matches!(met, Ok((_, Place { row: Row::Kept(_), .. }, Writing::Same))));
            met.collect::<Result<Vec<_>>>()
        };
        let starts = (0..new.labels.len()).into_par_iter().step_by(LOOKED_UP_AT_ONCE);
        let found = starts.map(of_some).collect::<Result<Vec<_>>>()?.concat();
        if self.known() == KnownId::Refuse
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

    /// The earlier kept documents with few different bits from a document of the index. Each document gets a key that it has in common
    /// with these alone.
    fn earlier(&self, question: &Question<'_>, keys: &mut SearchKeys, scheme: usize) -> Result<Vec<SharedKey>> {
        let own = self.own().unwrap_or_default();
        let number = |place: Place| self.state.number(place.of_any());
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
        let found = question.within_bits(scheme).into_iter();
        let earlier = found.filter(|found| number(found.place) < number(own[found.position as usize]));
        let shared = earlier.map(|found| {
            let key = mark(found.position);
            SharedKey {
                place: found.place,
                scheme: scheme as u8,
                part: part_of(key) as u8,
                tag: (item(key, 0) >> 32) as u32,
            }
        });
        Ok(shared.collect())
    }

    /// The kept documents with a fact of a new record whose rule joins.
    fn agreeing(&self, new: &Batch, rules: &Rules) -> Vec<Place> {
        let facts = (0..new.labels.len()).filter_map(|at| new.row(at).get(1..));
        let marks: HashSet<u128> = facts.flat_map(|facts| joining(&rules.fields, facts)).collect();
        let segments = self.state.segments.par_iter().enumerate();
        let of_segment = |(at, segment): (usize, &Arc<Segment>)| {
            let rows = marks.iter().flat_map(|&mark| segment.joined_by(mark, &rules.fields));
            rows.map(|row| Place::new(at, row)).collect::<Vec<Place>>()
        };
        if marks.is_empty() {
            Vec::new()
        } else {
            segments.flat_map_iter(of_segment).collect()
        }
    }

    /// The kept documents that verdicts name.
    fn judged(&self, rules: &Rules) -> Vec<Place> {
        let names = rules.verdicts.iter().flat_map(|verdict| [&verdict.a, &verdict.b]);
        let labels: HashSet<&str> = names.filter_map(|name| name.label.as_deref()).collect();
        let raw = labels
            .iter()
            .flat_map(|label| [Value::from(*label).to_string(), (*label).to_owned()]);
        let mut found = Vec::new();
        for label in raw {
            found.extend(self.state.with_label(label.as_bytes()).filter_map(Place::kept));
        }
        found
    }

    /// Texts and columns of kept documents, which ascend.
    fn rows(&self, met: &[Place], new: &Batch) -> Result<(Sources, Batch)> {
        let of_some = |met: &[Place]| {
            let mut reader = self.state.reader();
            let text = |&place: &Place| Ok(self.state.text(place, &mut reader)?.to_owned());
            met.iter().map(text).collect::<Result<Vec<String>>>()
        };
        let texts = met.par_chunks(TEXTS_AT_ONCE).map(of_some).collect::<Result<Vec<_>>>()?;
        let mut batch = Batch::empty(new.encoded.len());
        for of_segment in met.chunk_by(|one, other| one.segment == other.segment) {
            let rows: Vec<u32> = of_segment.iter().map(|place| place.row).collect();
            let segment = self.state.segment(of_segment[0]);
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

impl SeenRun {
    /// The documents that some new record may be near: those that share a search key and pass the sketch filter, and those whose exact
    /// form has the digest of a new one. Completes the new records, and adds the keys of these documents to those of the new ones.
    fn beside(
        &self,
        new: &mut Batch,
        texts: NewTexts<'_>,
        keys: &mut [Option<SearchKeys>],
        rules: &Rules,
        ctx: &Context<'_>,
    ) -> Result<OldRows> {
        self.complete(new);
        let new = &*new;
        self.state.check_files()?;
        ctx.tick("look up", 0, 1)?;
        let pool = ctx.pool()?;
        let [replaced, resent, rewritten] = pool.install(|| self.replaced(new, texts))?;
        let date = match self.asked {
            Asked::Near(date) => date,
            _ => None,
        };
        let question = Question {
            state: &self.state,
            new,
            texts,
            times: InTime::new(&self.state, &new.dates, date),
            second: Question::second_of(&self.state, new.labels.len()),
            kernel: ctx.kernel(),
            tuning: ctx.tuning,
        };
        let live = |place: Place| {
            let is_replaced = || !replaced.is_empty() && replaced.contains(&place.of_any());
            question.times.has(place) && self.state.is_live(place.of_any()) && !is_replaced()
        };
        let (mut met, mut shared) = self.meet(&question, keys, ctx)?;
        shared.retain(|shared| live(shared.place));
        let mut of_dropped = Vec::new();
        if self.own().is_none() {
            let is_there = |place: Place<Row>| {
                self.state.is_live(place) && (!replaced.contains(&place) || resent.contains(&place))
            };
            let copies = pool.install(|| copies(&question, is_there));
            met.extend(copies.kept);
            met.extend(copies.of_dropped.iter().map(|copy| copy.representative));
            of_dropped = copies.of_dropped;
        }
        met.extend(self.judged(rules));
        met.extend(pool.install(|| self.agreeing(new, rules)));
        met.retain(|&place| live(place));
        met.extend(shared.iter().map(|shared| shared.place));
        met.sort_unstable();
        met.dedup();
        shared.sort_unstable();
        // Several new documents may share one key with an old one.
        shared.dedup();
        let first = new.labels.len();
        let position = |place: Place| (first + met.binary_search(&place).expect("a document that was met")) as u32;
        let own = match &self.asked {
            Asked::Texts(KnownId::Ignore, None) | Asked::Records(KnownId::Ignore) | Asked::Near(_) | Asked::Own(_) => {
                Vec::new()
            }
            _ => keys.to_vec(),
        };
        for shared in shared {
            let item = u64::from(shared.tag) << 32 | u64::from(position(shared.place));
            if let Some(keys) = &mut keys[shared.scheme as usize] {
                keys.extend(shared.part as usize, std::iter::once(item));
            }
        }
        let outcome = Outcome {
            numbers: met.iter().map(|place| self.state.number(place.of_any())).collect(),
            replaced,
            rewritten,
            keys: own,
        };
        let copies_of_dropped = of_dropped
            .into_iter()
            .map(|copy| (copy.position, position(copy.representative), copy.is_copy))
            .collect();
        let (sources, rows) = pool.install(|| self.rows(&met, new))?;
        // Nothing more is read of the index for this run.
        self.state.check_read()?;
        self.outcome
            .set(outcome)
            .map_err(|_| Error::Config(msg!("a run against an index is made once")))?;
        ctx.tick("look up", 1, 1)?;
        Ok(OldRows {
            sources,
            rows,
            copies_of_dropped,
        })
    }

    /// The documents that are met under each scheme: those of crowds and within bits, and those that share a search key.
    fn meet(
        &self,
        question: &Question<'_>,
        keys: &mut [Option<SearchKeys>],
        ctx: &Context<'_>,
    ) -> Result<(Vec<Place>, Vec<SharedKey>)> {
        let pool = ctx.pool()?;
        let (mut met, mut shared) = (Vec::new(), Vec::new());
        for scheme in 0..self.state.searched() {
            match &mut keys[scheme] {
                Some(keys) if self.own().is_some() => {
                    shared.extend(pool.install(|| self.earlier(question, keys, scheme))?);
                }
                Some(keys) => {
                    let (found, asked) = pool.install(|| with_keys(question, keys, scheme));
                    shared.extend(found);
                    let of_crowds = crowd::near(question, scheme, asked, ctx)?;
                    shared.extend(of_crowds.into_iter().filter_map(|(place, bucket)| match bucket {
                        Bucket::Key(part, tag) => Some(SharedKey {
                            place,
                            scheme: scheme as u8,
                            part,
                            tag,
                        }),
                        Bucket::Whole => None,
                    }));
                }
                None => {
                    let all = pool.install(|| question.within_bits(scheme));
                    let (found, asked) = crowd::outside(question, scheme, all);
                    met.extend(found);
                    let of_crowds = crowd::near(question, scheme, asked, ctx)?;
                    met.extend(of_crowds.into_iter().map(|(place, _)| place));
                }
            }
        }
        Ok((met, shared))
    }
}
