//! From a sample to frozen paths: rarity, then the verdicts level by level, then whether even selection is needed.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::dedup::recipe::{PathOptions, Recipe};
use crate::dedup::sample::expected::{Expected, Met};
use crate::dedup::sample::similar::Similar;
use crate::dedup::sample::texts::Sample;
use crate::encode::paths::{MOST_DEPTH, Path, PathScratch, Paths, Rarity, Verdict, Verdicts};

/// Pairs of a path's texts that are compared before the path is split.
const TRIED: u64 = 64;
/// A path is a family if one in this many of these pairs is near.
const NEAR_OF: u64 = 4;
/// The same for paths that are as long as allowed.
const NEAR_OF_LONGEST: u64 = 16;
/// Sampled texts on a path at least, before it is split: fewer say nothing.
const LEAST_SAMPLED: f64 = 3.0;
/// Numbers of evenly selected features, tried in this order until the near pairs of the sample are found.
const EVEN_RATES: [u32; 3] = [0, 4, 8];

/// The paths of the texts that were sampled, and what the search of all texts by them is expected to meet.
pub(super) fn paths(
    sample: &Sample,
    recipe: &Recipe,
    options: PathOptions,
    ctx: &Context<'_>,
) -> Result<(Paths, Expected)> {
    let pool = ctx.pool()?;
    let texts: Vec<&[u64]> = (0..sample.len()).map(|at| sample.features(at)).collect();
    let rarity = Rarity::count(texts.iter().copied(), texts.iter().map(|features| features.len()).sum())?;
    let kernel = ctx.kernel();
    let similar = pool.install(|| Similar::new(sample, recipe, kernel));
    let near = pool.install(|| similar.near_pairs());
    let mut best: Option<(f64, Paths, Met)> = None;
    for (at, &even) in EVEN_RATES.iter().enumerate() {
        ctx.tick("freeze", at as u64, EVEN_RATES.len() as u64)?;
        let mut paths = Paths {
            rates: options.rates(even),
            rarity: rarity.clone(),
            verdicts: Verdicts::default(),
            mean_keys: 0.0,
        };
        let most = (f64::from(options.bucket) / rate_of(sample)).max(LEAST_SAMPLED);
        let met = pool.install(|| split(&mut paths, sample, &similar, most, kernel));
        paths.mean_keys = pool.install(|| mean_keys(&paths, sample, kernel));
        let found = near.found_by(&paths, sample, kernel);
        if best.as_ref().is_none_or(|(most, ..)| found > *most) {
            best = Some((found, paths, met));
        }
        if near.is_enough(found, recipe.recall) {
            break;
        }
    }
    let (found, paths, met) = best.expect("one rate at least was tried");
    let recall = near.says_something().then_some(found);
    let expected = met.scaled(&similar, (sample.len(), sample.features.len()), rate_of(sample), recall);
    Ok((paths, expected))
}

/// A path of a sampled text.
type Walk = (Path, u32);

/// Texts that a sampled one stands for.
fn rate_of(sample: &Sample) -> f64 {
    libm::exp2(f64::from(sample.log2))
}

/// Finds the verdicts, level by level, and counts what the sampled texts meet in.
fn split(paths: &mut Paths, sample: &Sample, similar: &Similar<'_>, most: f64, kernel: Kernel) -> Met {
    let (mut met, mut texts) = (Met::default(), Vec::new());
    let mut texts_of = |bucket: &[Walk], take: &mut dyn FnMut(u64, &[u32])| {
        texts.clear();
        texts.extend(bucket.iter().map(|(_, text)| *text));
        take(bucket[0].0.hash, &texts);
    };
    let mut level: Vec<Walk> = (0..sample.len() as u32)
        .into_par_iter()
        .map_init(PathScratch::default, |scratch, text| {
            let mut own = Vec::new();
            let (features, weights) = (sample.features(text as usize), sample.weights(text as usize));
            paths.firsts(kernel, features, weights, scratch, |path| own.push((path, text)));
            own
        })
        .flatten_iter()
        .collect();
    for depth in 1..=MOST_DEPTH {
        level.par_sort_unstable_by_key(|(path, text)| (path.hash, *text));
        let mut buckets: Vec<&[Walk]> = Vec::new();
        for bucket in level.chunk_by(|a, b| a.0.hash == b.0.hash) {
            if bucket.len() as f64 > most {
                buckets.push(bucket);
            }
            if bucket.len() as f64 <= most + 2.0 {
                texts_of(bucket, &mut |path, texts| {
                    met.add(path, texts, most, rate_of(sample), similar);
                });
            }
        }
        let verdicts: Vec<(u64, Verdict)> = buckets
            .par_iter()
            .map(|bucket| (bucket[0].0.hash, verdict(bucket, depth, similar)))
            .collect();
        for (bucket, (_, verdict)) in buckets.iter().zip(&verdicts) {
            texts_of(bucket, &mut |path, texts| {
                met.add_verdict(path, texts, *verdict, similar);
            });
        }
        let next: Vec<Walk> = buckets
            .par_iter()
            .zip(&verdicts)
            .filter(|(_, (_, verdict))| *verdict == Verdict::Split)
            .flat_map_iter(|(bucket, _)| bucket.iter())
            .map_init(PathScratch::default, |scratch, (path, text)| {
                let mut own = Vec::new();
                let (features, weights) = (sample.features(*text as usize), sample.weights(*text as usize));
                paths.further(kernel, features, weights, path, scratch, |path| own.push((path, *text)));
                own
            })
            .flatten_iter()
            .collect();
        paths.verdicts.extend(&verdicts);
        level = next;
        if level.is_empty() {
            break;
        }
    }
    met
}

fn verdict(bucket: &[Walk], depth: usize, similar: &Similar<'_>) -> Verdict {
    let seed = mix(bucket[0].0.hash);
    let draw = |at: u64| bucket[(mix(seed ^ at) % bucket.len() as u64) as usize].1;
    let near_of = if depth == MOST_DEPTH { NEAR_OF_LONGEST } else { NEAR_OF };
    // Pairs are compared only until the answer is certain.
    let (mut missing, mut tried) = (TRIED.div_ceil(near_of), 0);
    while missing > 0 && tried + missing <= TRIED {
        let (a, b) = (draw(2 * tried), draw(2 * tried + 1));
        missing -= u64::from(a != b && similar.is_near(a as usize, b as usize));
        tried += 1;
    }
    if missing == 0 {
        Verdict::Family
    } else if depth == MOST_DEPTH {
        Verdict::Dead
    } else {
        Verdict::Split
    }
}

/// Keys of a text in the mean, over part of the sample.
fn mean_keys(paths: &Paths, sample: &Sample, kernel: Kernel) -> f64 {
    const COUNTED: usize = 1 << 14;
    let texts = sample.len().min(COUNTED);
    let keys: usize = (0..texts)
        .into_par_iter()
        .map_init(<(PathScratch, Vec<u64>)>::default, |(scratch, keys), at| {
            keys.clear();
            paths.keys(kernel, sample.features(at), sample.weights(at), scratch, keys);
            keys.len()
        })
        .sum();
    keys as f64 / texts.max(1) as f64
}
