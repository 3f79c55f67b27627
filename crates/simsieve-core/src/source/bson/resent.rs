//! Documents of `MongoDB` that the server sends once more, compared with what was read of them.

use std::collections::HashMap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::documents::{BsonError, BsonField, keys_of, no_document, sent, write_line};
use crate::base::error::Result;
use crate::source::sources::collection::Sources;

/// Bytes of records that are read at a time.
const BATCH_BYTES: u64 = 4 << 20;

/// For each position its document among those that the server has sent now; `None` where it sent none whose fields are as they
/// were read.
///
/// The positions ascend. Each reply is the document `cursor` of a server's answer. `names` and `fields` are those of the
/// [`crate::source::RowSpool`] that took the records. The order of the documents is of no importance.
///
/// # Errors
/// [`crate::base::error::Error::Source`] where the bytes are no documents; as [`Sources::fetch`].
pub fn unchanged<'b>(
    sources: &Sources,
    positions: &[usize],
    replies: &'b [&'b [u8]],
    names: &[String],
    fields: &[BsonField],
) -> Result<Vec<Option<&'b [u8]>>> {
    let keys = keys_of(names);
    let mut lines = Vec::new();
    // The hash of a line -> where such lines are, and their documents. The lines themselves are compared too.
    let mut again: HashMap<_, Vec<_>> = HashMap::with_capacity(positions.len());
    let mut add = |cursor: &'b [u8]| {
        for document in sent(cursor)? {
            let (start, document) = (lines.len(), document?);
            write_line(&mut lines, &keys, fields, document)?;
            let of_line = again.entry(xxh3_64(&lines[start..])).or_default();
            of_line.push((start..lines.len(), document.as_bytes()));
        }
        Ok(())
    };
    for reply in replies {
        add(reply)
            .map_err(|error: BsonError| no_document(sources.source_names().next().unwrap_or(Path::new("")), &error))?;
    }
    let mut found = Vec::with_capacity(positions.len());
    sources.fetch(positions, BATCH_BYTES, &mut Vec::new(), |_, bytes| {
        let document = again.get_mut(&xxh3_64(bytes)).and_then(|of_line| {
            let same = of_line.iter().position(|(line, _)| lines[line.clone()] == *bytes)?;
            // Documents that are equal in all that was read are given one after another.
            Some(of_line.remove(same).1)
        });
        found.push(document);
        Ok(())
    })?;
    Ok(found)
}
