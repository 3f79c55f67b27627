//! Which models may serve a scheme.

use super::Scheme;
use super::custom::{CustomRule, Kind};
use super::cut::Cut;
use super::tokens::TokenRule;
use super::words::WordOptions;
use crate::encode::scheme::feature_rule::FeatureRule;
use crate::encode::weight::Weights;

/// Features as models name them, and all that can change one, in words.
type Counted = (String, String);

impl TokenRule {
    /// All names under which a model may have counted these features. Words of the normalised text are alike in the
    /// built-in schemes and in those of a user.
    fn counted_as(&self) -> Vec<Counted> {
        match (self.custom_rule(), self.cut) {
            (Some(own), _) => {
                let mut all = vec![("own".to_owned(), own.canonical())];
                if let Kind::Words(n) = own.kind
                    && own.told == CustomRule::told_of_words(n)
                {
                    all.push(words_built_in(n, &own.words));
                }
                all
            }
            (None, Cut::Words(n)) => {
                let mut all = vec![words_built_in(n, &self.words)];
                if self.words.fold().is_none() {
                    let told = CustomRule::told_of_words(n);
                    let own = CustomRule::canonical_of(&told, Kind::Words(n), &self.words, None);
                    all.push(("own".to_owned(), own));
                }
                all
            }
            _ => Vec::new(),
        }
    }
}

fn words_built_in(n: usize, words: &WordOptions) -> Counted {
    let canonical = Cut::Words(n).canonical(words.segmenter()) + &words.canonical();
    (format!("words,n={n}"), canonical)
}

impl Scheme {
    /// Whether a model of these features may serve this scheme: one that counts neighbours too serves weights without them.
    pub(super) fn is_served_by(&self, model: &FeatureRule) -> bool {
        let same = |(name, canonical): &Counted| {
            let counts = |neighbours| FeatureRule::of_tokens(name, canonical, neighbours) == *model;
            counts(true) || (self.weights != Weights::Entropy && counts(false))
        };
        let names = self.tokens.as_ref().map_or_else(Vec::new, TokenRule::counted_as);
        self.counted_features() == *model || names.iter().any(same)
    }
}

#[cfg(test)]
mod tests {
    use super::super::TokenHash;
    use super::super::custom::{Step, Weigh};
    use super::super::words::WordOptions;
    use super::*;

    fn own(n: usize, steps: &[Step], told: &str, weights: Weights) -> Scheme {
        let rule = CustomRule {
            name: "mine".to_owned(),
            told: told.to_owned(),
            told_weights: String::new(),
            steps: steps.to_vec(),
            kind: Kind::Words(n),
            words: WordOptions::default(),
            by_interest: false,
            weigh: Weigh::Rule,
            fraction_bits: 20,
            hash_called: false,
            width: 64,
            functions: None,
        };
        Scheme::custom(rule, weights, TokenHash::Xxh3, 1).unwrap()
    }

    #[test]
    fn a_model_serves_whoever_has_its_features() {
        let words = |n: usize| own(n, &[Step::Usual], &CustomRule::told_of_words(n), Weights::Idf);
        let neighbours = own(1, &[Step::Usual], &CustomRule::told_of_words(1), Weights::Entropy);
        let other = own(1, &[Step::Usual], "with a pattern", Weights::Idf);
        let named = |spec: &str| Scheme::parse(spec).unwrap();
        let served = |scheme: &Scheme, of: &Scheme| scheme.is_served_by(&of.counted_features());
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
            let has_neighbours = of.counted_features().has_neighbours();
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
