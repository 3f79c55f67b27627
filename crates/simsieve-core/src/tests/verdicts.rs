//! Verdicts name records by ids and positions; what cannot hold is refused.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::combine::Combine;
use crate::collection::names::Name;
use crate::collection::relation::{Bounds, LabelVerdict, Rules, Verdict};
use crate::dedup::decide::{Reason, decide};
use crate::dedup::loading;
use crate::recipe::Threshold;
use crate::search::documents::{Documents, Options};
use crate::source::{SourceSpec, Sources};
use crate::tests::decide::check_books;
use crate::tests::support::{documents_with, options};

pub fn labelled(label: &str) -> Name {
    Name {
        label: Some(label.to_owned()),
        position: None,
        text: None,
    }
}

fn loaded(lines: &[serde_json::Value], verdicts: &[(&str, &str, Verdict)]) -> Result<Documents> {
    let verdict = |&(a, b, verdict): &(&str, &str, Verdict)| LabelVerdict {
        a: labelled(a),
        b: labelled(b),
        verdict,
    };
    load_judged(lines, verdicts.iter().map(verdict).collect())
}

fn load_judged(lines: &[serde_json::Value], verdicts: Vec<LabelVerdict>) -> Result<Documents> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.jsonl");
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    fs::write(&path, lines.join("\n")).unwrap();
    let rules = Rules {
        verdicts,
        ..Rules::default()
    };
    let by = Options {
        rules,
        ..options(&["first"])
    };
    let silent = Context::small(1);
    let sources = Sources::open(&[SourceSpec::new(&path)], 1 << 20, &silent)?;
    loading::load(Arc::new(sources), &by, &silent)
}

#[test]
fn verdicts_that_cannot_hold_are_refused() {
    let row = |id: &str| json!({"id": id, "text": "some words of a text"});
    let rows = [row("a"), row("b"), row("b"), row("c"), row("d")];
    let message = |verdicts: &[_]| loaded(&rows, verdicts).unwrap_err().to_string();
    assert!(message(&[("a", "b", Verdict::Same)]).contains("names the id \"b\", and several records have it"));
    let both = [("a", "c", Verdict::Same), ("c", "a", Verdict::Different)];
    assert!(message(&both).contains("contradict one another"));
    assert!(message(&[("a", "a", Verdict::Same)]).contains("on itself"));
    let cycle = [
        ("a", "c", Verdict::Keep),
        ("c", "d", Verdict::Keep),
        ("d", "a", Verdict::Keep),
    ];
    assert!(message(&cycle).contains("in a cycle"));

    let counts = loaded(&rows, &[("a", "c", Verdict::Keep), ("z", "a", Verdict::Same)]).unwrap();
    let counts = counts.collection.relation.counts();
    assert_eq!(
        (counts.keep, counts.unknown, counts.example.as_deref()),
        (1, 1, Some("z"))
    );
}

#[test]
fn records_without_an_id_are_named_by_their_position() {
    let row = |id: serde_json::Value| json!({"id": id, "text": "some words of a text"});
    let rows = [row(json!(2)), row(json!(null)), row(json!(null)), row(json!("x"))];
    let both = |label: &str, position| Name {
        label: Some(label.to_owned()),
        position: Some(position),
        text: None,
    };
    let at = |position| Name {
        label: None,
        position: Some(position),
        text: None,
    };
    let counts = |a: Name, b: Name| {
        let verdict = Verdict::Same;
        load_judged(&rows, vec![LabelVerdict { a, b, verdict }]).map(|found| {
            let relation = &found.collection.relation;
            (relation.verdicts.clone(), relation.counts().unknown)
        })
    };
    // An id counts first; a position names no record that has an id.
    let known = |a, b| (vec![(a, b, Verdict::Same)], 0);
    assert_eq!(counts(both("2", 2), both("1", 1)).unwrap(), known(0, 1));
    assert_eq!(counts(at(2), at(1)).unwrap(), known(2, 1));
    assert_eq!(counts(labelled("1"), at(1)).unwrap(), (vec![], 1));
    assert_eq!(counts(both("3", 3), at(9)).unwrap(), (vec![], 1));
    let message = counts(at(3), at(1)).unwrap_err().to_string();
    assert!(message.contains("names record 3 by its position, and the record has the id \"x\""));
}

#[test]
fn copies_with_verdicts_are_decided_alone() {
    let row = |id: usize| json!({"id": id, "text": "some words of a text"});
    let rows: Vec<_> = (0..6).map(row).collect();
    let documents = loaded(&rows, &[("1", "0", Verdict::Keep), ("2", "1", Verdict::Different)]).unwrap();
    let decisions = decide(&documents, &Context::small(1)).unwrap();
    // 1 comes before 0; 2 is apart from 1 and kept; the others are copies of one that is near 1 and 2.
    assert_eq!(*decisions.representative, [1, 1, 2, 1, 1, 1]);
    check_books(&decisions);
    let distinct: HashSet<u32> = decisions.representative.iter().copied().collect();
    assert_eq!(decisions.counts.kept as usize, distinct.len());
}

/// The digest of verdicts is that of their canonical lines, which no name of a field or variant is part of. It is computed apart by the
/// xxhash package of Python.
#[test]
fn the_digest_of_verdicts_is_a_fixed_value() {
    let name = |label: Option<&str>, position, text| Name {
        label: label.map(str::to_owned),
        position,
        text,
    };
    let rules = Rules {
        verdicts: vec![
            LabelVerdict {
                a: name(Some("第一"), Some(7), None),
                b: name(Some("b \"c\""), None, Some(0xDEAD_BEEF)),
                verdict: Verdict::Keep,
            },
            LabelVerdict {
                a: name(None, Some(5), None),
                b: name(Some("x"), None, None),
                verdict: Verdict::Different,
            },
        ],
        ..Rules::default()
    };
    assert_eq!(
        format!("{:032x}", rules.digest_of_verdicts()),
        "6c5ed43145a6d08e4de2af7b5b75161b"
    );
    assert_eq!([Combine::All, Combine::Any].map(Combine::name), ["all", "any"]);
}

/// A pair within the distance that loses too much is dropped because of the verdict alone, by the walk and by saved pairs.
#[test]
fn a_verdict_joins_what_loses_too_much() {
    let texts = [
        "the quick brown fox jumps over the lazy dog",
        "the quick brown fox jumps over the lazy dog today",
    ];
    let name = |position| Name {
        label: None,
        position: Some(position),
        text: None,
    };
    let same = LabelVerdict {
        a: name(0),
        b: name(1),
        verdict: Verdict::Same,
    };
    let by = Options {
        threshold: Threshold::Distance(60),
        rules: Rules {
            bounds: Bounds {
                max_lost: Some(0),
                ..Bounds::default()
            },
            verdicts: vec![same],
            ..Rules::default()
        },
        ..options(&["first"])
    };
    let (documents, ctx) = (documents_with(&texts, &by), Context::small(1));
    let decisions = decide(&documents, &ctx).unwrap();
    assert_eq!((decisions.reason[1], decisions.lost[1]), (Reason::Verdict, 5));
}
