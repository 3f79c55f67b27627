//! Words by their parts of speech: which are features, and what these make them weigh.

use super::cut::{Tokens, each_run};
use super::words::WordOptions;
use super::{Scratch, UnusableText};
use crate::encode::model::Idf;
use crate::encode::weight::Weights;

impl Tokens {
    /// Takes the words of a text that have a tag which is asked for.
    ///
    /// The whole text is tagged, since what stands before a word has a say in its tag. Han words are those of the tagger, cut
    /// at the ends of their run; what else stands in a row has the tag that it begins with.
    pub(super) fn take_tagged(&mut self, text: &str, words: &WordOptions) {
        let mut room = std::mem::take(&mut self.segment);
        // Where each tagged word ends; together they are the text.
        let mut tagged: Vec<(usize, Option<f64>)> = Vec::new();
        words.segmenter().tag(text, words.hmm(), &mut room, |place, tag| {
            tagged.push((place.end, words.tags().factor(tag)));
        });
        self.segment = room;
        let mut next = 0;
        // Places are asked for in ascending order.
        let mut at = |place: usize| {
            while tagged[next].0 <= place {
                next += 1;
            }
            tagged[next]
        };
        each_run(text, |run, is_han| {
            if is_han {
                let mut begin = run.start;
                while begin < run.end {
                    let (end, factor) = at(begin);
                    let end = end.min(run.end);
                    self.add_tagged(&text[begin..end], factor, words);
                    begin = end;
                }
            } else {
                let whole = &text[run.clone()];
                words.each_of_run(whole, |word| {
                    let (_, factor) = at(run.start + (word.as_ptr() as usize - whole.as_ptr() as usize));
                    self.add_tagged(word, factor, words);
                });
            }
        });
    }

    fn add_tagged(&mut self, word: &str, factor: Option<f64>, words: &WordOptions) {
        if let Some(factor) = factor
            && !words.is_stop_word(word)
        {
            self.add(word);
            if words.tags().weigh() {
                self.factors.push(factor);
            }
        }
    }
}

/// The mean factor of each feature's tokens; 1 where parts of speech do not weigh.
pub(super) fn mean_factors(scratch: &Scratch) -> impl Fn(usize) -> f64 + use<> {
    let factors = &scratch.tokens.factors;
    let means: Vec<f64> = if factors.is_empty() {
        Vec::new()
    } else {
        let sums = scratch.features.sums(&scratch.known, factors);
        let counts = scratch.features.counts().iter();
        sums.into_iter()
            .zip(counts)
            .map(|(sum, &count)| sum / f64::from(count))
            .collect()
    };
    move |at| means.get(at).copied().unwrap_or(1.0)
}

/// Weighs the features in `scratch` by this rule, times the mean factor of their tokens; rounded once, half to even.
///
/// # Errors
/// A [`UnusableText`] where a weight is 65,536 or more.
pub(super) fn weigh(rule: Weights, idf: Option<&Idf>, scratch: &mut Scratch) -> Result<(), UnusableText> {
    let mean = mean_factors(scratch);
    let Scratch {
        features, weights: out, ..
    } = scratch;
    let tagged = rule.tagged().expect("a rule that takes factors");
    let unit = f64::from(1_u32 << tagged.fraction_bits());
    for (at, (&hash, &count)) in features.hashes().iter().zip(features.counts()).enumerate() {
        let idf = match idf {
            Some(idf) if rule.needs_model() => idf.of_feature(hash),
            _ => 1.0,
        };
        let exact = rule.exact(count, idf) * mean(at);
        let whole = (unit * exact).round_ties_even();
        if whole > f64::from(u32::MAX) {
            return Err(UnusableText::new(format!(
                "a word that occurs {count} times weighs {exact}, and weights by parts of speech are below 65,536; take weights=log, \
                 or smaller factors"
            )));
        }
        out.push(whole as u32);
    }
    Ok(())
}
