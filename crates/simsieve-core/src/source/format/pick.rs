//! Picks the wanted fields out of a JSON object and skips the rest.
//!
//! In come a line and the [`Slots`] to fill, one for each field that is wanted; `jsonl` makes both and reads the slots.
//! The text is built on the way, since it is most of the line; everything else is lent as it is written.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::record::Fields;

/// What a slot was filled with.
#[derive(Debug)]
pub(in crate::source) enum FieldValue<'a> {
    Nothing,
    /// A value as written.
    Raw(&'a str),
    /// The text, unescaped.
    Text(Cow<'a, str>),
    /// A list as written, or what is in the place of one, in which the rest of the name from this byte on is looked for.
    List(&'a str, usize),
}

/// Which items of a list a step means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Each,
    At(usize),
}

/// The items of a list that the first step of a path means; `None` where it is the name of a key alone.
pub(super) fn item_of(path: &str) -> Option<Item> {
    let first = path.split_once('.').map_or(path, |(first, _)| first);
    match first {
        "*" => Some(Item::Each),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok().map(Item::At),
        _ => None,
    }
}

/// The place for one wanted field's value.
#[derive(Debug)]
pub(in crate::source) struct Slot<'f, 'a> {
    name: &'f str,
    /// Where in the name the part begins that is looked for at `depth`.
    rest: usize,
    /// The depth of the objects in which it is looked for at present.
    depth: usize,
    /// The depth at which the value was found as a whole key; a smaller one wins.
    found_at: usize,
    pub(in crate::source) found: FieldValue<'a>,
}

/// What a key means to a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    No,
    /// The key is all that is looked for.
    Whole,
    /// The key is the part before the first dot.
    Step,
}

impl<'f, 'a> Slot<'f, 'a> {
    fn new(name: &'f str) -> Self {
        Self {
            name,
            rest: 0,
            depth: 0,
            found_at: usize::MAX,
            found: FieldValue::Nothing,
        }
    }

    fn matches(&self, key: &str, depth: usize) -> Match {
        if self.depth != depth {
            return Match::No;
        }
        let rest = &self.name[self.rest..];
        if rest == key {
            return Match::Whole;
        }
        // A whole key at this depth or above has won already, so there is no need to step further in.
        let first = rest.split_once('.').map(|parts| parts.0);
        if first == Some(key) && self.found_at > depth {
            Match::Step
        } else {
            Match::No
        }
    }

    fn fill(&mut self, found: FieldValue<'a>, depth: usize) {
        self.found = found;
        self.found_at = depth;
    }
}

/// The places for all wanted fields.
#[derive(Debug)]
pub(in crate::source) struct Slots<'f, 'a> {
    pub(in crate::source) texts: Vec<Slot<'f, 'a>>,
    pub(in crate::source) id: Slot<'f, 'a>,
    pub(in crate::source) values: Vec<Slot<'f, 'a>>,
    /// Those that must be equal, and the facts.
    pub(in crate::source) equal: Vec<Slot<'f, 'a>>,
    /// Takes the text, too, as written: slower, but it finds a text that is no string.
    all_raw: bool,
}

impl<'f, 'a> Slots<'f, 'a> {
    pub(in crate::source) fn new(fields: &'f Fields, all_raw: bool) -> Self {
        Self {
            all_raw,
            texts: fields.text.iter().map(|name| Slot::new(name)).collect(),
            id: Slot::new(&fields.id),
            values: fields.values.iter().map(|name| Slot::new(name)).collect(),
            equal: fields
                .equal
                .iter()
                .chain(&fields.facts)
                .map(|name| Slot::new(name))
                .collect(),
        }
    }

    fn each(&mut self) -> impl Iterator<Item = &mut Slot<'f, 'a>> {
        let others = std::iter::once(&mut self.id)
            .chain(&mut self.values)
            .chain(&mut self.equal);
        self.texts.iter_mut().chain(others)
    }

    /// What the key means to the slots: whether any wants something of it, and the one text that wants it whole, if nothing
    /// else wants anything.
    fn matches(&self, key: &str, depth: usize) -> (bool, Option<usize>) {
        let mut alone = None;
        let mut wanted = false;
        for (place, slot) in self.texts.iter().enumerate() {
            let found = slot.matches(key, depth);
            alone = (found == Match::Whole && !wanted)
                .then_some(place)
                .or(alone.filter(|_| found == Match::No));
            wanted |= found != Match::No;
        }
        let mut others = std::iter::once(&self.id).chain(&self.values).chain(&self.equal);
        let others = others.any(|slot| slot.matches(key, depth) != Match::No);
        (wanted || others, alone.filter(|_| !others && !self.all_raw))
    }

    /// Hands a key's value, as written, to every slot that wants it or something inside it.
    fn take(&mut self, key: &str, raw: &'a str, depth: usize) -> serde_json::Result<()> {
        let mut step = false;
        for slot in self.each() {
            match slot.matches(key, depth) {
                Match::No => {}
                Match::Whole => slot.fill(FieldValue::Raw(raw), depth),
                Match::Step => {
                    // The last of equal keys counts: what an earlier one held is forgotten.
                    slot.found = FieldValue::Nothing;
                    slot.found_at = usize::MAX;
                    slot.depth = depth + 1;
                    slot.rest += key.len() + 1;
                    step = true;
                }
            }
        }
        if !step {
            return Ok(());
        }
        let walked = if raw.starts_with('{') {
            walk(raw, self, depth + 1)
        } else {
            Ok(())
        };
        for slot in self.each().filter(|slot| slot.depth == depth + 1) {
            let wanted = item_of(&slot.name[slot.rest..]);
            let is_list = raw.starts_with('[') && wanted.is_some();
            if is_list || (wanted == Some(Item::Each) && matches!(slot.found, FieldValue::Nothing)) {
                // Deeper than a whole key here, which wins.
                slot.fill(FieldValue::List(raw, slot.rest), depth + 1);
            }
            slot.depth = depth;
            slot.rest -= key.len() + 1;
        }
        walked
    }
}

/// Fills the slots that look for something at `depth` from the object that `json` is. As deep as the names have dots.
pub(in crate::source) fn walk<'a>(json: &'a str, slots: &mut Slots<'_, 'a>, depth: usize) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_map(Walk { slots, depth })?;
    deserializer.end()
}

/// The string that a JSON string means, lent where it has no escapes.
pub(in crate::source) fn string_of(raw: &str) -> serde_json::Result<Cow<'_, str>> {
    StringSeed.deserialize(&mut serde_json::Deserializer::from_str(raw))
}

/// The keys of an object, in order.
pub(in crate::source) fn keys_of(json: &str) -> serde_json::Result<Vec<String>> {
    serde_json::Deserializer::from_str(json).deserialize_map(Keys)
}

struct Walk<'w, 'f, 'a> {
    slots: &'w mut Slots<'f, 'a>,
    depth: usize,
}

impl<'a> Visitor<'a> for Walk<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { slots, depth } = self;
        while let Some(key) = map.next_key_seed(StringSeed)? {
            let (wanted, text) = slots.matches(&key, depth);
            if let Some(text) = text {
                let found = map.next_value_seed(StringSeed)?;
                slots.texts[text].fill(FieldValue::Text(found), depth);
            } else if wanted {
                let raw: &'a RawValue = map.next_value()?;
                slots.take(&key, raw.get(), depth).map_err(A::Error::custom)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Reads a string, lent where it has no escapes.
struct StringSeed;

impl<'de> DeserializeSeed<'de> for StringSeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for StringSeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// Reads the keys of an object only.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Vec<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut keys = Vec::new();
        while let Some(key) = map.next_key_seed(StringSeed)? {
            keys.push(key.into_owned());
            map.next_value::<IgnoredAny>()?;
        }
        Ok(keys)
    }
}
