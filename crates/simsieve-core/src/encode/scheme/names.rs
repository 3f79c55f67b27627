//! Names of schemes: a family, and the width behind it.

use super::TABLE;
use super::token_hash::MOST_WORDS;
use crate::base::error::Error;

/// Every family, and the widths that its names may have; none stands for any from 1 to [`MOST`].
const FAMILIES: [(&str, &[u32]); 12] = [
    ("chars", &[]),
    ("words", &[]),
    ("simhash", &[64]),
    ("gemantic", &[]),
    ("mfonda", &[64]),
    ("esimhash_baseline", &[64, 128]),
    ("esimhash", &[64, 128]),
    ("angelo", &[32]),
    ("keywords", &[]),
    ("lines_tfidf", &[]),
    ("dom", &[]),
    ("external", &[]),
];

/// The most bits of a fingerprint.
const MOST: u32 = 64 * MOST_WORDS as u32;

/// A name without options, parted into its family and its width; `None` where it is no scheme's. `external` alone has 64
/// bits, as image hashes mostly do.
pub(super) fn apart(name: &str) -> Option<(&'static str, u32)> {
    let (family, widths, digits) = family_of(name)?;
    if digits.is_empty() && family == "external" {
        return Some((family, 64));
    }
    let width = width_of(digits, widths)?;
    Some((family, width))
}

/// The family of a name, its widths, and what stands behind it.
fn family_of(name: &str) -> Option<(&'static str, &'static [u32], &str)> {
    let (base, digits) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()));
    let (family, widths) = FAMILIES.iter().find(|(family, _)| *family == base)?;
    Some((family, widths, digits))
}

fn width_of(digits: &str, widths: &[u32]) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let width = digits.parse().ok().filter(|_| plain)?;
    (widths.contains(&width) || (widths.is_empty() && (1..=MOST).contains(&width))).then_some(width)
}

/// Which widths the names of a scheme's family have, in words; nothing where the name is no scheme's.
pub(super) fn widths_told(name: &str) -> String {
    match family_of(name) {
        Some((_, [], _)) => format!("any from 1 to {MOST}, in the name"),
        Some((_, widths, _)) => listed(widths),
        None => String::new(),
    }
}

fn listed(widths: &[u32]) -> String {
    let listed: Vec<_> = widths.iter().map(u32::to_string).collect();
    listed.join(" and ")
}

/// The error of a name that is no scheme's: it says which widths there are, or which name is near, or all names.
pub(super) fn unknown(name: &str) -> Error {
    let told = match family_of(name) {
        Some((family, widths, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let allowed = match widths {
                [] => format!("any width from 1 to {MOST}"),
                [only] => format!("the width {only} alone"),
                several => format!("the widths {}", listed(several)),
            };
            format!("{family} takes {allowed}, as in {}", example(family))
        }
        _ => nearest(name).map_or_else(
            || {
                let names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
                format!("there are {}", names.join(", "))
            },
            |near| format!("did you mean {near:?}?"),
        ),
    };
    let end = if told.ends_with('?') { "" } else { ";" };
    Error::Config(format!(
        "unknown scheme {name:?}: {told}{end} `simsieve schemes` describes all"
    ))
}

/// A name of the family, the default among them.
fn example(family: &str) -> &'static str {
    let of_family = |name: &str| apart(name).is_some_and(|(known, _)| known == family);
    if of_family(super::DEFAULT) {
        return super::DEFAULT;
    }
    let found = TABLE.iter().find(|row| of_family(row.name));
    found.map_or(super::DEFAULT, |row| row.name)
}

/// The name that takes the fewest edits from this one, and at most half as many as it has characters: one of the table,
/// or a family with the width that was asked for.
fn nearest(name: &str) -> Option<String> {
    let asked = name.to_ascii_lowercase();
    let digits: String = asked
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    let table = TABLE.iter().map(|row| row.name.to_owned());
    let wide = FAMILIES
        .iter()
        .filter(|(_, widths)| width_of(&digits, widths).is_some())
        .map(|(family, _)| format!("{family}{digits}"));
    let (edits, near) = table
        .chain(wide)
        .map(|known| (edits(&asked, &known), known))
        .min_by_key(|(edits, _)| *edits)?;
    (2 * edits <= near.len().max(asked.len())).then_some(near)
}

/// How many characters must be put in, left out or changed to make one of the other (Levenshtein 1966).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, one) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = at + 1;
        for (k, other) in b.iter().enumerate() {
            let change = corner + usize::from(one != *other);
            corner = row[k + 1];
            row[k + 1] = change.min(row[k] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::encode::scheme::Scheme;

    #[test]
    fn every_family_is_of_the_table_and_every_name_of_a_family() {
        for (family, _) in FAMILIES {
            assert_eq!(apart(example(family)).unwrap().0, family);
        }
        for row in TABLE {
            assert!(apart(row.name).is_some(), "{}", row.name);
        }
        assert_eq!(apart("external"), Some(("external", 64)));
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
            ("esimhash256", "esimhash takes the widths 64 and 128, as in esimhash64;"),
            ("nosuch", "there are chars64, "),
            ("", "there are chars64, "),
            ("\u{8BCD}", "there are chars64, "),
        ] {
            let message = Scheme::parse(name).unwrap_err().to_string();
            assert!(message.starts_with(&format!("unknown scheme {name:?}: ")), "{message}");
            assert!(message.contains(part), "{message}");
            assert!(message.ends_with(" `simsieve schemes` describes all"), "{message}");
        }
    }

    #[test]
    fn edits_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("chars", "char", 1),
        ] {
            assert_eq!((edits(a, b), edits(b, a)), (expected, expected));
        }
    }

    proptest! {
        #[test]
        fn any_width_is_a_scheme_where_the_family_takes_any(width in 1_u32..=256) {
            for (family, widths) in FAMILIES {
                let name = format!("{family}{width}");
                let made = Scheme::parse(&name);
                prop_assert_eq!(made.is_ok(), widths.is_empty() || widths.contains(&width), "{}", &name);
                if let Ok(scheme) = made {
                    prop_assert_eq!((scheme.width(), scheme.spec()), (width, name));
                }
            }
        }

        #[test]
        fn no_name_panics(name in "\\PC{0,20}") {
            let _ = Scheme::parse(&name);
        }
    }
}
