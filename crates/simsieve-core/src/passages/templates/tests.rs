//! The laws of templates, against counts over all runs of letters.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::encode::input::templates::Templates;
use crate::encode::scheme::Scheme;
use crate::storage::run_dir::{RunDir, Start};
use crate::text::letters::{Letter, take_letters};

fn options(min_length: u32) -> Options {
    Options {
        min_length,
        ..Options::new(
            Scheme::parse("chars128").unwrap(),
            vec!["text".to_owned()],
            "id".to_owned(),
        )
    }
}

fn ids(text: &str) -> Vec<u32> {
    let mut letters = Vec::new();
    take_letters(text, &mut letters);
    letters.iter().map(Letter::id).collect()
}

/// The letters of a text that are in parts.
fn in_parts(text: &str, templates: &Templates) -> BTreeSet<usize> {
    let mut letters = Vec::new();
    take_letters(text, &mut letters);
    let mut covered = BTreeSet::new();
    templates.each_place(&letters, |_, range| covered.extend(range));
    covered
}

/// The counted parts of some texts.
fn counted(sources: &Arc<Sources>, options: &Options, least: u32, groups: &[u32], ctx: &Context<'_>) -> Vec<Part> {
    find(sources, options, least, groups, ctx)
        .unwrap()
        .counted(groups, ctx)
        .unwrap()
}

fn has(text: &[u32], run: &[u32]) -> bool {
    text.windows(run.len()).any(|window| window == run)
}

/// Texts of few pieces, so that they share some.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let piece = "[\u{4E00}-\u{4E05}]{6,24}|[\u{4E00}-\u{4FFF}]{10,30}";
    let pieces = proptest::collection::vec(piece, 2..6);
    let own = "[\u{5000}-\u{5FFF}，]{0,20}";
    (pieces, proptest::collection::vec((own, any::<[u8; 3]>()), 2..14)).prop_map(|(pieces, texts)| {
        let text = |(own, which): (String, [u8; 3])| {
            let chosen = which.map(|at| pieces[usize::from(at) % pieces.len()].as_str());
            format!("{}{own}{}{}", chosen[0], chosen[1], chosen[2])
        };
        texts.into_iter().map(text).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// Each part is in as many documents and groups as it says. Where all documents count, a part is in every run of the least length that
    /// enough of them have.
    #[test]
    fn what_enough_groups_share_is_found((texts, turns) in (texts(), any::<[u8; 14]>()), least in 2..5_u32, length in 15..24_u32) {
        let groups: Vec<u32> = (0..texts.len()).map(|at| if turns[0] % 2 == 0 && turns[at] % 3 == 0 { 0 } else { at as u32 }).collect();
        let sources = Arc::new(Sources::from_texts(&texts));
        let found = find(&sources, &options(length), least, &groups, &Context::silent(1)).unwrap();
        let all: Vec<Vec<u32>> = texts.iter().map(|text| ids(text)).collect();
        let covered: Vec<BTreeSet<usize>> = texts.iter().map(|text| in_parts(text, &found.templates)).collect();
        let is_bare = |at: usize| !covered[at].is_empty() && all[at].len() - covered[at].len() < 4;
        let group = |at: usize| if is_bare(at) { u32::MAX } else { groups[at] };
        for part in &found.counted(&groups, &Context::silent(1)).unwrap() {
            let run = ids(&part.text);
            let holders: Vec<usize> = (0..texts.len()).filter(|&at| has(&all[at], &run)).collect();
            let distinct: BTreeSet<u32> = holders.iter().map(|&at| group(at)).collect();
            prop_assert_eq!((part.letters, part.documents, part.groups), (run.len() as u32, holders.len() as u32, distinct.len() as u32));
            prop_assert!(part.groups >= least && part.letters >= length);
            let whole: BTreeSet<u32> = holders.iter().map(|&at| groups[at]).collect();
            prop_assert!(distinct.len() * 4 >= whole.len() * 3);
            let (position, start, end) = part.places[0];
            let shown: String = texts[position as usize].chars().skip(start as usize).take((end - start) as usize).collect();
            prop_assert_eq!((&shown, part.places.len()), (&part.text, distinct.len().min(3)));
        }
        if groups.iter().collect::<BTreeSet<_>>().len() < texts.len() {
            return Ok(());
        }
        // A window that a text has twice is looked at in one place.
        let once = |text: &Vec<u32>| {
            let windows: BTreeSet<&[u32]> = text.windows(length as usize - 8).collect();
            windows.len() == text.windows(length as usize - 8).count()
        };
        let mut runs: BTreeMap<&[u32], Vec<(usize, usize)>> = BTreeMap::new();
        for (at, text) in all.iter().enumerate().filter(|(_, text)| once(text)) {
            for (start, run) in text.windows(length as usize).enumerate() {
                runs.entry(run).or_default().push((at, start));
            }
        }
        for (run, places) in runs.into_iter().filter(|(_, places)| places.len() >= least as usize) {
            for (at, start) in places {
                let touched = (start..start + run.len()).any(|letter| covered[at].contains(&letter));
                prop_assert!(touched, "{at} {start} {:?} {texts:?}", found.templates);
            }
        }
    }

    /// A template of the least length in enough documents, and in no other, is found whole; neither threads nor files change that.
    #[test]
    fn a_planted_template_is_found(
        template in "[\u{4E00}-\u{4FFF}]{15,60}|([a-z]{3,7} ){8,12}[a-z]{3}", owns in proptest::collection::hash_set("[\u{6000}-\u{9FFF}]{30,60}", 6..90), least in 2..6_u32
    ) {
        let texts: Vec<String> = owns.iter().map(|own| format!("{}，{template}。{}", &own[..30], &own[30..])).collect();
        let (sources, groups) = (Arc::new(Sources::from_texts(&texts)), (0..texts.len() as u32).collect::<Vec<_>>());
        let plain = counted(&sources, &options(15), least, &groups, &Context::silent(1));
        let wanted = ids(&template);
        let holds = |part: &Part| part.documents as usize == texts.len() && has(&ids(&part.text), &wanted);
        prop_assert!(plain.iter().any(holds), "{plain:?}");
        let folder = tempfile::tempdir().unwrap();
        let ctx = Context::small(3);
        let dir = RunDir::open(&folder.path().join("run"), Start::New, 1, &ctx).unwrap();
        let in_files = Options { run_dir: Some(Arc::new(dir)), ..options(15) };
        prop_assert_eq!(counted(&sources, &in_files, least, &groups, &ctx), plain);
        let one_group = vec![0; texts.len()];
        prop_assert!(counted(&sources, &options(15), least, &one_group, &Context::silent(1)).is_empty());
    }

    /// What is taken out of a text is what stands in an occurrence of a template, by a search at every letter.
    #[test]
    fn a_text_without_templates_is_the_plain_one(pieces in proptest::collection::vec("[一二]{1,9}", 2..8), parts in proptest::collection::vec("[一二]{15,18}|[ab]{15}", 1..4)) {
        let text = pieces.join("，") + &parts[0] + &pieces.concat() + &parts[parts.len() - 1] + "ａＢ";
        let mut letters = Vec::new();
        let runs: Vec<Vec<Letter>> = parts.iter().map(|part| { take_letters(part, &mut letters); letters.clone() }).collect();
        let found = Templates::of(runs.iter().map(Vec::as_slice));
        take_letters(&text, &mut letters);
        let mut gone = vec![false; text.chars().count()];
        for run in &runs {
            for at in 0..letters.len().saturating_sub(run.len() - 1) {
                if letters[at..at + run.len()].iter().zip(run).all(|(one, other)| one.id() == other.id()) {
                    gone[letters[at].start as usize..letters[at + run.len() - 1].end as usize].fill(true);
                }
            }
        }
        let plain: String = text.chars().zip(&gone).filter(|(_, gone)| !**gone).map(|(c, _)| c).collect();
        let without = found.without(&text, &mut letters).map(|rest| rest.replace('\n', ""));
        prop_assert_eq!(without.unwrap_or_else(|| text.clone()), plain);
    }
}

#[test]
fn a_part_of_words_begins_and_ends_with_words() {
    let stem = "read the passage below and answer the question";
    let texts = ["who", "why", "what"].map(|own| format!("({own}) {stem} wh{own}"));
    let found = counted(
        &Arc::new(Sources::from_texts(&texts)),
        &options(20),
        3,
        &[0, 1, 2],
        &Context::silent(1),
    );
    assert_eq!(found.iter().map(|part| part.text.as_str()).collect::<Vec<_>>(), [stem]);
    assert_eq!(found[0].places, [(0, 6, 52), (1, 6, 52), (2, 7, 53)]);
}
