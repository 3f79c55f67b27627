//! A message: its template, which is a key of the catalogues of translations, and named values. [`msg!`](crate::msg) makes it.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

/// A template and its values, by which it can be translated; as text it is English.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The English text, with `{name}` for each value.
    pub template: Cow<'static, str>,
    /// The values, by name.
    pub values: Vec<(Cow<'static, str>, Value)>,
    /// The name by which programs know the error, such as `index.no_such_batch`; mostly empty. It is not serialized.
    pub id: &'static str,
}

/// A value of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(i128),
    /// A number.
    Number(f64),
    /// A name, or a text of the user.
    Text(String),
    /// Values with commas between them.
    List(Vec<Self>),
    /// A part with its own template.
    Message(Message),
}

/// A place of a template.
enum Hole<'a> {
    Text(&'a str),
    Value { name: &'a str, form: &'a str },
    Setting(&'a str),
}

impl Message {
    /// A message of a template and the values it names, which are in the order of their names, as JSON has them.
    pub fn new(template: impl Into<Cow<'static, str>>, mut values: Vec<(Cow<'static, str>, Value)>) -> Self {
        values.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let template = template.into();
        Self {
            template,
            values,
            id: "",
        }
    }

    /// The same with a name by which programs know it; each name is in `docs/how-to/serve.md`.
    #[must_use]
    pub fn with_id(self, id: &'static str) -> Self {
        Self { id, ..self }
    }

    /// A text that has no template, such as what a function of the user says.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(text.into(), Vec::new())
    }

    /// What an error of another library says.
    pub(crate) fn of(error: impl fmt::Display) -> Self {
        Self::text(error.to_string())
    }

    /// Reads what [`Serialize`] writes: a text alone, or an object of the template and the values.
    pub fn from_json(json: &Json) -> Option<Self> {
        if let Json::String(text) = json {
            return Some(Self::text(text));
        }
        let values = json["values"].as_object()?.iter();
        let values = values.map(|(name, value)| Some((name.clone().into(), Value::from_json(value)?)));
        Some(Self::new(
            json["template"].as_str()?.to_owned(),
            values.collect::<Option<_>>()?,
        ))
    }

    fn to_json(&self) -> Json {
        let values = self
            .values
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_json()));
        json!({"template": self.template, "values": values.collect::<serde_json::Map<_, _>>()})
    }
}

impl Value {
    fn from_json(json: &Json) -> Option<Self> {
        Some(match json {
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from_json).collect::<Option<_>>()?),
            Json::Object(_) => Self::Message(Message::from_json(json)?),
            _ => match json.as_i64() {
                Some(number) => Self::Whole(number.into()),
                None => Self::Number(json.as_f64()?),
            },
        })
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Whole(number) => i64::try_from(*number).map_or_else(|_| json!(number.to_string()), Json::from),
            Self::Number(number) => json!(number),
            Self::Text(text) => json!(text),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Message(message) => message.to_json(),
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &*self.values {
            [] => serializer.serialize_str(&self.template),
            _ => self.to_json().serialize(serializer),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.values.is_empty() && !["{@", "{`"].iter().any(|mark| self.template.contains(mark)) {
            return out.write_str(&self.template);
        }
        let mut rest = &*self.template;
        while let Some((place, after)) = next(rest) {
            match place {
                Hole::Text(text) => out.write_str(text)?,
                Hole::Setting(name) => match name.strip_prefix("@`") {
                    Some(name) => write!(out, "the setting `{name}")?,
                    None => out.write_str(name.trim_start_matches('@'))?,
                },
                Hole::Value { name, form } => match self.values.iter().find(|(known, _)| known == name) {
                    Some((_, Value::Text(text))) if form == "?" => write!(out, "{text:?}")?,
                    Some((_, Value::Whole(number))) if form == "," => out.write_str(&with_commas(*number))?,
                    Some((_, value)) => write!(out, "{value}")?,
                    None => out.write_str(name)?,
                },
            }
            rest = after;
        }
        Ok(())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => write!(out, "{number}"),
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => out.write_str(text),
            Self::Message(message) => write!(out, "{message}"),
            Self::List(items) => items.iter().enumerate().try_for_each(|(at, item)| {
                out.write_str(if at == 0 { "" } else { ", " })?;
                write!(out, "{item}")
            }),
        }
    }
}

/// The first place of a template, and the template after it.
fn next(rest: &str) -> Option<(Hole<'_>, &str)> {
    let text = rest.find(['{', '}']).unwrap_or(rest.len());
    if text > 0 {
        return Some((Hole::Text(&rest[..text]), &rest[text..]));
    }
    if rest.starts_with("{{") || rest.starts_with("}}") {
        return Some((Hole::Text(&rest[..1]), &rest[2..]));
    }
    let (name, after) = rest.strip_prefix('{')?.split_once('}')?;
    let (value, form) = name.split_once(':').unwrap_or((name, ""));
    let place = if name.starts_with(['@', '`']) {
        Hole::Setting(name)
    } else {
        Hole::Value { name: value, form }
    };
    Some((place, after))
}

/// A whole number with commas between thousands, as messages of Python have it.
fn with_commas(number: i128) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut shown = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// What can be a value of a message.
pub trait Shown {
    /// The value.
    fn value(&self) -> Value;
}

macro_rules! shown {
    ($($kind:ty),* => $value:expr) => {
        $(impl Shown for $kind {
            fn value(&self) -> Value {
                let make: fn(&$kind) -> Value = $value;
                make(self)
            }
        })*
    };
}

shown!(u8, u16, u32, u64, i32, i64 => |number| Value::Whole((*number).into()));
shown!(usize => |number| Value::Whole(*number as i128));
shown!(f32 => |number| Value::Number((*number).into()));
shown!(f64 => |number| Value::Number(*number));
shown!(String => |text| Value::Text(text.clone()));
shown!(str, Box<str>, Cow<'_, str>, char, bool, std::path::Display<'_>, fmt::Arguments<'_>, io::ErrorKind,
    Json => |text| Value::Text(text.to_string()));
shown!(Path, PathBuf, Cow<'_, Path> => |path| Value::Text(path.display().to_string()));
shown!(Message => |message| Value::Message(message.clone()));
shown!(Value => Clone::clone);

impl Shown for io::Error {
    fn value(&self) -> Value {
        let shown = self.to_string();
        self.raw_os_error().map_or_else(
            || Value::Text(shown.clone()),
            |number| {
                let why = shown.split(" (os error").next().unwrap_or_default();
                Value::Message(msg!("{why} (os error {number})"))
            },
        )
    }
}

impl Shown for serde_json::Error {
    fn value(&self) -> Value {
        let (shown, line, column) = (self.to_string(), self.line(), self.column());
        let why = shown.split(" at line ").next().unwrap_or_default();
        match line {
            0 => Value::Text(shown.clone()),
            _ => Value::Message(msg!("{why} at line {line} column {column}")),
        }
    }
}

impl<T: Shown + ?Sized> Shown for &T {
    fn value(&self) -> Value {
        (**self).value()
    }
}

impl<T: Shown> Shown for [T] {
    fn value(&self) -> Value {
        Value::List(self.iter().map(Shown::value).collect())
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn value(&self) -> Value {
        self[..].value()
    }
}

impl<T: Shown, const N: usize> Shown for [T; N] {
    fn value(&self) -> Value {
        self[..].value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_its_template_with_its_values() {
        let (name, count, none) = ("a \"b\"", 7_u64, io::Error::from_raw_os_error(2));
        let message = msg!(
            "{name:?} has {count} of {names}: {none}; raise {@max_pairs} or {@`resume`} or {`link`}",
            names = ["a", "b"]
        );
        assert_eq!(
            message.to_string(),
            "\"a \\\"b\\\"\" has 7 of a, b: No such file or directory (os error 2); raise max_pairs or the setting \
             `resume` or `link`"
        );
        let json = serde_json::to_value(&message).unwrap();
        assert_eq!(json["values"]["count"], 7);
        assert_eq!(Message::from_json(&json).unwrap(), message);
    }

    #[test]
    fn a_text_without_values_is_as_it_is() {
        for text in ["no {value}", "{{", "}"] {
            let message = Message::text(text);
            assert_eq!(message.to_string(), text);
            assert_eq!(
                Message::from_json(&serde_json::to_value(&message).unwrap()),
                Some(message)
            );
        }
    }
}
