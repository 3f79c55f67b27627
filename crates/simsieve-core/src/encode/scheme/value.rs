//! The values of a scheme's options: what is allowed, and how they are read and written.

use std::fmt;

use crate::base::message::Message;
use crate::encode::input::pattern::Pattern;
use crate::encode::weight::entropy::Cap;
use crate::text::segment::parts::Tags;

/// What the value of an option may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A number above 0 and at most 1.
    Share,
    /// A number from -10^9 to 10^9.
    Number,
    /// One of these names, the default first.
    Choice(&'static [&'static str]),
    /// `none`, a weight, `P%` or `pP`.
    Ceiling,
    /// Parts of speech.
    Tags,
    /// A file.
    File,
    /// A file of words, or the name of a list.
    StopWords,
    /// A model: a file, or the digest of one.
    Model,
    /// A regular expression, with `%`, `,` and `@` escaped.
    Pattern,
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(u64),
    /// A number above 0 and at most 1.
    Share(f64),
    /// A number from -10^9 to 10^9.
    Number(f64),
    /// A name of the list.
    Choice(&'static str),
    /// The greatest weight.
    Ceiling(Cap),
    /// Parts of speech.
    Tags(Tags),
    /// The name of a file, or a model's digest.
    Text(Box<str>),
    /// A regular expression.
    Pattern(Pattern),
}

impl OptionKind {
    /// What is allowed, of the option `key`.
    pub(super) fn allowed(self, key: &str) -> Message {
        let values = self.values();
        if matches!(self, Self::Choice(_)) && key.ends_with('s') {
            msg!("{key} are {values}")
        } else {
            msg!("{key} is {values}")
        }
    }

    /// What is allowed.
    pub(super) fn values(self) -> Message {
        match self {
            // A path of 0 levels is the whole one.
            Self::Whole(0, most) => msg!("a whole number from 0 (the whole path) to {most}"),
            Self::Whole(least, most) => msg!("a whole number from {least} to {most}"),
            Self::Share => msg!("a number above 0 and at most 1"),
            Self::Number => msg!("a number from -1000000000 to 1000000000"),
            Self::Choice([rest @ .., last]) if !rest.is_empty() => msg!("{rest} or {last}"),
            Self::Choice(all) => msg!("{all}"),
            Self::Ceiling => {
                msg!(
                    "none, a weight above 0 and at most 4095, or a percentage P% or percentile pP above 0 and at most 100"
                )
            }
            Self::Tags => msg!("a list such as n+v"),
            Self::File => msg!("the name of a file"),
            Self::StopWords => msg!("the name of a file, or zh"),
            Self::Model => msg!("the file that `simsieve fit` wrote, or a digest"),
            Self::Pattern => msg!("a regular expression, with % as %25, a comma as %2C and @ as %40"),
        }
    }

    /// Reads the value of the option `key`.
    ///
    /// # Errors
    /// What is allowed.
    pub(super) fn read(self, key: &str, text: &str) -> Result<Value, Message> {
        let value = match self {
            Self::Whole(least, most) => {
                let number = text.parse().ok().filter(|number| (least..=most).contains(number));
                number.map(Value::Whole)
            }
            Self::Share => {
                let number = text.parse().ok().filter(|number| *number > 0.0 && *number <= 1.0);
                number.map(Value::Share)
            }
            Self::Number => {
                let number = text.parse().ok().filter(|number: &f64| number.abs() <= 1e9);
                // Adding 0 makes -0 the 0 that it is.
                number.map(|number| Value::Number(number + 0.0))
            }
            Self::Choice(all) => all.iter().find(|name| **name == text).map(|name| Value::Choice(name)),
            Self::Ceiling => Cap::parse(text).map(Value::Ceiling),
            Self::Tags => {
                return Tags::read(text).map(Value::Tags);
            }
            Self::Pattern => return Pattern::of_spec(text).map(Value::Pattern),
            Self::File | Self::StopWords | Self::Model => {
                Some(Value::Text(text.into())).filter(|_| !text.is_empty() && !text.contains(','))
            }
        };
        value.ok_or_else(|| self.allowed(key))
    }

    /// What a list of options shows for the value, the default first.
    pub(super) fn sample(self, default: &str) -> String {
        match self {
            Self::Whole(..) if default.is_empty() => "NUMBER".to_owned(),
            Self::Whole(..) | Self::Share | Self::Number => default.to_owned(),
            Self::Choice(all) => {
                // Of choices that can be joined one stands for all.
                let alone = all.iter().filter(|choice| !choice.contains('+')).copied();
                let joined = (all.len() > alone.clone().count()).then_some("A+B");
                alone.chain(joined).collect::<Vec<_>>().join("|")
            }
            Self::Ceiling if default == "none" => "none|WEIGHT|P%|pP".to_owned(),
            Self::Ceiling => format!("{default}|none|WEIGHT|P%|pP"),
            Self::Tags => "n+v".to_owned(),
            Self::File | Self::Model => "FILE".to_owned(),
            Self::StopWords => "FILE|zh".to_owned(),
            Self::Pattern => "REGEX".to_owned(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => write!(out, "{number}"),
            Self::Share(number) | Self::Number(number) => write!(out, "{number}"),
            Self::Choice(name) => out.write_str(name),
            Self::Ceiling(cap) => out.write_str(&cap.name()),
            Self::Tags(tags) => out.write_str(&tags.spec()),
            Self::Text(text) => out.write_str(text),
            Self::Pattern(pattern) => write!(out, "{pattern}"),
        }
    }
}
