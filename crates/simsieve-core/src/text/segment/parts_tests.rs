//! The tests of `parts.rs`.

use super::*;

#[test]
fn a_list_is_told_as_it_is_read() {
    for (list, spec, names, weigh) in [
        ("v+n+v", "n+v", "n+v", false),
        ("n:1+v:1.0", "n+v", "n+v", false),
        ("n:2+v:0.5", "n:2+v:0.5", "n+v", true),
        ("n*:1.25+ns", "n*:1.25+ns", "n*+ns", true),
    ] {
        let tags = Tags::parse(list).unwrap();
        assert_eq!(
            (tags.spec().as_str(), tags.names().as_str(), tags.weigh()),
            (spec, names, weigh)
        );
        assert_eq!(Tags::parse(spec).unwrap(), tags);
    }
}

#[test]
fn the_narrowest_name_has_the_say() {
    let tags = Tags::parse("n*:2+nr*:3+nr:5").unwrap();
    assert_eq!(
        ["n", "ns", "nrt", "nr", "v"].map(|tag| tags.factor(tag)),
        [Some(2.0), Some(2.0), Some(3.0), Some(5.0), None]
    );
}

#[test]
fn what_is_no_list_is_refused() {
    for (list, part) in [
        ("n:0", "\"0\" of \"n\" is not allowed"),
        ("n:-1", "\"-1\" of \"n\""),
        ("n:1e2", "\"1e2\" of \"n\""),
        ("n:", "\"\" of \"n\""),
        ("n:1001", "\"1001\" of \"n\""),
        ("n:NaN", "\"NaN\" of \"n\""),
        ("n:2+n:3", "\"n\" has two factors, 2 and 3"),
        (":2", "\"\" is no part of speech"),
        ("n*v", "\"n*v\" is no part of speech"),
    ] {
        let message = Tags::parse(list).unwrap_err().to_string();
        assert!(message.contains(part) && message.contains(list), "{message}");
    }
    assert!(Tags::of(vec![("n".to_owned(), f64::NAN)]).is_err());
}

#[test]
fn names_are_held_against_the_dictionary() {
    let mut segmenter = Segmenter::builtin();
    for list in ["n+v", "eng+m+x", "n*", "bg", "nrfg"] {
        Tags::parse(list).unwrap().check(&segmenter).unwrap();
    }
    for list in ["zz", "n+zz", "noun", "q:2+zz*"] {
        let message = Tags::parse(list).unwrap().check(&segmenter).unwrap_err().to_string();
        assert!(
            message.contains("no word has the tag") && message.contains(", n, ng, nr, "),
            "{message}"
        );
    }
    segmenter.add_word("石墨烯", None, Some("zz")).unwrap();
    Tags::parse("zz").unwrap().check(&segmenter).unwrap();
    assert_eq!(Segmenter::builtin().tags().len(), 65);
}
