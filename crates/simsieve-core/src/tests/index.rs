//! An index decides, batch by batch, as one run on all records under its recipe and frozen set.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::collection::combine::Combine;
use crate::dedup::decide::decisions::Decisions;
use crate::dedup::decide::{Decision, decide};
use crate::dedup::loading;
use crate::encode::scheme::Scheme;
use crate::index::{Added, Index, KnownId};
use crate::recipe::Threshold;
use crate::search::documents::{Documents, Options};
use crate::search::sample::frozen::{self, FREEZE};
use crate::source::{SourceSpec, Sources};
use crate::storage::run_dir::{RunDir, StageFiles, Start};
use crate::tests::support::{contained, near_by_features, options_for};

/// A record: its id and its text.
type Line = (u64, String);

/// Texts of words, of which every third is an edited copy of any earlier one, and every ninth an exact one.
fn line(at: u64) -> Line {
    let of = if at % 3 == 2 { mix(at) % at } else { at };
    let word = |place: u64| {
        let changed = at % 9 != 2 && at != of && place == at % 14;
        format!("w{:x}", mix(if changed { mix(at) } else { of << 8 | place }) % 3000)
    };
    let words: Vec<String> = (0..14).map(word).collect();
    (at, words.join(" "))
}

fn sources(folder: &Path, lines: &[Line]) -> Sources {
    let path = folder.join("records.jsonl");
    let mut text = String::new();
    for (id, line) in lines {
        writeln!(text, "{}", serde_json::json!({"id": id, "text": line})).unwrap();
    }
    fs::write(&path, text).unwrap();
    Sources::open(&[SourceSpec::new(path)], 1 << 20, &Context::small(1)).unwrap()
}

/// What became of each record, by its id: whether it is kept, whom it was dropped for, and how near that is.
type Fates = BTreeMap<String, (bool, String, i32, u64, u32)>;

fn fates(documents: &Documents, decisions: &Decisions) -> Fates {
    let label = |at: usize| String::from_utf8(documents.collection.label(at).unwrap().to_vec()).unwrap();
    let fate = |at: usize| {
        let kept = decisions.decision[at] == Decision::Kept;
        let of = label(decisions.representative[at] as usize);
        let similarity = decisions.similarity[at].to_bits();
        (
            label(at),
            (kept, of, decisions.distance[at], similarity, decisions.lost[at]),
        )
    };
    (0..decisions.decision.len()).map(fate).collect()
}

/// A run on records under one or several schemes.
fn run(folder: &Path, lines: &[Line], each: &[Options], rule: Combine) -> Result<(Documents, Decisions)> {
    let ctx = Context::small(2);
    let documents = loading::load_each(Arc::new(sources(folder, lines)), each, rule, &ctx)?;
    let decisions = decide(&documents, &ctx)?;
    Ok((documents, decisions))
}

/// A tested index with what was asked of it.
struct Tested {
    folder: tempfile::TempDir,
    index: Index,
    each: Vec<Options>,
    rule: Combine,
}

impl Tested {
    fn create(lines: &[Line], each: &[Options], rule: Combine) -> (Self, Fates) {
        let folder = tempfile::tempdir().unwrap();
        let (documents, decisions) = run(folder.path(), lines, each, rule).unwrap();
        let common = Map::from_iter([("combine".to_owned(), Value::from(rule.name()))]);
        let path = folder.path().join("index");
        let made = (&documents, &decisions);
        let index = Index::create(&path, "{}", 0, made, common, &Context::small(2)).unwrap();
        let tested = Self {
            folder,
            index,
            each: each.to_vec(),
            rule,
        };
        (tested, fates(&documents, &decisions))
    }

    fn options(&self, known: KnownId) -> (Vec<Options>, Arc<crate::index::SeenRun>) {
        let (seen, run) = self.index.seen(known);
        let with = |options: &Options| Options {
            seen: Some(seen.clone()),
            ..options.clone()
        };
        (self.each.iter().map(with).collect(), run)
    }

    fn add(&self, lines: &[Line]) -> (Added, Fates) {
        let (each, seen) = self.options(KnownId::Replace);
        let (documents, decisions) = run(self.folder.path(), lines, &each, self.rule).unwrap();
        let added = self
            .index
            .add(&seen, (&documents, &decisions), None, &Context::small(2))
            .unwrap();
        (added, fates(&documents, &decisions))
    }

    fn check(&self, lines: &[Line]) -> Fates {
        let (each, _) = self.options(KnownId::Replace);
        let (documents, decisions) = run(self.folder.path(), lines, &each, self.rule).unwrap();
        fates(&documents, &decisions)
    }

    /// The run on all records at once, under the frozen set of the index.
    fn oracle(&self, lines: &[Line]) -> Fates {
        let ctx = Context::small(1);
        let of = self.folder.path().join("oracle");
        let dir = Arc::new(RunDir::open(&of, Start::Replace, 1 << 16, &ctx).unwrap());
        let paths = self.index.seen(KnownId::Replace).0.0.paths();
        if paths.iter().any(Option::is_some) {
            let mut files = StageFiles::open(&dir, FREEZE, paths.len()).unwrap();
            let states = frozen::put(&mut files, &paths).unwrap();
            files.commit(true, &states, &[]).unwrap();
        }
        let with = |options: &Options| Options {
            run_dir: Some(Arc::clone(&dir)),
            ..options.clone()
        };
        let each: Vec<Options> = self.each.iter().map(with).collect();
        let (documents, decisions) = run(self.folder.path(), lines, &each, self.rule).unwrap();
        fates(&documents, &decisions)
    }

    fn kept(&self) -> Vec<u64> {
        let mut ids = Vec::new();
        let each = |label: Option<&[u8]>, _: &str| {
            ids.push(std::str::from_utf8(label.unwrap()).unwrap().parse().unwrap());
            Ok(())
        };
        self.index.each_kept(each).unwrap();
        ids
    }

    /// Another reader of the same files.
    fn reader(&self) -> Index {
        let schemes: Vec<Scheme> = self.each.iter().map(|options| options.scheme.clone()).collect();
        Index::open(self.index.path(), schemes, false, &Context::small(1)).unwrap()
    }
}

fn cases() -> Vec<(&'static str, Vec<Options>, Combine)> {
    // The recipe is that of a large collection, so keys are made.
    let by = |spec: &str, threshold| options_for(spec, threshold, 1 << 14, &["first"]);
    let similar = Threshold::Similarity(0.65);
    let lossy = |mut options: Options| {
        options.rules.max_lost = Some(12);
        options
    };
    vec![
        ("paths", vec![by("chars128", similar)], Combine::All),
        ("weights", vec![by("words128:weights=tf", similar)], Combine::All),
        ("losses", vec![lossy(by("chars128", similar))], Combine::All),
        (
            "all pairs",
            vec![options_for("chars128", similar, 10, &["first"])],
            Combine::All,
        ),
        ("containment", vec![by("chars128", contained(0.7, 3.0))], Combine::All),
        ("blocks", vec![by("chars64", Threshold::Distance(6))], Combine::All),
        (
            "any",
            vec![by("chars128", similar), by("words64", Threshold::Distance(6))],
            Combine::Any,
        ),
        (
            "all",
            vec![by("chars128", similar), by("words64", similar)],
            Combine::All,
        ),
    ]
}

/// Law 1 of the index: batches are decided as one run on all of them decides.
#[test]
fn batches_are_decided_as_one_run_decides() {
    let all: Vec<Line> = (0..900).map(line).collect();
    for (name, each, rule) in cases() {
        let (tested, mut found) = Tested::create(&all[..400], &each, rule);
        for batch in [
            400..410,
            410..411,
            411..700,
            700..701,
            701..702,
            702..703,
            703..704,
            704..900,
        ] {
            let checked = tested.check(&all[batch.clone()]);
            let (id, text) = &all[batch.start];
            let alone = tested.index.check(&[text], &Context::small(1)).unwrap().swap_remove(0);
            let (kept, of, distance, similarity, lost) = &checked[&id.to_string()];
            assert_eq!(alone.decision == Decision::Kept, *kept, "{name}");
            assert_eq!(alone.representative.as_ref(), (!kept).then_some(of), "{name}");
            let measured = (alone.distance, alone.similarity.to_bits(), alone.lost);
            assert_eq!(measured, (*distance, *similarity, *lost), "{name}");
            let (added, fates) = tested.add(&all[batch.clone()]);
            assert_eq!(checked, fates, "{name}");
            assert_eq!(added.kept + added.dropped, batch.len() as u64, "{name}");
            found.extend(fates);
        }
        let expected = tested.oracle(&all);
        assert_eq!(found, expected, "{name}");
        let kept: Vec<u64> = (0..900).filter(|at| expected[&at.to_string()].0).collect();
        assert!(kept.len() > 500 && kept.len() < 850, "{name}: {}", kept.len());
        assert_eq!(tested.kept(), kept, "{name}");
        for index in [&tested.index, &tested.reader()] {
            let sizes = index.sizes();
            assert_eq!(
                (sizes.kept, sizes.dropped),
                (kept.len() as u64, 900 - kept.len() as u64),
                "{name}"
            );
            assert!(sizes.segments < 5, "{name}: {sizes:?}");
            index.verify(&Context::small(2)).unwrap();
            for (id, text) in all.iter().step_by(7) {
                let known = index.text(id.to_string().as_bytes()).unwrap();
                assert_eq!(known.as_ref(), expected[&id.to_string()].0.then_some(text), "{name}");
            }
        }
    }
}

/// A batch that is sent twice changes nothing, and no file.
#[test]
fn a_batch_that_is_sent_twice_changes_nothing() {
    let all: Vec<Line> = (0..300).map(line).collect();
    let (name, each, rule) = cases().swap_remove(0);
    let (tested, _) = Tested::create(&all[..200], &each, rule);
    tested.add(&all[200..]);
    let before = (tested.index.sizes(), tested.kept());
    let (added, _) = tested.add(&all[150..300]);
    assert_eq!(
        (added.kept, added.dropped, added.known, added.replaced),
        (0, 0, 150, 0),
        "{name}"
    );
    assert_eq!((tested.index.sizes(), tested.kept()), before);
}

/// What is done with an index.
#[derive(Debug, Clone)]
enum Step {
    /// Adds records by the numbers of their texts; the id is that of the first of some texts.
    Add(Vec<(u64, u64)>),
    Remove(Vec<u64>),
    Undo(usize),
    Compact(bool),
    Refreeze,
}

/// A document of the model: id, text, batch, what removed it, and for a dropped one its representative.
#[derive(Debug, Clone)]
struct Known {
    id: u64,
    text: String,
    batch: u32,
    removed_by: Option<u32>,
    of: Option<usize>,
}

/// An index by plain lists and loops, for a search that tests every pair.
#[derive(Debug, Default)]
struct Model {
    all: Vec<Known>,
    undone: Vec<u32>,
    batches: u32,
    purged: Vec<u32>,
}

impl Model {
    fn is_live(&self, of: &Known) -> bool {
        let removed = of.removed_by.is_some_and(|by| !self.undone.contains(&by));
        !removed && !self.undone.contains(&of.batch)
    }

    fn live(&self) -> impl Iterator<Item = (usize, &Known)> {
        self.all.iter().enumerate().filter(|(_, of)| self.is_live(of))
    }

    fn kept(&self) -> Vec<u64> {
        self.live()
            .filter(|(_, of)| of.of.is_none())
            .map(|(_, of)| of.id)
            .collect()
    }

    /// Adds records by what the index has decided, after it has checked that with all kept documents.
    fn add(&mut self, lines: &[Line], fates: &Fates, options: &Options) {
        let batch = self.batches + 1;
        let near = |a: &str, b: &str| near_by_features(options.threshold, &options.scheme, a, b);
        let mut changed = false;
        let mut gone = Vec::new();
        let mut added: Vec<Known> = Vec::new();
        for (id, _) in lines {
            gone.extend(self.live().filter(|(_, of)| of.id == *id).map(|(at, _)| at));
        }
        for (id, text) in lines {
            let (is_kept, of, ..) = &fates[&id.to_string()];
            let same = gone
                .iter()
                .copied()
                .find(|&at| self.all[at].id == *id && self.all[at].text == *text);
            let stays = same.filter(|&at| self.all[at].of.is_none());
            // A kept document with this id and text is the record's exact copy, so it stays.
            let others = self.live().filter(|(at, of)| {
                of.of.is_none()
                    && (Some(*at) == stays || !gone.contains(at) || {
                        let id = self.all[*at].id;
                        lines
                            .iter()
                            .any(|(other, text)| *other == id && *text == self.all[*at].text)
                    })
            });
            let mut others: Vec<(usize, &str)> = others.map(|(at, of)| (at, &*of.text)).collect();
            let first = self.all.len();
            let own = added.iter().enumerate().filter(|(_, of)| of.of.is_none());
            others.extend(own.map(|(at, of)| (first + at, &*of.text)));
            let found = others.iter().any(|(_, other)| near(other, text));
            assert_eq!(!found, *is_kept, "{id} {text}");
            if let Some(at) = stays {
                gone.retain(|other| *other != at);
                continue;
            }
            let ids = |at: usize| {
                if at < first {
                    self.all[at].id
                } else {
                    added[at - first].id
                }
            };
            let of = (!is_kept).then(|| {
                let named = others
                    .iter()
                    .find(|(at, other)| ids(*at).to_string() == *of && near(other, text));
                named.expect("a representative that is kept and near").0
            });
            if let Some(at) = same.filter(|&at| self.all[at].of == of && of.is_some()) {
                gone.retain(|other| *other != at);
                continue;
            }
            added.push(Known {
                id: *id,
                text: text.clone(),
                batch,
                removed_by: None,
                of,
            });
        }
        changed |= !added.is_empty() || !gone.is_empty();
        for at in gone {
            self.all[at].removed_by = Some(batch);
        }
        self.all.extend(added);
        self.batches += u32::from(changed);
    }

    fn remove(&mut self, ids: &[u64]) {
        let found: Vec<usize> = self
            .live()
            .filter(|(_, of)| ids.contains(&of.id))
            .map(|(at, _)| at)
            .collect();
        self.batches += u32::from(!found.is_empty());
        for at in found {
            self.all[at].removed_by = Some(self.batches);
        }
    }

    fn undo(&mut self, batch: u32) {
        self.undone.push(batch);
        let live: Vec<u64> = self
            .live()
            .filter(|(_, of)| of.removed_by != Some(batch))
            .map(|(_, of)| of.id)
            .collect();
        let mut again = Vec::new();
        for (at, of) in self.all.iter().enumerate() {
            if of.removed_by == Some(batch) && live.contains(&of.id) {
                again.push(at);
            }
        }
        self.batches += u32::from(!again.is_empty());
        for at in again {
            self.all[at].removed_by = Some(self.batches);
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let record = (0..12_u64, 0..40_u64);
    let step = prop_oneof![
        4 => prop::collection::vec(record, 1..8).prop_map(Step::Add),
        2 => prop::collection::vec(0..14_u64, 1..4).prop_map(Step::Remove),
        2 => (0..9_usize).prop_map(Step::Undo),
        1 => any::<bool>().prop_map(Step::Compact),
        1 => Just(Step::Refreeze),
    ];
    prop::collection::vec(step, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// For all changes: the index has the documents of the model, decides as its loops do, and is the same when it is opened again.
    #[test]
    fn an_index_is_its_model(steps in steps()) {
        let each = vec![options_for("chars128", Threshold::Similarity(0.65), 10, &["first"])];
        let (tested, _) = Tested::create(&[], &each, Combine::All);
        let ctx = Context::small(1);
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Add(records) => {
                    let mut seen = std::collections::BTreeSet::new();
                    let unique = records.into_iter().filter(|(id, _)| seen.insert(*id));
                    let lines: Vec<Line> = unique.map(|(id, of)| (id, line(of).1)).collect();
                    let checked = tested.check(&lines);
                    let (_, fates) = tested.add(&lines);
                    prop_assert_eq!(&checked, &fates);
                    model.add(&lines, &fates, &each[0]);
                }
                Step::Remove(ids) => {
                    let before = model.kept().len();
                    model.remove(&ids);
                    let labels: Vec<Vec<u8>> = ids.iter().map(|id| id.to_string().into_bytes()).collect();
                    let removed = tested.index.remove(&labels, &ctx).unwrap();
                    prop_assert_eq!(removed.kept as usize, before - model.kept().len());
                }
                Step::Undo(batch) => {
                    let batch = batch as u32;
                    let found = tested.index.undo(&batch.to_string(), &ctx);
                    let allowed = (1..=model.batches).contains(&batch) && !model.undone.contains(&batch);
                    prop_assert_eq!(found.is_ok(), allowed || model.purged.contains(&batch), "{:?}", found);
                    if allowed && !model.purged.contains(&batch) {
                        model.undo(batch);
                    }
                }
                Step::Compact(purge) => {
                    tested.index.compact(purge, &ctx).unwrap();
                    if purge {
                        let live: Vec<bool> = model.all.iter().map(|of| model.is_live(of)).collect();
                        for (of, is_live) in model.all.iter_mut().zip(live) {
                            // What is gone comes back by no undo.
                            if !is_live {
                                of.batch = u32::MAX;
                            } else if of.removed_by.is_some() {
                                of.removed_by = None;
                            }
                        }
                        model.purged.extend(std::mem::take(&mut model.undone));
                        model.undone.push(u32::MAX);
                    }
                }
                Step::Refreeze => tested.index.refreeze(0, None, &ctx).unwrap(),
            }
            let kept = model.kept();
            prop_assert_eq!(tested.kept(), kept.clone());
            let reader = tested.reader();
            let sizes = reader.sizes();
            let live = model.live().count() as u64;
            prop_assert_eq!((sizes.kept, sizes.dropped), (kept.len() as u64, live - kept.len() as u64));
            reader.verify(&ctx).unwrap();
        }
    }
}
