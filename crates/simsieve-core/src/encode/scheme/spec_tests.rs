//! Specs are read, written, sent as JSON and opened; wrong ones say what is allowed.

use proptest::prelude::*;
use serde_json::json;

use super::family::Family;
use super::options::{self, OptionRow};
use super::value::OptionKind;
use super::{DEFAULT, OpenScheme, Scheme, SchemeSpec, TABLE};
use crate::encode::input::pattern::Pattern;

#[test]
fn every_scheme_of_the_table_can_be_made() {
    for row in TABLE {
        assert_eq!(OpenScheme::parse(row.name).unwrap().spec(), row.name);
        assert!(!row.options().is_empty());
    }
    assert!(TABLE.iter().any(|row| row.name == DEFAULT));
}

#[test]
fn spellings_of_one_scheme_have_one_digest() {
    let digest = |spec| Scheme::parse(spec).unwrap().digest();
    assert_eq!(digest("chars64:n=3,weights=log"), digest("chars64:weights=log,n=3"));
    assert_eq!(digest("chars64"), digest("chars64:units=6,punctuation=drop"));
    let different = [
        "chars64",
        "chars128",
        "chars64:n=6",
        "chars64:units=5",
        "chars64:weights=tf",
        "chars64:punctuation=keep",
        "chars64:fold=t2s",
        "chars64:fold=tw2sp",
        "chars64:fold=numerals",
        "chars64:fold=t2s+numerals",
        "chars64:fold=marks",
        "chars64:fold=t2s+marks",
        "words64:fold=t2s",
        "words64:fold=tw2sp",
        "keywords64:fold=t2s",
        "lines_tfidf64:fold=t2s",
    ];
    let mut digests: Vec<_> = different.map(digest).into();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), different.len());
}

#[test]
fn specs_have_one_canonical_spelling() {
    for (given, spec) in [
        ("external64:format=hex", "external64"),
        ("external", "external64"),
        ("external:format=int", "external64:format=int"),
        ("external100:format=bits", "external100:format=bits"),
        ("dom64:levels=1,classes=drop,weight=sum,decay=0.45,hash=fnv1", "dom64"),
        ("dom64:extract=none", "dom64"),
        (
            "dom128:hash=xxh3,levels=2,decay=.8,classes=keep,weight=nearest",
            "dom128:levels=2,classes=keep,weight=nearest,decay=0.8,hash=xxh3",
        ),
        ("words64:extract=main,n=2", "words64:n=2,extract=main"),
        (
            "chars128:n=3,weights=log,extract=text",
            "chars128:n=3,weights=log,extract=text",
        ),
        ("chars64:,n=+3,", "chars64:n=3"),
        (
            "esimhash64:place=word,cap=90.0%,tf=share",
            "esimhash64:tf=share,place=word",
        ),
        ("words64:pos=v+n:1,weights=tf", "words64:weights=tf,pos=n+v"),
        (
            "chars64:fold=t2s,model=00000000000000000000000000000000,weights=idf",
            "chars64:weights=idf,model=00000000000000000000000000000000,fold=t2s",
        ),
        (
            "keywords64:model=00000000000000000000000000000000,fold=t2s",
            "keywords64:fold=t2s,model=00000000000000000000000000000000",
        ),
    ] {
        let parsed = SchemeSpec::parse(given).unwrap();
        assert_eq!(parsed.to_string(), spec);
        assert_eq!(SchemeSpec::parse(spec).unwrap(), parsed);
        assert_eq!(OpenScheme::parse(given).unwrap().spec(), spec);
    }
}

/// A spec that names files is read where they are not; opening it names the file.
#[test]
fn a_spec_is_read_without_its_files() {
    for key in ["stop", "dict", "model"] {
        let weights = if key == "model" { "weights=idf," } else { "" };
        let text = format!("words64:{weights}{key}=no/such.file");
        let spec = SchemeSpec::parse(&text).unwrap();
        assert_eq!(
            (spec.to_string(), &SchemeSpec::from_json(&spec.to_json()).unwrap()),
            (text, &spec)
        );
        let message = OpenScheme::open(&spec).unwrap_err().to_string();
        assert!(message.starts_with("no/such.file: does not exist; "), "{message}");
    }
    let message = OpenScheme::parse("words64:pos=zz").unwrap_err().to_string();
    assert!(
        message.starts_with("scheme \"words64:pos=zz\": pos=zz: no word has the tag"),
        "{message}"
    );
}

#[test]
fn a_scheme_without_its_model_is_open_and_not_ready() {
    let open = OpenScheme::parse("words64:weights=idf").unwrap();
    assert!(open.model().is_none() && open.canonical().ends_with("model none\n"));
    let message = Scheme::parse("words64:weights=idf").unwrap_err().to_string();
    assert!(message.contains("needs its model of document frequencies"), "{message}");
    let message = OpenScheme::parse("keywords64:model=0123456789abcdef0123456789abcdef")
        .unwrap()
        .ready()
        .unwrap_err();
    assert!(
        message.to_string().contains("needs its model 0123456789abcdef"),
        "{message}"
    );
}

#[test]
fn the_json_form_is_pinned_and_others_are_refused() {
    let spec = SchemeSpec::parse("dom64:decay=0.8,levels=2,hash=xxh3").unwrap();
    let form = json!({
        "simsieve_scheme": 1,
        "family": "dom",
        "width": 64,
        "options": { "levels": 2, "decay": 0.8, "hash": "xxh3" },
    });
    assert_eq!(spec.to_json(), form);
    for (key, value, part) in [
        ("simsieve_scheme", json!(2), "is no scheme of version 1"),
        ("family", json!("shingles"), "is no scheme of version 1"),
        ("width", json!(257), "is no scheme of version 1"),
        ("options", json!([]), "is no scheme of version 1"),
        ("options", json!({ "levels": 1001 }), "levels is a whole number from 0"),
        ("options", json!({ "levels": null }), "is no scheme of version 1"),
        ("options", json!({ "n": 3 }), "its options are levels=1"),
    ] {
        let mut wrong = form.clone();
        wrong[key] = value;
        let message = SchemeSpec::from_json(&wrong).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

/// Values that a row takes.
fn values(row: &OptionRow) -> BoxedStrategy<String> {
    match row.kind {
        OptionKind::Whole(least, most) => (least..=most).prop_map(|number| number.to_string()).boxed(),
        OptionKind::Share => (0.0..1.0_f64).prop_map(|share| (1.0 - share).to_string()).boxed(),
        OptionKind::Number => (-1e9..1e9_f64).prop_map(|number| number.to_string()).boxed(),
        OptionKind::Choice(all) => proptest::sample::select(all).prop_map(str::to_owned).boxed(),
        OptionKind::Ceiling => prop_oneof![
            Just("none".to_owned()),
            (0.001..4095.0_f64).prop_map(|weight| weight.to_string()),
            (0.001..100.0_f64).prop_map(|percent| format!("{percent}%")),
            (0.001..100.0_f64).prop_map(|percent| format!("p{percent}")),
        ]
        .boxed(),
        OptionKind::Tags => "[a-z]{1,3}[*]?(:[1-9][.][0-9]{1,3})?([+]x[a-z]{4})?".boxed(),
        OptionKind::File | OptionKind::StopWords | OptionKind::Model => "[^,]{1,12}".boxed(),
        OptionKind::Pattern => "(\\PC|[%,@:=.*+?(){}|\n]){1,12}"
            .prop_map(|text| Pattern::new(&text).map_or_else(|_| "a%2Cb".to_owned(), |pattern| pattern.to_string()))
            .boxed(),
    }
}

/// A spec of any family with any of its options; some go together with none.
fn any_spec() -> impl Strategy<Value = String> {
    let families: Vec<Family> = Family::ALL.iter().map(|row| row.0).collect();
    (proptest::sample::select(families), 1_u32..=256).prop_flat_map(|(family, width)| {
        let width = family.width().unwrap_or(width);
        let option = |(_, row): (usize, &'static OptionRow)| {
            proptest::option::weighted(0.3, values(row))
                .prop_map(|value| value.map(|value| format!("{}={value}", row.key)))
        };
        let options: Vec<_> = options::of_family(family).map(option).collect();
        options
            .prop_map(|options| options)
            .prop_shuffle()
            .prop_map(move |options| {
                let options: Vec<String> = options.into_iter().flatten().collect();
                format!("{}{width}:{}", family.name(), options.join(","))
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn texts_and_json_read_back(text in any_spec()) {
        if let Ok(spec) = SchemeSpec::parse(&text) {
            let written = spec.to_string();
            prop_assert_eq!(&SchemeSpec::parse(&written).unwrap(), &spec);
            prop_assert_eq!(SchemeSpec::parse(&written).unwrap().to_string(), written);
            let json = spec.to_json().to_string();
            prop_assert_eq!(SchemeSpec::from_json(&serde_json::from_str(&json).unwrap()).unwrap(), spec);
        }
    }
}

/// Every row of the table has a spec that is read, in each of its families.
#[test]
fn every_row_has_a_spec() {
    for row in &options::OPTIONS {
        let value = match row.kind {
            OptionKind::Whole(..) => "2",
            OptionKind::Share => "0.5",
            OptionKind::Number => "-2.5",
            OptionKind::Choice(all) => all[1],
            OptionKind::Ceiling => "p80",
            OptionKind::Tags => "n+v",
            OptionKind::File => "no/such.file",
            OptionKind::StopWords => "zh",
            OptionKind::Model => "0123456789abcdef0123456789abcdef",
            OptionKind::Pattern => "a{1%2C3}|%40",
        };
        for family in row.families {
            let width = family.width().unwrap_or(64);
            let rule = match (row.key, family) {
                ("model", Family::Chars | Family::Words) => "weights=idf,",
                _ => "",
            };
            let text = format!("{}{width}:{rule}{}={value}", family.name(), row.key);
            assert_eq!(SchemeSpec::parse(&text).unwrap().to_string(), text);
        }
    }
}
