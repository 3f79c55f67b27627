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
#[path = "sniff_tests.rs"]
mod tests;
