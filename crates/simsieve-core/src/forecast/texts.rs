//! The mean length of texts.

use crate::base::error::Result;
use crate::base::hash::mix;
use crate::encode::scheme::Scheme;
use crate::source::{Fields, Sources};

/// Texts that are read at most, and bytes of them about.
const MOST: u64 = 1000;
const MOST_BYTES: u64 = 4 << 20;
/// Keeps the draw apart from other uses of the hash.
const DRAWN: u64 = 0x7E47_5D2A_91C3_0B66;

/// The mean length of some texts in bytes, at least 1; 0 where none can be read. They are all of few, and others drawn by a hash of
/// their position.
///
/// # Errors
/// A source cannot be read.
pub fn mean_bytes(sources: &Sources, text_field: &[String], scheme: &Scheme) -> Result<u64> {
    let fields = Fields::of_text(text_field, scheme.takes());
    let count = sources.len() as u64;
    let (mut texts, mut bytes, mut buffer) = (0_u64, 0_u64, Vec::new());
    for at in 0..MOST.min(count) {
        if bytes >= MOST_BYTES {
            break;
        }
        let drawn = if count <= MOST { at } else { mix(DRAWN ^ at) % count };
        let record = sources.read_record(drawn as usize, &mut buffer)?;
        if let Ok(record) = sources.parse(drawn as usize, record, &fields) {
            bytes += record.text.len() as u64;
            texts += 1;
        }
    }
    Ok(bytes.checked_div(texts).map_or(0, |mean| mean.max(1)))
}
