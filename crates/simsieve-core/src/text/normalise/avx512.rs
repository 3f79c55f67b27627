//! The easy characters by AVX-512, 64 bytes at a time: ASCII, blocks of characters of three bytes that all stay as they
//! are (Han, kana, Hangul and their like), CJK and general punctuation, full-width forms of ASCII.

use std::arch::x86_64::{
    __m512i, _bzhi_u64, _mm512_add_epi8, _mm512_and_si512, _mm512_cmpeq_epi8_mask, _mm512_cmplt_epu8_mask,
    _mm512_mask_add_epi8, _mm512_mask_blend_epi8, _mm512_mask_mov_epi8, _mm512_maskz_compress_epi8,
    _mm512_maskz_loadu_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8,
    _mm512_shuffle_epi8, _mm512_storeu_si512, _mm512_test_epi8_mask,
};

use crate::base::simd::load;
use std::sync::LazyLock;

use super::compact::Compact;
use super::table::{CHAR, CLASS_SHIFT, Class, SIMPLE, TABLE, class_of};
use crate::text::SLACK;

/// The kernel's classes of characters, all from [`TABLE`].
#[repr(C, align(64))]
struct Easy {
    /// ASCII: [`PLAIN`], [`SPACE`] or neither.
    ascii: [u8; 128],
    /// Blocks whose 64 characters are all plain and unchanged.
    blocks: Blocks,
    /// By third byte: [`PLAIN`], [`SPACE`], [`PUNCTUATION`], or 0 where the character is not easy: U+2000 to U+203F.
    general: [u8; 64],
    /// The same for U+3000 to U+303F.
    cjk: [u8; 64],
    /// By third byte: the ASCII character that the full-width form becomes, or 0: U+FF00 to U+FF3F, U+FF40 to U+FF7F.
    wide: [[u8; 64]; 2],
}

const PLAIN: u8 = 1;
const SPACE: u8 = 2;
const PUNCTUATION: u8 = 4;

static EASY: LazyLock<Easy> = LazyLock::new(|| {
    let class = |entry: u32| (entry >> CLASS_SHIFT) as u8 & 3;
    let kinds = |first: usize| {
        std::array::from_fn(|i| {
            let entry = TABLE[first + i];
            let stays = (entry & CHAR) as usize == first + i;
            match class(entry) {
                _ if entry & SIMPLE == 0 => 0,
                c if c == Class::Space as u8 => SPACE,
                c if c == Class::Punctuation as u8 && stays => PUNCTUATION,
                c if c == Class::Plain as u8 && stays => PLAIN,
                _ => 0,
            }
        })
    };
    let narrow = |first: usize| {
        std::array::from_fn(|i| match TABLE[first + i] {
            entry if entry & SIMPLE != 0 && entry & CHAR < 0x80 && class(entry) != Class::Space as u8 => entry as u8,
            _ => 0,
        })
    };
    let stays_plain = |code: usize| {
        let entry = TABLE[code];
        entry & SIMPLE != 0 && (entry & CHAR) as usize == code && class(entry) == Class::Plain as u8
    };
    Easy {
        ascii: std::array::from_fn(|byte| match class_of(char::from(byte as u8)) {
            Class::Plain => PLAIN,
            Class::Punctuation | Class::Symbol => 0,
            Class::Space => SPACE,
        }),
        blocks: Blocks::new(|mut codes| codes.all(stays_plain)),
        general: kinds(0x2000),
        cjk: kinds(0x3000),
        wide: [narrow(0xFF00), narrow(0xFF40)],
    }
});

/// A set of blocks of 64 characters of three bytes that share their first two. Bit `l` of byte `s` in the first half is
/// for lead byte `0xE0 + l` and second byte `0x80 + s`. In the second half it is for lead byte `0xE8 + l`.
#[repr(C, align(64))]
pub(crate) struct Blocks([[u8; 64]; 2]);

impl Blocks {
    /// The blocks that satisfy a condition.
    pub(crate) fn new(fits: impl Fn(std::ops::Range<usize>) -> bool) -> Self {
        let bit = |lead: usize, second: usize| {
            let first = lead << 12 | second << 6;
            // Shorter sequences and surrogates are no blocks.
            let exists = first >= 0x800 && !(0xD800..0xE000).contains(&first);
            exists && fits(first..first + 64)
        };
        Self(std::array::from_fn(|half| {
            std::array::from_fn(|second| (0..8).map(|l| u8::from(bit(half * 8 + l, second)) << l).sum())
        }))
    }

    /// The mask of lead bytes whose block is in the set.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(crate) fn has(&self, first: __m512i, second: __m512i) -> u64 {
        let lower = _mm512_permutexvar_epi8(second, load(&self.0[0]));
        let upper = _mm512_permutexvar_epi8(second, load(&self.0[1]));
        let in_upper = _mm512_test_epi8_mask(first, _mm512_set1_epi8(8));
        let half = _mm512_mask_blend_epi8(in_upper, lower, upper);
        let bit = _mm512_shuffle_epi8(load(&BITS), _mm512_and_si512(first, _mm512_set1_epi8(0xF)));
        _mm512_test_epi8_mask(half, bit)
    }
}

/// Bit `i` of eight, for every lead byte's low nibble.
const BITS: [u8; 64] = {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < 64 {
        bits[i] = 1 << (i % 8);
        i += 1;
    }
    bits
};

/// The characters of three bytes in one vector; a mask has the bit of the lead byte.
struct Wide {
    plain: u64,
    punctuation: u64,
    space: u64,
    narrowed: u64,
    /// The bytes of the narrowed characters, at their lead bytes.
    narrow: __m512i,
}

/// Takes easy characters from `at` on; returns the place of the first other character.
///
/// # Safety
/// The machine has AVX-512 F, BW, VBMI and VBMI2, and BMI2.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt,lzcnt,bmi1")]
pub(super) unsafe fn easy_run(bytes: &[u8], mut at: usize, out: &mut Compact) -> usize {
    let easy = &*EASY;
    let classes = [load(&easy.ascii[..64]), load(&easy.ascii[64..])];
    let mut after_space = u64::from(out.after_space());
    // No easy character grows, so this holds for every later vector too.
    let room = bytes.len() - at + SLACK;
    assert!(out.full.len() >= out.full_len + room && out.kept.len() >= out.kept_len + room);
    while at < bytes.len() {
        let left = bytes.len() - at;
        let valid = _bzhi_u64(u64::MAX, left.min(64) as u32);
        let vector = load_part(bytes, at, valid);
        let high = _mm512_movepi8_mask(vector);
        let (mut x, mut known, mut dropped, mut plain) = (vector, valid & !high, 0, 0);
        if high != 0 {
            let wide = wide(
                easy,
                vector,
                load_part(bytes, at + 1, valid >> 1),
                load_part(bytes, at + 2, valid >> 2),
            );
            let all = |lead: u64| lead | lead << 1 | lead << 2;
            known |= all(wide.plain | wide.punctuation | wide.space | wide.narrowed);
            plain = all(wide.plain);
            // A wide space becomes three spaces, which are merged like any others.
            x = _mm512_mask_mov_epi8(x, all(wide.space), _mm512_set1_epi8(b' ' as i8));
            x = _mm512_mask_mov_epi8(x, wide.narrowed, wide.narrow);
            dropped = wide.narrowed << 1 | wide.narrowed << 2;
        }
        let taken = (!known).trailing_zeros();
        let limit = _bzhi_u64(u64::MAX, taken);
        let ascii = limit & !_mm512_movepi8_mask(x);
        let class = _mm512_permutex2var_epi8(classes[0], x, classes[1]);
        let space = ascii & _mm512_test_epi8_mask(class, _mm512_set1_epi8(SPACE as i8));
        plain |= ascii & _mm512_test_epi8_mask(class, _mm512_set1_epi8(PLAIN as i8));
        x = _mm512_mask_mov_epi8(x, space, _mm512_set1_epi8(b' ' as i8));
        let upper = _mm512_cmplt_epu8_mask(_mm512_add_epi8(x, _mm512_set1_epi8(-65)), _mm512_set1_epi8(26));
        x = _mm512_mask_add_epi8(x, upper, x, _mm512_set1_epi8(0x20));
        let kept = limit & !dropped & !(space & (space << 1 | after_space));
        let compact = limit & plain;
        // In a register first: Zen 4 compresses to memory by microcode, 10 times as slow.
        store(&mut out.full, out.full_len, _mm512_maskz_compress_epi8(kept, x));
        out.full_len += kept.count_ones() as usize;
        store(&mut out.kept, out.kept_len, _mm512_maskz_compress_epi8(compact, x));
        out.kept_len += compact.count_ones() as usize;
        at += taken as usize;
        // A character across the vector's end starts the next vector; any other remaining character is not easy.
        if taken < 62 {
            break;
        }
        after_space = space >> (taken - 1) & 1;
    }
    at
}

/// Finds the easy characters of three bytes, given the bytes at offsets 0, 1 and 2.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
fn wide(easy: &Easy, first: __m512i, second: __m512i, third: __m512i) -> Wide {
    let is = |vector: __m512i, byte: u8| _mm512_cmpeq_epi8_mask(vector, _mm512_set1_epi8(byte as i8));
    let has = |vector: __m512i, bits: u8| _mm512_test_epi8_mask(vector, _mm512_set1_epi8(bits as i8));
    // The last two bytes of a vector begin no whole character of three.
    let lead = u64::MAX >> 2 & is(_mm512_and_si512(first, _mm512_set1_epi8(0xF0_u8 as i8)), 0xE0);
    let mut out = Wide {
        plain: lead & easy.blocks.has(first, second),
        punctuation: 0,
        space: 0,
        narrowed: 0,
        narrow: first,
    };
    let rest = lead & !out.plain;
    if rest == 0 {
        return out;
    }
    let after_80 = rest & is(second, 0x80);
    for (lead, kinds) in [(0xE2, &easy.general), (0xE3, &easy.cjk)] {
        let here = after_80 & is(first, lead);
        let kind = _mm512_permutexvar_epi8(third, load(kinds));
        out.plain |= here & has(kind, PLAIN);
        out.punctuation |= here & has(kind, PUNCTUATION);
        out.space |= here & has(kind, SPACE);
    }
    let forms = rest & is(first, 0xEF);
    for (after, narrow) in [(0xBC, &easy.wide[0]), (0xBD, &easy.wide[1])] {
        let byte = _mm512_permutexvar_epi8(third, load(narrow));
        let here = forms & is(second, after) & _mm512_test_epi8_mask(byte, byte);
        out.narrow = _mm512_mask_mov_epi8(out.narrow, here, byte);
        out.narrowed |= here;
    }
    out
}

/// The bytes from `at` on whose bits are in `valid`, zeros elsewhere. The mask must be within the text.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_part(bytes: &[u8], at: usize, valid: u64) -> __m512i {
    debug_assert!(at + (64 - valid.leading_zeros()) as usize <= bytes.len() || valid == 0);
    // SAFETY: a masked load reads no byte whose bit is clear, and bytes whose bit is set are in the text. The pointer
    // is at most two bytes after the end, so it is computed by wrapping arithmetic.
    unsafe { _mm512_maskz_loadu_epi8(valid, bytes.as_ptr().wrapping_add(at).cast()) }
}

/// Writes 64 bytes from `at` on; `easy_run` asserts once that they fit.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(buffer: &mut [u8], at: usize, vector: __m512i) {
    debug_assert!(at + 64 <= buffer.len());
    // SAFETY: `easy_run` asserted capacity for the rest and one more vector, and no easy character grows.
    unsafe { _mm512_storeu_si512(buffer.as_mut_ptr().add(at).cast(), vector) }
}
