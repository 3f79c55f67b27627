//! Schemes on pages: their elements, and the text that is extracted of them.

use crate::base::context::Context;
use crate::base::hash::xxh3_128;
use crate::base::kernel::Kernel;
use crate::encode::encoder::{features_of, transform};
use crate::encode::input::html_text::Extract;
use crate::encode::scheme::{Scheme, Scratch};
use crate::encode::similarity::similarity;
use crate::encode::tokenize::Tokenizer;
use crate::text::html::{self, dom_features, dom_fold};

const PAGE: &str = "<html><body class='b a'><div><p>one<p>two</div><ul><li>x<li>y</ul>";
const SPECS: [&str; 6] = [
    "dom64",
    "dom128:levels=2,classes=keep,weight=nearest,decay=0.8,hash=xxh3",
    "dom64:weight=once,hash=xxh3",
    "dom256:levels=0,decay=0.125",
    "dom128:decay=1",
    "dom128:weight=nearest",
];

const ARTICLE: &str = "<title>t</title><nav><a href=/>All about the harbour</a></nav><div><h1>The ferry</h1><p>It leaves at \
                    seven, and whoever is late must walk around the bay.</div><footer>2020</footer>";

#[test]
fn a_scheme_has_the_bits_and_the_digest_of_its_options() {
    for spec in SPECS {
        let scheme = Scheme::parse(spec).unwrap();
        let Tokenizer::Elements(rule) = scheme.pipeline.tokenizer else {
            panic!("{spec}")
        };
        let canonical = rule.canonical(scheme.width());
        assert_eq!(scheme.digest(), format!("{:032x}", xxh3_128(canonical.as_bytes())));
        let mut room = html::PageScratch::default();
        let mut scratch = Scratch::default();
        let mut words = vec![0; scheme.words()];
        for page in [PAGE, "", "words alone", "<p>"] {
            let features = dom_features(page, &rule, &mut room).unwrap();
            scheme.extract(page, &mut scratch).unwrap();
            let valid = scheme.fingerprint(Kernel::active(), &mut scratch, &mut words);
            assert_eq!(
                valid.then(|| words.clone()),
                dom_fold(features, scheme.width()).unwrap(),
                "{spec} {page}"
            );
        }
    }
}

#[test]
fn a_page_is_like_itself_and_an_empty_one_like_nothing() {
    for spec in SPECS {
        let scheme = Scheme::parse(spec).unwrap();
        assert_eq!(
            similarity(&scheme, PAGE, &PAGE.replace("one", "other")).unwrap(),
            Some(1.0),
            "{spec}"
        );
        assert_eq!(similarity(&scheme, PAGE, "no element").unwrap(), None);
        let less = similarity(&scheme, PAGE, "<html><table><tr><td>x</table>")
            .unwrap()
            .unwrap();
        assert!(less > 0.0 && less < 1.0, "{spec}: {less}");
    }
}

#[test]
fn a_page_beyond_bounds_is_refused() {
    let fonts: Vec<String> = (0..200).map(|size| format!("<font size={size}>")).collect();
    let page = format!("<p>{}{}", fonts.concat(), "<p>x".repeat(1000));
    for spec in ["dom64", "chars64:extract=main", "words64:extract=text"] {
        let scheme = Scheme::parse(spec).unwrap();
        let refusal = scheme.extract(&page, &mut Scratch::default()).unwrap_err();
        assert!(refusal.message().to_string().contains("misnested"), "{refusal:?}");
    }
}

#[test]
fn features_are_those_of_the_extracted_text() {
    let mut room = html::PageScratch::default();
    for spec in [
        "chars128",
        "chars64:n=3,weights=log",
        "words128",
        "keywords64",
        "simhash64",
    ] {
        for (_, extract) in Extract::ALL {
            let mut text = String::new();
            extract.run(ARTICLE, &mut room, &mut text).unwrap();
            let colon = if spec.contains(':') { "," } else { ":" };
            let scheme = Scheme::parse(&format!("{spec}{colon}extract={}", extract.name())).unwrap();
            let plain = Scheme::parse(spec).unwrap();
            assert_eq!(
                features_of(&scheme, ARTICLE).unwrap(),
                features_of(&plain, &text).unwrap()
            );
            let of = |scheme: &Scheme, text: &str| transform(scheme, &[text], 0, &Context::silent(1)).unwrap();
            assert_eq!(of(&scheme, ARTICLE), of(&plain, &text), "{spec}");
            assert_ne!(of(&scheme, ARTICLE), of(&plain, ARTICLE));
            let (mut a, mut b) = (Scratch::default(), Scratch::default());
            scheme.normalise(ARTICLE, &mut a).unwrap();
            plain.normalise(&text, &mut b).unwrap();
            assert_eq!(a.text.normalised(), b.text.normalised());
            scheme.extract(ARTICLE, &mut a).unwrap();
            assert!(!scheme.sums(Kernel::active(), &mut a).is_empty());
        }
    }
}

#[test]
fn the_digest_covers_what_is_extracted() {
    let digest = |spec| Scheme::parse(spec).unwrap().digest();
    let digests = [
        "chars64",
        "chars64:extract=text",
        "chars64:extract=main",
        "words64",
        "words64:extract=main",
    ];
    let mut found = digests.map(digest).to_vec();
    found.sort();
    found.dedup();
    assert_eq!(found.len(), digests.len());
    assert_eq!(digest("chars64:extract=none"), digest("chars64"));
}
