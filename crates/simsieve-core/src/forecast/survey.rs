//! The forecast of the decisions of loaded documents: the search is made, and some rows are decided as a trial.

use super::{ASSUMED_NEAR, FETCH, ROW, held_lists, verified_strangers};
use crate::base::clock::processor_seconds;
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::dedup::exact;
use crate::dedup::verify::Verifier;
use crate::encode::feature_bits;
use crate::forecast::calibrate::head_cost;
use crate::recipe::bits::known_words;
use crate::recipe::search_keys::SearchKeys;
use crate::recipe::{BRUTE_BELOW, SearchMethod};
use crate::search::candidates::{Candidates, Edge, Filter, Rows, candidates, members_of, some_earlier_of, total_size};
use crate::search::documents::SchemeDocuments;

/// The forecast of the decisions and the recall; counts are of all documents together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survey {
    /// Distinct texts that can be near anything.
    pub rows: u64,
    /// Search keys of a document in the mean: counted, where they were not searched before.
    pub keys: f64,
    /// Pairs that met in a key and were tested: counted.
    pub looks: f64,
    /// Pairs that pass the filters and whose earlier row is kept.
    pub candidates: f64,
    /// Pairs of these compared by their features.
    pub verified: f64,
    /// Bytes in addition to those held now.
    pub bytes: f64,
    /// Processor seconds that the search took.
    pub search: f64,
    /// Seconds of one thread.
    pub decide: f64,
    /// Seconds of one thread.
    pub recall: f64,
    /// Present if unrelated texts share so many features that the features hardly separate them.
    pub alike: Option<Alike>,
}

/// Texts drawn at random that have few different features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alike {
    /// Texts that were drawn.
    pub texts: u32,
    /// The different features of all of them.
    pub different: u64,
    /// Features of one of them in the mean.
    pub features: u64,
    /// Characters of a window of which unrelated texts share one in [`RARELY`]; `None` where features are no windows, and where no
    /// window is that long.
    pub window: Option<u32>,
}

/// Rows that are decided as a trial.
const TRIED: u64 = 512;
/// Verifications of one of these rows at most, and of all.
const MOST_OF_A_ROW: usize = 16;
const MOST_VERIFIED: usize = 512;
/// Rows whose candidates are counted, and the tests of pairs after which no further row is.
const COUNTED: u64 = 16_384;
const MOST_TESTS: usize = 1 << 19;
/// Texts that are drawn for [`Alike`].
const DRAWN: u64 = 64;
/// They are alike if a text has one of this many of all different features; if one is near another it says nothing.
const ALIKE_OF: u64 = 4;
/// See [`Alike::window`].
const RARELY: f64 = 10_000.0;
/// The longest window that a scheme has.
const LONGEST_WINDOW: f64 = 64.0;

/// Surveys loaded documents; `None` for few documents with every pair tested, where a forecast costs as much as the
/// run.
///
/// Complexity: the search, whose result the decisions use, and some hundred verifications.
///
/// # Errors
/// A source has changed, or its copies cannot be compared.
pub fn survey(documents: SchemeDocuments<'_>, sample: u64, ctx: &Context<'_>) -> Result<Option<Survey>> {
    let recipe = documents.recipe;
    let brute = recipe.method == SearchMethod::Brute;
    // A run of fewer records takes less than a second.
    if brute && (documents.run.collection.len() as u64) < BRUTE_BELOW {
        return Ok(None);
    }
    let rows = Rows::of(&documents.run.collection, exact::copies(documents.run, ctx)?)?;
    let filter = Filter::new(documents, &rows, ctx.kernel());
    let keys = keys_of(documents);
    let start = processor_seconds();
    let found = candidates(documents, &rows, ctx)?;
    let search = processor_seconds() - start;
    let n = rows.len() as f64;
    let looks = if brute {
        n * (n - 1.0) / 2.0
    } else {
        found.tested as f64
    };

    let members = members_of(found);
    let mut verifier = Verifier::new(documents, &rows);
    let draw = |at: u64| (mix(mix(recipe.seed) ^ at) % rows.len() as u64) as u32;
    let passing = passing(&filter, found, &members, draw);
    let by_similarity = recipe.threshold.by_similarity();
    let mean_size = total_size(documents, &rows) as f64 / n.max(1.0);
    let bits = documents
        .cosine_of_bits()
        .map(|cosine| (cosine, known_words(mean_size)));
    let (mut trial, mut list) = (Trial::default(), Vec::new());
    for at in 0..TRIED.min(rows.len() as u64) {
        if trial.asked.len() >= MOST_VERIFIED {
            break;
        }
        let earlier = some_earlier_of(&filter, found, &members, draw(at), &mut list);
        trial.verify(&mut verifier, earlier, bits, ctx.kernel())?;
    }
    let verification = seconds_of(&trial.asked, documents, &rows)?;
    let near = trial.dropped / f64::max(trial.tried, 1.0);
    // An earlier row is kept the less often the more candidates it has itself.
    let kept_earlier = if trial.candidates > 0.0 {
        1.0 - trial.of_dropped / trial.candidates
    } else {
        1.0
    };
    let each = (passing * kept_earlier).max(near);
    let strangers = n * (each - near) * (1.0 - near);
    let by_bits = trial.strange_by_bits / f64::max(trial.strange, 1.0);
    let kept = n * (1.0 - near);
    let sampled = if recipe.is_exact() {
        0.0
    } else {
        (sample as f64).min(kept)
    };
    let lists = if by_similarity {
        held_lists(n, mean_size, ctx.threads())
    } else {
        0.0
    };
    let verified = if by_similarity {
        n * near + verified_strangers(n, strangers, by_bits)
    } else {
        0.0
    };
    let alike = if by_similarity && near < 0.5 {
        alike(documents, &rows, &mut verifier)?
    } else {
        None
    };
    Ok(Some(Survey {
        rows: rows.len() as u64,
        keys,
        looks,
        candidates: n * each,
        verified,
        bytes: n * 58.0 * (1.0 + ASSUMED_NEAR) + lists,
        search,
        decide: verified * (verification + 2e-9 * FETCH) + n * 1e-9 * ROW,
        recall: sampled * kept / 2.0 * head_cost(&filter) / 1e9,
        alike,
    }))
}

/// Search keys of a document in the mean.
fn keys_of(documents: SchemeDocuments<'_>) -> f64 {
    let valid = documents.encoding.valid.iter().filter(|&&valid| valid).count();
    match documents.encoding.keys.lock() {
        Ok(keys) if keys.is_some() => keys.as_ref().map_or(0, SearchKeys::len) as f64 / valid.max(1) as f64,
        _ => super::keys_of(&documents.recipe.method),
    }
}

/// Pairs of a row with an earlier one that pass the filter, in the mean over rows that are drawn. Counting costs little, and a few texts
/// have most of the strangers.
fn passing(filter: &Filter, found: &Candidates, members: &[Vec<u32>], draw: impl Fn(u64) -> u32) -> f64 {
    let (mut counted, mut passing, mut tests) = (0, 0.0, 0);
    let mut list = Vec::new();
    while counted < COUNTED.min(filter.rows().len() as u64) && tests < MOST_TESTS {
        let (own, times) = some_earlier_of(filter, found, members, draw(counted), &mut list);
        passing += own.len() as f64 * times;
        tests += list.len().max(1);
        counted += 1;
    }
    passing / counted.max(1) as f64
}

/// What the trial has seen.
#[derive(Debug, Default)]
struct Trial {
    asked: Vec<(u32, u32)>,
    tried: f64,
    dropped: f64,
    /// Candidates of all rows, and of those that are dropped.
    candidates: f64,
    of_dropped: f64,
    /// Verified pairs that are not near, and those of them that the bits of their features do not rule out.
    strange: f64,
    strange_by_bits: f64,
}

impl Trial {
    /// Verifies some earlier rows of a row, which stand for so many times as many, until one is near. `bits` are the least cosine and the
    /// words of the bits of features, where they rule texts out.
    fn verify(
        &mut self,
        verifier: &mut Verifier<'_>,
        (mut earlier, times): (Vec<Edge>, f64),
        bits: Option<(f64, usize)>,
        kernel: Kernel,
    ) -> Result<()> {
        earlier.sort_unstable();
        let candidates = earlier.len() as f64 * times;
        self.candidates += candidates;
        self.tried += 1.0;
        for edge in earlier.iter().take(MOST_OF_A_ROW) {
            self.asked.push((edge.later, edge.earlier));
            if verifier.near(edge.later, edge.earlier)?.nearness.is_near() {
                self.dropped += 1.0;
                self.of_dropped += candidates;
                return Ok(());
            }
            self.strange += 1.0;
            let passes = match bits {
                Some((cosine, words)) => bits_pass(verifier, edge, cosine, words, kernel)?,
                None => true,
            };
            self.strange_by_bits += f64::from(u8::from(passes));
        }
        Ok(())
    }
}

/// Whether the bits of the features let a pair pass.
fn bits_pass(verifier: &mut Verifier<'_>, edge: &Edge, cosine: f64, words: usize, kernel: Kernel) -> Result<bool> {
    let mut rows = [vec![0; words], vec![0; words]];
    for (row, bits) in [edge.later, edge.earlier].into_iter().zip(&mut rows) {
        feature_bits::write(verifier.list(row)?.hashes(), bits);
    }
    Ok(feature_bits::may_be_near(kernel, &rows[0], &rows[1], cosine))
}

/// Seconds of one thread that a verification takes in the mean whose texts were read a moment ago: a run reads neighbours together,
/// and its first texts from a disk would stand for all. The least of some runs counts.
fn seconds_of(asked: &[(u32, u32)], documents: SchemeDocuments<'_>, rows: &Rows) -> Result<f64> {
    const RUNS: usize = 3;
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let (mut verifier, start) = (Verifier::new(documents, rows), processor_seconds());
        for &(later, earlier) in asked {
            verifier.near(later, earlier)?;
        }
        least = least.min(processor_seconds() - start);
    }
    Ok(least / asked.len().max(1) as f64)
}

/// Whether unrelated texts have mostly the same features: each of some texts has a large part of all features of all of them.
fn alike(documents: SchemeDocuments<'_>, rows: &Rows, verifier: &mut Verifier<'_>) -> Result<Option<Alike>> {
    let seed = mix(!documents.recipe.seed);
    let mut drawn: Vec<u32> = (0..DRAWN)
        .map(|at| (mix(seed ^ at) % rows.len().max(1) as u64) as u32)
        .filter(|&row| (row as usize) < rows.len())
        .collect();
    drawn.sort_unstable();
    drawn.dedup();
    if (drawn.len() as u64) < DRAWN / 2 {
        return Ok(None);
    }
    let mut all = Vec::new();
    for &row in &drawn {
        all.extend_from_slice(verifier.list(row)?.hashes());
    }
    let features = all.len() as u64 / drawn.len() as u64;
    all.sort_unstable();
    all.dedup();
    let different = all.len() as u64;
    if features * ALIKE_OF < different {
        return Ok(None);
    }
    let scheme = &documents.encoding.scheme;
    // Each further character of a window makes as many times more windows.
    let longer = libm::log(RARELY * features as f64) / libm::log(different.max(2) as f64);
    let window = (f64::from(scheme.window().size()) * longer).ceil();
    Ok(Some(Alike {
        texts: drawn.len() as u32,
        different,
        features,
        window: (scheme.has_windows() && window <= LONGEST_WINDOW).then_some(window as u32),
    }))
}
