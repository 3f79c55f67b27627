//! Labels of records as a column with one type.

use crate::collection::Collection;
use crate::collection::labels::text_of;

/// What all labels of a collection are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelKind {
    /// JSON strings; the column holds their text.
    Text,
    /// Whole numbers of 64 bits with a sign; the column holds their digits.
    Int,
    /// Anything else, or several types; the column holds JSON.
    Json,
    /// No record has one.
    None,
}

impl LabelKind {
    /// The kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Int => "int",
            Self::Json => "json",
            Self::None => "none",
        }
    }

    /// The kind of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Text, Self::Int, Self::Json, Self::None]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// Labels as UTF-8, one after another.
#[derive(Debug)]
pub struct LabelColumn {
    /// Where each label begins among the bytes, and where the last one ends.
    pub offsets: Vec<i64>,
    /// The labels.
    pub bytes: Vec<u8>,
    /// Which records have one.
    pub valid: Vec<bool>,
}

/// Gives labels of one kind by the positions of their records; without a position there is none.
///
/// Complexity: linear in the bytes.
pub fn label_column(
    collection: &Collection,
    kind: LabelKind,
    positions: impl ExactSizeIterator<Item = Option<usize>>,
) -> LabelColumn {
    let mut column = LabelColumn {
        offsets: Vec::with_capacity(positions.len() + 1),
        bytes: Vec::new(),
        valid: Vec::with_capacity(positions.len()),
    };
    column.offsets.push(0);
    for position in positions {
        let label = position.and_then(|position| collection.label(position));
        match label.map(|raw| (raw, text_of(raw))) {
            Some((_, Some(text))) if kind == LabelKind::Text => column.bytes.extend_from_slice(text.as_bytes()),
            Some((raw, _)) => column.bytes.extend_from_slice(raw),
            None => {}
        }
        column.valid.push(label.is_some());
        column.offsets.push(column.bytes.len() as i64);
    }
    column
}

/// The kind of the labels of all records, old ones too.
///
/// Complexity: linear in the bytes; each label is parsed.
pub fn label_kind(collection: &Collection) -> LabelKind {
    kind_of((0..collection.len()).filter_map(|at| collection.label(at)))
}

/// The kind that all labels have.
fn kind_of<'a>(labels: impl Iterator<Item = &'a [u8]>) -> LabelKind {
    let mut found = None;
    for raw in labels {
        // The first byte decides which parser is tried: a refusal by the other one would allocate its message.
        let kind = match raw.first() {
            Some(b'"') if text_of(raw).is_some() => LabelKind::Text,
            Some(b'-' | b'0'..=b'9') if serde_json::from_slice::<i64>(raw).is_ok() => LabelKind::Int,
            _ => return LabelKind::Json,
        };
        if *found.get_or_insert(kind) != kind {
            return LabelKind::Json;
        }
    }
    found.unwrap_or(LabelKind::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_one_type_have_its_kind() {
        let kind = |labels: &[&str]| kind_of(labels.iter().map(|label| label.as_bytes()));
        assert_eq!(kind(&["1", "-7", "9223372036854775807"]), LabelKind::Int);
        assert_eq!(kind(&[r#""a""#, r#""\u00e9\n""#]), LabelKind::Text);
        assert_eq!(kind(&[r#""a""#, "1"]), LabelKind::Json);
        assert_eq!(kind(&["9223372036854775808"]), LabelKind::Json);
        assert_eq!(kind(&["1.5"]), LabelKind::Json);
        assert_eq!(kind(&[r#""\ud800""#]), LabelKind::Json);
        assert_eq!(kind(&[]), LabelKind::None);
        assert_eq!(text_of(br#""a\"b""#).as_deref(), Some("a\"b"));
    }
}
