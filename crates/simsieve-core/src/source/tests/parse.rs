//! Records, fields and failures.

use std::borrow::Cow;
use std::cmp::Ordering;

use proptest::prelude::*;

use crate::base::context::Context;
use crate::source::{FAILURE_CODES, Failure, FieldKind, Fields, Format, Record, SourceSpec, Sources, Value};

fn fields(text: &str, id: &str, values: &[&str]) -> Fields {
    Fields {
        text: vec![text.to_owned()],
        id: id.to_owned(),
        values: values.iter().map(|name| (*name).to_owned()).collect(),
        equal: Vec::new(),
        facts: Vec::new(),
        takes: FieldKind::Texts,
    }
}

/// Parses a line in a store whose only source is standard input of the given format.
fn parse_as<'a>(line: &'a [u8], fields: &Fields, format: Format) -> Result<Record<'a>, Failure> {
    let spec = SourceSpec {
        format: Some(format),
        ..SourceSpec::new("-")
    };
    let store = Sources::open_with(&[spec], 1 << 20, (&mut &b"x"[..], None), &Context::silent(1)).unwrap();
    store.parse(0, line, fields)
}

fn parse<'a>(line: &'a str, fields: &Fields) -> Result<Record<'a>, Failure> {
    parse_as(line.as_bytes(), fields, Format::Jsonl)
}

/// Code, record, and a part of the message of records that are bad.
const BAD: &str = r#"
not_json | {"text":"a" | not JSON (EOF while parsing an object at column 11): {"text":"a"
not_json | {"text":"a"} x | trailing characters at column 14
not_json | {"text":"a"}{} | nothing else
not_json | {'text':1} | fix the record
not_json | {"text":"a","b":01} | number
not_object | ["text"] | the record is a list (["text"]); each line must be a JSON object
not_object |  "text" | a string
not_object | null | null
text_not_string | {"text":null} | field "text" is null; a string is needed; fix the record or name
text_not_string | {"text":1e999} | is a number 1e999;
text_not_string | {"text":{"a":"b"}} | is an object {"a":"b"};
text_not_string | {"text":true} | is a boolean true;
no_text_field | {} | no field "text"; the record has no fields at all; fix the record or name
no_text_field | {"body":"a","id":1} | the record has the fields "body", "id";
lone_surrogate | {"text":"a\ud83d b"} | the escape \ud83d at byte 10 is half
lone_surrogate | {"text":"\ude00"} | \ude00
lone_surrogate | {"text":"\ud83d\ud83d\ude00"} | byte 9
lone_surrogate | {"text":"\\ud83d \ud83d\ude00 \udbff"} | \udbff
lone_surrogate | {"\ud83d":1,"text":"a"} | byte 2
lone_surrogate | {"text":"a","score":"\ud83d"} | byte 21
"#;

/// Every way a record can be bad has its code, and a message that says where, what, and what to do.
#[test]
fn failures() {
    let long = format!("{{\"text\":[{}]}}", "1,".repeat(200) + "1");
    let many: Vec<_> = (0..20).map(|n| format!("\"f{n}\":1")).collect();
    let many = format!("{{{}}}", many.join(","));
    let rows = BAD.trim().lines().map(|row| {
        let mut parts = row.split(" | ");
        std::array::from_fn(|_| parts.next().unwrap())
    });
    let others = [
        ["not_json", "{\"text\":\"a\u{0}\"}", "control character"],
        ["not_json", "\u{FEFF}\u{FEFF}{}", "expected value"],
        ["text_not_string", &long, "is a list [1,1,"],
        ["no_text_field", &many, "\"f7\" and 12 more"],
    ];
    for [code, line, expected] in rows.chain(others) {
        let failure = parse(line, &fields("text", "id", &["score"])).unwrap_err();
        let said = failure.to_string();
        assert_eq!(failure.code, code, "{line}: {failure}");
        assert!(said.contains(expected) && said.len() < 400, "{line}: {failure}");
        assert!(said.starts_with("standard input line 1: "), "{failure}");
        assert!(FAILURE_CODES.iter().any(|known| known.0 == code));
    }
    let bytes: [(&[u8], _, _, _); 2] = [
        (
            b"{\"text\":\"\xE4\xBD\"}",
            Format::Jsonl,
            "invalid_utf8",
            "not valid UTF-8 at byte 9 (bytes e4 bd 22 7d)",
        ),
        (
            b"ab\0c",
            Format::Text,
            "nul",
            "zero byte at byte 2; is the file UTF-16 or binary?",
        ),
    ];
    for (line, format, code, expected) in bytes {
        let failure = parse_as(line, &Fields::default(), format).unwrap_err();
        assert_eq!(failure.code, code);
        assert!(failure.to_string().contains(expected), "{failure}");
    }
}

/// Texts that later stages handle are no failures here.
#[test]
fn unusual_texts() {
    for (line, text) in [
        ("{\"text\":\"\"}", ""),
        ("{\"text\":\"...\"}", "..."),
        ("{\"text\":\"\\u0000\"}", "\0"),
        ("{\"text\":\"\\ud83d\\ude00\\n\"}", "\u{1F600}\n"),
        ("{\"text\":\"a\",\"x\":\"\\ud83d\",\"y\":1e999}", "a"),
        ("  {\"text\" : \"a\"}\t", "a"),
        ("{\"text\":1,\"text\":\"last\"}", "last"),
        ("{\"t\\u0065xt\":\"a\"}", "a"),
    ] {
        assert_eq!(parse(line, &Fields::default()).unwrap().text, text, "{line}");
    }
    let borrowed = parse("{\"text\":\"plain\"}", &Fields::default()).unwrap();
    assert!(matches!(borrowed.text, Cow::Borrowed(_)));
    assert_eq!(
        parse_as(b"{\"a\":1}", &Fields::default(), Format::Text).unwrap().text,
        "{\"a\":1}"
    );
}

/// Nesting of any depth neither overflows the stack nor hides the text.
#[test]
fn deep_nesting() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let wanted = fields("text", "deep", &["deep", "deep.er"]);
    assert_eq!(
        parse(&format!("{{\"deep\":{deep},\"text\":\"a\"}}"), &wanted)
            .unwrap()
            .text,
        "a"
    );
    assert_eq!(
        parse(&format!("{{\"text\":{deep}}}"), &wanted).unwrap_err().code,
        "text_not_string"
    );
    assert_eq!(parse(&"[".repeat(1_000_000), &wanted).unwrap_err().code, "not_json");
    assert_eq!(
        parse(&"{\"a\":".repeat(1_000_000), &wanted).unwrap_err().code,
        "not_json"
    );
}

/// A label is kept as written; an object becomes its canonical JSON; what can be no label is none.
#[test]
fn labels() {
    for (written, expected) in [
        ("\"a\\u00e9\"", true),
        ("12345678901234567890123", true),
        ("1.50", true),
        ("-0", true),
        ("true", true),
        ("null", false),
        ("[1]", false),
    ] {
        let line = format!("{{\"id\": {written} ,\"text\":\"a\"}}");
        let record = parse(&line, &fields("text", "id", &[])).unwrap();
        assert_eq!(
            record.id.as_deref(),
            expected.then_some(written.as_bytes()),
            "{written}"
        );
    }
    for (written, canonical) in [
        ("{\"$oid\" : \"65\"}", "{\"$oid\":\"65\"}"),
        (
            "{\"b\": [1.50, {\"z\":0, \"a\":null}],\n \"a\": \"\\u00e9\"}",
            "{\"a\":\"é\",\"b\":[1.50,{\"a\":null,\"z\":0}]}",
        ),
        ("{}", "{}"),
    ] {
        let line = format!("{{\"id\": {written} ,\"text\":\"a\"}}");
        let record = parse(&line, &fields("text", "id", &[])).unwrap();
        let label = serde_json::to_string(canonical).unwrap();
        assert_eq!(record.id.as_deref(), Some(label.as_bytes()), "{written}");
    }
    let deep = format!("{}1{}", "{\"a\": ".repeat(100_000), "}".repeat(100_000));
    let line = format!("{{\"id\": {deep}, \"text\": \"a\"}}");
    let record = parse(&line, &fields("text", "id", &[])).unwrap();
    let label = serde_json::to_string(&deep).unwrap();
    assert_eq!(record.id.as_deref(), Some(label.as_bytes()));
    let record = parse("{\"text\":\"a\"}", &fields("text", "text", &["text"])).unwrap();
    assert_eq!(
        record,
        Record {
            text: "a".into(),
            id: Some(b"\"a\"".into()),
            values: vec![Value::Text("a".to_owned())],
            group: 0,
            facts: Vec::new(),
        }
    );
}

/// Values keep their worth, and their order is exact.
#[test]
fn values() {
    let line = "{\"text\":\"\",\"a\":9007199254740993,\"b\":1.5,\"c\":true,\"d\":null,\"e\":\"x\\n\",\"f\":[],\
                \"g\":-170141183460469231731687303715884105728,\"h\":1e400,\"i\":1e2,\"j\":400000000000000000000000000000000000000}";
    let record = parse(
        line,
        &fields("text", "", &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]),
    )
    .unwrap();
    let expected = [
        Value::Int(9_007_199_254_740_993),
        Value::Float(1.5),
        Value::Int(1),
        Value::Missing,
        Value::Text("x\n".to_owned()),
        Value::Missing,
        Value::Int(i128::MIN),
        Value::Float(f64::INFINITY),
        Value::Float(100.0),
        Value::Float(4e38),
        Value::Missing,
    ];
    assert_eq!(record.values, expected);

    let (int, float, text) = (Value::Int, Value::Float, |text: &str| Value::Text(text.to_owned()));
    let (two_53, two_127) = (2.0_f64.powi(53), 2.0_f64.powi(127));
    for (a, b, order) in [
        (int(9_007_199_254_740_993), float(two_53), Some(Ordering::Greater)),
        (int(9_007_199_254_740_992), float(two_53), Some(Ordering::Equal)),
        (int(i128::MAX), float(two_127), Some(Ordering::Less)),
        (int(i128::MIN), float(-two_127), Some(Ordering::Equal)),
        (int(i128::MIN), float(f64::NEG_INFINITY), Some(Ordering::Greater)),
        (int(-1), float(-1.5), Some(Ordering::Greater)),
        (int(-2), float(-1.5), Some(Ordering::Less)),
        (int(0), float(-0.5), Some(Ordering::Greater)),
        (int(1), float(1.5), Some(Ordering::Less)),
        (text("a"), text("b"), Some(Ordering::Less)),
        (text("1"), int(1), None),
        (Value::Missing, Value::Missing, None),
    ] {
        assert_eq!(a.compare(&b), order, "{a:?} {b:?}");
        assert_eq!(b.compare(&a), order.map(Ordering::reverse), "{b:?} {a:?}");
    }
}

/// What the documentation of [`Fields`] says, on parsed values.
fn look_up<'v>(value: &'v serde_json::Value, name: &str) -> Option<&'v serde_json::Value> {
    let object = value.as_object()?;
    object.get(name).or_else(|| {
        let (first, rest) = name.split_once('.')?;
        look_up(object.get(first)?, rest)
    })
}

/// The label that a value makes: a string, a number and a boolean as they are, an object as its JSON in a string.
fn label_of(value: &serde_json::Value) -> Option<serde_json::Value> {
    match value {
        serde_json::Value::Null | serde_json::Value::Array(_) => None,
        serde_json::Value::Object(_) => Some(value.to_string().into()),
        other => Some(other.clone()),
    }
}

/// A label with the object that it holds as JSON, if it does, so that numbers compare as numbers.
fn parsed_object(label: serde_json::Value) -> serde_json::Value {
    let object = label.as_str().filter(|text| text.starts_with('{'));
    object.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(label)
}

fn json() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["a", "b", "a.b", "b.a", "a.b.a", "", "\\u0061", "."]);
    let leaf = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        (-1e6..1e6_f64).prop_map(|number| format!("{number:?}")),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        prop::sample::select(vec!["null", "true", "[]", "\"\\u4e2d\\ud83d\\ude00\""]).prop_map(str::to_owned),
    ];
    let value = leaf.prop_recursive(3, 24, 6, move |inner| {
        let pairs = prop::collection::vec((key.clone(), inner.clone()), 0..6);
        prop_oneof![
            3 => pairs.prop_map(|pairs| {
                let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("\"{key}\" :{value}")).collect();
                format!("{{{}}}", pairs.join(", "))
            }),
            1 => prop::collection::vec(inner, 0..3).prop_map(|items| format!("[{}]", items.join(","))),
        ]
    });
    value.prop_map(|value| format!("{{\"a\":\"first\",\"b\":{value},\"a\":{value}}}"))
}

proptest! {
    /// A record's fields are those that serde_json's own values have, whatever keys repeat or nest.
    #[test]
    fn as_serde_json(line in json(), text in "[ab.]{1,5}", id in "[ab]\\.[ab]|a") {
        let tree: serde_json::Value = serde_json::from_str(&line).unwrap();
        let wanted = fields(&text, &id, &[text.as_str(), id.as_str()]);
        let expected = look_up(&tree, &text);
        match parse(&line, &wanted) {
            Ok(record) => {
                prop_assert_eq!(Some(&*record.text), expected.and_then(serde_json::Value::as_str));
                prop_assert_eq!(&record.values[0], &Value::of_text(&record.text));
                let written = record.id.map(|id| serde_json::from_slice::<serde_json::Value>(&id).unwrap());
                prop_assert_eq!(written.map(parsed_object), look_up(&tree, &id).and_then(label_of).map(parsed_object));
            }
            Err(failure) => {
                prop_assert!(expected.and_then(serde_json::Value::as_str).is_none(), "{}", failure);
                let code = if expected.is_none() { "no_text_field" } else { "text_not_string" };
                prop_assert_eq!(failure.code, code);
            }
        }
    }

    /// No line of any bytes does worse than fail.
    #[test]
    fn any_bytes(line in prop::collection::vec(any::<u8>(), 0..60), format in prop::sample::select(vec![Format::Jsonl, Format::Text])) {
        let _ = parse_as(&line, &fields("a", "b", &["c.d"]), format);
    }
}

#[test]
fn numbers_are_texts_where_they_are_asked_for() {
    let with_numbers = Fields {
        takes: FieldKind::Numbers,
        ..Fields::default()
    };
    for (line, text) in [
        (
            &br#"{"text": 18446744073709551616, "id": 3}"#[..],
            "18446744073709551616",
        ),
        (br#"{"text": -1.5e3}"#, "-1.5e3"),
        (br#"{"text": "7"}"#, "7"),
    ] {
        let record = parse_as(line, &with_numbers, Format::Jsonl).unwrap();
        assert_eq!(record.text, text);
    }
    let failure = parse_as(br#"{"text": null}"#, &with_numbers, Format::Jsonl).unwrap_err();
    assert_eq!(failure.code, "text_not_string");
    for (takes, advice) in [
        (FieldKind::Texts, "a string is needed; fix the record"),
        (FieldKind::Digits, "give format=int for whole numbers"),
        (FieldKind::Bytes, "give format=int for whole numbers"),
    ] {
        let fields = Fields {
            takes,
            ..Fields::default()
        };
        let failure = parse_as(br#"{"text": 7}"#, &fields, Format::Jsonl).unwrap_err();
        assert_eq!(failure.code, "text_not_string");
        assert!(failure.to_string().contains(advice), "{}", failure.message);
    }
}
