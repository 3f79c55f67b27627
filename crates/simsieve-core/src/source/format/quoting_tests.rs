//! The tests of `quoting.rs`.

use super::*;

fn found(rows: &[&str], delimiter: u8, columns: usize) -> Quoted {
    let mut quoted = Quoted::default();
    let dialect = Dialect {
        delimiter,
        quoted: true,
        named: false,
    };
    for row in rows {
        quoted.add(row.as_bytes(), dialect, columns);
    }
    quoted
}

#[test]
fn rows_that_a_quote_swallows_are_seen() {
    let swallowed = found(
        &["1\t\"It leaves\n2\tBring it\n3\tat seven\"\n", "4\tplain\n"],
        b'\t',
        2,
    );
    assert_eq!((swallowed.fields, swallowed.lines), (1, 2));
    assert!(swallowed.are_data(false));
    assert!(!swallowed.are_data(true));
}

#[test]
fn a_numbered_list_in_a_text_stays_a_text() {
    let rows = [
        "1,\"How?\n1, mix\n2, bake\"\n",
        "2,plain\n",
        "3,\"So\n1, mix\n2, bake\"\n",
    ];
    let list = found(&rows, b',', 2);
    assert_eq!((list.failed, list.fields, list.are_data(false)), (0, 2, false));
}

#[test]
fn quotes_around_a_whole_column_stay_quotes() {
    let rows = ["1,\"a\"\n", "2,\"b\n3,\"c\"\n", "4,\"d\"\n"];
    let cut = found(&rows, b',', 2);
    assert_eq!((cut.failed, cut.lines, cut.are_data(false)), (1, 1, false));
}

#[test]
fn texts_of_several_lines_stay_texts() {
    for row in [
        "1,\"Hello\nworld, again\"\n",
        "1,\"a, b\nc\"\n",
        "a7,\"Dear Sir,\nI write, and\nso on\"\n",
    ] {
        let quoted = found(&[row], b',', 2);
        assert_eq!((quoted.lines, quoted.are_data(false)), (0, false), "{row}");
    }
}

#[test]
fn quotes_inside_a_text_are_data_where_they_fail_otherwise() {
    let rows = ["1\t\"Hello\" he said\n", "2\t\"Never\" she said\n"];
    assert!(found(&rows, b'\t', 2).are_data(false));
    assert!(!found(&rows[..1], b'\t', 2).are_data(false));
    assert!(
        !found(
            &["1,\"a, b\"\n", "2,\"c\"d\n", "3,\"e\"f\n", "4,\"g, h, i\"\n"],
            b',',
            2
        )
        .are_data(false)
    );
}
