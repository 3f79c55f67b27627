//! One throw of a feature into a bin, and the bins that are empty: what every kernel does alike.

/// A bin into which nothing was thrown.
pub(super) const EMPTY: u64 = u64::MAX;

/// The odd multiplier that mixes a throw once more.
pub(super) const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The largest value of a throw.
pub(super) const MOST_VALUE: u32 = u32::MAX - 1;

#[inline]
pub(super) fn throw(hash: u64, multiplier: u64, length: usize) -> (usize, u32) {
    let thrown = hash.wrapping_mul(multiplier);
    let thrown = (thrown ^ (thrown >> 32)).wrapping_mul(SPREAD);
    let bin = ((thrown >> 32) * length as u64) >> 32;
    // The high half chose the bin; the low half, mixed once more, is the value.
    let value = (thrown ^ (thrown >> 29)) as u32;
    (bin as usize, value.min(MOST_VALUE))
}

/// A bit for every empty bin.
#[cfg(target_arch = "x86_64")]
pub(super) fn marks<const WORDS: usize>(least: &[u64]) -> [u64; WORDS] {
    assert!(least.len() <= 64 * WORDS, "more bins than bits");
    let mut words = [0; WORDS];
    for (word, bins) in words.iter_mut().zip(least.chunks(64)) {
        *word = (0_u64..)
            .zip(bins)
            .fold(0, |word, (at, &bin)| word | u64::from(bin == EMPTY) << at);
    }
    words
}

/// Lowers the bin in the high half of a throw to the value in the low one.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn lower(thrown: u64, round: u64, least: &mut [u64]) {
    let least = &mut least[(thrown >> 32) as usize];
    *least = (*least).min(round << 32 | (thrown & u64::from(u32::MAX)));
}
