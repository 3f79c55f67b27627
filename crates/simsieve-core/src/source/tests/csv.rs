//! Tables against the csv crate, and by cases.

use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{file, gzip, open, open_limited, parsed, records};
use crate::base::context::Context;
use crate::source::{Fields, SourceSpec, Sources};

/// What the csv crate reads: the header, then the rows. It takes rows of any length, as the splitting here does.
fn oracle(bytes: &[u8], delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(bytes);
    let rows = reader.records().map(|row| row.unwrap());
    rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
}

fn fields(text: &str, id: &str) -> Fields {
    Fields {
        text: vec![text.to_owned()],
        id: id.to_owned(),
        ..Fields::default()
    }
}

/// Pieces whose mixtures are the hard cases; a carriage return is before a line feed only, as it does in files.
fn table() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\""),
        Just("\"\""),
        Just(","),
        Just("\n"),
        Just("\r\n"),
        Just("a"),
        Just("中"),
        Just(" "),
        Just("\"b,c\""),
        Just(",\"x\ny\"\"z\","),
        Just("\"\"\"\"")
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Rows and fields are those of the csv crate, whatever the quotes, as long as none stays open; then the rows before
    /// it are.
    #[test]
    fn rows_are_the_csv_crates(rest in table(), limit in prop_oneof![Just(crate::source::DEFAULT_MAX_RECORD_BYTES), Just(30)]) {
        let bytes = format!("a,b\n{rest}");
        let folder = TempDir::new().unwrap();
        let paths = [file(&folder, "x.csv", bytes.as_bytes()), file(&folder, "x.csv.gz", &gzip(bytes.as_bytes()))];
        let expected = oracle(bytes.as_bytes(), b',');
        for path in paths {
            let store = open_limited(&[path], limit).unwrap();
            // A header that lacks the first column has a test of its own.
            prop_assume!(store.is_empty() || store.columns().unwrap().len() == 2);
            let wanted = [fields("a", "b"), fields("b", "a")];
            for position in 0..store.len() {
                let (first, second) = (parsed(&store, position, &wanted[0]), parsed(&store, position, &wanted[1]));
                match (&first, &second) {
                    (Ok((a, _)), Ok((b, _))) => {
                        let row = expected.get(position + 1).expect("a row for each that is good");
                        prop_assert_eq!([a, b], [&row[0], &row[1]]);
                        prop_assert_eq!(row.len(), 2);
                    }
                    (Err(("ragged_row", message)), Err(_)) => {
                        prop_assert!(expected[position + 1].len() != 2, "{}", message);
                    }
                    (Err(("bad_quotes", message)), Err(_)) => {
                        // Where a quote stays open the csv crate reads one field to the end.
                        if message.contains("is not closed") {
                            prop_assert_eq!(position + 2, expected.len());
                        }
                        if position + 2 == expected.len() {
                            break;
                        }
                    }
                    (Err((code, _)), Err(_)) => prop_assert_eq!(*code, "too_long"),
                    mixed => prop_assert!(false, "{:?}", mixed),
                }
                if position + 1 == store.len() {
                    prop_assert_eq!(store.len() + 1, expected.len());
                }
            }
        }
    }

    /// What the csv crate writes comes back field by field, and the records are its bytes.
    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec((".{0,12}", "[a\",\n\t ]{0,9}"), 0..12), tabs in any::<bool>()) {
        let delimiter = if tabs { b'\t' } else { b',' };
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(["id", "text"]).unwrap();
        // Lone carriage returns end a line for the csv crate and are data here; zero bytes fail.
        let clean = |text: &String| text.replace(['\r', '\0'], "");
        for (id, text) in &rows {
            writer.write_record([&clean(id), &clean(text)]).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let store = open(if tabs { "x.tsv" } else { "x.csv" }, &bytes).unwrap();
        prop_assert_eq!(store.len(), rows.len());
        let header = format!("id{}text\n", char::from(delimiter));
        prop_assert_eq!(store.header(0).unwrap().bytes(), header.as_bytes());
        for (position, (id, text)) in rows.iter().enumerate() {
            let (seen, label) = parsed(&store, position, &fields("text", "id")).unwrap();
            prop_assert_eq!(seen, clean(text));
            let id = clean(id);
            prop_assert_eq!(label, (!id.is_empty()).then(|| serde_json::to_string(&id).unwrap()));
        }
        let whole: Vec<u8> = records(&store).concat();
        prop_assert!(bytes.len() >= whole.len());
    }
}

/// Each shape of a table gives the records and lines that it should, however packed.
#[test]
fn tables_of_every_shape() {
    // Bytes, records, the lines they begin in, blank lines.
    type Case = (&'static str, &'static [&'static str], &'static [u64], u64);
    let cases: &[Case] = &[
        ("", &[], &[], 0),
        ("text", &[], &[], 0),
        ("text\n", &[], &[], 0),
        ("\u{FEFF}text\na\n", &["a"], &[2], 0),
        ("id,text\r\n1,a\r\n2,b", &["1,a", "2,b"], &[2, 3], 0),
        ("\n\ntext\n\na\n\r\nb\n\n", &["a", "b"], &[5, 7], 5),
        ("text\n\"a\nb\nc\"\nd\n", &["\"a\nb\nc\"", "d"], &[2, 5], 0),
        ("\"te\nxt\"\na\n", &["a"], &[3], 0),
        ("text\na \"b\nc\n", &["a \"b", "c"], &[2, 3], 0),
        ("text\na\n\"b\nc\nd", &["a", "\"b", "c", "d"], &[2, 3, 4, 5], 0),
        ("t,u\n\"a\nb\",\"c\nd\n", &["\"a\nb\",\"c", "d"], &[2, 4], 0),
        ("text\na\n\"b", &["a", "\"b"], &[2, 3], 0),
        ("text\r\n\"b\r\nc\r\n", &["\"b", "c"], &[2, 3], 0),
    ];
    for (bytes, expected, lines, blank) in cases {
        for (name, packed) in [
            ("x.csv", bytes.as_bytes().to_vec()),
            ("x.csv.gz", gzip(bytes.as_bytes())),
        ] {
            let store = open(name, &packed).unwrap();
            let expected: Vec<_> = expected.iter().map(|record| record.as_bytes()).collect();
            assert_eq!(records(&store), expected, "{bytes:?}");
            let seen: Vec<_> = (0..store.len()).map(|position| store.locate(position).line).collect();
            assert_eq!((seen.as_slice(), store.blank_lines()), (*lines, *blank), "{bytes:?}");
        }
    }
}

/// A table that lacks a column that is wanted, or has it twice, is refused before the work.
#[test]
fn columns_that_are_not_there() {
    let check = |bytes: &[u8], fields: &Fields| {
        open("x.csv", bytes)
            .unwrap()
            .check_fields(fields)
            .map_err(|e| e.to_string())
    };
    let ok = fields("text", "id");
    assert_eq!(check(b"", &ok), Ok(()));
    assert_eq!(check(b"text\n", &ok), Ok(()));
    assert_eq!(check(b"\"te\"\"xt\",id\n", &fields("te\"xt", "id")), Ok(()));
    let keyed = Fields {
        values: vec!["date".to_owned()],
        ..ok.clone()
    };
    let cases: [(&[u8], &Fields, &str); 7] = [
        (
            b"a,b\n",
            &ok,
            "no column \"text\"; the header has \"a\", \"b\"; name the column that holds the text",
        ),
        (b"text,text\n", &ok, "more than one column is named \"text\""),
        (b"text,id,id\n", &ok, "more than one column is named \"id\""),
        (b"text\n", &fields("text", "url"), "no column \"url\""),
        (
            b"text\n",
            &keyed,
            "name the column to compare with the setting `keep` or date_field",
        ),
        (
            b"id;text\n1\n2;a\n3\n",
            &ok,
            "separated by semicolons: give the setting `delimiter` ';'",
        ),
        (
            b"id\ttext\n1\n",
            &ok,
            "separated by tabs: give the setting `delimiter` '\\t'",
        ),
    ];
    for (bytes, fields, part) in cases {
        let message = check(bytes, fields).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
    let many: Vec<_> = (0..100_000).map(|at| format!("c{at}")).collect();
    let table = format!("{}\n{}\n", many.join(","), "x,".repeat(99_999));
    let store = open("x.csv", table.as_bytes()).unwrap();
    assert_eq!(
        parsed(&store, 0, &fields("c7", "c99999")).unwrap(),
        ("x".to_owned(), None)
    );
}

/// A header that cannot be read is an error of the file.
#[test]
fn headers_that_are_refused() {
    for (bytes, part) in [
        (&b"te\xffxt\na\n"[..], "header is not valid UTF-8 at byte 2"),
        (b"te\0xt\na\n", "zero byte at byte 2"),
        (b"\"text\na\nb\n", "header cannot be read: the quote that opens field 1"),
        (b"\"text\"x\na\n", "follows the closing quote of field 1"),
        (b"id,text\r1,a\r2,b\r", "lines end in carriage returns alone"),
    ] {
        let message = open("x.csv", bytes).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    let folder = TempDir::new().unwrap();
    for name in ["x.csv", "x.csv.gz"] {
        let bytes = format!("{}\na\n", "x".repeat(50));
        let packed = if name == "x.csv" {
            bytes.into_bytes()
        } else {
            gzip(bytes.as_bytes())
        };
        let path: PathBuf = file(&folder, name, &packed);
        let message = open_limited(&[path], 40).unwrap_err().to_string();
        assert!(
            message.contains("a header of 50 bytes, and the limit of a record is 40"),
            "{message}"
        );
    }
}

/// A table is read with the sign that is found or given, in place and as a stream, and says which it is.
#[test]
fn other_delimiters() {
    let folder = TempDir::new().unwrap();
    let bytes = b"id;text\n1;\"a;b\nc\"\n2;d, e\n";
    for (name, packed) in [("x.csv", bytes.to_vec()), ("x.csv.gz", gzip(bytes))] {
        let path: PathBuf = file(&folder, name, &packed);
        let store = open_limited(std::slice::from_ref(&path), 1 << 20).unwrap();
        assert_eq!(store.delimiters().map(|row| row.1).collect::<Vec<_>>(), [b';']);
        let rows: Vec<_> = (0..2)
            .map(|at| parsed(&store, at, &fields("text", "id")).unwrap())
            .collect();
        let row = |text: &str, id: &str| (text.to_owned(), Some(id.to_owned()));
        assert_eq!(rows, [row("a;b\nc", "\"1\""), row("d, e", "\"2\"")]);
        let given = SourceSpec {
            delimiter: Some(b','),
            ..SourceSpec::new(&path)
        };
        let store = Sources::open(&[given], 1 << 20, &Context::silent(1)).unwrap();
        assert_eq!(store.columns().unwrap(), ["id;text"]);
    }
    let store = open("x.csv", b"a|b\n1|2|3\n1|2\n").unwrap();
    let message = store.parse(0, b"1|2|3", &fields("a", "b")).unwrap_err().message;
    assert!(message.to_string().contains("a field with a '|', a quote"), "{message}");
}
