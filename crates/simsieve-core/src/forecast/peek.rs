//! The features of a collection's texts, as some of its records show them: English texts have one for each byte, Chinese texts one
//! for three bytes.

use crate::base::context::Context;
use crate::base::error::Result;
use crate::encode::scheme::{Scheme, Scratch};
use crate::source::{Fields, Sources};

/// Records that are looked at, in equal steps over the collection.
const LOOKED_AT: usize = 512;
/// Bytes of records after which no further one is looked at.
const MOST_BYTES: usize = 16 << 20;

/// Features of a text in the mean under each scheme. They are estimated as features for each byte of a record, times the mean length
/// of all records, because that one is known. `None` where no record that was looked at has any.
///
/// Complexity: some hundred records are read and cut.
///
/// # Errors
/// [`Error::Source`](crate::base::error::Error::Source) where a source cannot be read.
pub fn peek(
    sources: &Sources,
    text_field: &[String],
    schemes: &[&Scheme],
    ctx: &Context<'_>,
) -> Result<Vec<Option<f64>>> {
    let n = sources.len();
    let looked_at = n.min(LOOKED_AT);
    let fields = |scheme: &Scheme| Fields::of_text(text_field, scheme.takes());
    let mean_record = sources.bytes_read() as f64 / n.max(1) as f64;
    let (mut buffer, mut scratch) = (Vec::new(), Scratch::default());
    let mut found = Vec::with_capacity(schemes.len());
    for scheme in schemes {
        let fields = fields(scheme);
        let (mut bytes, mut features) = (0, 0);
        for at in (0..looked_at).filter(|_| scheme.has_features()) {
            let position = (2 * at + 1) * n / (2 * looked_at);
            let record = sources.read_record(position, &mut buffer)?;
            bytes += record.len();
            if let Ok(record) = sources.parse(position, record, &fields)
                && scheme.extract(&record.text, &mut scratch).is_ok()
            {
                features += scratch.features.len();
            }
            ctx.tick("look", at as u64, looked_at as u64)?;
            if bytes > MOST_BYTES {
                break;
            }
        }
        found.push((features > 0).then(|| features as f64 / bytes.max(1) as f64 * mean_record));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::mix;

    /// Texts of words, each of its own length; every third one is Chinese.
    fn texts() -> Vec<String> {
        let text = |at: u64| {
            let words = 5 + mix(at) % 60;
            let word = |place: u64| mix(at << 8 | place);
            if at.is_multiple_of(3) {
                (0..3 * words)
                    .filter_map(|place| char::from_u32(0x4E00 + (word(place) % 5000) as u32))
                    .collect()
            } else {
                (0..words).fold(String::new(), |text, place| {
                    text + &format!("{:x} ", word(place) % 0xFFFF)
                })
            }
        };
        (0..5000).map(text).collect()
    }

    #[test]
    fn the_features_of_all_texts_are_estimated_within_a_tenth() {
        let texts = texts();
        let sources = Sources::from_texts(&texts);
        let schemes = ["chars128", "words64"].map(|name| Scheme::parse(name).unwrap());
        let found = peek(&sources, &["text".to_owned()], &schemes.each_ref(), &Context::silent(1)).unwrap();
        for (scheme, found) in schemes.iter().zip(found) {
            let mut scratch = Scratch::default();
            let features = texts.iter().map(|text| {
                scheme.extract(text, &mut scratch).unwrap();
                scratch.features.len()
            });
            let mean = features.sum::<usize>() as f64 / texts.len() as f64;
            let found = found.unwrap();
            assert!(
                (0.9..1.1).contains(&(found / mean)),
                "{}: {found}, {mean}",
                scheme.spec()
            );
        }
    }

    #[test]
    fn of_no_text_nothing_is_said() {
        let scheme = Scheme::parse("chars128").unwrap();
        for texts in [vec![], vec![String::new()]] {
            let sources = Sources::from_texts(&texts);
            let found = peek(&sources, &["text".to_owned()], &[&scheme], &Context::silent(1)).unwrap();
            assert_eq!(found, [None]);
        }
    }
}
