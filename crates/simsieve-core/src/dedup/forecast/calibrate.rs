//! The cost of a run's steps on this machine, timed on sample texts with the functions of the run.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::Costs;
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::dedup::candidates::agree::block_mask;
use crate::dedup::candidates::{Filter, Rows, keys_of};
use crate::dedup::collection::{Collection, Encoding, Labels};
use crate::dedup::combine::Combine;
use crate::dedup::documents::{Documents, Options};
use crate::dedup::keep_order::KeepOrder;
use crate::dedup::recipe::{Recipe, Source};
use crate::dedup::verify::Verifier;
use crate::encode::scheme::Scheme;
use crate::source::{FieldKind, Fields, Sources};
use crate::storage::column::Column;

/// Bytes of sample texts; there are at least [`FEWEST`] texts.
const TEXT_BYTES: u64 = 160_000;
const FEWEST: u64 = 16;
/// The cost per byte of longer texts is the same.
const LONGEST: u64 = 10_000;
/// Rows of a table larger than the caches: 25 MB of sketches.
const ROWS: usize = 1 << 17;
/// The sampler's time for a pair, as a multiple of a comparison of 64 bytes.
const SAMPLER: f64 = 4.0;
/// Pair tests timed at once.
const LOOKS: u64 = 1 << 14;
/// The least of this many runs counts: a run is about a millisecond, so some are not disturbed.
const REPEATS: usize = 7;

/// Times every step for texts of about this many bytes. It takes about 0.2 seconds; the result varies with the clock.
///
/// # Errors
/// As [`Documents::load`].
pub fn calibrate(recipe: &Recipe, scheme: &Scheme, mean_bytes: u64) -> Result<Costs> {
    let bytes = mean_bytes.clamp(1, LONGEST);
    let (text, verify) = texts(recipe, scheme, bytes)?;
    let longer = mean_bytes.max(1) as f64 / bytes as f64;
    let documents = invented_rows(recipe, scheme);
    let rows = Rows {
        positions: (0..ROWS as u32).collect(),
        old: 0,
    };
    let documents = documents.under(0);
    let filter = Filter::new(documents, &rows, Kernel::active());
    let key = if recipe.source == Source::Brute {
        0.0
    } else {
        least(ROWS as f64, || walked(&keys_of(&filter, 0))).0
    };
    let look = look_cost(&filter, LOOKS);
    Ok(Costs {
        text: text * longer,
        key,
        look,
        verify: verify * longer,
        head: head_cost(&documents.encoding.sketches),
    })
}

/// Nanoseconds to compare two heads of 64 bytes of contiguous sketches.
pub(super) fn head_cost(sketches: &[u8]) -> f64 {
    let (heads, _) = sketches.as_chunks::<64>();
    let heads = &heads[..heads.len().min(1 << 15)];
    let Some(first) = heads.first() else { return 0.0 };
    let kernel = Kernel::active();
    // Comparing the bytes is a quarter of what the sampler does for a pair: 8 to 12 ns in whole runs, 2 here.
    let (cost, _) = least(heads.len() as f64 / SAMPLER, || {
        heads
            .iter()
            .filter(|head| block_mask(kernel, first, head).count_ones() >= 48)
            .count()
    });
    cost
}

/// Rows next to another row of their key.
pub(super) fn walked(keys: &[u64]) -> usize {
    keys.windows(2).filter(|pair| pair[0] >> 32 == pair[1] >> 32).count()
}

/// The mean nanoseconds of this many steps without the longest eighth, in which the thread had to wait.
pub(super) fn trimmed(steps: usize, mut step: impl FnMut(usize) -> Result<()>) -> Result<f64> {
    let mut times = Vec::with_capacity(steps);
    for at in 0..steps {
        let start = Instant::now();
        step(at)?;
        times.push(start.elapsed().as_secs_f64() * 1e9);
    }
    times.sort_by(f64::total_cmp);
    times.truncate(steps - steps / 8);
    Ok(times.iter().sum::<f64>() / times.len().max(1) as f64)
}

/// Nanoseconds to filter a pair of rows; the pairs are random, and so are their places in memory.
pub(super) fn look_cost(filter: &Filter, looks: u64) -> f64 {
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

/// Nanoseconds for each of `units`, and the result of the work.
pub(super) fn least<T>(units: f64, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let start = Instant::now();
        let result = std::hint::black_box(work());
        (start.elapsed().as_secs_f64() * 1e9 / units, result)
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

/// Nanoseconds to load a text, and to verify a pair of them.
fn texts(recipe: &Recipe, scheme: &Scheme, bytes: u64) -> Result<(f64, f64)> {
    let pairs = (TEXT_BYTES / bytes / 2).clamp(FEWEST / 2, 2048);
    let texts = (0..2 * pairs).map(|at| scheme.text_of(invented(at / 2, at % 2, bytes)));
    let texts: Vec<String> = texts.collect();
    let store = Arc::new(Sources::from_texts(&texts));
    let options = Options {
        scheme: scheme.clone(),
        text_field: vec!["text".to_owned()],
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(&["first"])?,
        threshold: recipe.threshold,
        recall: recipe.recall,
        seed: recipe.seed,
        recipe_for: Some(1 << recipe.log2_n),
        batch: 0,
    };
    let (load, documents) = least(texts.len() as f64, || {
        Documents::load(Arc::clone(&store), &options, &Context::silent(1))
    });
    let documents = documents?;
    if !recipe.threshold.by_similarity() {
        return Ok((load, 0.0));
    }
    let rows = Rows {
        positions: (0..texts.len() as u32).collect(),
        old: 0,
    };
    let (verify, done) = least(pairs as f64, || {
        let mut verifier = Verifier::new(documents.under(0), &rows);
        (0..pairs as u32).try_for_each(|pair| verifier.near(2 * pair + 1, 2 * pair).map(drop))
    });
    done?;
    Ok((load, verify))
}

/// A text of about this many bytes; the second version has one word in twenty changed.
fn invented(number: u64, version: u64, bytes: u64) -> String {
    let mut text = String::with_capacity(bytes as usize + 16);
    let mut at = 0;
    while (text.len() as u64) < bytes {
        let changed = u64::from(version == 1 && at % 20 == 10);
        let word = mix(mix(number) ^ at ^ changed << 40) % 20_000;
        let letters = 2 + word % 8;
        text.extend((0..letters).map(|letter| char::from(b'a' + (mix(word << 8 | letter) % 26) as u8)));
        text.push(' ');
        at += 1;
    }
    text
}

/// Random rows under the recipe, laid out as in the search.
fn invented_rows(recipe: &Recipe, scheme: &Scheme) -> Documents {
    // For any sketch length as many bytes as 2^17 rows of 192.
    let mut state = 1_u64;
    let mut word = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(state)
    };
    let fingerprints = (0..ROWS * scheme.words()).map(|_| word()).collect();
    let sketches = (0..ROWS * recipe.sketch_bytes / 8)
        .flat_map(|_| word().to_le_bytes())
        .collect();
    let encoding = Encoding {
        scheme: scheme.clone(),
        fingerprints,
        valid: vec![true; ROWS].into(),
        sketch_bytes: recipe.sketch_bytes,
        sketches,
        digests: Column::default(),
        sizes: vec![1000; ROWS].into(),
    };
    let collection = Collection {
        sources: Arc::new(Sources::from_texts::<&str>([])),
        order: Column::default(),
        failures: Vec::new(),
        encodings: vec![encoding],
        rule: Combine::All,
        labels: Labels::default(),
        fields: Fields {
            text: Vec::new(),
            id: String::new(),
            values: Vec::new(),
            takes: FieldKind::Texts,
        },
        copies: OnceLock::new(),
    };
    Documents::of(Arc::new(collection), vec![recipe.clone()])
}
