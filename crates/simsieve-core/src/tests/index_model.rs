//! An index is its model after any changes: plain lists and loops, for a search that tests every pair.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::base::context::Context;
use crate::collection::combine::Combine;
use crate::index;
use crate::recipe::Threshold;
use crate::search::documents::Options;
use crate::tests::index::{Fates, Line, Tested, line};
use crate::tests::support::{DAY, date, in_a_week, near_by_features, options_for};

/// What is done with an index.
#[derive(Debug, Clone)]
enum Step {
    /// Adds records by the numbers of their texts; the id is that of the first of some texts.
    Add(Vec<(u64, u64)>),
    Remove(Vec<u64>),
    Undo(usize),
    Compact(bool),
    Refreeze,
    /// Removes what is earlier than this day.
    Expire(u64),
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
        let near = |(a, text_a): (u64, &str), (b, text_b): (u64, &str)| {
            let span = options.rules.window.as_ref().map_or(u64::MAX, |window| window.span);
            date(a, text_a).abs_diff(date(b, text_b)) <= span
                && near_by_features(options.threshold, &options.scheme, text_a, text_b)
        };
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
            let sent_again = |at: usize| {
                let known = &self.all[at];
                lines.iter().any(|(id, text)| *id == known.id && *text == known.text)
            };
            // A kept document with this id and text is the record's exact copy, so it stays.
            let others = self
                .live()
                .filter(|(at, of)| of.of.is_none() && (Some(*at) == stays || !gone.contains(at) || sent_again(*at)));
            let mut others: Vec<(usize, &str)> = others.map(|(at, of)| (at, &*of.text)).collect();
            let first = self.all.len();
            let own = added.iter().enumerate().filter(|(_, of)| of.of.is_none());
            others.extend(own.map(|(at, of)| (first + at, &*of.text)));
            let ids = |at: usize| {
                if at < first {
                    self.all[at].id
                } else {
                    added[at - first].id
                }
            };
            let found = others.iter().any(|&(at, other)| near((ids(at), other), (*id, text)));
            assert_eq!(!found, *is_kept, "{id} {text}");
            if let Some(at) = stays {
                gone.retain(|other| *other != at);
                continue;
            }
            let of = (!is_kept).then(|| {
                let named = others
                    .iter()
                    .find(|&&(at, other)| ids(at).to_string() == *of && near((ids(at), other), (*id, text)));
                named.expect("a representative that is kept and near").0
            });
            // It stays dropped as long as its representative is kept, also where a nearer document was kept later.
            let is_kept_for = |at: usize| {
                self.all[at]
                    .of
                    .is_some_and(|of| self.live().any(|(at, _)| at == of) && (!gone.contains(&of) || sent_again(of)))
            };
            if let Some(at) = same.filter(|&at| is_kept_for(at)) {
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

    fn remove(&mut self, is_asked: impl Fn(&Known) -> bool) {
        let found: Vec<usize> = self.live().filter(|(_, of)| is_asked(of)).map(|(at, _)| at).collect();
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
        1 => (0..21_u64).prop_map(Step::Expire),
    ];
    prop::collection::vec(step, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// For all changes, with a window of time and without: the index has the documents of the model, decides as its loops do, and is the
    /// same when it is opened again.
    #[test]
    fn an_index_is_its_model(steps in steps(), dated in any::<bool>()) {
        let plain = options_for("chars128", Threshold::Similarity(0.65), 10, &["first"]);
        let each = vec![if dated { in_a_week(plain) } else { plain }];
        let (tested, _) = Tested::create(&[], &each, Combine::All);
        let ctx = Context::small(1);
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Add(records) => {
                    let mut seen = BTreeSet::new();
                    let unique = records.into_iter().filter(|(id, _)| seen.insert(*id));
                    let lines: Vec<Line> = unique.map(|(id, of)| (id, line(of).1)).collect();
                    let checked = tested.check(&lines);
                    let (_, fates) = tested.add(&lines);
                    prop_assert_eq!(&checked, &fates);
                    model.add(&lines, &fates, &each[0]);
                }
                Step::Remove(ids) => {
                    let before = model.kept().len();
                    model.remove(|of| ids.contains(&of.id));
                    let labels: Vec<Vec<u8>> = ids.iter().map(|id| id.to_string().into_bytes()).collect();
                    let removed = index::remove(&tested.index, &labels, &ctx).unwrap();
                    prop_assert_eq!(removed.kept as usize, before - model.kept().len());
                }
                Step::Expire(day) if dated => {
                    let before = (day * DAY) as i64;
                    let kept = model.kept().len();
                    model.remove(|of| date(of.id, &of.text) < before);
                    let shown = format!("1970-01-{:02}", day + 1);
                    let removed = index::expire(&tested.index, &shown, &ctx).unwrap();
                    prop_assert_eq!(removed.kept as usize, kept - model.kept().len());
                }
                Step::Expire(_) => {}
                Step::Undo(batch) => {
                    let batch = batch as u32;
                    let found = index::undo(&tested.index, &batch.to_string(), &ctx);
                    let allowed = (1..=model.batches).contains(&batch) && !model.undone.contains(&batch);
                    prop_assert_eq!(found.is_ok(), allowed || model.purged.contains(&batch), "{:?}", found);
                    if allowed && !model.purged.contains(&batch) {
                        model.undo(batch);
                    }
                }
                Step::Compact(purge) => {
                    index::compact(&tested.index, purge, &ctx).unwrap();
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
                Step::Refreeze => index::refreeze(&tested.index, 0, None, &ctx).unwrap(),
            }
            let kept = model.kept();
            prop_assert_eq!(tested.kept(), kept.clone());
            let reader = tested.reader();
            let sizes = reader.sizes().unwrap();
            let live = model.live().count() as u64;
            prop_assert_eq!((sizes.kept, sizes.dropped), (kept.len() as u64, live - kept.len() as u64));
            index::verify(&reader, &ctx).unwrap();
        }
    }
}
