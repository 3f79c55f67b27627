//! The easy characters in plain Rust: ASCII by table.

use super::normalise::Compact;
use super::table::{Class, class_of};

/// The byte in lower case, with [`SPACE`] or [`PLAIN`] above it; [`OTHER`] beyond ASCII.
static ASCII: std::sync::LazyLock<[u16; 256]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|byte| {
        if byte >= 0x80 {
            return OTHER;
        }
        let lower = u16::from((byte as u8).to_ascii_lowercase());
        match class_of(char::from(byte as u8)) {
            Class::Plain => lower | PLAIN,
            Class::Punctuation => lower,
            Class::Space => u16::from(b' ') | SPACE,
        }
    })
});

const PLAIN: u16 = 1 << 8;
const SPACE: u16 = 1 << 9;
const OTHER: u16 = 1 << 10;

/// Takes ASCII from `at` on; gives where the first other character is.
pub(super) fn easy_run(bytes: &[u8], at: usize, out: &mut Compact) -> usize {
    let table = &*ASCII;
    let mut after_space = u16::from(out.after_space());
    let left = bytes.len() - at;
    // As long as what is left, so that the one check of each length is all there is.
    let full = &mut out.full[out.full_len..][..left];
    let compact = &mut out.kept[out.kept_len..][..left];
    let (mut full_len, mut compact_len, mut taken) = (0, 0, left);
    for (i, &byte) in bytes[at..].iter().enumerate() {
        let entry = table[usize::from(byte)];
        if entry == OTHER {
            taken = i;
            break;
        }
        // Every byte is written; where it does not belong, the length stays and the next is written over it.
        full[full_len] = entry as u8;
        compact[compact_len] = entry as u8;
        let space = entry >> 9;
        full_len += usize::from(1 ^ (space & after_space));
        compact_len += usize::from(entry >> 8 & 1);
        after_space = space;
    }
    out.full_len += full_len;
    out.kept_len += compact_len;
    at + taken
}
