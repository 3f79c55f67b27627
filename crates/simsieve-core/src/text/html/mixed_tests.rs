//! The tests of `mixed.rs`.

use proptest::prelude::*;

use super::super::{PageScratch, mixed_text, text};
use super::*;

#[test]
fn names_are_sorted() {
    for names in [&ELEMENTS, &WITHOUT_VALUE] {
        assert!(names.text.split(' ').is_sorted(), "{}", names.text);
        assert!(
            names
                .text
                .split(' ')
                .all(|name| names.has(name.to_ascii_uppercase().as_bytes()))
        );
    }
}

fn taken(page: &str) -> String {
    let mut out = String::new();
    mixed_text(page, &mut PageScratch::default(), &mut out).unwrap();
    out
}

#[test]
fn a_sign_for_less_than_stays() {
    for (page, expected) in [
        ("若 a<b 且 c>d", "若 a<b 且 c>d"),
        ("<p>若 a<b 且 c>d</p>", "若 a<b 且 c>d"),
        ("a<b and c>d", "a<b and c>d"),
        ("x<y, y<z", "x<y, y<z"),
        ("a<b>c</b>d", "acd"),
        ("i<s<u", "i<s<u"),
        ("x<p，y>q", "x<p，y>q"),
        ("如果x<a", "如果x<a"),
        ("0<a<1", "0<a<1"),
        ("1 < 2 <3 <<b>4</b> <中>", "1 < 2 <3 <4 <中>"),
        ("<p class=x>甲</p><foo>乙</foo>", "甲\n乙"),
        ("<p>Wed, <date class=\"d\">Nov 20</date>", "Wed, Nov 20"),
        ("<cite2 t=a b>甲</CITE2 ><x>乙</x><x y>", "甲乙<x y>"),
        ("<q9 a=\"b\">甲<q9 a=b>乙<foo>", "甲<q9 a=b>乙<foo>"),
        (
            "<a href=\"x\"class=\"y\">甲</a><img alt=\"a \"b\" c\" src=x>乙<img src=x 丙>丁",
            "甲乙丁",
        ),
        ("where a<b and c=\"x\" and d>e", "where a<b and c=\"x\" and d>e"),
        (
            "vector<int> v; <https://a-b.org/c> <me@a-b.org>",
            "vector<int> v; <https://a-b.org/c> <me@a-b.org>",
        ),
        ("<!doctype html>a<b and c>d <foo>e", "ad e"),
        ("<BODY onload=\"x\"y>a<b and c>d", "ad"),
        ("tail<head and c>d", "tail<head and c>d"),
        ("<o:p>甲</o:p><my-part open>乙</my-part>", "甲乙"),
        ("<img src=a.png alt><br/>a<hr size = 1 noshade >b", "a\nb"),
        ("<b x='a<b'>甲</b>", "甲"),
        ("<!-- a<b -->甲<!doctype html>乙<?xml a?>丙<![endif]>", "甲乙丙"),
        ("a<!b 且 <?> c</>d</p x>e</p >f", "a<!b 且 <?> c</>d</p x>e\nf"),
        ("<script>if (a<b) x</script>甲&lt;b&gt;", "甲<b>"),
        ("a<b x=\"y", "a<b x=\"y"),
        ("<", "<"),
        ("a<b", "a<b"),
    ] {
        assert_eq!(taken(page), expected, "{page}");
    }
}

proptest! {
    #[test]
    fn a_text_without_tags_is_whole(text in "[ab<> =且/!?1]{0,30}") {
        // Spaces are the only signs that are not kept as they are.
        let no_tag = !["<a", "<b", "</", "<!", "<?"].iter().any(|open| text.contains(open));
        if no_tag {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&taken(&text)), words(&text));
        }
    }

    #[test]
    fn tags_as_pages_have_them_are_those_of_the_page(
        page in "(<(p|b|div|td|br/|svg|my-x|h1 hidden|a href='<b>'|img alt=x)>|</(p|b|div|svg|my-x|h1|a)>|<!-- c -->|[ab&;]){0,20}"
    ) {
        let mut expected = String::new();
        text(&page, &mut PageScratch::default(), &mut expected).unwrap();
        prop_assert_eq!(taken(&page), expected);
    }

    #[test]
    fn what_is_kept_was_there(page in "\\PC{0,40}|[<>/!a-c= '\"中]{0,60}") {
        prop_assert!(taken(&page).len() <= page.len());
    }
}

/// Openings without an end, in both kinds of quotes: each would be read to the end of the page.
#[test]
fn hostile_texts_take_linear_time() {
    for piece in [
        "<b ",
        "<b x=\"",
        "<b x='<b x=\"",
        "<b a=\"\" ",
        "<",
        "</b ",
        "<b x=\"' y='\" ",
        "<body x='",
        "<foo></",
        "<foo ",
        "<b x='' y",
    ] {
        let page = piece.repeat(1 << 14);
        let _ = taken(&page);
    }
}
