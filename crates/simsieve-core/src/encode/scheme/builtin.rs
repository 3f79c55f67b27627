//! The built-in schemes: a table for people, and the error of a name that is none of them.

use super::family::{Family, MOST};
use super::nearest::nearest;
use super::options;
use crate::base::error::Error;

/// A row of the table of schemes, for people.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    /// What the user writes.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What its features are.
    pub features: &'static str,
    /// How features are weighted.
    pub weights: &'static str,
    /// The hash of a feature.
    pub hash: &'static str,
    /// When a bit is 1.
    pub sign: &'static str,
}

impl Described {
    /// Which widths its names have.
    pub fn widths(&self) -> String {
        match Family::apart(self.name).map(|(family, _)| family.width()) {
            Some(None) => format!("any from 1 to {MOST}, in the name"),
            Some(Some(only)) => only.to_string(),
            None => String::new(),
        }
    }

    /// What a text is cut into, and what the scheme is for.
    pub fn purpose(&self) -> (&'static str, &'static str) {
        Family::apart(self.name).map_or(("", ""), |(family, _)| family.purpose())
    }

    /// The options, each with its default first.
    pub fn options(&self) -> String {
        Family::apart(self.name).map_or_else(String::new, |(family, _)| options::listed(family))
    }
}

/// The scheme used where none is named.
pub const DEFAULT: &str = "chars128";

const FEATURES: &str = "windows of 6 units over letters, digits and symbols of the normalised text (a Han, kana or Hangul character is 2 units, any other 1)";
const ONCE: &str = "once: 1 a distinct feature";
const COUNT: &str = "tf: 1 an occurrence";
const TF_IDF: &str = "TF-IDF, in steps of 2^-24";
const XXH3: &str = "XXH3-64, further words mixed from it";
const MD5: &str = "the low bits of MD5, read big-endian";
const NONE: &str = "none";
const ABOVE: &str = "> 0";
const NOT_BELOW: &str = ">= 0";

const fn chars(name: &'static str) -> Described {
    Described {
        name,
        source: "simsieve; Charikar 2002",
        features: FEATURES,
        weights: ONCE,
        hash: XXH3,
        sign: ABOVE,
    }
}

const fn words(name: &'static str) -> Described {
    Described {
        name,
        source: "simsieve; Charikar 2002",
        features: "words of the normalised text: runs of letters, digits and symbols, Han among them cut by the segmenter",
        weights: ONCE,
        hash: XXH3,
        sign: ABOVE,
    }
}

const fn baseline(name: &'static str) -> Described {
    Described {
        name,
        source: "the plain SimHash of Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, 246-251",
        features: "all that the segmenter cuts the text into",
        weights: COUNT,
        hash: MD5,
        sign: ABOVE,
    }
}

const fn esimhash(name: &'static str) -> Described {
    Described {
        name,
        source: "E-Simhash of Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, 246-251",
        features: "words, as words64 has them",
        weights: "root mean square of TF-IDF and of the mean entropy of left and right neighbours, up to a ceiling, in steps of 2^-20",
        hash: "the low bits of MD5, read big-endian, xor the word's place",
        sign: ABOVE,
    }
}

const fn structure(name: &'static str) -> Described {
    Described {
        name,
        source: "simsieve; weights by depth after a published recipe for pages",
        features: "elements of the page that the text field holds, known by their tags",
        weights: "the sum of 0.45^depth over all elements of a tag, in steps of 2^-20",
        hash: "FNV-1, further words mixed from it",
        sign: ABOVE,
    }
}

/// Every scheme there is.
pub const TABLE: [Described; 20] = [
    chars("chars64"),
    chars("chars128"),
    chars("chars256"),
    words("words64"),
    words("words128"),
    words("words256"),
    Described {
        name: "simhash64",
        source: "1e0ng/simhash 2.1.2 (Python), its default features",
        features: "4 characters of the lower-cased letters, digits and underscores, all else left out",
        weights: COUNT,
        hash: MD5,
        sign: ABOVE,
    },
    Described {
        name: "gemantic64",
        source: "gemantic, com.gemantic.nlp.commons.simhash.SimHash (Java), 2012",
        features: "what is between ASCII white space",
        weights: COUNT,
        hash: "multiplied by 1000003 and xored, a UTF-16 unit at a time",
        sign: NOT_BELOW,
    },
    Described {
        name: "mfonda64",
        source: "mfonda/simhash (Go), word features and Unicode word features",
        features: "lower-cased words of ASCII letters, digits, _ and ', with a web address as one word; or of letters, -, _ and '",
        weights: COUNT,
        hash: "FNV-1",
        sign: NOT_BELOW,
    },
    baseline("esimhash_baseline64"),
    baseline("esimhash_baseline128"),
    esimhash("esimhash64"),
    esimhash("esimhash128"),
    Described {
        name: "angelo32",
        source: "angelo_tools (Python)",
        features: "words by the segmenter that begin with a character of U+4E00 to U+9FA5",
        weights: COUNT,
        hash: "MD5's 32 hex digits, 8 and more as 1; the first digit is the highest bit",
        sign: ABOVE,
    },
    Described {
        name: "keywords64",
        source: "30 keywords as jieba.analyse.extract_tags finds them",
        features: "the heaviest keywords of the text, of equals the first",
        weights: TF_IDF,
        hash: XXH3,
        sign: ABOVE,
    },
    Described {
        name: "lines_tfidf64",
        source: "TF-IDF whose documents are the text's lines; scikit-learn's smoothed idf",
        features: "words, as words64 has them",
        weights: "share of all words x (ln((n + 1) / (df + 1)) + 1) over n lines that have words, in steps of 2^-24",
        hash: "FNV-1, further words mixed from it",
        sign: ABOVE,
    },
    structure("dom64"),
    structure("dom128"),
    structure("dom256"),
    Described {
        name: "external64",
        source: "the user's own, such as hashes of images",
        features: "none: the text field holds the fingerprint, so there are distances and no similarity",
        weights: NONE,
        hash: NONE,
        sign: "as given",
    },
];

/// The error of a name that is no scheme's: it says which widths there are, or which name is near, or all names.
pub(super) fn unknown(name: &str) -> Error {
    let told = match Family::apart(name) {
        Some((family, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let allowed = match family.width() {
                None => msg!("any width from 1 to {most}", most = MOST),
                Some(only) => msg!("the width {only} alone"),
            };
            msg!(
                "{name} takes {allowed}, as in {family}; `simsieve schemes` describes all",
                name = family.name(),
                family = example(family)
            )
        }
        _ => near(name).map_or_else(
            || {
                let names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
                msg!("there are {names}; `simsieve schemes` describes all")
            },
            |near| msg!("did you mean {near:?}? `simsieve schemes` describes all"),
        ),
    };
    Error::Config(msg!("unknown scheme {name:?}: {told}"))
}

/// A name of the family, the default among them.
fn example(family: Family) -> &'static str {
    let of_family = |name: &str| Family::of_name(name).is_some_and(|(known, _)| known == family);
    if of_family(DEFAULT) {
        return DEFAULT;
    }
    let found = TABLE.iter().find(|row| of_family(row.name));
    found.map_or(DEFAULT, |row| row.name)
}

/// The nearest name: one of the table, or a family with the width that was asked for.
fn near(name: &str) -> Option<String> {
    let digits: String = name
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    let table = TABLE.iter().map(|row| row.name.to_owned());
    let wide = Family::ALL
        .iter()
        .filter(|(family, ..)| family.width_of(&digits).is_some())
        .map(|(_, name, _)| format!("{name}{digits}"));
    nearest(name, table.chain(wide))
}

#[cfg(test)]
#[path = "builtin_tests.rs"]
mod tests;
