//! The tests of `sniff.rs`.

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
