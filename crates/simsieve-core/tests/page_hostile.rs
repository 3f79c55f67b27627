//! Pages made to break a parser: by depth, by what must be opened again, by what has no end.
#![allow(missing_docs)]

use simsieve_core::text::html::{Options, Scratch, dom_features, main_text, outline, text};

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
        ("end tags", times("</p>", size)),
    ];
    let mut scratch = Scratch::default();
    for (name, page) in &pages {
        let mut out = String::new();
        match dom_features(page, &Options::default(), &mut scratch) {
            Ok(features) => assert!(features.len() < 100, "{name}"),
            Err(error) => assert!(error.to_string().contains("misnested"), "{name}: {error}"),
        }
        let _ = main_text(page, &mut scratch, &mut out);
    }
}

#[test]
fn deep_pages_keep_their_text_and_neighbours() {
    let page = "<div>".repeat(50_000) + "deep<script><p></script>" + &"</div>".repeat(50_000) + "<p>after";
    let mut scratch = Scratch::default();
    let mut out = String::new();
    text(&page, &mut scratch, &mut out).unwrap();
    assert_eq!(out, "deep\nafter");
    let elements = outline(&page, &mut scratch).unwrap();
    assert_eq!(elements.last(), Some(&(3, "p".to_owned(), true)));
    assert!(elements.len() > 400 && elements.len() < 600, "{}", elements.len());
}
