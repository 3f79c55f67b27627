//! The tests of `array.rs`.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn lines(bytes: &[u8]) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    // A reader of few bytes at a time: every state is between two reads once.
    let mut input = ArrayLines::new(bytes);
    let mut part = [0; 3];
    loop {
        match input.read(&mut part) {
            Ok(0) => break,
            Ok(read) => out.extend_from_slice(&part[..read]),
            Err(error) => return Err(error.to_string()),
        }
    }
    let text = String::from_utf8(out).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    Ok(text.lines().map(str::to_owned).collect())
}

#[test]
fn items_become_lines() {
    for (list, expected) in [
        ("[]", vec![]),
        (" [ ] \n", vec![]),
        ("\u{feff}[1]", vec!["1"]),
        (
            "[1, \"a,]\\\"\" ,{\"b\":[1,\n2]}\n]",
            vec!["1", "\"a,]\\\"\"", "{\"b\":[1, 2]}"],
        ),
        ("[\"a\nb\"]", vec!["\"a\u{1}b\""]),
        ("[tru\ne,}]", vec!["tru e", "}"]),
    ] {
        assert_eq!(lines(list.as_bytes()).unwrap(), expected, "{list}");
    }
}

#[test]
fn what_is_no_list_is_refused() {
    for (list, part) in [
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("{\"text\": 1}", "for JSON lines give input_format jsonl"),
        ("x", "it begins with 'x'"),
        ("\u{1}", "its first byte is 0x01"),
        ("[1", "in the item with index 0, which begins at byte 1"),
        ("[1,{\"a\": \"b]", "in the item with index 1, which begins at byte 3"),
        ("[", "it is cut off, at byte 1, after 0 items"),
        ("[1,]", "a comma has no item"),
        ("[,1]", "a comma has no item"),
        ("[1,,2]", "a comma has no item"),
        ("[1] 2", "something follows the list, at byte 4, after 1 items"),
        ("[1]]", "something follows the list"),
    ] {
        let message = lines(list.as_bytes()).unwrap_err();
        assert!(message.contains(part), "{list}: {message}");
    }
    let mut long = ArrayLines::new(&b"[1,2,3]"[..]);
    long.max_bytes = 6;
    let message = long.read(&mut [0; 9]).unwrap_err().to_string();
    assert!(
        message.contains("of more than 6 bytes; convert it to JSON lines"),
        "{message}"
    );
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,5}|[\"\\\\\\[\\]{},\n]{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-c\"]{0,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn items_are_those_of_the_parser(items in proptest::collection::vec(value(), 0..5), pretty in any::<bool>()) {
        let list = Value::from(items.clone());
        let text = if pretty { serde_json::to_string_pretty(&list) } else { serde_json::to_string(&list) }.unwrap();
        let read: Vec<Value> = lines(text.as_bytes()).unwrap().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(read, items);
    }

    #[test]
    fn what_is_read_or_refused_is_what_the_parser_reads(text in "[\\[\\]{}\",:1a\\\\ \n]{0,12}") {
        let text = format!("[{text}");
        let parsed: Result<Vec<Value>, _> = serde_json::from_str(&text);
        let read = lines(text.as_bytes());
        let items: Option<Vec<Value>> = read.ok().and_then(|lines| lines.iter().map(|line| serde_json::from_str(line).ok()).collect());
        prop_assert_eq!(items, parsed.ok());
    }
}
