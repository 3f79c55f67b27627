//! Which sign separates the fields of a table.

use super::Format;
use super::quotes::Dialect;
use super::spec::{Quoting, SourceSpec};

/// The signs that are looked for, in this order.
const SIGNS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How many rows are compared with the header.
const ROWS: usize = 10;

/// How a table that begins with `head` is written; `None` if it is no table. Quotes are around fields unless they are said
/// to be none.
///
/// A first line such as `sep=;` names the sign, as spreadsheets write it.
/// One that is given is taken. In `.tsv` it is the tab. Elsewhere it is the first of comma, semicolon, tab and `|` that
/// cuts the header into several fields, and at least half of the next ten rows into as many. If there is none, it is
/// the comma.
pub(in crate::source) fn dialect_of(format: Format, spec: &SourceSpec, head: &[u8]) -> Option<Dialect> {
    let named = match head {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign, b'\n', ..]
        | [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign, b'\r', b'\n', ..]
            if sign.is_ascii_punctuation() && *sign != b'"' || matches!(sign, b'\t' | b' ') =>
        {
            Some(*sign)
        }
        _ => None,
    };
    let delimiter = match format {
        Format::Jsonl | Format::Json | Format::Text => return None,
        Format::Tsv => spec.delimiter.or(named).unwrap_or(b'\t'),
        Format::Csv => spec.delimiter.or(named).unwrap_or_else(|| sniffed(head)),
    };
    Some(Dialect {
        delimiter,
        quoted: spec.quoting != Quoting::None,
        named: named.is_some(),
    })
}

fn sniffed(head: &[u8]) -> u8 {
    // In other encodings a byte of a character may look like a bar.
    let header = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let signs = if std::str::from_utf8(header).is_ok() {
        &SIGNS[..]
    } else {
        &SIGNS[..3]
    };
    let fits = |sign: &&u8| {
        let counts = field_counts(head, **sign);
        match counts.split_first() {
            Some((&columns, rows)) => {
                columns > 1 && 2 * rows.iter().filter(|&&row| row == columns).count() >= rows.len()
            }
            None => false,
        }
    };
    signs.iter().find(fits).copied().unwrap_or(b',')
}

/// The place in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Begin,
    Plain,
    Quoted,
    /// After a quote that closes the field, unless another follows.
    Closed,
}

/// How many fields the first rows have, empty lines left out. A row without an end counts only where there is no other.
fn field_counts(head: &[u8], delimiter: u8) -> Vec<usize> {
    let mut counts = Vec::new();
    let (mut at, mut fields, mut start) = (At::Begin, 1, 0);
    for (place, &byte) in head.iter().enumerate() {
        at = match (at, byte) {
            (At::Quoted, b'"') => At::Closed,
            (At::Begin | At::Closed, b'"') | (At::Quoted, _) => At::Quoted,
            (_, b'\n') => {
                if !matches!(&head[start..place], b"" | b"\r") {
                    counts.push(fields);
                }
                if counts.len() > ROWS {
                    return counts;
                }
                (fields, start) = (1, place + 1);
                At::Begin
            }
            _ if byte == delimiter => {
                fields += 1;
                At::Begin
            }
            _ => At::Plain,
        };
    }
    if counts.is_empty() && !head.is_empty() {
        counts.push(fields);
    }
    counts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn delimiter_of(format: Format, delimiter: Option<u8>, head: &[u8]) -> Option<u8> {
        let spec = SourceSpec {
            delimiter,
            ..SourceSpec::new("x")
        };
        dialect_of(format, &spec, head).map(|dialect| dialect.delimiter)
    }

    #[test]
    fn the_sign_is_found() {
        for (head, sign) in [
            ("", b','),
            ("text", b','),
            ("id,text\n1,a\n", b','),
            ("id;text\n1;a, b\n2;c\n", b';'),
            ("id;text", b';'),
            ("id\ttext\r\n1\ta;b\r\n", b'\t'),
            ("id|text\n1|a\n2|b", b'|'),
            // The comma precedes, and a sign in quotes is none.
            ("a,b;c\n1,2;3\n", b','),
            ("\"a,b\";c\n\"1,2\";3\n", b';'),
            ("\"a\"\"b;c\"|d\n\"x\ny\"|z\n", b'|'),
            // A first line names it.
            ("sep=|\na,b;c|d\n1,2;3|4\n", b'|'),
            ("SEP=;\r\na,b\r\n1,2\r\n", b';'),
            // A column whose name has a sign is not several.
            ("pros; cons\nnone\nno; none; not one\nnothing\n", b','),
            // Half of the rows are as many.
            ("id;text\n1;a\n2\n3;b\n4;c;d\n\n", b';'),
            ("id;text\n1;a\n2\n3\n", b','),
        ] {
            assert_eq!(delimiter_of(Format::Csv, None, head.as_bytes()), Some(sign), "{head:?}");
        }
        let gbk = b"\xb1\xea\xcc\x7c\n\xce\xc4\x7c\xb1\n";
        assert_eq!(delimiter_of(Format::Csv, None, gbk), Some(b','));
        assert_eq!(delimiter_of(Format::Csv, Some(b'|'), b"a,b\n"), Some(b'|'));
        assert_eq!(delimiter_of(Format::Tsv, None, b"a,b\n"), Some(b'\t'));
        assert_eq!(delimiter_of(Format::Jsonl, Some(b'|'), b"a,b\n"), None);
    }

    fn field() -> impl Strategy<Value = String> {
        "[a-c,;|\t\"\n ]{0,6}"
    }

    proptest! {
        /// A table that another program wrote, with any of the signs, has the rows and fields that it wrote.
        #[test]
        fn fields_are_counted_as_another_program_wrote_them(
            rows in proptest::collection::vec(proptest::collection::vec(field(), 1..5), 1..8),
            sign in proptest::sample::select(&SIGNS[..]),
            crlf in any::<bool>(),
        ) {
            let mut writer = csv::WriterBuilder::new();
            let ends = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
            let mut writer = writer.delimiter(sign).flexible(true).terminator(ends).from_writer(Vec::new());
            for row in &rows {
                writer.write_record(row).unwrap();
            }
            let written = writer.into_inner().unwrap();
            let wanted: Vec<usize> = rows.iter().map(Vec::len).collect();
            prop_assert_eq!(field_counts(&written, sign), wanted);
        }

        /// Where only one sign separates fields, it is found.
        #[test]
        fn the_only_sign_is_found(
            columns in 2_usize..5,
            rows in proptest::collection::vec(proptest::collection::vec("[a-c]{0,3}", 4), 0..12),
            sign in proptest::sample::select(&SIGNS[..]),
        ) {
            let sign_text = char::from(sign).to_string();
            let mut table = ["a", "b", "c", "d"][..columns].join(&sign_text) + "\n";
            for row in &rows {
                table += &(row[..columns].join(&sign_text) + "\n");
            }
            prop_assert_eq!(sniffed(table.as_bytes()), sign);
        }
    }
}
