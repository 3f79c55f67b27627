//! Texts in memory to fingerprints and features, for callers who bring their own texts.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_64;
use crate::base::kernel::Kernel;
use crate::encode::scheme::{Scheme, Scratch, UnusableText, first_unusable};
use crate::encode::tokenize::windows::windows;

/// A distinct feature of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its characters.
    pub text: String,
    /// The low 64 bits of its hash; of schemes on characters and words the XXH3-64 of its UTF-8.
    pub hash: u64,
    /// How often it occurs; 1 of an element of a page, whose weight has the number in it.
    pub count: u32,
    /// Its integer weight.
    pub weight: u32,
}

/// The features of a text in the order of their first occurrence.
///
/// # Errors
/// [`Error::Text`] where the scheme cannot use the text.
pub fn features_of(scheme: &Scheme, text: &str) -> Result<Vec<Feature>> {
    let mut scratch = Scratch::default();
    if let Some(named) = scheme.named_structure(text) {
        let refused = |error: Error| UnusableText::new(error.to_string()).of_text(0);
        let row = |(text, hash, weight)| Feature {
            text,
            hash,
            count: 1,
            weight,
        };
        return Ok(named.map_err(refused)?.into_iter().map(row).collect());
    }
    if !scheme.has_windows() {
        scheme
            .extract(text, &mut scratch)
            .map_err(|refusal| refusal.of_text(0))?;
        let rows = scheme.distinct_tokens(&scratch).into_iter().enumerate();
        let of = |list: &[u32], at: usize| list.get(at).copied().unwrap_or(1);
        return Ok(rows
            .map(|(at, (text, hash))| Feature {
                text,
                hash,
                count: of(scratch.features.counts(), at),
                weight: of(&scratch.weights, at),
            })
            .collect());
    }
    scheme
        .normalise(text, &mut scratch)
        .map_err(|refusal| refusal.of_text(0))?;
    let mut places = std::collections::HashMap::new();
    let mut all: Vec<Feature> = Vec::new();
    windows(&scratch.text, scheme.window(), &mut Vec::new(), |bytes| {
        let hash = xxh3_64(bytes);
        let place = *places.entry(hash).or_insert(all.len());
        if place == all.len() {
            all.push(Feature {
                text: String::from_utf8_lossy(bytes).into_owned(),
                hash,
                count: 0,
                weight: 0,
            });
        }
        all[place].count += 1;
    });
    for feature in &mut all {
        feature.weight = scheme.weight(feature.hash, feature.count);
    }
    Ok(all)
}

/// Fingerprints of `texts`: words, row-major and little-endian, zeros where a text has none; and which rows have one.
/// The first text has the number `first` in messages.
///
/// # Errors
/// [`Error::Text`] for the first text that the scheme cannot use, or whose normalised form is longer than 1 GiB.
pub fn transform<S: AsRef<str> + Sync>(
    scheme: &Scheme,
    texts: &[S],
    first: usize,
    ctx: &Context<'_>,
) -> Result<(Vec<u64>, Vec<bool>)> {
    const GROUP: usize = 8192;
    let pool = ctx.pool()?;
    let (words, kernel) = (scheme.words(), Kernel::active());
    let mut values = vec![0; texts.len() * words];
    let mut valid = vec![false; texts.len()];
    let groups = texts
        .chunks(GROUP)
        .zip(values.chunks_mut(GROUP * words))
        .zip(valid.chunks_mut(GROUP));
    for (at, ((texts_here, values), valid)) in groups.enumerate() {
        ctx.tick("fingerprint", (at * GROUP) as u64, texts.len() as u64)?;
        pool.install(|| {
            let rows = texts_here
                .par_iter()
                .zip(values.par_chunks_mut(words))
                .zip(valid.par_iter_mut())
                .enumerate();
            let refused = rows
                .with_min_len(16)
                .map_init(Scratch::default, |scratch, (row, ((text, words), valid))| {
                    if let Err(refusal) = scheme.extract(text.as_ref(), scratch) {
                        return Some((first + at * GROUP + row, refusal));
                    }
                    *valid = scheme.fingerprint(kernel, scratch, words);
                    None
                });
            first_unusable(refused.flatten_iter())
        })?;
    }
    ctx.tick("fingerprint", texts.len() as u64, texts.len() as u64)?;
    Ok((values, valid))
}

#[cfg(test)]
mod tests {
    use crate::encode::fingerprint::{fold, plain_sums};

    use super::*;

    #[test]
    fn the_composed_path_gives_the_fused_paths_bits() {
        let text = "The composed path, 组合的路径, gives the fused path's bits; the the the.";
        for spec in [
            "chars64",
            "chars128:weights=log",
            "chars256:n=3,weights=tf",
            "words128:weights=log",
            "words256",
            "simhash64",
            "keywords64:top=5",
            "lines_tfidf64",
            "esimhash_baseline64:weights=once",
        ] {
            let scheme = Scheme::parse(spec).unwrap();
            let features: Vec<(u64, u32)> = features_of(&scheme, text)
                .unwrap()
                .iter()
                .map(|f| (f.hash, f.weight))
                .collect();
            let (values, valid) = transform(&scheme, &[text, ""], 0, &Context::silent(1)).unwrap();
            assert_eq!(
                Some(values[..scheme.words()].to_vec()),
                fold(&features, scheme.width()).unwrap()
            );
            assert_eq!(fold(&[(7, 0)], scheme.width()).unwrap(), None);
            assert_eq!(valid, [true, false]);
            let mut scratch = Scratch::default();
            scheme.extract(text, &mut scratch).unwrap();
            assert_eq!(
                scheme.sums(Kernel::active(), &mut scratch),
                plain_sums(features, scheme.width())
            );
        }
    }
}
