//! Texts, pages, word lists and the names of schemes.

use simsieve_core::base::kernel::Kernel;
use simsieve_core::encode::scheme::{self, OpenScheme, SchemeSpec};
use simsieve_core::text::html::{self, Hash, Options, Weight, dom_features, main_text, outline};
use simsieve_core::text::segment::keywords::Keywords;
use simsieve_core::text::segment::parts::Tags;
use simsieve_core::text::segment::{self, Mode, Segmenter};
use simsieve_core::text::{Compact, Fold, Normaliser};
use simsieve_core::text::{normalise, simplify};

use super::{choose, refused};

pub const CHARACTERS: &[&str] = &[
    " ",
    "\n",
    "\r\n",
    "\u{a0}",
    "\u{200d}",
    "\u{ad}",
    "\u{feff}",
    "\u{301}",
    "\u{327}",
    "\u{1161}",
    "\u{11a8}",
    "\u{ac00}",
    "\u{df}",
    "\u{130}",
    "\u{fb01}",
    "\u{ff21}",
    "\u{3002}",
    "\u{4e2d}\u{6587}",
    "\u{8a08}\u{7a0b}\u{8eca}",
    "\u{88e1}\u{9762}",
    "\u{1f600}",
    "\u{345}",
    "\u{3b1}",
    "\u{10ffff}",
    "9007199254740992",
    "18446744073709551616",
    "1e999",
    "NaN",
    " 0",
    " n",
    "-",
    "\0",
];

/// The normaliser, whatever its kernel and fold, says what the plain one does; once normalised, a text stays so.
pub fn normaliser(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let normalised = normalise::plain::normalise(&text);
    assert_eq!(normalise::plain::normalise(&normalised), normalised);
    let mut out = Compact::default();
    for fold in [
        None,
        Some(Fold::CHARACTERS),
        Some(Fold::WORDS),
        Some(Fold::NUMERALS),
        Some(Fold::MARKS),
    ] {
        let full = fold.map_or(normalised.clone(), |fold| simplify::plain::simplify(&normalised, fold));
        for keep_all in [false, true] {
            let compact = if keep_all {
                full.clone()
            } else {
                normalise::plain::compact(&full)
            };
            for kernel in Kernel::available() {
                Normaliser::with_kernel(keep_all, kernel)
                    .folding(fold)
                    .run(&text, &mut out);
                assert_eq!(out.normalised(), full.as_bytes(), "{text:?} {fold:?} {kernel:?}");
                assert_eq!(out.compact(), compact.as_bytes(), "{text:?} {fold:?} {kernel:?}");
            }
        }
    }
}

pub fn normaliser_seeds() -> Vec<Vec<u8>> {
    [
        "The quick brown fox, \u{201c}jumps\u{201d} over 13 lazy dogs; and then it sleeps for a while in the warm sun.",
        "\u{ff21}\u{ff22} \u{fb01} \u{df} \u{130} \u{1e9e} e\u{301} \u{1100}\u{1161}\u{11a8} \u{ad}\u{200d}\u{fe0f}",
        "\u{8a08}\u{7a0b}\u{8eca}\u{5728}\u{88e1}\u{9762}\u{ff0c}\u{6ed1}\u{9f20}\u{8207}\u{786c}\u{789f}\u{3002}",
        "\u{30ab}\u{3099}\u{ff76}\u{ff9e} \u{915}\u{399}\u{391} \u{3c2} a\u{345}\u{301}",
        "\u{e19}\u{e49}\u{e33}\u{e4d}\u{e49}\u{e32}\u{e40}\u{e40} \u{6cc}\u{654}\u{6c0}\u{640} \u{d28}\u{d4d}\u{200d} \u{4e8c}\u{25cb}\u{1f525}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

pub const PAGE_WORDS: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href='",
    "<table>",
    "<td>",
    "</table>",
    "<svg>",
    "<math>",
    "<template>",
    "<select>",
    "<option>",
    "<script>",
    "</script>",
    "<style>",
    "<title>",
    "<textarea>",
    "<plaintext>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE html>",
    "<frameset>",
    "<form>",
    "<font color=1>",
    " class='",
    " hidden",
    " style='display:none'",
    "&amp;",
    "&#x4e2d;",
    "&#0;",
    "&notit;",
    "&NotEqualTilde;",
    "\0",
    "\"",
    "<meta charset=gbk>",
    "<annotation-xml encoding='text/html'>",
    "<foreignObject>",
    "<nobr>",
    "<br/>",
    "<noscript>",
    "<li>",
];

/// Any bytes are a page or are refused; a page has no more features than elements of its own.
pub fn pages(bytes: &[u8]) {
    let page = match html::decode(bytes, None) {
        Ok((page, _)) => page,
        Err(error) => return refused(&error),
    };
    let mut scratch = html::PageScratch::default();
    let elements = match outline(&page, &mut scratch) {
        Ok(elements) => elements,
        Err(error) => return refused(&error),
    };
    let (mut whole, mut main) = (String::new(), String::new());
    html::text(&page, &mut scratch, &mut whole).unwrap();
    main_text(&page, &mut scratch, &mut main).unwrap();
    assert!(
        whole.lines().all(|line| !line.trim_matches(' ').is_empty()),
        "{whole:?}"
    );
    assert_eq!(whole.is_empty(), main.is_empty(), "{page:?}");
    let options = Options {
        levels: 2,
        classes: true,
        weight: Weight::Once,
        hash: Hash::Xxh3,
    };
    let own = elements.iter().filter(|(_, _, own)| *own).count();
    let found = dom_features(&page, &options, &mut scratch).unwrap();
    assert!(found.len() <= own && found.is_empty() == (own == 0), "{page:?}");
}

pub fn page_seeds() -> Vec<Vec<u8>> {
    [
        "<!DOCTYPE html><html><head><title>t</title><meta charset=utf-8></head><body class=a><nav><a href=/>Home</a></nav><p>One &amp; two<ul><li>1<li>2</ul></body></html>",
        "<table>a<tr>b<td>c</td>d</tr>e<p>f</table><b>1<i>2<p>3</b>4</i>5<a>6<div>7<a>8</div>9",
        "<svg><title>t</title><foreignObject><p>a</foreignObject></svg><math><mi>a<annotation-xml encoding='text/html'><p>c</math>",
        "<script><!-- <script>1</script> 2 </script> --><style>p{}</style><textarea>\n&lt;</textarea><!-- x --!><![CDATA[y]]>",
        "<frameset><frame></frameset><template><tr><td>a</template><select><option>b<optgroup>c</select><p hidden>d",
    ]
    .map(|page| page.as_bytes().to_vec())
    .to_vec()
}

/// Lists of words in place of jieba's own, and a text that they cut: the words of it, joined, are the text.
pub fn words(bytes: &[u8]) {
    let (kind, bytes) = choose(bytes, &[0, 1, 2, 3]);
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let file = parts.next().unwrap_or_default();
    let text = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let known = "\u{4e2d} 10 n\n\u{4e2d}\u{6587} 5 nz\nab 3 eng\n";
    let mut segmenter = Segmenter::with_dictionary("known", known.as_bytes()).unwrap();
    let mut keywords = Keywords::builtin();
    let loaded = match kind {
        0 => Segmenter::with_dictionary("file", file).map(|read| segmenter = read),
        1 => segmenter.load_words("file", file),
        2 => keywords.load_frequencies("file", file),
        _ => keywords.load_stop_words("file", file),
    };
    if let Err(error) = loaded {
        refused(&error);
    }
    let mut room = segment::CutScratch::default();
    for hmm in [false, true] {
        let mut joined = String::new();
        segmenter.cut(&text, Mode::Exact, hmm, &mut room, |place| {
            joined.push_str(&text[place]);
        });
        assert_eq!(joined, text, "{kind} {hmm}");
        let mut tagged = String::new();
        segmenter.tag(&text, hmm, &mut room, |place, tag| {
            assert!(!tag.is_empty());
            tagged.push_str(&text[place]);
        });
        assert_eq!(tagged, text, "{kind} {hmm}");
        for mode in [Mode::Full, Mode::Search] {
            segmenter.cut(&text, mode, hmm, &mut room, |place| assert!(!text[place].is_empty()));
        }
    }
    let found = keywords.find(&segmenter, &text, 5, &Tags::default(), &mut room);
    assert!(found.is_sorted_by(|a, b| a.1 >= b.1), "{found:?}");
    assert_eq!(segmenter.digest(), segmenter.clone().digest());
}

pub fn word_seeds() -> Vec<Vec<u8>> {
    [
        "\0\u{5317}\u{4eac} 34488 ns\n\u{5927}\u{5b66} 20025 n\nab\u{4e2d} 7\n\0\u{5317}\u{4eac}\u{5927}\u{5b66} is a b, 3.5%",
        "\u{1}\u{feff}\u{4e91}\u{8ba1}\u{7b97} 5\n\u{4e2d}\u{6587}\u{4e2d} nz\nnew\r\n\u{4e2d}\u{6587} 0\n\0\u{4e91}\u{8ba1}\u{7b97}\u{4e2d}\u{6587}\u{4e2d}new\u{4e91}",
        "\u{2}\u{4e2d}\u{6587} 3.5\nab -1\n\0\u{4e2d}\u{6587}ab\u{4e2d}\u{6587}",
        "\u{3}ab\n\u{4e2d}\u{6587}\n\0\u{4e2d}\u{6587}ab\u{4e2d}\u{6587}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

pub const SCHEME_WORDS: &[&str] = &[
    "chars64",
    "chars128",
    "chars256",
    "words64",
    "keywords64",
    "lines_tfidf64",
    "esimhash64",
    "dom64",
    "external128",
    "angelo32",
    "gemantic64",
    "mfonda64",
    "simhash64",
    ":",
    ",",
    "=",
    "+",
    "*",
    "n=",
    "weights=",
    "once",
    "tf",
    "log",
    "idf",
    "log-idf",
    "tf-idf",
    "punctuation=",
    "keep",
    "fold=",
    "t2s",
    "tw2sp",
    "extract=",
    "main",
    "all",
    "pos=",
    "mode=",
    "full",
    "search",
    "hmm=",
    "off",
    "top=",
    "levels=",
    "decay=",
    "hash=",
    "window=",
    "position=",
    "classes=",
    "0",
    "1",
    "18446744073709551616",
    "-1",
    "0.45",
    "NaN",
    "1e-400",
];

/// A scheme that can be read says its name so that the same is read again, and takes any text by every kernel alike.
pub fn schemes(bytes: &[u8]) {
    let (spec, text) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    let (spec, text) = (String::from_utf8_lossy(spec), String::from_utf8_lossy(text));
    // What names a file would read any file of the machine.
    if ["stop=", "dict=", "model="].iter().any(|key| spec.contains(key)) {
        return;
    }
    let scheme = match OpenScheme::parse(&spec) {
        Ok(scheme) => scheme,
        Err(error) => return refused(&error),
    };
    let again = OpenScheme::parse(&scheme.spec()).unwrap();
    assert_eq!(
        (again.spec(), again.digest(), again.canonical()),
        (scheme.spec(), scheme.digest(), scheme.canonical())
    );
    let pure = SchemeSpec::parse(&spec).unwrap();
    assert_eq!(pure.to_string(), scheme.spec());
    assert_eq!(SchemeSpec::from_json(&pure.to_json()).unwrap(), pure);
    let Ok(scheme) = scheme.ready() else {
        return;
    };
    let mut room = scheme::Scratch::default();
    let mut prints = Vec::new();
    for kernel in Kernel::available() {
        if let Err(refusal) = scheme.extract(&text, &mut room) {
            assert!(
                refusal.message().to_string().len() > 10 && refusal.message().to_string().len() < 4096,
                "{refusal:?}"
            );
            return;
        }
        let mut words = vec![0; scheme.words()];
        let valid = scheme.fingerprint(kernel, &mut room, &mut words);
        prints.push((valid, words));
    }
    assert!(
        prints.windows(2).all(|pair| pair[0] == pair[1]),
        "{spec} {text:?} {prints:?}"
    );
}

pub fn scheme_seeds() -> Vec<Vec<u8>> {
    [
        "chars64:weights=log,n=3\nThe gate opens at nine, and closes at ten.",
        "words128:n=2,fold=t2s\n\u{6eff}\u{8db3} words of two scripts",
        "words64:mode=search,hmm=off\n\u{5317}\u{4eac}\u{5927}\u{5b66}\u{5728}\u{5317}\u{4eac} v2",
        "words128:n=2,weights=tf,pos=n*:2+v:0.5\n\u{5317}\u{4eac}\u{5927}\u{5b66}\u{5728}700\u{540d}",
        "esimhash_baseline64:mode=full\n\u{5317}\u{4eac}\u{5927}\u{5b66}, \u{5728}700\u{540d}",
        "keywords64:top=5,pos=n*+v\n\u{5317}\u{4eac}\u{5927}\u{5b66}\u{5728}\u{5317}\u{4eac}",
        "lines_tfidf64\none line\nand another line",
        "dom64:decay=0.45,levels=2\n<p>a<b>c</b>",
        "chars128:extract=main\n<nav>x</nav><p>The text.",
        "external128:base=hex\n0123456789abcdef0123456789abcdef",
        "simhash64\nabc def",
        "mfonda64\nabc def",
        "gemantic64\nabc def",
        "angelo32\nabc def",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
