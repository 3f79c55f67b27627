//! Packed values of records, as BSON again.

use super::bson::unpacked;
use super::collection::Sources;
use super::format::record::Fields;
use crate::base::error::{Error, Result};

/// Bytes of records that are read at a time.
const BATCH_BYTES: u64 = 4 << 20;

/// The values that records have packed in a field, as one array of BSON: see [`super::BsonForm::Packed`]. The positions ascend.
///
/// # Errors
/// [`Error::Config`] where a record has none; as [`Sources::fetch`].
pub fn packed_values(sources: &Sources, positions: &[usize], field: &str) -> Result<Vec<u8>> {
    let fields = Fields {
        text: vec![field.to_owned()],
        id: String::new(),
        ..Fields::default()
    };
    let mut texts = Vec::with_capacity(positions.len());
    sources.fetch(positions, BATCH_BYTES, &mut Vec::new(), |position, bytes| {
        let record = sources.parse(position, bytes, &fields);
        texts.push(
            record
                .map_err(|failure| Error::Config(failure.message))?
                .text
                .into_owned(),
        );
        Ok(())
    })?;
    unpacked(texts.iter().map(String::as_str)).map_err(Error::Config)
}
