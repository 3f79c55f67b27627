//! The easy characters in plain Rust: ASCII by table, and unchanged characters of three bytes.

use super::compact::Compact;
use super::table::{CHAR, CLASS_SHIFT, Class, SIMPLE, TABLE, class_of};

/// The byte in lower case, with [`SPACE`] or [`PLAIN`] above it; [`OTHER`] beyond ASCII.
static ASCII: std::sync::LazyLock<[u16; 256]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|byte| {
        if byte >= 0x80 {
            return OTHER;
        }
        let lower = u16::from((byte as u8).to_ascii_lowercase());
        match class_of(char::from(byte as u8)) {
            Class::Plain => lower | PLAIN,
            Class::Punctuation | Class::Symbol => lower,
            Class::Space => u16::from(b' ') | SPACE,
        }
    })
});

const PLAIN: u16 = 1 << 8;
const SPACE: u16 = 1 << 9;
const OTHER: u16 = 1 << 10;

/// Takes easy characters from `at` on; returns the place of the first other character.
pub(super) fn easy_run(bytes: &[u8], at: usize, out: &mut Compact) -> usize {
    let (ascii, table) = (&*ASCII, &**TABLE);
    let mut after_space = u16::from(out.after_space());
    let bytes = &bytes[at..];
    // As long as the rest and one more character, so each length is checked once.
    let full = &mut out.full[out.full_len..][..bytes.len() + 4];
    let kept = &mut out.kept[out.kept_len..][..bytes.len() + 4];
    let (mut full_len, mut kept_len, mut i) = (0, 0, 0);
    while i < bytes.len() {
        let entry = ascii[usize::from(bytes[i])];
        if entry != OTHER {
            // Every byte is written; a byte that is not kept leaves the length, and the next byte overwrites it.
            full[full_len] = entry as u8;
            kept[kept_len] = entry as u8;
            let space = entry >> 9;
            full_len += usize::from(1 ^ (space & after_space));
            kept_len += usize::from(entry >> 8 & 1);
            after_space = space;
            i += 1;
            continue;
        }
        // Characters of three bytes, read with the next byte; the caller takes the text's last one.
        let Some(&four) = bytes[i..].first_chunk::<4>() else {
            break;
        };
        if four[0] & 0xF0 != 0xE0 {
            break;
        }
        let code = u32::from(four[0] & 0xF) << 12 | u32::from(four[1] & 0x3F) << 6 | u32::from(four[2] & 0x3F);
        let entry = table[code as usize & 0xFFFF];
        let class = entry >> CLASS_SHIFT & 3;
        if entry & (CHAR | SIMPLE) != code | SIMPLE || class == Class::Space as u32 {
            break;
        }
        full[full_len..full_len + 4].copy_from_slice(&four);
        kept[kept_len..kept_len + 4].copy_from_slice(&four);
        full_len += 3;
        kept_len += if class == Class::Plain as u32 { 3 } else { 0 };
        after_space = 0;
        i += 3;
    }
    out.full_len += full_len;
    out.kept_len += kept_len;
    at + i
}
