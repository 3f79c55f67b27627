//! Decisions on forms that are filled in with numbers, against a plain loop over all pairs.

use proptest::prelude::*;

use crate::base::context::Context;
use crate::base::kernel::Kernel;
use crate::collection::relation::{Bounds, Rules};
use crate::dedup::decide::{Decision, decide};
use crate::recipe::Threshold;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::Options;
use crate::tests::support::{Meetings, documents_against, documents_with, near_by_features, options};
use crate::text::conflict::{Conflict, conflicts};
use crate::text::normalise::marks::exact;

const END: &str =
    "the traders said that the weather kept the prices where they were, and nobody expects the mills to buy more";

fn by_numbers(n: u64) -> Options {
    Options {
        rules: Rules {
            bounds: Bounds {
                conflict: vec![Conflict::Numbers],
                ..Bounds::default()
            },
            ..Rules::default()
        },
        threshold: Threshold::Similarity(0.6),
        recipe_for: Some(n),
        ..options(&["first"])
    }
}

/// A form of some kind: with few numbers, with two in one slot, in two languages of months, with many numbers, or with none.
fn filled(kind: u8, numbers: &[u16]) -> String {
    let n = |at: usize| numbers[at % numbers.len()];
    match kind {
        0 => format!("{END}, wheat at {} and barley at {} in all", n(0), n(1)),
        1 => format!("{END}, wheat at {} a ton, barley at {} a ton", n(0), n(1)),
        2 => format!("{END}, wheat at {} and barley at {} in May {}", n(0), n(1), n(2)),
        3 => format!("{END}, wheat at {} and barley at {} in June {}", n(0), n(1), n(2)),
        4 => {
            let stations = [
                "hill", "lake", "wood", "field", "coast", "bridge", "abbey", "castle", "river", "east", "west", "town",
            ];
            let sold = stations
                .iter()
                .enumerate()
                .map(|(at, name)| format!("the {name} sold {} tons", n(at)));
            format!("{END}: {}", sold.collect::<Vec<_>>().join(", "))
        }
        5 => format!("{END}, sales of 第{}次 and 三十{} at {}", n(0), n(1), n(2)),
        _ => format!(
            "{END}, and so it went on for {} weeks",
            ["some", "all", "no"][usize::from(n(0)) % 3]
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn forms_are_decided_as_by_the_plain_loop(
        forms in prop::collection::vec((0..7_u8, prop::collection::vec(0..24_u16, 12)), 20..90),
        kinds in prop::sample::subsequence(vec![0_u8, 1, 2, 3, 4, 5, 6], 1..=7),
        n in prop_oneof![Just(1_u64), Just(1 << 20)],
        old in 0..20_usize,
    ) {
        let texts: Vec<String> = forms.iter().map(|(kind, numbers)| filled(kinds[usize::from(*kind) % kinds.len()], numbers)).collect();
        let by = by_numbers(n);
        // Old documents precede the others, and are the last of the sources.
        let old = old.min(texts.len() / 2);
        let (earlier, later) = texts.split_at(old);
        let all: Vec<String> = [later, earlier].concat();
        let documents = if old == 0 { documents_with(&texts, &by) } else { documents_against(later, earlier, &by) };
        let decisions = decide(&documents, &Context::small(2)).unwrap();
        let rows = Rows::all(all.len() as u32);
        let under = documents.under(0);
        let filter = Filter::new(under, &rows, Kernel::active());
        let meetings = Meetings::of(under, &all);
        let plain: Vec<String> = all.iter().map(|text| exact(text)).collect();
        let near = |a: usize, b: usize| {
            let (x, y) = (a.min(b) as u32, a.max(b) as u32);
            plain[a] == plain[b]
                || meetings.has(x, y)
                    && filter.candidate(x, y).is_some()
                    && !conflicts(Conflict::Numbers, &plain[a], &plain[b])
                    && near_by_features(by.threshold, &by.scheme, &all[a], &all[b])
        };
        let mut kept: Vec<usize> = (later.len()..all.len()).collect();
        for at in 0..later.len() {
            let is_kept = !kept.iter().any(|&earlier| near(earlier, at));
            prop_assert_eq!(decisions.decision[at] == Decision::Kept, is_kept, "{}: {:?}", at, all);
            if is_kept {
                kept.push(at);
            }
        }
    }
}

#[test]
fn forms_that_are_kept_apart_are_not_compared_each_with_each() {
    let texts: Vec<String> = (0..1500_u16)
        .map(|at| filled(2 + (at % 2) as u8, &[at, 7 * at % 1000 + 2000, 5000]))
        .collect();
    let decisions = decide(&documents_with(&texts, &by_numbers(1)), &Context::small(2)).unwrap();
    assert_eq!(decisions.counts.kept, 1500);
    assert!(
        decisions.counts.candidates < 100 * 1500,
        "{}",
        decisions.counts.candidates
    );
}
