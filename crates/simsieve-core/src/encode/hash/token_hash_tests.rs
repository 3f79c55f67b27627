//! The tests of `token_hash.rs`.

use super::*;

#[test]
fn md5_is_the_published_function() {
    // RFC 1321, appendix A.5: the digest of "abc".
    let [low, high, ..] = TokenHash::Md5.of("abc");
    assert_eq!((high, low), (0x9001_5098_3CD2_4FB0, 0xD696_3F7D_28E1_7F72));
    assert_eq!(
        TokenHash::Md5Digits.of("abc"),
        [0b1000_0011_0110_0110_1010_0101_0110_0100, 0, 0, 0]
    );
}

#[test]
fn sha1_and_fnv1a_are_the_published_functions() {
    // FIPS 180's example "abc", and the published value of FNV-1a for "a".
    assert_eq!(
        TokenHash::Sha1.of("abc"),
        [0x7850_C26C_9CD0_D89D, 0x4706_816A_BA3E_2571, 0xA999_3E36, 0]
    );
    assert_eq!(TokenHash::Fnv1a.of("a")[0], 0xAF63_DC4C_8601_EC8C);
}

#[test]
fn wide_hashes_are_the_published_functions() {
    // The published values of FNV for "a" and "foobar", and FIPS 180's example "abc".
    let low = |name: &str, token: &str| TokenHash::NAMED.iter().find(|row| row.0 == name).unwrap().1.of(token);
    assert_eq!(
        low("fnv1a_128", "a"),
        [0x7891_2B70_4E4A_8964, 0xD228_CB69_6F1A_8CAF, 0, 0]
    );
    assert_eq!(
        low("fnv1_128", "a"),
        [0x7891_2B70_4E4A_141E, 0xD228_CB69_101A_8CAF, 0, 0]
    );
    assert_eq!(low("fnv1a_256", "a")[3], 0x6332_3FB0_F353_03EC);
    assert_eq!(low("sha256", "abc")[3], 0xBA78_16BF_8F01_CFEA);
}

#[test]
fn words_beyond_the_first_are_mixed_and_told() {
    for (hash, first) in [
        (TokenHash::Fnv1, fnv1_64(b"ferry")),
        (TokenHash::Fnv1a, fnv1a_64(b"ferry")),
    ] {
        assert_eq!(hash.of("ferry"), [0, 1, 2, 3].map(|k| word(first, k)));
        assert!(!hash.name(64).contains("mixed") && hash.name(65).contains("mixed by splitmix64"));
    }
}

#[test]
fn a_width_beyond_a_hash_is_refused() {
    let refused = |hash: TokenHash, width| hash.check_width("mine", width).unwrap_err().to_string();
    assert!(TokenHash::Fnv1.check_width("mine", 256).is_ok() && TokenHash::Sha1.check_width("mine", 160).is_ok());
    assert_eq!(
        refused(TokenHash::Md5, 129),
        "scheme \"mine\": width 129 is not allowed; allowed: 1 to 128 for hash md5; xxh3, fnv1, fnv1a and sha256 go up to 256"
    );
    assert!(refused(TokenHash::Sha1, 161).contains("allowed: 1 to 160 for hash sha1"));
    assert!(refused(TokenHash::Given, 0).ends_with("allowed: 1 to 256"));
}

#[test]
fn a_product_carries_through_all_words() {
    let mut x = [u64::MAX; MOST_WORDS];
    multiply(&mut x, 3);
    assert_eq!(x, [u64::MAX - 2, u64::MAX, u64::MAX, u64::MAX]);
}

#[test]
fn the_hash_of_units_is_that_of_the_definition() {
    // "a" has one unit: 0x61 x 128 x 1000003, xor 0x61, xor 1. A character beyond U+FFFF has two.
    assert_eq!(TokenHash::Units.of("a")[0], (0x61 * 128 * 1_000_003) ^ 0x61 ^ 1);
    let (high, low) = (0xD83D_u64, 0xDE00_u64);
    let two = ((((high << 7) * 1_000_003) ^ high) * 1_000_003) ^ low ^ 2;
    assert_eq!(TokenHash::Units.of("\u{1F600}")[0], two);
}
