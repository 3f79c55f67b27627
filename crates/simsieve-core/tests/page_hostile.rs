//! Pages made to break a parser: by depth, by what must be opened again, by what has no end.
#![allow(missing_docs)]

mod page_tags;

use page_tags::tags;
use simsieve_core::base::error::Result;
use simsieve_core::base::hash::mix;
use simsieve_core::text::html::{
    Options, PageScratch, dom_features, main_text, mixed_text, outline, text, text_with_pictures,
};

type Take = fn(&str, &mut PageScratch, &mut String) -> Result<()>;
const TAKES: [Take; 3] = [text, main_text, mixed_text];
const RAW: [&str; 8] = [
    "title", "script", "style", "textarea", "iframe", "xmp", "noembed", "noframes",
];

/// Each page is parsed to its end or refused. Work that grows with the square of 3 MB takes hours: the test would not end.
#[test]
fn hostile_pages_come_to_an_end() {
    let times = |piece: &str, bytes: usize| piece.repeat(bytes / piece.len());
    let size = 3_000_000;
    let fonts = "<p>".to_owned()
        + &(0..200)
            .map(|i| format!("<font size={i}>"))
            .collect::<Vec<_>>()
            .concat();
    let pages = [
        ("nested", times("<div>", 10_000_000)),
        ("nested and closed", times("<div>", 250_000) + &times("</div>", 300_000)),
        ("lists", times("<ul><li>", size)),
        ("formatting", times("<b>", size)),
        ("fonts and paragraphs", fonts.clone() + &times("<p>x", size)),
        ("fonts and bolds", fonts + "</p>" + &times("<b></b>", size)),
        ("links", times("<a><div>", size)),
        ("tables", times("<table><tr><td>", size)),
        ("text in tables", times("<table>a", size)),
        ("svg", times("<svg><title>", size)),
        ("templates", times("<template>", size)),
        ("comments", times("<!--", size)),
        ("less than", times("<", size)),
        ("scripts", "<script><!--".to_owned() + &times("<script", size)),
        ("titles", times("<title></", size)),
        ("quotes", times("<a b='", size)),
        ("references", times("&amp;&", size)),
        ("attributes", "<p".to_owned() + &times(" a=b", size) + ">"),
        (
            "distinct attributes",
            (0..300_000).fold("<b".to_owned(), |page, i| page + &format!(" a{i}=b")) + ">",
        ),
        ("null characters", "<svg>".to_owned() + &times("\0", size)),
        ("end tags", times("</p>", size)),
        ("choices", times("<select><selectedcontent><option>a", size)),
        (
            "choices in cells",
            times("<select><table><td><option>a<option><selectedcontent>", size),
        ),
        ("classes", times("<div class='a-nav b-menu'>x</div>", size)),
        ("unknown", times("<foo></", size)),
        ("unknown and wrongly quoted", times("<foo x='' y", size)),
        ("bodies", times("<body x='", size)),
        ("raised", times("<sup>1", size)),
        ("formulas", times("<math><msqrt>", size)),
        ("fractions", times("<math><mfrac><mi>&amp;</mi>", size)),
        (
            "lines above",
            "<math>".to_owned() + &times("<mover><mn>1</mn><mo>¯", size),
        ),
        ("overlines", times("<b style='text-decoration:overline'>1", size)),
        ("drawings", times("<svg><foreignObject><p>", size)),
        ("formulas in scripts", times("<script type=math/tex>x</script>", size)),
        ("struck", times("<s>", size)),
    ];
    let mut scratch = PageScratch::default();
    for (name, page) in &pages {
        let mut out = String::new();
        match dom_features(page, &Options::default(), &mut scratch) {
            Ok(features) => assert!(features.len() < 100, "{name}"),
            Err(error) => assert!(error.to_string().contains("misnested"), "{name}: {error}"),
        }
        let _ = main_text(page, &mut scratch, &mut out);
        let _ = mixed_text(page, &mut scratch, &mut out);
        let _ = text_with_pictures(page, false, &mut scratch, &mut out);
        assert!(out.len() < 4 * page.len() + 100, "{name}");
    }
}

#[test]
fn deep_pages_keep_their_text_and_neighbours() {
    let page = "<div>".repeat(50_000) + "deep<script><p></script>" + &"</div>".repeat(50_000) + "<p>after";
    let mut scratch = PageScratch::default();
    let mut out = String::new();
    text(&page, &mut scratch, &mut out).unwrap();
    assert_eq!(out, "deep\nafter");
    let elements = outline(&page, &mut scratch).unwrap();
    assert_eq!(elements.last(), Some(&(3, "p".to_owned(), true)));
    assert!(elements.len() > 400 && elements.len() < 600, "{}", elements.len());
}

#[test]
fn an_end_tag_ends_raw_text_whatever_follows_its_name() {
    let mut scratch = PageScratch::default();
    let mut out = String::new();
    for (name, rest) in RAW
        .iter()
        .flat_map(|name| ["<b", " x=\"y\"", "/", " a b", " <", " '", "\n"].map(|rest| (name, rest)))
    {
        let rest = if rest == "<b" { " <b" } else { rest };
        for before in ["", "<p>", "<!doctype html>"] {
            let page = format!("{before}<{name}>Ferry</{name}{rest}>It leaves<i> at seven.</i>");
            for take in TAKES {
                take(&page, &mut scratch, &mut out).unwrap();
                assert!(out.ends_with("It leaves at seven."), "{page}: {out}");
            }
        }
    }
}

#[test]
fn the_end_tag_of_raw_text_is_not_that_of_one_left_out() {
    for name in RAW {
        let page = format!("<svg>{}<{name}></svg><{name}>x</{name}><b>y", "<g>".repeat(600));
        let mut out = String::new();
        text(&page, &mut PageScratch::default(), &mut out).unwrap();
        assert!(out.ends_with('y'), "{page}: {out}");
    }
}

/// What pages are made of, beside tags.
const PIECES: [&str; 34] = [
    "a",
    " ",
    "&amp;",
    "&#0;",
    "&lt",
    "中",
    "\0",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!doctype html>",
    "<",
    ">",
    "\"",
    "'",
    "=",
    "</",
    "<?x>",
    "--",
    "!",
    "<p a='",
    "</script",
    "</title ",
    "x=1",
    "<script><!--",
    "<annotation-xml encoding='text/html'>",
    "<input type=hidden>",
    "<selectedcontent>",
    "<noembed>",
    "</noembed",
    "<noframes>",
    "<date class=\"d\">",
    "<body>",
];

/// Reads pages of random pieces; no rule of the parser fails, and no text is longer than its page.
fn read_random(pages: u64) {
    let mut state = 7_u64;
    let mut draw = move |below: usize| {
        state = mix(state.wrapping_add(0x9E37_79B9_7F4A_7C15));
        (state % below as u64) as usize
    };
    let mut scratch = PageScratch::default();
    let mut out = String::new();
    let tags = tags();
    for _ in 0..pages {
        let mut page = String::new();
        for _ in 0..draw(40) {
            let piece = match draw(9) {
                0..3 => format!("<{}>", tags[draw(tags.len())]),
                3..5 => format!("</{}>", tags[draw(tags.len())]),
                5 => format!("</{} {}>", tags[draw(tags.len())], PIECES[draw(PIECES.len())]),
                6 => format!(
                    "<{} class='no-nav menu' {}",
                    tags[draw(tags.len())],
                    PIECES[draw(PIECES.len())]
                ),
                7 => char::from(draw(128) as u8).to_string(),
                _ => PIECES[draw(PIECES.len())].to_owned(),
            };
            page += &piece.repeat(if draw(400) == 0 { 520 } else { 1 });
        }
        for take in TAKES {
            if let Err(error) = take(&page, &mut scratch, &mut out) {
                assert!(error.to_string().contains("misnested"), "{page:?}: {error}");
            }
        }
    }
}

#[test]
fn random_pages_are_read() {
    read_random(4_000);
}

#[test]
#[ignore = "slow"]
fn a_million_random_pages_are_read() {
    read_random(1_000_000);
}
