//! The form of runs on disk is pinned: a changed name, type or state is a new version.

use serde_json::json;

use crate::base::message::Message;
use crate::collection::columns::{COPY, ENCODE, EncodeState};
use crate::dedup::decide::outcome::DECIDE;
use crate::dedup::exact::COMPARE;
use crate::search::found::{SEARCH, SearchState};
use crate::search::sample::frozen::FREEZE;
use crate::source::{Failure, Identity};
use crate::storage::form::Listed;
use crate::storage::run_dir::VERSION;

const FORM: &str = "\
version 7
freeze: rarity.N u8, verdicts.N u64
encode after freeze: fingerprints.N u64, valid.N bool, sketches.N u64, digests.N u128, sizes.N u32, keys.N u64, \
labels u8, label_ends u64, groups u128, failures u8, characters u32, keep_values u8
equal.N after encode: equal.N u32
copies after encode equal.N: copies u32
search.N after encode copies: edges.N edge, members.N member
decide after search.N: decide assignment, rejected.N u32, indexed.N u32, known.N u32
";

/// Every stage in the order of a run: its name, its inputs and its columns.
fn stages() -> [(&'static str, &'static [&'static str], &'static [Listed]); 6] {
    macro_rules! listed {
        ($($stage:expr),*) => { [$(($stage.name, $stage.inputs, $stage.columns)),*] };
    }
    listed![FREEZE, ENCODE, COMPARE, COPY, SEARCH, DECIDE]
}

/// Every stage, its inputs and its columns are those of this version.
#[test]
fn stages_and_columns_are_pinned() {
    let stage = |(name, inputs, columns): (&str, &[&str], &[(&str, &str)])| {
        let after = inputs.join(" ");
        let after = if after.is_empty() {
            after
        } else {
            format!(" after {after}")
        };
        let columns: Vec<String> = columns.iter().map(|(name, of)| format!("{name} {of}")).collect();
        format!("{name}{after}: {}\n", columns.join(", "))
    };
    let made: String = stages().into_iter().map(stage).collect();
    assert_eq!(format!("version {VERSION}\n{made}"), FORM);
}

/// Every input is a stage before, and no column is of two stages.
#[test]
fn inputs_come_before_and_columns_have_one_stage() {
    let (mut names, mut seen) = (Vec::new(), Vec::new());
    for (name, inputs, columns) in stages() {
        assert!(inputs.iter().all(|input| names.contains(input)), "{name}");
        assert!(columns.iter().all(|(column, _)| !seen.contains(column)), "{name}");
        names.push(name);
        seen.extend(columns.iter().map(|(column, _)| *column));
    }
}

/// The states in the log, which have the names of their fields, are those of this version.
#[test]
fn states_are_pinned() {
    let identity = Identity {
        size: 9,
        modified: None,
        digest: 255,
    };
    let failure = Failure::new("empty_text", Message::text("none"));
    assert_eq!(
        [
            json!(EncodeState::default()),
            json!(SearchState::default()),
            json!(identity),
            json!([failure.code, failure.message]),
        ],
        [
            json!({"records": 0, "hits": {"texts": 0, "cut_at": null, "strip": null}}),
            json!({"next": 0, "heavy_buckets": 0, "tested": 0, "keys": 0, "runs": [0, 0]}),
            json!({"bytes": 9, "modified": null, "digest": "000000000000000000000000000000ff"}),
            json!(["empty_text", "none"]),
        ]
    );
}
