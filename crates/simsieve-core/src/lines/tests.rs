//! The laws of repeated units, against a count of a few lines.

use std::collections::HashMap;
use std::fs;

use proptest::prelude::*;

use super::units::{Unit, take_spans};
use super::*;
use crate::base::context::Context;
use crate::sink::{Decision, write_kept};
use crate::source::{EncodingChoice, SourceSpec};
use crate::storage::run_dir::{RunDir, Start};
use crate::text::normalise::marks::exact;

fn options(unit: Unit) -> Options {
    Options {
        text_field: "text".to_owned(),
        id_field: "id".to_owned(),
        scope: None,
        unit,
        min_length: 1,
        run_dir: None,
    }
}

const FIRST: Choice = Choice {
    keep: 1,
    min_share: 0.0,
    shown: 5,
};

fn removed(sources: &Arc<Sources>, options: Options, choice: Choice, ctx: &Context<'_>) -> Removed {
    Lines::read(sources, options, ctx)
        .unwrap()
        .remove(choice, None, ctx)
        .unwrap()
}

/// The texts without repeated lines, but with the first `keep` copies of each.
fn plain(texts: &[String], keep: usize) -> Vec<String> {
    let mut counts = HashMap::<String, usize>::new();
    let lines = texts.iter().flat_map(|text| text.split('\n'));
    lines.for_each(|line| *counts.entry(exact(line)).or_default() += 1);
    let mut seen = HashMap::<String, usize>::new();
    let mut stays = |line: &&str| {
        let key = exact(line);
        let before = seen.entry(key.clone()).or_default();
        *before += 1;
        key.is_empty() || counts[&key] < 2 || *before <= keep
    };
    let left = texts
        .iter()
        .map(|text| text.split('\n').filter(&mut stays).collect::<Vec<_>>().join("\n"));
    left.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the threads and the memory, the texts are those of a plain count; a JSON file, a table and texts in memory are cut alike.
    #[test]
    fn lines_are_those_of_a_plain_count(
        texts in prop::collection::vec(prop::collection::vec("(灯|b|B|\\\\|\"|😀|10²|102| |,|é){0,3}", 0..6), 0..8),
        keep in 0_usize..3,
    ) {
        let texts: Vec<String> = texts.into_iter().map(|lines| lines.join("\n")).collect();
        let expected = plain(&texts, keep);
        let folder = tempfile::tempdir().unwrap();
        let (json, table) = (folder.path().join("in.jsonl"), folder.path().join("in.csv"));
        let escaped = |text: &String| serde_json::to_string(text).unwrap().replace('é', "\\u00e9").replace('😀', "\\ud83d\\ude00");
        let lines: String = texts.iter().map(|text| ["{\"n\":1.50,\"text\": ", &escaped(text), " , \"z\":[]}\n"].concat()).collect();
        let rows: String = texts.iter().map(|text| ["7,\"", &text.replace('"', "\"\""), "\"\n"].concat()).collect();
        fs::write(&json, &lines).unwrap();
        fs::write(&table, format!("id,text\n{rows}")).unwrap();
        for threads in [1, 3] {
            let ctx = Context::silent(threads);
            let open = |path: &Path| Sources::open(&[SourceSpec::new(path.to_path_buf())], u64::MAX, &ctx).unwrap();
            for sources in [Sources::from_texts(&texts), open(&json), open(&table)] {
                let sources = Arc::new(sources);
                let dir = folder.path().join("dir");
                let dir = (threads == 3).then(|| Arc::new(RunDir::open(&dir, Start::New, 1, &ctx).unwrap()));
                let options = Options { run_dir: dir.clone(), ..options(Unit::Line) };
                let found = removed(&sources, options, Choice { keep, ..FIRST }, &ctx);
                let left: Vec<String> = (0..texts.len()).map(|at| found.text(at).unwrap()).collect();
                prop_assert_eq!(&left, &expected);
                for (at, text) in texts.iter().enumerate() {
                    let mut chars: Vec<char> = text.chars().collect();
                    let spans = found.spans(at).unwrap();
                    let size: u32 = spans.iter().map(|span| span.1 - span.0).sum();
                    prop_assert_eq!(size, found.characters[at]);
                    spans.iter().rev().for_each(|span| drop(chars.drain(span.0 as usize..span.1 as usize)));
                    prop_assert_eq!(chars.into_iter().collect::<String>(), &expected[at] as &str);
                }
                let sink = folder.path().join("out.jsonl");
                write_kept(found.sources(), &vec![Decision::Kept; texts.len()], &sink, None, false, &ctx).unwrap();
                let written = fs::read_to_string(&sink).unwrap();
                for (line, text) in written.lines().zip(&expected) {
                    let record: serde_json::Value = serde_json::from_str(line).unwrap();
                    prop_assert_eq!(record["text"].as_str().unwrap(), text);
                }
                prop_assert_eq!(written.lines().count(), texts.len());
                if let Some(dir) = dir {
                    dir.remove().unwrap();
                    dir.close();
                }
            }
        }
    }
}

/// What is not the text stays byte for byte, escapes and all, in UTF-8, in other encodings, and behind a mark.
#[test]
fn the_rest_of_a_record_stays_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = Context::silent(2);
    let first = "{\"n\":1.500,\"text\":\"港口的\\u706f塔 \\\"A\\\"\\n第一\",\"k\":\"\\u4e00\"}\r\n";
    let second = "{\"k\" : null, \"text\" : \"第二\\n港口的灯塔 \\\"A\\\"\\r\\n第三\\t\\ud83d\\ude00\"}";
    let left = "{\"k\" : null, \"text\" : \"第二\\n第三\\t\\ud83d\\ude00\"}";
    for (encoding, mark) in [
        ("utf-8", ""),
        ("utf-8", "\u{FEFF}"),
        ("gb18030", ""),
        ("utf-16le", "\u{FEFF}"),
    ] {
        let bytes = |text: String| match encoding {
            "utf-8" => text.into_bytes(),
            "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => encoding_rs::GB18030.encode(&text).0.into_owned(),
        };
        let (path, sink) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
        fs::write(&path, bytes(format!("{mark}{first}\n{second}"))).unwrap();
        let mut spec = SourceSpec::new(path);
        spec.encoding = EncodingChoice::Auto;
        let sources = Arc::new(Sources::open(&[spec], u64::MAX, &ctx).unwrap());
        let found = removed(&sources, options(Unit::Line), FIRST, &ctx);
        write_kept(found.sources(), &[Decision::Kept; 2], &sink, None, false, &ctx).unwrap();
        assert_eq!(
            fs::read(&sink).unwrap(),
            bytes(format!("{mark}{first}{left}")),
            "{encoding}"
        );
        assert_eq!((found.repeated, found.count, found.frequent[0].count), (1, 1, 2));
    }
}

/// Files of a folder come out as files without what is repeated, in their encodings; the others are copied.
#[test]
fn files_are_cut_too() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = Context::silent(1);
    let (pages, out) = (folder.path().join("pages"), folder.path().join("out/"));
    fs::create_dir(&pages).unwrap();
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{FEFF}{text}")
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    fs::write(pages.join("a.txt"), "版权所有\n一").unwrap();
    fs::write(pages.join("b.txt"), "\u{FEFF}二\n版权所有").unwrap();
    fs::write(pages.join("c.txt"), wide("版权所有\n三")).unwrap();
    fs::write(
        pages.join("d.txt"),
        encoding_rs::GB18030
            .encode("版权所有\n这是一个很普通的句子，没有什么特别的。\n")
            .0,
    )
    .unwrap();
    let mut spec = SourceSpec::new(pages);
    spec.encoding = EncodingChoice::Auto;
    let sources = Arc::new(Sources::open(&[spec], u64::MAX, &ctx).unwrap());
    let found = removed(&sources, options(Unit::Line), FIRST, &ctx);
    write_kept(found.sources(), &[Decision::Kept; 4], &out, None, false, &ctx).unwrap();
    assert_eq!(fs::read(out.join("a.txt")).unwrap(), "版权所有\n一".as_bytes());
    assert_eq!(fs::read(out.join("b.txt")).unwrap(), "\u{FEFF}二".as_bytes());
    assert_eq!(fs::read(out.join("c.txt")).unwrap(), wide("三"));
    let last = encoding_rs::GB18030
        .encode("这是一个很普通的句子，没有什么特别的。\n")
        .0
        .into_owned();
    assert_eq!(fs::read(out.join("d.txt")).unwrap(), last);
}

/// A unit of a scope is not counted in another; a share of its texts may be asked for.
#[test]
fn scopes_and_shares() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = Context::silent(2);
    let path = folder.path().join("in.jsonl");
    let record = |site: &str, text: &str| format!("{{\"site\":\"{site}\",\"text\":\"{text}\"}}\n");
    let all = [("a", "top\\nx"), ("b", "top\\ny"), ("a", "top\\nx"), ("a", "top\\nz")];
    fs::write(&path, all.map(|(site, text)| record(site, text)).concat()).unwrap();
    let sources = Arc::new(Sources::open(&[SourceSpec::new(path)], u64::MAX, &ctx).unwrap());
    let left = |min_share, keep| {
        let options = Options {
            scope: Some("site".to_owned()),
            ..options(Unit::Line)
        };
        let found = removed(
            &sources,
            options,
            Choice {
                keep,
                min_share,
                shown: 1,
            },
            &ctx,
        );
        let totals: Vec<_> = found
            .scopes
            .iter()
            .map(|scope| (scope.position, scope.documents, scope.removed))
            .collect();
        (
            (0..4).map(|at| found.text(at).unwrap()).collect::<Vec<_>>(),
            totals,
            found.frequent,
        )
    };
    assert_eq!(left(0.0, 1).0, ["top\nx", "top\ny", "", "z"]);
    let (texts, totals, frequent) = left(0.9, 0);
    assert_eq!(texts, ["x", "top\ny", "x", "z"]);
    assert_eq!(totals, [(0, 3, 12), (1, 1, 0)]);
    assert_eq!(
        (
            frequent[0].count,
            frequent[0].documents,
            frequent[0].position,
            &frequent[0].text[..]
        ),
        (3, 3, 0, "top")
    );
}

/// Units that are near one another count as their representative.
#[test]
fn near_units_count_as_one() {
    let ctx = Context::silent(1);
    let sources = Arc::new(Sources::from_texts(["one\na", "uno\nb", "c\none"]));
    let lines = Lines::read(&sources, options(Unit::Line), &ctx).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("units.jsonl");
    assert_eq!(
        lines.write_distinct(&path, 0.9, &ctx).unwrap(),
        (vec![0, 1, 2, 3, 4], 5)
    );
    let written = fs::read_to_string(&path).unwrap();
    let units: Vec<serde_json::Value> = written
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        units
            .iter()
            .map(|unit| unit["text"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["one", "a", "uno", "b", "c"]
    );
    let found = lines.remove(FIRST, Some(&[0, 1, 0, 3, 4]), &ctx).unwrap();
    assert_eq!(
        (0..3).map(|at| found.text(at).unwrap()).collect::<Vec<_>>(),
        ["one\na", "b", "c"]
    );
    lines.remove(FIRST, Some(&[0]), &ctx).unwrap_err();
}

/// Of many units only those are searched that have a near one, and hardly any other.
#[test]
fn units_that_are_near_nothing_are_not_searched() {
    let ctx = Context::silent(2);
    let sign = |at: u64| char::from_u32(0x4E00 + (crate::base::hash::mix(at) % 20_000) as u32).unwrap();
    let own = |at: u64| (0..80).map(|nth| sign(at * 80 + nth)).collect::<String>();
    let text = |at: u64| {
        if at < 200 {
            format!("{}{at}", own(at / 2))
        } else {
            own(at)
        }
    };
    let texts: Vec<String> = (0..10_000).map(text).collect();
    let lines = Lines::read(&Arc::new(Sources::from_texts(&texts)), options(Unit::Line), &ctx).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (numbers, count) = lines
        .write_distinct(&folder.path().join("units.jsonl"), 0.9, &ctx)
        .unwrap();
    assert_eq!((numbers, count), ((0..200).collect(), 10_000));
}

/// Of sentences three that follow one another are one unit, and texts with fewer are one.
#[test]
fn three_sentences_go_together() {
    let ctx = Context::silent(1);
    let sources = Arc::new(Sources::from_texts([
        "一。二。三。四。",
        "零。一。二。三。",
        "一。二。",
        "一。二。",
    ]));
    let found = removed(&sources, options(Unit::ThreeSentences), FIRST, &ctx);
    assert_eq!(
        (0..4).map(|at| found.text(at).unwrap()).collect::<Vec<_>>(),
        ["一。二。三。四。", "零。", "一。二。", ""]
    );
    let mut spans = Vec::new();
    take_spans("一。", Unit::ThreeSentences, &mut spans);
    assert_eq!(spans.len(), 1);
}
