//! Runs on new files since an earlier run keep what one run on all files keeps, under the frozen recipe of the first.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::base::context::Context;
use crate::base::error::Error;
use crate::base::hash::mix;
use crate::collection::combine::Combine;
use crate::collection::former::Former;
use crate::dedup::decide::{Decision, decide};
use crate::dedup::loading;
use crate::recipe::Threshold;
use crate::search::candidates::{Filter, Rows, all_pairs, candidates};
use crate::search::documents::Options;
use crate::source::{SourceSpec, Sources};
use crate::storage::form::Stored;
use crate::storage::run_dir::{RunDir, Start};
use crate::tests::decide::family;
use crate::tests::support::{contained, near_by_features, options, options_for};

/// Texts of words, of which every third is an edited copy of any earlier one, and every ninth an exact one, with some bad lines.
fn write_lines(path: &Path, numbers: std::ops::Range<u64>) {
    let line = |at: u64| {
        if at % 97 == 5 {
            return "no json\n".to_owned();
        }
        let of = if at % 3 == 2 { mix(at) % at } else { at };
        let word = |place: u64| {
            let changed = at % 9 != 2 && at != of && place == at % 14;
            format!("w{:x}", mix(if changed { mix(at) } else { of << 8 | place }) % 3000)
        };
        let words: Vec<String> = (0..14).map(word).collect();
        format!("{{\"id\": {at}, \"text\": \"{}\"}}\n", words.join(" "))
    };
    fs::write(path, numbers.map(line).collect::<String>()).unwrap();
}

fn open(paths: &[PathBuf]) -> Sources {
    let specs: Vec<SourceSpec> = paths.iter().cloned().map(SourceSpec::new).collect();
    Sources::open(&specs, 1 << 20, &Context::small(1)).unwrap()
}

fn new_dir(path: &Path) -> Arc<RunDir> {
    Arc::new(RunDir::open(path, Start::New, 1 << 16, &Context::small(1)).unwrap())
}

/// The labels that a run keeps.
fn kept(
    sources: Sources,
    each: &[Options],
    rule: Combine,
    dir: Option<&Arc<RunDir>>,
    former: Option<&Arc<Former>>,
) -> Vec<String> {
    let ctx = Context::small(2);
    let each: Vec<Options> = (each.iter())
        .map(|options| Options {
            run_dir: dir.cloned(),
            former: former.cloned(),
            ..options.clone()
        })
        .collect();
    let documents = loading::load_each(Arc::new(sources), &each, rule, &ctx).unwrap();
    let decisions = decide(&documents, &ctx).unwrap();
    let label = |at: usize| String::from_utf8(documents.collection.label(at).unwrap().to_vec()).unwrap();
    let stays = (0..decisions.decision.len()).filter(|&at| decisions.decision[at] == Decision::Kept);
    stays.map(label).collect()
}

/// Writes the frozen paths of a run into another run directory.
fn freeze_as(from: &RunDir, to: &RunDir) {
    let Some(state) = from.finished("freeze") else { return };
    let mut files = Vec::new();
    for at in (0..)
        .take(state.as_array().map_or(0, Vec::len))
        .filter(|&at: &usize| state[at] != Value::Null)
    {
        let (rarity, verdicts) = (format!("rarity.{at}"), format!("verdicts.{at}"));
        let mut file = to.appender(&rarity).unwrap();
        file.push(&from.column::<u8>(&rarity).unwrap()).unwrap();
        files.push(file);
        let mut file = to.appender(&verdicts).unwrap();
        file.push(&from.column::<u64>(&verdicts).unwrap()).unwrap();
        files.push(file);
    }
    to.commit("freeze", true, &state, &mut files, &[]).unwrap();
}

fn cases() -> Vec<(&'static str, Vec<Options>, Combine)> {
    // The recipe is that of a large collection, so keys are made.
    let by = |spec: &str, threshold| options_for(spec, threshold, 1 << 14, &["first"]);
    let similar = Threshold::Similarity(0.65);
    vec![
        ("paths", vec![by("chars128", similar)], Combine::All),
        ("containment", vec![by("chars128", contained(0.7, 3.0))], Combine::All),
        ("blocks", vec![by("chars64", Threshold::Distance(6))], Combine::All),
        (
            "any",
            vec![by("chars128", similar), by("words64", Threshold::Distance(6))],
            Combine::Any,
        ),
    ]
}

#[test]
fn runs_on_shards_keep_what_a_run_on_all_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let shards: Vec<PathBuf> = (0..3).map(|at| folder.path().join(format!("{at}.jsonl"))).collect();
    for (at, shard) in (0..).zip(&shards) {
        write_lines(shard, 400 * at..400 * at + 400);
    }
    for (name, each, rule) in cases() {
        let dir = |at: usize| folder.path().join(format!("{name} {at}"));
        let mut dirs = vec![new_dir(&dir(0))];
        let mut all = kept(open(&shards[..1]), &each, rule, Some(&dirs[0]), None);
        for at in 1..shards.len() {
            dirs[at - 1].close();
            let former = Arc::new(Former::open(&dir(at - 1), &Context::small(1)).unwrap());
            let paths: Vec<PathBuf> = former.paths().iter().map(PathBuf::from).collect();
            let sources = || open(&shards[at..=at]).against(&former.records(&open(&paths)).unwrap());
            let in_memory = kept(sources(), &each, rule, None, Some(&former));
            dirs.push(new_dir(&dir(at)));
            let in_files = kept(sources(), &each, rule, Some(&dirs[at]), Some(&former));
            assert_eq!(in_memory, in_files, "{name}, shard {at}");
            all.extend(in_files);
        }
        let whole = new_dir(&dir(9));
        freeze_as(&dirs[0], &whole);
        let expected = kept(open(&shards), &each, rule, Some(&whole), None);
        assert_eq!(all, expected, "{name}");
        assert!(all.len() < 1100 && all.len() > 700, "{name}: {}", all.len());
    }
}

/// What a run's search finds: each candidate pair by positions with its distance, and the rows of large buckets.
fn candidate_pairs(sources: Sources, options: &Options, dir: &Arc<RunDir>) -> (BTreeSet<[u32; 3]>, usize) {
    let ctx = Context::small(2);
    let options = Options {
        run_dir: Some(Arc::clone(dir)),
        ..options.clone()
    };
    let documents = loading::load(Arc::new(sources), &options, &ctx).unwrap();
    let rows = Rows::of(&documents.collection).unwrap();
    let part = documents.under(0);
    let filter = Filter::new(part, &rows, ctx.kernel());
    let found = candidates(part, &rows, &ctx).unwrap();
    let mut pairs = BTreeSet::new();
    let position = |row: u32| rows.positions[row as usize];
    all_pairs(filter, found, &ctx, |edges| {
        pairs.extend(
            edges
                .iter()
                .map(|edge| [position(edge.earlier), position(edge.later), edge.distance]),
        );
        Ok(())
    })
    .unwrap();
    (pairs, found.memberships.len())
}

/// Texts of plain words as JSON lines.
fn lines_of(texts: &[String]) -> String {
    texts.iter().fold(String::new(), |mut lines, text| {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{{\"text\": \"{text}\"}}");
        lines
    })
}

/// The text of a line.
fn text_of(lines: &str, at: u32) -> String {
    let line: Value = serde_json::from_str(lines.lines().nth(at as usize).unwrap()).unwrap();
    line["text"].as_str().unwrap().to_owned()
}

#[test]
fn further_documents_change_no_candidate_under_what_is_frozen() {
    let folder = tempfile::tempdir().unwrap();
    let [few, many] = ["few.jsonl", "many.jsonl"].map(|name| folder.path().join(name));
    write_lines(&few, 0..300);
    // Of one template, too few for a large bucket.
    let of_template = |members: std::ops::Range<usize>| -> String { lines_of(&family(21, 200, 16, 12)[members]) };
    let first = fs::read_to_string(&few).unwrap() + &of_template(0..12);
    fs::write(&few, &first).unwrap();
    // Many of the template, further copies, and long texts: buckets become large, and short texts no longer prevail.
    write_lines(&many, 300..900);
    let long = lines_of(&family(22, 150, 200, 50));
    let all = first.clone() + &of_template(12..200) + &fs::read_to_string(&many).unwrap() + &long;
    fs::write(&many, all).unwrap();
    let documents = first.lines().count() as u32;
    for (at, (scheme, threshold)) in [
        ("chars128", Threshold::Similarity(0.65)),
        ("chars128", Threshold::Similarity(0.45)),
        ("chars128", Threshold::Jaccard(0.43)),
        ("chars128", contained(0.7, 3.0)),
        ("chars128:weights=log", Threshold::Similarity(0.65)),
        ("chars64", Threshold::Distance(6)),
    ]
    .into_iter()
    .enumerate()
    {
        let options = options_for(scheme, threshold, 1 << 14, &["first"]);
        let dirs = [0, 1].map(|side| new_dir(&folder.path().join(format!("{at} {side}"))));
        let (before, members) = candidate_pairs(open(std::slice::from_ref(&few)), &options, &dirs[0]);
        freeze_as(&dirs[0], &dirs[1]);
        let (after, more_members) = candidate_pairs(open(std::slice::from_ref(&many)), &options, &dirs[1]);
        let among_first: BTreeSet<[u32; 3]> = after.iter().filter(|pair| pair[1] < documents).copied().collect();
        let near = |pair: &[u32; 3]| {
            let [a, b] = [pair[0], pair[1]].map(|at| text_of(&first, at));
            near_by_features(threshold, &options.scheme, &a, &b)
        };
        // Feature bits of all rows leave out pairs that are not near; they are made where texts are short.
        let by_bits = threshold.least_cosine().is_some_and(|cosine| cosine < 0.55);
        assert!(by_bits || among_first == before, "{scheme}, {threshold}");
        assert!(before.is_subset(&among_first), "{scheme}, {threshold}");
        assert!(!among_first.difference(&before).any(near), "{scheme}, {threshold}");
        assert!(
            before.len() > 5 && after.len() > 2 * before.len(),
            "{scheme}, {threshold}: {}, then {}",
            before.len(),
            after.len()
        );
        // Pairs of small buckets are now members of large ones.
        let grows = threshold.by_similarity();
        assert!(
            !grows || members == 0 && more_members > 50,
            "{scheme}, {threshold}: {members}, then {more_members}"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|name| folder.path().join(name));
    write_lines(&old, 0..100);
    write_lines(&new, 100..150);
    let (path, ctx) = (folder.path().join("run"), Context::small(1));
    let none = Former::open(&path, &ctx).unwrap_err();
    assert!(
        none.to_string().contains("is no run directory") && !path.exists(),
        "{none}"
    );
    let dir = new_dir(&path);
    let each = [options(&["first"])];
    dir.commit("encode", false, &Value::Null, [], &[]).unwrap();
    dir.close();
    let unfinished = Former::open(&path, &ctx).unwrap_err();
    assert!(unfinished.to_string().contains("not finished"), "{unfinished}");
    RunDir::open(&path, Start::Replace, 0, &ctx).unwrap().remove().unwrap();
    let dir = new_dir(&path);
    kept(open(std::slice::from_ref(&old)), &each, Combine::All, Some(&dir), None);
    dir.close();
    let former = Arc::new(Former::open(&path, &ctx).unwrap());
    let opened = open(std::slice::from_ref(&old));
    let other = Options {
        threshold: Threshold::Similarity(0.8),
        former: Some(Arc::clone(&former)),
        ..each[0].clone()
    };
    let sources = open(&[new]).against(&former.records(&opened).unwrap());
    let refused = loading::load(Arc::new(sources), &other, &ctx).unwrap_err();
    assert!(
        refused.to_string().contains("threshold was") && refused.to_string().contains("0.8"),
        "{refused}"
    );
    write_lines(&old, 0..101);
    let changed = former.records(&open(&[old])).unwrap_err();
    assert!(
        matches!(changed, Error::Source { .. }) && changed.to_string().contains("has changed"),
        "{changed}"
    );
}
