//! The words of ASCII text: maximal runs of letters, digits and symbols.

use super::table::IN_WORD;
#[cfg(target_arch = "x86_64")]
use super::{ascii_avx512, avx2};
use crate::base::hash::Place;
use crate::base::kernel::Kernel;
use crate::text::SLACK;

/// Words separated by spaces. Keep one a thread to reuse its memory.
#[derive(Debug, Default, Clone)]
pub(crate) struct Joined {
    /// Memory for the words; `len` bytes of it are taken.
    pub(super) bytes: Vec<u8>,
    pub(super) len: usize,
}

impl Joined {
    /// The words.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).expect("words of ASCII")
    }

    /// Takes the words of `text` from byte `from` to the first word that is not all ASCII. Returns the start of that
    /// word, or the text's length. The former content is lost; `places` gets each word's place in the result, plus
    /// `base`.
    ///
    /// Complexity: linear in the bytes read.
    pub(crate) fn take(
        &mut self,
        kernel: Kernel,
        text: &str,
        from: usize,
        base: usize,
        places: &mut Vec<Place>,
    ) -> usize {
        let bytes = &text.as_bytes()[from..];
        if self.bytes.len() < bytes.len() + SLACK {
            self.bytes.resize(bytes.len() + SLACK, 0);
        }
        let before = places.len();
        let taken = match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
            Kernel::Avx512 => unsafe { ascii_avx512::take(bytes, base, &mut self.bytes, places) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::take_words(bytes, base, &mut self.bytes, places) },
            _ => take(bytes, base, &mut self.bytes, places),
        };
        self.len = places[before..].last().map_or(0, |place| place.1 - base);
        from + taken
    }
}

/// Takes words up to the first that is not all ASCII.
///
/// Returns the end of the words that are all ASCII.
fn take(bytes: &[u8], base: usize, out: &mut [u8], places: &mut Vec<Place>) -> usize {
    let in_word = &*IN_WORD;
    // As long as the output can be, so only the lengths are checked.
    let out = &mut out[..=bytes.len()];
    let (mut begin, mut len, mut at) = (0, 0, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte >= 0x80 {
            // The open word is not all ASCII.
            return at - (len - begin);
        }
        // Every byte is written; a byte that is not kept leaves the length, and the next byte overwrites it.
        let inside = in_word[usize::from(byte)];
        out[len] = byte;
        if inside {
            len += 1;
        } else if len > begin {
            out[len] = b' ';
            places.push((base + begin, base + len));
            len += 1;
            begin = len;
        }
        at += 1;
    }
    if len > begin {
        places.push((base + begin, base + len));
    }
    at
}

/// The first ASCII byte from `at` on that is between words, or the length.
pub(crate) fn next_gap(text: &str, at: usize) -> usize {
    let in_word = &*IN_WORD;
    let rest = text.as_bytes()[at..].iter();
    let inside = |byte: &u8| *byte >= 0x80 || in_word[usize::from(*byte)];
    at + rest.take_while(|byte| inside(byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::normalise::table::{Class, class_of};

    /// The words by simple code, and the start of the first that is not all ASCII.
    fn plain(text: &str) -> (Vec<&str>, usize) {
        let (mut words, mut at) = (Vec::new(), 0);
        for run in text.split_inclusive(|c| c < '\u{80}' && class_of(c) != Class::Plain) {
            let word = run.trim_end_matches(|c| c < '\u{80}' && class_of(c) != Class::Plain);
            if !word.is_ascii() {
                return (words, at);
            }
            if !word.is_empty() {
                words.push(word);
            }
            at += run.len();
        }
        (words, at)
    }

    fn check(text: &str) {
        let (expected, end) = plain(text);
        for kernel in Kernel::available() {
            let (mut joined, mut places) = (Joined::default(), vec![(7, 7)]);
            let got = joined.take(kernel, text, 0, 100, &mut places);
            assert_eq!(joined.text(), expected.join(" "), "{kernel:?} {text:?}");
            assert_eq!(got, end, "{kernel:?} {text:?}");
            let words = places[1..]
                .iter()
                .map(|&(from, to)| &joined.text()[from - 100..to - 100]);
            assert_eq!(words.collect::<Vec<_>>(), expected, "{kernel:?} {text:?}");
        }
    }

    #[test]
    fn words_at_the_edges_of_vectors_agree() {
        for length in 0..140 {
            for tail in ["", " ", "é", " é", "é a", ".", "  x"] {
                check(&format!("{}{tail}", "a".repeat(length)));
                check(&format!("{}{tail}", "ab, ".repeat(length).get(..length).unwrap_or("")));
                check(&format!("{}{tail}", " ".repeat(length)));
            }
        }
    }

    #[test]
    fn a_gap_is_ascii() {
        assert_eq!(next_gap("né—x’y z", 0), "né—x’y".len());
        assert_eq!(next_gap("a", 0), 1);
        assert_eq!(next_gap("a-", 1), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn every_kernel_finds_the_plain_words(text in "([a-z]{0,20}|[ -~]{0,90}|[\\x00-\\x7f]{0,9}|[ '._:,0-9A-Z]{0,12}|[é中’\u{a0}]{0,1}){0,40}") {
            check(&text);
        }
    }
}
