//! Anchors: the windows of a text that are remembered, so that a shared run has one in both texts.
//!
//! A window is seven Chinese characters in a row, or seven letters of an alphabet, and more of these in a large collection: in English
//! most runs of seven letters are at many places of a gigabyte. Of the windows that begin within a stretch, nine sevenths of that, the
//! one with the least hash is an anchor (winnowing: Schleimer, Wilkerson and Aiken, 2003). So what is an anchor depends on the run
//! alone, and not on what stands around it.
//!
//! | trial on Chinese texts, 42 % Han: a window of characters or letters, of a stretch | anchors a character | runs of 60 to 600 characters with an anchor at 5, 10, 20 % of edits |
//! |---|---|---|
//! | 7 or 7, of 9 or 9 | .151 | 1.000 .992 .936 |
//! | 8 or 8, of 9 or 9 | .151 | .994 .992 .905 |
//! | 8 or 8, of 12 or 12 | .117 | .991 .981 .854 |
//! | 6 or 9, of 9 or 13 | .134 | .994 .965 .882 |
//! | 8 or 16, of 12 or 24 | .100 | .936 .848 .677 |
//!
//! The rarest window of a stretch, in place of the one with the least hash, lost: it is often one that an edit has made. So did words in
//! place of letters: one edit in each second word leaves no run of words, and nothing to align.

use std::collections::VecDeque;

use super::letters::Letter;
use crate::base::hash::mix;

/// Dense characters of a window, and of a stretch.
const WINDOW: u32 = 7;
const STRETCH: u32 = 9;

/// How long windows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// What a dense character weighs; a letter weighs seven.
    letters: u32,
    /// What a window weighs at least.
    window: u32,
}

impl Windows {
    /// The windows for a collection of `bytes` bytes: a letter more for each factor of four from 8 MiB on.
    pub const fn of_bytes(bytes: u64) -> Self {
        let bits = 64 - bytes.leading_zeros();
        Self::of_letters(WINDOW + (bits.saturating_sub(23)).div_ceil(2))
    }

    /// Windows of `letters` letters of an alphabet.
    pub(crate) const fn of_letters(letters: u32) -> Self {
        Self {
            letters,
            window: WINDOW * letters,
        }
    }

    /// The longest windows that give an anchor to every run of `run` letters of any kind, at least [`Windows::LEAST`].
    pub(crate) const fn within(run: u32) -> Self {
        Self {
            letters: WINDOW,
            window: WINDOW * (run + 1 - STRETCH),
        }
    }

    /// The least run that has an anchor.
    pub const LEAST: u32 = WINDOW + STRETCH - 1;

    /// Dense characters of a window.
    pub(crate) const fn characters(self) -> u32 {
        self.window / self.letters
    }

    pub(crate) const fn letters(self) -> u32 {
        self.letters
    }

    const fn weight(self, letter: &Letter) -> u32 {
        if letter.is_dense() { self.letters } else { WINDOW }
    }

    const fn stretch(self) -> u32 {
        STRETCH * self.letters
    }

    /// Lengths from which on every shared run has an anchor: in dense characters, and in letters of an alphabet.
    pub const fn certain(self) -> (u32, u32) {
        let stretch = self.stretch() - WINDOW;
        (
            stretch.div_ceil(self.letters) + self.characters(),
            stretch.div_ceil(WINDOW) + self.window / WINDOW,
        )
    }

    /// Whether a run is so long that it has an anchor: a stretch of windows, and the last of them whole.
    #[cfg(test)]
    pub(crate) fn is_certain(self, run: &[Letter]) -> bool {
        let mut before = 0;
        for (at, letter) in run.iter().enumerate() {
            if before + WINDOW >= self.stretch() {
                return self.end(run, at).is_some();
            }
            before += self.weight(letter);
        }
        false
    }

    /// The end of the window that begins at a letter; `None` where the rest of the text is shorter.
    pub(crate) fn end(self, letters: &[Letter], start: usize) -> Option<usize> {
        let mut weight = 0;
        for (at, letter) in letters[start..].iter().enumerate() {
            weight += self.weight(letter);
            if weight >= self.window {
                return Some(start + at + 1);
            }
        }
        None
    }
}

/// An odd number with many ones, spread.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Calls `each` with hash and first letter of every anchor, in order.
///
/// Complexity: linear in the number of letters.
pub fn each_anchor(windows: Windows, letters: &[Letter], each: impl FnMut(u64, u32)) {
    // In a text of hardly more than a stretch every window is an anchor: test items are short.
    let short = windows.stretch() + windows.window + 2 * windows.letters;
    let all: u32 = letters
        .iter()
        .take(short as usize)
        .map(|letter| windows.weight(letter))
        .sum();
    let stretch = if all < short { 1 } else { u64::from(windows.stretch()) };
    each_least(windows, stretch, letters, each);
}

/// Calls `each` with hash and first letter of every window, in order.
pub(crate) fn each_window(windows: Windows, letters: &[Letter], each: impl FnMut(u64, u32)) {
    each_least(windows, 1, letters, each);
}

/// Hash and first letter of the first anchor that a run has wherever it stands; `None` where it may have none.
pub(crate) fn certain_anchor(windows: Windows, run: &[Letter]) -> Option<(u64, u32)> {
    let mut first = None;
    each_least(windows, u64::from(windows.stretch()), run, |hash, at| {
        first.get_or_insert((hash, at));
    });
    first
}

/// The windows with the least hash within a stretch.
fn each_least(windows: Windows, stretch: u64, letters: &[Letter], mut each: impl FnMut(u64, u32)) {
    // Windows that may still be the least: hash, first letter, weight of all before it.
    let mut queue: VecDeque<(u64, u32, u64)> = VecDeque::new();
    let (mut before, mut last) = (0, None);
    // The window: its end, its weight, the sum of its letters times powers of the base.
    let (mut end, mut weight, mut sum) = (0, 0, 0_u64);
    let value = |letter: &Letter| mix(u64::from(letter.id()));
    for (start, letter) in letters.iter().enumerate() {
        while weight < windows.window
            && let Some(next) = letters.get(end)
        {
            sum = sum.wrapping_mul(BASE).wrapping_add(value(next));
            weight += windows.weight(next);
            end += 1;
        }
        if weight < windows.window {
            break;
        }
        let hash = mix(sum);
        // Of equal ones the last stays, so that a repeated text has few anchors.
        while queue.back().is_some_and(|&(other, ..)| other >= hash) {
            queue.pop_back();
        }
        queue.push_back((hash, start as u32, before));
        while queue.front().is_some_and(|&(.., earlier)| earlier + stretch <= before) {
            queue.pop_front();
        }
        if before + u64::from(WINDOW) >= stretch
            && let Some(&(hash, at, _)) = queue.front()
            && last != Some(at)
        {
            last = Some(at);
            each(hash, at);
        }
        before += u64::from(windows.weight(letter));
        weight -= windows.weight(letter);
        sum = sum.wrapping_sub(value(letter).wrapping_mul(BASE.wrapping_pow((end - start - 1) as u32)));
    }
}
