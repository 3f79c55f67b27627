//! What is frozen before the first search key: how rare features are, and which paths are split.
//!
//! In: the sources, and the schemes that are searched. Out: the [`Paths`] of each. The records are read once for the sample: those whose text has a low
//! hash. Texts with equal normalised form count once. So the sample is a function of the set of texts: order, threads and
//! batches change nothing.

pub(crate) mod crowds;
mod freeze;
pub(crate) mod frozen;
pub(crate) mod levels;
pub(crate) mod similar;
pub(crate) mod texts;

pub(crate) use freeze::most_unsplit;
pub use frozen::Frozen;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crowds::Bounds;
use texts::{Sample, is_sampled, sample_hash};

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::xxh3_128;
use crate::collection::ingest::IngestOptions;
use crate::collection::ingest::record_reader::{BLOCK_BYTES, BLOCKS_AHEAD, RecordReader, RecordWork};
use crate::encode::paths::Paths;
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
use crate::recipe::choose::BUCKET;
use crate::recipe::{PathOptions, Recipe};
use crate::source::{Fields, Record, Sources};
use crate::text::FieldKind;

/// Most features of all sampled texts: with more, the sample is halved. So many a record, from the least to 128 MiB, or to 512 MiB for an
/// index.
const FEATURES_A_RECORD: usize = 16;
const LEAST_FEATURES: usize = 1 << 20;
const MOST_FEATURES: usize = 1 << 24;

/// The paths of each scheme that is searched by paths, made of a sample of the texts.
pub(crate) fn freeze(
    sources: &Sources,
    how: &IngestOptions,
    schemes: &[(&Scheme, &Recipe)],
    ctx: &Context<'_>,
) -> Result<Vec<Option<Frozen>>> {
    if schemes.iter().all(|(_, recipe)| recipe.paths.is_none()) {
        return Ok(schemes.iter().map(|_| None).collect());
    }
    let dir = how.run_dir.as_deref();
    if let Some(dir) = dir
        && let Some(paths) = frozen::read(dir)?
    {
        return Ok(known(paths));
    }
    let each = of_sample(sources, &how.text_field, how.batch, schemes, ctx)?;
    if let Some(dir) = dir {
        frozen::write(dir, &each)?;
    }
    Ok(each)
}

/// The paths of each scheme that is searched by paths, made of a sample of the texts of some sources.
pub(crate) fn of_sample(
    sources: &Sources,
    text_field: &[String],
    batch: usize,
    schemes: &[(&Scheme, &Recipe)],
    ctx: &Context<'_>,
) -> Result<Vec<Option<Frozen>>> {
    let by_paths = schemes
        .iter()
        .filter_map(|(scheme, recipe)| Some((*scheme, recipe.paths?)));
    let by_paths: Vec<(&Scheme, PathOptions)> = by_paths.collect();
    if by_paths.is_empty() {
        return Ok(schemes.iter().map(|_| None).collect());
    }
    let mut samples = take(sources, text_field, batch, &by_paths, sources.len(), ctx)?.into_iter();
    let of_scheme = |(_, recipe): &(&Scheme, &Recipe)| {
        let of = |options| Frozen::of(samples.next().unwrap_or_default(), 1.0, (recipe, options), ctx);
        recipe.paths.map(of).transpose()
    };
    let mut each: Vec<Option<Frozen>> = schemes.iter().map(of_scheme).collect::<Result<_>>()?;
    crowds::split(
        &mut each,
        (sources, text_field, batch),
        schemes,
        1.0,
        &Bounds::DEFAULT,
        ctx,
    )?;
    Ok(each)
}

/// The frozen sets of paths that were made before.
pub(crate) fn known(paths: Vec<Option<Arc<Paths>>>) -> Vec<Option<Frozen>> {
    paths.into_iter().map(|paths| paths.map(Frozen::known)).collect()
}

/// The paths of a collection of `records` records, from sources that are a random part of it. The sample has one text in `2^log2` of the
/// collection. `None` if the recipe, which is that of the collection, has no paths.
pub(crate) fn freeze_part(
    (sources, log2): (&Sources, u32),
    text_field: &[String],
    (scheme, recipe): (&Scheme, &Recipe),
    records: u64,
    ctx: &Context<'_>,
) -> Result<Option<Frozen>> {
    let Some(options) = recipe.paths else {
        return Ok(None);
    };
    let taken = PathOptions {
        sample_log2: log2,
        ..options
    };
    let mut samples = take(sources, text_field, 0, &[(scheme, taken)], sources.len(), ctx)?;
    let scale = records as f64 / sources.len().max(1) as f64;
    let mut each = [Some(Frozen::of(
        samples.pop().unwrap_or_default(),
        scale,
        (recipe, options),
        ctx,
    )?)];
    let by = [(scheme, recipe)];
    crowds::split(&mut each, (sources, text_field, 0), &by, scale, &Bounds::DEFAULT, ctx)?;
    let [frozen] = each;
    Ok(frozen)
}

/// The most bytes that [`freeze`] holds under one scheme on this many threads: of `records` records of `mean_bytes` bytes, whose texts
/// have `features` features in the mean, each with a weight where they are `weighted`.
pub(crate) fn held_bytes(
    (records, mean_bytes, features): (f64, f64, f64),
    weighted: bool,
    options: PathOptions,
    threads: usize,
) -> f64 {
    let rate = libm::exp2(-f64::from(options.sample_log2));
    let sampled = records * rate;
    let most = most_features(records as usize, options.bucket);
    let all = (sampled * features).min(most as f64);
    // A sample of too many features is halved, so it has fewer texts.
    let texts = if features > 0.0 { all / features } else { sampled };
    let feature_bytes = if weighted { 12.0 } else { 8.0 };
    // The batches of some blocks are in memory while texts are taken: see `blocks_ahead`.
    let blocks =
        (most as f64 / rate / BLOCK_BYTES as f64).clamp(threads.max(1) as f64, (BLOCKS_AHEAD * threads.max(1)) as f64);
    let batches = (blocks * BLOCK_BYTES as f64 / mean_bytes.max(1.0)).min(records) * rate * features;
    let taking = batches * feature_bytes + texts * Distinct::TEXT_BYTES as f64;
    let freezing = freeze::held_bytes(texts, all, options);
    all * feature_bytes + texts * Sample::TEXT_BYTES as f64 + taking.max(freezing)
}

/// Most features of the sample of this many records, whose paths are split where they have more texts than `bucket`: to see smaller ones
/// takes a larger sample.
fn most_features(records: usize, bucket: u32) -> usize {
    let most = if bucket < BUCKET {
        4 * MOST_FEATURES
    } else {
        MOST_FEATURES
    };
    (FEATURES_A_RECORD.saturating_mul(records)).clamp(LEAST_FEATURES, most)
}

/// The paths of a collection of `records` records, made of the texts that [`is_sampled_text`] picks of it; `texts` has each at least
/// once. `None` where they were sampled at a lower rate than the collection asks for: then `log2` was too high.
pub(crate) fn freeze_sampled(
    texts: &Sources,
    records: usize,
    log2: u32,
    (scheme, recipe): (&Scheme, &Recipe),
    options: PathOptions,
    ctx: &Context<'_>,
) -> Result<Option<Frozen>> {
    let sampled = PathOptions {
        sample_log2: log2,
        ..options
    };
    let mut samples = take(texts, &["text".to_owned()], 0, &[(scheme, sampled)], records, ctx)?;
    let sample = samples.pop().unwrap_or_default();
    if log2 > options.sample_log2 && sample.log2 == log2 {
        return Ok(None);
    }
    Frozen::of(sample, 1.0, (recipe, options), ctx).map(Some)
}

/// Whether a text is in the sample of one of `2^log2`.
pub(crate) fn is_sampled_text(text: &str, log2: u32) -> bool {
    is_sampled(sample_hash(text), log2)
}

/// The samples under each scheme, of a collection of `records` records.
fn take(
    sources: &Sources,
    text_field: &[String],
    batch: usize,
    schemes: &[(&Scheme, PathOptions)],
    records: usize,
    ctx: &Context<'_>,
) -> Result<Vec<Sample>> {
    let takes = FieldKind::of_all(schemes.iter().map(|(scheme, _)| scheme.takes()));
    let fields = Fields::of_text(text_field, takes);
    let reader = RecordReader {
        sources,
        fields: &fields,
        block_bytes: BLOCK_BYTES,
        batch,
        stage: "sample",
        from: 0,
        to: sources.len(),
    };
    let work = Take {
        schemes,
        log2: AtomicU32::new(schemes[0].1.sample_log2),
        most_features: most_features(records, schemes[0].1.bucket),
    };
    let mut all: Vec<Distinct> = schemes.iter().map(|_| Distinct::default()).collect();
    reader.each_batch(&work, ctx, |batch, _| {
        for (all, (taken, hashes)) in all.iter_mut().zip(&batch) {
            all.add(taken, hashes, &work);
        }
        Ok(())
    })?;
    let log2 = work.log2.load(Ordering::Relaxed);
    Ok(all.into_iter().map(|distinct| distinct.finish(log2)).collect())
}

/// The work of sampling on each record.
struct Take<'a> {
    schemes: &'a [(&'a Scheme, PathOptions)],
    /// One text of `2^log2` is taken; grows where the texts have too many features.
    log2: AtomicU32,
    most_features: usize,
}

impl RecordWork for Take<'_> {
    type Scratch = Scratch;
    /// Under each scheme the texts, with the hash of each as it was read.
    type Batch = Vec<(Sample, Vec<u64>)>;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn batch(&self, _records: usize) -> Result<Self::Batch> {
        Ok(self.schemes.iter().map(|_| Default::default()).collect())
    }

    fn add(&self, record: Record<'_>, scratch: &mut Scratch, batch: &mut Self::Batch) -> Result<(), UnusableText> {
        let hash = sample_hash(&record.text);
        if !is_sampled(hash, self.log2.load(Ordering::Relaxed)) {
            return Ok(());
        }
        for ((scheme, _), (sample, hashes)) in self.schemes.iter().zip(batch) {
            scheme.extract(&record.text, scratch)?;
            if !scratch.features.is_empty() {
                let digest = xxh3_128(scratch.text.exact());
                sample.push(digest, scratch.features.hashes(), &scratch.weights);
                hashes.push(hash);
            }
        }
        Ok(())
    }

    fn add_failed(&self, _batch: &mut Self::Batch) {}

    /// A byte of text has a feature at most. So the blocks hold about as many features as the sample may have, and the rate falls before
    /// there are many more: 10,000 texts of 2 kB took 216 MB when all of them were in memory.
    fn blocks_ahead(&self, threads: usize) -> usize {
        let bytes = self.most_features << self.log2.load(Ordering::Relaxed);
        (bytes / BLOCK_BYTES as usize).clamp(threads, BLOCKS_AHEAD * threads)
    }
}

/// Sampled texts, each normalised form once.
#[derive(Default)]
struct Distinct {
    sample: Sample,
    /// One hash of each text: that of the form sampled at the lowest rate. So it does not matter which form is read
    /// first.
    hashes: Vec<u64>,
    place_of: HashMap<u128, usize>,
}

impl Distinct {
    /// Bytes for each text in addition to the sample: its hash, and its place in a table that is half empty.
    const TEXT_BYTES: usize = 8 + 2 * (16 + 16);

    fn add(&mut self, taken: &Sample, hashes: &[u64], work: &Take<'_>) {
        for (at, &hash) in hashes.iter().enumerate() {
            if !is_sampled(hash, work.log2.load(Ordering::Relaxed)) {
                continue;
            }
            self.push(taken, at, hash);
            while self.sample.total() > work.most_features && self.sample.len() > 1 {
                self.halve(work.log2.fetch_add(1, Ordering::Relaxed) + 1);
            }
        }
    }

    /// Adds a text of another sample, or another form of one that is there.
    fn push(&mut self, from: &Sample, at: usize, hash: u64) {
        let place = *self.place_of.entry(from.digests[at]).or_insert(self.hashes.len());
        if let Some(known) = self.hashes.get_mut(place) {
            if hash.trailing_zeros() > known.trailing_zeros() {
                *known = hash;
            }
            return;
        }
        self.sample.push(from.digests[at], from.features(at), from.weights(at));
        self.hashes.push(hash);
    }

    /// Leaves the texts that are sampled at a lower rate.
    fn halve(&mut self, log2: u32) {
        let Self {
            sample,
            hashes,
            place_of,
        } = self;
        sample.retain(|at| is_sampled(hashes[at], log2));
        hashes.retain(|&hash| is_sampled(hash, log2));
        place_of.clear();
        place_of.extend(sample.digests.iter().enumerate().map(|(at, &digest)| (digest, at)));
    }

    fn finish(mut self, log2: u32) -> Sample {
        self.halve(log2);
        self.sample.log2 = log2;
        self.sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::{mix, xxh3_64};
    use crate::base::kernel::Kernel;
    use crate::encode::paths::PathScratch;
    use crate::recipe::Threshold;
    use crate::tests::support::{near_by_features, options};

    /// More blocks are ahead as the rate falls: a block a thread at least, and no more than of other passes.
    #[test]
    fn the_blocks_ahead_hold_about_as_many_features_as_the_sample_may() {
        let blocks = |log2: u32| {
            let work = Take {
                schemes: &[],
                log2: AtomicU32::new(log2),
                most_features: 1 << 20,
            };
            [1, 8].map(|threads| work.blocks_ahead(threads))
        };
        assert_eq!(blocks(0), [2, 8]);
        assert_eq!(blocks(3), [4, 16]);
        assert_eq!(blocks(20), [BLOCKS_AHEAD, 8 * BLOCKS_AHEAD]);
    }

    #[test]
    fn the_sample_of_an_index_may_have_more_features() {
        let scheme = Scheme::parse("chars128").unwrap();
        let plain = Recipe::new(&scheme, Threshold::Similarity(0.6), 0.98, 0, 1 << 25).unwrap();
        let looked_up = plain.clone().looked_up();
        assert_ne!(plain.digest(), looked_up.digest());
        let most = |recipe: &Recipe, records: usize| most_features(records, recipe.paths.unwrap().bucket);
        assert_eq!(most(&plain, 1 << 25), MOST_FEATURES);
        assert_eq!(most(&looked_up, 1 << 25), 4 * MOST_FEATURES);
        assert_eq!(most(&looked_up, 1 << 18), most(&plain, 1 << 18));
    }

    fn frozen(texts: &[String], threads: usize, batch: usize) -> Arc<Paths> {
        let by = options(&["first"]);
        let how = IngestOptions {
            text_field: by.text_field.clone(),
            id_field: by.id_field.clone(),
            keep: by.keep.clone(),
            rules: by.rules.clone(),
            batch,
            run_dir: None,
        };
        let recipe = Recipe::new(&by.scheme, Threshold::Similarity(0.65), 0.98, 0, 1 << 14).unwrap();
        let sources = Sources::from_texts(texts.iter().map(String::as_str));
        let ctx = Context::small(threads);
        let mut each = freeze(&sources, &how, &[(&by.scheme, &recipe)], &ctx).unwrap();
        each.remove(0).unwrap().paths
    }

    #[test]
    fn what_is_frozen_is_a_function_of_the_set_of_texts() {
        let word = |at: u64| format!("{:x}", mix(at) % 3000);
        // Each normalised form is there in three ways; some words are common to many.
        let texts: Vec<String> = (0..1500_u64)
            .map(|at| {
                let text = (0..25)
                    .map(|place| word(mix(((at / 3) << 8) | place) % 8))
                    .collect::<Vec<_>>()
                    .join(" ");
                match at % 3 {
                    0 => text,
                    1 => text.to_uppercase(),
                    _ => text.replace(' ', "  "),
                }
            })
            .collect();
        let first = frozen(&texts, 1, 0);
        assert!(!first.fates.is_empty() && first.mean_keys > 5.0, "{}", first.mean_keys);
        let mut shuffled = texts.clone();
        shuffled.sort_unstable_by_key(|text| mix(xxh3_64(text.as_bytes())));
        let reversed: Vec<String> = texts.iter().rev().cloned().collect();
        let twice = [&texts[..], &texts[..]].concat();
        for (texts, threads, batch) in [(&shuffled, 2, 7), (&reversed, 1, 1), (&twice, 2, 0)] {
            let again = frozen(texts, threads, batch);
            assert_eq!(again, first);
            assert_eq!(frozen::digest_of(&again), frozen::digest_of(&first));
        }
        let others = frozen(&texts[..1400], 1, 0);
        assert_ne!(frozen::digest_of(&others), frozen::digest_of(&first));
    }

    #[test]
    fn a_family_at_the_threshold_is_one_key_and_is_not_split() {
        // A template, and own words of any length: the shorter ones are near one another, by the template alone.
        let template = (0..21).fold(String::new(), |text, at| text + &format!("{:x} ", mix(at) >> 40));
        let text = |at: u64| {
            format!(
                "{template}{:x}",
                u128::from(mix(at + 100)) << 64 | u128::from(mix(at + 9000))
            )
        };
        let texts: Vec<String> = (0..3000_u64)
            .map(|at| (0..=mix(at) % 6).fold(text(at), |text, own| text + &format!(" {:x}", mix(at << 9 | own))))
            .collect();
        let paths = frozen(&texts, 2, 0);
        assert!(paths.mean_keys < 20.0, "{}", paths.mean_keys);
        let scheme = options(&["first"]).scheme;
        let kernel = Kernel::active();
        let keys = |text: &String| {
            let (mut scratch, mut keys) = (Scratch::default(), Vec::new());
            scheme.extract(text, &mut scratch).unwrap();
            let features = scratch.features.hashes();
            paths.keys(kernel, features, &[], &mut PathScratch::default(), &mut keys);
            keys
        };
        let (mut near, mut met) = (0, 0);
        for (a, b) in texts[..400].iter().zip(&texts[400..800]) {
            if near_by_features(Threshold::Similarity(0.65), &scheme, a, b) {
                near += 1;
                let own = keys(a);
                met += u32::from(keys(b).iter().any(|key| own.contains(key)));
            }
        }
        assert!(near > 10 && 10 * met >= 9 * near, "{met} of {near}");
    }
}
