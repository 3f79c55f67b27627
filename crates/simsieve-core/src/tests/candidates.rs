//! Every source of candidates against brute force with the recipe's test of a pair.
//!
//! [`SOURCES`] lists the sources. A case walks its texts row by row, and each row's candidates are compared with those of all
//! pairs. It also shows that its source was used.

use std::collections::{BTreeSet, HashSet};

use crate::base::context::Context;
use crate::base::hash::mix;
use crate::dedup::decide::{Decision, decide};
use crate::dedup::recall;
use crate::dedup::verify::Verifier;
use crate::encode::encoder::features_of;
use crate::recipe::Threshold;
use crate::search::candidates::{Filter, Rows, candidates};
use crate::search::documents::{Documents, Options};
use crate::search::stream::CandidateStream;
use crate::tests::decide::family;
use crate::tests::support::{
    BY_COSINE, Meetings, contained, documents_with, near_by_features, options_for, search_method,
};

/// A number of records for which keys are made, and one for which the sizes of a pair bound its bits.
const MANY: u64 = 1 << 14;
const LARGE: u64 = 1 << 20;

/// What a walk used.
#[derive(Debug, Default)]
struct Used {
    /// Pairs of small buckets.
    pairs: usize,
    /// Rows of large buckets.
    members: usize,
    /// Words of the feature bits of all rows.
    feature_rows: usize,
    /// Rows whose feature bits were held, and rows of the index of features.
    known: usize,
    indexed: usize,
    /// Candidates by the definition, and how many of them the walk did not give, because they cannot be near.
    candidates: usize,
    ruled_out: usize,
}

/// A source of candidates: its name, how the texts are searched, for how many records, and whether a walk used it.
struct Source {
    name: &'static str,
    scheme: &'static str,
    thresholds: &'static [Threshold],
    records: u64,
    texts: fn() -> Vec<String>,
    is_used: fn(&Used) -> bool,
}

const SOURCES: [Source; 15] = [
    Source {
        name: "every pair",
        scheme: "chars128",
        thresholds: &[
            BY_COSINE,
            Threshold::Jaccard(0.43),
            contained(0.7, 3.0),
            Threshold::Distance(20),
        ],
        records: 1,
        texts: mixed,
        is_used: |used| used.pairs == 0 && used.members > 0,
    },
    Source {
        name: "pairs that have a path in common",
        scheme: "chars128",
        thresholds: &[
            BY_COSINE,
            Threshold::Similarity(0.9),
            Threshold::Jaccard(0.43),
            contained(0.7, 3.0),
        ],
        records: MANY,
        texts: mixed,
        is_used: |used| used.pairs > 0,
    },
    Source {
        name: "paths of counted features",
        scheme: "chars128:weights=log",
        thresholds: &[BY_COSINE],
        records: MANY,
        texts: mixed,
        is_used: |used| used.pairs > 0,
    },
    Source {
        name: "blocks of a distance",
        scheme: "chars64",
        thresholds: &[Threshold::Distance(4), Threshold::Distance(8)],
        records: MANY,
        texts: mixed,
        is_used: |used| used.pairs > 0,
    },
    Source {
        name: "memberships of large buckets",
        scheme: "chars128",
        thresholds: &[BY_COSINE, Threshold::Jaccard(0.43)],
        records: MANY,
        texts: || [family(11, 120, 40, 38), mixed()].concat(),
        is_used: |used| used.members > 100,
    },
    Source {
        name: "memberships of large buckets of blocks",
        scheme: "chars64",
        thresholds: &[Threshold::Distance(12)],
        records: MANY,
        texts: || [family(12, 120, 60, 59), mixed()].concat(),
        is_used: |used| used.members > 100,
    },
    Source {
        name: "feature bits of rejected rows of small buckets",
        scheme: "chars128",
        thresholds: &[Threshold::Similarity(0.7)],
        records: MANY,
        texts: || [templates(20), templates(60)].concat(),
        is_used: |used| used.pairs > 1000 && used.members == 0 && used.known > 0 && used.ruled_out > 0,
    },
    Source {
        name: "wide feature bits of texts that share paragraphs",
        scheme: "chars128",
        thresholds: &[Threshold::Similarity(0.6), Threshold::Jaccard(0.43)],
        records: MANY,
        texts: sharing,
        is_used: |used| used.pairs > 500 && used.known > 100 && used.ruled_out > 100,
    },
    Source {
        name: "pairs whose sizes bound their bits",
        scheme: "chars128",
        thresholds: &[BY_COSINE, Threshold::Similarity(0.8), Threshold::Jaccard(0.43)],
        records: LARGE,
        texts: || [sharing(), mixed()].concat(),
        is_used: |used| used.pairs > 100,
    },
    Source {
        name: "index of counted features of rows that keys find",
        scheme: "chars128:weights=log",
        thresholds: &[Threshold::Similarity(0.7)],
        records: MANY,
        texts: || [templates(20), templates(60)].concat(),
        is_used: |used| used.pairs > 100 && used.known == 0 && used.indexed > 0 && used.ruled_out > 0,
    },
    Source {
        name: "feature bits of all rows",
        scheme: "chars128",
        thresholds: &[
            Threshold::Similarity(0.4),
            BY_COSINE,
            Threshold::Jaccard(0.3),
            contained(0.8, 4.0),
        ],
        records: MANY,
        texts: || [family(13, 60, 16, 8), short()].concat(),
        is_used: |used| used.feature_rows > 0,
    },
    Source {
        name: "feature bits of kept members",
        scheme: "chars128",
        thresholds: &[BY_COSINE, Threshold::Jaccard(0.48)],
        records: 1,
        texts: || [family(14, 200, 20, 11), short()].concat(),
        is_used: |used| used.known > 0 && used.ruled_out > 0,
    },
    Source {
        name: "wide feature bits of kept members",
        scheme: "chars128",
        thresholds: &[BY_COSINE, contained(0.8, 1.5)],
        records: 1,
        // More members than are all verified, of some 400 features each.
        texts: crowd,
        is_used: |used| used.known > 200 && used.ruled_out > 1000,
    },
    Source {
        name: "index of counted features",
        scheme: "chars128:weights=log",
        thresholds: &[BY_COSINE],
        records: 1,
        texts: crowd,
        is_used: |used| used.indexed > 200 && used.known == 0,
    },
    Source {
        name: "index of features",
        scheme: "chars128",
        thresholds: &[BY_COSINE, contained(0.8, 1.5)],
        records: 1,
        // Longer texts: fewer have their bits tested.
        texts: || [family(17, 200, 900, 495), family(18, 20, 900, 860)].concat(),
        is_used: |used| used.indexed > 100,
    },
];

/// Texts of 20 to 400 features: half are edited copies of an earlier one, or a part of it.
fn mixed() -> Vec<String> {
    [texts_of(90, 60), family(10, 40, 60, 59)].concat()
}

/// Texts of half a template, more than are all verified; and a family.
fn crowd() -> Vec<String> {
    [family(15, 300, 60, 33), family(16, 20, 60, 57)].concat()
}

fn short() -> Vec<String> {
    texts_of(60, 16)
}

/// Texts of three templates, which have 9 of 20 words from their template and the others from a small vocabulary.
fn templates(words: u64) -> Vec<String> {
    let text = |at: u64| {
        let word = |place: u64| {
            let of_template = 20 * place < 9 * words;
            let own = mix(at << 32 | place) % (3 * words) + (1 << 16);
            format!(
                "{:x}",
                mix(words << 40 | if of_template { (at % 3) << 24 | place } else { own }) >> 40
            )
        };
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    };
    (0..180).map(text).collect()
}

/// Texts of twelve paragraphs, Chinese and English, that share some in five ways: of a fixed pool, of one that grows, with half of an
/// earlier text, with the header and footer of a site, and with a template around three own paragraphs.
fn sharing() -> Vec<String> {
    let paragraph = |number: u64| {
        let word = |place: u64| match mix(number << 20 | place) {
            drawn if number.is_multiple_of(2) => format!("{:x} ", drawn >> 40),
            drawn => (0..3)
                .filter_map(|at| char::from_u32(0x4E00 + (drawn >> (16 * at)) as u32 % 0x5000))
                .collect(),
        };
        (0..30).map(word).collect::<String>()
    };
    let own = |at: u64, place: u64| mix(at << 8 | place) >> 24;
    let text = |at: u64| {
        let number = |place: u64| match at % 5 {
            0 => own(at, place) % 32,
            1 => own(at, place) % (32 + at / 4) + 100,
            2 if place < 6 => own(at - at % 10 + 2, place),
            3 if !(3..10).contains(&place) => 1000 + 12 * (at % 7) + place,
            4 if place % 4 < 3 => 2000 + 12 * (at % 9) + place,
            _ => own(at, place),
        };
        (0..12).map(|place| paragraph(number(place))).collect::<String>()
    };
    (0..400).map(text).collect()
}

fn texts_of(count: u64, longest: u64) -> Vec<String> {
    let word = |seed: u64, place: u64| format!("{:x}", mix(seed << 20 | place) >> 44);
    (0..count)
        .map(|at| {
            let of = if at % 2 == 1 { mix(at) % at } else { at };
            let length = 4 + mix(!of) % longest;
            // One word in three is changed at most, and one copy in four is a part.
            let changes = mix(at ^ 0xC0) % (length / (3 + at % 4) + 1);
            let part = if at % 8 == 3 { length * 2 / 3 + 1 } else { length };
            let own = |place: u64| {
                if of != at && place < changes {
                    word(at, place)
                } else {
                    word(of, place)
                }
            };
            (0..part).map(own).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// Whether two texts are near, the earlier first, from sets that are made once.
struct Near<'a> {
    options: &'a Options,
    texts: &'a [String],
    sets: Vec<HashSet<u64>>,
}

impl<'a> Near<'a> {
    fn of(options: &'a Options, texts: &'a [String]) -> Self {
        let set = |text: &String| {
            features_of(&options.scheme, text)
                .unwrap()
                .iter()
                .map(|it| it.hash)
                .collect()
        };
        let sets = texts.iter().map(set).collect();
        Self { options, texts, sets }
    }

    fn has(&self, earlier: u32, later: u32) -> bool {
        let (a, b) = (&self.sets[earlier as usize], &self.sets[later as usize]);
        match self.options.threshold {
            Threshold::Similarity(least) if !self.options.scheme.weights().counted() => {
                let shared = a.intersection(b).count() as f64;
                shared / ((a.len() * b.len()) as f64).sqrt() >= least
            }
            threshold => {
                let text = |at: u32| &*self.texts[at as usize];
                near_by_features(threshold, &self.options.scheme, text(earlier), text(later))
            }
        }
    }
}

/// Walks the rows as a run does, and compares the candidates of each with those of the definition.
fn walk(documents: &Documents, texts: &[String], options: &Options, case: &str) -> Used {
    let ctx = Context::small(2);
    let part = documents.under(0);
    let rows = Rows::of(&documents.collection).unwrap();
    let plain = Filter::new(part, &rows, ctx.kernel());
    let found = candidates(part, &rows, &ctx).unwrap();
    let mut stream = CandidateStream::new(part, Filter::new(part, &rows, ctx.kernel()), found, &ctx).unwrap();
    stream.keep_journal();
    let mut verifier = Verifier::new(part, &rows);
    let (meetings, near) = (Meetings::of(part, texts), Near::of(options, texts));
    let mut used = Used {
        pairs: found.edges.len(),
        members: found.memberships.len(),
        feature_rows: part.encoding.bits.len(),
        ..Used::default()
    };
    let decided = decide(documents, &ctx).unwrap();
    // The first measurement takes the bits that the walk knew.
    let measured = || recall::measure(documents, &decided, 1000, 0, &ctx).unwrap();
    assert_eq!(measured(), measured(), "{case}");
    let mut kept: Vec<u32> = Vec::new();
    let (mut given, mut ranked) = (Vec::new(), Vec::new());
    for row in 0..rows.len() as u32 {
        let position = |row: u32| rows.positions[row as usize];
        let by_definition = |&earlier: &u32| {
            let meets = meetings.has(position(earlier), position(row));
            meets
                .then(|| plain.candidate(earlier, row))
                .flatten()
                .map(|edge| (edge.distance, earlier))
        };
        let expected: BTreeSet<(u32, u32)> = kept.iter().filter_map(by_definition).collect();
        let is_near = |&&(_, earlier): &&(u32, u32)| near.has(position(earlier), position(row));
        let near_ones: BTreeSet<(u32, u32)> = expected.iter().filter(is_near).copied().collect();
        stream
            .next(
                row,
                |earlier| kept.binary_search(&earlier).is_ok(),
                &mut verifier.features,
                &mut given,
            )
            .unwrap();
        stream.rank(row, &given, &mut ranked);
        let all: BTreeSet<(u32, u32)> = ranked.iter().copied().collect();
        assert_eq!(all.len(), given.len(), "{case}, row {row}: each candidate comes once");
        assert!(
            all.is_subset(&expected),
            "{case}, row {row}: {all:?} are not all of {expected:?}"
        );
        stream.prune(row, &mut verifier.features, &mut given).unwrap();
        stream.rank(row, &given, &mut ranked);
        assert!(
            ranked.is_sorted() && ranked.iter().all(|one| all.contains(one)),
            "{case}, row {row}"
        );
        let left: BTreeSet<(u32, u32)> = ranked.iter().copied().collect();
        assert!(
            near_ones.is_subset(&left),
            "{case}, row {row}: {near_ones:?} are not all in {left:?}"
        );
        used.candidates += expected.len();
        used.ruled_out += expected.len() - left.len();
        let to = near_ones.first();
        for &(_, earlier) in ranked.iter().take_while(|one| Some(*one) != to) {
            stream.reject(row, earlier, &mut verifier.features).unwrap();
        }
        let representative = to.map_or(row, |&(_, earlier)| earlier);
        let place = position(row) as usize;
        assert_eq!(
            decided.representative[place],
            position(representative),
            "{case}, row {row}"
        );
        assert_eq!(
            decided.decision[place] == Decision::Kept,
            to.is_none(),
            "{case}, row {row}"
        );
        stream.finish(row, to.is_none()).unwrap();
        if to.is_none() {
            kept.push(row);
        }
    }
    let [_, indexed, known] = stream.take_journal();
    (used.known, used.indexed) = (known.len(), indexed.len());
    used
}

#[test]
fn every_source_gives_the_candidates_of_the_definition() {
    for source in SOURCES {
        for &threshold in source.thresholds {
            let (case, texts) = (format!("{}, {threshold}", source.name), (source.texts)());
            let options = options_for(source.scheme, threshold, source.records, &["first"]);
            let documents = documents_with(&texts, &options);
            let by_keys = search_method(&documents) != "every pair";
            assert_eq!(by_keys, source.records >= MANY, "{case}");
            let used = walk(&documents, &texts, &options, &case);
            assert!((source.is_used)(&used) && used.candidates > 10, "{case}: {used:?}");
        }
    }
}

#[test]
fn an_exact_search_samples_nothing() {
    let texts = mixed();
    for (scheme, threshold, records, method) in [
        ("chars64", Threshold::Distance(6), MANY, "blocks"),
        ("chars64", Threshold::Distance(6), 1, "every pair"),
        ("chars128", BY_COSINE, 1, "every pair"),
        ("chars128", contained(0.7, 3.0), 1, "every pair"),
        ("chars128", BY_COSINE, MANY, "paths"),
    ] {
        let options = options_for(scheme, threshold, records, &["first"]);
        let documents = documents_with(&texts, &options);
        let recipe = &documents.recipes[0];
        assert_eq!(
            (search_method(&documents), recipe.is_exact()),
            (method, method != "paths"),
            "{threshold}"
        );
        let ctx = Context::small(2);
        let decisions = decide(&documents, &ctx).unwrap();
        let sampled = recall::measure(&documents, &decisions, 1000, 0, &ctx).unwrap();
        let expected = if recipe.is_exact() { 0 } else { sampled.kept };
        assert!(sampled.kept > 20 && sampled.near > 5, "{method}: {sampled:?}");
        assert_eq!(
            (sampled.exact, sampled.sampled),
            (recipe.is_exact(), expected),
            "{method}, {threshold}"
        );
    }
}
