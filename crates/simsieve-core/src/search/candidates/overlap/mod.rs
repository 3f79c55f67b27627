//! What the rows of large buckets share: which earlier rows can be near, without a comparison of the features of each.
//!
//! The cosine of two texts is a sum over their shared features. Rare features have postings: a walk over those of a row adds up
//! its part with every other row. Features that many rows have would have long postings. So each of these *common* features has
//! a bit, and the bits of two rows bound what they share. Where weights differ, the bound is that of Cauchy and Schwarz: the
//! product of the common parts of both norms. Rows whose bound is below the threshold are not near, for any choice of the common
//! features and any weights. (Counting with the long lists apart: Li, Lu and Lu, ICDE 2008, section 4.)
//!
//! Two rows that share no rare feature can only be near if the product of their common parts reaches the threshold. So of the rows
//! that share none, only those with a large enough common part are looked at: mostly none.

mod common;
mod index;
mod posted;
mod repeated;

pub use common::Common;
pub use index::{MAX_POSTINGS, OverlapIndex};
pub use posted::{PostedBatch, PostedRows};
pub use repeated::Repeated;

use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::hamming;

/// The features of one row, for insertion and query.
#[derive(Debug, Default, Clone)]
pub struct Profile {
    /// The rare features.
    entries: Vec<Entry>,
    /// The bits of the common ones.
    bitmap: Vec<u64>,
    shape: Shape,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u32,
    /// The feature's part of the norm, rounded up to units of 2^-15.
    mass: u16,
}

/// How much of a row its features are.
#[derive(Debug, Default, Clone, Copy)]
struct Shape {
    /// The common features' part of the norm, rounded up.
    common: f32,
    /// The part of the norm of one feature of weight 1, rounded up.
    unit: f32,
    /// Common features that share their bit with another one of the row.
    without_bit: u32,
}

/// What is known of another row's part of a cosine.
#[derive(Debug, Clone, Copy)]
struct Other<'a> {
    shape: Shape,
    bitmap: &'a [u64],
    /// The part of the cosine by shared rare features, in units of 2^-30.
    sum: u32,
}

impl Profile {
    /// The bound on the cosine with another row has two summands: the shared rare features, which are counted, and a bound for the
    /// common ones.
    #[inline]
    fn may_be_near(&self, profiles: &Profiles, other: Other<'_>, kernel: Kernel) -> bool {
        let missing = profiles.missing(other.sum);
        if self.shape.common * other.shape.common < missing {
            return false;
        }
        if !profiles.once {
            return true;
        }
        // Each shared common feature has a bit in both bitmaps, except those that share a bit with another feature of the row.
        let bits = hamming::shared_bits(kernel, &self.bitmap, other.bitmap);
        let shared = bits + self.shape.without_bit.min(other.shape.without_bit);
        shared as f32 * self.shape.unit * other.shape.unit >= missing
    }

    /// The common part of the norm that a row needs at least to be near by common features alone.
    fn least_common(&self, profiles: &Profiles) -> f32 {
        // Less by the rounding of this quotient and of products.
        profiles.threshold / self.shape.common * (1.0 - 1e-6)
    }
}

/// Makes profiles under one threshold.
#[derive(Debug)]
pub struct Profiles {
    common: Common,
    threshold: f32,
    /// Every weight is 1.
    once: bool,
    /// Features of at least two texts; others make no entries.
    repeated: Option<Repeated>,
}

/// What a cosine may lack by the rounding of sums.
const ROUNDING: f64 = 1e-5;

/// Rounded up, with room for the rounding of a product.
fn up(value: f64) -> f32 {
    (value * (1.0 + 1e-6)) as f32
}

impl Profiles {
    /// Profiles that find every pair with a cosine of at least `threshold`. `once` says that every weight is 1.
    pub fn new(common: Common, threshold: f64, once: bool) -> Self {
        Self {
            common,
            threshold: (threshold - ROUNDING) as f32,
            once,
            repeated: None,
        }
    }

    /// The part of the threshold that shared rare features leave, whose part of the cosine is given in units of 2^-30.
    #[inline]
    fn missing(&self, sum: u32) -> f32 {
        self.threshold - sum as f32 / 1_073_741_824.0
    }

    /// From now on omits features that are not in at least two of all inserted and queried texts. Earlier profiles have
    /// some more entries and are correct too.
    pub fn leave_out_unshared(&mut self, repeated: Repeated) {
        self.repeated = Some(repeated);
    }

    /// The profile of a text, of its distinct features with their weights.
    pub fn of(&self, features: impl Iterator<Item = (u64, u32)> + Clone) -> Profile {
        let square = |weight: u32| u128::from(weight) * u128::from(weight);
        let (mut whole, mut len) = (0, 0);
        for (_, weight) in features.clone() {
            whole += square(weight);
            len += 1;
        }
        let norm = (whole.max(1) as f64).sqrt();
        let mut profile = Profile {
            entries: Vec::with_capacity(len),
            bitmap: vec![0; self.common.words()],
            shape: Shape {
                unit: up(1.0 / norm),
                ..Shape::default()
            },
        };
        let (mut common, mut rare) = (0, Vec::with_capacity(len));
        for (hash, weight) in features {
            let Some(bit) = self.common.bit(hash) else {
                rare.push((hash, weight));
                continue;
            };
            common += square(weight);
            let (word, bit) = (&mut profile.bitmap[bit / 64], 1 << (bit % 64));
            profile.shape.without_bit += u32::from(*word & bit != 0);
            *word |= bit;
        }
        profile.shape.common = up((common as f64).sqrt() / norm);
        if let Some(repeated) = &self.repeated {
            // All look-ups first, without dependencies: many fetches at a time.
            let mut kept: Vec<bool> = Vec::with_capacity(rare.len());
            kept.extend(rare.iter().map(|(hash, _)| repeated.contains(*hash)));
            let mut kept = kept.into_iter();
            rare.retain(|_| kept.next() == Some(true));
        }
        let entry = |(hash, weight)| Entry {
            key: (mix(hash) >> 32) as u32,
            mass: (f64::from(weight) / norm * 32_768.0).ceil().min(32_768.0) as u16,
        };
        profile.entries.extend(rare.into_iter().map(entry));
        profile
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
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

    fn profiles(lists: &[FeatureList], threshold: f64, once: bool) -> Profiles {
        let counted: Vec<Vec<u64>> = lists.iter().map(|list| list.hashes().to_vec()).collect();
        Profiles::new(Common::of(&counted, counted.len(), threshold), threshold, once)
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
        /// Every pair at or above the threshold may be near, for all weights and any common features.
        #[test]
        fn no_near_pair_is_passed_over(
            texts in proptest::collection::vec(prop_oneof!["[abc]{0,30}", "[a-f]{40,120}", "(abcdefgh){4}[a-h]{0,40}"], 0..20),
            threshold in 0.05..1.0_f64,
            counted in 0..20_usize,
            unshared_from in 0..30_usize,
        ) {
            for spec in ["chars64:n=2", "chars64:n=2,weights=tf", "chars64:n=1,weights=log"] {
                let (scratches, lists) = lists(&Scheme::parse(spec).unwrap(), &texts);
                let once = spec == "chars64:n=2";
                let mut profiles = profiles(&lists[..counted.min(lists.len())], threshold, once);
                let mut index = OverlapIndex::new(texts.len(), MAX_POSTINGS, usize::MAX, Kernel::active());
                let mut batches = vec![PostedBatch::default(), PostedBatch::default()];
                let (first, second) = lists.split_at(lists.len() / 2);
                for (batch, lists) in batches.iter_mut().zip([first, second]) {
                    for list in lists {
                        batch.push(&profiles.of(list.iter()));
                    }
                }
                let posted = PostedRows::of(batches);
                for (own, scratch) in lists.iter().zip(&scratches) {
                    let mut found = Vec::new();
                    posted.near(&profiles, &profiles.of(own.iter()), Kernel::active(), &mut found);
                    let near = |list: &FeatureList| cosine(scratch, list).is_some_and(|x| x >= threshold);
                    let near: Vec<u32> = (0..).zip(&lists).filter(|(_, list)| near(list)).map(|(row, _)| row).collect();
                    let each: HashSet<u32> = found.iter().copied().collect();
                    prop_assert!(each.len() == found.len() && near.iter().all(|row| each.contains(row)), "{spec} {near:?} {found:?}");
                }
                for (row, list) in lists.iter().enumerate() {
                    if row == unshared_from {
                        profiles.leave_out_unshared(repeated(&lists));
                        index.expect_repeated();
                    }
                    let profile = profiles.of(list.iter());
                    index.query(&profile);
                    let met: Vec<u32> = index.near(&profiles, &profile).collect();
                    let once: HashSet<&u32> = met.iter().collect();
                    prop_assert_eq!(once.len(), met.len(), "each row once");
                    for (earlier, list) in lists[..row].iter().enumerate() {
                        let near = cosine(&scratches[row], list).is_some_and(|x| x >= threshold);
                        let may_be_near = index.may_be_near(&profiles, &profile, earlier as u32);
                        prop_assert!(!near || may_be_near, "{spec} {row} {earlier}");
                        prop_assert_eq!(met.contains(&(earlier as u32)), may_be_near, "{} {} {}", spec, row, earlier);
                    }
                    prop_assert!(index.insert(row as u32, &profile));
                }
            }
        }
    }

    #[test]
    fn what_a_family_shares_is_not_looked_up() {
        let text = |member: u64| format!("{}{:x}{:x}", "shared ".repeat(4), mix(member), mix(member + 1000));
        let texts: Vec<String> = (0..500).map(text).collect();
        let (_, lists) = lists(&Scheme::parse("chars64:n=3").unwrap(), &texts);
        let profiles = profiles(&lists, 0.8, true);
        let mut index = OverlapIndex::new(texts.len(), MAX_POSTINGS, usize::MAX, Kernel::active());
        let (mut met, mut possible) = (0, 0);
        for (row, list) in lists.iter().enumerate() {
            let profile = profiles.of(list.iter());
            index.query(&profile);
            met += index.near(&profiles, &profile).count();
            possible += index.possible_by_common(&profiles, &profile);
            index.insert(row as u32, &profile);
        }
        let pairs = 500 * 499 / 2;
        assert!(
            met < 60 && possible < 60,
            "{met} and {possible} of {pairs} pairs may be near"
        );
    }

    #[test]
    fn the_bound_of_recombined_texts_is_their_cosine() {
        // Each text has six of twelve sentences: all features are common, and the bits count what is shared.
        let sentence = |at: u64| format!("{:x}{:x}", mix(at), mix(at + 100));
        let text = |member: u64| {
            let mut chosen: Vec<u64> = (0..12).collect();
            chosen.sort_unstable_by_key(|&at| mix(at ^ member << 8));
            chosen[..6].iter().map(|&at| sentence(at)).collect::<String>()
        };
        let texts: Vec<String> = (0..200).map(text).collect();
        let (scratches, lists) = lists(&Scheme::parse("chars64:n=6").unwrap(), &texts);
        let profiles = profiles(&lists, 0.65, true);
        let mut index = OverlapIndex::new(texts.len(), MAX_POSTINGS, usize::MAX, Kernel::active());
        let (mut may_be_near, mut near) = (0, 0);
        for (row, list) in lists.iter().enumerate() {
            let profile = profiles.of(list.iter());
            index.query(&profile);
            for (earlier, list) in lists[..row].iter().enumerate() {
                may_be_near += u32::from(index.may_be_near(&profiles, &profile, earlier as u32));
                near += u32::from(cosine(&scratches[row], list).is_some_and(|x| x >= 0.65));
            }
            index.insert(row as u32, &profile);
        }
        assert!(near > 500 && may_be_near <= near + near / 20, "{may_be_near} {near}");
    }

    #[test]
    fn a_full_index_says_so_and_keeps_what_it_has() {
        let texts: Vec<String> = (0..4).map(|n| format!("{:x}", mix(n))).collect();
        let (_, lists) = lists(&Scheme::parse("chars64:n=3").unwrap(), &texts);
        let profiles = profiles(&lists, 0.8, true);
        let profile = profiles.of(lists[0].iter());
        let mut index = OverlapIndex::new(4, 2 * profile.entries.len(), usize::MAX, Kernel::active());
        assert!(index.insert(0, &profile) && !index.insert(1, &profiles.of(lists[1].iter())));
        assert!(index.contains(0) && !index.contains(1));
        index.query(&profile);
        assert_eq!(index.near(&profiles, &profile).collect::<Vec<_>>(), [0]);
        assert!(index.may_be_near(&profiles, &profile, 1));
    }
}
