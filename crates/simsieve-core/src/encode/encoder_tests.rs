//! The tests of `encoder.rs`.

use crate::base::hash::mix;
use crate::encode::fingerprint::{fold, plain_sums};

use super::*;

#[test]
fn the_composed_path_gives_the_fused_paths_bits() {
    let text = "The composed path, 组合的路径, gives the fused path's bits; the the the.";
    for spec in [
        "chars64",
        "chars128:weights=log",
        "chars256:n=3,weights=tf",
        "words128:weights=log",
        "words256",
        "simhash64",
        "keywords64:top=5",
        "lines_tfidf64",
        "esimhash_baseline64:weights=once",
    ] {
        let scheme = Scheme::parse(spec).unwrap();
        let features: Vec<(u64, u32)> = features_of(&scheme, text)
            .unwrap()
            .iter()
            .map(|f| (f.hash, f.weight))
            .collect();
        let (values, valid) = transform(&scheme, &[text, ""], 0, &Context::silent(1)).unwrap();
        assert_eq!(
            Some(values[..scheme.words()].to_vec()),
            fold(&features, scheme.width()).unwrap()
        );
        assert_eq!(fold(&[(7, 0)], scheme.width()).unwrap(), None);
        assert_eq!(valid, [true, false]);
        let mut scratch = Scratch::default();
        scheme.extract(text, &mut scratch).unwrap();
        assert_eq!(
            scheme.sums(Kernel::active(), &mut scratch),
            plain_sums(features, scheme.width())
        );
    }
}

#[test]
fn a_batch_has_a_row_for_each_text_and_zeros_for_a_failed_one() {
    let scheme = Scheme::parse("chars128").unwrap();
    let with_search = SearchOptions {
        sketches: true,
        bits: 2,
        ..SearchOptions::default()
    };
    let texts = ["one text of some words", "", "another text of other words"];
    let (values, valid) = transform(&scheme, &texts, 0, &Context::silent(1)).unwrap();
    for kernel in Kernel::available() {
        let encoder = Encoder::new(&scheme, with_search, kernel);
        let mut scratch = WorkerScratch::default();
        let mut batch = encoder.batch(3).unwrap();
        for text in texts {
            encoder.encode(text, &mut scratch, &mut batch).unwrap();
        }
        assert_eq!((&batch.fingerprints, &batch.valid), (&values, &valid));
        assert_eq!((batch.digests.len(), batch.sketches.len()), (3, 3 * SKETCH_WORDS));
        assert!(batch.sizes[0] > 0 && batch.sizes[1] == 0);
        let mut others = encoder.batch(2).unwrap();
        encoder.encode(texts[0], &mut scratch, &mut others).unwrap();
        encoder.encode(texts[0], &mut scratch, &mut others).unwrap();
        encoder.encode_failed(1, &mut others);
        assert_eq!(
            (others.valid.as_slice(), &others.fingerprints[2..]),
            (&[true, false][..], &[0, 0][..])
        );
        assert_eq!((others.digests[1], others.sizes[1]), (0, 0));
        assert_eq!(others.bits, [batch.bits[0], batch.bits[1], 0, 0]);
        assert_eq!(others.sketches[SKETCH_WORDS..], [0; SKETCH_WORDS]);
        batch.append(&others);
        assert_eq!(
            (batch.valid.len(), batch.fingerprints.len(), batch.sizes.len()),
            (5, 10, 5)
        );
    }
}

#[test]
fn fingerprints_beside_sketches_are_those_alone() {
    let word = |text: u64, at: u64| format!("{:x}", mix(text << 9 | at) % 500);
    let texts = (0..300_u64).map(|text| (0..text).map(|at| word(text, at)).collect::<Vec<_>>().join(" "));
    let texts: Vec<String> = texts.collect();
    let specs = [
        "chars128",
        "chars200:weights=log",
        "chars1",
        "words64",
        "esimhash_baseline128",
        "chars64:weights=tf",
        "gemantic64",
    ];
    for scheme in specs.map(|spec| Scheme::parse(spec).unwrap()) {
        let (values, valid) = transform(&scheme, &texts, 0, &Context::silent(1)).unwrap();
        let options = SearchOptions {
            sketches: true,
            ..SearchOptions::default()
        };
        let encoder = Encoder::new(&scheme, options, Kernel::active());
        let (mut scratch, mut batch) = (WorkerScratch::default(), encoder.batch(texts.len()).unwrap());
        for text in &texts {
            encoder.encode(text, &mut scratch, &mut batch).unwrap();
        }
        assert_eq!(
            (&batch.fingerprints, &batch.valid),
            (&values, &valid),
            "{}",
            scheme.spec()
        );
    }
}

#[test]
fn a_text_that_is_refused_leaves_the_batch_as_it_was() {
    let scheme = Scheme::parse("external16").unwrap();
    let encoder = Encoder::new(&scheme, SearchOptions::default(), Kernel::active());
    let (mut scratch, mut batch) = (WorkerScratch::default(), encoder.batch(0).unwrap());
    encoder.encode("00ff", &mut scratch, &mut batch).unwrap();
    let before = batch.clone();
    let refusal = encoder.encode("words", &mut scratch, &mut batch).unwrap_err();
    assert!(
        refusal.message().to_string().contains("no fingerprint of 16 bits"),
        "{}",
        refusal.message()
    );
    assert_eq!((&batch, &before.fingerprints[..]), (&before, &[255][..]));
}
