//! From the compact text to features: windows of characters, hashed, each distinct one once with its count.

use crate::hash::xxh3_64;
use crate::text::{Compact, is_dense};

/// How long a window is; one begins at every character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The shortest run of characters that holds this many units: a Han, kana or Hangul character is two, any other
    /// character one. Six units are three Chinese characters or six letters, which say about as much: at three
    /// letters a window, unrelated English articles reach a cosine of 0.83; at six, 0.52.
    Units(u32),
    /// This many characters, whatever they are: the classic n-gram.
    Chars(u32),
}

impl Window {
    #[inline]
    fn size(self) -> u32 {
        match self {
            Self::Units(size) | Self::Chars(size) => size,
        }
    }
}

/// Calls `each` with every window's bytes in order. A text shorter than a window is one window; an empty one has none.
pub fn windows<'a>(text: &'a Compact, window: Window, places: &mut Vec<u32>, mut each: impl FnMut(&'a [u8])) {
    let bytes = text.compact();
    if bytes.is_empty() {
        return;
    }
    let size = window.size();
    if text.is_ascii() {
        if bytes.len() <= size as usize {
            each(bytes);
        } else {
            bytes.windows(size as usize).for_each(each);
        }
        return;
    }
    mark(bytes, window, places);
    let (mut first, mut end, mut units) = (0, 0, 0);
    // `places` has one entry more than there are characters: the end of the text.
    let characters = places.len() - 1;
    loop {
        while units < size && end < characters {
            units += 1 + (places[end] >> 31);
            end += 1;
        }
        if units < size {
            if first == 0 {
                each(bytes);
            }
            return;
        }
        each(&bytes[(places[first] & OFFSET) as usize..(places[end] & OFFSET) as usize]);
        units -= 1 + (places[first] >> 31);
        first += 1;
    }
}

const OFFSET: u32 = u32::MAX >> 1;

/// Writes every character's offset, the top bit set where it counts two units; then the end. Offsets fit in 31 bits
/// because [`crate::MAX_TEXT_BYTES`] does.
fn mark(bytes: &[u8], window: Window, places: &mut Vec<u32>) {
    places.clear();
    places.reserve(bytes.len() + 1);
    let by_units = matches!(window, Window::Units(_));
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let (length, dense) = if byte < 0x80 {
            (1, false)
        } else if byte < 0xE0 {
            (2, false)
        } else if byte < 0xF0 {
            let code =
                u32::from(byte & 0xF) << 12 | u32::from(bytes[at + 1] & 0x3F) << 6 | u32::from(bytes[at + 2] & 0x3F);
            // Most dense characters are in one range: ask for it first.
            (3, matches!(code, 0x4E00..=0x9FFF) || is_dense(code))
        } else {
            let code = u32::from(byte & 7) << 18
                | u32::from(bytes[at + 1] & 0x3F) << 12
                | u32::from(bytes[at + 2] & 0x3F) << 6
                | u32::from(bytes[at + 3] & 0x3F);
            (4, is_dense(code))
        };
        places.push(at as u32 | u32::from(dense && by_units) << 31);
        at += length;
    }
    places.push(at as u32);
}

/// The distinct features of one text, in the order of their first occurrence.
#[derive(Debug, Default, Clone)]
pub struct Features {
    hashes: Vec<u64>,
    counts: Vec<u32>,
    /// Open addressing, linear probing, load at most one half; zero is an empty slot.
    slots: Vec<u64>,
    /// Where in `hashes` a slot's feature stands; kept only while counting.
    places: Vec<u32>,
    /// Where the feature whose hash is zero stands: it has no slot.
    zero: Option<u32>,
}

impl Features {
    /// The features' hashes (XXH3-64 of their UTF-8), each once.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// How often each feature occurs; empty after [`Features::collect`] without counts.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// How many distinct features there are.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether the text has no features.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Takes the features of `text`, counting them where `counted`; what was here before is lost.
    ///
    /// Complexity: linear in the length of the text.
    pub fn collect(&mut self, text: &Compact, window: Window, counted: bool, marks: &mut Vec<u32>) {
        self.clear(text.compact().len());
        if counted {
            windows(text, window, marks, |bytes| self.add::<true>(xxh3_64(bytes)));
        } else {
            windows(text, window, marks, |bytes| self.add::<false>(xxh3_64(bytes)));
        }
    }

    /// Where the feature stands among [`Features::hashes`]; only after counting.
    pub fn place(&self, hash: u64) -> Option<usize> {
        if hash == 0 {
            return self.zero.map(|at| at as usize);
        }
        let slot = self.slot_of(hash);
        (self.slots[slot] == hash).then(|| self.places[slot] as usize)
    }

    /// Whether the feature is here.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        if hash == 0 {
            self.zero.is_some()
        } else {
            self.slots[self.slot_of(hash)] == hash
        }
    }

    fn clear(&mut self, expected: usize) {
        self.hashes.clear();
        self.counts.clear();
        self.zero = None;
        let wanted = (expected * 2).next_power_of_two().clamp(64, START_SLOTS);
        self.slots.clear();
        self.slots.resize(wanted, 0);
    }

    /// The slot that holds `hash`, or the empty one where it belongs.
    #[inline]
    fn slot_of(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != hash && self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[inline]
    fn add<const COUNTED: bool>(&mut self, hash: u64) {
        if hash == 0 {
            self.add_zero::<COUNTED>();
            return;
        }
        let slot = self.slot_of(hash);
        if self.slots[slot] == hash {
            if COUNTED {
                self.counts[self.places[slot] as usize] += 1;
            }
            return;
        }
        self.slots[slot] = hash;
        if COUNTED {
            if self.places.len() < self.slots.len() {
                self.places.resize(self.slots.len(), 0);
            }
            self.places[slot] = self.hashes.len() as u32;
            self.counts.push(1);
        }
        self.hashes.push(hash);
        if self.hashes.len() * 2 > self.slots.len() {
            self.grow::<COUNTED>();
        }
    }

    #[cold]
    fn add_zero<const COUNTED: bool>(&mut self) {
        if let Some(at) = self.zero {
            if COUNTED {
                self.counts[at as usize] += 1;
            }
            return;
        }
        self.zero = Some(self.hashes.len() as u32);
        self.hashes.push(0);
        if COUNTED {
            self.counts.push(1);
        }
    }

    #[cold]
    fn grow<const COUNTED: bool>(&mut self) {
        let size = self.slots.len() * 4;
        self.slots.clear();
        self.slots.resize(size, 0);
        if COUNTED {
            self.places.resize(size, 0);
        }
        for at in 0..self.hashes.len() {
            let hash = self.hashes[at];
            if hash != 0 {
                let slot = self.slot_of(hash);
                self.slots[slot] = hash;
                if COUNTED {
                    self.places[slot] = at as u32;
                }
            }
        }
    }
}

/// Slots to begin with at most: 32 KiB stay in the first cache; repetitive long texts never need more.
const START_SLOTS: usize = 4096;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The windows in their plainest form.
    fn plain_windows(text: &str, window: Window) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let units = |c: char| {
            if matches!(window, Window::Units(_)) && is_dense(c as u32) {
                2
            } else {
                1
            }
        };
        let size = window.size();
        let mut out = Vec::new();
        for first in 0..chars.len() {
            let (mut sum, mut end) = (0, first);
            while sum < size && end < chars.len() {
                sum += units(chars[end]);
                end += 1;
            }
            if sum >= size || first == 0 {
                out.push(chars[first..end].iter().collect());
            }
        }
        out
    }

    fn got_windows(text: &str, window: Window) -> Vec<String> {
        let mut out = Vec::new();
        windows(&Compact::of(text), window, &mut Vec::new(), |w| {
            out.push(String::from_utf8(w.to_vec()).unwrap())
        });
        out
    }

    #[test]
    fn windows_of_six_units_are_three_han_or_six_letters() {
        assert_eq!(got_windows("中文字符", Window::Units(6)), ["中文字", "文字符"]);
        assert_eq!(got_windows("letters", Window::Units(6)), ["letter", "etters"]);
        assert_eq!(got_windows("a中b文字", Window::Units(6)), ["a中b文", "中b文字"]);
        assert_eq!(got_windows("短", Window::Units(6)), ["短"]);
        assert_eq!(got_windows("", Window::Units(6)), [""; 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn windows_agree_with_the_plain_ones(text in "[a-z中文カ각é𠮷\u{1AFF5}\u{18DFF}\u{18E00}\u{1F600}]{0,30}", size in 1..9_u32) {
            for window in [Window::Units(size), Window::Chars(size)] {
                prop_assert_eq!(got_windows(&text, window), plain_windows(&text, window));
            }
        }

        #[test]
        fn features_are_the_distinct_windows_with_their_counts(text in "[ab中]{0,300}", size in 1..5_u32) {
            let (mut features, mut marks) = (Features::default(), Vec::new());
            features.collect(&Compact::of(&text), Window::Chars(size), true, &mut marks);
            let mut expected = BTreeMap::new();
            for window in plain_windows(&text, Window::Chars(size)) {
                *expected.entry(xxh3_64(window.as_bytes())).or_insert(0_u32) += 1;
            }
            let got: BTreeMap<u64, u32> = features.hashes().iter().copied().zip(features.counts().iter().copied()).collect();
            prop_assert_eq!(&got, &expected);
            prop_assert_eq!(features.len(), expected.len());
            for (at, &hash) in features.hashes().iter().enumerate() {
                prop_assert_eq!(features.place(hash), Some(at));
            }
            prop_assert_eq!(features.place(1), None);
            let mut uncounted = Features::default();
            uncounted.collect(&Compact::of(&text), Window::Chars(size), false, &mut marks);
            prop_assert_eq!(uncounted.hashes(), features.hashes());
        }
    }

    #[test]
    fn a_hash_of_zero_is_a_feature_like_any_other() {
        let mut features = Features::default();
        features.clear(4);
        for hash in [5, 0, 0, 5, 7] {
            features.add::<true>(hash);
        }
        for hash in 100..10_000 {
            features.add::<true>(hash);
        }
        assert_eq!(
            (&features.hashes()[..3], &features.counts()[..3]),
            (&[5, 0, 7][..], &[2, 2, 1][..])
        );
        assert_eq!(
            (features.place(0), features.place(7), features.place(9999)),
            (Some(1), Some(2), Some(9902))
        );
        assert!(features.contains(0) && !features.contains(6));
    }
}
