//! The laws of columns: owned, viewed in bytes, mapped from a file and copied ones are the same slices.

use std::fmt::Debug;
use std::fs::{self, File};
use std::sync::Arc;

use proptest::prelude::*;
use rayon::prelude::*;

use super::column::{Bytes, Column, Element, with_room};

fn bytes_of<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        value.append_to(&mut bytes);
    }
    bytes
}

/// The same values in every form of a column; whether the form is viewed.
fn forms<T: Element>(values: &[T]) -> Vec<(&'static str, Column<T>, bool)> {
    let bytes = bytes_of(values);
    let folder = tempfile::tempdir().unwrap();
    // After 64 other bytes, as in an artifact; and after 65, where only bytes are aligned.
    let file = |offset: usize| {
        // Each in a file of its own: a mapped one must not be written to.
        let path = folder.path().join(offset.to_string());
        fs::write(&path, [&vec![7; offset][..], &bytes].concat()).unwrap();
        Arc::new(Bytes::of_file(&File::open(&path).unwrap()).unwrap())
    };
    let (aligned, misaligned) = (file(64), file(65));
    let read = Arc::new(Bytes::from(misaligned.to_vec()));
    let little = cfg!(target_endian = "little");
    let wide = size_of::<T>() > 1 && !values.is_empty();
    let mut copied = Column::view(&aligned, 64..64 + bytes.len()).unwrap();
    copied.to_mut();
    let forms = vec![
        ("owned", Column::from(values.to_vec()), false),
        ("mapped", Column::view(&aligned, 64..64 + bytes.len()).unwrap(), little),
        (
            "misaligned",
            Column::view(&misaligned, 65..65 + bytes.len()).unwrap(),
            little && !wide,
        ),
        ("as on a big-endian machine", Column::copy(&bytes).unwrap(), false),
        ("to_mut", copied, false),
    ];
    // In memory, aligned or not.
    let viewed = Column::<T>::view(&read, 65..65 + bytes.len()).unwrap();
    assert_eq!(*viewed, *values);
    forms
}

fn laws<T: Element + PartialOrd>(values: &[T])
where
    Column<T>: Debug,
{
    let forms = forms(values);
    for (name, column, is_viewed) in &forms {
        let form = format!("{name} {}", T::NAME);
        // An empty view may be owned: it has no bytes that could be viewed.
        assert!(column.is_viewed() == *is_viewed || values.is_empty(), "{form}");
        assert_eq!(**column, *values, "{form}");
        assert_eq!((column.len(), column.is_empty()), (values.len(), values.is_empty()));
        assert_eq!((column.first(), column.last()), (values.first(), values.last()));
        for cut in [0, values.len() / 2, values.len()] {
            assert_eq!((&column[..cut], &column[cut..]), (&values[..cut], &values[cut..]));
        }
        assert!(column.into_iter().eq(values), "{form}");
        assert_eq!(column.par_iter().copied().collect::<Vec<T>>(), values, "{form}");
        let clone = column.clone();
        assert_eq!(*clone, *values, "{form}");
        for (_, other, _) in &forms {
            assert_eq!(column, other, "{form}");
        }
        let mut changed = column.clone();
        changed.to_mut().extend_from_slice(values);
        assert_eq!(*changed, [values, values].concat(), "{form}");
        assert_eq!(*clone, *values, "a changed copy changes nothing else");
        assert_eq!(changed == *column, values.is_empty());
        assert_eq!(bytes_of(column), bytes_of(values), "{form}");
    }
}

proptest! {
    #[test]
    fn columns_of_every_form_are_the_same_slice(
        bytes in any::<Vec<u8>>(),
        bools in any::<Vec<bool>>(),
        words in any::<Vec<u32>>(),
        longs in any::<Vec<u64>>(),
        hashes in any::<Vec<u128>>(),
        numbers in proptest::collection::vec(proptest::num::f64::NORMAL, 0..40),
    ) {
        laws(&bytes);
        laws(&bools);
        laws(&words);
        laws(&longs);
        laws(&hashes);
        laws(&numbers);
    }
}

#[test]
fn no_value_and_one_value_are_columns() {
    laws::<u32>(&[]);
    laws::<u128>(&[]);
    laws::<bool>(&[]);
    laws(&[u128::MAX - 1]);
    laws(&[true]);
    assert!(Column::<u64>::default().is_empty());
}

#[test]
fn values_are_little_endian() {
    assert_eq!(bytes_of(&[0x0102_0304_u32]), [4, 3, 2, 1]);
    let bytes = Arc::new(Bytes::from(vec![4, 3, 2, 1]));
    assert_eq!(*Column::<u32>::view(&bytes, 0..4).unwrap(), [0x0102_0304]);
    assert_eq!(*Column::<u32>::copy(&bytes).unwrap(), [0x0102_0304]);
}

#[test]
fn bytes_that_are_no_values_are_refused() {
    let bytes = Arc::new(Bytes::from(vec![0, 1, 2, 1, 0, 0, 0, 0, 0]));
    assert!(Column::<bool>::view(&bytes, 0..2).is_some());
    assert!(Column::<bool>::view(&bytes, 0..3).is_none());
    assert!(Column::<bool>::copy(&bytes).is_none());
    for length in 1..4 {
        assert!(Column::<u32>::view(&bytes, 0..length).is_none());
        assert!(Column::<u32>::copy(&bytes[..4 + length]).is_none());
    }
}

#[test]
fn a_long_column_shows_its_beginning() {
    let column = Column::from((0..100).collect::<Vec<u32>>());
    let shown = format!("{column:?}");
    assert!(
        shown.starts_with("Column(100 u32: [0, 1,") && shown.ends_with("15], ...)"),
        "{shown}"
    );
}

#[test]
fn room_that_cannot_be_had_is_an_error_with_its_bytes() {
    assert!(with_room::<u64>(100).unwrap().capacity() >= 100);
    let refused = with_room::<u64>(1 << 60).unwrap_err().to_string();
    assert!(refused.contains("9223372036854775808 more bytes"), "{refused}");
}
