//! A digest of 128 bits in JSON: a text of 32 hexadecimal digits.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub fn serialize<S: Serializer>(digest: &u128, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{digest:032x}"))
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
    u128::from_str_radix(&String::deserialize(from)?, 16).map_err(Error::custom)
}
