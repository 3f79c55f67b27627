//! The tests of `builtin.rs`.

use proptest::prelude::*;

use super::*;
use crate::encode::scheme::SchemeSpec;

#[test]
fn every_family_is_of_the_table_and_every_name_of_a_family() {
    for (family, name, _) in Family::ALL {
        assert_eq!(
            (Family::of_name(example(family)).unwrap().0, family.name()),
            (family, name)
        );
    }
    for row in TABLE {
        assert!(Family::of_name(row.name).is_some(), "{}", row.name);
    }
    assert_eq!(Family::of_name("external"), Some((Family::External, 64)));
}

#[test]
fn an_unknown_name_gets_the_nearest_or_the_widths() {
    for (name, part) in [
        ("char128", "did you mean \"chars128\"?"),
        ("keyword64", "did you mean \"keywords64\"?"),
        ("words65x", "did you mean \"words65\"?"),
        ("Chars-64", "did you mean \"chars64\"?"),
        ("char", "did you mean \"chars64\"?"),
        (
            "gemantic300",
            "gemantic takes any width from 1 to 256, as in gemantic64;",
        ),
        (
            "external300",
            "external takes any width from 1 to 256, as in external64;",
        ),
        ("chars", "chars takes any width from 1 to 256, as in chars128;"),
        ("words064", "words takes any width from 1 to 256, as in words64;"),
        ("dom0", "dom takes any width from 1 to 256"),
        ("chars99999999999", "chars takes any width from 1 to 256"),
        ("simhash128", "simhash takes the width 64 alone, as in simhash64;"),
        (
            "esimhash300",
            "esimhash takes any width from 1 to 256, as in esimhash64;",
        ),
        ("nosuch", "there are chars64, "),
        ("", "there are chars64, "),
        ("\u{8BCD}", "there are chars64, "),
    ] {
        let message = SchemeSpec::parse(name).unwrap_err().to_string();
        assert!(message.starts_with(&format!("unknown scheme {name:?}: ")), "{message}");
        assert!(message.contains(part), "{message}");
        assert!(message.ends_with(" `simsieve schemes` describes all"), "{message}");
    }
}

proptest! {
    #[test]
    fn any_width_is_a_scheme_where_the_family_takes_any(width in 1_u32..=256) {
        for (_, family, only) in Family::ALL {
            let name = format!("{family}{width}");
            let made = SchemeSpec::parse(&name);
            prop_assert_eq!(made.is_ok(), only.is_none_or(|only| only == width), "{}", &name);
            if let Ok(scheme) = made {
                prop_assert_eq!((scheme.width(), scheme.to_string()), (width, name));
            }
        }
    }

    #[test]
    fn no_name_panics(name in "\\PC{0,20}") {
        let _ = SchemeSpec::parse(&name);
    }
}
