//! From a sample to frozen paths: rarity, then the verdicts level by level, then whether even selection is needed.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::encode::paths::{MOST_DEPTH, Path, PathScratch, Paths, Rarity, Rates, Verdict, Verdicts};
use crate::recipe::{PathOptions, Recipe};
use crate::search::sample::expected::{Expected, Met};
use crate::search::sample::similar::Similar;
use crate::search::sample::texts::Sample;

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

/// The paths of the texts that were sampled, and what the search of all texts by them is expected to meet.
pub(super) fn paths(
    sample: &Sample,
    recipe: &Recipe,
    options: PathOptions,
    ctx: &Context<'_>,
) -> Result<(Paths, Expected)> {
    let pool = ctx.pool()?;
    let texts = (0..sample.len()).map(|at| sample.features(at));
    let mut paths = Paths {
        rates: options.rates(0),
        rarity: Rarity::count(&texts, sample.total())?,
        verdicts: Verdicts::default(),
        mean_keys: 0.0,
    };
    let kernel = ctx.kernel();
    let similar = pool.install(|| Similar::new(sample, recipe, kernel));
    let near = pool.install(|| similar.near_pairs());
    let mut best: Option<(f64, Rates, Verdicts, f64, Met)> = None;
    for (at, &even) in EVEN_RATES.iter().enumerate() {
        ctx.tick("freeze", at as u64, EVEN_RATES.len() as u64)?;
        paths.rates = options.rates(even);
        paths.verdicts = Verdicts::default();
        let most = (f64::from(options.bucket) / rate_of(sample)).max(LEAST_SAMPLED);
        let judge = Judge {
            similar: &similar,
            least_mean: (even > 0).then_some(SIMILAR),
        };
        let met = pool.install(|| split(&mut paths, sample, judge, most, kernel));
        let mean_keys = pool.install(|| mean_keys(&paths, sample, kernel));
        let found = near.found_by(&paths, sample, kernel);
        if best.as_ref().is_none_or(|(most, ..)| found > *most) {
            best = Some((found, paths.rates, std::mem::take(&mut paths.verdicts), mean_keys, met));
        }
        if near.is_enough(found, recipe.recall) {
            break;
        }
    }
    let (found, rates, verdicts, mean_keys, met) = best.expect("one rate at least was tried");
    let recall = near.says_something().then_some(found);
    let expected = met.scaled(&similar, (sample.len(), sample.total()), rate_of(sample), recall);
    let paths = Paths {
        rates,
        verdicts,
        mean_keys,
        ..paths
    };
    Ok((paths, expected))
}

/// Texts that a sampled one stands for.
fn rate_of(sample: &Sample) -> f64 {
    libm::exp2(f64::from(sample.log2))
}

/// A path of a sampled text.
trait TextPath: Copy + Send + Sync {
    fn hash(&self) -> u64;
    fn text(&self) -> u32;
    fn path(&self) -> Path;
}

/// A path of one feature: its hash, its start and the text. A sample has more of these than of all others, so they are small.
#[derive(Clone, Copy)]
struct First {
    hash: u64,
    start: u32,
    text: u32,
}

impl TextPath for First {
    fn hash(&self) -> u64 {
        self.hash
    }

    fn text(&self) -> u32 {
        self.text
    }

    fn path(&self) -> Path {
        Path::of_start(self.hash, self.start)
    }
}

/// A path of any length.
#[derive(Clone, Copy)]
struct Further {
    path: Path,
    text: u32,
}

impl TextPath for Further {
    fn hash(&self) -> u64 {
        self.path.hash
    }

    fn text(&self) -> u32 {
        self.text
    }

    fn path(&self) -> Path {
        self.path
    }
}

/// Texts whose first paths are taken at one time.
const TEXTS_AT_ONCE: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };
/// Paths that are split at one time, of whole buckets: those that they become are in memory together.
const SPLIT_AT_ONCE: usize = if cfg!(test) { 1 << 10 } else { 1 << 16 };

/// The search for the verdicts of long paths.
struct Splitting<'a> {
    paths: &'a Paths,
    sample: &'a Sample,
    judge: Judge<'a>,
    /// A path of more sampled texts has a verdict.
    most: f64,
    kernel: Kernel,
}

/// Finds the verdicts, level by level, and counts what the sampled texts meet in.
fn split(paths: &mut Paths, sample: &Sample, judge: Judge<'_>, most: f64, kernel: Kernel) -> Met {
    let splitting = Splitting {
        paths,
        sample,
        judge,
        most,
        kernel,
    };
    let mut found = Split::default();
    splitting.decide(&splitting.firsts(), 1, &mut found);
    paths.verdicts.extend(&found.verdicts);
    found.met
}

/// What the splitting finds.
#[derive(Default)]
struct Split {
    verdicts: Vec<(u64, Verdict)>,
    met: Met,
    /// Memory for the texts of a bucket.
    texts: Vec<u32>,
}

impl Split {
    /// Passes the path and the texts of a bucket to `take`.
    fn count<P: TextPath>(&mut self, bucket: &[P], take: impl FnOnce(&mut Met, u64, &[u32])) {
        self.texts.clear();
        self.texts.extend(bucket.iter().map(TextPath::text));
        take(&mut self.met, bucket[0].hash(), &self.texts);
    }
}

impl Splitting<'_> {
    /// The paths of one feature of all texts, in order.
    fn firsts(&self) -> Vec<First> {
        let of_text = |scratch: &mut PathScratch, text: u32| {
            let mut own = Vec::new();
            let (features, weights) = (self.sample.features(text as usize), self.sample.weights(text as usize));
            let take = |path: Path| {
                own.push(First {
                    hash: path.hash,
                    start: path.start(),
                    text,
                });
            };
            self.paths.firsts(self.kernel, features, weights, scratch, take);
            own
        };
        let texts = self.sample.len() as u32;
        let mut firsts = Vec::new();
        // Lists of the threads and the whole list are in memory together, so the lists are short.
        for start in (0..texts).step_by(TEXTS_AT_ONCE) {
            let some = (start..texts.min(start + TEXTS_AT_ONCE as u32)).into_par_iter();
            firsts.par_extend(some.map_init(PathScratch::default, of_text).flatten_iter());
        }
        in_order(firsts)
    }

    /// Appends the verdicts of the large buckets of a level, and those of the levels that follow from it. The level is in order.
    fn decide<P: TextPath>(&self, level: &[P], depth: usize, all: &mut Split) {
        let (similar, rate) = (self.judge.similar, rate_of(self.sample));
        let mut buckets: Vec<&[P]> = Vec::new();
        for bucket in level.chunk_by(|a, b| a.hash() == b.hash()) {
            if bucket.len() as f64 > self.most {
                buckets.push(bucket);
            }
            if bucket.len() as f64 <= self.most + 2.0 {
                all.count(bucket, |met, path, texts| {
                    met.add(path, texts, self.most, rate, similar);
                });
            }
        }
        let decide = |bucket: &&[P]| (bucket[0].hash(), self.judge.verdict(bucket, depth));
        let found: Vec<(u64, Verdict)> = buckets.par_iter().map(decide).collect();
        let is_split = |(_, (_, verdict)): &(&&[P], &(u64, Verdict))| *verdict == Verdict::Split;
        let split: Vec<&[P]> = (buckets.iter().zip(&found).filter(is_split))
            .map(|(bucket, _)| *bucket)
            .collect();
        for (bucket, (_, verdict)) in buckets.iter().zip(&found) {
            all.count(bucket, |met, path, texts| {
                met.add_verdict(path, texts, *verdict, similar);
            });
        }
        all.verdicts.extend(found);
        let mut rest = &split[..];
        while !rest.is_empty() {
            let mut paths = 0;
            let fits = |bucket: &&&[P]| {
                paths += bucket.len();
                paths <= SPLIT_AT_ONCE
            };
            let fitting = rest.iter().take_while(fits).count();
            let (now, behind) = rest.split_at(fitting.max(1));
            self.decide(&self.further(now), depth + 1, all);
            rest = behind;
        }
    }

    /// The paths that those of some buckets become, in order.
    fn further<P: TextPath>(&self, buckets: &[&[P]]) -> Vec<Further> {
        let of_path = |scratch: &mut PathScratch, shorter: &P| {
            let mut own = Vec::new();
            let text = shorter.text();
            let (features, weights) = (self.sample.features(text as usize), self.sample.weights(text as usize));
            let take = |path| own.push(Further { path, text });
            self.paths
                .further(self.kernel, features, weights, &shorter.path(), scratch, take);
            own
        };
        let paths = buckets.par_iter().flat_map_iter(|bucket| bucket.iter());
        in_order(paths.map_init(PathScratch::default, of_path).flatten_iter().collect())
    }
}

/// Paths in order of their hashes, those of one hash in order of their texts.
fn in_order<P: TextPath>(mut paths: Vec<P>) -> Vec<P> {
    paths.par_sort_unstable_by_key(|path| (path.hash(), path.text()));
    paths
}

/// The most bytes that [`paths`] holds of this many texts, in addition to the sample: of `features` in all.
pub(super) fn held_bytes(texts: f64, features: f64, options: PathOptions) -> f64 {
    let first = f64::from(options.first + EVEN_RATES[EVEN_RATES.len() - 1]);
    let of_text = Similar::TEXT_BYTES as f64 + first * size_of::<First>() as f64;
    // The lists of the threads, and the whole list.
    let of_split = 2.0 * options.further * size_of::<Further>() as f64;
    Rarity::held_bytes(features) + texts * of_text + (texts * first).min(SPLIT_AT_ONCE as f64) * of_split
}

/// Says what becomes of a path that many sampled texts have.
#[derive(Clone, Copy)]
struct Judge<'a> {
    similar: &'a Similar<'a>,
    /// A path whose pairs have this cosine in the mean is a family; `None` where only near pairs count.
    least_mean: Option<f64>,
}

impl Judge<'_> {
    fn verdict<P: TextPath>(&self, bucket: &[P], depth: usize) -> Verdict {
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
        if missing == 0 || self.least_mean.is_some_and(|least| self.mean(bucket) >= least) {
            Verdict::Family
        } else if depth == MOST_DEPTH {
            Verdict::Dead
        } else {
            Verdict::Split
        }
    }

    /// The mean cosine of some pairs of the bucket, by their sketches.
    fn mean<P: TextPath>(&self, bucket: &[P]) -> f64 {
        let pairs: Vec<_> = (0..TRIED).filter_map(|at| pair(bucket, at)).collect();
        let sum: f64 = pairs.iter().map(|&(a, b)| self.similar.rough_cosine(a, b)).sum();
        sum / pairs.len().max(1) as f64
    }
}

/// A random pair of a path's texts; `None` where it is one text twice.
fn pair<P: TextPath>(bucket: &[P], number: u64) -> Option<(usize, usize)> {
    let seed = mix(bucket[0].hash());
    let draw = |at: u64| bucket[(mix(seed ^ at) % bucket.len() as u64) as usize].text() as usize;
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
