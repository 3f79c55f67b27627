//! Texts of a collection that stand for all of them.

use crate::base::error::Result;
use crate::base::hash::mix;
use crate::encode::scheme::Scheme;
use crate::source::{Fields, Sources};

/// Texts that are read at most, and bytes of them about.
const MOST: u64 = 1000;
const MOST_BYTES: usize = 4 << 20;
/// Keeps the draw apart from other uses of the hash.
const DRAWN: u64 = 0x7E47_5D2A_91C3_0B66;

/// Some texts of the sources: all of few, others drawn by a hash of their position. Those that cannot be read are left out.
///
/// # Errors
/// A source cannot be read.
pub fn some_texts(sources: &Sources, text_field: &[String], scheme: &Scheme) -> Result<Vec<String>> {
    let fields = Fields::of_text(text_field, scheme.takes());
    let count = sources.len() as u64;
    let (mut texts, mut bytes, mut buffer) = (Vec::new(), 0, Vec::new());
    for at in 0..MOST.min(count) {
        if bytes >= MOST_BYTES {
            break;
        }
        let drawn = if count <= MOST { at } else { mix(DRAWN ^ at) % count };
        let position = drawn as usize;
        let record = sources.read_record(position, &mut buffer)?;
        if let Ok(record) = sources.parse(position, record, &fields) {
            bytes += record.text.len();
            texts.push(record.text.into_owned());
        }
    }
    Ok(texts)
}

/// The mean length of texts in bytes, at least 1; 0 where there are none.
pub fn mean_bytes(texts: &[String]) -> u64 {
    let bytes: usize = texts.iter().map(String::len).sum();
    (bytes as u64)
        .checked_div(texts.len() as u64)
        .map_or(0, |mean| mean.max(1))
}
