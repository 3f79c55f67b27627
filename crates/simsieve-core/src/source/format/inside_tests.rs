//! The tests of `inside.rs`.

use proptest::prelude::*;

use super::*;
use crate::source::format::jsonl::parse_json;
use crate::source::format::record::Fields;

fn inside(json: &str, path: &str) -> String {
    let mut texts = Vec::new();
    match texts_inside(json, Some(path), "a", &mut texts) {
        Ok(()) => texts.join("|"),
        Err(Unreached::Nothing(place)) => format!("nothing at {place}"),
        Err(Unreached::Empty(place)) => format!("{place} is empty"),
        Err(Unreached::Value(place, raw)) => format!("{place} is {raw}"),
        Err(Unreached::Json(error)) => format!("{error}"),
    }
}

#[test]
fn paths_reach_texts_or_say_what_is_there() {
    for (json, path, expected) in [
        (r#"["x","y\n"]"#, "*", "x|y\n"),
        (r#"["x","y"]"#, "1", "y"),
        (r#"["x","y"]"#, "2", "nothing at a.2"),
        (r#"[{"b":"x"},{"b":"y"}]"#, "*.b", "x|y"),
        (r#"[{"b":[{"c":"x"},{"c":"y"}]},{"b":[{"c":"z"}]}]"#, "*.b.*.c", "x|y|z"),
        (r#"[{"b":[["x"],["y","z"]]}]"#, "*.b.*.*", "x|y|z"),
        (r#"[{"b.c":"x","b":{"c":"y"}}]"#, "*.b.c", "x"),
        (r#"[{"b":1,"b":"x"}]"#, "*.b", "x"),
        ("[]", "*", "a is empty"),
        (r#"[{"b":[]}]"#, "*.b.*", "a.0.b is empty"),
        (r#"["x",null]"#, "*", "a.1 is null"),
        (r#"[{"b":"x"},{"c":"y"}]"#, "*.b", "nothing at a.1.b"),
        (r#"[{"b":"x"}]"#, "b", r#"a is [{"b":"x"}]"#),
        (r#"{"b":"x"}"#, "*", r#"a is {"b":"x"}"#),
        (r#"{"*":"x"}"#, "*", "x"),
        ("7", "*", "a is 7"),
        (r#"["x"]"#, "*.b", r#"a.0 is "x""#),
    ] {
        assert_eq!(inside(json, path), expected, "{json} {path}");
    }
}

/// What a path reaches, on parsed values; `None` where something in its way is no text.
fn reached(value: &serde_json::Value, path: &str) -> Option<Vec<String>> {
    let (first, rest) = path
        .split_once('.')
        .map_or((path, None), |(first, rest)| (first, Some(rest)));
    let onward = |value: &serde_json::Value| match rest {
        Some(rest) => reached(value, rest),
        None => Some(vec![value.as_str()?.to_owned()]),
    };
    match value {
        serde_json::Value::Array(items) if first == "*" => {
            let each: Option<Vec<_>> = items.iter().map(onward).collect();
            each.filter(|each| !each.is_empty()).map(|each| each.concat())
        }
        serde_json::Value::Array(items) => onward(items.get(first.parse::<usize>().ok()?)?),
        serde_json::Value::Object(entries) => match entries.get(path) {
            Some(whole) => Some(vec![whole.as_str()?.to_owned()]),
            None => onward(entries.get(first)?),
        },
        _ => None,
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        3 => "[a-c\\n]{0,3}".prop_map(serde_json::Value::from),
        1 => Just(serde_json::Value::Null),
        1 => Just(serde_json::Value::from(7)),
    ];
    leaf.prop_recursive(4, 32, 3, |inner| {
        let key = prop::sample::select(vec!["a", "b", "*", "0", "a.b", "*.a", "a.*"]);
        let entries = prop::collection::vec((key, inner.clone()), 0..3);
        prop_oneof![
            2 => prop::collection::vec(inner, 0..3).prop_map(serde_json::Value::from),
            2 => entries.prop_map(|entries| entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    /// A path reaches the texts that a walk over parsed values finds, joined, and fails where there is another value.
    #[test]
    fn as_values_have_it(value in json(), path in "a(\\.[ab*0]){1,4}") {
        let tree = serde_json::json!({"a": value});
        let fields = Fields { text: vec![path.clone()], ..Fields::default() };
        let record = parse_json(&tree.to_string(), &fields, "line").map(|record| record.text.into_owned());
        prop_assert_eq!(record.ok(), reached(&tree, &path).map(|texts| texts.join("\n")));
    }
}
