//! From a sample to frozen paths: rarity, then the verdicts level by level, then whether even selection is needed.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::dedup::recipe::{PathOptions, Recipe};
use crate::dedup::sample::similar::Similar;
use crate::dedup::sample::texts::Sample;
use crate::encode::paths::{MOST_DEPTH, Path, PathScratch, Paths, Rarity, Verdict, Verdicts};

/// Pairs of a path's texts that are compared before the path is split.
const TRIED: u64 = 64;
/// A path is a family if one in this many of these pairs is near.
const NEAR_OF: u64 = 4;
/// The same for paths that are as long as allowed.
const NEAR_OF_LONGEST: u64 = 16;
/// Where even selection is needed, near texts share common features. Then a path whose pairs are this similar in the mean is a family
/// too, because a split would not even halve it: the walk rules out the others by the index of features.
const SIMILAR: f64 = 0.5;
/// Sampled texts on a path at least, before it is split: fewer say nothing.
const LEAST_SAMPLED: f64 = 3.0;
/// Numbers of evenly selected features, tried in this order until the near pairs of the sample are found.
const EVEN_RATES: [u32; 3] = [0, 4, 8];

/// The paths of the texts that were sampled.
pub(super) fn paths(sample: &Sample, recipe: &Recipe, options: PathOptions, ctx: &Context<'_>) -> Result<Paths> {
    let pool = ctx.pool()?;
    let texts: Vec<&[u64]> = (0..sample.len()).map(|at| sample.features(at)).collect();
    let rarity = Rarity::count(texts.iter().copied(), texts.iter().map(|features| features.len()).sum())?;
    let kernel = ctx.kernel();
    let similar = pool.install(|| Similar::new(sample, recipe, kernel));
    let near = pool.install(|| similar.near_pairs());
    let mut best: Option<(f64, Paths)> = None;
    for (at, &even) in EVEN_RATES.iter().enumerate() {
        ctx.tick("freeze", at as u64, EVEN_RATES.len() as u64)?;
        let mut paths = Paths {
            rates: options.rates(even),
            rarity: rarity.clone(),
            verdicts: Verdicts::default(),
            mean_keys: 0.0,
        };
        let most = (f64::from(options.bucket) / libm::exp2(f64::from(sample.log2))).max(LEAST_SAMPLED);
        let judge = Judge {
            similar: &similar,
            least_mean: if even > 0 { SIMILAR } else { f64::INFINITY },
        };
        pool.install(|| split(&mut paths, sample, &judge, most, kernel));
        paths.mean_keys = pool.install(|| mean_keys(&paths, sample, kernel));
        let found = near.found_by(&paths, sample, kernel);
        if best.as_ref().is_none_or(|(most, _)| found > *most) {
            best = Some((found, paths));
        }
        if near.is_enough(found, recipe.recall) {
            break;
        }
    }
    let (_, paths) = best.expect("one rate at least was tried");
    Ok(paths)
}

/// A path of a sampled text.
type Walk = (Path, u32);

/// Finds the verdicts, level by level.
fn split(paths: &mut Paths, sample: &Sample, judge: &Judge<'_>, most: f64, kernel: Kernel) {
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
        let buckets: Vec<&[Walk]> = level
            .chunk_by(|a, b| a.0.hash == b.0.hash)
            .filter(|bucket| bucket.len() as f64 > most)
            .collect();
        let verdicts: Vec<(u64, Verdict)> = buckets
            .par_iter()
            .map(|bucket| (bucket[0].0.hash, judge.verdict(bucket, depth)))
            .collect();
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
            return;
        }
    }
}

/// Says what becomes of a path that many sampled texts have.
struct Judge<'a> {
    similar: &'a Similar<'a>,
    /// A path whose pairs have this cosine in the mean is a family.
    least_mean: f64,
}

impl Judge<'_> {
    fn verdict(&self, bucket: &[Walk], depth: usize) -> Verdict {
        let near_of = if depth == MOST_DEPTH { NEAR_OF_LONGEST } else { NEAR_OF };
        // Pairs are compared only until the answer is certain.
        let mut missing = TRIED.div_ceil(near_of);
        for tried in 0..TRIED {
            if missing == 0 || tried + missing > TRIED {
                break;
            }
            let pair = pair(bucket, tried);
            missing -= u64::from(pair.is_some_and(|(a, b)| self.similar.is_near(a, b)));
        }
        if missing == 0 || self.least_mean < 1.0 && self.mean(bucket) >= self.least_mean {
            Verdict::Family
        } else if depth == MOST_DEPTH {
            Verdict::Dead
        } else {
            Verdict::Split
        }
    }

    /// The mean cosine of some pairs of the bucket.
    fn mean(&self, bucket: &[Walk]) -> f64 {
        let pairs: Vec<_> = (0..TRIED).filter_map(|at| pair(bucket, at)).collect();
        let sum: f64 = pairs.iter().map(|&(a, b)| self.similar.cosine(a, b)).sum();
        sum / pairs.len().max(1) as f64
    }
}

/// A random pair of a path's texts; `None` where it is one text twice.
fn pair(bucket: &[Walk], number: u64) -> Option<(usize, usize)> {
    let seed = mix(bucket[0].0.hash);
    let draw = |at: u64| bucket[(mix(seed ^ at) % bucket.len() as u64) as usize].1 as usize;
    let (a, b) = (draw(2 * number), draw(2 * number + 1));
    (a != b).then_some((a, b))
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
