//! Pages: against html5ever with its own tokeniser and plain rules, on named pages and on tag soup; values that must
//! not move.
#![allow(missing_docs)]

mod page_oracle;

use page_oracle::{TAGS, read};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use simsieve_core::base::hash::xxh3_64;
use simsieve_core::text::html::{
    Feature, Hash, Options, Scratch, Weight, dom_features, dom_fold, dom_named, main_text, outline, text,
};

/// Pages that browsers put right, each in its own way.
const PAGES: [(&str, &str); 48] = [
    ("empty", ""),
    ("only text", "a &amp; b"),
    ("unclosed", "<p>a<p>b<li>c<li>d<dt>e<dd>f<option>g<option>h"),
    ("misnested", "<b>1<i>2<p>3</b>4</i>5<a>6<div>7<a>8</div>9"),
    (
        "formatting with attributes",
        "<p><font size=1><font size=2><font size=3><font size=4>x<p>y</p><b class=a><b class=a><b class=a><b class=a><p>z",
    ),
    (
        "nested tables",
        "<table><tr><td><table><tr><td>1</table>2<td>3</table>4",
    ),
    ("text in a table", "<table>a<tr>b<td>c</td>d</tr>e<p>f</table>g"),
    ("space in a table", "<table> <tr> <td> a </td> <b> </b></tr></table>"),
    ("table parts alone", "<td>a</td><tr><tbody><caption>x</caption><col>"),
    ("table without a body", "<table><td>a<th>b<tr><col><td>c"),
    ("quirks", "<p><table><tr><td>a"),
    ("no quirks", "<!DOCTYPE html><p><table><tr><td>a"),
    (
        "limited quirks",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"x\"><p><table><td>a",
    ),
    (
        "old quirks",
        "<!doctype HTML public '-//IETF//DTD HTML 2.0//EN'><p><table><td>a",
    ),
    ("broken doctype", "<!doctype><p><table><td>a"),
    ("broken public", "<!doctype html public \"a><p><table><td>a"),
    (
        "frames",
        "<html><frameset rows=2> x <frame src=a><frame><noframes><p>no</noframes></frameset></html>",
    ),
    ("frameset too late", "<p>a<frameset><frame>"),
    (
        "template",
        "<template><tr><td>a</td></tr></template><p>b<template><p>c<template>d</template></template>",
    ),
    (
        "svg",
        "<svg viewBox=0><g/><title>t</title><foreignObject><p>a</foreignObject><path/><desc>x<p>y</svg>z",
    ),
    ("svg broken out of", "<svg><g><p>a<svg><font><font color=x>b"),
    (
        "math",
        "<math><mi>a<p>b</mi><annotation-xml encoding='text/HTML'><p>c</annotation-xml><annotation-xml><p>d",
    ),
    (
        "cdata",
        "<svg><![CDATA[a<b>]]]]></svg><![CDATA[c<d>]]>e<math><![CDATA[]]>f<![CDATA[g",
    ),
    (
        "comments",
        "a<!-- <p> -->b<!-->c<!--->d<!---->e<!-- x --!>f<!--a--->g<!--a----!>h<!----!>i<!-- <!-- -->j<!-x>k<?pi ?>l</>m</ x>n<!---!>o",
    ),
    ("comment without end", "a<!-- b --<p>"),
    (
        "scripts",
        "<script>if (a < b) '<p>' </script>x<script><!-- <script> </script> --></script>y<script><!--></script>z",
    ),
    (
        "scripts in scripts",
        "<script><!-- <script>1</script> 2 </script> --> 3</script>4<script><!--- a -> <scripts></script>5",
    ),
    (
        "raw text",
        "<style><p></style ><title>a &lt; <b></title><textarea>\n<p>&amp;</textarea><xmp><p>&amp;</xmp/><iframe><p></iframe>a",
    ),
    (
        "raw text whose end has attributes",
        "<title>a</title <b>b<i>c</i><script>d</script e='f>'>g<textarea>h</textarea i>j<xmp>k</xmp/l>m<iframe>n</iframe <b>o",
    ),
    ("raw text without end", "<title>a</titles></title x"),
    ("plaintext", "<p>a<plaintext><p>b</plaintext>"),
    (
        "attributes",
        "<p a=1 b='>' c=\">\" d = e/ f/g ==x h><input type = HIDDEN /><br/><p/a/>b<img alt='x>y'>c",
    ),
    ("tags cut off", "a<p>b<p class='x>"),
    ("end cut off", "a</"),
    ("open cut off", "a<"),
    ("end tags of nothing", "</p></br></div></table>a</body>b</html>c"),
    ("less than", "1 < 2 <3 <<b>4</b> <\u{4e2d}>"),
    (
        "null bytes",
        "a\0b<p\0q>c<title>x</title>\0<svg>\0d</svg><table>\0<td>\0",
    ),
    ("null first", "\0 <p>a"),
    (
        "references",
        "&lt;p&gt; &nbsp;&copy;&copy &#x4e2d;&#20013; &notanentity; &#32;&Tab;<table>&#32;<tr>&#x20;x</table>",
    ),
    (
        "opened again without its attributes",
        "<nobr><p type=hidden> b c <nobr hidden>",
    ),
    ("ruby", "<ruby>a<rp>(</rp><rt>b<rtc>c<rt>d</ruby>"),
    (
        "select",
        "<select><option>a<optgroup><option>b<p>c</select><select><input>d<select><b>e",
    ),
    ("forms", "<form>a<form>b<div></form>c</div><button>d<button>e<isindex>"),
    (
        "head and body twice",
        "<head><title>a</title><p>b<head><body class=x>c<html lang=y><link><meta charset=gbk></body><p>d",
    ),
    (
        "lines after pre",
        "a<pre>\nb</pre><pre>\r\nc<pre><pre>\n\nd<textarea>\n<a></textarea><!---->\ne<svg><textarea>\nf",
    ),
    ("hidden and opened again", "<a hidden><pre>x</a>y<b hidden>z<p>w"),
    (
        "noscript",
        "<noscript><style>x</style><p>a</noscript><p>b<noscript><p>c</noscript>",
    ),
];

fn compare(page: &str) -> Result<(), TestCaseError> {
    let mut scratch = Scratch::default();
    let oracle = read(page);
    let ours: Vec<(u32, String)> = outline(page, &mut scratch)
        .unwrap()
        .into_iter()
        .map(|(depth, tag, _)| (depth, tag))
        .collect();
    prop_assert_eq!(ours, oracle.outline(), "{:?}", page);
    let mut out = String::new();
    text(page, &mut scratch, &mut out).unwrap();
    // The oracle marks its lines by U+0001, which a reference may bring into a text.
    if !page.contains('\0') && !out.contains('\u{1}') {
        let mut expected = oracle.text();
        if page.contains("<colgroup") {
            // Text in a column group goes before the table, but for the white space at its head, which
            // stays: our texts are not cut in two, so it goes along.
            for text in [&mut out, &mut expected] {
                text.retain(|c| !c.is_whitespace());
            }
        }
        prop_assert_eq!(out, expected, "{:?}", page);
    }
    Ok(())
}

#[test]
fn named_pages_have_the_tree_and_text_of_the_oracle() {
    let failed: Vec<String> = PAGES
        .iter()
        .filter_map(|(name, page)| compare(page).err().map(|error| format!("{name}: {error}\n")))
        .collect();
    assert!(failed.is_empty(), "{}", failed.concat());
}

fn seeded() -> ProptestConfig {
    let config = ProptestConfig::default();
    match config.rng_seed {
        RngSeed::Random => ProptestConfig {
            rng_seed: RngSeed::Fixed(7),
            ..config
        },
        RngSeed::Fixed(_) => config,
    }
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => (0..TAGS.len(), prop_oneof![Just(""), Just(" class='a b'"), Just(" hidden"), Just(" type=hidden"), Just("/"), Just(" color=1")])
            .prop_map(|(tag, rest)| format!("<{}{rest}>", TAGS[tag])),
        4 => (0..TAGS.len()).prop_map(|tag| format!("</{}>", TAGS[tag])),
        3 => prop_oneof![Just("a"), Just(" "), Just("\n"), Just(" b c "), Just("&amp;"), Just("&#32;"), Just("&lt"), Just("中")].prop_map(str::to_owned),
        1 => prop_oneof![
            Just("<!--"), Just("-->"), Just("<![CDATA["), Just("]]>"), Just("<!doctype html>"), Just("<"), Just(">"), Just("\""),
            Just("'"), Just("="), Just("</"), Just("<?x>"), Just("--"), Just("!"), Just("\0"), Just("<p a='"), Just("<!DOCTYPE x SYSTEM 'y'>"),
        ].prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    // A fixed seed: what another one finds belongs into the named pages, not by chance into somebody's other change.
    // `PROPTEST_RNG_SEED` tries another.
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..seeded() })]
    #[test]
    fn tag_soup_has_the_tree_and_text_of_the_oracle(page in soup()) {
        compare(&page)?;
    }

    #[test]
    fn anything_is_a_page(page in "\\PC{0,40}|[<>/!\\-a-c&;#= '\"\\[\\]]{0,60}") {
        compare(&page)?;
        let mut out = String::new();
        main_text(&page, &mut Scratch::default(), &mut out).unwrap();
    }

    #[test]
    fn features_are_those_of_the_outline(page in soup(), levels in 0..4_usize, decay in 0.05..1.0_f64, rule in 0..3_u8) {
        let mut scratch = Scratch::default();
        let weight = [Weight::Sum(decay), Weight::Nearest(decay), Weight::Once][rule as usize];
        let options = Options { levels, classes: false, weight, hash: Hash::Xxh3 };
        let mut expected: std::collections::BTreeMap<u64, f64> = std::collections::BTreeMap::new();
        let mut path: Vec<String> = Vec::new();
        for (depth, tag, own) in outline(&page, &mut scratch).unwrap() {
            path.truncate(depth as usize - 1);
            path.push(tag);
            let from = if levels == 0 { 0 } else { path.len().saturating_sub(levels) };
            if own {
                let power = decay.powi(depth as i32);
                let sum = expected.entry(xxh3_64(path[from..].join("/").as_bytes())).or_default();
                *sum = match weight { Weight::Sum(_) => *sum + power, Weight::Nearest(_) => sum.max(power), Weight::Once => 1.0 / 1_048_576.0 };
            }
        }
        let found = dom_features(&page, &options, &mut scratch).unwrap().to_vec();
        let mut named: Vec<Feature> = dom_named(&page, &options, &mut scratch).unwrap().into_iter().map(|(_, feature)| feature).collect();
        named.sort_by_key(|feature| feature.hash);
        prop_assert_eq!(&named, &found);
        for feature in found {
            let sum = expected.remove(&feature.hash).unwrap() * 1_048_576.0;
            prop_assert!((sum - feature.weight as f64).abs() <= 0.500_001, "{} {}", sum, feature.weight);
        }
        prop_assert!(expected.values().all(|sum| sum * 1_048_576.0 <= 0.500_001));
    }
}

/// What a page's own elements weigh, by name.
fn weights(page: &str, options: &Options) -> Vec<(String, i64)> {
    let named = dom_named(page, options, &mut Scratch::default()).unwrap();
    named
        .into_iter()
        .map(|(name, feature)| (name, feature.weight))
        .collect()
}

#[test]
fn invented_elements_are_no_features_but_have_their_depth() {
    let options = Options {
        levels: 0,
        weight: Weight::Sum(0.5),
        ..Options::default()
    };
    let own = |pairs: &[(&str, i64)]| {
        pairs
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight))
            .collect::<Vec<_>>()
    };
    assert_eq!(weights("", &options), []);
    assert_eq!(weights("text only", &options), []);
    assert_eq!(weights("<td>x", &options), []);
    assert_eq!(
        weights("<table><td>x", &options),
        own(&[("html/body/table", 1 << 17), ("html/body/table/tbody/tr/td", 1 << 14)])
    );
    assert_eq!(weights("</p></br>", &options), []);
    // The second b is the parser's own, opened again in the second paragraph.
    assert_eq!(
        weights("<p><b>1<p>2", &options),
        own(&[("html/body/p", 1 << 18), ("html/body/p/b", 1 << 16)])
    );
    assert_eq!(weights("<image>", &options), own(&[("html/body/img", 1 << 17)]));
}

#[test]
fn classes_are_a_set_beside_their_tag() {
    let options = Options {
        levels: 2,
        classes: true,
        weight: Weight::Once,
        hash: Hash::Xxh3,
    };
    let names: Vec<String> = weights(
        "<body class=' z a\tz '><p CLASS='&amp;'><p class=b class=c><i class>",
        &options,
    )
    .into_iter()
    .map(|it| it.0)
    .collect();
    assert_eq!(names, ["body.a.z/p.&", "body.a.z/p.b", "html/body.a.z", "p.b/i"]);
}

#[test]
fn golden_fingerprints_have_not_moved() {
    let page = "<!DOCTYPE html><html><head><title>t</title></head><body class=a><div><p>x<p>y<ul><li>1<li>2</ul></div></body></html>";
    let print = |options: &Options, width| {
        let features = dom_features(page, options, &mut Scratch::default()).unwrap().to_vec();
        dom_fold(&features, width).unwrap().unwrap()
    };
    let dom64 = Options::default();
    let pairs = Options {
        levels: 2,
        classes: true,
        weight: Weight::Nearest(0.45),
        hash: Hash::Xxh3,
    };
    let whole = Options {
        levels: 0,
        classes: false,
        weight: Weight::Once,
        hash: Hash::Fnv1,
    };
    assert_eq!(print(&dom64, 64), GOLDEN.0);
    assert_eq!(print(&pairs, 128), GOLDEN.1);
    assert_eq!(print(&whole, 100), GOLDEN.2);
}

const GOLDEN: ([u64; 1], [u64; 2], [u64; 2]) = (
    [0xF132_317E_D83F_A3C6],
    [0x9938_9A23_5636_E760, 0x428B_EB15_C50C_A064],
    [0x31A0_51AB_C9B3_E095, 0x0000_000C_20CA_F420],
);

#[test]
fn sums_of_great_weights_are_exact() {
    let features = [
        Feature {
            hash: u64::MAX,
            weight: 1 << 50,
        },
        Feature {
            hash: 0,
            weight: (1 << 50) - 1,
        },
    ];
    assert_eq!(dom_fold(&features, 64).unwrap(), Some(vec![u64::MAX]));
    let tie = features.map(|feature| Feature { weight: 7, ..feature });
    assert_eq!(dom_fold(&tie, 64).unwrap(), Some(vec![0]));
    assert_eq!(dom_fold(&[], 64).unwrap(), None);
    assert!(dom_fold(&tie, 0).unwrap_err().to_string().contains("allowed: 1 to 256"));
}

#[test]
fn a_decay_outside_of_its_range_is_refused() {
    for decay in [0.0, -1.0, 1.1, f64::NAN] {
        let options = Options {
            weight: Weight::Sum(decay),
            ..Options::default()
        };
        let message = dom_features("<p>", &options, &mut Scratch::default())
            .unwrap_err()
            .to_string();
        assert!(
            message.contains(&format!("{decay}")) && message.contains("0.45"),
            "{message}"
        );
    }
}
