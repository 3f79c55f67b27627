//! Packed values of records, as BSON again.

use bson::raw::{RawArrayBuf, RawBsonRef, RawDocumentBuf};

use super::documents::{unpacked, value_of};
use crate::base::error::{Error, Result};
use crate::source::format::record::Fields;
use crate::source::sources::collection::Sources;

/// Bytes of records that are read at a time.
const BATCH_BYTES: u64 = 4 << 20;

/// A value that was packed: see [`super::documents::BsonForm::Packed`].
#[derive(Debug, Clone)]
pub struct PackedValue(RawDocumentBuf);

impl PackedValue {
    /// The value.
    pub fn get(&self) -> RawBsonRef<'_> {
        value_of(&self.0)
    }
}

/// The values that records have packed in a field. The positions ascend.
///
/// # Errors
/// [`Error::Config`] where a record has none; as [`Sources::fetch`].
pub fn packed_values(sources: &Sources, positions: &[usize], field: &str) -> Result<Vec<PackedValue>> {
    let fields = Fields {
        text: vec![field.to_owned()],
        id: String::new(),
        ..Fields::default()
    };
    let key = serde_json::Value::from(field).to_string();
    let mut values = Vec::with_capacity(positions.len());
    sources.fetch(positions, BATCH_BYTES, &mut Vec::new(), |position, bytes| {
        let value = match last_text(bytes, key.as_bytes()) {
            Some(text) => unpacked(text),
            None => match sources.parse(position, bytes, &fields) {
                Ok(record) => unpacked(record.text.as_bytes()),
                Err(failure) => Err(failure.message),
            },
        };
        values.push(PackedValue(value.map_err(Error::Config)?));
        Ok(())
    })?;
    Ok(values)
}

/// Values as one array.
pub fn array_of(values: &[PackedValue]) -> Vec<u8> {
    let mut array = RawArrayBuf::new();
    for value in values {
        array.push(value.get());
    }
    array.as_bytes().to_vec()
}

/// The text of the last field of an object, if that is the field of a key. A quote inside a text has a backslash before it, so
/// the quote that follows a colon begins a text.
fn last_text<'b>(object: &'b [u8], key: &[u8]) -> Option<&'b [u8]> {
    let rest = object.strip_suffix(b"\"}")?;
    let start = memchr::memrchr(b'"', rest)?;
    rest[..start].strip_suffix(b":")?.strip_suffix(key)?;
    Some(&rest[start + 1..])
}

#[cfg(test)]
mod tests {
    use super::last_text;

    #[test]
    fn the_last_text_is_that_of_the_key() {
        let key = br#""$id""#;
        for (object, text) in [
            (&br#"{"text":"a","$id":"QQ=="}"#[..], Some(&b"QQ=="[..])),
            (br#"{"$id":"QQ=="}"#, Some(b"QQ==")),
            (br#"{"$id":""}"#, Some(b"")),
            (br#"{"$id":"QQ==","text":"a"}"#, None),
            (br#"{"text":"\"$id\":\"QQ=="}"#, None),
            (br#"{"text":"\\\"$id\\\":\\\"QQ=="}"#, None),
            (br#"{"my$id":"QQ=="}"#, None),
            (br#"{"$id":7}"#, None),
            (br#"{"$id":"QQ="#, None),
            (b"", None),
        ] {
            assert_eq!(last_text(object, key), text, "{}", String::from_utf8_lossy(object));
        }
    }
}
