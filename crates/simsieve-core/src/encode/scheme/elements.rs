//! Elements of a page as the features of a scheme that a user puts together.

use super::custom::{CustomRule, Kind, Room};
use super::cut::Tokens;
use super::structure::scaled;
use super::{Scheme, UnusableText};
use crate::encode::tokenize::windows::Features;
use crate::text::html::{self, Options, each_element, weigh};

/// The paths of one page take no more than this in memory. Only paths that repeat long class names come near.
const MOST_PATH_BYTES: usize = 1 << 28;

impl CustomRule {
    /// Takes the elements of a page in document order, each known by its tag or path.
    pub(super) fn take_elements(
        &self,
        html: &str,
        options: &Options,
        tokens: &mut Tokens,
        own: &mut Room,
        room: &mut html::Scratch,
    ) -> Result<(), UnusableText> {
        tokens.begin();
        own.depths.clear();
        let mut bytes = 0;
        let visited = each_element(html, options, room, |path, depth| {
            bytes += path.len();
            if bytes <= MOST_PATH_BYTES && !self.words.is_stop_word(path) {
                tokens.add(path);
                own.depths.push(depth);
            }
            bytes <= MOST_PATH_BYTES
        });
        visited.map_err(|error| UnusableText::new(error.to_string()))?;
        if bytes > MOST_PATH_BYTES {
            return Err(UnusableText::new(format!(
                "scheme {:?}: the paths of the page's elements have more than {} MiB in all; give fewer levels, or no classes",
                self.name,
                MOST_PATH_BYTES >> 20
            )));
        }
        Ok(())
    }

    /// Weighs each feature by the depths of its elements, as the schemes on structure do; gives the power of two
    /// that weights were divided by.
    pub(super) fn decay(&self, known: &[u64], features: &Features, own: &Room, out: &mut Vec<u32>) -> u32 {
        let Kind::Elements(Options { weight, .. }) = self.kind else {
            unreachable!("only elements have depths")
        };
        let place = |hash: &u64| features.place(*hash).expect("every element is a feature");
        let mut seen: Vec<(usize, u32)> = known.iter().map(place).zip(own.depths.iter().copied()).collect();
        seen.sort_unstable();
        let weights: Vec<i64> = seen
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| weigh(weight, same.iter().map(|&(_, depth)| depth)))
            .collect();
        scaled(weights.into_iter(), out)
    }
}

impl Scheme {
    /// Whether the features are a page's elements.
    pub(super) fn has_elements(&self) -> bool {
        let own = self.tokens.as_ref().and_then(|rule| rule.custom_rule());
        matches!(self.reading, super::Reading::Structure(_)) || own.is_some_and(CustomRule::has_elements)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::custom::Weigh;
    use super::super::words::WordOptions;
    use super::super::{Scratch, TokenHash};
    use super::*;
    use crate::base::kernel::Kernel;
    use crate::encode::weight::Weights;

    const PAGE: &str = "<html><body class='b a'><div><p>one<p>two</div><ul class=x><li>x<li>y</ul>";

    fn own(options: Options, weights: Weights, hash: TokenHash, width: u32) -> Scheme {
        let rule = CustomRule {
            name: "elements".to_owned(),
            told: format!("{options:?}"),
            told_weights: String::new(),
            steps: Vec::new(),
            kind: Kind::Elements(options),
            words: WordOptions::default(),
            by_interest: false,
            weigh: Weigh::Rule,
            fraction_bits: 20,
            hash_called: false,
            width,
            functions: None,
        };
        Scheme::custom(rule, weights, hash, 1).unwrap()
    }

    fn fingerprint(scheme: &Scheme, page: &str) -> Option<Vec<u64>> {
        let mut scratch = Scratch::default();
        scheme.extract(page, &mut scratch).unwrap();
        let mut words = vec![0; scheme.words()];
        scheme
            .fingerprint(Kernel::active(), &mut scratch, &mut words)
            .then_some(words)
    }

    proptest! {
        #[test]
        fn the_parts_of_a_scheme_on_structure_have_its_bits(
            tags in prop::collection::vec("</?(div|p|ul|li class=[ab]|span class='b a')>", 0..30),
            levels in 0_usize..4,
            classes: bool,
            weight in 0..3,
        ) {
            let weight = [html::Weight::Sum(0.45), html::Weight::Nearest(0.8), html::Weight::Once][weight as usize];
            let weights = if weight == html::Weight::Once { Weights::Once } else { Weights::Decayed };
            for page in [tags.concat(), PAGE.to_owned()] {
                for (hash, name, width) in [(TokenHash::Fnv1, html::Hash::Fnv1, 200), (TokenHash::Xxh3, html::Hash::Xxh3, 256)] {
                    let options = Options { levels, classes, weight, hash: name };
                    let features = html::dom_features(&page, &options, &mut html::Scratch::default()).unwrap().to_vec();
                    let made = fingerprint(&own(options, weights, hash, width), &page);
                    prop_assert_eq!(made, html::dom_fold(&features, width).unwrap());
                }
            }
        }
    }

    #[test]
    fn counts_are_of_elements() {
        let scheme = own(Options::default(), Weights::Tf, TokenHash::Xxh3, 64);
        let features = crate::encode::encoder::features_of(&scheme, PAGE).unwrap();
        let counts: Vec<(&str, u32)> = features.iter().map(|it| (it.text.as_str(), it.weight)).collect();
        assert_eq!(
            counts,
            [("html", 1), ("body", 1), ("div", 1), ("p", 2), ("ul", 1), ("li", 2)]
        );
    }

    #[test]
    fn paths_beyond_bounds_are_refused() {
        let options = Options {
            levels: 2,
            classes: true,
            ..Options::default()
        };
        let scheme = own(options, Weights::Once, TokenHash::Xxh3, 64);
        let page = format!("<div class='{}'>{}", "x".repeat(1 << 20), "<p>".repeat(300));
        let refusal = scheme.extract(&page, &mut Scratch::default()).unwrap_err();
        assert!(
            refusal
                .message()
                .contains("more than 256 MiB in all; give fewer levels"),
            "{refusal:?}"
        );
    }

    #[test]
    fn invented_texts_are_pages() {
        let scheme = own(Options::default(), Weights::Decayed, TokenHash::Xxh3, 64);
        let page = scheme.text_of("some invented words of no sense ".repeat(30));
        assert!(fingerprint(&scheme, &page).is_some());
    }
}
