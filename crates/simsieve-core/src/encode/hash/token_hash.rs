//! The hashes of tokens: those of other programs, bit for bit, and those that a user brings.

use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;

use crate::base::error::{Error, Result};
use crate::base::hash::{fnv1_64, fnv1a_64, word, xxh3_64};

/// 64-bit words of the widest fingerprint.
pub const MOST_WORDS: usize = 4;

/// How the bits of a token are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenHash {
    /// XXH3-64 and words mixed from it, as the schemes on characters have them.
    Xxh3,
    /// The low bits of MD5 (RFC 1321) read as a big-endian number: 128 of them, and words mixed from the lowest.
    Md5,
    /// One bit for each of MD5's hex digits, 1 for 8 and more; the first digit is bit 31.
    Md5Digits,
    /// FNV-1 of 64 bits, and words mixed from it.
    Fnv1,
    /// FNV-1a of 64 bits, and words mixed from it.
    Fnv1a,
    /// FNV-1 and FNV-1a (RFC 9923) of 128 and 256 bits.
    WideFnv(Fnv),
    /// The low bits of SHA-1 (FIPS 180-4) read as a big-endian number: 160 of them.
    Sha1,
    /// The low bits of SHA-256 (FIPS 180-4) read as a big-endian number.
    Sha256,
    /// Made by a function of the user.
    Called,
    /// Brought by the features.
    Given,
    /// Over UTF-16 units, modulo 2^256: from the first unit times 128, multiply by 1000003 and xor the unit for each; then
    /// xor the length. Multiplying and xoring never carry downward, so the low bits are those of any smaller width.
    Units,
}

impl TokenHash {
    /// The hashes that a custom scheme names.
    pub(crate) const NAMED: [(&'static str, Self); 11] = [
        ("xxh3", Self::Xxh3),
        ("fnv1", Self::Fnv1),
        ("fnv1a", Self::Fnv1a),
        ("fnv1_128", Self::WideFnv(Fnv::One128)),
        ("fnv1a_128", Self::WideFnv(Fnv::A128)),
        ("fnv1_256", Self::WideFnv(Fnv::One256)),
        ("fnv1a_256", Self::WideFnv(Fnv::A256)),
        ("md5", Self::Md5),
        ("sha1", Self::Sha1),
        ("sha256", Self::Sha256),
        ("given", Self::Given),
    ];

    /// The name in the digest of a scheme of `width` bits.
    pub const fn name(self, width: u32) -> &'static str {
        match self {
            Self::Fnv1 if width > 64 => "fnv-1-64, words mixed by splitmix64",
            Self::Fnv1a if width > 64 => "fnv-1a-64, words mixed by splitmix64",
            Self::Xxh3 => "xxh3-64, words mixed by splitmix64",
            Self::Md5 if width > 128 => "md5, low bits, big-endian, words above 128 bits mixed by splitmix64",
            Self::Md5 => "md5, low bits, big-endian",
            Self::Md5Digits => "md5, hex digits of 8 and more, first digit highest",
            Self::Fnv1 => "fnv-1-64",
            Self::Fnv1a => "fnv-1a-64",
            Self::WideFnv(fnv) => fnv.name(),
            Self::Sha1 => "sha-1, low bits, big-endian",
            Self::Sha256 => "sha-256, low bits, big-endian",
            Self::Called => "by a function",
            Self::Given => "given",
            Self::Units => "utf-16 units, x 1000003 xor unit, xor length",
        }
    }

    /// Whether making it takes much longer than finding it again.
    pub(super) const fn is_slow(self) -> bool {
        matches!(
            self,
            Self::Md5 | Self::Md5Digits | Self::Sha1 | Self::Sha256 | Self::WideFnv(_)
        )
    }

    /// How many bits there are.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Xxh3 | Self::Fnv1 | Self::Fnv1a | Self::Units | Self::Called | Self::Given | Self::Sha256 => 256,
            Self::WideFnv(fnv) => fnv.bits(),
            Self::Md5 => 128,
            Self::Sha1 => 160,
            Self::Md5Digits => 32,
        }
    }

    /// Whether a scheme that a user called `name` may have this width.
    ///
    /// # Errors
    /// [`Error::Config`] with the bound, and the hashes that go farther.
    pub(crate) fn check_width(self, name: &str, width: u32) -> Result<()> {
        let most = self.bits();
        if (1..=most).contains(&width) {
            return Ok(());
        }
        let which = match self {
            Self::Md5 => " for hash md5; xxh3, fnv1, fnv1a and sha256 go up to 256",
            Self::Sha1 => " for hash sha1; xxh3, fnv1, fnv1a and sha256 go up to 256",
            Self::WideFnv(_) if most < 256 => " for this hash; that of 256 bits goes up to 256",
            _ => "",
        };
        Err(Error::Config(msg!(
            "scheme {name:?}: width {width} is not allowed; allowed: 1 to {most}{which}"
        )))
    }

    /// The bits of `token`, lowest word first; those beyond the hash's own width are zero.
    pub fn of(self, token: &str) -> [u64; MOST_WORDS] {
        match self {
            Self::Xxh3 => mixed(xxh3_64(token.as_bytes())),
            Self::Md5 => {
                let value = u128::from_be_bytes(Md5::digest(token).into());
                let low = value as u64;
                [low, (value >> 64) as u64, word(low, 2), word(low, 3)]
            }
            Self::Md5Digits => {
                let digits = Md5::digest(token)
                    .into_iter()
                    .flat_map(|byte| [byte >> 7, byte >> 3 & 1]);
                [digits.fold(0, |bits, digit| bits << 1 | u64::from(digit)), 0, 0, 0]
            }
            Self::Fnv1 => mixed(fnv1_64(token.as_bytes())),
            Self::Fnv1a => mixed(fnv1a_64(token.as_bytes())),
            Self::WideFnv(fnv) => fnv.of(token.as_bytes()),
            Self::Sha1 => low_words(&Sha1::digest(token)),
            Self::Sha256 => low_words(&Sha256::digest(token)),
            // These are not made from the token's text: a custom scheme has them.
            Self::Called | Self::Given => [0; MOST_WORDS],
            Self::Units => {
                let mut units = token.encode_utf16();
                let mut x = [0; MOST_WORDS];
                x[0] = u64::from(units.clone().next().unwrap_or(0)) << 7;
                for unit in &mut units {
                    multiply(&mut x, 1_000_003);
                    x[0] ^= u64::from(unit);
                }
                x[0] ^= token.encode_utf16().count() as u64;
                x
            }
        }
    }
}

/// A hash of 64 bits, and the further words that are mixed from it.
fn mixed(hash: u64) -> [u64; MOST_WORDS] {
    std::array::from_fn(|k| word(hash, k))
}

/// A digest read as a big-endian number.
fn low_words(digest: &[u8]) -> [u64; MOST_WORDS] {
    let mut bits = [0; MOST_WORDS];
    for (at, byte) in digest.iter().rev().enumerate() {
        bits[at / 8] |= u64::from(*byte) << (8 * (at % 8));
    }
    bits
}

/// A hash of Fowler, Noll and Vo (RFC 9923) that is wider than a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fnv {
    /// FNV-1: multiply, then xor.
    One128,
    /// FNV-1a: xor, then multiply.
    A128,
    /// FNV-1.
    One256,
    /// FNV-1a.
    A256,
}

impl Fnv {
    const fn name(self) -> &'static str {
        match self {
            Self::One128 => "fnv-1-128",
            Self::A128 => "fnv-1a-128",
            Self::One256 => "fnv-1-256",
            Self::A256 => "fnv-1a-256",
        }
    }

    const fn bits(self) -> u32 {
        match self {
            Self::One128 | Self::A128 => 128,
            Self::One256 | Self::A256 => 256,
        }
    }

    fn of(self, bytes: &[u8]) -> [u64; MOST_WORDS] {
        // The primes are 2^88 + 0x13B and 2^168 + 0x163: a shift by whole words and some bits, and a small factor.
        let (mut state, factor, (words, bits)) = match self.bits() {
            128 => ([0x62B8_2175_6295_C58D, 0x6C62_272E_07BB_0142, 0, 0], 0x13B, (1, 24)),
            _ => (
                [
                    0x1023_B4C8_CAEE_0535,
                    0xC8B1_5368_47B6_BBB3,
                    0x2D98_C384_C4E5_76CC,
                    0xDD26_8DBC_AAC5_5036,
                ],
                0x163,
                (2, 40),
            ),
        };
        let is_a = matches!(self, Self::A128 | Self::A256);
        for byte in bytes {
            if is_a {
                state[0] ^= u64::from(*byte);
            }
            let high: [u64; MOST_WORDS] = std::array::from_fn(|k| {
                let part = |at: usize| k.checked_sub(at).map_or(0, |at| state[at]);
                part(words) << bits | part(words + 1) >> (64 - bits)
            });
            multiply(&mut state, factor);
            let mut carry = 0;
            for (limb, more) in state.iter_mut().zip(high) {
                let sum = u128::from(*limb) + u128::from(more) + carry;
                *limb = sum as u64;
                carry = sum >> 64;
            }
            if self.bits() == 128 {
                state[2..].fill(0);
            }
            if !is_a {
                state[0] ^= u64::from(*byte);
            }
        }
        state
    }
}

/// `x` times `factor` modulo 2^256.
fn multiply(x: &mut [u64; MOST_WORDS], factor: u64) {
    let mut carry = 0;
    for limb in x {
        let product = u128::from(*limb) * u128::from(factor) + carry;
        *limb = product as u64;
        carry = product >> 64;
    }
}

#[cfg(test)]
#[path = "token_hash_tests.rs"]
mod tests;
