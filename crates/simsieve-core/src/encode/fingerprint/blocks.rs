//! A fingerprint cut into blocks of nearly one width: near fingerprints share one of them.

/// The bits of each of `count` blocks of a fingerprint, the most significant block first. They differ by at most one; the
/// wider ones come first.
///
/// ```
/// use simsieve_core::encode::fingerprint::blocks::block_widths;
/// assert_eq!(block_widths(64, 3).collect::<Vec<_>>(), [22, 21, 21]);
/// ```
pub fn block_widths(width: u32, count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(move |at| width / count + u32::from(at < width % count))
}

/// The blocks of a fingerprint of little-endian words, each with its bits, at most 64: see [`block_widths`].
///
/// ```
/// use simsieve_core::encode::fingerprint::blocks::blocks;
/// assert_eq!(blocks(&[0xABCD], 16, 3).collect::<Vec<_>>(), [(6, 0x2A), (5, 0x1E), (5, 0x0D)]);
/// ```
pub fn blocks(words: &[u64], width: u32, count: u32) -> impl Iterator<Item = (u32, u64)> {
    let mut low = width;
    block_widths(width, count).map(move |size| {
        low -= size;
        let (at, shift) = ((low / 64) as usize, low % 64);
        let mut value = words[at] >> shift;
        if shift + size > 64 {
            value |= words[at + 1] << (64 - shift);
        }
        (size, value & (u64::MAX >> (64 - size)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_pieces_of_the_fingerprint() {
        let words = [0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210];
        let whole = u128::from(words[1]) << 64 | u128::from(words[0]);
        for (width, counts) in [(128, 2..=128), (127, 2..=127), (100, 2..=50), (64, 1..=64), (7, 1..=7)] {
            for count in counts {
                let mut low = width;
                for (size, block) in blocks(&words, width, count) {
                    low -= size;
                    let wanted = (whole >> low) & (u128::MAX >> (128 - size));
                    assert_eq!(u128::from(block), wanted, "{size} bits from {low}");
                }
                assert_eq!(low, 0, "{count} blocks of {width} bits");
            }
        }
    }
}
