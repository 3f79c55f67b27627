//! How people name records, as verdicts do: by labels, by positions, and by what their texts are.
//!
//! A label of one record names it. Where several records have the label or none has, the position counts, if what is there is what was
//! named: it has the label, and the text if that is given. So positions name nothing in other sources or in another order.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_64;
use crate::collection::labels::{Labels, text_of};
use crate::source::{Fields, Sources};

/// How a record is named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// The label: a JSON string by its text, any other label by its JSON; of a record without one its position in digits.
    pub label: Option<String>,
    /// The position among the new records. With a label that is its digits and without `text` the label counts first.
    pub position: Option<u32>,
    /// The [`check_of`] the record's text.
    pub text: Option<u32>,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.label, self.position) {
            (Some(label), _) => f.write_str(label),
            (None, position) => write!(f, "{}", position.unwrap_or_default()),
        }
    }
}

/// A number by which a text is known again.
pub fn check_of(text: &str) -> u32 {
    xxh3_64(text.as_bytes()) as u32
}

/// The check of the text of a record; none where it has no text.
pub(crate) fn check_at(sources: &Sources, fields: &Fields, position: u32) -> Option<u32> {
    let mut buffer = Vec::new();
    let bytes = sources.read_record(position as usize, &mut buffer).ok()?;
    let record = sources.parse(position as usize, bytes, fields).ok()?;
    Some(check_of(&record.text))
}

/// Finds records by their names.
pub(crate) struct Finder<'a> {
    pub(crate) labels: &'a Labels,
    /// The records that are new, which are the first.
    pub(crate) new: usize,
    /// Gives the [`check_of`] the text of a record; none where it has no text.
    pub(crate) check: &'a dyn Fn(u32) -> Option<u32>,
}

impl Finder<'_> {
    /// The positions of the records with these names, none where there is no such record. A new record's label precedes that of an old one.
    pub(crate) fn find<'n>(&self, names: impl Iterator<Item = &'n Name>) -> Result<HashMap<&'n Name, Option<u32>>> {
        let names: BTreeSet<&Name> = names.collect();
        let labels = names.iter().filter_map(|name| name.label.as_deref());
        let mut with_label: HashMap<&str, Vec<u32>> = labels.map(|label| (label, Vec::new())).collect();
        let searched = if with_label.is_empty() { 0 } else { self.labels.len() };
        for at in 0..searched {
            let label = self.labels.get(at).and_then(written);
            if let Some(found) = label.and_then(|label| with_label.get_mut(&*label))
                && (at < self.new || found.first().is_none_or(|&first| first as usize >= self.new))
            {
                found.push(at as u32);
            }
        }
        // Names of one label with several positions: several records had it, so the label alone names none.
        let (mut places, mut shared): (HashMap<&str, u32>, HashSet<&str>) = Default::default();
        for name in &names {
            if let (Some(label), Some(at)) = (name.label.as_deref(), name.position)
                && *places.entry(label).or_insert(at) != at
            {
                shared.insert(label);
            }
        }
        let is_shared = |name: &Name| name.label.as_deref().is_some_and(|label| shared.contains(label));
        let place = |name| Ok((name, self.place(name, &with_label, is_shared(name))?));
        names.into_iter().map(place).collect()
    }

    fn place(&self, name: &Name, with_label: &HashMap<&str, Vec<u32>>, is_shared: bool) -> Result<Option<u32>> {
        let found = name.label.as_deref().map_or(&[][..], |label| &with_label[label]);
        let at = name.position.filter(|&at| (at as usize) < self.new);
        let is_digits = name.label.is_none() || name.label == name.position.map(|at| at.to_string());
        let has_text = |&at: &u32| name.text.is_none() || (self.check)(at) == name.text;
        // Digits that are no more than that may be a label, and that counts first.
        let is_position = !is_digits || name.text.is_some() || name.label.is_none();
        if let Some(at) = at.filter(|at| is_position && self.is_called(*at, name) && has_text(at)) {
            return Ok(Some(at));
        }
        match *found {
            [one] if name.text.is_some() && has_text(&one) => return Ok(Some(one)),
            [_] if is_shared => return Err(several(name)),
            [one] if name.text.is_none() || !is_digits => return Ok(Some(one)),
            [] | [_] => {}
            [..] => {
                let same: Vec<u32> = found
                    .iter()
                    .copied()
                    .filter(|at| name.text.is_some() && has_text(at))
                    .collect();
                return match same[..] {
                    [one] => Ok(Some(one)),
                    _ => Err(several(name)),
                };
            }
        }
        let Some(at) = at else {
            return Ok(None);
        };
        let label = self.labels.get(at as usize).map(|raw| written(raw).unwrap_or_default());
        match label {
            // A spreadsheet may write a label otherwise; digits that are the position are another record's label by chance.
            _ if name.text.is_some() && (found.is_empty() || is_digits) && has_text(&at) => Ok(Some(at)),
            None if is_digits && name.text.is_none() => Ok(Some(at)),
            _ if !is_digits || (name.label.is_some() && name.text.is_none()) => Ok(None),
            _ if name.text.is_some() => Err(Error::Config(format!(
                "a pair names record {at} by its position, and the text there is another one: the sources have changed, or are in \
                 another order; give those that were judged"
            ))),
            None => Ok(None),
            Some(label) => Err(Error::Config(format!(
                "a pair names record {at} by its position, and the record has the id {label:?}; give the id_field that the \
                 verdicts were made with"
            ))),
        }
    }

    /// Whether the record at a position has the label of a name, or none and the name has none either.
    fn is_called(&self, at: u32, name: &Name) -> bool {
        let Some(wanted) = &name.label else {
            let label = self.labels.get(at as usize);
            return label.is_none_or(|raw| written(raw).is_some_and(|label| label == at.to_string()));
        };
        match self.labels.get(at as usize) {
            Some(raw) => written(raw).is_some_and(|label| label == *wanted),
            None => at.to_string() == *wanted,
        }
    }
}

fn several(name: &Name) -> Error {
    let way = if name.position.is_none() {
        "give their positions too, in the columns position_a and position_b, as a review has them, or name a field with an id of each \
         record with id_field"
    } else {
        "none of them is at the position given: the sources have changed, or are in another order; give those that were judged"
    };
    Error::Config(format!(
        "a pair names the id {:?}, and several records have it; {way}",
        name.to_string()
    ))
}

/// A label as verdicts write it; none of a text with a lone surrogate.
fn written(raw: &[u8]) -> Option<Cow<'_, str>> {
    text_of(raw).or_else(|| std::str::from_utf8(raw).ok().map(Into::into))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records with labels and texts: two have the label `b`, two have none, two have labels of digits.
    const RECORDS: [(Option<&str>, &str); 7] = [
        (Some("\"a\""), "one"),
        (Some("\"b\""), "two"),
        (Some("\"b\""), "three"),
        (None, "four"),
        (None, "five"),
        (Some("3"), "six"),
        (Some("2"), "seven"),
    ];

    fn found(label: Option<&str>, position: Option<u32>, text: Option<&str>) -> Result<Option<u32>> {
        let mut labels = Labels::default();
        for (label, _) in RECORDS {
            labels.push(label.map(str::as_bytes));
        }
        let name = Name {
            label: label.map(str::to_owned),
            position,
            text: text.map(check_of),
        };
        let finder = Finder {
            labels: &labels,
            new: RECORDS.len(),
            check: &|at| Some(check_of(RECORDS[at as usize].1)),
        };
        Ok(finder.find([&name].into_iter())?[&name])
    }

    #[test]
    fn a_name_means_one_record_or_is_refused() {
        let cases = [
            // What a review writes.
            (Some("a"), Some(0), Some("one"), Some(0)),
            (Some("b"), Some(1), Some("two"), Some(1)),
            (Some("b"), Some(2), Some("three"), Some(2)),
            (Some("4"), Some(4), Some("five"), Some(4)),
            (Some("3"), Some(3), Some("four"), Some(3)),
            (Some("3"), Some(5), Some("six"), Some(5)),
            // What it writes of records without labels, which have labels now: these are the positions of others.
            (Some("2"), Some(2), Some("three"), Some(2)),
            // The same in another order: labels and texts find it.
            (Some("a"), Some(4), Some("one"), Some(0)),
            (Some("b"), Some(0), Some("three"), Some(2)),
            // A label of one record does not need its text.
            (Some("a"), Some(0), Some("changed"), Some(0)),
            // A label that a spreadsheet changed.
            (Some("1.2E+15"), Some(1), Some("two"), Some(1)),
            (Some("z"), Some(1), Some("changed"), None),
            (Some("z"), Some(99), Some("two"), None),
            // Positions without texts, and labels alone.
            (Some("b"), Some(2), None, Some(2)),
            (None, Some(4), None, Some(4)),
            (None, Some(99), None, None),
            (Some("3"), Some(3), None, Some(5)),
            (Some("4"), Some(4), None, Some(4)),
            (Some("1"), Some(1), None, None),
            (Some("a"), None, None, Some(0)),
            (Some("z"), None, None, None),
        ];
        for (label, position, text, wanted) in cases {
            let name = format!("{label:?} {position:?} {text:?}");
            assert_eq!(found(label, position, text).unwrap(), wanted, "{name}");
        }
        let refused = [
            (Some("b"), None, None, "give their positions too"),
            (Some("b"), Some(0), None, "none of them is at the position given"),
            (
                Some("b"),
                Some(1),
                Some("changed"),
                "none of them is at the position given",
            ),
            (Some("4"), Some(4), Some("changed"), "the text there is another one"),
            (Some("3"), Some(3), Some("changed"), "the text there is another one"),
            (Some("2"), Some(2), Some("changed"), "the text there is another one"),
            (Some("0"), Some(0), Some("changed"), "the text there is another one"),
            (None, Some(0), None, "has the id \"a\"; give the id_field"),
        ];
        for (label, position, text, part) in refused {
            let message = found(label, position, text).unwrap_err().to_string();
            assert!(message.contains(part), "{label:?} {position:?} {text:?}: {message}");
        }
    }
}
