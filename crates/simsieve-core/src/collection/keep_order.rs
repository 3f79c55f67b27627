//! The keep order: which of two documents is preferred.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Value as Json, json};

use crate::base::error::{Error, Result};
use crate::source::Value;
use crate::storage::column::Column;

/// One rule. In a list the first rule that distinguishes two documents decides; ties go by position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// The earlier document in the sources.
    First,
    /// The later document in the sources.
    Last,
    /// The text of more characters, as the author wrote it.
    Longest,
    /// The text of fewer characters.
    Shortest,
    /// The greater value of a field: numbers before texts before missing.
    Max(String),
    /// The smaller value of a field: numbers before texts before missing.
    Min(String),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Longest => f.write_str("longest"),
            Self::Shortest => f.write_str("shortest"),
            Self::Max(field) => write!(f, "max:{field}"),
            Self::Min(field) => write!(f, "min:{field}"),
        }
    }
}

/// A keep order, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepOrder {
    rules: Vec<Rule>,
}

impl fmt::Display for KeepOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.rules.iter().map(Rule::to_string).collect();
        f.write_str(&rules.join(","))
    }
}

impl KeepOrder {
    /// Reads rules in the user's notation, one for each item.
    ///
    /// # Errors
    /// [`Error::Config`] that names the rule and lists the known ones.
    pub fn parse<S: AsRef<str>>(rules: &[S]) -> Result<Self> {
        let rules = rules
            .iter()
            .map(|rule| parse_rule(rule.as_ref()))
            .collect::<Result<Vec<_>>>()?;
        if rules.is_empty() {
            return Err(Error::Config(msg!("keep needs a rule, such as first")));
        }
        Ok(Self { rules })
    }

    /// The fields whose values the rules compare, in the order in which [`Keys`] hold them.
    pub fn fields(&self) -> Vec<String> {
        let field = |rule: &Rule| match rule {
            Rule::Max(field) | Rule::Min(field) => Some(field.clone()),
            _ => None,
        };
        self.rules.iter().filter_map(field).collect()
    }

    /// Whether the keep order is the order of positions.
    pub fn is_positional(&self) -> bool {
        self.rules.first() == Some(&Rule::First)
    }

    /// Whether the document of one position precedes that of another. Positions are distinct, so there are no ties.
    pub fn compare(&self, keys: &Keys, a: u32, b: u32) -> Ordering {
        let characters = |at: u32| keys.characters[at as usize];
        let values = |at: u32| keys.values.get(at as usize).map_or(&[][..], |values| values);
        let mut fields = values(a).iter().zip(values(b));
        for rule in &self.rules {
            let order = match rule {
                Rule::First => a.cmp(&b),
                Rule::Last => b.cmp(&a),
                Rule::Longest => characters(b).cmp(&characters(a)),
                Rule::Shortest => characters(a).cmp(&characters(b)),
                Rule::Max(_) => fields.next().map_or(Ordering::Equal, |(x, y)| by_value(x, y, true)),
                Rule::Min(_) => fields.next().map_or(Ordering::Equal, |(x, y)| by_value(x, y, false)),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        a.cmp(&b)
    }
}

/// What the rules compare of documents, by position.
#[derive(Debug, Default)]
pub struct Keys {
    /// Characters of the text as given.
    pub characters: Column<u32>,
    /// The values of [`KeepOrder::fields`]; none where there are no such fields.
    pub values: Vec<Vec<Value>>,
}

impl Keys {
    /// Adds those of the next document.
    pub(crate) fn push(&mut self, characters: u32, values: Vec<Value>, has_fields: bool) {
        self.characters.to_mut().push(characters);
        if has_fields {
            self.values.push(values);
        }
    }

    /// Adds those of the documents that follow.
    pub(crate) fn append(&mut self, other: Self) {
        self.characters.to_mut().extend(&other.characters);
        self.values.extend(other.values);
    }
}

/// The values of a document as JSON, exact.
pub(crate) fn values_to_json(values: &[Value]) -> Json {
    let value = |value: &Value| match value {
        Value::Missing => Json::Null,
        Value::Int(whole) => json!({"int": whole.to_string()}),
        Value::Date(millis) => json!({"int": millis.to_string()}),
        Value::Float(float) => json!({"float": float.to_bits()}),
        Value::Text(text) => json!(text),
    };
    values.iter().map(value).collect()
}

/// The values that [`values_to_json`] wrote.
pub(crate) fn values_from_json(json: &Json) -> Option<Vec<Value>> {
    let value = |value: &Json| match value {
        Json::Null => Some(Value::Missing),
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Object(number) => match number.get("int") {
            Some(whole) => whole.as_str()?.parse().ok().map(Value::Int),
            None => Some(Value::Float(f64::from_bits(number.get("float")?.as_u64()?))),
        },
        _ => None,
    };
    json.as_array()?.iter().map(value).collect()
}

fn by_value(x: &Value, y: &Value, greater_first: bool) -> Ordering {
    let kind = |value: &Value| match value {
        Value::Int(_) | Value::Date(_) | Value::Float(_) => 0,
        Value::Text(_) => 1,
        Value::Missing => 2,
    };
    kind(x).cmp(&kind(y)).then_with(|| {
        let order = x.compare(y).unwrap_or(Ordering::Equal);
        if greater_first { order.reverse() } else { order }
    })
}

fn parse_rule(text: &str) -> Result<Rule> {
    let rule = match text.split_once(':') {
        None => match text {
            "first" => Some(Rule::First),
            "last" => Some(Rule::Last),
            "longest" => Some(Rule::Longest),
            "shortest" => Some(Rule::Shortest),
            _ => None,
        },
        Some((_, "")) => None,
        Some(("max", field)) => Some(Rule::Max(field.to_owned())),
        Some(("min", field)) => Some(Rule::Min(field.to_owned())),
        Some(_) => None,
    };
    rule.ok_or_else(|| {
        Error::Config(msg!(
            "keep rule {text:?} is unknown; there are first, last, longest, shortest, max:FIELD, min:FIELD"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(rules: &[&str], rows: &[(u32, Vec<Value>)]) -> Vec<u32> {
        let order = KeepOrder::parse(rules).unwrap();
        let keys = Keys {
            characters: rows.iter().map(|(characters, _)| *characters).collect(),
            values: rows.iter().map(|(_, values)| values.clone()).collect(),
        };
        let mut positions: Vec<u32> = (0..rows.len() as u32).collect();
        positions.sort_by(|&a, &b| order.compare(&keys, a, b));
        positions
    }

    #[test]
    fn rules_order_documents_and_ties_go_by_position() {
        let lengths =
            |lengths: &[u32]| -> Vec<(u32, Vec<Value>)> { lengths.iter().map(|&n| (n, Vec::new())).collect() };
        assert_eq!(order(&["first"], &lengths(&[3, 1, 2])), [0, 1, 2]);
        assert_eq!(order(&["last"], &lengths(&[3, 1, 2])), [2, 1, 0]);
        assert_eq!(order(&["longest"], &lengths(&[1, 3, 3, 2])), [1, 2, 3, 0]);
        assert_eq!(order(&["shortest", "last"], &lengths(&[1, 3, 1, 2])), [2, 0, 3, 1]);
    }

    #[test]
    fn fields_compare_numbers_exactly_and_put_missing_last() {
        let rows: Vec<(u32, Vec<Value>)> = [
            Value::Missing,
            Value::Int(9_007_199_254_740_993),
            Value::Float(9_007_199_254_740_992.0),
            Value::Text("2024-05-01".into()),
            Value::Text("2023-01-01".into()),
            Value::Int(-4),
        ]
        .into_iter()
        .map(|value| (0, vec![value]))
        .collect();
        assert_eq!(order(&["max:date"], &rows), [1, 2, 5, 3, 4, 0]);
        assert_eq!(order(&["min:date"], &rows), [5, 2, 1, 4, 3, 0]);
    }

    #[test]
    fn values_come_back_from_json_exact() {
        let values = vec![
            Value::Missing,
            Value::Int(i128::MIN),
            Value::Float(f64::MIN_POSITIVE / 3.0),
            Value::Float(f64::INFINITY),
            Value::Text("a\n\"".to_owned()),
        ];
        let read: Json = serde_json::from_str(&values_to_json(&values).to_string()).unwrap();
        assert_eq!(values_from_json(&read).unwrap(), values);
    }

    #[test]
    fn unknown_rules_are_refused_by_name() {
        for rule in ["newest", "max:", "mean:x", ""] {
            let message = KeepOrder::parse(&[rule]).unwrap_err().to_string();
            assert!(
                message.contains(&format!("{rule:?}")) && message.contains("max:FIELD"),
                "{message}"
            );
        }
    }
}
