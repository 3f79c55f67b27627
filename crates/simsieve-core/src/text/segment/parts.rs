//! The chosen parts of speech, each with a factor.

use super::Segmenter;
use crate::base::error::{Error, Result};
use crate::base::message::Message;

/// Parts of speech, each with a factor; an empty list means all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tags {
    /// In ascending order; a name with a `*` at the end means all with this prefix.
    list: Vec<(Box<str>, f64)>,
}

const LEAST: f64 = 0.001;
const MOST: f64 = 1000.0;

impl Tags {
    /// Reads a list such as `n+v`, `n*+eng` or `n:2+v:0.5`; a tag without a factor has 1.
    ///
    /// ```
    /// use simsieve_core::text::segment::parts::Tags;
    /// let tags = Tags::parse("v+n*:2+nr:0.5").unwrap();
    /// assert_eq!(["v", "ns", "nr", "a"].map(|tag| tags.factor(tag)), [Some(1.0), Some(2.0), Some(0.5), None]);
    /// assert_eq!(tags.spec(), "n*:2+nr:0.5+v");
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for an invalid tag or factor, or a tag with two factors.
    pub fn parse(list: &str) -> Result<Self> {
        Self::read(list).map_err(|error| Error::Config(msg!("pos={list}: {error}")))
    }

    /// As [`Tags::parse`]; the error is what is wrong alone.
    pub(crate) fn read(list: &str) -> Result<Self, Message> {
        let item = |item: &str| match item.split_once(':') {
            None => Ok((item.to_owned(), 1.0)),
            Some((tag, factor)) => {
                let plain = factor.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
                let number = factor.parse().ok().filter(|_| plain);
                number
                    .map(|number| (tag.to_owned(), number))
                    .ok_or_else(|| bad_factor(tag, factor))
            }
        };
        let items = list.split('+').map(item).collect::<Result<Vec<_>>>();
        items.and_then(Self::of).map_err(|error| error.message())
    }

    /// These tags with their factors.
    ///
    /// # Errors
    /// As [`Tags::parse`].
    pub fn of(items: Vec<(String, f64)>) -> Result<Self> {
        let mut list: Vec<(Box<str>, f64)> = Vec::with_capacity(items.len());
        for (tag, factor) in items {
            let letters = tag.strip_suffix('*').unwrap_or(&tag);
            if letters.is_empty() || !letters.bytes().all(|byte| byte.is_ascii_lowercase()) {
                return Err(Error::Config(msg!(
                    "{tag:?} is no part of speech; give tags of lower-case letters with + between them, such \
                     as pos=n+v+eng, n* for all that begin with n, or n:2+v:0.5 for factors of the weight"
                )));
            }
            if !(LEAST..=MOST).contains(&factor) {
                return Err(bad_factor(&tag, &factor.to_string()));
            }
            match list.iter().find(|(known, _)| **known == *tag) {
                Some((_, other)) if !same(*other, factor) => {
                    return Err(Error::Config(msg!("{tag:?} has two factors, {other} and {factor}")));
                }
                Some(_) => {}
                None => list.push((tag.into(), factor)),
            }
        }
        list.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(Self { list })
    }

    /// Whether no tag is named.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether any factor is not 1.
    pub fn weigh(&self) -> bool {
        self.list.iter().any(|(_, factor)| !same(*factor, 1.0))
    }

    /// The factor of words with this tag; `None` if the tag is not in the list. The tag itself precedes names with a
    /// `*`; of these the longest counts.
    pub fn factor(&self, tag: &str) -> Option<f64> {
        let fitting = |(name, factor): &(Box<str>, f64)| Some((fit(name, tag)?, *factor));
        let best = self.list.iter().filter_map(fitting).max_by_key(|(length, _)| *length);
        best.map(|(_, factor)| factor)
    }

    /// The list without factors.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.list.iter().map(|(name, _)| &**name).collect();
        names.join("+")
    }

    /// The list as text; a factor of 1 is omitted.
    pub fn spec(&self) -> String {
        let item = |(name, factor): &(Box<str>, f64)| {
            if same(*factor, 1.0) {
                name.to_string()
            } else {
                format!("{name}:{factor}")
            }
        };
        self.list.iter().map(item).collect::<Vec<_>>().join("+")
    }

    /// Checks the names against the tags of a segmenter.
    ///
    /// # Errors
    /// [`Error::Config`] for a name that matches none of them; it lists all.
    pub fn check(&self, segmenter: &Segmenter) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let known = segmenter.tags();
        for (name, _) in &self.list {
            if !known.iter().any(|tag| fit(name, tag).is_some()) {
                return Err(Error::Config(msg!(
                    "pos={spec}: no word has the tag {name:?}; there are {known}",
                    spec = self.spec()
                )));
            }
        }
        Ok(())
    }
}

/// How closely a name, with or without a `*`, matches a tag: by its letters, or fully; `None` if it does not match.
fn fit(name: &str, tag: &str) -> Option<usize> {
    match name.strip_suffix('*') {
        Some(begin) => tag.starts_with(begin).then_some(begin.len()),
        None => (name == tag).then_some(usize::MAX),
    }
}

/// Whether two factors are equal; none is zero or NaN.
const fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

fn bad_factor(tag: &str, factor: &str) -> Error {
    Error::Config(msg!(
        "the factor {factor:?} of {tag:?} is not allowed; it is a number from {least} to {most}, and tags that \
         are not named are left out",
        least = LEAST,
        most = MOST
    ))
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
