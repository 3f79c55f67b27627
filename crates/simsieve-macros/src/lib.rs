//! The macro `msg!`, which makes a message of its template and its values.

use proc_macro::{Ident, Literal, TokenStream, TokenTree};

/// Makes a `simsieve_core::base::message::Message`: `msg!("{path}: {count} rows", count = rows.len())`.
///
/// A value of the template is a variable, as in `format!`, or an argument. `{name:?}` is a text between quotes. Settings are
/// `{@name}`, its name alone; its name between backticks; and the same after `@`, which says that it is a setting.
#[proc_macro]
pub fn msg(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter();
    let Some(TokenTree::Literal(template)) = tokens.next() else {
        panic!("the template is no literal");
    };
    let mut given = arguments(tokens);
    let mut values = TokenStream::new();
    for name in places(&template.to_string()) {
        let at = given.iter().position(|(known, _)| *known == name);
        let value = at.map_or_else(|| variable(&name, &template), |at| given.swap_remove(at).1);
        values.extend(pair(&name, value));
    }
    assert!(given.is_empty(), "the template has no place for {}", given[0].0);
    let made = "::simsieve_core::base::message::Message::new";
    let mut call: TokenStream = made.parse().expect("a path");
    let inside = TokenStream::from_iter([
        TokenStream::from(TokenTree::Literal(template)),
        ", ::std::vec!".parse().expect("tokens"),
        group("[", values, "]"),
    ]);
    call.extend(group("(", inside, ")"));
    call
}

/// The arguments `name = value` after the template.
fn arguments(tokens: impl Iterator<Item = TokenTree>) -> Vec<(String, TokenStream)> {
    let mut found: Vec<Vec<TokenTree>> = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Punct(sign) if sign.as_char() == ',' => found.push(Vec::new()),
            _ => found.last_mut().expect("a comma is after the template").push(token),
        }
    }
    let named = found.into_iter().filter(|tokens| !tokens.is_empty());
    named
        .map(|mut tokens| {
            let value = tokens.split_off(2);
            (tokens[0].to_string(), value.into_iter().collect())
        })
        .collect()
}

/// The names of the values of a template, each once.
fn places(literal: &str) -> Vec<String> {
    let plain = literal
        .replace("\\u{", "")
        .replace("{{", "")
        .replace("{@", "")
        .replace("{`", "");
    let mut names: Vec<String> = Vec::new();
    for part in plain.split('{').skip(1) {
        let name = part.split('}').next().unwrap_or_default().trim_end_matches(":?");
        assert!(
            !name.is_empty() && name.chars().all(|sign| sign == '_' || sign.is_ascii_alphanumeric()),
            "{name:?} is no name of a value"
        );
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// A variable of the place where the template is.
fn variable(name: &str, template: &Literal) -> TokenStream {
    TokenTree::Ident(Ident::new(name, template.span())).into()
}

/// A name and its value.
fn pair(name: &str, value: TokenStream) -> TokenStream {
    let name = TokenTree::Literal(Literal::string(name)).into();
    let shown = "::simsieve_core::base::message::Shown::value".parse().expect("a path");
    let reference = "&".parse().expect("a sign");
    let value = group("(", TokenStream::from_iter([reference, group("(", value, ")")]), ")");
    let inside: [TokenStream; 4] = [name, ".into(), ".parse().expect("tokens"), shown, value];
    TokenStream::from_iter([
        group("(", TokenStream::from_iter(inside), ")"),
        ",".parse().expect("a sign"),
    ])
}

/// Tokens between brackets.
fn group(open: &str, inside: TokenStream, close: &str) -> TokenStream {
    let brackets = format!("{open}{close}").parse::<TokenStream>().expect("brackets");
    let Some(TokenTree::Group(empty)) = brackets.into_iter().next() else {
        unreachable!("brackets are a group");
    };
    TokenTree::Group(proc_macro::Group::new(empty.delimiter(), inside)).into()
}
