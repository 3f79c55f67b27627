//! The text of pages: what a list to choose from shows, and what is the main text.
#![allow(missing_docs)]

use simsieve_core::text::html::{PageScratch, main_text, outline, text};

#[test]
fn a_choice_is_shown_where_the_page_has_a_place_for_it() {
    let choose = |inside: &str, rest: &str| {
        let page = format!("<select{rest}><button><selectedcontent>x</selectedcontent></button>{inside}</select>");
        let mut out = String::new();
        text(&page, &mut PageScratch::default(), &mut out).unwrap();
        out
    };
    assert_eq!(choose("<option>a</option><option>b</option>", ""), "a\na\nb");
    assert_eq!(choose("<option>a<option selected><b>b</b>", ""), "b\na\nb");
    assert_eq!(choose("<option disabled>a</option><option>b</option>", ""), "b\na\nb");
    assert_eq!(choose("<option>a</option>", " multiple"), "x\na");
    assert_eq!(choose("", ""), "x");
    let page = "<select><selectedcontent></selectedcontent><option><i>a</i></option></select>";
    let own: Vec<bool> = outline(page, &mut PageScratch::default())
        .unwrap()
        .into_iter()
        .filter_map(|(_, tag, own)| (tag == "i").then_some(own))
        .collect();
    assert_eq!(own, [false, true]);
}

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
