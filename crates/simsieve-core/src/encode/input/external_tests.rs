//! The tests of `external.rs`.

use proptest::prelude::*;

use super::*;

fn read(spec: (&str, u32), text: &str) -> Result<Vec<u64>, Message> {
    let (name, width) = spec;
    let form = Form::ALL.iter().find(|row| row.0 == name).unwrap().1;
    let words = External { form, width }
        .read(text)
        .map_err(|error| error.message().to_owned())?;
    assert!(words[width.div_ceil(64) as usize..].iter().all(|word| *word == 0));
    Ok(words[..width.div_ceil(64) as usize].to_vec())
}

#[test]
fn each_form_is_read() {
    for (spec, text, words) in [
        (("hex", 64), "ff00000000000001", vec![0xFF00_0000_0000_0001]),
        (("hex", 64), " 0xFf\n", vec![0xFF]),
        (("hex", 64), "0", vec![0]),
        (("hex", 9), "1ff", vec![0x1FF]),
        (("hex", 128), "10000000000000002", vec![2, 1]),
        (("int", 64), "18446744073709551615", vec![u64::MAX]),
        (("int", 256), "18446744073709551616", vec![0, 1, 0, 0]),
        (("bits", 3), "0b101", vec![5]),
        (("base64", 16), "AQI=", vec![0x0102]),
        (("base64", 16), "__8", vec![0xFFFF]),
        (("base64", 12), "D/8=", vec![0x0FFF]),
        (("bytes", 16), "AQI=", vec![0x0102]),
        (("bytes", 12), "D/8=", vec![0x0FFF]),
    ] {
        assert_eq!(read(spec, text), Ok(words), "{spec:?} {text}");
    }
}

#[test]
fn what_is_no_fingerprint_is_refused_with_what_is_allowed() {
    for (spec, text, part) in [
        (
            ("hex", 64),
            "",
            "\"\" is no fingerprint of 64 bits: it has no digits; format=hex takes up to 16 digits",
        ),
        (("hex", 64), "12g4", "'g' is no digit there"),
        (("hex", 64), "00000000000000001", "it is wider"),
        (("hex", 64), "a photograph of a ferry", "' ' is no digit there"),
        (("hex", 9), "200", "it is wider"),
        (
            ("int", 64),
            "-1",
            "'-' is no digit there; format=int takes a whole number from 0 to 2^64 - 1",
        ),
        (("int", 64), "18446744073709551616", "it is wider"),
        (("int", 64), "1e3", "'e' is no digit"),
        (("int", 256), &"9".repeat(78), "it is wider"),
        (("bits", 8), "2", "'2' is no digit"),
        (("bits", 8), "100000000", "it is wider"),
        (("base64", 16), "AQ==", "it has 1 bytes; format=base64 takes 2 bytes"),
        (("base64", 16), "AQIDBA==", "it has 4 bytes"),
        (("base64", 16), "AQJ=", "it has 2 bytes"),
        (("base64", 16), "A?I=", "'?' is not of base64"),
        (("base64", 12), "//8=", "it is wider"),
        (
            ("bytes", 16),
            "AQ==",
            "it has 1 bytes; format=bytes takes 2 bytes, written in text as base64",
        ),
        (("bytes", 12), "//8=", "it is wider"),
    ] {
        let message = read(spec, text).unwrap_err();
        assert!(message.to_string().contains(part), "{spec:?} {text}: {message}");
    }
}

proptest! {
    #[test]
    fn every_number_is_read_in_every_form(words in prop::array::uniform4(any::<u64>()), width in 1_u32..=256) {
        let words: [u64; MOST_WORDS] = std::array::from_fn(|k| {
            let bits = width.saturating_sub(64 * k as u32).min(64);
            if bits == 64 { words[k] } else { words[k] & ((1 << bits) - 1) }
        });
        let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
        let bits = bytes.iter().map(|byte| format!("{byte:08b}")).collect::<Vec<_>>().concat();
        let given = |form| External { form, width };
        let hex = given(Form::Hex).uniform(&words);
        prop_assert_eq!(given(Form::Hex).read(&hex), Ok(words));
        prop_assert_eq!(given(Form::Bits).read(&bits[256 - width as usize..]), Ok(words));
        let mut decimal = Vec::new();
        let mut rest: Vec<u8> = bytes.clone();
        while rest.iter().any(|&byte| byte > 0) {
            let mut carry = 0_u32;
            for byte in &mut rest {
                let value = carry * 256 + u32::from(*byte);
                (*byte, carry) = ((value / 10) as u8, value % 10);
            }
            decimal.push(char::from(b'0' + carry as u8));
        }
        let decimal: String = decimal.iter().rev().collect();
        prop_assert_eq!(given(Form::Int).read(if decimal.is_empty() { "0" } else { &decimal }), Ok(words));
        let packed = &bytes[32 - width.div_ceil(8) as usize..];
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let base64: String = packed.chunks(3).flat_map(|three| {
            let value = (0..3).fold(0_u32, |sum, at| sum << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
            (0..=three.len()).map(move |at| char::from(digits[(value >> (18 - 6 * at) & 63) as usize]))
        }).collect();
        prop_assert_eq!(given(Form::Base64).read(&base64), Ok(words));
        prop_assert_eq!(given(Form::Bytes).read(&base64), Ok(words));
    }
}
