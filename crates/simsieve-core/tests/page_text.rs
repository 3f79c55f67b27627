//! The text of pages: what markup says of numbers, and what is the main text.
#![allow(missing_docs)]

use simsieve_core::text::html::{PageScratch, main_text, text, text_with_pictures};
use simsieve_core::text::pictures::take_out;

#[test]
fn main_text_leaves_furniture_out() {
    for (page, expected) in [
        (
            "<header class=masthead>Site</header><article><h1><a href=x>Title</a></h1><p>The words of it.<p><a>More</a></article><aside>See</aside>",
            "Title\nThe words of it.",
        ),
        (
            "<div id=sidebar>Menu</div><div><p>One long sentence of the page.<ul><li><a>x</a><li><a>y</a></ul><p>Two.</div>",
            "One long sentence of the page.\nTwo.",
        ),
        ("<div role=navigation>a</div><main>b</main>", "b"),
        ("<nav>only <a>a menu</a></nav>", "only a menu"),
        (
            "<p>Accept.</p><div class='no-sidebar'><p>The many words of the story.</div>",
            "The many words of the story.",
        ),
        (
            "<p>Accept.</p><div class='banner-box'><h1>Title</h1></div><p>It.",
            "Accept.\nTitle\nIt.",
        ),
        ("<div><select><option>a long list</select><p>It.</div>", "It."),
        ("", ""),
    ] {
        let mut out = String::from("from before");
        main_text(page, &mut PageScratch::default(), &mut out).unwrap();
        assert_eq!(out, expected, "{page}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of pages")]
fn markup_of_numbers_is_written_in_characters() {
    let formula = |inside: &str| format!("<math>{inside}</math>");
    for (page, expected) in [
        ("10<sup>2</sup>, log<sub>2</sub>8, CO<sub>2</sub>", "10², log₂8, CO₂"),
        (
            "10<sup><a>-1</a></sup> Ca<sup>2+</sup> 10<sup>2.5</sup> 5<sup>１</sup>",
            "10⁻¹ Ca²⁺ 10².⁵ 5¹",
        ),
        (
            "1<sup>st</sup> x<sup>TM</sup> note<sup>[1]</sup> m<sup>2</sup>",
            "1st xTM note[¹] m²",
        ),
        (
            "x<sup>n+1</sup> 2<sup>n</sup> x<sup>2a</sup>y x<sup>&#50;</sup>",
            "xⁿ⁺¹ 2ⁿ x⁽²a⁾y x²",
        ),
        ("10<sup>2<sup>3</sup></sup> x<sup>n<sub>1</sub></sup>", "10²^³ xⁿ_¹"),
        (
            "<span style='Vertical-Align: super'>2</span><i style='vertical-align:sub'>2</i>",
            "²₂",
        ),
        (
            "4<del>0</del> <s>1</s><strike>2</strike><ins>3</ins><i style='text-decoration:line-through'>4</i>",
            "4 3",
        ),
        ("<del>all of it</del>", "all of it"),
        ("<p>a<s>b<p>c", "a\nc"),
        (
            "0.<span style='text-decoration: overline'>36</span>",
            "0.3\u{305}6\u{305}",
        ),
        (
            "<ruby>港<rp>(</rp><rt>gǎng</rt><rp>)</rp>口<rtc><rt>kǒu</rt></rtc></ruby>",
            "港口",
        ),
        (
            "a<script type='math/tex; mode=display'>x^2</script>b<script>y</script>",
            "ax^2b",
        ),
        (
            "<span class=MathJax_Preview>x2</span><span class=MathJax>x2</span><script type=math/tex>x^2</script>",
            "x^2",
        ),
        (
            "a<img alt='\\frac{1}{2}' src=1.png>b<img alt='a photo'>c<img src=2.png>d",
            "a \\frac{1}{2} bcd",
        ),
    ] {
        for main in [false, true] {
            let mut out = String::new();
            text_with_pictures(page, main, &mut PageScratch::default(), &mut out).unwrap();
            assert_eq!(take_out(&out).0, expected, "{page}");
        }
    }
    for (inside, expected) in [
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"),
        (
            "<mn>1</mn>\n<mfrac>\n<mn>1</mn>\n<mn>2</mn></mfrac><mn>3</mn>",
            "1 1/2 3",
        ),
        (
            "<mfrac><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>",
            "(x+1)/2",
        ),
        (
            "<msqrt><mn>2</mn></msqrt><msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>",
            "√2√(x+1)",
        ),
        ("<mn>2</mn><mroot><mn>8</mn><mn>3</mn></mroot>", "2 ³√8"),
        (
            "<msup><mn>10</mn><mn>2</mn></msup><msub><mi>x</mi><mn>1</mn></msub>",
            "10²x₁",
        ),
        (
            "<msubsup><mi>x</mi><mn>1</mn><mrow><mo>-</mo><mn>2</mn></mrow></msubsup>",
            "x₁⁻²",
        ),
        ("<msup><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>2</mn></msup>", "(1/2)²"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mn>9</mn></munderover>",
            "∑₍i₌₁₎⁹",
        ),
        (
            "<mmultiscripts><mi>U</mi><mprescripts/><mn>92</mn><mn>235</mn></mmultiscripts>",
            "U₉₂²³⁵",
        ),
        ("<mn>0.</mn><mover><mn>36</mn><mo>¯</mo></mover>", "0.3\u{305}6\u{305}"),
        (
            "<mfenced><mn>1</mn><mn>2</mn></mfenced><mphantom><mn>5</mn></mphantom>",
            "(1,2)",
        ),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>",
            "1 2",
        ),
        (
            "<menclose notation='updiagonalstrike'><mn>4</mn></menclose><mn>5</mn>",
            "5",
        ),
        (
            "<semantics><msup><mi>x</mi><mn>2</mn></msup><annotation encoding='application/x-tex'>x^2</annotation></semantics>",
            "x²",
        ),
        (
            "<semantics><annotation encoding='application/x-tex'>x^2</annotation></semantics>",
            "x^2",
        ),
    ] {
        assert_eq!(shown(&formula(inside)), expected, "{inside}");
    }
    for (page, expected) in [
        ("<math alttext='x^2'></math><img alt='x^2'>", "x^2"),
        (
            "<math alttext='x^2'><msup><mi>x</mi><mn>2</mn></msup></math> <img alt='x^2'> and <img alt='x^2'>",
            "x² and x^2",
        ),
        (
            "<span style='display:none'><math alttext='x^2'><mn>2</mn></math></span><img alt='x^2'>",
            "x^2",
        ),
        (
            "<span class=katex><span class=katex-mathml><math><msup><mi>x</mi><mn>2</mn></msup></math></span><span class=katex-html aria-hidden=true><i>x</i>2</span></span>",
            "x²",
        ),
        (
            "<span class=katex><span class=katex-html aria-hidden=true><i>x</i>2</span></span>",
            "x2",
        ),
    ] {
        assert_eq!(shown(page), expected, "{page}");
    }
}

fn shown(page: &str) -> String {
    let mut out = String::new();
    text(page, &mut PageScratch::default(), &mut out).unwrap();
    out
}

#[test]
fn pictures_that_differ_have_other_marks() {
    let marks = |page: &str| {
        let mut out = String::new();
        text_with_pictures(page, false, &mut PageScratch::default(), &mut out).unwrap();
        let (text, marks) = take_out(&out);
        assert_eq!(text, shown(page), "{page}");
        marks
    };
    let pages = [
        "a<img src=1.png>b",
        "a<img src=2.png>b",
        "a<img src=2.png alt=c>b",
        "a<img src=/1.png>b",
        "a<img src='data:image/png;base64,AA=='>b",
        "a<img src=x.gif data-src=1.png>b",
        "a<img src=1.png><img src=2.png>b",
        "a<img src=2.png><img src=1.png>b",
        "a<svg><path d=M1></svg>b",
        "a<svg><path d=M2></svg>b",
        "a<svg><g><path d=M2></g></svg>b",
        "a<audio src=1.mp3></audio>b",
        "a<audio><source src=2.mp3></audio>b",
        "a<object data=1.svg></object>b",
        "ab",
    ];
    for (at, one) in pages.iter().enumerate() {
        for two in &pages[at + 1..] {
            assert_ne!(marks(one), marks(two), "{one} and {two}");
        }
    }
    assert_eq!(marks("a<img src=1.png>b"), marks("<p>c <img class=x src=' 1.png'></p>"));
    for page in ["<img alt>", "<p hidden><img src=1.png></p>b", "<img src=''>"] {
        assert_eq!(marks(page), "", "{page}");
    }
}

/// In a page of XHTML a tag that closes itself takes in nothing; in one of HTML it is a start tag.
#[test]
fn tags_of_xhtml_close_themselves() {
    let head = "<html xmlns='http://www.w3.org/1999/xhtml'><body>";
    let both = |page: &str| {
        let (mut all, mut main) = (String::new(), String::new());
        text(page, &mut PageScratch::default(), &mut all).unwrap();
        main_text(page, &mut PageScratch::default(), &mut main).unwrap();
        assert_eq!(all, main, "{page}");
        all
    };
    for tag in [
        "title",
        "script src='a.js'",
        "textarea",
        "style",
        "iframe",
        "xmp",
        "noembed",
        "plaintext",
        "p",
        "svg",
    ] {
        let body = format!("<p>One.</p><{tag}/><p>Two.</p>");
        assert_eq!(both(&format!("{head}{body}")), "One.\nTwo.", "{tag}");
        assert_eq!(
            both(&format!(" <?xml version='1.0'?><html>{body}")),
            "One.\nTwo.",
            "{tag}"
        );
        let is_raw = !matches!(tag, "p" | "svg");
        assert_eq!(both(&format!("<html>{body}")) == "One.\nTwo.", !is_raw, "{tag}");
    }
    assert_eq!(
        both(
            "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head>\n<body>a<br/>b<br/></body></html>"
        ),
        "a\nb"
    );
    // What is beyond the bound of open elements is left out with its end, and no later end tag is.
    let deep = "<b>".repeat(600);
    assert_eq!(both(&format!("{head}{deep}<i/>a<i>b</i><p>c")), "abc");
}
