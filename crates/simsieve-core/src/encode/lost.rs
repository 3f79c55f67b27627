//! What is lost of a text if another one stays in its place: the longest run of it that the other does not have.
//!
//! In: two compact texts. A window is the least run of at least eight units: four Han characters, or eight letters. The least such run at the
//! end of a text is a window too. A character is *covered* if it is in a window that the other text has, anywhere. What is lost is the longest run of characters that are not
//! covered, in units. So moved paragraphs lose nothing, and a changed character loses itself alone. A text that is shorter than a window
//! is one window.
//!
//! The other text is searched along the run that was met last. Where that fails often, its windows are hashed once: so the work is
//! linear in the lengths of both texts.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use crate::base::hash::xxh3_64;
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
use crate::encode::tokenize::windows::{Features, Window, character};
use crate::text::Compact;
use crate::text::normalise::plain;

/// Units of a window. Windows of six units, as the default scheme has them, cover more by chance: a name of three letters in another
/// option, or a third of any text of a million letters.
pub const WINDOW: u32 = 8;

/// How often the whole other text may be searched before its windows are hashed, which costs about as much; and after that, before
/// a window that it has is not searched any more.
const SEARCHES: usize = 24;
const MORE_SEARCHES: usize = 64;

/// The longest lost run of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Run {
    /// Its length: 2 for each Han, kana or Hangul character, 1 for any other.
    pub units: u32,
    /// Its first byte in the compact text.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// Memory for one pair after another; keep one a thread.
#[derive(Debug, Default)]
pub struct Memory {
    features: Features,
    marks: Vec<u32>,
    other: Compact,
}

/// The compact text of a normalised text, even if the scheme keeps spaces and punctuation.
pub(crate) fn compact_of(text: &Compact) -> Cow<'_, [u8]> {
    if !text.keeps_all() {
        return Cow::Borrowed(text.compact());
    }
    let normalised = String::from_utf8_lossy(text.normalised());
    Cow::Owned(plain::compact(&normalised).into_bytes())
}

/// What is lost of `text` if `other` stays in its place, as a scheme cleans, extracts and folds both: units, and the lost run of the
/// compact text. `None` where the scheme has no texts.
///
/// # Errors
/// [`UnusableText`] where the scheme cannot use one of them.
///
/// ```
/// use simsieve_core::encode::{lost::between, scheme::Scheme};
/// let scheme = Scheme::parse("chars128").unwrap();
/// let lost = between(&scheme, "The lamp is red. Bring two boxes.", "The lamp is red.").unwrap();
/// assert_eq!(lost, Some((13, "bringtwoboxes".to_owned())));
/// ```
pub fn between(scheme: &Scheme, text: &str, other: &str) -> Result<Option<(u32, String)>, UnusableText> {
    if !scheme.has_features() {
        return Ok(None);
    }
    let mut scratches = [Scratch::default(), Scratch::default()];
    for (text, scratch) in [text, other].into_iter().zip(&mut scratches) {
        scheme.normalise(text, scratch)?;
    }
    let [text, other] = scratches.each_ref().map(|scratch| compact_of(&scratch.text));
    let run = longest_lost(&text, &other, u32::MAX, &mut Memory::default());
    let lost = String::from_utf8_lossy(&text[run.start..run.end]).into_owned();
    Ok(Some((run.units, lost)))
}

/// The longest run of `text` that `other` does not have; both are compact texts. If it is longer than `most`, some run that is longer
/// than `most`.
///
/// Complexity: linear in the lengths of both.
pub fn longest_lost(text: &[u8], other: &[u8], most: u32, memory: &mut Memory) -> Run {
    let mut scan = Scan {
        text,
        other: Other::new(other, memory),
        covered: 0,
        longest: Run::default(),
        vain: None,
        steps: STEPS * text.len(),
    };
    let mut start = 0;
    while let Some(window) = window_at(text, start) {
        if scan.longest.units > most {
            return scan.longest;
        }
        start = match scan.other.find(text, &window) {
            WindowPlace::At(at) => scan.follow(&window, at),
            WindowPlace::Somewhere => scan.cover(&window),
            WindowPlace::Nowhere => match scan.skip(&window) {
                Some((window, at)) => scan.follow(&window, at),
                None => window.start + character(text, window.start).0,
            },
        };
    }
    scan.end();
    scan.longest
}

/// The window that starts at a byte; `None` where too few units follow, but for a text that is shorter than a window.
fn window_at(text: &[u8], start: usize) -> Option<Range<usize>> {
    let (mut end, mut units) = (start, 0);
    while units < WINDOW && end < text.len() {
        let (length, dense) = character(text, end);
        end += length;
        units += 1 + u32::from(dense);
    }
    (units >= WINDOW || start == 0 && end > 0).then_some(start..end)
}

/// The units of a run of characters.
pub(crate) fn units_of(run: &[u8]) -> u32 {
    let (mut at, mut units) = (0, 0);
    while at < run.len() {
        let (length, dense) = character(run, at);
        at += length;
        units += 1 + u32::from(dense);
    }
    units
}

/// The start of the character before a byte.
fn before(text: &[u8], mut at: usize) -> usize {
    at -= 1;
    while text[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    at
}

/// A walk over the windows of a text.
struct Scan<'a> {
    text: &'a [u8],
    other: Other<'a>,
    /// The byte up to which characters are covered, or known to be lost.
    covered: usize,
    longest: Run,
    /// What was covered when no later window was met: nothing else is tried until more is.
    vain: Option<usize>,
    /// How many characters may still be looked at for later windows, which is a shorter way and no other answer.
    steps: usize,
}

/// Characters that are looked at for later windows, for each byte of the text.
const STEPS: usize = 8;

impl Scan<'_> {
    /// The characters from the last covered one to `start` are lost.
    fn close(&mut self, start: usize) {
        if start > self.covered {
            let units = units_of(&self.text[self.covered..start]);
            if units > self.longest.units {
                (self.longest.start, self.longest.end) = (self.covered, start);
                self.longest.units = units;
            }
        }
    }

    /// A window of the text is at `at` of the other one: covers all windows of the run that both share from there. The start of the first
    /// window that is not in this run.
    fn follow(&mut self, window: &Range<usize>, at: usize) -> usize {
        self.close(window.start);
        let shared = shared_run(&self.text[window.end..], &self.other.bytes[at + window.len()..]);
        let mut end = window.end + shared;
        while end < self.text.len() && self.text[end] & 0xC0 == 0x80 {
            end -= 1;
        }
        // The first window that ends after `end`: fewer than a window's units lie between.
        let (mut start, mut units) = (end, 0);
        while start > window.start {
            let earlier = before(self.text, start);
            units += 1 + u32::from(character(self.text, earlier).1);
            if units >= WINDOW {
                break;
            }
            start = earlier;
        }
        let last = if start > window.start {
            window_at(self.text, before(self.text, start)).map_or(end, |last| last.end)
        } else {
            window.end
        };
        self.covered = self.covered.max(last);
        self.other.met(window.start, at);
        start.max(window.start + character(self.text, window.start).0)
    }

    /// Ends the walk with the window at the end of the text: a character of one unit after one of two may be in no other.
    fn end(&mut self) {
        let (mut start, mut units) = (self.text.len(), 0);
        while units < WINDOW && start > 0 && self.covered < self.text.len() {
            start = before(self.text, start);
            units += 1 + u32::from(character(self.text, start).1);
        }
        let window = start..self.text.len();
        let is_there = units >= WINDOW && !matches!(self.other.find(self.text, &window), WindowPlace::Nowhere);
        self.close(if is_there { start } else { self.text.len() });
    }

    /// A window of the text is somewhere in the other one. The start of the next window.
    fn cover(&mut self, window: &Range<usize>) -> usize {
        self.close(window.start);
        self.covered = self.covered.max(window.end);
        window.start + character(self.text, window.start).0
    }

    /// After a window that is not met: a later one that is, if what lies between cannot be the longest run whatever it has. Tried are
    /// the last window of that kind, and those that go on where the run that was met last would.
    fn skip(&mut self, window: &Range<usize>) -> Option<(Range<usize>, usize)> {
        if self.vain == Some(self.covered) {
            return None;
        }
        let found = self.later(window);
        if found.is_none() {
            self.vain = Some(self.covered);
        }
        found
    }

    fn later(&mut self, window: &Range<usize>) -> Option<(Range<usize>, usize)> {
        let (mut start, mut units) = (self.covered, 0);
        let mut last = None;
        while start < self.text.len() {
            self.steps = self.steps.checked_sub(1)?;
            let (length, dense) = character(self.text, start);
            units += 1 + u32::from(dense);
            start += length;
            if units > self.longest.units {
                break;
            }
            if start > window.start {
                let later = window_at(self.text, start)?;
                if let Some(at) = self.other.beside(self.text, &later) {
                    return Some((later, at));
                }
                last = Some(later);
            }
        }
        let last = last?;
        match self.other.find(self.text, &last) {
            WindowPlace::At(at) => Some((last, at)),
            WindowPlace::Somewhere | WindowPlace::Nowhere => None,
        }
    }
}

/// How many bytes two texts have in common from their starts.
fn shared_run(a: &[u8], b: &[u8]) -> usize {
    let (blocks_a, blocks_b) = (a.as_chunks::<16>().0, b.as_chunks::<16>().0);
    let whole = blocks_a.iter().zip(blocks_b).take_while(|(a, b)| a == b).count() * 16;
    let rest = a[whole..].iter().zip(&b[whole..]);
    whole + rest.take_while(|(a, b)| a == b).count()
}

/// Where a window is in the text that stays.
enum WindowPlace {
    At(usize),
    /// It is there, and was not searched.
    Somewhere,
    Nowhere,
}

/// The text that stays.
struct Other<'a> {
    bytes: &'a [u8],
    memory: &'a mut Memory,
    /// The last window that was met: its start in the text, and in this one.
    last: (usize, usize),
    /// Bytes that were searched in vain.
    searched: usize,
    is_hashed: bool,
}

impl<'a> Other<'a> {
    fn new(bytes: &'a [u8], memory: &'a mut Memory) -> Self {
        Self {
            bytes,
            memory,
            last: (0, 0),
            searched: 0,
            is_hashed: false,
        }
    }

    fn met(&mut self, start: usize, at: usize) {
        self.last = (start, at);
    }

    /// Where a window is, if that is as far from the one that was met last as it is in the text.
    fn beside(&self, text: &[u8], window: &Range<usize>) -> Option<usize> {
        let (start, at) = self.last;
        let at = (at + window.start).checked_sub(start)?;
        let here = self.bytes.get(at..at + window.len())?;
        (*here == text[window.clone()]).then_some(at)
    }

    /// Where a window is.
    fn find(&mut self, text: &[u8], window: &Range<usize>) -> WindowPlace {
        if let Some(at) = self.beside(text, window) {
            return WindowPlace::At(at);
        }
        let wanted = &text[window.clone()];
        // The last window may be longer than those that are hashed.
        if self.is_hashed && window.end < text.len() {
            if !self.memory.features.contains(xxh3_64(wanted)) {
                return WindowPlace::Nowhere;
            }
            if self.searched > (SEARCHES + MORE_SEARCHES) * self.bytes.len() {
                return WindowPlace::Somewhere;
            }
        }
        let (earlier, later) = self.bytes.split_at(self.last.1);
        let found = match memmem::find(later, wanted) {
            Some(at) => Some((earlier.len() + at, at)),
            None => memmem::find(self.bytes, wanted).map(|at| (at, self.bytes.len())),
        };
        self.searched += found.map_or(self.bytes.len(), |(_, searched)| searched);
        if !self.is_hashed && self.searched > SEARCHES * self.bytes.len() + 4096 {
            self.hash();
        }
        found.map_or(WindowPlace::Nowhere, |(at, _)| WindowPlace::At(at))
    }

    fn hash(&mut self) {
        self.is_hashed = true;
        let Memory { features, marks, other } = &mut *self.memory;
        other.take_compact(self.bytes);
        features.collect(other, Window::Units(WINDOW), false, marks);
    }
}

#[cfg(test)]
#[path = "lost_tests.rs"]
mod tests;
