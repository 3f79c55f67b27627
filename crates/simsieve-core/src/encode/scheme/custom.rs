//! Custom schemes: the parts that a user gives become the values of a pipeline.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::model_slot::ModelSlot;
pub use super::parts::PartMap;
use super::parts::Parts;
use super::pipeline::{Pipeline, Sign};
use super::resolve::normaliser;
use super::value::Value;
use crate::base::error::{Error, Result};
use crate::encode::hash::TokenHash;
use crate::encode::input::Input;
use crate::encode::input::pattern::{Cleaning, Pattern};
use crate::encode::tokenize::Tokenizer;
use crate::encode::tokenize::custom::{CustomFeatures, CustomTokens, GivenFeatures};
use crate::encode::tokenize::functions::Functions;
use crate::encode::tokenize::step::Step;
use crate::encode::tokenize::word_options::WordOptions;
use crate::encode::weight::custom::{CustomRule, CustomWeights, least_above};
use crate::encode::weight::entropy::EntropyRule;
use crate::encode::weight::pos::with_factors;
use crate::encode::weight::{Rule, Weighting, Weights};
use crate::text::html;
use crate::text::segment::Mode;
use crate::text::segment::parts::Tags;

/// The weights that go by the depth of a page's elements.
const BY_DEPTH: [&str; 2] = ["sum", "nearest"];
/// The parts that some features alone take.
const TAKEN_BY: [(&str, &[&str]); 2] = [
    ("words", &["unspaced", "dict", "pos", "mode", "hmm"]),
    ("dom", &["levels", "classes", "decay"]),
];
/// The features whose input is no text, with the reason.
const NO_TEXTS: [(&str, &str); 2] = [
    ("dom", "takes the elements of the page itself"),
    ("tokens", "takes lists of tokens as they are"),
];

/// The names that decide how the other parts are read.
struct Names<'a> {
    /// The features, by name, or `called`.
    kind: &'static str,
    /// The weights: a rule, `called` or `table`.
    weigh: &'static str,
    hash: TokenHash,
    /// How many in a row make a feature.
    n: u64,
    /// The user's name of the functions, for the digest; empty without functions.
    version: &'a str,
}

/// The values of a custom scheme of these parts, with the files that they name. A model is missing.
///
/// # Errors
/// [`Error::Config`] for a part that is not allowed, with its value and what is;
/// [`Error::Source`] where a file cannot be read.
pub(super) fn pipeline(
    name: &str,
    given: &PartMap,
    functions: Option<&Arc<dyn Functions>>,
) -> Result<Pipeline<ModelSlot>> {
    let parts = Parts { name, given };
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(is_letter) {
        return Err(parts.refuse_as("name", &format!("'{name}'"), "letters, digits, _, - and ."));
    }
    let names = names(&parts)?;
    let function = |part: &str| functions.cloned().ok_or_else(|| parts.refuse(part, "a function"));
    let steps = steps(&parts, names.kind)?;
    let words = words(&parts)?;
    let elements = elements(&parts, names.weigh)?;
    let mut described = json!({"kind": names.kind, "n": names.n, "steps": steps, "version": names.version});
    if names.kind == "dom" {
        described["classes"] = elements.classes.into();
        described["levels"] = elements.levels.into();
    }
    let (weighting, described_weights) = weighting(&parts, &names, elements.weight, words.tags(), &function)?;
    let width = parts.whole("width")?.unwrap_or_default() as u32;
    names.hash.check_width(name, width)?;
    let n = names.n as usize;
    let (features, input) = match names.kind {
        "chars" => (CustomFeatures::Chars(n), Input::Text),
        "words" => (CustomFeatures::Words(n), Input::Text),
        "lines" => (CustomFeatures::Lines, Input::Text),
        "dom" => (CustomFeatures::Elements(elements), Input::HtmlElements),
        "tokens" => (CustomFeatures::Tokens(n), Input::Tokens),
        _ => (CustomFeatures::Called(n, function("features")?), Input::Text),
    };
    let step = |name| Step::ALL.into_iter().find(|row| row.0 == name).map(|row| row.1);
    let tokenizer = Tokenizer::Custom(Arc::new(CustomTokens {
        name: name.into(),
        described: canonical(&described),
        steps: steps.into_iter().filter_map(step).collect(),
        features,
        words,
        filter: filter(&parts, &names)?,
        given: match (names.hash, names.weigh) {
            (TokenHash::Given, _) => GivenFeatures::Hashes(width),
            (_, "given") => GivenFeatures::Weights,
            _ => GivenFeatures::Texts,
        },
    }));
    let is_called = names.hash == TokenHash::Called;
    Ok(Pipeline {
        input,
        cleaning: Cleaning::default(),
        normaliser: normaliser(&tokenizer),
        tokenizer,
        sign: Sign(least(&parts, weighting.weights())?),
        weighting,
        described_weights,
        hash: names.hash,
        hash_function: is_called.then(|| function("hash")).transpose()?,
        width,
    })
}

/// JSON as digests have it: keys in the order of their texts, a space after commas and colons.
fn canonical(value: &Json) -> String {
    match value {
        Json::Object(rows) => {
            let rows: BTreeMap<&String, &Json> = rows.iter().collect();
            let row = |(key, value): (&String, &Json)| format!("{}: {}", Json::from(&**key), canonical(value));
            format!("{{{}}}", rows.into_iter().map(row).collect::<Vec<_>>().join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// How features weigh, and the description of it for the digest.
fn weighting(
    parts: &Parts<'_>,
    names: &Names<'_>,
    depth: html::Weight,
    tags: &Tags,
    function: &dyn Fn(&str) -> Result<Arc<dyn Functions>>,
) -> Result<(Weighting<ModelSlot>, String)> {
    let bits = parts.whole("fraction_bits")?.unwrap_or_default();
    let (rows, other) = table(parts, bits)?;
    let mut described = json!({"other": 0.0, "table": rows, "version": names.version, "weights": names.weigh});
    if !rows.is_empty() {
        described["other"] = other.clone();
    }
    if let (true, html::Weight::Sum(decay) | html::Weight::Nearest(decay)) = (names.kind == "dom", depth) {
        described["decay"] = decay.into();
    }
    let number = |weight: &Json| weight.as_f64().unwrap_or_default();
    let custom = match names.weigh {
        "called" => Some(CustomWeights::Called(function("weights")?)),
        "given" => Some(CustomWeights::Given),
        "table" => {
            let rows = rows.iter().map(|(word, weight)| (word.as_str().into(), number(weight)));
            Some(CustomWeights::Table(Arc::new(rows.collect()), number(&other)))
        }
        _ => None,
    };
    let rule = Weights::ALL.iter().find(|row| row.0 == names.weigh);
    let weights = rule.map_or(Weights::Own(bits as u8), |row| row.1);
    let weights = match names.weigh {
        "entropy" => Weights::Entropy,
        _ if BY_DEPTH.contains(&names.weigh) => Weights::Decayed,
        _ => weights,
    };
    let weighting = match (custom, with_factors(weights, tags).map_err(|error| parts.named(error))?) {
        (Some(weights), _) => Weighting::Custom(CustomRule {
            name: parts.name.into(),
            weights,
            fraction_bits: bits as u32,
        }),
        (_, Weights::Entropy) => Weighting::Entropy(EntropyRule::WEIGHTS, ModelSlot::Missing),
        (_, Weights::Decayed) => Weighting::Depth(depth),
        (_, Weights::Tagged(weights)) => Weighting::Pos(Rule::new(*weights, || ModelSlot::Missing)),
        (_, weights) => Weighting::Rule(Rule::new(weights, || ModelSlot::Missing)),
    };
    Ok((weighting, format!(" {}", canonical(&described))))
}

/// What of the text that features are taken of a scheme of these parts takes: `extract`, `cut_at`, `strip` and `ignore`.
pub(super) fn input<'a>(name: &'a str, given: &'a PartMap) -> Result<[Option<&'a str>; 4]> {
    let parts = Parts { name, given };
    let regex = "a regular expression as a text";
    Ok([
        parts.choice("extract")?,
        parts.text("cut_at", regex)?,
        parts.text("strip", regex)?,
        parts.text("ignore", "the name of a file of templates")?,
    ])
}

/// Reads the names, and compares them with one another and with the other parts.
fn names<'a>(parts: &Parts<'a>) -> Result<Names<'a>> {
    let kind = parts.choice("features")?.unwrap_or_default();
    let usual = match kind {
        "dom" => "sum",
        "tokens" => "given",
        _ => "once",
    };
    let weigh = match parts.value("weights") {
        Some(Json::Object(_)) => "table",
        _ => parts.choice("weights")?.unwrap_or(usual),
    };
    if matches!(parts.value("hash").and_then(Json::as_str), Some("hash" | "python")) {
        let allowed = "another function than Python's hash: its values differ from process to process";
        return Err(parts.refuse("hash", allowed));
    }
    let hash = parts.choice("hash")?;
    let hash = TokenHash::NAMED.iter().find(|row| Some(row.0) == hash);
    let hash = hash.map_or(TokenHash::Called, |row| row.1);
    check_kind(parts, kind)?;
    let n = parts.whole("n")?.unwrap_or(if kind == "chars" { 3 } else { 1 });
    let mut version = "";
    if [kind, weigh].contains(&"called") || hash == TokenHash::Called {
        let allowed = "a text that names the functions in the digest; change it with them";
        version = parts.text("version", allowed)?.unwrap_or_default();
        if version.is_empty() {
            return Err(parts.refuse("version", allowed));
        }
    }
    let names = Names {
        kind,
        weigh,
        hash,
        n,
        version,
    };
    check_together(parts, &names)?;
    Ok(names)
}

/// Refuses parts that features of this kind do not take.
fn check_kind(parts: &Parts<'_>, kind: &str) -> Result<()> {
    for (taker, taken) in TAKEN_BY {
        let part = taken.iter().find(|part| parts.given.contains_key(**part));
        if let Some(part) = part.filter(|_| kind != taker) {
            return Err(parts.refuse(part, msg!("it with features = '{taker}' only")));
        }
    }
    input(parts.name, parts.given)?;
    let nothing = [json!("none"), json!([])];
    let is_taken = |part: &&str| parts.value(part).is_some_and(|value| !nothing.contains(value));
    let taken = ["extract", "cut_at", "strip", "normalise"].into_iter().find(is_taken);
    match (NO_TEXTS.iter().find(|row| row.0 == kind), taken) {
        (Some((_, why)), Some(part)) => Err(parts.refuse(part, format!("none: features = '{kind}' {why}"))),
        _ => Ok(()),
    }
}

/// Compares features, weights and hash with one another.
fn check_together(parts: &Parts<'_>, names: &Names<'_>) -> Result<()> {
    let (is_one, by_depth) = (names.n == 1, BY_DEPTH.contains(&names.weigh));
    let takes_given = matches!(names.kind, "called" | "tokens") && is_one;
    let (part, allowed) = match (names.kind, names.weigh, names.hash) {
        ("lines", ..) if !is_one => ("n", "1 for lines"),
        ("dom", ..) if !is_one => ("n", "1 for dom, where levels says how many tags make a feature"),
        ("dom", "entropy", _) => (
            "weights",
            "another rule: entropy is of words in a row, elements form a tree",
        ),
        ("dom", ..) if !by_depth && parts.given.contains_key("decay") => {
            ("decay", "it with weights sum or nearest only")
        }
        (kind, ..) if by_depth && kind != "dom" => (
            "weights",
            "it with features = 'dom' only: it goes by the depth of elements",
        ),
        ("tokens", _, TokenHash::Given) => (
            "features",
            "a function where the hash is given: it gives pairs (hash, weight)",
        ),
        (_, weigh, TokenHash::Given) if weigh != "given" => (
            "weights",
            "'given' where the hash is given: features are pairs (hash, weight)",
        ),
        (_, "given", _) if !takes_given => (
            "weights",
            "given by a function of features or by tokens only, with n = 1",
        ),
        _ => return Ok(()),
    };
    Err(parts.refuse(part, allowed))
}

/// The names of the steps; `usual` alone where none are given for a text.
fn steps(parts: &Parts<'_>, kind: &str) -> Result<Vec<&'static str>> {
    let names = Step::ALL.map(|row| row.0);
    match parts.value("normalise") {
        Some(Json::Array(steps)) => steps
            .iter()
            .map(|step| parts.known("normalise", step, &names))
            .collect(),
        Some(_) => Err(parts.refuse("normalise", "a list of steps, such as ['usual']")),
        None if NO_TEXTS.iter().any(|row| row.0 == kind) => Ok(Vec::new()),
        None => Ok(vec!["usual"]),
    }
}

fn words(parts: &Parts<'_>) -> Result<WordOptions> {
    let mut words = WordOptions::default();
    match parts.value("stop") {
        Some(Json::String(name)) => words.set_stop_words_named(name).map_err(|error| parts.named(error))?,
        Some(list) => {
            let list = list
                .as_array()
                .map(|list| list.iter().map(|word| word.as_str().map(str::to_owned)));
            let list = list.and_then(Iterator::collect::<Option<Vec<String>>>);
            let list = list.ok_or_else(|| parts.refuse("stop", "a list of words, each a text"))?;
            if list.iter().any(|word| !word.is_empty()) {
                words.set_stop_words(list);
            }
        }
        None => {}
    }
    words.set_fours(parts.choice("unspaced")? == Some("fours"));
    words.set_mode(Mode::parse(parts.choice("mode")?.unwrap_or_default())?);
    words.set_hmm(parts.switch("hmm")?.unwrap_or(true));
    if let Some(Value::Tags(tags)) = parts.read("pos")? {
        words.set_tags(tags);
    }
    if let Some(Value::Text(path)) = parts.read("dict")? {
        words.load_dictionary(&path)?;
    }
    words.check().map_err(|error| parts.named(error))?;
    Ok(words)
}

/// The table of weights, and the weight of all features that it does not have.
fn table(parts: &Parts<'_>, bits: u64) -> Result<(Map<String, Json>, Json)> {
    let most = 1_u64 << (32 - bits);
    let rows = parts
        .value("weights")
        .and_then(Json::as_object)
        .cloned()
        .unwrap_or_default();
    let other = parts.value("other").cloned().unwrap_or_else(|| 0.0.into());
    for (word, weight) in rows
        .iter()
        .map(|(word, weight)| (word.as_str(), weight))
        .chain([("other", &other)])
    {
        if !weight
            .as_f64()
            .is_some_and(|weight| (0.0..most as f64).contains(&weight))
        {
            let shown = weight.as_str().map_or_else(|| weight.to_string(), str::to_owned);
            let allowed = msg!("a finite number from 0 to below {most}, which fraction_bits = {bits} sets");
            return Err(parts.refuse_as(msg!("the weight of '{word}'"), &shown, allowed));
        }
    }
    Ok((rows, other))
}

/// The elements of a page. The hash is the scheme's own; FNV here lets paths continue from their parents' hashes.
fn elements(parts: &Parts<'_>, weigh: &str) -> Result<html::Options> {
    let decay = match parts.read("decay")? {
        Some(Value::Share(decay)) => decay,
        _ => html::DECAY,
    };
    let name = if BY_DEPTH.contains(&weigh) { weigh } else { "once" };
    Ok(html::Options {
        levels: parts.whole("levels")?.unwrap_or_default() as usize,
        classes: parts.switch("classes")?.unwrap_or_default(),
        weight: html::Weight::parse(name, decay)?,
        hash: html::Hash::Fnv1,
    })
}

/// The pattern of the tokens that stay.
fn filter(parts: &Parts<'_>, names: &Names<'_>) -> Result<Option<Pattern>> {
    let Some(text) = parts.text("pattern", "a regular expression of Rust's regex crate, as a text")? else {
        return Ok(None);
    };
    let none = match (names.kind, names.hash) {
        ("dom", _) => Some("none: features = 'dom' takes elements; leave some out by `stop`"),
        (_, TokenHash::Given) => Some("none: where the hash is given a feature has no text"),
        _ => None,
    };
    if let Some(none) = none {
        return Err(parts.refuse("pattern", none));
    }
    Pattern::new(text)
        .map(Some)
        .map_err(|wrong| parts.named(Error::Config(wrong)))
}

/// The least sum of whole weights that gives a 1.
fn least(parts: &Parts<'_>, weights: Weights) -> Result<i64> {
    let allowed = "'> 0', '>= 0', or '> T' with a number T, such as '> 2.5' or '> 1e5'";
    let text = parts.text("sign", allowed)?.unwrap_or("> 0");
    let above = text.trim().strip_prefix('>');
    let number = above.map(|rest| rest.strip_prefix('=').unwrap_or(rest).trim());
    let is_equal_enough = above.is_some_and(|rest| rest.starts_with('='));
    let bound = number
        .and_then(|number| number.parse().ok())
        .filter(|bound: &f64| bound.is_finite());
    let bound = bound.filter(|bound| !is_equal_enough || *bound == 0.0);
    let bound = bound.ok_or_else(|| parts.refuse("sign", allowed))?;
    if weights == Weights::Decayed && bound != 0.0 {
        let allowed = "'> 0' or '>= 0': weights by depth are scaled where a page has many elements";
        return Err(parts.refuse("sign", allowed));
    }
    if is_equal_enough {
        return Ok(0);
    }
    least_above(bound, weights).ok_or_else(|| {
        let bits = weights.fraction_bits();
        parts.named(Error::Config(msg!(
            "sign > {bound} is not allowed; T is between -2^{most} and 2^{most} where weights have {bits} \
             fraction bits: give one nearer to zero",
            bound = format!("{bound:e}"),
            most = 62 - bits
        )))
    })
}
