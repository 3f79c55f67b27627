//! An index decides, batch by batch, as one run on all records under its recipe and frozen set.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::collection::combine::Combine;
use crate::collection::fields::FieldRule;
use crate::dedup::decide::decisions::Decisions;
use crate::dedup::decide::{Decision, Reason, decide};
use crate::dedup::loading::{FIELDS, Loading, WINDOW};
use crate::encode::scheme::Scheme;
use crate::index::{self, Added, DecidedRun, Index, KnownId, Made, NewBatch, SeenRun};
use crate::recipe::Threshold;
use crate::search::documents::{Documents, Options};
use crate::search::sample::frozen::{self, FREEZE};
use crate::source::{SourceSpec, Sources};
use crate::storage::run_dir::{RunDir, StageFiles, Start};
use crate::tests::support::{contained, date, in_a_week, mark, near_by_features, options_for, volume, with_fields};
use crate::text::conflict::Conflict;

/// A record: its id and its text.
pub(super) type Line = (u64, String);

/// Texts of words: every third is an edited copy of any earlier one, and every ninth an exact one.
pub(super) fn line(at: u64) -> Line {
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
        let date = date(*id, line);
        writeln!(
            text,
            "{}",
            serde_json::json!({"id": id, "text": line, "date": {"$date": date}, "volume": volume(*id), "mark": mark(*id)})
        )
        .unwrap();
    }
    fs::write(&path, text).unwrap();
    Sources::open(&[SourceSpec::new(path)], 1 << 20, &Context::small(1)).unwrap()
}

/// What became of each record, by its id: whether it is kept, whom it was dropped for, how near that is, and whether as an exact copy.
pub(super) type Fates = BTreeMap<String, (bool, String, i32, u64, u32, bool)>;

fn fates(documents: &Documents, decisions: &Decisions) -> Fates {
    let label = |at: usize| String::from_utf8(documents.collection.label(at).unwrap().to_vec()).unwrap();
    let fate = |at: usize| {
        let kept = decisions.decision[at] == Decision::Kept;
        let of = label(decisions.representative[at] as usize);
        let similarity = decisions.similarity[at].to_bits();
        let (distance, lost) = (decisions.distance[at], decisions.lost[at]);
        let is_exact = decisions.reason[at] == Reason::Exact;
        (label(at), (kept, of, distance, similarity, lost, is_exact))
    };
    (0..decisions.decision.len()).map(fate).collect()
}

/// A run on records under one or several schemes.
fn run(folder: &Path, lines: &[Line], each: &[Options], rule: Combine) -> Result<(Documents, Decisions)> {
    run_against(folder, lines, each, rule, None)
}

/// A run on records, or one against an index.
pub(super) fn run_against(
    folder: &Path,
    lines: &[Line],
    each: &[Options],
    rule: Combine,
    seen: Option<&SeenRun>,
) -> Result<(Documents, Decisions)> {
    let ctx = Context::small(2);
    let loading = Loading::begin(Arc::new(sources(folder, lines)), each, rule, &ctx)?;
    let documents = match seen {
        Some(seen) => seen.finish(loading, &ctx)?,
        None => loading.finish(&ctx)?,
    };
    let decisions = decide(&documents, &ctx)?;
    Ok((documents, decisions))
}

/// A tested index with what was asked of it.
pub(super) struct Tested {
    pub(super) folder: tempfile::TempDir,
    pub(super) index: Index,
    each: Vec<Options>,
    rule: Combine,
}

impl Tested {
    pub(super) fn create(lines: &[Line], each: &[Options], rule: Combine) -> (Self, Fates) {
        let folder = tempfile::tempdir().unwrap();
        let (documents, decisions) = run(folder.path(), lines, each, rule).unwrap();
        let mut common = Map::from_iter([("combine".to_owned(), Value::from(rule.name()))]);
        if let Some(window) = &each[0].rules.window {
            common.insert(WINDOW.to_owned(), window.span.into());
        }
        if !each[0].rules.fields.is_empty() {
            let rules = each[0].rules.fields.iter().map(FieldRule::identity);
            common.insert(FIELDS.to_owned(), rules.collect());
            common.insert("sure".to_owned(), serde_json::json!([2, 0.8]));
        }
        let path = folder.path().join("index");
        let made = Made {
            settings: "{}",
            expected: 0,
            common,
        };
        let decided = DecidedRun {
            documents: &documents,
            decisions: &decisions,
        };
        let index = index::create(&path, made, decided, None, &Context::small(2)).unwrap();
        let tested = Self {
            folder,
            index,
            each: each.to_vec(),
            rule,
        };
        (tested, fates(&documents, &decisions))
    }

    pub(super) fn options(&self, known: KnownId) -> (Vec<Options>, SeenRun) {
        let run = self.index.seen(known).unwrap();
        let with = |options: &Options| Options {
            settled: Some(run.settled()),
            ..options.clone()
        };
        (self.each.iter().map(with).collect(), run)
    }

    pub(super) fn add(&self, lines: &[Line]) -> (Added, Fates) {
        self.add_named(lines, None)
    }

    fn add_named(&self, lines: &[Line], name: Option<&str>) -> (Added, Fates) {
        let (each, seen) = self.options(KnownId::Replace);
        let (documents, decisions) = run_against(self.folder.path(), lines, &each, self.rule, Some(&seen)).unwrap();
        let decided = DecidedRun {
            documents: &documents,
            decisions: &decisions,
        };
        let batch = NewBatch { name, followed: None };
        let added = index::add(&self.index, &seen, decided, batch, &Context::small(2)).unwrap();
        (added, fates(&documents, &decisions))
    }

    pub(super) fn check(&self, lines: &[Line]) -> Fates {
        let (each, seen) = self.options(KnownId::Replace);
        let (documents, decisions) = run_against(self.folder.path(), lines, &each, self.rule, Some(&seen)).unwrap();
        fates(&documents, &decisions)
    }

    /// The run on all records at once, under the frozen set of the index.
    pub(super) fn oracle(&self, lines: &[Line]) -> Fates {
        let ctx = Context::small(1);
        let of = self.folder.path().join("oracle");
        let dir = Arc::new(RunDir::open(&of, Start::Replace, 1 << 16, &ctx).unwrap());
        let paths = self.index.seen(KnownId::Replace).unwrap().settled().paths.clone();
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

    pub(super) fn kept(&self) -> Vec<u64> {
        let kept = self.index.kept().next(usize::MAX).unwrap();
        kept.iter()
            .map(|(id, ..)| id.as_ref().unwrap().parse().unwrap())
            .collect()
    }

    pub(super) fn schemes(&self) -> Vec<Scheme> {
        self.each.iter().map(|options| options.scheme.clone()).collect()
    }

    /// Another reader of the same files.
    pub(super) fn reader(&self) -> Index {
        Index::open(self.index.path(), self.schemes(), false, &Context::small(1)).unwrap()
    }
}

pub(super) fn cases() -> Vec<(&'static str, Vec<Options>, Combine)> {
    // The recipe is that of a large collection, so keys are made.
    let by = |spec: &str, threshold| options_for(spec, threshold, 1 << 14, &["first"]);
    let similar = Threshold::Similarity(0.65);
    let lossy = |mut options: Options| {
        options.rules.bounds.max_lost = Some(12);
        options.rules.bounds.conflict = vec![Conflict::Numbers, Conflict::Text];
        options
    };
    vec![
        ("paths", vec![by("chars128", similar)], Combine::All),
        ("weights", vec![by("words128:weights=tf", similar)], Combine::All),
        ("losses", vec![lossy(by("chars128", similar))], Combine::All),
        ("window", vec![in_a_week(by("chars128", similar))], Combine::All),
        ("fields", vec![with_fields(by("chars128", similar))], Combine::All),
        (
            "fields and window of two schemes",
            ["chars128", "words64"]
                .map(|spec| with_fields(in_a_week(by(spec, similar))))
                .to_vec(),
            Combine::Any,
        ),
        (
            "window and blocks",
            vec![in_a_week(by("chars64", Threshold::Distance(6)))],
            Combine::All,
        ),
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
            let alone = index::check(&tested.index, &[text], None, &Context::small(1));
            // A text alone has no date and no fields.
            let rules = &each[0].rules;
            let has_more = rules.window.is_some() || !rules.fields.is_empty();
            assert_eq!(alone.is_err(), has_more, "{name}");
            if let Some(alone) = alone
                .ok()
                .map(|(of, decided)| index::fates(&of, &decided).swap_remove(0))
            {
                let (kept, of, distance, similarity, lost, _) = &checked[&id.to_string()];
                assert_eq!(alone.decision == Decision::Kept, *kept, "{name}");
                assert_eq!(alone.representative.as_ref(), (!kept).then_some(of), "{name}");
                let measured = (alone.distance, alone.similarity.to_bits(), alone.lost);
                assert_eq!(measured, (*distance, *similarity, *lost), "{name}");
            }
            let (added, fates) = tested.add(&all[batch.clone()]);
            assert_eq!(checked, fates, "{name}");
            assert_eq!(added.kept + added.dropped, batch.len() as u64, "{name}");
            found.extend(fates);
        }
        let expected = tested.oracle(&all);
        assert_eq!(found, expected, "{name}");
        let (alone, seen) = tested.options(KnownId::Alone);
        let (documents, decisions) = run_against(tested.folder.path(), &all, &alone, rule, Some(&seen)).unwrap();
        assert_eq!(fates(&documents, &decisions), expected, "{name}");
        let kept: Vec<u64> = (0..900).filter(|at| expected[&at.to_string()].0).collect();
        assert!(kept.len() > 500 && kept.len() < 850, "{name}: {}", kept.len());
        assert_eq!(tested.kept(), kept, "{name}");
        for opened in [&tested.index, &tested.reader()] {
            let sizes = opened.sizes().unwrap();
            assert_eq!(
                (sizes.kept, sizes.dropped),
                (kept.len() as u64, 900 - kept.len() as u64),
                "{name}"
            );
            assert!(sizes.segments < 5, "{name}: {sizes:?}");
            index::verify(opened, &Context::small(2)).unwrap();
            for (id, text) in all.iter().step_by(7) {
                let known = opened.text(id.to_string().as_bytes()).unwrap();
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
    let before = (tested.index.sizes().unwrap(), tested.kept());
    let (added, _) = tested.add(&all[150..300]);
    assert_eq!(
        (added.kept, added.dropped, added.known, added.replaced),
        (0, 0, 150, 0),
        "{name}"
    );
    assert_eq!((tested.index.sizes().unwrap(), tested.kept()), before);
}

/// The sample of all kept documents has missed as many as a plain loop: here those whose near document was away when they came.
#[test]
fn a_sample_counts_the_kept_documents_that_are_near_an_earlier_one() {
    let all: Vec<Line> = (0..300).map(line).collect();
    for (name, each, rule) in cases().into_iter().take(4) {
        let (tested, _) = Tested::create(&all[..200], &each, rule);
        let ctx = Context::small(2);
        let gone: Vec<Vec<u8>> = (0..120_u64).map(|id| id.to_string().into_bytes()).collect();
        index::remove(&tested.index, &gone, &ctx).unwrap();
        tested.add(&all[200..]);
        index::undo(&tested.index, "2", &ctx).unwrap();
        let found = index::recall(&tested.index, 1 << 20, &ctx).unwrap();
        if name == "all pairs" || name == "weights" {
            assert_eq!((found.sampled, found.exact), (0, name == "all pairs"), "{name}");
            continue;
        }
        let kept = tested.kept();
        let near = |a: &str, b: &str| near_by_features(each[0].threshold, &each[0].scheme, a, b);
        let text = |id: &u64| &*all[*id as usize].1;
        let is_missed = |at: &usize| kept[..*at].iter().any(|of| near(text(of), text(&kept[*at])));
        let missed = (0..kept.len()).filter(is_missed).count();
        assert!(missed > 5, "{name}: {missed}");
        assert_eq!((found.sampled, found.exact), (kept.len(), false), "{name}");
        if name == "paths" {
            assert_eq!(found.missed, missed);
        } else {
            assert!(found.missed > 0 && found.missed <= missed, "{name}: {}", found.missed);
        }
    }
}

/// Kept documents whose sketches are alike, though none is near another: the sample has missed none of them.
#[test]
fn a_sampled_document_is_no_copy_of_itself() {
    let letters = |seed: u64| {
        [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|at| format!("{:016x}", mix(seed << 8 | at)))
            .concat()
    };
    let all: Vec<Line> = (0..40).map(|at| (at, letters(99) + &letters(at + 100))).collect();
    let each = [options_for("chars128", Threshold::Similarity(0.6), 1 << 14, &["first"])];
    let (tested, _) = Tested::create(&all, &each, Combine::All);
    let found = index::recall(&tested.index, 1 << 20, &Context::small(2)).unwrap();
    assert_eq!((found.sampled, found.missed, found.exact), (40, 0, false));
}

/// Batches that come before a name leave, those of digits by their values; what they had replaced does not come back.
#[test]
fn batches_before_a_name_expire() {
    let all: Vec<Line> = (0..90).map(|at| (at, format!("{at} {}", line(at * 3).1))).collect();
    let each = [options_for("chars128", Threshold::Similarity(0.65), 10, &["first"])];
    let (tested, _) = Tested::create(&all[..10], &each, Combine::All);
    let ctx = Context::small(1);
    for (at, name) in [Some("2026-10-30"), None, Some("2026-11-01"), Some("300")]
        .iter()
        .enumerate()
    {
        tested.add_named(&all[10 * at + 10..10 * at + 20], *name);
    }
    let kept_below = |before: &str| {
        let removed = index::expire(&tested.index, before, &ctx).unwrap();
        (removed.kept, tested.kept().len())
    };
    assert_eq!(kept_below("2026-10-30"), (0, 50));
    assert_eq!(kept_below("2026-11-01"), (10, 40));
    assert_eq!(kept_below("2026-11-01"), (0, 40));
    // The first batch has the number 1, the unnamed one 3; the removal was the sixth.
    assert_eq!(kept_below("3"), (10, 30));
    assert_eq!(kept_below("1000"), (20, 10));
    index::undo(&tested.index, "6", &ctx).unwrap();
    assert_eq!(tested.kept().len(), 20);
}
