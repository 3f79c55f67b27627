//! The tests of `this module`.

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
