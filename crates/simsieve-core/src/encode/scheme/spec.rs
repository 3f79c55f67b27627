//! The spec of a built-in scheme: a pure value, read from text or JSON, that names files and loads none.

use std::fmt;
use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::builtin;
use super::family::Family;
use super::options::{self, EXTRACT_NOTHING, OPTIONS};
use super::value::{OptionKind, Value};
use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::encode::input::pattern::Cleaning;
use crate::encode::tokenize::stop_words::list_named;
use crate::encode::tokenize::word_options::WordOptions;
use crate::encode::weight::Weights;
use crate::encode::weight::pos::with_factors;
use crate::text::fields::FieldPart;
use crate::text::segment::Mode;
use crate::text::segment::parts::Tags;

/// The version of the JSON form.
const VERSION: u64 = 1;

/// The spec of a built-in scheme: a family, a width, and the options that are not as by default.
///
/// ```
/// use simsieve_core::encode::scheme::SchemeSpec;
/// let spec = SchemeSpec::parse("chars64:weights=log,n=3,fold=none").unwrap();
/// assert_eq!(spec.to_string(), "chars64:n=3,weights=log");
/// assert_eq!(SchemeSpec::from_json(&spec.to_json()).unwrap(), spec);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SchemeSpec {
    family: Family,
    width: u32,
    /// Places in the table of options, ascending, each with a value that is not the default.
    values: Vec<(usize, Value)>,
}

impl SchemeSpec {
    /// Reads a spec as the user writes it, `name` or `name:option=value,option=value`. No file is read.
    ///
    /// # Errors
    /// [`Error::Config`] that names the unknown or forbidden part and the choices.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let (family, width) = Family::of_name(name).ok_or_else(|| builtin::unknown(name))?;
        let options = options.split(',').filter(|option| !option.is_empty());
        let read = Self::read(family, width, options.map(|option| (option, option.split_once('='))));
        read.map_err(|message| Error::Config(msg!("scheme {text:?}: {message}")))
    }

    /// Reads options, each with its key and value where it has both.
    fn read<'a>(
        family: Family,
        width: u32,
        options: impl Iterator<Item = (&'a str, Option<(&'a str, &'a str)>)>,
    ) -> Result<Self, Message> {
        let mut spec = Self {
            family,
            width,
            values: Vec::new(),
        };
        let mut seen: Vec<&str> = Vec::new();
        for (option, parted) in options {
            let key = parted.map_or(option, |(key, _)| key);
            let nothing = EXTRACT_NOTHING
                .iter()
                .find(|row| row.key == key && row.families.contains(&family));
            let (at, row) = match (options::find(family, key), nothing) {
                (Some((at, row)), _) => (Some(at), row),
                (None, Some(row)) => (None, row),
                (None, None) => return Err(options::unknown(family, option, key)),
            };
            let Some((_, value)) = parted else {
                let (sample, allowed) = (row.sample(), row.kind.allowed(key));
                return Err(msg!(
                    "{option:?} is not allowed; options are key=value, here {sample}: {allowed}"
                ));
            };
            let value = row.read(value).map_err(|allowed| match at {
                Some(_) => msg!("{option:?} is not allowed; {allowed}"),
                None => msg!("{option:?} is not allowed; {allowed}: {help}", help = row.help),
            })?;
            if seen.contains(&key) {
                return Err(msg!("{key} is given twice"));
            }
            if matches!(key, "n" | "units") && seen.iter().any(|key| matches!(*key, "n" | "units")) {
                return Err(msg!("{key} is given beside its other form"));
            }
            seen.push(key);
            spec.values.extend(at.map(|at| (at, value)));
        }
        spec.check(&seen)?;
        spec.values
            .retain(|(at, value)| value.to_string() != OPTIONS[*at].default);
        spec.values.sort_unstable_by_key(|(at, _)| *at);
        Ok(spec)
    }

    /// Compares the options with one another.
    fn check(&self, given: &[&str]) -> Result<(), Message> {
        if given.contains(&"decay") && self.choice("weight") == "once" {
            return Err(msg!("weight=once has no decay; leave one of the two out"));
        }
        let weights = self.weights();
        if given.contains(&"model") && !weights.needs_model() {
            return Err(msg!(
                "weights={name} take no model; leave it out, or give weights=idf, log-idf or tf-idf",
                name = weights.name()
            ));
        }
        let tags = self.tags().cloned().unwrap_or_default();
        let together = WordOptions::check_together(self.mode(), self.choice("hmm") != "off", &tags);
        let factors = together.and_then(|()| with_factors(weights, &tags));
        factors.map(|_| ()).map_err(|error| error.message())
    }

    /// The family of its name.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// Bits of a fingerprint.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// The value of an option that is not as by default.
    fn given(&self, key: &str) -> Option<&Value> {
        let found = self.values.iter().find(|(at, _)| OPTIONS[*at].key == key);
        found.map(|(_, value)| value)
    }

    /// The default of an option; empty where the family has none.
    fn default(&self, key: &str) -> &'static str {
        options::find(self.family, key).map_or("", |(_, row)| row.default)
    }

    /// Whether an option is not as by default.
    pub(super) fn has(&self, key: &str) -> bool {
        self.given(key).is_some()
    }

    /// The value of an option that is a whole number; 0 where the family has none.
    pub(super) fn whole(&self, key: &str) -> u64 {
        match self.given(key) {
            Some(Value::Whole(number)) => *number,
            _ => self.default(key).parse().unwrap_or(0),
        }
    }

    /// The value of an option that is a share; 0 where the family has none.
    pub(super) fn share(&self, key: &str) -> f64 {
        match self.given(key) {
            Some(Value::Share(number)) => *number,
            _ => self.default(key).parse().unwrap_or(0.0),
        }
    }

    /// The value of an option that is a number; 0 where the family has none.
    pub(super) fn number(&self, key: &str) -> f64 {
        match self.given(key) {
            Some(Value::Number(number)) => *number,
            _ => 0.0,
        }
    }

    /// The value of an option that is one of a list; empty where the family has none.
    pub(super) fn choice(&self, key: &str) -> &'static str {
        match self.given(key) {
            Some(Value::Choice(name)) => name,
            _ => self.default(key),
        }
    }

    /// Of a list the value that an option names.
    pub(super) fn pick<T: Copy>(&self, key: &str, list: &[(&str, T)]) -> Option<T> {
        let name = self.choice(key);
        list.iter().find(|(known, _)| *known == name).map(|row| row.1)
    }

    /// The value of an option as it is written: a file, a digest.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.given(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The digest by which the spec names its model.
    pub(super) fn model_digest(&self) -> Option<&str> {
        self.text("model").filter(|name| is_digest(name))
    }

    /// The file of the model that the spec names.
    pub(super) fn model_file(&self) -> Option<&str> {
        self.text("model").filter(|name| !is_digest(name))
    }

    /// The files that it names, each with its place among the values: stop words, a dictionary, a model.
    fn named_files(&self) -> impl Iterator<Item = (usize, &str)> {
        let texts = self
            .values
            .iter()
            .enumerate()
            .filter_map(|(place, (at, value))| match value {
                Value::Text(name) => Some((place, OPTIONS[*at].kind, &**name)),
                _ => None,
            });
        let files = texts.filter(|(_, kind, name)| match kind {
            OptionKind::StopWords => list_named(name).is_none(),
            OptionKind::Model => !is_digest(name),
            _ => true,
        });
        files.map(|(place, _, name)| (place, name))
    }

    /// The files that it names.
    pub fn files(&self) -> Vec<&str> {
        self.named_files().map(|(_, name)| name).collect()
    }

    /// This spec with its files looked for in a folder, where their names are not absolute.
    ///
    /// # Errors
    /// [`Error::Config`] where the name of the folder has a comma, which no spec can have.
    pub fn in_folder(mut self, folder: &str) -> Result<Self> {
        let files: Vec<(usize, String)> = self
            .named_files()
            .map(|(place, name)| (place, name.to_owned()))
            .collect();
        for (place, name) in files {
            let path = Path::new(folder).join(&name);
            if folder.contains(',') && !Path::new(&name).is_absolute() {
                return Err(Error::Config(msg!(
                    "scheme '{scheme}' names the file '{name}' in '{folder}', whose name has a comma: move \
                     it",
                    scheme = self.to_string()
                )));
            }
            self.values[place].1 = Value::Text(path.to_string_lossy().into());
        }
        Ok(self)
    }

    /// What is taken out of texts, without the templates of a file.
    pub(super) fn cleaning(&self) -> Cleaning {
        let pattern = |key| match self.given(key) {
            Some(Value::Pattern(pattern)) => Some(pattern.clone()),
            _ => None,
        };
        Cleaning {
            cut_at: pattern("cut_at"),
            strip: pattern("strip"),
            ignore: None,
            part: self.has("part").then(|| FieldPart {
                first: self.whole("part") as usize - 1,
                count: self.whole("parts") as usize,
            }),
        }
    }

    /// The parts of speech that are features.
    pub(super) fn tags(&self) -> Option<&Tags> {
        match self.given("pos") {
            Some(Value::Tags(tags)) => Some(tags),
            _ => None,
        }
    }

    /// The greatest weight of a word.
    pub(super) fn ceiling(&self) -> Option<crate::encode::weight::entropy::Cap> {
        match self.given("cap") {
            Some(Value::Ceiling(cap)) => Some(*cap),
            _ => None,
        }
    }

    /// How Chinese is cut.
    pub(super) fn mode(&self) -> Mode {
        self.pick("mode", &Mode::ALL).unwrap_or_default()
    }

    /// The rule of its weights, without the factors of parts of speech.
    pub(super) fn weights(&self) -> Weights {
        match self.family {
            Family::Chars | Family::Words | Family::EsimhashBaseline => {
                self.pick("weights", &Weights::ALL).unwrap_or(Weights::Once)
            }
            Family::Simhash | Family::Gemantic | Family::Mfonda | Family::Angelo => Weights::Tf,
            Family::Esimhash => Weights::Entropy,
            Family::Keywords if self.has("model") => Weights::TfIdfOfModel,
            Family::Keywords | Family::LinesTfidf => Weights::TfIdf,
            Family::Dom if self.choice("weight") == "once" => Weights::Once,
            Family::Dom => Weights::Decayed,
            Family::External => Weights::Once,
        }
    }

    /// This spec with another value of an option, where the family has the option.
    pub(super) fn with(mut self, key: &str, value: Value) -> Self {
        if let Some((at, row)) = options::find(self.family, key) {
            self.values.retain(|(other, _)| *other != at);
            if value.to_string() != row.default {
                let place = self.values.partition_point(|(other, _)| *other < at);
                self.values.insert(place, (at, value));
            }
        }
        self
    }

    /// The spec as JSON: family, width, and the options that are not as by default.
    pub fn to_json(&self) -> Json {
        let json = |value: &Value| match value {
            Value::Whole(number) => json!(number),
            Value::Share(number) | Value::Number(number) => json!(number),
            value => json!(value.to_string()),
        };
        let options: Map<String, Json> = self
            .values
            .iter()
            .map(|(at, value)| (OPTIONS[*at].key.to_owned(), json(value)))
            .collect();
        json!({
            "simsieve_scheme": VERSION,
            "family": self.family.name(),
            "width": self.width,
            "options": options,
        })
    }

    /// Reads [`SchemeSpec::to_json`], on this machine or another. No file is read.
    ///
    /// # Errors
    /// [`Error::Config`] where it is no spec of this version, or an option is not allowed.
    pub fn from_json(value: &Json) -> Result<Self> {
        let head = || {
            let family = Family::named(value["family"].as_str()?)?;
            let width = u32::try_from(value["width"].as_u64()?).ok()?;
            let known = value["simsieve_scheme"].as_u64() == Some(VERSION) && family.takes_width(width);
            let options = value["options"].as_object()?.iter();
            let text = |(key, value): (&String, &Json)| match value {
                Json::Number(number) => Some((key.clone(), number.to_string())),
                value => Some((key.clone(), value.as_str()?.to_owned())),
            };
            let options: Vec<(String, String)> = options.map(text).collect::<Option<_>>()?;
            known.then_some((family, width, options))
        };
        let (family, width, options) = head()
            .ok_or_else(|| Error::Config(msg!("{value} is no scheme of version {version}", version = VERSION)))?;
        let texts: Vec<String> = options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let parted = options.iter().map(|(key, value)| Some((key.as_str(), value.as_str())));
        let read = Self::read(family, width, texts.iter().map(String::as_str).zip(parted));
        read.map_err(|message| Error::Config(msg!("scheme {value}: {message}")))
    }
}

impl fmt::Display for SchemeSpec {
    /// The shortest spelling, options in a fixed order.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.family.name(), self.width)?;
        for (place, (at, value)) in self.values.iter().enumerate() {
            let sign = if place == 0 { ':' } else { ',' };
            write!(out, "{sign}{}={value}", OPTIONS[*at].key)?;
        }
        Ok(())
    }
}

/// Whether a model is named by its digest.
fn is_digest(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
