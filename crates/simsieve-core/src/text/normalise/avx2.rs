//! The easy characters by AVX2, 32 bytes at a time: ASCII, rows of characters of three bytes that all stay as they are (most Han and
//! Hangul), CJK and general punctuation, full-width forms of ASCII. The portable kernel takes others, in short stretches.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_slli_epi16, _mm256_srli_epi16,
    _mm256_storeu_si256, _mm256_sub_epi8,
};
use std::sync::LazyLock;

use super::compact::Compact;
use super::portable;
use super::table::{CHAR, CLASS_SHIFT, Class, IN_WORD, SIMPLE, TABLE, class_of};
use crate::base::hash::Place;
use crate::base::simd::{AsciiSet, BITS, compress_32, load_32, mask};
use crate::text::SLACK;

/// The characters of the compact text, and those that become a space.
static PLAIN: LazyLock<AsciiSet> = LazyLock::new(|| AsciiSet::new(|byte| IN_WORD[usize::from(byte)]));
static SPACE: LazyLock<AsciiSet> = LazyLock::new(|| AsciiSet::new(|byte| class_of(char::from(byte)) == Class::Space));

/// First and greatest length of a stretch for the portable kernel. It starts at a character that this kernel does not take, and
/// doubles while that continues: short for one such character among others, long for Thai.
const STRETCH: usize = 64;
const MOST_STRETCH: usize = 4096;

/// Takes easy characters from `at` on; returns the place of the first other character.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn easy_run(bytes: &[u8], mut at: usize, out: &mut Compact) -> usize {
    let (plain, space, sets) = (&*PLAIN, &*SPACE, &*SETS);
    let blank = splat(b' ');
    let mut stretch = STRETCH;
    // With the two bytes after a vector, in which its last character may end.
    while let Some(block) = bytes[at..].first_chunk::<34>() {
        let [vector, second, third] = three(block);
        let high = mask(vector);
        // By masks of the vector's bytes: of the compact text; beyond ASCII and easy; the second and third byte of three made one.
        let (mut x, mut is_plain, mut known, mut narrowed) = (vector, 0, !high, 0);
        if high != 0 {
            let wide = sets.wide(vector, second, third);
            let all = |lead: u32| lead | lead << 1 | lead << 2;
            is_plain = all(wide.plain);
            known |= all(wide.plain | wide.punctuation | wide.narrowed);
            narrowed = wide.narrowed << 1 | wide.narrowed << 2;
            x = wide.narrow;
        }
        // A character across the vector's end starts the next vector; any other one that is not known is not easy.
        let taken = (!known).trailing_zeros();
        if taken == 0 {
            // The last character of a stretch may be cut off; the next stretch starts with it.
            let end = bytes.len().min(at + stretch);
            let next = portable::easy_run(&bytes[..end], at, out);
            if next + 4 <= end || next == at {
                return next;
            }
            at = next;
            stretch = MOST_STRETCH.min(stretch * 2);
            continue;
        }
        if taken >= 30 {
            stretch = STRETCH;
        }
        let limit = u32::MAX >> (32 - taken);
        let spaces = space.has(x);
        let is_space = mask(spaces);
        is_plain |= mask(plain.has(x));
        let upper = _mm256_and_si256(
            _mm256_cmpgt_epi8(x, splat(b'A' - 1)),
            _mm256_cmpgt_epi8(splat(b'Z' + 1), x),
        );
        let lower = _mm256_add_epi8(x, _mm256_and_si256(upper, splat(0x20)));
        let dropped = narrowed | is_space & (is_space << 1 | u32::from(out.after_space()));
        let text = _mm256_blendv_epi8(lower, blank, spaces);
        if dropped & limit == 0 {
            let place = &mut out.full[out.full_len..out.full_len + 32];
            // SAFETY: 32 bytes are there, and the store asks for no alignment.
            unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), text) };
            out.full_len += taken as usize;
        } else {
            out.full_len = compress_32(text, limit & !dropped, &mut out.full, out.full_len);
        }
        out.kept_len = compress_32(text, limit & is_plain, &mut out.kept, out.kept_len);
        at += taken as usize;
    }
    portable::easy_run(bytes, at, out)
}

/// The vectors that begin at the first three bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn three(block: &[u8; 34]) -> [__m256i; 3] {
    // SAFETY: 32 bytes are there from each of them on, and the loads ask for no alignment.
    unsafe { [0, 1, 2].map(|at| _mm256_loadu_si256(block.as_ptr().add(at).cast())) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte as i8)
}

/// The characters of three bytes in one vector; a mask has the bit of the lead byte.
struct WideMasks {
    plain: u32,
    punctuation: u32,
    narrowed: u32,
    /// The vector with the bytes of the narrowed characters at their lead bytes.
    narrow: __m256i,
}

/// Characters of three bytes that this kernel takes, by bits in tables of 16 bytes, each twice.
struct EasySets {
    /// By the lead byte: rows of 1024 characters that are all plain and unchanged. The bit is that of the second byte's row.
    rows: [u8; 32],
    /// By the third byte's low half: unchanged punctuation of U+2000 to U+203F, and of U+3000 to U+303F in the upper four bits.
    marks: [u8; 32],
}

static SETS: LazyLock<EasySets> = LazyLock::new(|| {
    let is = |code: usize, class: Class| {
        let entry = TABLE[code];
        entry & (CHAR | SIMPLE) == code as u32 | SIMPLE && entry >> CLASS_SHIFT & 3 == class as u32
    };
    let is_row = |first: usize| {
        // Shorter sequences and surrogates are no rows.
        first >= 0x800 && !(0xD800..0xE000).contains(&first) && (first..first + 1024).all(|code| is(code, Class::Plain))
    };
    let is_mark = |low: usize, bit: usize| is([0x2000, 0x3000][bit / 4] + bit % 4 * 16 + low, Class::Punctuation);
    EasySets {
        rows: table(|lead, bit| bit < 4 && is_row(lead << 12 | bit << 10)),
        marks: table(is_mark),
    }
});

/// The bits of 16 bytes, twice.
fn table(has: impl Fn(usize, usize) -> bool) -> [u8; 32] {
    std::array::from_fn(|byte| (0..8).map(|bit| u8::from(has(byte % 16, bit)) << bit).sum())
}

impl EasySets {
    /// Finds the easy characters of three bytes, given the bytes at offsets 0, 1 and 2.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn wide(&self, first: __m256i, second: __m256i, third: __m256i) -> WideMasks {
        let low = |x| _mm256_and_si256(x, splat(0xF));
        let row_of = |x| _mm256_and_si256(_mm256_srli_epi16(x, 4), splat(3));
        let is = |x, byte| _mm256_cmpeq_epi8(x, splat(byte));
        let has = |table: &[u8; 32], at, bit| {
            let bit = _mm256_shuffle_epi8(load_32(&BITS), bit);
            _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(load_32(table), at), bit), bit)
        };
        // The last two bytes of a vector begin no whole character.
        let lead = u32::MAX >> 2 & mask(is(_mm256_and_si256(first, splat(0xF0)), 0xE0));
        let plain = lead & mask(has(&self.rows, low(first), row_of(second)));
        let mut out = WideMasks {
            plain,
            punctuation: 0,
            narrowed: 0,
            narrow: first,
        };
        if plain == lead {
            return out;
        }
        // Of the lead bytes 0xE2 and 0xE3 the last bit tells which half of the table is meant.
        let half = _mm256_slli_epi16(_mm256_and_si256(first, splat(1)), 2);
        let marks = has(&self.marks, low(third), _mm256_or_si256(row_of(third), half));
        let general = _mm256_and_si256(is(_mm256_or_si256(first, splat(1)), 0xE3), is(second, 0x80));
        out.punctuation = lead & mask(_mm256_and_si256(general, marks));
        // U+FF01 to U+FF3F after 0xBC, U+FF40 to U+FF5E after 0xBD: what they become is before the third byte.
        let forms = is(first, 0xEF);
        let upper = _mm256_and_si256(is(second, 0xBC), _mm256_cmpgt_epi8(third, splat(0x80)));
        let lower = _mm256_and_si256(is(second, 0xBD), _mm256_cmpgt_epi8(splat(0x9F), third));
        let narrowed = _mm256_and_si256(forms, _mm256_or_si256(upper, lower));
        let byte = _mm256_sub_epi8(third, _mm256_blendv_epi8(splat(0x20), splat(0x60), upper));
        out.narrowed = lead & mask(narrowed);
        out.narrow = _mm256_blendv_epi8(first, byte, narrowed);
        out
    }
}

/// See [`super::ascii`]: the words of ASCII.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn take_words(bytes: &[u8], base: usize, out: &mut [u8], places: &mut Vec<Place>) -> usize {
    assert!(out.len() >= bytes.len() + SLACK, "room for all and a vector");
    let plain = &*PLAIN;
    let (mut begin, mut len, mut at, mut open) = (0, 0, 0, 0);
    while at < bytes.len() {
        let mut padded = [0; 32];
        let (block, valid) = if let Some(block) = bytes[at..].first_chunk() {
            (block, u32::MAX)
        } else {
            let left = &bytes[at..];
            padded[..left.len()].copy_from_slice(left);
            (&padded, (1 << left.len()) - 1)
        };
        let vector = load_32(block);
        let high = mask(vector);
        let limit = valid & high.wrapping_sub(1) & !high;
        let inside = limit & mask(plain.has(vector));
        // The gap right after a word; the rest of it is not kept.
        let gap = limit & !inside & (inside << 1 | open);
        let kept = inside | gap;
        let mut gaps = gap;
        let from = len;
        len = compress_32(vector, kept, out, len);
        while gaps != 0 {
            let end = from + (kept & ((gaps & gaps.wrapping_neg()) - 1)).count_ones() as usize;
            out[end] = b' ';
            places.push((base + begin, base + end));
            begin = end + 1;
            gaps &= gaps - 1;
        }
        if high != 0 {
            // The open word is not all ASCII.
            return at + high.trailing_zeros() as usize - (len - begin);
        }
        open = inside >> 31;
        at += 32;
    }
    if len > begin {
        places.push((base + begin, base + len));
    }
    bytes.len()
}
