//! Documents of an index that share a part: which of them a check reads, and that its decisions are those of one run.

use crate::base::context::Context;
use crate::base::hash::mix;
use crate::encode::sketch::SKETCH_WORDS;
use crate::hamming;
use crate::index::{self, KnownId};
use crate::tests::index::{Line, Tested, cases, line, run_against};

/// Texts that share a template, half of each; every fifth is an edited copy of an earlier one.
fn crowd_line(at: u64) -> Line {
    let of = if at % 5 == 4 { mix(at) % at } else { at };
    let own = |place: u64| {
        let changed = at != of && place == at % 8;
        format!("w{:x}", mix(if changed { mix(at) } else { of << 8 | place }) % 3000)
    };
    let words: Vec<String> = (0..8).map(own).collect();
    (at, format!("{} all the documents share this part", words.join(" ")))
}

/// A template that comes after the frozen set changes no decision. Checks read its documents some times, and few of them from then on.
#[test]
fn a_late_crowd_is_decided_as_one_run_decides_and_few_of_it_are_read_in_the_end() {
    let all: Vec<Line> = (0..150).map(line).chain((150..700).map(crowd_line)).collect();
    for (name, each, rule) in cases() {
        let (tested, mut found) = Tested::create(&all[..150], &each, rule);
        for batch in [150..400, 400..401, 401..660, 660..700] {
            let checked = tested.check(&all[batch.clone()]);
            let (_, fates) = tested.add(&all[batch]);
            assert_eq!(checked, fates, "{name}");
            found.extend(fates);
        }
        assert_eq!(found, tested.oracle(&all), "{name}");
        index::compact(&tested.index, false, &Context::small(2)).unwrap();
        let crowd = tested.kept().iter().filter(|id| **id >= 150).count();
        let read = (700..780).map(|at| {
            let (options, seen) = tested.options(KnownId::Replace);
            let of = [crowd_line(at)];
            let (documents, _) = run_against(tested.folder.path(), &of, &options, rule, Some(&seen)).unwrap();
            documents.collection.sources.len() - 1
        });
        let read: Vec<usize> = read.collect();
        let most = *read[60..].iter().max().unwrap();
        // Half of a text is as near as a text of other size that contains it: the bound of a containment leaves all.
        assert!(
            crowd > 350 && (most * 10 < crowd || name == "containment"),
            "{name}: {most} of {crowd}"
        );
    }
}

/// Long texts: two fifths of each are those of all, every tenth is an edited copy of an earlier one.
fn long_line(at: u64) -> Line {
    let of = if at % 10 == 9 { mix(at) % at } else { at };
    let word = |place: u64| match place {
        0..120 => mix(place),
        120..140 => mix(at << 16 | place),
        _ => mix(of << 16 | place),
    };
    let words: Vec<String> = (0..300).map(|place| format!("{:x}", word(place) >> 40)).collect();
    (at, words.join(" "))
}

/// Of long documents most that pass the sketches are ruled out by second ones: in memory, in files, and beside files that have none.
#[test]
fn second_sketches_spare_readings_and_change_no_decision() {
    let all: Vec<Line> = (0..40).map(line).chain((40..240).map(long_line)).collect();
    let (name, each, rule) = cases().swap_remove(0);
    let (tested, mut found) = Tested::create(&all[..40], &each, rule);
    for batch in [40..41, 41..120, 120..200] {
        let checked = tested.check(&all[batch.clone()]);
        let (_, fates) = tested.add(&all[batch]);
        assert_eq!(checked, fates);
        found.extend(fates);
    }
    assert_eq!(found, tested.oracle(&all[..200]), "{name}");
    let (mut passed, mut read) = (0, 0);
    for is_compacted in [false, true] {
        if is_compacted {
            index::compact(&tested.index, false, &Context::small(2)).unwrap();
        }
        let state = tested.index.state();
        let segments = state.segments.iter();
        let segments = segments.filter(|of| of.second_sketch(0, of.len() as u32 - 1).is_some());
        let segments = segments.count();
        assert!(segments == 1 || !is_compacted && segments > 1, "{segments}");
        for of in all[200..].chunks(1) {
            let (options, seen) = tested.options(KnownId::Replace);
            let (documents, _) = run_against(tested.folder.path(), of, &options, rule, Some(&seen)).unwrap();
            let collection = &documents.collection;
            read += collection.sources.len() - 1;
            let own = &collection.encodings[0].sketches[..SKETCH_WORDS];
            let most = state.most_bits(0);
            for segment in &state.segments {
                let others = segment.encoded.encodings[0].sketches.chunks_exact(SKETCH_WORDS);
                passed += others.filter(|other| hamming::distance(own, other) <= most).count();
            }
        }
    }
    assert!(passed > 3 * read && read > 0, "{read} of {passed}");
}
