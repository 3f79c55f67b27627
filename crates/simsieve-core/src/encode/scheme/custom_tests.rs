//! Custom schemes whose features are the elements of pages.

use proptest::prelude::*;

use serde_json::{Value as Json, json};

use crate::base::kernel::Kernel;
use crate::encode::scheme::{OpenScheme, Part, Scheme, Scratch};
use crate::text::html::{self, Options};

const PAGE: &str = "<html><body class='b a'><div><p>one<p>two</div><ul class=x><li>x<li>y</ul>";

fn own(parts: &Json) -> Scheme {
    let mut parts = Part::all_of(parts);
    parts.extend(Part::all_of(&json!({"features": "dom"})));
    OpenScheme::custom("elements", &parts, None).unwrap().ready().unwrap()
}

fn fingerprint(scheme: &Scheme, page: &str) -> Option<Vec<u64>> {
    let mut scratch = Scratch::default();
    scheme.extract(page, &mut scratch).unwrap();
    let mut words = vec![0; scheme.words()];
    scheme
        .fingerprint(Kernel::active(), &mut scratch, &mut words)
        .then_some(words)
}

proptest! {
    #[test]
    fn the_parts_of_a_scheme_on_structure_have_its_bits(
        tags in prop::collection::vec("</?(div|p|ul|li class=[ab]|span class='b a')>", 0..30),
        levels in 0_usize..4,
        classes: bool,
        weight in 0..3,
    ) {
        let (weight, rule) = [
            (html::Weight::Sum(0.45), json!({"weights": "sum"})),
            (html::Weight::Nearest(0.8), json!({"weights": "nearest", "decay": 0.8})),
            (html::Weight::Once, json!({"weights": "once"})),
        ][weight as usize].clone();
        for page in [tags.concat(), PAGE.to_owned()] {
            for (hash, name, width) in [("fnv1", html::Hash::Fnv1, 200), ("xxh3", html::Hash::Xxh3, 256)] {
                let options = Options { levels, classes, weight, hash: name };
                let features = html::dom_features(&page, &options, &mut html::PageScratch::default()).unwrap().to_vec();
                let mut parts = rule.clone();
                let more = json!({"levels": levels, "classes": classes, "hash": hash, "width": width});
                parts.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                let made = fingerprint(&own(&parts), &page);
                prop_assert_eq!(made, html::dom_fold(&features, width).unwrap());
            }
        }
    }
}

#[test]
fn counts_are_of_elements() {
    let scheme = own(&json!({"weights": "tf"}));
    let features = crate::encode::encoder::features_of(&scheme, PAGE).unwrap();
    let counts: Vec<(&str, u32)> = features.iter().map(|it| (it.text.as_str(), it.weight)).collect();
    assert_eq!(
        counts,
        [("html", 1), ("body", 1), ("div", 1), ("p", 2), ("ul", 1), ("li", 2)]
    );
}

#[test]
fn paths_beyond_bounds_are_refused() {
    let scheme = own(&json!({"weights": "once", "levels": 2, "classes": true}));
    let page = format!("<div class='{}'>{}", "x".repeat(1 << 20), "<p>".repeat(300));
    let refusal = scheme.extract(&page, &mut Scratch::default()).unwrap_err();
    assert!(
        refusal
            .message()
            .to_string()
            .contains("more than 256 MiB in all; give fewer levels"),
        "{refusal:?}"
    );
}
