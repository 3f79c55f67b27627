//! Custom schemes: the parts that a user gives become the values of a pipeline.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::family::{Family, MOST};
use super::model_slot::ModelSlot;
use super::options;
use super::parts::{Part, Parts};
use super::pipeline::{Pipeline, Sign};
use super::resolve::normaliser;
use super::value::Kind;
use crate::base::error::Result;
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

/// The features that need no function.
const FEATURES: [&str; 5] = ["chars", "words", "lines", "dom", "tokens"];
/// The weights that go by the depth of a page's elements.
const BY_DEPTH: [&str; 2] = ["sum", "nearest"];
/// The weights that are no rule on counts.
const OTHER_WEIGHTS: [&str; 4] = ["entropy", "given", "sum", "nearest"];
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
/// The most characters, words or tokens in a row that make a feature.
const MOST_N: u64 = 64;
const MOST_FRACTION_BITS: u64 = 24;

/// The names that decide how the other parts are read.
struct Names<'a> {
    /// The features: one of [`FEATURES`], or `called`.
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
/// [`Error::Config`](crate::base::error::Error::Config) for a part that is not allowed, with its value and what is;
/// [`Error::Source`](crate::base::error::Error::Source) where a file cannot be read.
pub(super) fn pipeline(
    name: &str,
    given: &BTreeMap<String, Part>,
    functions: Option<&Arc<dyn Functions>>,
) -> Result<Pipeline<ModelSlot>> {
    let parts = Parts { name, given };
    parts.check_name()?;
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
    let width = parts.whole("width", 1, MOST.into())?.unwrap_or(128) as u32;
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
    let bits = parts.whole("fraction_bits", 0, MOST_FRACTION_BITS)?.unwrap_or(20);
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

/// The choices of a part that is an option of built-in schemes.
fn choices(family: Family, part: &str) -> &'static [&'static str] {
    match options::find(family, part).map(|(_, row)| row.kind) {
        Some(Kind::Choice(all)) => all,
        _ => &[],
    }
}

/// What of the text that features are taken of a scheme of these parts takes: `extract`, `cut_at` and `strip`.
pub(super) fn input<'a>(name: &'a str, given: &'a BTreeMap<String, Part>) -> Result<[Option<&'a str>; 3]> {
    let parts = Parts { name, given };
    let extract = parts.choice("extract", choices(Family::Chars, "extract"))?;
    let regex = "a regular expression as a text";
    Ok([extract, parts.text("cut_at", regex)?, parts.text("strip", regex)?])
}

/// Reads the names, and compares them with one another and with the other parts.
fn names<'a>(parts: &Parts<'a>) -> Result<Names<'a>> {
    let kind = parts.name_of("features", &FEATURES, "words")?;
    let usual = match kind {
        "dom" => "sum",
        "tokens" => "given",
        _ => "once",
    };
    let known: Vec<&str> = Weights::ALL.iter().map(|row| row.0).chain(OTHER_WEIGHTS).collect();
    let weigh = match parts.value("weights") {
        Some(Json::Object(_)) => "table",
        _ => parts.name_of("weights", &known, usual)?,
    };
    if matches!(parts.value("hash").and_then(Json::as_str), Some("hash" | "python")) {
        let allowed = "another function than Python's hash: its values differ from process to process";
        return Err(parts.refuse("hash", allowed));
    }
    let hash = parts.name_of("hash", &TokenHash::NAMED.map(|row| row.0), "xxh3")?;
    let hash = TokenHash::NAMED
        .iter()
        .find(|row| row.0 == hash)
        .map_or(TokenHash::Called, |row| row.1);
    check_kind(parts, kind)?;
    let n = parts
        .whole("n", 1, MOST_N)?
        .unwrap_or(if kind == "chars" { 3 } else { 1 });
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
        if let Some(part) = taken
            .iter()
            .find(|part| kind != taker && parts.given.contains_key(**part))
        {
            return Err(parts.refuse(part, format!("it with features = '{taker}' only")));
        }
    }
    let [extract, cut_at, strip] = input(parts.name, parts.given)?;
    let steps = parts
        .value("normalise")
        .is_some_and(|steps| steps.as_array().is_none_or(|steps| !steps.is_empty()));
    let taken = [
        ("extract", extract.is_some_and(|name| name != "none")),
        ("cut_at", cut_at.is_some()),
        ("strip", strip.is_some()),
        ("normalise", steps),
    ];
    if let Some((_, why)) = NO_TEXTS.iter().find(|row| row.0 == kind)
        && let Some((part, _)) = taken.iter().find(|row| row.1)
    {
        return Err(parts.refuse(part, format!("none: features = '{kind}' {why}")));
    }
    Ok(())
}

/// Compares features, weights and hash with one another.
fn check_together(parts: &Parts<'_>, names: &Names<'_>) -> Result<()> {
    let (kind, is_one) = (names.kind, names.n == 1);
    let (is_given, by_depth) = (names.weigh == "given", BY_DEPTH.contains(&names.weigh));
    let is_hash_given = names.hash == TokenHash::Given;
    let rules = [
        (kind == "lines" && !is_one, "n", "1 for lines"),
        (
            kind == "dom" && !is_one,
            "n",
            "1 for dom, where levels says how many tags make a feature",
        ),
        (
            kind == "dom" && names.weigh == "entropy",
            "weights",
            "another rule: entropy is of words in a row, elements form a tree",
        ),
        (
            kind == "dom" && parts.given.contains_key("decay") && !by_depth,
            "decay",
            "it with weights sum or nearest only",
        ),
        (
            kind != "dom" && by_depth,
            "weights",
            "it with features = 'dom' only: it goes by the depth of elements",
        ),
        (
            is_hash_given && (!is_given || kind == "tokens"),
            "weights",
            "'given' where the hash is given: features are pairs (hash, weight)",
        ),
        (
            is_given && (!matches!(kind, "called" | "tokens") || !is_one),
            "weights",
            "given by a function of features or by tokens only, with n = 1",
        ),
    ];
    match rules.iter().find(|rule| rule.0) {
        Some((_, part, allowed)) => Err(parts.refuse(part, allowed)),
        None => Ok(()),
    }
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
        Some(Json::Array(list)) => {
            let all: Option<Vec<String>> = list.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            let all = all.ok_or_else(|| parts.refuse("stop", "a list of words, each a text"))?;
            if all.iter().any(|word| !word.is_empty()) {
                words.set_stop_words(all);
            }
        }
        Some(_) => return Err(parts.refuse("stop", "a list of words, each a text")),
        None => {}
    }
    if let Some(name) = parts.choice("unspaced", choices(Family::Words, "unspaced"))? {
        words.set_fours(name == "fours");
    }
    if let Some(name) = parts.choice("mode", choices(Family::Words, "mode"))? {
        words.set_mode(Mode::parse(name)?);
    }
    if let Some(hmm) = parts.switch("hmm")? {
        words.set_hmm(hmm);
    }
    if let Some(pos) = parts.value("pos") {
        let tags = match pos {
            Json::String(tags) => Some(tags.clone()),
            Json::Array(tags) if !tags.is_empty() => {
                let tags: Option<Vec<&str>> = tags.iter().map(Json::as_str).collect();
                tags.map(|tags| tags.join("+"))
            }
            _ => None,
        };
        let tags = tags.ok_or_else(|| parts.refuse("pos", "parts of speech, such as 'n+v' or ['n', 'v']"))?;
        words.set_tags(Tags::parse(&tags).map_err(|error| parts.named(error))?);
    }
    let file = "the file of a dictionary";
    if let Some(path) = parts.text("dict", file)? {
        if path.is_empty() {
            return Err(parts.refuse("dict", file));
        }
        words.load_dictionary(path)?;
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
            let allowed = format!("a finite number from 0 to below {most}, which fraction_bits = {bits} sets");
            return Err(parts.refuse_as(&format!("the weight of '{word}'"), &shown, allowed));
        }
    }
    Ok((rows, other))
}

/// The elements of a page. The hash is the scheme's own; FNV here lets paths continue from their parents' hashes.
fn elements(parts: &Parts<'_>, weigh: &str) -> Result<html::Options> {
    let usual = html::Options::default();
    let (most, decay) = (options::MOST_LEVELS, parts.value("decay"));
    let share = decay.map_or(Some(html::DECAY), Json::as_f64);
    let share = share.filter(|share| *share > 0.0 && *share <= 1.0);
    let share = share.ok_or_else(|| parts.refuse("decay", "a number above 0 and at most 1"))?;
    let name = if BY_DEPTH.contains(&weigh) { weigh } else { "once" };
    Ok(html::Options {
        levels: parts
            .whole("levels", 0, most)?
            .map_or(usual.levels, |levels| levels as usize),
        classes: parts.switch("classes")?.unwrap_or(usual.classes),
        weight: html::Weight::parse(name, share)?,
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
    Pattern::new(text).map(Some).map_err(|wrong| parts.error(&wrong))
}

/// The least sum of whole weights that gives a 1.
fn least(parts: &Parts<'_>, weights: Weights) -> Result<i64> {
    let allowed = "'> 0', '>= 0', or '> T' with a number T, such as '> 2.5' or '> 1e5'";
    let text = parts.text("sign", allowed)?.unwrap_or("> 0");
    let read = || {
        let rest = text.trim().strip_prefix('>')?.trim_start_matches(' ');
        let equal = rest.strip_prefix('=');
        let number = equal.unwrap_or(rest).trim_start_matches(' ');
        let is_plain = number.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && number.ends_with(|c: char| c.is_ascii_digit())
            && !number.contains(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E'));
        let bound: f64 = number
            .parse()
            .ok()
            .filter(|bound| is_plain && (equal.is_none() || *bound == 0.0))?;
        Some((equal.is_some(), bound))
    };
    let (is_equal_enough, bound) = read().ok_or_else(|| parts.refuse("sign", allowed))?;
    if weights == Weights::Decayed && bound != 0.0 {
        let allowed = "'> 0' or '>= 0': weights by depth are scaled where a page has many elements";
        return Err(parts.refuse("sign", allowed));
    }
    if is_equal_enough {
        return Ok(0);
    }
    least_above(bound, weights).ok_or_else(|| {
        let bits = weights.fraction_bits();
        parts.error(&format!(
            "sign > {bound:e} is not allowed; T is between -2^{most} and 2^{most} where weights have {bits} fraction bits: \
             give one nearer to zero",
            most = 62 - bits
        ))
    })
}
