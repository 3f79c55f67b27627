//! Decisions as documents of `MongoDB`: updates that mark documents, and rows of a collection of decisions.
//!
//! Records of a collection are named by their `_id`, of the type that it has there; all others by their labels.

use std::collections::HashMap;

use bson::raw::{CStr, CString, RawBson, RawBsonRef, RawDocumentBuf, cstr};

use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::sink::{Cell, Field};
use crate::source::{PackedValue, Sources, packed_values};

/// Columns of decisions, the keys of documents that hold them, and whether marks hold them too.
const COLUMNS: [(&str, &CStr, bool); 10] = [
    ("position", cstr!("position"), false),
    ("id", cstr!("document"), false),
    ("decision", cstr!("decision"), true),
    ("reason", cstr!("reason"), false),
    ("representative", cstr!("representative"), true),
    ("distance", cstr!("distance"), true),
    ("similarity", cstr!("similarity"), true),
    ("lost", cstr!("lost"), true),
    ("source", cstr!("source"), false),
    ("line", cstr!("line"), false),
];

/// The columns of a decision, in order.
pub type DecisionRow<'a> = [Field<'a>; 15];

/// The decisions that documents are made of.
#[derive(Clone, Copy)]
pub struct DecisionColumns<'a> {
    /// Where the records are.
    pub sources: &'a Sources,
    /// The position of the record that represents one, if any does.
    pub representative: &'a (dyn Fn(usize) -> Option<usize> + Sync),
    /// The decision at a position.
    pub row: &'a (dyn Fn(usize) -> DecisionRow<'a> + Sync),
}

/// The names under which documents have a run's decisions.
#[derive(Debug, Clone, Copy)]
pub struct DecisionNames<'a> {
    /// The run's id.
    pub run: &'a str,
    /// The field in which the new records have their `_id` packed; `None` where they are of no collection.
    pub packed_id: Option<&'a str>,
}

/// The updates that mark records in a field, each with its query by `_id`. The positions ascend.
///
/// # Errors
/// [`Error::Config`] where the records have no `_id`, or the field is no name; as [`packed_values`].
pub fn mark_updates(
    decisions: DecisionColumns<'_>,
    positions: &[usize],
    names: DecisionNames<'_>,
    field: &str,
) -> Result<Vec<Vec<u8>>> {
    let packed_id = names.packed_id.unwrap_or_default();
    let ids = packed_values(decisions.sources, positions, packed_id)?;
    let key = CString::try_from(field).map_err(|error| Error::Config(Message::of(error)))?;
    let update = |(id, mark): (PackedValue, RawDocumentBuf)| {
        let mut query = RawDocumentBuf::new();
        query.append(cstr!("_id"), id.get());
        let mut set = RawDocumentBuf::new();
        set.append(&key, RawBsonRef::Document(&mark));
        let mut change = RawDocumentBuf::new();
        change.append(cstr!("$set"), RawBsonRef::Document(&set));
        let mut update = RawDocumentBuf::new();
        update.append(cstr!("q"), RawBsonRef::Document(&query));
        update.append(cstr!("u"), RawBsonRef::Document(&change));
        update.into_bytes()
    };
    let marks = made(decisions, positions, names, false)?;
    Ok(ids.into_iter().zip(marks).map(update).collect())
}

/// The documents of decisions. The positions ascend.
///
/// # Errors
/// As [`packed_values`].
pub fn decision_documents(
    decisions: DecisionColumns<'_>,
    positions: &[usize],
    names: DecisionNames<'_>,
) -> Result<Vec<Vec<u8>>> {
    let made = made(decisions, positions, names, true)?;
    Ok(made.into_iter().map(RawDocumentBuf::into_bytes).collect())
}

fn made(
    decisions: DecisionColumns<'_>,
    positions: &[usize],
    names: DecisionNames<'_>,
    is_whole: bool,
) -> Result<Vec<RawDocumentBuf>> {
    let (new, representative) = (decisions.sources.new_len(), decisions.representative);
    let ids = match names.packed_id {
        None => HashMap::new(),
        Some(field) => {
            let mut asked: Vec<usize> = positions
                .iter()
                .filter_map(|position| representative(*position))
                .filter(|to| *to < new)
                .chain(positions.iter().copied().filter(|_| is_whole))
                .collect();
            asked.sort_unstable();
            asked.dedup();
            let values = packed_values(decisions.sources, &asked, field)?;
            asked.into_iter().zip(values).collect::<HashMap<_, PackedValue>>()
        }
    };
    let whole = |position: usize| {
        let row = (decisions.row)(position);
        let mut made = RawDocumentBuf::new();
        if is_whole {
            let mut id = RawDocumentBuf::new();
            id.append(cstr!("run"), names.run);
            id.append(cstr!("position"), integer(position as u64));
            made.append(cstr!("_id"), RawBsonRef::Document(&id));
        }
        made.append(cstr!("run"), names.run);
        for (column, key, is_mark) in COLUMNS {
            if !is_mark && !is_whole {
                continue;
            }
            let of = match column {
                "id" => Some(position),
                "representative" => representative(position),
                _ => None,
            };
            if let Some(id) = of.and_then(|of| ids.get(&of)) {
                made.append(key, id.get());
            } else {
                let cell = row.iter().find(|(name, _)| *name == column);
                made.append(key, cell.map_or(RawBson::Null, |(_, cell)| value_of(cell)));
            }
        }
        made
    };
    Ok(positions.iter().map(|position| whole(*position)).collect())
}

/// The value of a cell.
fn value_of(cell: &Cell<'_>) -> RawBson {
    match cell {
        Cell::Absent | Cell::Null => RawBson::Null,
        Cell::Json(label) => label_value(label),
        Cell::Text(text) => RawBson::String(text.to_string()),
        Cell::Whole(number) => integer(*number),
        Cell::Truth(truth) => RawBson::Boolean(*truth),
        Cell::Real(number) => RawBson::Double(*number),
    }
}

/// A whole number, as short as BSON has it.
fn integer(number: u64) -> RawBson {
    match (i32::try_from(number), i64::try_from(number)) {
        (Ok(number), _) => RawBson::Int32(number),
        (_, Ok(number)) => RawBson::Int64(number),
        _ => RawBson::String(number.to_string()),
    }
}

/// A label, which is raw JSON. What BSON has no number for is a text of its digits.
fn label_value(label: &[u8]) -> RawBson {
    match serde_json::from_slice(label) {
        Ok(serde_json::Value::String(text)) => RawBson::String(text),
        Ok(serde_json::Value::Bool(truth)) => RawBson::Boolean(truth),
        Ok(serde_json::Value::Null) => RawBson::Null,
        Ok(serde_json::Value::Number(number)) if number.is_f64() => {
            RawBson::Double(number.as_f64().unwrap_or(f64::NAN))
        }
        Ok(serde_json::Value::Number(number)) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => integer(number),
            (None, Some(number)) => i32::try_from(number).map_or(RawBson::Int64(number), RawBson::Int32),
            (None, None) => RawBson::String(number.to_string()),
        },
        _ => RawBson::String(String::from_utf8_lossy(label).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_values() {
        for (label, value) in [
            ("null", RawBson::Null),
            ("\"a\\\"b\"", RawBson::String("a\"b".to_owned())),
            ("7", RawBson::Int32(7)),
            ("-7", RawBson::Int32(-7)),
            ("-3000000000", RawBson::Int64(-3_000_000_000)),
            ("3000000000", RawBson::Int64(3_000_000_000)),
            (
                "18446744073709551615",
                RawBson::String("18446744073709551615".to_owned()),
            ),
            ("0.5", RawBson::Double(0.5)),
            ("true", RawBson::Boolean(true)),
        ] {
            assert_eq!(label_value(label.as_bytes()), value, "{label}");
        }
        assert_eq!(value_of(&Cell::json(None)), RawBson::Null);
    }
}
