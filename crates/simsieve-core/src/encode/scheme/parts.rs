//! The parts of a custom scheme as a user gives them, and the messages of those that are not allowed.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::Value as Json;

use super::nearest::nearest;
use crate::base::error::{Error, Result};

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

impl Part {
    /// The parts of a JSON object, by name.
    ///
    /// ```
    /// use simsieve_core::encode::scheme::{OpenScheme, Part};
    /// let parts = Part::all_of(&serde_json::json!({"features": "chars", "width": 64}));
    /// assert_eq!(OpenScheme::custom("mine", &parts, None).unwrap().spec(), "own:mine");
    /// ```
    pub fn all_of(object: &Json) -> BTreeMap<String, Self> {
        let part = |(name, value): (&String, &Json)| {
            let part = Self {
                value: value.clone(),
                is_function: false,
                shown: value.to_string(),
            };
            (name.clone(), part)
        };
        object.as_object().into_iter().flatten().map(part).collect()
    }
}

/// The parts of one scheme.
pub(super) struct Parts<'a> {
    pub(super) name: &'a str,
    pub(super) given: &'a BTreeMap<String, Part>,
}

impl<'a> Parts<'a> {
    pub(super) fn error(&self, message: &str) -> Error {
        Error::Config(format!("scheme {:?}: {message}", self.name))
    }

    /// An error of a configuration, with the scheme's name.
    pub(super) fn named(&self, error: Error) -> Error {
        match error {
            Error::Config(message) => self.error(&message),
            error => error,
        }
    }

    /// The error of a value that is not allowed.
    pub(super) fn refuse(&self, part: &str, allowed: impl Display) -> Error {
        self.refuse_as(part, self.given.get(part).map_or("", |part| &part.shown), allowed)
    }

    pub(super) fn refuse_as(&self, part: &str, shown: &str, allowed: impl Display) -> Error {
        Error::Config(format!(
            "scheme '{}': {part} {shown} is not allowed; give {allowed}",
            self.name
        ))
    }

    pub(super) fn check_name(&self) -> Result<()> {
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if self.name.is_empty() || !self.name.chars().all(is_letter) {
            let shown = format!("'{}'", self.name);
            return Err(self.refuse_as("name", &shown, "letters, digits, _, - and ."));
        }
        Ok(())
    }

    pub(super) fn value(&self, part: &str) -> Option<&'a Json> {
        self.given.get(part).map(|part| &part.value)
    }

    pub(super) fn text(&self, part: &str, allowed: &str) -> Result<Option<&'a str>> {
        let text = |value: &'a Json| value.as_str().ok_or_else(|| self.refuse(part, allowed));
        self.value(part).map(text).transpose()
    }

    pub(super) fn whole(&self, part: &str, least: u64, most: u64) -> Result<Option<u64>> {
        let number = |value: &Json| {
            let number = value.as_u64().filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| self.refuse(part, format!("a whole number from {least} to {most}")))
        };
        self.value(part).map(number).transpose()
    }

    pub(super) fn switch(&self, part: &str) -> Result<Option<bool>> {
        let switch = |value: &Json| value.as_bool().ok_or_else(|| self.refuse(part, "True or False"));
        self.value(part).map(switch).transpose()
    }

    /// One of the known names; else the nearest is suggested.
    pub(super) fn known(&self, part: &str, value: &Json, known: &[&'static str]) -> Result<&'static str> {
        let text = value.as_str().unwrap_or_default();
        if let Some(name) = known.iter().find(|name| **name == text) {
            return Ok(name);
        }
        let near = nearest(text, known.iter().map(|name| (*name).to_owned()));
        let allowed = match near.filter(|_| !text.is_empty()) {
            Some(near) => format!("'{near}', which is near"),
            None => format!("one of {}", known.join(", ")),
        };
        let shown = if value.is_string() {
            format!("'{text}'")
        } else {
            self.given[part].shown.clone()
        };
        Err(self.refuse_as(part, &shown, allowed))
    }

    pub(super) fn choice(&self, part: &str, known: &[&'static str]) -> Result<Option<&'static str>> {
        self.value(part).map(|value| self.known(part, value, known)).transpose()
    }

    /// One of the known names, or `called` for a function.
    pub(super) fn name_of(&self, part: &str, known: &[&'static str], usual: &'static str) -> Result<&'static str> {
        if self.given.get(part).is_some_and(|part| part.is_function) {
            return Ok("called");
        }
        Ok(self.choice(part, known)?.unwrap_or(usual))
    }
}
