//! Documents of `MongoDB` become the records that the same values in JSON lines would be.

use bson::oid::ObjectId;
use bson::{Binary, Bson, DateTime, Document, RawDocumentBuf, Timestamp, doc, spec::BinarySubtype};
use proptest::prelude::*;

use crate::source::bson::documents::documents;
use crate::source::{
    BsonField, BsonForm, Fields, RowSpool, Sources, array_of, cursor_number, packed_values, unchanged,
};

const KEYS: [&str; 4] = ["text", "a.b", "id", "$id"];

fn fields() -> Vec<BsonField> {
    let field = |name: &str, form| BsonField {
        name: name.to_owned(),
        form,
    };
    vec![
        field("text", BsonForm::Text),
        field("a.b", BsonForm::Value),
        field("_id", BsonForm::Label),
        field("_id", BsonForm::Packed),
    ]
}

fn spool() -> RowSpool {
    let mut spool = RowSpool::new(&KEYS.map(str::to_owned), 1 << 20, None).unwrap();
    spool.begin("db.c");
    spool
}

fn bytes(document: &Document) -> Vec<u8> {
    RawDocumentBuf::try_from(document).unwrap().into_bytes()
}

fn lines(documents: &[Document]) -> Vec<String> {
    let batch: Vec<u8> = documents.iter().flat_map(bytes).collect();
    let mut rows = spool();
    rows.add_documents(&batch, &fields()).unwrap();
    let sources = rows.finish().unwrap();
    let line = |at| {
        let mut buffer = Vec::new();
        let line = sources.read_record(at, &mut buffer).unwrap();
        String::from_utf8(line.to_vec()).unwrap()
    };
    (0..sources.len()).map(line).collect()
}

/// The line of a document without the packed `_id`, which is last.
fn line(document: Document) -> String {
    let line = lines(&[document]).remove(0);
    line[..line.find(r#","$id""#).expect("there is an _id")].to_owned()
}

#[test]
fn values_by_form() {
    let id = ObjectId::from_bytes([7; 12]);
    assert_eq!(
        line(doc! { "_id": id, "text": "q\"\n今", "x": 1 }),
        r#"{"text":"q\"\n今","id":{"$oid":"070707070707070707070707"}"#
    );
    for (value, text, compared) in [
        (Bson::Int32(-5), "-5", "-5"),
        (Bson::Int64(1 << 60), "1152921504606846976", "1152921504606846976"),
        (Bson::Double(1.5), r#"{"$numberDouble":"1.5"}"#, "1.5"),
        (
            Bson::Double(f64::NAN),
            r#"{"$numberDouble":"NaN"}"#,
            r#"{"$numberDouble":"NaN"}"#,
        ),
        (Bson::Boolean(true), "true", "true"),
        (Bson::Null, "null", "null"),
        (Bson::Undefined, "null", "null"),
        (
            Bson::DateTime(DateTime::from_millis(-1)),
            r#"{"$date":{"$numberLong":"-1"}}"#,
            "-1",
        ),
        (
            Bson::ObjectId(id),
            r#"{"$oid":"070707070707070707070707"}"#,
            r#""070707070707070707070707""#,
        ),
        (
            Bson::Decimal128("1.50".parse().unwrap()),
            r#"{"$numberDecimal":"1.50"}"#,
            "1.50",
        ),
        (Bson::Array(vec!["x".into()]), r#"["x"]"#, r#"["x"]"#),
        (Bson::Document(doc! { "y": "z" }), r#"{"y":"z"}"#, r#"{"y":"z"}"#),
    ] {
        let found = line(doc! { "_id": "k", "text": value.clone(), "a": { "b": value.clone() } });
        assert_eq!(
            found,
            format!(r#"{{"text":{text},"a.b":{compared},"id":"k""#),
            "{value:?}"
        );
    }
}

#[test]
fn fields_that_are_not_there() {
    let lacks = |id: &str| {
        let why = msg!(
            "the document with _id {id} has no field {wanted}; fix the document or name the field that holds the text \
             with {@text_field}",
            wanted = "\"text\""
        );
        format!(r#"{{"failure":{}"#, serde_json::json!(["no_text_field", why]))
    };
    let lacking = format!(r#"{},"id":"k""#, lacks("\"k\""));
    assert_eq!(line(doc! { "_id": "k" }), lacking);
    assert_eq!(line(doc! { "_id": "k", "a": "no document" }), lacking);
    assert_eq!(line(doc! { "_id": "k", "a": [{ "b": 1 }] }), lacking);
    assert_eq!(lines(&[doc! { "text": "x" }]), [r#"{"text":"x"}"#]);
    assert_eq!(lines(&[doc! {}]), [format!("{}}}", lacks("none"))]);
}

fn every_id() -> Vec<Bson> {
    let binary = |subtype| Binary {
        subtype,
        bytes: vec![1; 16],
    };
    vec![
        Bson::MinKey,
        Bson::Null,
        Bson::Int32(5),
        Bson::Int64(-1),
        Bson::Double(0.5),
        Bson::Decimal128("7".parse().unwrap()),
        Bson::String(r#"{"$oid":"070707070707070707070707"}"#.to_owned()),
        Bson::Document(doc! { "b": 1_i32, "a": [1_i64, "x"] }),
        Bson::Binary(binary(BinarySubtype::Uuid)),
        Bson::Binary(binary(BinarySubtype::UserDefined(200))),
        Bson::ObjectId(ObjectId::from_bytes([7; 12])),
        Bson::Boolean(false),
        Bson::DateTime(DateTime::from_millis(i64::MAX)),
        Bson::Timestamp(Timestamp { time: 1, increment: 2 }),
        Bson::MaxKey,
    ]
}

fn stored(ids: &[Bson]) -> Sources {
    let batch: Vec<u8> = ids
        .iter()
        .flat_map(|id| bytes(&doc! { "_id": id.clone(), "text": "t" }))
        .collect();
    let mut rows = spool();
    assert_eq!(rows.add_documents(&batch, &fields()).unwrap(), ids.len());
    rows.finish().unwrap()
}

#[test]
fn every_type_of_id_comes_back() {
    let ids = every_id();
    let sources = stored(&ids);
    let positions: Vec<_> = (0..ids.len()).collect();
    let array = array_of(&packed_values(&sources, &positions, "$id").unwrap());
    let expected = doc! { "v": ids.clone() };
    let expected = bytes(&expected);
    // An array is a document whose keys are numbers, after four bytes of length, the type and the key.
    assert_eq!(array, expected[4 + 1 + 2..expected.len() - 1]);

    let mut labels: Vec<_> = positions
        .iter()
        .map(|&at| {
            let mut buffer = Vec::new();
            let bytes = sources.read_record(at, &mut buffer).unwrap();
            let record = sources.parse(at, bytes, &Fields::default()).unwrap();
            record.id.map(std::borrow::Cow::into_owned)
        })
        .collect();
    assert_eq!(
        labels.iter().filter(|label| label.is_none()).count(),
        1,
        "null alone is no label"
    );
    labels.sort();
    labels.dedup();
    // A string that is written like an object id has its label, but not its packed value.
    assert_eq!(labels.len(), ids.len() - 1);
    assert!(packed_values(&sources, &[0], "missing").is_err());
    assert!(packed_values(&sources, &[0], "text").is_err());
}

#[test]
fn text_that_is_no_utf8_fails_by_itself() {
    let mut bad = bytes(&doc! { "_id": 1, "text": "abc" });
    let at = bad.windows(3).position(|window| window == b"abc").unwrap();
    bad[at] = 0xff;
    let batch = [bad, bytes(&doc! { "_id": 2, "text": "abc" })].concat();
    let mut rows = spool();
    rows.add_documents(&batch, &fields()).unwrap();
    let sources = rows.finish().unwrap();
    let parsed = |at| {
        let mut buffer = Vec::new();
        let bytes = sources.read_record(at, &mut buffer).unwrap();
        sources
            .parse(at, bytes, &Fields::default())
            .map(|record| record.text.into_owned())
    };
    assert_eq!(parsed(0).unwrap_err().code, "invalid_utf8");
    assert_eq!(parsed(1).unwrap(), "abc");
}

#[test]
fn damaged_batches_are_refused() {
    let whole = bytes(&doc! { "_id": 1, "text": "abc" });
    for cut in 1..whole.len() {
        assert!(spool().add_documents(&whole[..cut], &fields()).is_err(), "{cut} bytes");
    }
    let mut deep = doc! {};
    for _ in 0..300 {
        deep = doc! { "d": deep };
    }
    let error = spool()
        .add_documents(&bytes(&doc! { "_id": deep }), &fields())
        .unwrap_err();
    assert!(error.to_string().contains("too deep"), "{error}");
    assert_eq!(spool().add_documents(b"", &fields()).unwrap(), 0);
    assert!(spool().add_documents(&whole, &fields()[..1]).is_err());
}

/// A page begins with the last document of the one before, unless that is gone; then nothing is left out.
#[test]
fn pages() {
    let page = |ids: &[Bson]| {
        let documents: Vec<_> = ids.iter().map(|id| doc! { "_id": id.clone(), "text": "t" }).collect();
        bytes(&doc! { "firstBatch": documents, "id": 0_i64, "ns": "db.c" })
    };
    let ids = every_id();
    let (first, second) = (page(&ids[..6]), page(&ids[5..]));
    let mut rows = spool();
    let (count, last) = rows.add_page(&first, &fields(), None, usize::MAX).unwrap();
    assert_eq!(count, 6);
    let last = last.unwrap();
    assert_eq!(
        rows.add_page(&second, &fields(), Some(last), usize::MAX).unwrap().0,
        ids.len() - 6
    );
    assert_eq!(rows.add_page(&page(&[]), &fields(), Some(last), 9).unwrap(), (0, None));
    assert_eq!(
        rows.add_page(&page(&ids[5..6]), &fields(), Some(last), 9).unwrap(),
        (0, None)
    );
    assert_eq!(rows.finish().unwrap().digest(), stored(&ids).digest());

    let mut rows = spool();
    // The document of the same number and of another type is another one.
    let five = bytes(&doc! { "_id": 5_i64 });
    assert_eq!(rows.add_page(&first, &fields(), Some(&five), 4).unwrap().0, 4);
    let five = bytes(&doc! { "_id": Bson::MinKey });
    assert_eq!(rows.add_page(&first, &fields(), Some(&five), 2).unwrap().0, 2);
    for cut in 0..first.len() {
        assert!(
            spool().add_page(&first[..cut], &fields(), None, 9).is_err(),
            "{cut} bytes"
        );
    }
    let numbers = bytes(&doc! { "firstBatch": [1, 2] });
    assert!(spool().add_page(&numbers, &fields(), None, 9).is_err());
    assert!(spool().add_page(&first, &fields()[..1], None, 9).is_err());
}

/// Documents that come again, in any order and in several batches, are found by their fields that were read.
#[test]
fn documents_that_come_again() {
    let ids = every_id();
    let sources = stored(&ids);
    let document = |id: &Bson, text: &str| bytes(&doc! { "x": "not read", "text": text, "_id": id.clone() });
    let reply = |documents: &[Vec<u8>]| {
        let batch: Vec<_> = documents
            .iter()
            .map(|one| bson::deserialize_from_slice::<bson::Document>(one).unwrap())
            .collect();
        bytes(&doc! { "firstBatch": batch, "id": 0_i64, "ns": "db.c" })
    };
    let again = |positions: &[usize], replies: &[&[u8]]| {
        let found = unchanged(&sources, positions, replies, &KEYS.map(str::to_owned), &fields());
        found.map(|found| found.into_iter().map(|one| one.map(<[u8]>::to_vec)).collect::<Vec<_>>())
    };
    let sent = reply(&ids.iter().rev().map(|id| document(id, "t")).collect::<Vec<_>>());
    let new = reply(&[document(&Bson::Int32(77), "t")]);
    let all: Vec<_> = (0..ids.len()).collect();
    let expected: Vec<_> = ids.iter().map(|id| Some(document(id, "t"))).collect();
    assert_eq!(again(&all, &[&new, &sent]).unwrap(), expected);
    assert_eq!(
        again(&[2, 5], &[&sent]).unwrap(),
        [expected[2].clone(), expected[5].clone()]
    );

    let changed = reply(&[document(&ids[2], "other"), document(&ids[3], "t")]);
    assert_eq!(
        again(&[2, 3, 4], &[&changed]).unwrap(),
        [None, expected[3].clone(), None]
    );
    assert_eq!(again(&[], &[]).unwrap(), []);
    assert!(again(&[1, 0], &[&sent]).is_err());
    assert_eq!(cursor_number(&sent).unwrap(), 0);
    assert!(cursor_number(&sent[..9]).is_err());
    let error = again(&[0], &[&sent[..9]]).unwrap_err();
    assert!(
        error.to_string().contains("the server sent what is no document"),
        "{error}"
    );
}

/// Rows have one digest and go on counting however many spools take them.
#[test]
fn spools_joined() {
    let ids: Vec<_> = (0..7).map(Bson::Int32).collect();
    let whole = stored(&ids);
    for cut in 0..=ids.len() {
        let spools = [&ids[..cut], &ids[cut..]].map(|part| {
            let mut rows = spool();
            for id in part {
                rows.add_documents(&bytes(&doc! { "_id": id.clone(), "text": "t" }), &fields())
                    .unwrap();
            }
            rows
        });
        let joined = RowSpool::joined(spools).unwrap();
        assert_eq!((joined.len(), joined.digest()), (whole.len(), whole.digest()));
        assert_eq!(joined.locate(6).to_string(), "db.c row 7");
    }
    assert_ne!(stored(&ids[..6]).digest(), whole.digest());
    assert_ne!(stored(&[&ids[1..], &ids[..1]].concat()).digest(), whole.digest());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// No bytes crash the reader, and it takes all of them or says why not.
    #[test]
    fn any_bytes(batch in prop::collection::vec(any::<u8>(), 0..200), length in 0_u32..200) {
        let mut framed = length.to_le_bytes().to_vec();
        framed.extend_from_slice(&batch);
        for bytes in [&batch, &framed] {
            prop_assert!(documents(bytes).count() <= bytes.len());
            let _ = spool().add_documents(bytes, &fields());
        }
    }
}
