//! The parts of a custom scheme as a user gives them, and the messages of those that are not allowed.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::nearest::nearest;
use super::options;
use super::value::{OptionKind, Value};
use crate::base::error::{Error, Result};
use crate::base::message::Shown;

/// A part of a custom scheme as the user gives it.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its value; null for a function, and for a value that JSON does not have.
    pub value: Json,
    /// Whether it is a function.
    pub is_function: bool,
    /// How messages show it.
    pub shown: String,
}

/// Parts by their names.
pub type PartMap = BTreeMap<String, Part>;

impl Part {
    /// The parts of a JSON object, by name.
    ///
    /// ```
    /// use simsieve_core::encode::scheme::{OpenScheme, Part};
    /// let parts = Part::all_of(&serde_json::json!({"features": "chars", "width": 64}));
    /// assert_eq!(OpenScheme::custom("mine", &parts, None).unwrap().spec(), "own:mine");
    /// ```
    pub fn all_of(object: &Json) -> PartMap {
        let part = |value: &Json| Self {
            value: value.clone(),
            is_function: false,
            shown: value.to_string(),
        };
        let rows = object.as_object().into_iter().flatten();
        rows.map(|(name, value)| (name.clone(), part(value))).collect()
    }
}

/// The parts of one scheme.
pub(super) struct Parts<'a> {
    pub(super) name: &'a str,
    pub(super) given: &'a PartMap,
}

impl<'a> Parts<'a> {
    /// An error of a configuration, with the scheme's name.
    pub(super) fn named(&self, error: Error) -> Error {
        match error {
            Error::Config(message) => Error::Config(msg!("scheme {name:?}: {message}", name = self.name)),
            error => error,
        }
    }

    /// The error of a value that is not allowed.
    pub(super) fn refuse(&self, part: &str, allowed: impl Shown) -> Error {
        self.refuse_as(part, self.given.get(part).map_or("", |part| &part.shown), allowed)
    }

    /// The same of a value that is shown like this.
    pub(super) fn refuse_as(&self, part: impl Shown, shown: &str, allowed: impl Shown) -> Error {
        let name = self.name;
        Error::Config(msg!("scheme '{name}': {part} {shown} is not allowed; give {allowed}"))
    }

    pub(super) fn value(&self, part: &str) -> Option<&'a Json> {
        self.given.get(part).map(|part| &part.value)
    }

    pub(super) fn text(&self, part: &str, allowed: &str) -> Result<Option<&'a str>> {
        let text = |value: &'a Json| value.as_str().ok_or_else(|| self.refuse(part, allowed));
        self.value(part).map(text).transpose()
    }

    pub(super) fn switch(&self, part: &str) -> Result<Option<bool>> {
        let switch = |value: &Json| value.as_bool().ok_or_else(|| self.refuse(part, "True or False"));
        self.value(part).map(switch).transpose()
    }

    /// A part as the table of options reads it, or its default.
    pub(super) fn read(&self, part: &str) -> Result<Option<Value>> {
        let row = options::part(part).expect("a row for each part that is read");
        match self.value(part) {
            Some(value) => self.read_value(part, value).map(Some),
            None => Ok(row.read(row.default).ok()),
        }
    }

    /// A value of a part as the table of options reads it.
    fn read_value(&self, part: &str, value: &Json) -> Result<Value> {
        let row = options::part(part).expect("a row for each part that is read");
        let is_number = matches!(row.kind, OptionKind::Whole(..) | OptionKind::Share);
        let text = match value {
            Json::Number(number) if is_number => number.to_string(),
            Json::String(text) if !is_number => text.clone(),
            Json::Array(list) if row.kind == OptionKind::Tags => {
                list.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("+")
            }
            _ => String::new(),
        };
        row.read(&text).map_err(|message| match row.kind {
            OptionKind::Whole(least, most) => self.refuse(part, msg!("a whole number from {least} to {most}")),
            OptionKind::Choice(all) => self.refuse_name(part, value, all),
            OptionKind::Tags if !text.is_empty() => self.named(Error::Config(message)),
            OptionKind::Tags => self.refuse(part, "parts of speech, such as 'n+v' or ['n', 'v']"),
            OptionKind::File => self.refuse(part, "the file of a dictionary"),
            kind => self.refuse(part, kind.values()),
        })
    }

    /// The error of a name that is not known: the nearest is suggested.
    fn refuse_name(&self, part: &str, value: &Json, known: &[&str]) -> Error {
        let Some(name) = value.as_str() else {
            return self.refuse(part, msg!("one of {known}"));
        };
        let near = nearest(name, known.iter().map(|name| (*name).to_owned()));
        let list = || msg!("one of {known}");
        let allowed = near.map_or_else(list, |near| msg!("'{near}', which is near"));
        self.refuse_as(part, &format!("'{name}'"), allowed)
    }

    /// A whole number, or the default.
    pub(super) fn whole(&self, part: &str) -> Result<Option<u64>> {
        Ok(match self.read(part)? {
            Some(Value::Whole(number)) => Some(number),
            _ => None,
        })
    }

    /// One of a list of names, or the default; `called` for a function.
    pub(super) fn choice(&self, part: &str) -> Result<Option<&'static str>> {
        if self.given.get(part).is_some_and(|part| part.is_function) {
            return Ok(Some("called"));
        }
        Ok(match self.read(part)? {
            Some(Value::Choice(name)) => Some(name),
            _ => None,
        })
    }

    /// One of the known names.
    pub(super) fn known(&self, part: &str, value: &Json, known: &[&'static str]) -> Result<&'static str> {
        let found = known.iter().copied().find(|name| value == name);
        found.ok_or_else(|| self.refuse_name(part, value, known))
    }
}
