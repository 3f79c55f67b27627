//! Lists of tokens as documents: JSON in, features out.
//!
//! A list has tokens and pairs of a token and its weight. An object has tokens as keys with their weights. Several
//! lists or objects in a row are one document, as are those of several fields.

use std::fmt::Write as _;

use serde_json::Value;

use super::functions::UserFeature;
use crate::base::message::Message;
use crate::encode::unusable_text::UnusableText;

/// How many characters of a value a message shows.
const SHOWN: usize = 40;

/// The tokens of a document, in their order; those of an object in the order of their texts.
///
/// # Errors
/// An [`UnusableText`] where it is no list of tokens.
pub(crate) fn tokens(text: &str) -> Result<Vec<UserFeature>, UnusableText> {
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match value.map_err(|error| refuse(text, msg!("no JSON ({error})")))? {
            Value::Array(items) => {
                for item in items {
                    found.push(token(item).map_err(|item| refuse(&item, msg!("no token")))?);
                }
            }
            Value::Object(weights) => {
                for (token, weight) in weights {
                    let weight = weight
                        .as_f64()
                        .ok_or_else(|| refuse(&weight.to_string(), msg!("no weight")))?;
                    found.push(UserFeature::Text(token, Some(weight)));
                }
            }
            other => return Err(refuse(&other.to_string(), msg!("no list of tokens"))),
        }
    }
    Ok(found)
}

/// A token, or a pair of a token and a weight; else the value as it is written.
fn token(item: Value) -> Result<UserFeature, String> {
    match item {
        Value::String(token) => Ok(UserFeature::Text(token, None)),
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(token), Value::Number(weight)] if weight.as_f64().is_some() => {
                Ok(UserFeature::Text(token.clone(), weight.as_f64()))
            }
            _ => Err(Value::Array(pair).to_string()),
        },
        other => Err(other.to_string()),
    }
}

fn refuse(value: &str, what: Message) -> UnusableText {
    let shown: String = value.chars().take(SHOWN).collect();
    let more = if shown.len() < value.len() { "..." } else { "" };
    UnusableText::new(msg!(
        "{shown}{more} is {what}; under features=\"tokens\" a document is a list of texts, of pairs [text, \
         weight], or an object of weights, such as {{\"a\": 2}}"
    ))
}

/// How equal documents are written alike: the bytes of their tokens and weights in hex digits, which no normaliser changes.
///
/// # Errors
/// As [`tokens`].
pub(crate) fn uniform(text: &str) -> Result<String, UnusableText> {
    let mut out = String::new();
    for given in tokens(text)? {
        if let UserFeature::Text(token, weight) = given {
            for byte in token.bytes() {
                let _ = write!(out, "{byte:02x}");
            }
            // No hex digit is this sign.
            out.push('g');
            if let Some(weight) = weight {
                let _ = write!(out, "{:016x}", weight.to_bits());
            }
            out.push('g');
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_pairs_and_objects_are_read() {
        let text = |token: &str, weight| UserFeature::Text(token.to_owned(), weight);
        for (document, expected) in [
            ("", vec![]),
            ("[]", vec![]),
            (
                "[\"a\", \"b\", \"a\"]",
                vec![text("a", None), text("b", None), text("a", None)],
            ),
            ("[[\"a\", 2], \"b\"]", vec![text("a", Some(2.0)), text("b", None)]),
            (
                "{\"b\": 0.5, \"a\": 1}",
                vec![text("a", Some(1.0)), text("b", Some(0.5))],
            ),
            ("[\"a\"]\n{\"b\": 1}", vec![text("a", None), text("b", Some(1.0))]),
        ] {
            assert_eq!(tokens(document).unwrap(), expected, "{document}");
        }
        for (document, part) in [
            ("a text", "a text is no JSON"),
            ("\"a text\"", "\"a text\" is no list of tokens"),
            ("[1]", "1 is no token"),
            ("[[\"a\"]]", "[\"a\"] is no token"),
            ("{\"a\": \"b\"}", "\"b\" is no weight"),
            ("[\"a\"", "is no JSON"),
        ] {
            let message = tokens(document).unwrap_err().message().to_owned();
            assert!(
                message.to_string().contains(part) && message.to_string().contains("features=\"tokens\""),
                "{message}"
            );
        }
    }

    proptest! {
        /// Documents are written alike where their tokens and weights are equal, and only there.
        #[test]
        fn equal_documents_alone_are_written_alike(
            a in proptest::collection::vec("[aAg1]{0,2}", 0..3),
            b in proptest::collection::vec("[aAg1]{0,2}", 0..3),
        ) {
            let written = |list: &[String], pretty: bool| {
                let text = if pretty { serde_json::to_string_pretty(list) } else { serde_json::to_string(list) };
                uniform(&text.unwrap()).unwrap()
            };
            prop_assert_eq!(written(&a, true), written(&a, false));
            prop_assert_eq!(written(&a, true) == written(&b, true), a == b);
        }
    }
}
