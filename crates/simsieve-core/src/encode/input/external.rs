//! Fingerprints that the user brings: hashes of images, of sounds, of other tools.
//!
//! The text of a record is the fingerprint, written in one [`Form`]; there are no features, so there are distances
//! only.

use crate::encode::hash::MOST_WORDS;
use crate::encode::unusable_text::UnusableText;
use crate::text::FieldKind;

/// Characters of a text that a message shows.
const SHOWN: usize = 40;

/// How a given fingerprint is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Hexadecimal digits, the highest first; `0x` may precede them.
    Hex,
    /// A whole number, without a sign.
    Int,
    /// Binary digits, the highest first; `0b` may precede them.
    Bits,
    /// Packed bytes in base64, the highest first.
    Base64,
    /// The same as fields of bytes have them, which are base64 where there is only text.
    Bytes,
}

impl Form {
    /// Every form with its name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("hex", Self::Hex),
        ("int", Self::Int),
        ("base64", Self::Base64),
        ("bits", Self::Bits),
        ("bytes", Self::Bytes),
    ];

    /// The name of the form.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, form)| *form == self)
            .map_or("", |(name, _)| name)
    }
}

/// How the text of a record is a fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct External {
    /// How it is written.
    pub form: Form,
    /// Its bits.
    pub width: u32,
}

impl External {
    /// The fingerprint that `text` writes, lowest word first.
    pub(crate) fn read(self, text: &str) -> Result<[u64; MOST_WORDS], UnusableText> {
        let text = text.trim_ascii();
        self.words(text).map_err(|what| {
            let shown: String = text.chars().take(SHOWN).collect();
            let more = if shown.len() < text.len() { "..." } else { "" };
            let (name, width) = (self.form.name(), self.width);
            let allowed = match self.form {
                Form::Hex => format!("up to {} digits 0-9 and a-f", width.div_ceil(4)),
                Form::Int => format!("a whole number from 0 to 2^{width} - 1"),
                Form::Bits => format!("up to {width} digits 0 and 1"),
                Form::Base64 => format!("{} bytes in base64", width.div_ceil(8)),
                Form::Bytes => format!("{} bytes, written in text as base64", width.div_ceil(8)),
            };
            UnusableText::new(format!(
                "\"{shown}{more}\" is no fingerprint of {width} bits: {what}; format={name} takes {allowed}: fix the record, or \
                 name its width and format, such as external64:format=int"
            ))
        })
    }

    fn words(self, text: &str) -> Result<[u64; MOST_WORDS], String> {
        let words = match self.form {
            Form::Hex => number(without_prefix(text, ["0x", "0X"]), 16, Some(self.width.div_ceil(4)))?,
            Form::Bits => number(without_prefix(text, ["0b", "0B"]), 2, Some(self.width))?,
            Form::Int => number(text, 10, None)?,
            Form::Base64 | Form::Bytes => packed(text, self.width.div_ceil(8) as usize)?,
        };
        let beyond = (0..MOST_WORDS).find(|&k| {
            let bits = self.width.saturating_sub(64 * k as u32);
            bits < 64 && words[k] >> bits != 0
        });
        match beyond {
            Some(_) => Err("it is wider".to_owned()),
            None => Ok(words),
        }
    }

    /// How every form of a fingerprint is written alike.
    pub(crate) fn uniform(self, words: &[u64; MOST_WORDS]) -> String {
        let [low, second, third, high] = words;
        let digits = format!("{high:016x}{third:016x}{second:016x}{low:016x}");
        digits[digits.len() - self.width.div_ceil(4) as usize..].to_owned()
    }

    /// All that can move a bit, in words.
    pub(crate) fn canonical(self) -> String {
        format!("given {}\nwidth {}\n", self.form.name(), self.width)
    }

    /// What a text field may hold besides texts.
    pub(crate) const fn field_kind(self) -> FieldKind {
        match self.form {
            Form::Int => FieldKind::Numbers,
            Form::Bytes => FieldKind::Bytes,
            _ => FieldKind::Digits,
        }
    }
}

fn without_prefix<'a>(text: &'a str, prefixes: [&str; 2]) -> &'a str {
    prefixes
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .unwrap_or(text)
}

/// The number that digits write; at most `most` digits are allowed.
fn number(digits: &str, radix: u32, most: Option<u32>) -> Result<[u64; MOST_WORDS], String> {
    let mut words = [0; MOST_WORDS];
    if digits.is_empty() {
        return Err("it has no digits".to_owned());
    }
    for (at, digit) in digits.chars().enumerate() {
        let Some(value) = digit.to_digit(radix) else {
            return Err(format!("{digit:?} is no digit there"));
        };
        if most.is_some_and(|most| at as u32 >= most) {
            // All digits are looked at before they are counted: a wrong one says more.
            match digits.chars().find(|digit| !digit.is_digit(radix)) {
                Some(digit) => return Err(format!("{digit:?} is no digit there")),
                None => return Err("it is wider".to_owned()),
            }
        }
        let mut carry = u128::from(value);
        for word in &mut words {
            let product = u128::from(*word) * u128::from(radix) + carry;
            *word = product as u64;
            carry = product >> 64;
        }
        if carry != 0 {
            return Err("it is wider".to_owned());
        }
    }
    Ok(words)
}

/// Exactly this many bytes in base64 (RFC 4648, sections 4 and 5: either alphabet; the `=` at the end may be missing).
fn packed(text: &str, bytes: usize) -> Result<[u64; MOST_WORDS], String> {
    let digits = text.trim_end_matches('=');
    let (mut held, mut bits) = (0_u32, 0);
    let mut found = Vec::with_capacity(bytes);
    for digit in digits.chars() {
        let value = match digit {
            'A'..='Z' => digit as u32 - 'A' as u32,
            'a'..='z' => digit as u32 - 'a' as u32 + 26,
            '0'..='9' => digit as u32 - '0' as u32 + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            _ => return Err(format!("{digit:?} is not of base64")),
        };
        (held, bits) = ((held << 6 | value) & 0xFFF, bits + 6);
        if bits >= 8 {
            bits -= 8;
            found.push((held >> bits) as u8);
        }
    }
    if found.len() != bytes || bits >= 6 || held & ((1 << bits) - 1) != 0 {
        return Err(format!("it has {} bytes", found.len()));
    }
    let mut words = [0; MOST_WORDS];
    for (at, byte) in found.iter().rev().enumerate() {
        words[at / 8] |= u64::from(*byte) << (8 * (at % 8));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(spec: (&str, u32), text: &str) -> Result<Vec<u64>, String> {
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
            assert!(message.contains(part), "{spec:?} {text}: {message}");
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
}
