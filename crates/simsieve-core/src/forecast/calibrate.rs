//! The cost of a run's steps on this machine, timed on texts of the collection with the functions of the run.

use std::sync::Arc;

use super::{Costs, keys_of, mean_bytes};
use crate::base::clock::processor_seconds;
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::collection::keep_order::KeepOrder;
use crate::collection::relation::Rules;
use crate::dedup::loading;
use crate::dedup::verify::Verifier;
use crate::encode::encoder::EncodedBatch;
use crate::encode::scheme::Scheme;
use crate::encode::sketch::SKETCH_WORDS;
use crate::recipe::Recipe;
use crate::search::candidates::{Filter, Rows, sort_by_key};
use crate::search::documents::{Documents, Options};
use crate::source::Sources;

/// Bytes of texts, about.
const TEXT_BYTES: usize = 640_000;
/// Rows larger than the caches: 8 MB of sketches.
const ROWS: usize = 1 << 17;
/// Pair tests timed at once.
const LOOKS: u64 = 1 << 14;
/// The least of this many runs counts: a run is about a millisecond, so some are not disturbed.
const REPEATS: usize = 3;

/// Times every step. `texts` are some of the collection; without texts, as of bare fingerprints, a text costs nothing. It takes some
/// hundredths of a second, and the result varies with the clock.
///
/// # Errors
/// As [`load`](crate::dedup::loading::load).
pub fn calibrate(recipe: &Recipe, scheme: &Scheme, texts: &[String]) -> Result<Costs> {
    let (text, verify) = if texts.is_empty() {
        (0.0, 0.0)
    } else {
        text_costs(recipe, scheme, texts)?
    };
    let documents = random_rows(recipe, scheme);
    let rows = Rows::all(ROWS as u32);
    let documents = documents.under(0);
    let filter = Filter::new(documents, &rows, Kernel::active());
    Ok(Costs {
        text,
        key: if keys_of(recipe, scheme) > 0.0 { key_cost() } else { 0.0 },
        look: look_cost(&filter, LOOKS),
        verify,
        head: head_cost(&filter),
    })
}

/// Nanoseconds to sort and walk a key.
fn key_cost() -> f64 {
    let mut spare = Vec::new();
    let keys: Vec<u64> = (0..ROWS as u64).map(|row| mix(row) << 32 | row).collect();
    let (cost, _) = least(ROWS as f64, || {
        let mut sorted = keys.clone();
        sort_by_key(&mut sorted, &mut spare);
        walked(&sorted)
    });
    cost
}

/// Nanoseconds to compare a row with an adjacent one.
fn head_cost(filter: &Filter) -> f64 {
    const ROWS: usize = 1 << 12;
    let rows: Vec<u32> = (0..filter.rows().len().min(ROWS) as u32).collect();
    let Some(&first) = rows.first() else { return 0.0 };
    let mut column = Vec::new();
    filter.fetch(&rows, &mut column);
    let mut found = Vec::new();
    let (cost, _) = least(rows.len() as f64, || {
        found.clear();
        filter.near(filter.words_of(first), &column, &mut found);
        found.len()
    });
    cost
}

/// Rows next to another row of their key.
fn walked(keys: &[u64]) -> usize {
    keys.windows(2).filter(|pair| pair[0] >> 32 == pair[1] >> 32).count()
}

/// Nanoseconds to filter a pair of rows; the pairs are random, and so are their places in memory.
fn look_cost(filter: &Filter, looks: u64) -> f64 {
    let n = filter.rows().len() as u64;
    if n < 2 {
        return 0.0;
    }
    let row = |at: u64| (mix(at) % n) as u32;
    let look = |at: u64| {
        let (a, b) = (row(2 * at), row(2 * at + 1));
        filter.candidate(a.min(b), a.max(b)).is_some()
    };
    // New pairs each time, so they are not in the caches.
    let mut from = 0;
    let (cost, _) = least(looks as f64, || {
        from += looks;
        (from - looks..from).filter(|&at| look(at)).count()
    });
    cost
}

/// Nanoseconds for each of `units` in the quickest of [`REPEATS`] runs, and the result of the work.
fn least<T>(units: f64, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let start = processor_seconds();
        let result = std::hint::black_box(work());
        ((processor_seconds() - start) * 1e9 / units, result)
    };
    let mut best = timed();
    for _ in 1..REPEATS {
        let next = timed();
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

/// Pairs of a text and the same one without its first character, one after the other.
fn own_pairs(own: &[String]) -> Vec<String> {
    let mut taken = 0;
    let some = own.iter().take_while(|text| {
        let before = taken;
        taken += 2 * text.len();
        before < TEXT_BYTES
    });
    some.flat_map(|text| {
        let mut rest = text.chars();
        rest.next();
        [text.clone(), rest.as_str().to_owned()]
    })
    .collect()
}

/// Nanoseconds to load a text, and to verify a pair of them.
fn text_costs(recipe: &Recipe, scheme: &Scheme, own: &[String]) -> Result<(f64, f64)> {
    let texts = own_pairs(own);
    let pairs = texts.len() / 2;
    // Those of the mean length of all texts.
    let longer =
        texts.len() as f64 * mean_bytes(own) as f64 / texts.iter().map(String::len).sum::<usize>().max(1) as f64;
    let store = Arc::new(Sources::from_texts(&texts));
    let options = Options {
        scheme: scheme.clone(),
        text_field: vec!["text".to_owned()],
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(&["first"])?,
        rules: Rules::default(),
        threshold: recipe.threshold,
        recall: recipe.recall,
        seed: recipe.seed,
        recipe_for: Some(1 << recipe.log2_n),
        looked_up: false,
        batch: 0,
        run_dir: None,
        settled: None,
    };
    let (load, documents) = least(texts.len() as f64, || {
        loading::load(Arc::clone(&store), &options, &Context::silent(1))
    });
    let documents = documents?;
    if !recipe.threshold.by_similarity() {
        return Ok((load * longer, 0.0));
    }
    let rows = Rows::all(texts.len() as u32);
    let (verify, done) = least(pairs as f64, || {
        let mut verifier = Verifier::new(documents.under(0), &rows);
        (0..pairs as u32).try_for_each(|pair| verifier.near(2 * pair + 1, 2 * pair).map(drop))
    });
    done?;
    Ok((load * longer, verify * longer))
}

/// Random rows under the recipe, laid out as in the search.
fn random_rows(recipe: &Recipe, scheme: &Scheme) -> Documents {
    let mut state = 1_u64;
    let mut word = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(state)
    };
    let words = if recipe.threshold.by_similarity() {
        SKETCH_WORDS
    } else {
        0
    };
    let rows = EncodedBatch {
        fingerprints: (0..ROWS * scheme.words()).map(|_| word()).collect(),
        valid: vec![true; ROWS],
        sketches: (0..ROWS * words).map(|_| word()).collect(),
        sizes: vec![1000; ROWS],
        ..EncodedBatch::default()
    };
    Documents::without_texts(scheme, recipe, rows)
}
