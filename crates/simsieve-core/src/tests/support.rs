//! What the core's own tests share: documents made of texts in memory.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use crate::base::context::Context;
use crate::base::hash::{mix, xxh3_64};
use crate::base::tuning::Tuning;
use crate::collection::dates::Window;
use crate::collection::fields::FieldRule;
use crate::collection::keep_order::KeepOrder;
use crate::collection::relation::{Rules, Sure};
use crate::dedup::loading;
use crate::encode::encoder::features_of;
use crate::encode::lost::{WINDOW, compact_of};
use crate::encode::paths::Paths;
use crate::encode::paths::tests::plain_keys;
use crate::encode::scheme::{Scheme, Scratch};
use crate::encode::similarity::similarity;
use crate::recipe::Threshold;
use crate::recipe::search_keys::SearchKeys;
use crate::search::documents::{Documents, Options, SchemeDocuments};
use crate::search::found::Search;
use crate::search::tables::Tables;
use crate::source::Sources;
use crate::text::is_dense;

/// The threshold of a plain run.
pub const BY_COSINE: Threshold = Threshold::Similarity(0.65);

/// The options of a plain run.
pub fn options(keep: &[&str]) -> Options {
    Options {
        scheme: Scheme::parse("chars128").unwrap(),
        text_field: vec!["text".to_owned()],
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(keep).unwrap(),
        rules: Rules::default(),
        threshold: BY_COSINE,
        recall: 0.98,
        seed: 0,
        recipe_for: None,
        looked_up: false,
        batch: 0,
        run_dir: None,
        settled: None,
    }
}

/// The options of a run by a scheme and a threshold, whose recipe is that of this many records.
pub fn options_for(spec: &str, threshold: Threshold, records: u64, keep: &[&str]) -> Options {
    Options {
        scheme: scheme_for(spec, threshold),
        threshold,
        recipe_for: Some(records),
        ..options(keep)
    }
}

/// Documents of texts.
pub fn documents<S: AsRef<str>>(texts: &[S], keep: &[&str]) -> Documents {
    documents_with(texts, &options(keep))
}

/// Documents of new texts, with old ones.
pub fn documents_against<S: AsRef<str>>(new: &[S], old: &[S], options: &Options) -> Documents {
    let store = |texts: &[S]| Sources::from_texts(texts.iter().map(AsRef::as_ref));
    loading::load(Arc::new(store(new).against(&store(old))), options, &Context::small(2)).unwrap()
}

/// Documents of texts under given options.
pub fn documents_with<S: AsRef<str>>(texts: &[S], options: &Options) -> Documents {
    documents_by(texts, options, 2)
}

/// As [`documents_with`], made by this many threads.
pub fn documents_by<S: AsRef<str>>(texts: &[S], options: &Options, threads: usize) -> Documents {
    let store = Sources::from_texts(texts.iter().map(AsRef::as_ref));
    loading::load(Arc::new(store), options, &Context::small(threads)).unwrap()
}

/// Whether two texts are near by a similarity, from the texts alone and in few lines; under a distance the bits have
/// decided. `a` precedes `b` in the keep order.
pub fn near_by_features(threshold: Threshold, scheme: &Scheme, a: &str, b: &str) -> bool {
    let set = |text| -> HashSet<u64> { features_of(scheme, text).unwrap().iter().map(|it| it.hash).collect() };
    match threshold {
        Threshold::Distance(_) => true,
        Threshold::Similarity(least) => similarity(scheme, a, b).unwrap().is_some_and(|found| found >= least),
        Threshold::Jaccard(least) => {
            let (a, b) = (set(a), set(b));
            let either = a.union(&b).count();
            !a.is_empty() && !b.is_empty() && a.intersection(&b).count() as f64 / either as f64 >= least
        }
        Threshold::Containment { least, max_ratio } => {
            let (kept, later) = (set(a), set(b));
            let share = later.intersection(&kept).count() as f64 / later.len() as f64;
            !later.is_empty() && share >= least && kept.len() as f64 <= max_ratio * later.len() as f64
        }
    }
}

/// Whether two texts are near in one of their two orders.
pub fn near_in_either_order(threshold: Threshold, scheme: &Scheme, a: &str, b: &str) -> bool {
    near_by_features(threshold, scheme, a, b) || near_by_features(threshold, scheme, b, a)
}

/// What is lost of one compact text if another stays, by definition: a character is covered if a window with it is a part of the other text.
pub fn plain_lost(text: &str, other: &str) -> u32 {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let units = |c: char| 1 + u32::from(is_dense(c as u32));
    let mut covered = vec![false; chars.len()];
    for first in 0..chars.len() {
        let (mut sum, mut end) = (0, first);
        while sum < WINDOW && end < chars.len() {
            sum += units(chars[end].1);
            end += 1;
        }
        let stop = chars.get(end).map_or(text.len(), |(at, _)| *at);
        if (sum >= WINDOW || first == 0) && other.contains(&text[chars[first].0..stop]) {
            covered[first..end].fill(true);
        }
    }
    let of_rest = |first: usize| chars[first..].iter().map(|(_, c)| units(*c)).sum::<u32>();
    let last = (0..chars.len()).rev().find(|&first| of_rest(first) >= WINDOW);
    if let Some(last) = last.filter(|&last| other.contains(&text[chars[last].0..])) {
        covered[last..].fill(true);
    }
    let of_runs = chars.iter().zip(&covered).collect::<Vec<_>>();
    let runs = of_runs.chunk_by(|a, b| a.1 == b.1).filter(|run| !*run[0].1);
    runs.map(|run| run.iter().map(|((_, c), _)| units(*c)).sum())
        .max()
        .unwrap_or(0)
}

/// What is lost of a text if another stays.
pub fn plain_lost_of(scheme: &Scheme, text: &str, other: &str) -> u32 {
    let compact = |text| {
        let mut scratch = Scratch::default();
        scheme.normalise(text, &mut scratch).unwrap();
        String::from_utf8(compact_of(&scratch.text).into_owned()).unwrap()
    };
    plain_lost(&compact(text), &compact(other))
}

/// A containment.
pub const fn contained(least: f64, max_ratio: f64) -> Threshold {
    Threshold::Containment { least, max_ratio }
}

/// A threshold of any kind.
pub fn any_threshold() -> impl Strategy<Value = Threshold> {
    prop_oneof![
        (0.3..1.0_f64).prop_map(Threshold::Similarity),
        (0.2..1.0_f64).prop_map(Threshold::Jaccard),
        (0.3..1.0_f64, 1.0..8.0_f64).prop_map(|(least, ratio)| contained(least, ratio)),
        (0..40_u32).prop_map(Threshold::Distance),
    ]
}

/// Which texts meet in the search: in a key by the plain walk, or all of them because every pair is tested.
pub struct Meetings {
    keys: Option<Vec<HashSet<u64>>>,
}

impl Meetings {
    /// The meetings of the texts of documents, by position.
    pub fn of<S: AsRef<str>>(part: SchemeDocuments<'_>, texts: &[S]) -> Self {
        let keys = |paths: &Paths, text: &str| -> HashSet<u64> {
            let mut scratch = Scratch::default();
            if part.encoding.scheme.extract(text, &mut scratch).is_err() {
                return HashSet::new();
            }
            plain_keys(paths, scratch.features.hashes(), &scratch.weights)
                .into_iter()
                .collect()
        };
        let all = |paths: &Arc<Paths>| texts.iter().map(|text| keys(paths, text.as_ref())).collect();
        Self {
            keys: part.encoding.paths.as_ref().map(all),
        }
    }

    /// Whether two positions meet.
    pub fn has(&self, a: u32, b: u32) -> bool {
        let Some(keys) = &self.keys else { return true };
        !keys[a as usize].is_disjoint(&keys[b as usize])
    }
}

/// Takes the keys of a run away: its search finds nothing.
pub fn blind(documents: &mut Documents) {
    let keys = SearchKeys::with_room(0, 0.0).unwrap();
    documents.searches = Arc::new([Search::of(Some(keys))]);
}

/// The scheme of a name; under a Jaccard similarity or a containment without the weights at its end.
pub fn scheme_for(spec: &str, threshold: Threshold) -> Scheme {
    let of_sets = matches!(threshold, Threshold::Jaccard(_) | Threshold::Containment { .. });
    let once = spec.split(",weights=").next().filter(|_| of_sets);
    Scheme::parse(once.unwrap_or(spec)).unwrap()
}

/// How the candidates are found.
pub fn search_method(documents: &Documents) -> &'static str {
    let (recipe, scheme) = (&documents.recipes[0], &documents.collection.encodings[0].scheme);
    match recipe.paths {
        Some(_) => "paths",
        None if Tables::choose(recipe, scheme.width(), Tuning::SMALL).is_empty() => "every pair",
        None => "blocks",
    }
}

/// The date of a record in milliseconds, within three weeks: equal texts have several.
pub fn date(id: u64, text: &str) -> i64 {
    (mix(id ^ xxh3_64(text.as_bytes())) % (21 * DAY)) as i64
}

/// The same options with rules on two fields of [`volume`] and [`mark`].
pub fn with_fields(mut options: Options) -> Options {
    let rule = |name: &str, bound, joins| FieldRule::new(vec![name.to_owned()], bound, true, joins).unwrap();
    options.rules.fields = vec![rule("volume", "1", false), rule("mark", "known", true)];
    options.rules.sure = Some(Sure {
        agree: 2,
        similarity: 0.8,
    });
    options
}

/// The volume of a record: 0 to 3, or nothing.
pub fn volume(id: u64) -> Option<u64> {
    Some(mix(id ^ 0x70) % 6).filter(|volume| *volume < 4)
}

/// An identifier that a record shares with a few others, or nothing.
pub fn mark(id: u64) -> Option<String> {
    let number = mix(id ^ 0x3A4B) % 40;
    (number < 20).then(|| format!("10.{number}/{}", id / 100))
}

/// A day in milliseconds.
pub const DAY: u64 = 86_400_000;

/// The same options with a window of a week.
pub fn in_a_week(mut options: Options) -> Options {
    options.rules.window = Some(Window {
        span: 7 * DAY,
        field: Some("date".to_owned()),
    });
    options
}
