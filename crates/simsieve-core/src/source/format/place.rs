//! Where the characters of a record's text are in its bytes.
//!
//! In come a record that was parsed, and ascending places in its text, in bytes of UTF-8; out come the same places in the record as it is
//! written: behind escapes of JSON, doubled quotes of a table, and in the encoding of the source.

use encoding_rs::Encoding;

use super::encoding::{BOM, EncodingChoice, decode_as, utf16_of};
use super::pick::{FieldValue, Slots, walk};
use super::record::Fields;
use super::{FileKind, Format, Layout, RecordFormat};

/// Moves places in the text of a record that is no file to places in its bytes; `None` where the text is put together of several strings.
pub(in crate::source) fn in_record(layout: &Layout, bytes: &[u8], fields: &Fields, places: &mut [usize]) -> Option<()> {
    if layout.encoding.is_utf8_inside() {
        return in_line(layout, std::str::from_utf8(bytes).ok()?, fields, places);
    }
    in_line(layout, &decode_as(bytes, layout.encoding).ok()?, fields, places)?;
    in_encoded(bytes, layout.encoding.encoding, places);
    Some(())
}

/// Moves places in the text of a file to places in its bytes; `None` for a page, whose text is not as it is written.
pub(in crate::source) fn in_file(
    bytes: &[u8],
    kind: FileKind,
    choice: EncodingChoice,
    places: &mut [usize],
) -> Option<()> {
    match kind {
        FileKind::Html => return None,
        FileKind::Paper => return Some(()),
        FileKind::Text => {}
    }
    let wide = utf16_of(&bytes[..bytes.len().min(4096)], choice);
    let mark = match wide {
        Some(_) if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") => 2,
        None if bytes.starts_with(BOM) => BOM.len(),
        _ => 0,
    };
    match (wide, choice) {
        (Some(encoding), _) | (None, EncodingChoice::Named(encoding)) => in_encoded(&bytes[mark..], encoding, places),
        (None, EncodingChoice::Utf8 | EncodingChoice::Auto) => {}
    }
    for place in places {
        *place += mark;
    }
    Some(())
}

fn in_line(layout: &Layout, line: &str, fields: &Fields, places: &mut [usize]) -> Option<()> {
    let [name] = &fields.text[..] else { return None };
    let written = match layout.format {
        RecordFormat::Lines(Format::Jsonl | Format::Json) | RecordFormat::Row => {
            let json = line.strip_prefix('\u{FEFF}').unwrap_or(line);
            let mut slots = Slots::new(fields, true);
            walk(json, &mut slots, 0).ok()?;
            let FieldValue::Raw(raw) = slots.texts.first()?.found else {
                return None;
            };
            let written = raw.strip_prefix('"')?.strip_suffix('"')?;
            in_escaped(written.as_bytes(), b'\\', escape, places);
            written
        }
        RecordFormat::Lines(Format::Csv | Format::Tsv) => {
            let cell = layout.header.as_ref()?.cell(line, name)?;
            if cell.doubled {
                in_escaped(cell.raw.as_bytes(), b'"', |_| (2, 1), places);
            }
            cell.raw
        }
        RecordFormat::Lines(Format::Text) | RecordFormat::Raw | RecordFormat::File => line,
    };
    let start = written.as_ptr().addr() - line.as_ptr().addr();
    for place in places {
        *place += start;
    }
    Some(())
}

/// The number of bytes of an escape in JSON, and of the character it stands for.
fn escape(bytes: &[u8]) -> (usize, usize) {
    let unit = |from: usize| {
        let digits = bytes
            .get(from..from + 4)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())
    };
    match bytes.get(1) {
        Some(b'u') => match unit(2).and_then(char::from_u32) {
            Some(c) => (6, c.len_utf8()),
            // The first half of a pair: the text was read, so the other follows.
            None => (12, 4),
        },
        _ => (2, 1),
    }
}

/// Moves places behind escapes, which begin with `sign`.
fn in_escaped(written: &[u8], sign: u8, escape: fn(&[u8]) -> (usize, usize), places: &mut [usize]) {
    let (mut at, mut meant) = (0, 0);
    let mut places = places.iter_mut().peekable();
    while places.peek().is_some() {
        let plain = memchr::memchr(sign, &written[at..]).unwrap_or(written.len() - at);
        while let Some(place) = places.next_if(|place| **place <= meant + plain) {
            *place = *place - meant + at;
        }
        (at, meant) = (at + plain, meant + plain);
        if at == written.len() {
            return;
        }
        let (written_bytes, meant_bytes) = escape(&written[at..]);
        (at, meant) = (at + written_bytes, meant + meant_bytes);
    }
}

/// Moves places of the decoded text to places in its bytes.
fn in_encoded(bytes: &[u8], encoding: &'static Encoding, places: &mut [usize]) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut meant, mut out) = (0, [0; 32]);
    let mut places = places.iter_mut().peekable();
    for at in 0..=bytes.len() {
        while let Some(place) = places.next_if(|place| **place <= meant) {
            *place = at;
        }
        if let Some(byte) = bytes.get(at..=at) {
            meant += decoder.decode_to_utf8(byte, &mut out, false).2;
        }
    }
    // A decoder may hold the last character until it is told of the end.
    places.for_each(|place| *place = bytes.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place of a character is that of its escape, also behind pairs of surrogates and doubled quotes.
    #[test]
    fn places_behind_escapes() {
        let written = r#"a\n\u4e2d\ud83d\ude00\"b"#;
        let text: String = serde_json::from_str(&format!("\"{written}\"")).unwrap();
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        in_escaped(written.as_bytes(), b'\\', escape, &mut places);
        assert_eq!(places, [0, 1, 3, 9, 21, 23, 24]);
        let mut places = [0, 1, 2, 3];
        in_escaped(b"a\"\"b", b'"', |_| (2, 1), &mut places);
        assert_eq!(places, [0, 1, 3, 4]);
    }

    /// In any encoding the bytes between two places are the characters between them.
    #[test]
    fn places_in_encodings() {
        let text = "灯塔, abc。刷漆";
        for encoding in [
            encoding_rs::GB18030,
            encoding_rs::BIG5,
            encoding_rs::SHIFT_JIS,
            encoding_rs::EUC_KR,
        ] {
            let written: String = text.chars().filter(|c| !encoding.encode(&c.to_string()).2).collect();
            let bytes = encoding.encode(&written).0;
            let mut places: Vec<usize> = written
                .char_indices()
                .map(|(at, _)| at)
                .chain([written.len()])
                .collect();
            in_encoded(&bytes, encoding, &mut places);
            for (c, ends) in written.chars().zip(places.windows(2)) {
                assert_eq!(
                    encoding.decode(&bytes[ends[0]..ends[1]]).0,
                    c.to_string(),
                    "{}",
                    encoding.name()
                );
            }
        }
    }
}
