//! Regular expressions that a user gives, with a spelling that fits into a scheme's spec.

use crate::base::message::Message;
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::templates::Templates;
use crate::text::fields::FieldPart;
use crate::text::letters::Letter;

/// The longest pattern in bytes.
const MAX_BYTES: usize = 16 << 10;

/// The most memory that a compiled pattern takes, in bytes.
const MAX_COMPILED_BYTES: usize = 10 << 20;

/// The dialect, for digests. A test pins the tables of characters; raise the number when one of them moves.
pub(crate) const DIALECT: &str = "regex 1";

/// How many characters of a pattern a message shows.
const SHOWN: usize = 200;

/// What a message says of patterns.
const ALLOWED: &str = "a regular expression of Rust's regex crate, without look-around and backreferences";

/// What a spec cannot hold as it is: signs with a meaning of their own in specs, and the sign that escapes.
const ESCAPED: [char; 3] = ['%', ',', '@'];

/// A compiled regular expression.
///
/// In a spec `%`, `,`, `@` and control characters are written as `%` and two hex digits for each byte of UTF-8.
///
/// ```
/// use simsieve_core::encode::input::pattern::Pattern;
/// let pattern = Pattern::new("a{1,3}@").unwrap();
/// assert_eq!(pattern.to_string(), "a{1%2C3}%40");
/// assert_eq!(Pattern::of_spec("a{1%2C3}%40").unwrap(), pattern);
/// ```
#[derive(Clone)]
pub struct Pattern {
    text: Box<str>,
    regex: Arc<Regex>,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong, where, and what is allowed.
    pub fn new(text: &str) -> Result<Self, Message> {
        if text.is_empty() {
            return Err(msg!("the pattern is empty; give {allowed}", allowed = ALLOWED));
        }
        if text.len() > MAX_BYTES {
            return Err(msg!(
                "the pattern has {count} bytes, and at most {max_bytes} are allowed",
                count = text.len(),
                max_bytes = MAX_BYTES
            ));
        }
        let built = RegexBuilder::new(text).size_limit(MAX_COMPILED_BYTES).build();
        match built {
            Ok(regex) => Ok(Self {
                text: text.into(),
                regex: Arc::new(regex),
            }),
            Err(regex::Error::CompiledTooBig(limit)) => Err(msg!(
                "the pattern {text} takes more than {limit} MiB compiled; give smaller counts or classes, such \
                 as [0-9] in place of \\d",
                text = shown(text),
                limit = limit >> 20
            )),
            Err(error) => Err(wrong(text, &error)),
        }
    }

    /// Reads a pattern as a spec has it.
    ///
    /// # Errors
    /// As [`Pattern::new`], and where an escape is none.
    pub fn of_spec(value: &str) -> Result<Self, Message> {
        Self::new(&unescaped(value)?)
    }

    /// Whether the pattern matches a text from its beginning.
    pub(crate) fn begins(&self, text: &str) -> bool {
        // The leftmost match is found first.
        self.regex.find(text).is_some_and(|found| found.start() == 0)
    }

    /// The pattern and its dialect as a part of a digest.
    pub(crate) fn canonical(&self) -> String {
        format!(", of {:?} by {DIALECT}", self.text)
    }

    /// Where the first match begins that is not empty.
    fn first(&self, text: &str) -> Option<usize> {
        let found = self.regex.find_iter(text).find(|found| !found.is_empty());
        found.map(|found| found.start())
    }

    /// The text without all matches; `None` where there is none that is not empty.
    fn without<'a>(&self, text: &str, out: &'a mut String) -> Option<&'a str> {
        out.clear();
        let mut from = 0;
        for found in self.regex.find_iter(text).filter(|found| !found.is_empty()) {
            out.push_str(&text[from..found.start()]);
            from = found.end();
        }
        if from == 0 {
            return None;
        }
        out.push_str(&text[from..]);
        Some(out)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&shown(&self.text))
    }
}

impl fmt::Display for Pattern {
    /// As a spec has it. A pattern that ends like the name of a scheme's file does not look like one.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = self.text.strip_suffix(".toml").map(str::len);
        for (at, sign) in self.text.char_indices() {
            if ESCAPED.contains(&sign) || sign.is_control() || dot == Some(at) {
                let mut bytes = [0; 4];
                for byte in sign.encode_utf8(&mut bytes).bytes() {
                    write!(out, "%{byte:02X}")?;
                }
            } else {
                out.write_char(sign)?;
            }
        }
        Ok(())
    }
}

/// The text of an escaped one.
fn unescaped(value: &str) -> Result<String, Message> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let digits = after
            .get(..2)
            .filter(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let at = value.len() - after.len() - 1;
        bytes.push(byte.ok_or_else(|| {
            msg!(
                "the % at byte {at} of {value:?} escapes nothing; in a spec % is written %25, a comma %2C and \
                 @ %40"
            )
        })?);
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes)
        .map_err(|_| msg!("the escapes of {value:?} are no UTF-8; write each byte of a character as %XX"))
}

/// What is wrong with a pattern, and where.
fn wrong(text: &str, error: &regex::Error) -> Message {
    let (at, what) = match regex_syntax::Parser::new().parse(text) {
        Err(regex_syntax::Error::Parse(error)) => (error.span().start.offset, error.kind().to_string()),
        Err(regex_syntax::Error::Translate(error)) => (error.span().start.offset, error.kind().to_string()),
        // The parser is the one that refused the pattern, so nothing is known that would come here.
        _ => (0, error.to_string()),
    };
    let at = text[..at].chars().count();
    let shown = shown(text);
    msg!(
        "the pattern {shown} is wrong at character {at}, counted from 0: {what}; give {allowed}",
        allowed = ALLOWED
    )
}

/// The beginning of a pattern as the user wrote it, for messages.
fn shown(text: &str) -> String {
    let begin: String = text.chars().take(SHOWN).collect();
    let more = if begin.len() < text.len() { "..." } else { "" };
    format!("\"{begin}{more}\"")
}

/// What is taken out of a text before its features are taken.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cleaning {
    /// The text ends where the first match begins.
    pub cut_at: Option<Pattern>,
    /// Matches are removed from the rest.
    pub strip: Option<Pattern>,
    /// What of the rest weighs nothing: it is removed from the text, but for exact copies.
    pub ignore: Option<Arc<Templates>>,
    /// Which of the texts of several fields is the text, before anything is extracted or taken out.
    pub part: Option<FieldPart>,
}

/// In how many texts the patterns of a [`Cleaning`] matched; `None` for a pattern that is not given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hits {
    /// Texts in which they were searched.
    pub texts: u64,
    /// Texts that were cut.
    pub cut_at: Option<u64>,
    /// Texts with a removed match.
    pub strip: Option<u64>,
    /// Texts with a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore: Option<u64>,
}

impl Hits {
    /// Adds those of other texts.
    pub(crate) fn add(&mut self, other: Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one + other),
            _ => one.or(other),
        };
        self.texts += other.texts;
        self.cut_at = sum(self.cut_at, other.cut_at);
        self.strip = sum(self.strip, other.strip);
        self.ignore = sum(self.ignore, other.ignore);
    }
}

impl Cleaning {
    /// Adds the pattern of `cut_at` or `strip`, and returns it.
    ///
    /// # Errors
    /// As [`Pattern::new`], and where there is one already.
    pub fn add(&mut self, key: &str, text: &str) -> Result<Pattern, Message> {
        let place = if key == "strip" {
            &mut self.strip
        } else {
            &mut self.cut_at
        };
        if let Some(named) = place {
            return Err(msg!(
                "the scheme names {named} already; leave one of the two out",
                named = format!("{named:?}")
            ));
        }
        Ok(place.insert(Pattern::new(text)?).clone())
    }

    /// Adds templates.
    ///
    /// # Errors
    /// Where there are some already.
    pub(crate) fn add_templates(&mut self, templates: Templates) -> Result<(), Message> {
        if self.ignore.is_some() {
            return Err(msg!("the scheme names templates already; leave one of the two out"));
        }
        self.ignore = Some(Arc::new(templates));
        Ok(())
    }

    /// What [`Cleaning::run`] left without its templates, which are counted; `None` where it has none. `letters` is room.
    pub(crate) fn own(&self, text: &str, hits: &mut Hits, letters: &mut Vec<Letter>) -> Option<String> {
        let own = self.ignore.as_ref()?.without(text, letters);
        hits.ignore = Some(own.is_some().into());
        own
    }

    /// The text without what is taken out, and what matched; `out` is room for the text.
    ///
    /// One search is linear in the text. Patterns whose searches read far beyond a short match make all of them together
    /// quadratic in the worst case.
    pub fn run<'a>(&self, text: &'a str, out: &'a mut String) -> (&'a str, Hits) {
        let end = self.cut_at.as_ref().map(|pattern| pattern.first(text));
        let text = &text[..end.flatten().unwrap_or(text.len())];
        let stripped = self.strip.as_ref().map(|pattern| pattern.without(text, out));
        let hits = Hits {
            texts: 1,
            cut_at: end.map(|end| end.is_some().into()),
            strip: stripped.map(|text| text.is_some().into()),
            ignore: None,
        };
        (stripped.flatten().unwrap_or(text), hits)
    }

    /// All that can move a character, in words; nothing where texts stay as they are.
    pub(crate) fn canonical(&self) -> String {
        let mut out = String::new();
        if let Some(FieldPart { first, count }) = self.part {
            let _ = writeln!(out, "field {first} of {count}");
        }
        let rows = [("cut at the first", &self.cut_at), ("strip", &self.strip)];
        for (what, pattern) in rows {
            if let Some(pattern) = pattern {
                let _ = writeln!(out, "{what} {pattern}, {DIALECT}");
            }
        }
        if let Some(templates) = &self.ignore {
            out.push_str(&templates.canonical());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::hash::xxh3_128;

    fn cleaned(cut_at: &str, strip: &str, text: &str) -> String {
        let pattern = |text: &str| (!text.is_empty()).then(|| Pattern::new(text).unwrap());
        let cleaning = Cleaning {
            cut_at: pattern(cut_at),
            strip: pattern(strip),
            ..Cleaning::default()
        };
        cleaning.run(text, &mut String::from("left")).0.to_owned()
    }

    #[test]
    fn a_text_is_cut_and_stripped() {
        for (cut_at, strip, text, expected) in [
            ("", "", "a b", "a b"),
            ("【解析】", "", "题目【解析】因为【解析】所以", "题目"),
            ("【解析】", "", "题目", "题目"),
            ("x*", "", "abxc", "ab"),
            ("^", "", "abc", "abc"),
            ("", "（\\d+分）", "求值（3分）。证明（12分）", "求值。证明"),
            ("", "(?m)^\\d+[.、]\\s*", "1. 甲\n12、乙 3.", "甲\n乙 3."),
            ("", "z", "abc", "abc"),
            ("", ".*", "abc", ""),
            ("b", "a", "aXb", "X"),
            ("X", "a|b", "aXb", ""),
        ] {
            assert_eq!(cleaned(cut_at, strip, text), expected, "{cut_at} {strip} {text}");
        }
    }

    #[test]
    fn a_wrong_pattern_is_named_with_its_place() {
        for (pattern, parts) in [
            ("", vec!["the pattern is empty"]),
            ("（(a", vec!["at character 1,", "unclosed group", "without look-around"]),
            ("a(?=b)", vec!["at character 1,", "look-around"]),
            ("(a)\\1", vec!["at character 3,", "backreferences are not supported"]),
            ("\\p{nosuch}", vec!["at character 0,", "Unicode property not found"]),
            ("a{2,1}", vec!["at character 1,", "invalid repetition"]),
            ("(?:a{1000}){1000}", vec!["takes more than 10 MiB compiled"]),
        ] {
            let message = Pattern::new(pattern).unwrap_err();
            for part in parts {
                assert!(message.to_string().contains(part), "{pattern}: {message}");
            }
        }
        assert!(
            Pattern::new(&"a".repeat(MAX_BYTES + 1))
                .unwrap_err()
                .to_string()
                .contains("at most 16384")
        );
        let deep = "(".repeat(500) + &")".repeat(500);
        assert!(
            Pattern::new(&deep)
                .unwrap_err()
                .to_string()
                .contains("nested parentheses")
        );
        for (value, part) in [
            ("a%", "the % at byte 1"),
            ("a%4", "byte 1"),
            ("%zz", "byte 0"),
            ("a%FF", "no UTF-8"),
            ("%+1", "byte 0"),
        ] {
            assert!(
                Pattern::of_spec(value).unwrap_err().to_string().contains(part),
                "{value}"
            );
        }
    }

    /// What the classes of characters hold is part of a scheme; a release of the crate that moves one must move [`DIALECT`].
    #[test]
    fn the_tables_of_characters_are_pinned() {
        let all: String = ('\0'..=char::MAX).collect();
        let mut held = String::new();
        for class in [
            "\\w",
            "\\d",
            "\\s",
            "\\p{L}",
            "\\p{P}",
            "\\p{Han}",
            "(?i)[k\u{17f}\u{3c3}\u{e9}]",
            ".",
        ] {
            let regex = Pattern::new(class).unwrap().regex;
            let matched: String = regex.find_iter(&all).map(|found| found.as_str()).collect();
            let (count, digest) = (matched.chars().count(), xxh3_128(matched.as_bytes()));
            let _ = writeln!(held, "{class} {count} {digest:032x}");
        }
        assert_eq!(
            format!("{:032x}", xxh3_128(held.as_bytes())),
            "533ff7fbe82d8b06972ce9c23eacc215",
            "{held}"
        );
    }

    proptest! {
        #[test]
        fn any_pattern_survives_its_spelling(text in "\\PC{1,20}|[%,@:=.a-f0-9\n\t]{1,20}|x\\.toml") {
            if let Ok(pattern) = Pattern::new(&text) {
                let spelled = pattern.to_string();
                prop_assert!(!spelled.contains([',', '@', '\n', '\t']) && spelled.strip_suffix(".toml").is_none(), "{}", &spelled);
                prop_assert_eq!(Pattern::of_spec(&spelled).unwrap(), pattern);
            }
        }

        #[test]
        fn what_is_taken_out_is_what_the_crate_takes_out(
            text in "[ab（3分）\n]{0,40}",
            pattern in proptest::sample::select(vec!["[ab]", "a+", "（3|b.a", "a*", "$", "分\n", "(?s).*", "b{2}|"]),
        ) {
            let regex = Regex::new(pattern).unwrap();
            prop_assert_eq!(cleaned("", pattern, &text), regex.replace_all(&text, "").into_owned());
            let found = regex.find_iter(&text).find(|found| !found.is_empty());
            let kept = found.map_or(&*text, |found| &text[..found.start()]);
            prop_assert_eq!(cleaned(pattern, "", &text), kept);
        }

        #[test]
        fn no_pattern_and_no_text_panics(pattern in "\\PC{0,30}|[()\\[\\]{}*+?|.a^$\\\\]{0,30}", text in "\\PC{0,30}") {
            if let Ok(pattern) = Pattern::of_spec(&pattern) {
                let cleaning = Cleaning { cut_at: Some(pattern.clone()), strip: Some(pattern), ..Cleaning::default() };
                let mut out = String::new();
                prop_assert!(text.starts_with(cleaning.run(&text, &mut out).0));
            }
        }
    }
}
