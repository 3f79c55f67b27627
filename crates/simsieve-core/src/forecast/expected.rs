//! What a search will meet, counted on the sample and scaled up to the collection.
//!
//! The frozen paths of the sampled texts are walked once more. Texts of one unsplit path meet in a key. A pair is sampled
//! with the square of the rate at which a text is.

use std::collections::HashMap;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::encode::paths::{Fate, Paths};
use crate::encode::scheme::Scheme;
use crate::recipe::Recipe;
use crate::search::sample::levels::{TextPath, Visit, buckets, walk};
use crate::search::sample::similar::Similar;
use crate::search::sample::{Frozen, freeze_part, most_unsplit};
use crate::source::Sources;

/// What a sample says of the search of all texts. Counts are of the whole collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Texts that were sampled; equal ones count once.
    pub sampled: u64,
    /// Texts that each of them stands for.
    pub rate: f64,
    /// Distinct features of a text in the mean.
    pub features: f64,
    /// Search keys of a text in the mean.
    pub keys: f64,
    /// Pairs that meet in a key, once for each.
    pub looks: f64,
    /// Different pairs of these that pass the filter and are not near, and whose earlier text is kept.
    pub strangers: f64,
    /// Those of them whose later text is kept too.
    pub kept_strangers: f64,
    /// The share of them that the bits of their features do not rule out.
    pub by_bits: f64,
    /// Texts that are near another one and dropped for it.
    pub near: f64,
    /// Near pairs of the sample, from which this follows: few say little.
    pub near_pairs: u64,
    /// Texts in groups with many near and many far pairs: their cost is not known before the search.
    pub crowd: f64,
    /// The share of the near pairs of the sample that have a key in common; `None` where there are too few.
    pub recall: Option<f64>,
}

/// Sampled groups of this many near texts are parts of large groups.
const LARGE: u32 = 8;
/// Pairs of a family that are compared.
const TRIED: u64 = 64;
/// Of a group that is no crowd this share of the pairs is near.
const NEAR_IN_FAMILY: f64 = 0.75;
/// Crowds cost a notable part of a search if more than one text in this many is in a crowd.
const CROWDED_OF: f64 = 100.0;

/// The share of texts that is near another one in most collections.
const USUAL_NEAR: f64 = 0.2;
/// Near pairs of the sample that the usual share of near texts is worth, where the sample has few.
const USUAL_PAIRS: f64 = 4.0;

/// What a search by frozen paths of the sources is expected to meet; `None` where no sample was taken here.
///
/// # Errors
/// The threads cannot be started.
pub fn expected(sources: &Sources, frozen: &Frozen, recipe: &Recipe, ctx: &Context<'_>) -> Result<Option<Expected>> {
    let (Some(similar), Some(options)) = (&frozen.sample, recipe.paths) else {
        return Ok(None);
    };
    let paths = &*frozen.paths;
    let mut met = Met {
        similar,
        paths,
        most: most_unsplit(similar, options),
        texts: Vec::new(),
        keys: 0,
        looks: 0.0,
        strange: Vec::new(),
        near: Vec::new(),
        families: Vec::new(),
        crowded: Vec::new(),
    };
    let how = (ctx.kernel(), ctx.tuning);
    let found = ctx.pool()?.install(|| {
        walk(paths, &similar.sample, how, &mut met);
        met.scaled(similar.says_something().then(|| similar.found_by(paths)))
    });
    let old = sources.len() - sources.new_len();
    Ok(Some(found.with_old(old as f64 / sources.len().max(1) as f64)))
}

/// Forecasts what a search of `records` records meets, from sources that are a random part of them. `None` if the recipe,
/// which is that of the collection, has no paths.
///
/// # Errors
/// As [`crate::collection::ingest::ingest`].
pub fn expect(
    sources: &Sources,
    text_field: &[String],
    by: (&Scheme, &Recipe),
    records: u64,
    ctx: &Context<'_>,
) -> Result<Option<Expected>> {
    // The part has the sample that it would have alone.
    let (scheme, recipe) = by;
    let alone = Recipe::new(
        scheme,
        recipe.threshold,
        recipe.recall,
        recipe.seed,
        sources.len() as u64,
    )?;
    let log2 = alone.paths.map_or(0, |alone| alone.sample_log2);
    match freeze_part((sources, log2), text_field, by, records, ctx)? {
        Some(frozen) => expected(sources, &frozen, recipe, ctx),
        None => Ok(None),
    }
}

/// Counts on the sample, level by level.
struct Met<'a> {
    similar: &'a Similar,
    paths: &'a Paths,
    most: f64,
    /// The texts of the bucket at hand.
    texts: Vec<u32>,
    keys: u64,
    looks: f64,
    strange: Vec<(u32, u32)>,
    near: Vec<(u32, u32)>,
    /// Pairs of neighbours in families, which connect all their texts.
    families: Vec<(u32, u32)>,
    crowded: Vec<u32>,
}

impl Visit for Met<'_> {
    fn split<'l, P: TextPath>(&mut self, level: &'l [P], _depth: usize) -> Vec<&'l [P]> {
        let mut split = Vec::new();
        for bucket in buckets(level) {
            let (path, count) = (bucket[0].hash(), bucket.len() as f64);
            self.texts.clear();
            self.texts.extend(bucket.iter().map(TextPath::text));
            let fate = self.paths.fates.get(path);
            // Small excesses over the most count in part. The second freeze splits paths that this sample does not see.
            if count <= self.most + 2.0 && (count > self.most || fate.is_none()) {
                self.add(path);
            }
            match fate {
                Some(Fate::Split) => split.push(bucket),
                Some(Fate::Family) => self.add_family(path),
                Some(Fate::Dead) | None => {}
            }
        }
        split
    }
}

impl Met<'_> {
    /// Adds a path and the texts that have it.
    fn add(&mut self, path: u64) {
        let count = self.texts.len() as f64;
        if count <= self.most {
            self.keys += self.texts.len() as u64;
        }
        let weight = as_leaf(count - self.most, 1.0 / self.similar.rate);
        if self.texts.len() < 2 || weight <= 0.0 {
            return;
        }
        self.looks += weight * count * (count - 1.0) / 2.0;
        for (at, &a) in self.texts.iter().enumerate() {
            for &b in &self.texts[at + 1..] {
                let drawn = mix(path ^ mix(u64::from(a) << 32 | u64::from(b))) >> 11;
                if (drawn as f64) < weight * (1_u64 << 53) as f64 && self.similar.passes(a as usize, b as usize) {
                    let pairs = if self.similar.are_near(a as usize, b as usize) {
                        &mut self.near
                    } else {
                        &mut self.strange
                    };
                    pairs.push((a.min(b), a.max(b)));
                }
            }
        }
    }

    /// Adds the path of a family and the texts that have it.
    fn add_family(&mut self, path: u64) {
        let texts = &self.texts;
        self.keys += texts.len() as u64;
        self.families.extend(texts.windows(2).map(|pair| (pair[0], pair[1])));
        let draw = |at: u64| texts[(mix(mix(path) ^ at) % texts.len() as u64) as usize] as usize;
        let pairs = (0..TRIED).map(|at| (draw(2 * at), draw(2 * at + 1)));
        let different: Vec<(usize, usize)> = pairs.filter(|(a, b)| a != b).collect();
        let near = different.iter().filter(|&&(a, b)| self.similar.are_near(a, b)).count();
        if (near as f64) < NEAR_IN_FAMILY * different.len() as f64 {
            self.crowded.extend_from_slice(texts);
        }
    }

    /// The counts of the collection.
    fn scaled(mut self, recall: Option<f64>) -> Expected {
        let (similar, rate) = (self.similar, self.similar.rate);
        let (sampled, features) = (similar.sample.len(), similar.sample.total());
        for pairs in [&mut self.strange, &mut self.near] {
            pairs.sort_unstable();
            pairs.dedup();
        }
        self.crowded.sort_unstable();
        self.crowded.dedup();
        let (texts, found) = ((sampled as f64).max(1.0), self.near.len() as f64);
        let groups = groups(self.near.iter().chain(&self.families));
        let usual = USUAL_NEAR * texts / rate;
        let pairs = if usual > 0.0 {
            usual * (found + USUAL_PAIRS) / (usual + USUAL_PAIRS)
        } else {
            found
        };
        let near = if rate <= 1.0 {
            dropped(&sizes(&groups), rate)
        } else if found > 0.0 {
            dropped(&sizes(&groups), rate) * pairs / found
        } else {
            dropped(&sizes(&groups), rate) + pairs * rate * rate
        };
        let near = near.min(texts * rate);
        // The other near texts have no sampled one in their group.
        let kept = 1.0 - near / (texts * rate);
        let kept_of = |text: u32| groups.get(&text).map_or(kept, |(_, size)| 1.0 / f64::from(*size));
        let (mut strangers, mut both, mut passed) = (0.0, 0.0, 0.0);
        for &(a, b) in &self.strange {
            let (first, second) = (kept_of(a), kept_of(b));
            strangers += f64::midpoint(first, second);
            both += first * second;
            if similar.bits_rule_out(a as usize, b as usize) {
                continue;
            }
            passed += first * second;
        }
        Expected {
            sampled: sampled as u64,
            rate,
            features: features as f64 / texts,
            keys: self.keys as f64 / texts,
            looks: self.looks * rate * rate,
            strangers: strangers * rate * rate,
            kept_strangers: both * rate * rate,
            by_bits: if both > 0.0 { passed / both } else { 1.0 },
            near,
            near_pairs: self.near.len() as u64,
            crowd: self.crowded.len() as f64 * rate,
            recall,
        }
    }
}

/// The part of the pairs of a path that meet in it: the chance that the path is no split one for two texts that are drawn anew. `above`
/// is how many sampled texts it has above the most of an unsplit one, and `share` the share of texts that are sampled. Without this
/// the paths that are split because of a pair would be missing.
fn as_leaf(above: f64, share: f64) -> f64 {
    if above <= 0.0 {
        1.0
    } else if above <= 1.0 {
        1.0 - share * share
    } else if above <= 2.0 {
        (1.0 - share) * (1.0 - share)
    } else {
        0.0
    }
}

/// For each text of some pairs the first text of the group that they connect, and the size of the group.
fn groups<'a>(pairs: impl Iterator<Item = &'a (u32, u32)>) -> HashMap<u32, (u32, u32)> {
    fn first(group_of: &mut HashMap<u32, u32>, text: u32) -> u32 {
        let mut at = text;
        while let Some(&next) = group_of.get(&at).filter(|&&next| next != at) {
            let further = group_of.get(&next).copied().unwrap_or(next);
            group_of.insert(at, further);
            at = further;
        }
        group_of.entry(at).or_insert(at);
        at
    }
    let mut group_of: HashMap<u32, u32> = HashMap::new();
    for &(a, b) in pairs {
        let (a, b) = (first(&mut group_of, a), first(&mut group_of, b));
        group_of.insert(a.max(b), a.min(b));
    }
    let texts: Vec<u32> = group_of.keys().copied().collect();
    let firsts: Vec<(u32, u32)> = texts.iter().map(|&text| (text, first(&mut group_of, text))).collect();
    let mut sizes: HashMap<u32, u32> = HashMap::new();
    for (_, first) in &firsts {
        *sizes.entry(*first).or_default() += 1;
    }
    firsts
        .into_iter()
        .map(|(text, first)| (text, (first, sizes[&first])))
        .collect()
}

/// The sizes of groups, ascending.
fn sizes(groups: &HashMap<u32, (u32, u32)>) -> Vec<u32> {
    let firsts = groups.iter().filter(|(text, (first, _))| *text == first);
    let mut sizes: Vec<u32> = firsts.map(|(_, (_, size))| *size).collect();
    sizes.sort_unstable();
    sizes
}

/// The texts of all groups but one of each, by the sizes of the sampled parts of groups. A sampled pair may be of a pair or of a larger
/// group: the pairs and the triples tell the size of a group in the mean.
fn dropped(sizes: &[u32], rate: f64) -> f64 {
    if rate <= 1.0 {
        return sizes.iter().map(|&size| f64::from(size) - 1.0).sum();
    }
    let (small, large) = sizes.split_at(sizes.partition_point(|&size| size < LARGE));
    let large: f64 = large.iter().map(|&size| f64::from(size) * rate).sum();
    let pairs: f64 = small
        .iter()
        .map(|&size| f64::from(size) * f64::from(size - 1) / 2.0)
        .sum();
    let triples: f64 = (small.iter().map(|&size| f64::from(size)))
        .map(|size| size * (size - 1.0) * (size - 2.0) / 6.0)
        .sum();
    if pairs == 0.0 {
        return large;
    }
    let mean = 2.0 + 3.0 * rate * triples / pairs;
    large + 2.0 * rate * rate * pairs / mean
}

impl Expected {
    /// Texts that are different and can be near another.
    pub fn rows(&self) -> f64 {
        self.sampled as f64 * self.rate
    }

    /// Whether the collection has a crowd that is no small part of it.
    pub fn is_crowded(&self) -> bool {
        self.crowd * CROWDED_OF > self.rows()
    }

    /// The same where so large a share of the texts is old: pairs of two old ones are not looked at, and none is dropped.
    #[must_use]
    pub(crate) fn with_old(self, share: f64) -> Self {
        let pairs = 1.0 - share * share;
        Self {
            looks: self.looks * pairs,
            strangers: self.strangers * pairs,
            kept_strangers: self.kept_strangers * pairs,
            near: self.near * (1.0 - share),
            ..self
        }
    }
}

#[cfg(test)]
#[path = "expected_tests.rs"]
mod tests;
