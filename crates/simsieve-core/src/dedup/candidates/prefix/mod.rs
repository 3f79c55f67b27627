//! Rarest-feature prefixes: which earlier rows can be near, without a test of every row of a large bucket.
//!
//! All texts have their features in one order, the rarest first. Take two texts with a cosine of at least `s`, and the
//! first feature that they share. All shared features are at or after it. So by Cauchy and Schwarz the norms from there
//! on, as shares of the whole norms, have a product of at least `s`. So a *prefix* finds each text: the features up to
//! the place where its own share falls below `s`. Two prefixes that meet only at lesser products need no test (prefix
//! and positional filter of Chaudhuri et al., ICDE 2006; Xiao et al., WWW 2008, section 3; with norms as in Anastasiu
//! and Karypis, L2AP, ICDE 2014, section 4). This is exact for any common order and any weights.
//!
//! Text shared by a whole family is common, so it is late in the order. In the prefixes it is at shares below the root
//! of `s`: common features there are the *tail*. Two features in tails have too small a product, so tails have separate
//! keys and are never walked. A second bound on the cosine has two summands: the norm that two texts share outside of
//! their tails, and the product of their norms after the last fully walked place. That place is the start of the tails
//! or one of a few cuts in the order.

mod index;
mod repeated;

pub use index::{MAX_POSTINGS, PrefixIndex};
pub use repeated::Repeated;

use crate::base::hash::mix;
use crate::encode::paths;

/// Approximate frequencies of features: the order of all prefixes of a search.
///
/// Counts are kept by a part of the hash, so a rare feature can count as common. That costs time and never a pair: any
/// order common to all texts is correct.
#[derive(Debug)]
pub struct Rarity {
    /// The classes of features, higher for commoner ones.
    counted: paths::Rarity,
    /// Features from this bin on are common.
    common: u16,
    /// Bins that cut all occurrences of features into roughly equal parts; shares are stored at these.
    cuts: [u16; CUTS],
}

/// A feature is common if its slot counts this much more than twice the mean slot; rarer features are walked. With 16
/// texts of one template were verified seventeen times each; with 64 once in five.
const COMMON: u32 = 64;
/// Shares of a norm stored for each row in addition to those of its entries.
const CUTS: usize = 15;
impl Rarity {
    /// The order by the classes of counts on a sample of texts.
    pub fn of(counted: &paths::Rarity) -> Self {
        let classes = counted.classes();
        let mut in_class = [0; paths::Rarity::CLASSES];
        for &class in classes {
            in_class[usize::from(class)] += paths::Rarity::least_of(class);
        }
        let all: u64 = in_class.iter().sum();
        let common = COMMON + (2 * all / classes.len() as u64) as u32;
        Self {
            common: u16::from(paths::Rarity::class_of(common)) << 4,
            cuts: cuts(&in_class, all),
            counted: counted.clone(),
        }
    }

    /// The place of a feature in the order: its class, then four bits of its hash.
    #[inline]
    fn bin(&self, hash: u64) -> u16 {
        u16::from(self.counted.class(hash)) << 4 | (hash >> 60) as u16
    }
}

/// The cuts of the occurrences of features, given by class, into equal parts; the bins of a class count equally.
fn cuts(in_class: &[u64], all: u64) -> [u16; CUTS] {
    let bins = in_class.iter().flat_map(|&count| [count; 16]);
    let mut cuts = [u16::MAX; CUTS];
    let (mut at, mut sum) = (0, 0);
    for (bin, sixteenfold) in bins.enumerate() {
        sum += sixteenfold;
        while at < CUTS && sum * (CUTS as u64 + 1) >= (at as u64 + 1) * all * 16 {
            cuts[at] = bin as u16;
            at += 1;
        }
    }
    cuts
}

/// The rare features of one text: its keys for insertion and query.
#[derive(Debug, Default, Clone)]
pub struct Prefix {
    entries: Vec<Entry>,
    tail: Tail,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u32,
    /// The share of the norm that is from this feature on, rounded up to 255ths.
    share: u8,
    in_tail: bool,
    /// Whether it is so common that it is in the tails of others.
    common: bool,
    /// The feature's own part of the norm, rounded up to 65,535ths.
    mass: u16,
}

/// The common features at shares below the root of the threshold.
#[derive(Debug, Default, Clone, Copy)]
struct Tail {
    /// Its share of the norm, rounded up to 255ths.
    share: u8,
    /// The share from each of [`Rarity::cuts`] on, for cuts at or before `end`, rounded in the same way.
    at_cuts: [u8; CUTS],
    /// Its first bin.
    begin: u16,
    /// The bin after the prefix.
    end: u16,
}

impl Prefix {
    /// The number of its features.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no features.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Makes prefixes under one order and one threshold.
#[derive(Debug)]
pub struct Prefixes {
    rarity: Rarity,
    threshold: f64,
    /// The least product of two shares, in 255ths squared.
    least: u32,
    /// Two shares below this, in 255ths, have a product below `least`.
    root: u8,
    /// Features of at least two texts; others make no entries.
    repeated: Option<Repeated>,
}

/// A share in 255ths, rounded up.
fn in_255ths(share: f64) -> u8 {
    (share * 255.0).ceil().min(255.0) as u8
}

impl Prefixes {
    /// Prefixes that find every pair with a cosine of at least `threshold`.
    pub fn new(rarity: Rarity, threshold: f64) -> Self {
        // Slightly less, for the rounding of cosines.
        let threshold = threshold - 1e-9;
        let least = (threshold.max(0.0) * 255.0 * 255.0).floor();
        Self {
            rarity,
            threshold,
            least: least as u32,
            root: least.sqrt().ceil() as u8,
            repeated: None,
        }
    }

    /// From now on omits features that are not in at least two of all inserted and queried texts. Earlier prefixes have
    /// some more entries and still meet all that they must.
    pub fn leave_out_unshared(&mut self, repeated: Repeated) {
        self.repeated = Some(repeated);
    }

    /// The prefix of a text, of its distinct features with their weights.
    ///
    /// Complexity: a sort of some more features than the prefix has. Each feature of a bin counts as the bin's first,
    /// so their order does not matter.
    pub fn of(&self, features: impl Iterator<Item = (u64, u32)>) -> Prefix {
        let feature = |(hash, weight)| Feature {
            bin: self.rarity.bin(hash),
            weight,
            hash,
        };
        let mut features: Vec<Feature> = features.map(feature).collect();
        // The length of a prefix with equal weights, and some more for its last bin.
        let part = (features.len() as f64 * (1.0 - self.threshold * self.threshold)) as usize + 16;
        if part < features.len() {
            features.select_nth_unstable_by_key(part, |feature| feature.bin);
            features[..part].sort_unstable_by_key(|feature| feature.bin);
            if let Some(prefix) = self.of_sorted(&features, part) {
                return prefix;
            }
        }
        features.sort_unstable_by_key(|feature| feature.bin);
        self.of_sorted(&features, features.len()).unwrap_or_default()
    }

    /// The prefix, given a sorted `part` of the features that precedes all others; `None` if the part is too short.
    fn of_sorted(&self, features: &[Feature], part: usize) -> Option<Prefix> {
        let square = |feature: &Feature| u128::from(feature.weight) * u128::from(feature.weight);
        let whole: u128 = features.iter().map(square).sum();
        let norm = (whole as f64).sqrt();
        let mut rest = whole;
        let mut prefix = Prefix {
            entries: Vec::with_capacity(part),
            tail: Tail {
                share: 0,
                at_cuts: [255; CUTS],
                begin: u16::MAX,
                end: u16::MAX,
            },
        };
        let mut cuts = self.rarity.cuts.iter().zip(&mut prefix.tail.at_cuts).peekable();
        for bin in features[..part].chunk_by(|a, b| a.bin == b.bin) {
            let left = (rest as f64 / whole as f64).sqrt();
            let share = in_255ths(left);
            while let Some((_, at_cut)) = cuts.next_if(|(cut, _)| **cut <= bin[0].bin) {
                *at_cut = share;
            }
            let common = bin[0].bin >= self.rarity.common;
            let in_tail = share < self.root && common;
            if in_tail && prefix.tail.begin == u16::MAX {
                prefix.tail.share = share;
                prefix.tail.begin = bin[0].bin;
            }
            if left < self.threshold {
                prefix.tail.end = bin[0].bin;
                self.leave_out(&mut prefix, features);
                return Some(prefix);
            }
            prefix.entries.extend(bin.iter().map(|feature| Entry {
                key: (mix(feature.hash) >> 32) as u32,
                share,
                in_tail,
                common,
                mass: (f64::from(feature.weight) / norm * 65_535.0).ceil().min(65_535.0) as u16,
            }));
            rest -= bin.iter().map(square).sum::<u128>();
        }
        if part < features.len() {
            return None;
        }
        // Nothing is after the last feature.
        cuts.for_each(|(_, at_cut)| *at_cut = 0);
        self.leave_out(&mut prefix, features);
        Some(prefix)
    }

    /// Removes the entries without a second text; entries are the first of the features.
    fn leave_out(&self, prefix: &mut Prefix, features: &[Feature]) {
        if let Some(repeated) = &self.repeated {
            let entered = &features[..prefix.entries.len()];
            // All look-ups first, without dependencies: many fetches at a time.
            let holds: Vec<bool> = entered.iter().map(|feature| repeated.contains(feature.hash)).collect();
            let mut holds = holds.into_iter();
            prefix.entries.retain(|_| holds.next() == Some(true));
        }
    }
}

/// A feature of the current text.
struct Feature {
    bin: u16,
    weight: u32,
    hash: u64,
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;
    use crate::encode::scheme::{Scheme, Scratch};
    use crate::encode::similarity::{FeatureList, cosine};

    fn lists(scheme: &Scheme, texts: &[String]) -> (Vec<Scratch>, Vec<FeatureList>) {
        let extract = |text: &String| {
            let mut scratch = Scratch::default();
            scheme.extract(text, &mut scratch).unwrap();
            scratch
        };
        let scratches: Vec<Scratch> = texts.iter().map(extract).collect();
        let lists = scratches.iter().map(FeatureList::of).collect();
        (scratches, lists)
    }

    fn prefixes(lists: &[FeatureList], threshold: f64) -> Prefixes {
        let features = lists.iter().map(FeatureList::len).sum();
        let counted = paths::Rarity::count(lists.iter().map(FeatureList::hashes), features).unwrap();
        Prefixes::new(Rarity::of(&counted), threshold)
    }

    fn repeated(lists: &[FeatureList]) -> Repeated {
        let features = lists.iter().map(FeatureList::len).sum();
        let each = |at: usize, add: &dyn Fn(&[u64])| {
            add(lists[at].hashes());
            Ok::<(), Infallible>(())
        };
        Repeated::count(lists.len(), features, each).unwrap()
    }

    #[test]
    fn what_two_texts_have_is_repeated_and_little_else() {
        let texts: Vec<String> = (0..300).map(|n| format!("common ground {:x}", mix(n))).collect();
        let (_, lists) = lists(&Scheme::parse("chars64").unwrap(), &texts);
        let repeated = repeated(&lists);
        let (mut shared, mut alone, mut mistaken) = (0, 0, 0);
        for (at, list) in lists.iter().enumerate() {
            for hash in list.hashes() {
                let others = lists
                    .iter()
                    .enumerate()
                    .filter(|(other, list)| *other != at && list.hashes().contains(hash));
                if others.count() > 0 {
                    assert!(repeated.contains(*hash));
                    shared += 1;
                } else {
                    alone += 1;
                    mistaken += u32::from(repeated.contains(*hash));
                }
            }
        }
        assert!(
            shared > 2000 && alone > 2000 && mistaken < alone,
            "{shared} {alone} {mistaken}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Every pair at or above the threshold is met, for all weights and orders.
        #[test]
        fn no_near_pair_is_passed_over(
            texts in proptest::collection::vec(prop_oneof!["[abc]{0,30}", "[a-f]{40,120}", "(abcdefgh){4}[a-h]{0,40}"], 0..20),
            threshold in 0.05..1.0_f64,
            ordered in any::<bool>(),
            unshared_from in 0..30_usize,
        ) {
            for spec in ["chars64:n=2", "chars64:n=2,weights=tf", "chars64:n=1,weights=log"] {
                let (scratches, lists) = lists(&Scheme::parse(spec).unwrap(), &texts);
                let mut prefixes = prefixes(if ordered { &lists } else { &[] }, threshold);
                let mut index = PrefixIndex::new(texts.len(), MAX_POSTINGS);
                for (row, list) in lists.iter().enumerate() {
                    if row == unshared_from {
                        prefixes.leave_out_unshared(repeated(&lists));
                        index.expect_repeated();
                    }
                    let prefix = prefixes.of(list.iter());
                    let mut met = Vec::new();
                    index.query(&prefixes, &prefix, |earlier| met.push(earlier));
                    for (earlier, list) in lists[..row].iter().enumerate() {
                        let near = cosine(&scratches[row], list).is_some_and(|x| x >= threshold);
                        prop_assert!(!near || met.contains(&(earlier as u32)), "{spec} {row} {earlier}");
                        prop_assert_eq!(index.is_in_answer(earlier as u32), met.contains(&(earlier as u32)));
                    }
                    let mut once = met.clone();
                    once.sort_unstable();
                    once.dedup();
                    prop_assert_eq!(once.len(), met.len());
                    prop_assert!(index.insert(row as u32, &prefix));
                }
            }
        }
    }

    #[test]
    fn what_a_family_shares_is_not_looked_up() {
        let text = |member: u64| format!("{}{:x}{:x}", "shared ".repeat(4), mix(member), mix(member + 1000));
        let texts: Vec<String> = (0..500).map(text).collect();
        let (_, lists) = lists(&Scheme::parse("chars64:n=3").unwrap(), &texts);
        let prefixes = prefixes(&lists, 0.8);
        let mut index = PrefixIndex::new(texts.len(), MAX_POSTINGS);
        let mut met = 0;
        for (row, list) in lists.iter().enumerate() {
            let prefix = prefixes.of(list.iter());
            index.query(&prefixes, &prefix, |_| met += 1);
            index.insert(row as u32, &prefix);
        }
        assert!(met < 6000, "{met} of {} pairs were met", 500 * 499 / 2);
    }

    #[test]
    fn a_full_index_says_so_and_keeps_what_it_has() {
        let texts: Vec<String> = (0..4).map(|n| format!("{:x}", mix(n))).collect();
        let (_, lists) = lists(&Scheme::parse("chars64:n=3").unwrap(), &texts);
        let prefixes = prefixes(&lists, 0.8);
        let prefix = prefixes.of(lists[0].iter());
        let mut index = PrefixIndex::new(4, 2 * prefix.len());
        assert!(index.insert(0, &prefix) && !index.insert(1, &prefixes.of(lists[1].iter())));
        assert!(index.contains(0) && !index.contains(1));
        index.query(&prefixes, &prefix, |row| assert_eq!(row, 0));
        assert!(index.is_in_answer(0) && !index.is_in_answer(1));
    }
}
