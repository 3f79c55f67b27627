//! Decisions and pairs under fields that must be equal and verdicts, against a plain loop over all pairs of records.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::base::context::Context;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::collection::dates::Window;
use crate::collection::fields::FieldRule;
use crate::collection::relation::{Bounds, LabelVerdict, Rules, Sure, Verdict};
use crate::dedup::decide::{Decision, Decisions, Reason, decide};
use crate::dedup::loading;
use crate::dedup::pairs::near_pairs;
use crate::dedup::recall;
use crate::dedup::verify::losses::loss;
use crate::hamming;
use crate::recipe::Threshold;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::{Documents, Options};
use crate::source::{SourceSpec, Sources};
use crate::tests::decide::{check_books, texts_strategy};
use crate::tests::support::{DAY, Meetings, any_threshold, near_by_features, options, plain_lost_of, scheme_for};
use crate::tests::verdicts::labelled;
use crate::text::conflict::{self, Conflict};
use crate::text::guard::Guard;
use crate::text::normalise::marks::exact;

/// Records with a text and a group; the last ones are old.
#[derive(Debug, Clone)]
struct Records {
    rows: Vec<(String, Option<u8>)>,
    old: usize,
    /// The day of each record,
    days: Vec<u64>,
    /// its volume, and its identifier.
    volumes: Vec<Option<u64>>,
    marks: Vec<Option<u64>>,
    /// At most one verdict a pair, and orders without a cycle: the lower of two positions precedes the higher, or the other way round.
    verdicts: Vec<(usize, usize, Verdict)>,
}

fn records() -> impl Strategy<Value = Records> {
    let verdict = prop_oneof![Just(Verdict::Different), Just(Verdict::Same), Just(Verdict::Keep)];
    let verdicts = prop::collection::vec((any::<usize>(), any::<usize>(), verdict), 0..12);
    (texts_strategy(), verdicts, any::<u64>(), 0..4_usize, any::<bool>()).prop_map(
        |(texts, named, groups, old, reverse)| {
            let n = texts.len();
            let old = if old == 3 { n / 3 } else { 0 };
            let group = |at: usize| [None, Some(1), Some(1), Some(2)][(groups >> (2 * at % 64)) as usize & 3];
            let mut verdicts = BTreeMap::new();
            for (a, b, verdict) in named.into_iter().filter(|_| n > 1) {
                let (a, b) = ((a % n).min(b % n), (a % n).max(b % n));
                // A new record cannot precede an old one, and the old ones are last here.
                let (first, second) = if reverse || b >= n - old { (b, a) } else { (a, b) };
                let crosses = verdict == Verdict::Keep && second >= n - old;
                if a != b && !crosses {
                    verdicts.insert((a, b), (first, second, verdict));
                }
            }
            Records {
                days: (0..n).map(|at| mix(groups ^ at as u64) % 16).collect(),
                volumes: (0..n)
                    .map(|at| Some(mix(groups ^ 0x1000 ^ at as u64) % 5).filter(|it| *it < 3))
                    .collect(),
                marks: (0..n)
                    .map(|at| Some(mix(groups ^ 0x2000 ^ at as u64) % 8).filter(|it| *it < 4))
                    .collect(),
                rows: texts
                    .into_iter()
                    .enumerate()
                    .map(|(at, text)| (text, group(at)))
                    .collect(),
                old,
                verdicts: verdicts.into_values().collect(),
            }
        },
    )
}

impl Records {
    fn new_len(&self) -> usize {
        self.rows.len() - self.old
    }

    fn open(path: &Path) -> Sources {
        Sources::open(&[SourceSpec::new(path)], 1 << 20, &Context::small(1)).unwrap()
    }

    fn write(&self, folder: &Path) -> Vec<PathBuf> {
        let line = |(at, (text, group)): (usize, &(String, Option<u8>))| {
            let date = format!("2026-11-{:02}", self.days[at] + 1);
            let (volume, mark) = (self.volumes[at], self.marks[at].map(|mark| format!("10.{mark}/X")));
            format!(
                "{}\n",
                json!({"id": at, "text": text, "g": group, "date": date, "volume": volume, "mark": mark})
            )
        };
        let (new, old) = self.rows.split_at(self.new_len());
        let files = [("new.jsonl", 0, new), ("old.jsonl", self.new_len(), old)];
        let wanted = files
            .into_iter()
            .filter(|(name, _, rows)| *name == "new.jsonl" || !rows.is_empty());
        let write = |(name, first, rows): (&str, usize, &[(String, Option<u8>)])| {
            let lines = rows.iter().enumerate().map(|(at, row)| line((first + at, row)));
            fs::write(folder.join(name), lines.collect::<String>()).unwrap();
            folder.join(name)
        };
        wanted.map(write).collect()
    }

    fn sources(paths: &[PathBuf]) -> Arc<Sources> {
        let new = Self::open(&paths[0]);
        Arc::new(match paths.get(1) {
            Some(old) => new.against(&Self::open(old)),
            None => new,
        })
    }

    fn rules(&self, grouped: bool, same_numbers: bool, bounds: Bounds) -> Rules {
        let verdict = |&(a, b, verdict): &(usize, usize, Verdict)| LabelVerdict {
            a: labelled(&a.to_string()),
            b: labelled(&b.to_string()),
            verdict,
        };
        Rules {
            equal: if grouped { vec!["g".to_owned()] } else { Vec::new() },
            same: if same_numbers { vec![Guard::Numbers] } else { Vec::new() },
            bounds,
            window: None,
            fields: Vec::new(),
            sure: None,
            verdicts: self.verdicts.iter().map(verdict).collect(),
        }
    }
}

/// The similarity that is sure.
const SURE: f64 = 0.85;

/// The rules on fields; see [`Plain::fields`].
fn field_rules([by_volume, apart, joins, _]: [bool; 4]) -> Vec<FieldRule> {
    let rule = |name: &str, bound, apart, joins| FieldRule::new(vec![name.to_owned()], bound, apart, joins).unwrap();
    let volume = by_volume.then(|| rule("volume", "1", true, false));
    let mark = (apart || joins).then(|| rule("mark", "known", apart, joins));
    volume.into_iter().chain(mark).collect()
}

/// The days of the window of dated runs.
const SPAN: u64 = 3;

/// The relation in a few lines, over positions.
struct Plain<'a> {
    records: &'a Records,
    documents: &'a Documents,
    grouped: bool,
    same_numbers: bool,
    dated: bool,
    /// Whether volumes must be near, marks must not differ, equal marks join, and facts or similarity must be sure.
    fields: [bool; 4],
    bounds: &'a Bounds,
    meetings: Meetings,
    all: &'a Rows,
}

impl Plain<'_> {
    fn verdict(&self, a: usize, b: usize) -> Option<Verdict> {
        let mut verdicts = self.records.verdicts.iter();
        let found = verdicts.find(|(x, y, _)| (*x, *y) == (a, b) || (*x, *y) == (b, a));
        found.map(|(.., verdict)| *verdict)
    }

    /// What is lost of the first record if the second stays.
    fn lost(&self, text: usize, other: usize) -> u32 {
        let rows = &self.records.rows;
        plain_lost_of(
            &self.documents.collection.encodings[0].scheme,
            &rows[text].0,
            &rows[other].0,
        )
    }

    /// As decisions have it: what is lost of the first record if the second stays, and whether their numbers conflict.
    fn loss(&self, text: usize, other: usize) -> u32 {
        let [x, y] = [text, other].map(|at| exact(&self.records.rows[at].0));
        loss(self.lost(text, other), conflict::conflicts(Conflict::Numbers, &x, &y))
    }

    /// Whether two texts have a conflict that keeps them apart.
    fn conflict(&self, a: usize, b: usize) -> bool {
        let [x, y] = [a, b].map(|at| exact(&self.records.rows[at].0));
        let units = |text: usize| {
            plain_lost_of(
                &self.documents.collection.encodings[0].scheme,
                &self.records.rows[text].0,
                "",
            )
        };
        let is_lost =
            |text: usize, other: usize| self.lost(text, other) > 20 && self.lost(text, other) * 10 >= units(text);
        let mut of_values = self.bounds.conflict.iter().filter(|kind| **kind != Conflict::Text);
        of_values.any(|&kind| conflict::conflicts(kind, &x, &y))
            || self.bounds.conflict.contains(&Conflict::Text) && is_lost(a, b) && is_lost(b, a)
    }

    /// Whether two records are near; `a` precedes.
    fn near(&self, a: usize, b: usize) -> bool {
        let (under, rows) = (self.documents.under(0), &self.records.rows);
        // The only numbers of these texts are 7 and 9.
        let numbers = |at: usize| ['7', '9'].map(|number| rows[at].0.matches(number).count());
        let days = &self.records.days;
        if self.grouped && rows[a].1 != rows[b].1
            || self.dated && days[a].abs_diff(days[b]) > SPAN
            || self.same_numbers && numbers(a) != numbers(b)
            || self.verdict(a, b) == Some(Verdict::Different)
        {
            return false;
        }
        let [by_volume, apart, joins, sure] = self.fields;
        let volume = |at: usize| self.records.volumes[at];
        let volumes = volume(a).zip(volume(b)).map(|(x, y)| x.abs_diff(y) <= 1);
        let marks = self.records.marks[a].zip(self.records.marks[b]).map(|(x, y)| x == y);
        if by_volume && volumes == Some(false) || apart && marks == Some(false) {
            return false;
        }
        if self.verdict(a, b).is_some() || joins && marks == Some(true) {
            return true;
        }
        let agree =
            usize::from(by_volume && volumes == Some(true)) + usize::from((apart || joins) && marks == Some(true));
        let (x, y) = (a as u32, b as u32);
        let valid = &under.encoding.valid;
        if !valid[a] || !valid[b] {
            return false;
        }
        let equal = under.encoding.digests[a] == under.encoding.digests[b];
        let bits = hamming::distance(under.encoding.fingerprint(x), under.encoding.fingerprint(y));
        let within = match under.recipe.threshold {
            Threshold::Distance(most) => bits <= most,
            _ => true,
        };
        let filter = Filter::new(under, self.all, Kernel::active());
        let strict = match under.recipe.threshold {
            Threshold::Similarity(least) => Threshold::Similarity(least.max(SURE)),
            Threshold::Jaccard(least) => Threshold::Jaccard(least.max(SURE)),
            Threshold::Containment { least, max_ratio } => Threshold::Containment {
                least: least.max(SURE),
                max_ratio,
            },
            distance @ Threshold::Distance(_) => distance,
        };
        let is_sure = !sure || agree >= 2 || {
            let [x, y] = [a, b].map(|at| rows[at].0.as_str());
            near_by_features(strict, &under.encoding.scheme, x, y)
        };
        let candidate = self.meetings.has(x, y) && filter.candidate(x, y).is_some();
        within
            && is_sure
            && (equal
                || candidate
                    && near_by_features(under.recipe.threshold, &under.encoding.scheme, &rows[a].0, &rows[b].0)
                    && self.bounds.max_lost.is_none_or(|most| self.lost(b, a) <= most)
                    && !self.conflict(a, b))
    }

    /// Before a record come those that must precede it, in their order.
    fn order(&self, longest: bool) -> Vec<usize> {
        let new = self.records.new_len();
        let mut base: Vec<usize> = (0..new).collect();
        if longest {
            base.sort_by_key(|&at| std::cmp::Reverse(self.records.rows[at].0.chars().count()));
        }
        let mut order: Vec<usize> = (new..self.records.rows.len()).collect();
        for &at in &base {
            self.place(at, &base, &mut order);
        }
        order
    }

    fn place(&self, at: usize, base: &[usize], order: &mut Vec<usize>) {
        if order.contains(&at) {
            return;
        }
        let verdicts = &self.records.verdicts;
        let precedes = |first: usize| verdicts.contains(&(first, at, Verdict::Keep));
        for &first in base.iter().filter(|&&first| precedes(first)) {
            self.place(first, base, order);
        }
        order.push(at);
    }

    /// The kept records, old ones among them.
    fn kept(&self, longest: bool) -> BTreeSet<usize> {
        let mut kept: Vec<usize> = Vec::new();
        for at in self.order(longest) {
            if at >= self.records.new_len() || !kept.iter().any(|&earlier| self.near(earlier, at)) {
                kept.push(at);
            }
        }
        kept.into_iter().collect()
    }

    fn check(&self, decisions: &Decisions, longest: bool) {
        let wanted = self.kept(longest);
        let new = self.records.new_len();
        let kept: BTreeSet<usize> = (0..new)
            .filter(|&at| decisions.decision[at] == Decision::Kept)
            .chain(new..self.records.rows.len())
            .collect();
        assert_eq!(kept, wanted, "{:?}", self.records);
        for at in (0..new).filter(|at| !kept.contains(at)) {
            let to = decisions.representative[at] as usize;
            assert!(
                kept.contains(&to) && self.near(to, at),
                "{at} for {to}: {:?}",
                self.records
            );
            let joined = matches!(self.verdict(at, to), Some(Verdict::Same | Verdict::Keep));
            assert!(joined || decisions.reason[at] != Reason::Verdict, "{:?}", self.records);
            let marks = [at, to].map(|one| self.records.marks[one]);
            assert!(
                marks[0] == marks[1] || decisions.reason[at] != Reason::Agree,
                "{:?}",
                self.records
            );
            // A copy loses what its first does: their compact texts are equal.
            assert_eq!(
                decisions.lost[at],
                self.loss(at, to),
                "{at} for {to}: {:?}",
                self.records
            );
        }
        check_books(decisions);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn rules_decide_as_the_plain_loop_does(
        records in records(),
        grouped in any::<bool>(),
        same_numbers in any::<bool>(),
        dated in any::<bool>(),
        fields in any::<[bool; 4]>(),
        longest in any::<bool>(),
        max_lost in prop::option::of(0..24_u32),
        conflict in prop::sample::subsequence(vec![Conflict::Numbers, Conflict::Opposites, Conflict::Text], 0..=3),
        threshold in any_threshold(),
        n in prop_oneof![Just(1_u64), Just(1 << 20)],
    ) {
        let folder = TempDir::new().unwrap();
        let paths = records.write(folder.path());
        let bounds = Bounds { max_lost, conflict, mean: None };
        let window = dated.then(|| Window { span: SPAN * DAY, field: Some("date".to_owned()) });
        let by = Options {
            scheme: scheme_for("chars128", threshold),
            rules: Rules { window, fields: field_rules(fields), sure: fields[3].then_some(Sure { agree: 2, similarity: SURE }), ..records.rules(grouped, same_numbers, bounds.clone()) },
            threshold,
            recipe_for: Some(n),
            ..options(&[if longest { "longest" } else { "first" }])
        };
        let silent = Context::small(2);
        let documents = loading::load(Records::sources(&paths), &by, &silent).unwrap();
        let texts: Vec<&str> = records.rows.iter().map(|(text, _)| text.as_str()).collect();
        let all = Rows::all(texts.len() as u32);
        let meetings = Meetings::of(documents.under(0), &texts);
        let plain = Plain { records: &records, documents: &documents, grouped, same_numbers, dated, fields, bounds: &bounds, meetings, all: &all };
        let decisions = decide(&documents, &silent).unwrap();
        plain.check(&decisions, longest);

        // The sampler has the same relation: an exact search misses nothing, and another one no pair that it met.
        let sampled = recall::measure(&documents, &decisions, 1000, 0, &silent).unwrap();
        prop_assert!(sampled.missed <= sampled.sampled);

        if dated {
            let refused = near_pairs(&documents, 1 << 20, true, &silent).unwrap_err();
            prop_assert!(refused.to_string().contains("window"));
            return Ok(());
        }
        let new = records.new_len();
        let pairs = near_pairs(&documents, 1 << 20, true, &silent).unwrap();
        for pair in &pairs {
            let [a, b] = [pair.a as usize, pair.b as usize];
            prop_assert_eq!(pair.lost, [plain.loss(a, b), plain.loss(b, a)], "{:?}", records);
        }
        let found: BTreeSet<(usize, usize)> = pairs.iter().map(|pair| (pair.a as usize, pair.b as usize)).collect();
        let across = |b: usize| documents.collection.sources.is_against() == (b >= new);
        let wanted: BTreeSet<(usize, usize)> = (0..new)
            .flat_map(|a| (a + 1..texts.len()).map(move |b| (a, b)))
            .filter(|&(a, b)| across(b) && (plain.near(a, b) || plain.near(b, a)))
            .collect();
        prop_assert_eq!(found.len(), pairs.len());
        prop_assert_eq!(found, wanted, "{:?}", records);
    }
}
