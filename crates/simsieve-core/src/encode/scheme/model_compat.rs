//! Which models may serve a scheme.

use super::pipeline::Pipeline;
use crate::encode::model::FeatureRule;
use crate::encode::tokenize::Tokenizer;
use crate::encode::tokenize::custom::{CustomFeatures, canonical_of_words, described_words};
use crate::encode::tokenize::word_options::WordOptions;
use crate::encode::weight::Weights;

/// Features as models name them, and all that can change one, in words.
type Counted = (String, String);

/// All names under which a model may have counted these features. Words of the normalised text are alike in the built-in
/// schemes and in those of a user.
fn counted_as(tokenizer: &Tokenizer) -> Vec<Counted> {
    match tokenizer {
        Tokenizer::Custom(rule) => {
            let mut all = vec![("own".to_owned(), rule.canonical())];
            if let CustomFeatures::Words(n) = rule.features
                && rule.filter.is_none()
                && rule.described == described_words(n)
            {
                all.push(words_built_in(n, &rule.words));
            }
            all
        }
        Tokenizer::Words(n, words) => {
            let mut all = vec![words_built_in(*n, words)];
            if words.fold().is_none() {
                all.push(("own".to_owned(), canonical_of_words(*n, words)));
            }
            all
        }
        _ => Vec::new(),
    }
}

fn words_built_in(n: usize, words: &WordOptions) -> Counted {
    (format!("words,n={n}"), Tokenizer::canonical_of_words(n, words))
}

/// Whether a model of these features may serve the values of a scheme: one that counts neighbours too serves weights without them.
pub(super) fn is_served_by<M>(scheme: &Pipeline<M>, model: &FeatureRule) -> bool {
    let same = |(name, canonical): &Counted| {
        let counts = |neighbours| FeatureRule::of_tokens(name, canonical, neighbours) == *model;
        counts(true) || (scheme.weights() != Weights::Entropy && counts(false))
    };
    scheme.counted_features() == *model || counted_as(&scheme.tokenizer).iter().any(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::scheme::{OpenScheme, Part};
    use serde_json::json;

    fn own(n: usize, pattern: &str, weights: &str) -> OpenScheme {
        let mut parts = Part::all_of(&json!({"n": n, "weights": weights, "width": 64, "pattern": pattern}));
        parts.retain(|_, part| part.shown != "\"\"");
        OpenScheme::custom("mine", &parts, None).unwrap()
    }

    #[test]
    fn a_model_serves_schemes_that_have_its_features() {
        let words = |n: usize| own(n, "", "idf");
        let neighbours = own(1, "", "entropy");
        let other = own(1, "[a-z]", "idf");
        let named = |spec: &str| OpenScheme::parse(spec).unwrap();
        let served =
            |scheme: &OpenScheme, of: &OpenScheme| is_served_by(&scheme.pipeline, &of.pipeline.counted_features());
        let same = [
            words(1),
            named("words64:weights=idf"),
            named("words128:weights=tf-idf"),
            named("esimhash64"),
            neighbours.clone(),
        ];
        for of in &same {
            for scheme in &same[..3] {
                assert!(served(scheme, of), "{} by that of {}", scheme.spec(), of.spec());
            }
            let has_neighbours = of.pipeline.counted_features().has_neighbours();
            assert!(same[3..].iter().all(|scheme| served(scheme, of) == has_neighbours));
            for strange in [
                other.clone(),
                words(2),
                named("words64:n=3,weights=idf"),
                named("words64:fold=t2s,weights=idf"),
                named("esimhash64:tokens=all"),
                named("chars64:weights=idf"),
            ] {
                assert!(
                    !served(&strange, of) && !served(of, &strange),
                    "{} by that of {}",
                    strange.spec(),
                    of.spec()
                );
            }
        }
        assert!(served(&words(2), &named("words64:n=2")) && served(&named("words64:n=2"), &words(2)));
    }
}
