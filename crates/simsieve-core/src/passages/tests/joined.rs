//! Joined pieces, packed letters, parts that come twice, and the bound of pairs.

use super::*;

proptest! {
    /// Joined spans are the pieces with what is between them, and bear out as much as they say.
    #[test]
    fn pieces_are_in_joined_spans((one, two) in two_texts(), gap in 1..60_u32) {
        let pieces = found(&[&one], Some(&[&two]), &options(0, 20)).spans;
        let joined = found(&[&one], Some(&[&two]), &Options { joined: gap, ..options(0, 20) }).spans;
        let (a, b) = (letters(&one), letters(&two));
        for piece in &pieces {
            let holds = |outer: (u32, u32), inner: (u32, u32)| outer.0 <= inner.0 && inner.1 <= outer.1;
            let inside = |span: &Span| holds(span.place, piece.place) && holds(span.source_place, piece.source_place);
            prop_assert!(joined.iter().any(inside), "{piece:?} {joined:?}");
        }
        for span in &joined {
            let (x, y) = (of_letters(&a, span.place), of_letters(&b, span.source_place));
            let most = plain_matches(&a[x.clone()], &b[y.clone()]) as f32 / x.len().max(y.len()) as f32;
            prop_assert!(span.score <= most + 1e-6, "{} of {most}: {x:?} {y:?}\n{one}\n{two}", span.score);
        }
    }

    /// Packed letters are those of the text.
    #[test]
    fn packed_letters_are_those_of_the_text(texts in proptest::collection::vec("(\\PC|[a-z中文 é𠮷]){0,30}", 1..5)) {
        let mut packing = packed::Packing::new(None, 7).unwrap();
        for text in &texts {
            let mut bytes = Vec::new();
            packed::pack(&letters(text), &mut bytes);
            packing.extend(bytes.clone(), &[bytes.len() as u64]).unwrap();
        }
        let packed = packing.finish().unwrap();
        for (at, text) in (7..).zip(&texts) {
            let of_it = |b: &dyn Ids| (0..b.len()).map(|at| b.id(at)).collect::<Vec<_>>();
            let unpacked = match packed.get(at).unwrap() {
                Slice::One(b) => of_it(&b),
                Slice::Two(b) => of_it(&b),
                Slice::Four(b) => of_it(&b),
            };
            prop_assert_eq!(unpacked, ids(&letters(text)));
        }
        prop_assert!(packed.get(6).is_none() && packed.get(7 + texts.len() as u32).is_none());
    }
}

#[test]
fn a_part_that_comes_twice_in_one_document_is_found_on_request() {
    let part = "港口的老灯塔每隔两年都要重新刷漆一次，守塔人说这是祖父那一辈留下来的规矩";
    let own = "夏天的午后，蝉声从槐树上落下来，整条街道都昏昏欲睡。";
    let within = Options {
        within: true,
        ..options(20, 20)
    };
    let length = part.chars().count() as u32;
    for (text, at) in [
        (format!("{part}。{own}{part}"), length + 1 + own.chars().count() as u32),
        (part.repeat(2), length),
    ] {
        assert!(found(&[&text, own], None, &options(60, 20)).spans.is_empty());
        let spans = found(&[&text, "其他"], None, &within).spans;
        let places: Vec<_> = spans
            .iter()
            .map(|span| (span.document, span.source, span.place, span.source_place))
            .collect();
        assert_eq!(places, [(0, 0, (at, at + length), (0, length))]);
    }
    // No place is held against itself, and no span overlaps its source.
    let spans = found(&[&part.repeat(40), &"a".repeat(500)], None, &within).spans;
    assert!(
        !spans.is_empty() && spans.iter().all(|span| span.source_place.1 <= span.place.0),
        "{spans:?}"
    );
}

#[test]
fn more_pairs_than_the_bound_are_refused_before_they_are_compared() {
    let texts = ["港口的老灯塔每隔两年都要重新刷漆一次，守塔人说这是祖父那一辈留下来的规矩"; 10];
    let bound = |most_pairs| Options {
        most_pairs,
        ..options(10, 20)
    };
    assert_eq!(found(&texts, None, &bound(45)).spans.len(), 45);
    let sources = Arc::new(Sources::from_texts(texts));
    let told = find(&sources, &bound(44), None, &Context::silent(1))
        .unwrap_err()
        .to_string();
    assert!(told.contains("45 pairs") && told.contains("common"), "{told}");
}
