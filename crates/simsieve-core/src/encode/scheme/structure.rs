//! Schemes on the structure of pages: the text of a record is HTML, and its elements are the features.

use std::cmp::Ordering;

use super::{Reading, Scheme, Scratch, UnusableText, names};
use crate::base::error::{Error, Result};
use crate::encode::scheme::feature_rule::FeatureRule;
use crate::encode::weight::Weights;
use crate::text::html::{self, DECAY, Hash, Options, Weight, dom_features};

/// The most levels of a path, but for whole paths.
const MOST_LEVELS: usize = 1000;

/// The whole weights of a text stay below this in sum, so that their squares sum to less than 2^63.
const MOST_TOTAL_BITS: u32 = 31;

const ALLOWED: &str =
    "its options are levels=1, classes=drop|keep, weight=sum|nearest|once, decay=0.45 and hash=fnv1|xxh3";

/// The options that differ from what the name alone says.
pub(super) fn options(rule: &Options) -> Vec<String> {
    let usual = Options::default();
    let mut options = Vec::new();
    if rule.levels != usual.levels {
        options.push(format!("levels={}", rule.levels));
    }
    if rule.classes {
        options.push("classes=keep".to_owned());
    }
    let (name, decay) = match rule.weight {
        Weight::Sum(decay) => ("sum", decay),
        Weight::Nearest(decay) => ("nearest", decay),
        Weight::Once => ("once", DECAY),
    };
    if name != "sum" {
        options.push(format!("weight={name}"));
    }
    if decay.to_bits() != DECAY.to_bits() {
        options.push(format!("decay={decay}"));
    }
    if rule.hash != usual.hash {
        options.push("hash=xxh3".to_owned());
    }
    options
}

/// What the options of a spec say.
struct Parts {
    rule: Options,
    weight: String,
    decay: Option<f64>,
}

impl Parts {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "levels" => {
                let levels = value.parse().ok().filter(|levels| *levels <= MOST_LEVELS);
                self.rule.levels = levels
                    .ok_or_else(|| format!("levels is a whole number from 0 (the whole path) to {MOST_LEVELS}"))?;
            }
            "classes" => {
                self.rule.classes = match value {
                    "keep" => true,
                    "drop" => false,
                    _ => return Err("classes are drop or keep".to_owned()),
                }
            }
            "weight" => value.clone_into(&mut self.weight),
            "decay" => {
                let decay = value.parse().ok().filter(|decay| *decay > 0.0 && *decay <= 1.0);
                self.decay = Some(decay.ok_or("decay is a number above 0 and at most 1")?);
            }
            "hash" => {
                let hash = Hash::ALL.iter().find(|(name, _)| *name == value);
                self.rule.hash = hash.ok_or("hash is fnv1 or xxh3")?.1;
            }
            _ => return Err(ALLOWED.to_owned()),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Options, String> {
        self.rule.weight = Weight::parse(&self.weight, self.decay.unwrap_or(DECAY))
            .map_err(|_| format!("weight is {}", Weight::NAMES.join(", ")))?;
        if self.rule.weight == Weight::Once && self.decay.is_some() {
            return Err("weight=once has no decay".to_owned());
        }
        Ok(self.rule)
    }
}

/// Whole weights as numbers of 32 bits: divided, all of a text alike, by the least power of two that takes their sum
/// below 2^31, and rounded half to even. A cosine knows no scale, so this moves it by rounding only; and a text below
/// some 2,000 units of weight, which few pages reach, keeps its weights as they are. Gives the power.
pub(super) fn scaled(weights: impl Iterator<Item = i64> + Clone, out: &mut Vec<u32>) -> u32 {
    let total: u128 = weights.clone().map(|weight| u128::from(weight.unsigned_abs())).sum();
    let shift = (u128::BITS - total.leading_zeros()).saturating_sub(MOST_TOTAL_BITS);
    out.extend(weights.map(|weight| {
        let weight = u128::from(weight.unsigned_abs());
        let (whole, rest) = (weight >> shift, weight & ((1 << shift) - 1));
        let up = match (2 * rest).cmp(&(1 << shift)) {
            Ordering::Less => 0,
            Ordering::Equal => whole & 1,
            Ordering::Greater => 1,
        };
        (whole + up) as u32
    }));
    shift
}

impl Scheme {
    /// Reads a scheme on the structure of pages; `None` where the name is that of none.
    pub(super) fn parse_structure(spec: &str) -> Option<Result<Self>> {
        let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
        let (_, width) = names::apart(name).filter(|(family, _)| *family == "dom")?;
        let refuse = |option: &str, allowed: &str| {
            Some(Err(Error::Config(format!(
                "scheme {spec:?}: {option:?} is not allowed; {allowed}"
            ))))
        };
        let mut parts = Parts {
            rule: Options::default(),
            weight: "sum".to_owned(),
            decay: None,
        };
        let mut seen = Vec::new();
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            if let Err(allowed) = parts.set(key, value) {
                return refuse(option, &allowed);
            }
            if seen.contains(&key) {
                return Some(Err(Error::Config(format!("scheme {spec:?}: {key} is given twice"))));
            }
            seen.push(key);
        }
        let rule = match parts.finish() {
            Ok(rule) => rule,
            Err(allowed) => return refuse(options, &allowed),
        };
        Some(Ok(Self {
            width,
            features: FeatureRule::usual(),
            weights: if rule.weight == Weight::Once {
                Weights::Once
            } else {
                Weights::Decayed
            },
            tokens: None,
            reading: Reading::Structure(rule),
            wanted: None,
            idf: None,
        }))
    }

    /// Takes the structure of a page as features.
    ///
    /// Complexity: linear in the length of the page.
    pub(super) fn extract_structure(
        &self,
        rule: &Options,
        page: &str,
        scratch: &mut Scratch,
    ) -> Result<(), UnusableText> {
        self.normalise(page, scratch)?;
        let Scratch {
            page: room,
            known,
            features,
            weights,
            shift,
            ..
        } = scratch;
        let found = dom_features(page, rule, room).map_err(|error| UnusableText::new(error.to_string()))?;
        known.clear();
        known.extend(found.iter().map(|feature| feature.hash));
        weights.clear();
        features.collect_hashes(known, self.weights.counted());
        *shift = 0;
        if self.weights.counted() {
            *shift = scaled(found.iter().map(|feature| feature.weight), weights);
        }
        Ok(())
    }

    /// The features of a page as [`Scheme::extract`] takes them, each with its text, in the order of the texts.
    pub(crate) fn named_structure(&self, page: &str) -> Option<Result<Vec<(String, u64, u32)>>> {
        let Reading::Structure(rule) = &self.reading else {
            return None;
        };
        let named = html::dom_named(page, rule, &mut html::Scratch::default());
        Some(named.map(|named| {
            let (texts, found): (Vec<String>, Vec<html::Feature>) = named.into_iter().unzip();
            let mut weights = Vec::new();
            scaled(found.iter().map(|feature| feature.weight), &mut weights);
            let rows = texts.into_iter().zip(found).zip(weights);
            rows.map(|((text, feature), weight)| (text, feature.hash, weight))
                .collect()
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::hash::xxh3_128;
    use crate::base::kernel::Kernel;
    use crate::encode::similarity::similarity;
    use crate::text::html::dom_fold;

    const PAGE: &str = "<html><body class='b a'><div><p>one<p>two</div><ul><li>x<li>y</ul>";
    const SPECS: [&str; 6] = [
        "dom64",
        "dom128:levels=2,classes=keep,weight=nearest,decay=0.8,hash=xxh3",
        "dom64:weight=once,hash=xxh3",
        "dom256:levels=0,decay=0.125",
        "dom128:decay=1",
        "dom128:weight=nearest",
    ];

    #[test]
    fn specs_are_told_and_wrong_ones_refused() {
        for spec in SPECS {
            assert_eq!(Scheme::parse(spec).unwrap().spec(), spec);
        }
        let plain = "dom64:levels=1,classes=drop,weight=sum,decay=0.45,hash=fnv1";
        assert_eq!(Scheme::parse(plain).unwrap().spec(), "dom64");
        for (spec, part) in [
            ("dom065", "unknown scheme"),
            ("dom64:levels=-1", "levels is a whole number from 0"),
            ("dom64:classes=yes", "classes are drop or keep"),
            ("dom64:weight=tf", "weight is sum, nearest, once"),
            ("dom64:decay=0", "decay is a number above 0 and at most 1"),
            ("dom64:decay=NaN", "decay is a number above 0 and at most 1"),
            ("dom64:weight=once,decay=0.5", "weight=once has no decay"),
            ("dom64:hash=md5", "hash is fnv1 or xxh3"),
            ("dom64:n=3", "its options are levels=1"),
            ("dom64:levels=1,levels=2", "levels is given twice"),
        ] {
            let message = Scheme::parse(spec).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_scheme_has_the_bits_and_the_digest_of_its_options() {
        for spec in SPECS {
            let scheme = Scheme::parse(spec).unwrap();
            let Reading::Structure(rule) = scheme.reading else {
                panic!("{spec}")
            };
            let canonical = rule.canonical(scheme.width());
            assert_eq!(scheme.digest(), format!("{:032x}", xxh3_128(canonical.as_bytes())));
            let mut room = html::Scratch::default();
            let mut scratch = Scratch::default();
            let mut words = vec![0; scheme.words()];
            for page in [PAGE, "", "words alone", "<p>"] {
                let features = dom_features(page, &rule, &mut room).unwrap();
                scheme.extract(page, &mut scratch).unwrap();
                let valid = scheme.fingerprint(Kernel::active(), &mut scratch, &mut words);
                assert_eq!(
                    valid.then(|| words.clone()),
                    dom_fold(features, scheme.width()).unwrap(),
                    "{spec} {page}"
                );
            }
        }
    }

    #[test]
    fn a_page_is_like_itself_and_an_empty_one_like_nothing() {
        for spec in SPECS {
            let scheme = Scheme::parse(spec).unwrap();
            assert_eq!(
                similarity(&scheme, PAGE, &PAGE.replace("one", "other")).unwrap(),
                Some(1.0),
                "{spec}"
            );
            assert_eq!(similarity(&scheme, PAGE, "no element").unwrap(), None);
            let less = similarity(&scheme, PAGE, "<html><table><tr><td>x</table>")
                .unwrap()
                .unwrap();
            assert!(less > 0.0 && less < 1.0, "{spec}: {less}");
        }
    }

    #[test]
    fn a_page_beyond_bounds_is_refused() {
        let fonts: Vec<String> = (0..200).map(|size| format!("<font size={size}>")).collect();
        let page = format!("<p>{}{}", fonts.concat(), "<p>x".repeat(1000));
        let scheme = Scheme::parse("dom64").unwrap();
        let refusal = scheme.extract(&page, &mut Scratch::default()).unwrap_err();
        assert!(refusal.message().contains("misnested"), "{refusal:?}");
    }

    proptest! {
        #[test]
        fn weights_are_scaled_by_one_power_of_two(weights in prop::collection::vec(0_i64..1 << 60, 1..20)) {
            let mut found = Vec::new();
            scaled(weights.iter().copied(), &mut found);
            let total: i128 = weights.iter().map(|&weight| i128::from(weight)).sum();
            let unit = (0..64).map(|shift| 1_i128 << shift).find(|unit| total / unit < 1 << 31).unwrap();
            for (&weight, &found) in weights.iter().zip(&found) {
                let off = 2 * (i128::from(found) * unit - i128::from(weight));
                prop_assert!(off.abs() < unit || (off.abs() == unit && found % 2 == 0), "{} by {}", weight, unit);
            }
        }
    }
}
