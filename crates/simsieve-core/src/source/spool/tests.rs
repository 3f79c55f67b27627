//! The laws of spools: what was pushed and not taken back is read again from any place, and damage is found.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt};

use proptest::prelude::*;

use super::write::private_file;
use super::{Spool, Spooled};
use crate::source::spool::block::BLOCK_BYTES;

/// Bytes that compress about as texts do.
fn bytes_of(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut made = Vec::with_capacity(length + 16);
    while made.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        made.extend_from_slice(format!("word{} ", state >> 58).as_bytes());
    }
    made.truncate(length);
    made
}

fn all(copy: &Spooled, length: usize) -> Vec<u8> {
    let mut read = vec![0; length];
    copy.read_exact_at(&mut read, 0).unwrap();
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_was_pushed_and_not_taken_back_is_read_again(
        steps in prop::collection::vec((0..2_usize << 20, any::<u64>(), prop::option::weighted(0.3, 0.0..1.0_f64)), 1..6),
        places in prop::collection::vec((0.0..1.0_f64, 0..3 * BLOCK_BYTES), 1..40),
    ) {
        let mut spool = Spool::new(None).unwrap();
        let mut expected = Vec::new();
        for (length, seed, back) in steps {
            let piece = bytes_of(length, seed);
            spool.push(&piece).unwrap();
            expected.extend_from_slice(&piece);
            if let Some(back) = back {
                let end = (expected.len() as f64 * back) as usize;
                spool.rewind(end as u64).unwrap();
                expected.truncate(end);
            }
        }
        let read = |read: &dyn Fn(&mut [u8], u64) -> io::Result<()>| {
            for &(place, length) in &places {
                let start = (expected.len() as f64 * place) as usize;
                let end = (start + length).min(expected.len());
                let mut buffer = vec![0; end - start];
                read(&mut buffer, start as u64).unwrap();
                assert!(buffer == expected[start..end], "{start}..{end}");
            }
            let mut beyond = [0; 2];
            let error = read(&mut beyond, (expected.len() as u64).saturating_sub(1)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        };
        read(&|buffer, start| spool.read_exact_at(buffer, start));
        let copy = spool.finish().unwrap();
        read(&|buffer, start| copy.read_exact_at(buffer, start));
        prop_assert!(all(&copy, expected.len()) == expected);
    }
}

#[test]
fn texts_take_less_room_and_only_the_owner_may_read_them() {
    let bytes = bytes_of(1 << 20, 7);
    let file = private_file(None).unwrap();
    let mode = file.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let mut spool = Spool::of(file).unwrap();
    spool.push(&bytes).unwrap();
    let copy = spool.finish().unwrap();
    assert!(
        copy.bytes_on_disk() < (bytes.len() / 2) as u64,
        "{}",
        copy.bytes_on_disk()
    );
}

#[test]
fn every_changed_byte_is_found() {
    let bytes = bytes_of(2 * BLOCK_BYTES + 100, 7);
    let written = |file: File| {
        let mut spool = Spool::of(file).unwrap();
        spool.push(&bytes).unwrap();
        spool.finish().unwrap()
    };
    let file = tempfile::tempfile().unwrap();
    let size = written(file.try_clone().unwrap()).bytes_on_disk();
    for at in (0..size).step_by(97).chain([size - 1]) {
        let copy = written(file.try_clone().unwrap());
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 4], at).unwrap();
        let error = copy.read_exact_at(&mut vec![0; bytes.len()], 0).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "byte {at}: {error}");
    }
    let copy = written(file.try_clone().unwrap());
    file.set_len(size - 1).unwrap();
    let error = copy.read_exact_at(&mut [0], bytes.len() as u64 - 1).unwrap_err();
    assert!(error.to_string().contains("block 2"), "{error}");
}
