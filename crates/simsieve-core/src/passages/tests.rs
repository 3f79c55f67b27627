//! The laws of passages, against a search of a few lines over all pairs of letters.

mod joined;

use proptest::prelude::*;

use super::*;
use crate::base::context::Context;
use crate::base::hash::mix;
use crate::storage::run_dir::RunDir;
use crate::storage::run_dir::Start;
use crate::text::anchors::each_anchor;

fn options(min_length: u32, common: u32) -> Options {
    Options {
        min_length,
        common,
        ..Options::new(
            Scheme::parse("chars128").unwrap(),
            vec!["text".to_owned()],
            "id".to_owned(),
        )
    }
}

fn found(texts: &[&str], against: Option<&[&str]>, options: &Options) -> Passages {
    let new = Sources::from_texts(texts);
    let sources = match against {
        Some(old) => new.against(&Sources::from_texts(old)),
        None => new,
    };
    find(&Arc::new(sources), options, None, &Context::silent(1)).unwrap()
}

fn letters(text: &str) -> Vec<Letter> {
    let mut letters = Vec::new();
    take_letters(text, &mut letters);
    letters
}

/// Every longest run of letters that two texts share, as its places in both.
fn shared_runs(a: &[Letter], b: &[Letter]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut runs = Vec::new();
    for x in 0..a.len() {
        for y in 0..b.len() {
            if a[x].id() == b[y].id() && (x == 0 || y == 0 || a[x - 1].id() != b[y - 1].id()) {
                let length = a[x..].iter().zip(&b[y..]).take_while(|(a, b)| a.id() == b.id()).count();
                runs.push((x..x + length, y..y + length));
            }
        }
    }
    runs
}

/// The most letters that can be aligned and equal.
fn plain_matches(a: &[Letter], b: &[Letter]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for one in a {
        let mut before = 0;
        for (at, other) in b.iter().enumerate() {
            let here = row[at + 1];
            row[at + 1] = if one.id() == other.id() {
                before + 1
            } else {
                here.max(row[at])
            };
            before = here;
        }
    }
    row[b.len()]
}

/// Two texts that share pieces, with pieces of their own between.
fn two_texts() -> impl Strategy<Value = (String, String)> {
    let han = "[\u{4E00}-\u{4E40}，。]{1,60}";
    let piece = prop_oneof![
        3 => han.prop_map(String::from),
        2 => "([a-k]{2,3} ){1,25}".prop_map(String::from),
        1 => "[中文]{1,50}".prop_map(String::from),
        1 => "([a-c]é[中文ｱ]e\u{301}𠮷 ){1,12}".prop_map(String::from),
    ];
    let shared = proptest::collection::vec(piece, 1..4);
    let own = proptest::collection::vec(prop_oneof![han, "([a-k]{2,3} ){0,12}"], 8);
    (shared, own, any::<u8>()).prop_map(|(shared, own, turn)| {
        let mut other = shared.clone();
        other.rotate_left(usize::from(turn) % shared.len());
        let mixed = |pieces: &[String], own: &[String]| {
            let each = pieces
                .iter()
                .zip(own.iter().cycle())
                .map(|(piece, own)| format!("{own}{piece}"));
            each.collect::<String>() + &own[own.len() - 1]
        };
        (mixed(&shared, &own[..4]), mixed(&other, &own[4..]))
    })
}

/// A place in code points as that of letters.
fn of_letters(all: &[Letter], (start, end): (u32, u32)) -> Range<usize> {
    let from = all.iter().position(|letter| letter.start == start).unwrap();
    let last = all.iter().rposition(|letter| letter.end == end).unwrap();
    from..last + 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// Every shared run of a window is in a span, for the collections are small; and no span has less in common than it says.
    #[test]
    fn runs_are_found_and_spans_are_borne_out((one, two) in two_texts()) {
        let (a, b) = (letters(&one), letters(&two));
        let passages = found(&[&one], Some(&[&two]), &options(0, u32::MAX));
        let spans: Vec<_> = passages.spans.iter().map(|span| (of_letters(&a, span.place), of_letters(&b, span.source_place), span.score)).collect();
        for (run_a, run_b) in shared_runs(&a, &b) {
            if SMALL.end(&a[run_a.clone()], 0).is_some() {
                let holds = |(x, y, _): &(Range<usize>, Range<usize>, f32)| x.start <= run_a.start && run_a.end <= x.end && y.start <= run_b.start && run_b.end <= y.end;
                prop_assert!(spans.iter().any(holds), "{run_a:?} {run_b:?} not in {spans:?}\n{one}\n{two}");
            }
        }
        for (x, y, score) in spans {
            let most = plain_matches(&a[x.clone()], &b[y.clone()]) as f32 / x.len().max(y.len()) as f32;
            prop_assert!((0.5..=most + 1e-6).contains(&score), "{score} of {most}: {x:?} {y:?}\n{one}\n{two}");
            prop_assert!(a[x.start].id() == b[y.start].id() && a[x.end - 1].id() == b[y.end - 1].id());
        }
    }

    /// Kept letters are those of the text with their places, where each of these is one code point.
    #[test]
    fn kept_letters_are_those_of_the_text((one, two) in two_texts()) {
        let mut packing = packed::Packing::new(None, 3).unwrap();
        for text in [&one, &two] {
            let mut bytes = Vec::new();
            packed::pack(&letters(text), &mut bytes);
            let ends = [bytes.len() as u64];
            packing.extend(bytes, &ends).unwrap();
        }
        let packed = packing.finish().unwrap();
        for (at, text) in [(3, &one), (4, &two)] {
            let (whole, mut kept) = (letters(text), Vec::new());
            let is_plain = whole.iter().all(|letter| letter.end == letter.start + 1);
            prop_assert_eq!(packed.take(at, &mut kept), is_plain && !whole.is_empty());
            prop_assert!(!is_plain || kept == whole);
        }
    }

    /// Neither threads nor files, nor which collection is read first, change the answer; and a source is found from either side.
    #[test]
    fn the_plan_does_not_change_the_answer((one, two) in two_texts(), (three, four) in two_texts(), most in 1..8_u32) {
        let texts = [one.as_str(), &two, &three, &four, &one];
        let old: Vec<&str> = [&*two, "短"].into_iter().chain(std::iter::repeat_n(&*four, 3)).collect();
        for against in [None, Some(&old[..])] {
            let plain = found(&texts, against, &options(5, most));
            let folder = tempfile::tempdir().unwrap();
            let ctx = Context::small(3);
            let dir = RunDir::open(&folder.path().join("run"), Start::New, 1, &ctx).unwrap();
            let in_files = Options { run_dir: Some(Arc::new(dir)), ..options(5, most) };
            let kept = |old: &[&str]| {
                let (path, old) = (folder.path().join("anchors"), Arc::new(Sources::from_texts(old)));
                Anchors::make(&path, &old, &in_files, &ctx).unwrap()
            };
            let with_anchors = against.map(|old| (options(5, most), Some(kept(old))));
            for (options, kept) in [Some((in_files.clone(), None)), with_anchors].into_iter().flatten() {
                let filed = find(&plain.sources, &options, kept.as_ref(), &ctx).unwrap();
                prop_assert_eq!(&filed.spans, &plain.spans);
                prop_assert_eq!(&filed.common, &plain.common);
                prop_assert_eq!(&filed.lengths, &plain.lengths);
            }
        }
        let here = found(&[&one], Some(&[&two, &two, &two, &two]), &options(5, 100));
        let there = found(&[&two, &two, &two, &two], Some(&[&one]), &options(5, 100));
        prop_assert_eq!(here.spans.is_empty(), there.spans.is_empty());
    }

    /// Of a run that is long enough the anchors are the same wherever it stands, and the printed lengths are long enough.
    #[test]
    fn a_certain_run_has_an_anchor_of_its_own(
        letters_of_it in proptest::collection::vec(0..200_u32, 40), before in "[a-b中文 ]{0,40}", after in "[c-d字符 ]{0,40}", bytes in 0..40_u32
    ) {
        let windows = Windows::of_bytes(1 << bytes);
        let (dense, others) = windows.certain();
        let anchors = |text: &str| {
            let mut found = Vec::new();
            each_anchor(windows, &letters(text), |hash, _| found.push(hash));
            found
        };
        for (first, count) in [(0x4E00, dense), (0x430, others)] {
            let code = |at: &u32| char::from_u32(first + at % if first == 0x430 { 32 } else { 200 }).unwrap();
            let run: String = letters_of_it.iter().cycle().take(count as usize).map(code).collect();
            prop_assert!(windows.is_certain(&letters(&run)));
            let (one, two) = (format!("{before}，{run}，{after}"), format!("{after}，{run}，{before}"));
            let held = anchors(&two);
            prop_assert!(anchors(&one).iter().any(|hash| held.contains(hash)), "{windows:?} {one} {two}");
        }
    }
}

/// The windows of a small collection.
const SMALL: Windows = Windows::of_bytes(0);

#[test]
fn windows_of_letters_grow_with_the_collection() {
    let certain = [0, 8 << 20, 1 << 30, 1 << 40].map(|bytes| Windows::of_bytes(bytes).certain());
    assert_eq!(certain, [(15, 15), (16, 18), (16, 25), (16, 36)]);
}

#[test]
fn places_are_code_points_of_the_texts_as_written() {
    let run = "𠮷野家の牛丼は、早くて安くて旨いと昔から言われ続けてきたものである。";
    let (one, two) = (format!("e\u{301}e\u{301} x。{run}End"), format!("ﾃｽﾄ😀{run}"));
    let passages = found(&[&one], Some(&[&two]), &options(10, 20));
    let [span] = passages.spans[..] else {
        panic!("{:?}", passages.spans)
    };
    let cut = |text: &str, (start, end): (u32, u32)| -> String {
        text.chars().skip(start as usize).take((end - start) as usize).collect()
    };
    assert_eq!(cut(&one, span.place), run.trim_end_matches('。'));
    assert_eq!(cut(&two, span.source_place), run.trim_end_matches('。'));
    assert_eq!(
        (passages.text(1).unwrap(), passages.lengths[0]),
        (two, one.chars().count() as u32)
    );
}

#[test]
fn what_stands_at_many_places_is_told_and_leads_to_no_pair() {
    let line = "本页面由站点管理员维护，转载请注明出处并保留全部链接信息，谢谢合作。";
    let texts: Vec<String> = (0..30)
        .map(|at| format!("{line}{}", char::from_u32(0x5000 + at * 37).unwrap()))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let passages = found(&texts, None, &options(10, 20));
    assert!(passages.spans.is_empty());
    assert_eq!(passages.common.len(), 30);
    assert!(passages.common.iter().all(|(_, points)| *points >= 8));
    // Nor do the windows at its edges, which few documents have.
    let ends: Vec<String> = (0..30).map(|at| format!("{line}第{}", at % 15)).collect();
    let ends: Vec<&str> = ends.iter().map(String::as_str).collect();
    assert!(found(&ends, None, &options(10, 20)).spans.is_empty());
    // Without the bound each pair has it.
    assert_eq!(found(&texts, None, &options(10, 30)).spans.len(), 30 * 29 / 2);
}

#[test]
fn a_passage_of_frequent_words_is_found() {
    // Each word is in every text, in another order.
    let letters = |number: u64| (0..7).map(move |at| char::from(b'a' + (mix(number << 8 | at) % 26) as u8));
    let words: Vec<String> = (0..40).map(|number| letters(number).collect()).collect();
    let shuffled = |seed: u64| {
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|&word| mix(seed << 16 | word as u64));
        order
    };
    let mut orders: Vec<Vec<usize>> = (0..30).map(shuffled).collect();
    let quoted = orders[0][5..20].to_vec();
    orders[1].retain(|word| !quoted.contains(word));
    orders[1].extend(quoted);
    let texts: Vec<String> = orders
        .iter()
        .map(|order| order.iter().map(|&word| &*words[word]).collect())
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let passages = found(&texts, None, &options(60, 20));
    let [span] = passages.spans[..] else {
        panic!("{:?}", passages.spans)
    };
    // Words before it may be on its diagonal too.
    assert_eq!((span.document, span.source, span.place.1), (1, 0, 40 * 7));
    assert!((20 * 7..=25 * 7).contains(&span.place.0));
}

#[test]
fn places_in_one_document_count_once() {
    let line = "本页面由站点管理员维护，转载请注明出处并保留全部链接信息，谢谢合作。";
    for (times, others) in [(25, 1), (1, 25), (25, 25), (3_000, 5), (5, 3_000), (700, 900)] {
        let (one, two) = (line.repeat(times), line.repeat(others));
        for (texts, old) in [(&[&*one] as &[&str], Some(&[&*two] as &[&str])), (&[&two, &one], None)] {
            let passages = found(texts, old, &options(10, 20));
            for (of_source, text) in [(false, &one), (true, &two)] {
                let whole = text.chars().count() as u32 - 1;
                let place = |span: &Span| if of_source { span.source_place } else { span.place };
                let places = passages.spans.iter().map(place).collect();
                // The full stops between spans are in none.
                assert!(covered(places) + times.max(others) as u32 > whole, "{times} {others}");
            }
            assert!(passages.common.is_empty());
        }
    }
}

#[test]
fn sources_of_equal_letters_count_once() {
    let item = "问：老灯塔每隔几年刷漆一次？答：港口的老灯塔每隔两年都要重新刷漆一次。";
    let wide: Vec<String> = (0..30)
        .map(|at| item.replace('：', [":", " ", "： "][at % 3]))
        .collect();
    let old: Vec<&str> = wide.iter().map(String::as_str).collect();
    let texts = [&*format!("论坛摘抄。{item}下一题。"), "别的", item];
    let passages = found(&texts, Some(&old), &options(10, 20));
    assert_eq!((passages.spans.len(), passages.unlisted), (40, 20));
    let every = Options {
        every_copy: true,
        ..options(10, 20)
    };
    let passages = found(&texts, Some(&old), &every);
    assert_eq!((passages.spans.len(), passages.unlisted), (60, 0));
    for span in &passages.spans {
        let text = passages.text(span.source as usize).unwrap();
        assert_eq!(span.source_place, (0, text.chars().count() as u32 - 1));
    }
    let sources: Vec<u32> = passages.spans.iter().map(|span| span.source).collect();
    assert!(sources[..30].is_sorted() && sources[30..].is_sorted());
    // What is no copy counts, and the first one has the row.
    let others: Vec<String> = (0..30)
        .map(|at| format!("{item}{}", char::from_u32(0x5000 + at * 37).unwrap()))
        .collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let spans = found(&texts, Some(&others), &every).spans;
    let held: Vec<_> = spans
        .iter()
        .map(|span| (span.document, span.source, span.common))
        .collect();
    assert_eq!(held, [(0, 3, 30), (2, 3, 30)]);
}

#[test]
fn what_memory_does_not_hold_is_refused_or_in_files() {
    let item = "问：老灯塔每隔几年刷漆一次？答：港口的老灯塔每隔两年都要重新刷漆一次。";
    let (letters, items) = ("a".repeat(300), vec![item; 300]);
    for (texts, old, room) in [(&*letters, &[&*letters] as &[&str], 4_000), (item, &items, 8_000)] {
        let sources = Arc::new(Sources::from_texts([texts]).against(&Sources::from_texts(old)));
        let ctx = Context::silent(1);
        let small = Options {
            every_copy: true,
            room,
            ..options(10, 20)
        };
        let told = find(&sources, &small, None, &ctx).unwrap_err().to_string();
        assert!(told.contains("common") && told.contains("memory"), "{told}");
        let large = Options { room: 1 << 20, ..small };
        assert!(!find(&sources, &large, None, &ctx).unwrap().spans.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Outside of places spans are those of the parts between them, each held against the source alone.
    #[test]
    fn spans_end_at_the_borders_of_what_is_excluded((one, two) in two_texts(), cuts in proptest::collection::btree_set(0..200_u32, 0..7)) {
        let options = Options { cuts: true, ..options(5, u32::MAX) };
        let passages = found(&[&one], Some(&[&two]), &options);
        let points = one.chars().count() as u32;
        let cuts: Vec<u32> = cuts.into_iter().filter(|at| *at < points).collect();
        let places: Vec<(u32, u32)> = cuts.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let (spans, _) = passages.outside(&Places::from([(0, places.clone())]), &Context::silent(1)).unwrap();
        prop_assert!(spans.iter().all(|span| places.iter().all(|(start, end)| span.place.1 <= *start || *end <= span.place.0)));
        let (a, b) = (letters(&one), letters(&two));
        for part in parts(&a, &places) {
            for (run, _) in shared_runs(&a[part.clone()], &b) {
                let run = &a[part.start + run.start..part.start + run.end];
                if SMALL.is_certain(run) {
                    let place = (run[0].start, run[run.len() - 1].end);
                    prop_assert!(spans.iter().any(|span| span.place.0 <= place.0 && place.1 <= span.place.1), "{place:?} {spans:?}");
                }
            }
        }
        if places.is_empty() {
            prop_assert_eq!(spans, passages.spans);
        }
    }
}

#[test]
fn a_span_is_no_longer_than_what_is_shared_beside_characters_that_fold_into_several() {
    let tail = "the lighthouse at the harbour is painted anew each second year";
    for sign in ["ﬁ", "½", "㍿", "ß", "İ", "ำ", "ǆ", "𝐀"] {
        let (one, two) = (
            format!("{sign}{tail}{sign}"),
            format!("{}{tail}{}", sign.repeat(500), sign.repeat(90)),
        );
        let passages = found(&[&one], Some(&[&two]), &options(10, 20));
        let [span] = passages.spans[..] else {
            panic!("{:?}", passages.spans)
        };
        let shared = one.chars().count() as u32;
        assert!(
            span.source_place.1 - span.source_place.0 <= shared + 2,
            "{sign} {span:?}"
        );
    }
}

#[test]
fn edits_are_bridged_and_other_texts_are_not() {
    let one = "港口的老灯塔每隔两年都要重新刷漆一次，守塔人说这是祖父那一辈留下来的规矩，谁也不敢忘记。";
    let two = "听说海边那座老灯塔每隔两年都要重新刷漆两次，守塔人总讲这是祖父那一辈留下来的规矩，谁也不敢忘记它。";
    let passages = found(&[one], Some(&[two]), &options(20, 20));
    let [span] = passages.spans[..] else {
        panic!("{:?}", passages.spans)
    };
    assert!(span.place.0 <= 4 && span.place.1 >= 43, "{span:?}");
    assert!(
        found(
            &[one],
            Some(&["夏天的午后，蝉声从槐树上落下来，整条街道都昏昏欲睡，只有卖冰棍的人还在走。"]),
            &options(5, 20)
        )
        .spans
        .is_empty()
    );
}

#[test]
fn kept_anchors_are_of_their_records_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, ctx) = (folder.path().join("anchors"), Context::silent(1));
    let old = Arc::new(Sources::from_texts(["这一段话在两处都有，一字不差地写在那里。", "\0"]));
    let (options, others) = (options(10, 20), Sources::from_texts(["others"]));
    assert!(Anchors::open(&path, &old, &options, &ctx).unwrap().is_none());
    Anchors::make(&path, &old, &options, &ctx).unwrap();
    assert!(Anchors::open(&path, &old, &options, &ctx).unwrap().is_some());
    let elsewhere = Options {
        id_field: "key".to_owned(),
        ..options.clone()
    };
    assert!(Anchors::open(&path, &others, &options, &ctx).unwrap().is_none());
    assert!(Anchors::open(&path, &old, &elsewhere, &ctx).unwrap().is_none());

    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 97) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let told = Anchors::open(&path, &old, &options, &ctx).unwrap_err().to_string();
        assert!(told.contains("anchors"), "{told}");
    }
}
