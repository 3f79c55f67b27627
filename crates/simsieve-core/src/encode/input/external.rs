//! Fingerprints that the user brings: hashes of images, of sounds, of other tools.
//!
//! The text of a record is the fingerprint, written in one [`Form`]; there are no features, so there are distances
//! only.

use crate::base::message::Message;
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
                Form::Hex => msg!("up to {value} digits 0-9 and a-f", value = width.div_ceil(4)),
                Form::Int => msg!("a whole number from 0 to 2^{width} - 1"),
                Form::Bits => msg!("up to {width} digits 0 and 1"),
                Form::Base64 => msg!("{value} bytes in base64", value = width.div_ceil(8)),
                Form::Bytes => msg!("{value} bytes, written in text as base64", value = width.div_ceil(8)),
            };
            UnusableText::new(msg!(
                "\"{shown}{more}\" is no fingerprint of {width} bits: {what}; format={name} takes {allowed}: \
                 fix the record, or name its width and format, such as external64:format=int"
            ))
        })
    }

    fn words(self, text: &str) -> Result<[u64; MOST_WORDS], Message> {
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
            Some(_) => Err(msg!("it is wider")),
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
fn number(digits: &str, radix: u32, most: Option<u32>) -> Result<[u64; MOST_WORDS], Message> {
    let mut words = [0; MOST_WORDS];
    if digits.is_empty() {
        return Err(msg!("it has no digits"));
    }
    for (at, digit) in digits.chars().enumerate() {
        let Some(value) = digit.to_digit(radix) else {
            return Err(msg!("{digit} is no digit there", digit = format!("{digit:?}")));
        };
        if most.is_some_and(|most| at as u32 >= most) {
            // All digits are looked at before they are counted: a wrong one says more.
            match digits.chars().find(|digit| !digit.is_digit(radix)) {
                Some(digit) => return Err(msg!("{digit} is no digit there", digit = format!("{digit:?}"))),
                None => return Err(msg!("it is wider")),
            }
        }
        let mut carry = u128::from(value);
        for word in &mut words {
            let product = u128::from(*word) * u128::from(radix) + carry;
            *word = product as u64;
            carry = product >> 64;
        }
        if carry != 0 {
            return Err(msg!("it is wider"));
        }
    }
    Ok(words)
}

/// Exactly this many bytes in base64 (RFC 4648, sections 4 and 5: either alphabet; the `=` at the end may be missing).
fn packed(text: &str, bytes: usize) -> Result<[u64; MOST_WORDS], Message> {
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
            _ => return Err(msg!("{digit} is not of base64", digit = format!("{digit:?}"))),
        };
        (held, bits) = ((held << 6 | value) & 0xFFF, bits + 6);
        if bits >= 8 {
            bits -= 8;
            found.push((held >> bits) as u8);
        }
    }
    if found.len() != bytes || bits >= 6 || held & ((1 << bits) - 1) != 0 {
        return Err(msg!("it has {count} bytes", count = found.len()));
    }
    let mut words = [0; MOST_WORDS];
    for (at, byte) in found.iter().rev().enumerate() {
        words[at / 8] |= u64::from(*byte) << (8 * (at % 8));
    }
    Ok(words)
}

#[cfg(test)]
#[path = "external_tests.rs"]
mod tests;
