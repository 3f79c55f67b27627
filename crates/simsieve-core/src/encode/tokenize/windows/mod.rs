//! From the compact text to features: windows of characters, hashed; each distinct one once, with its count.

mod block;
mod cut;
#[cfg(target_arch = "x86_64")]
mod cut_avx2;
#[cfg(target_arch = "x86_64")]
mod cut_avx512;
mod window;

use crate::base::hash::batch::{hash_ascii, hash_marked};
use crate::base::hash::distinct::DistinctHashes;
use crate::base::kernel::Kernel;
use crate::text::Compact;
pub(crate) use block::character;
pub use window::Window;

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

/// Writes every character's offset, the top bit set if it counts two units; then the end. Offsets fit in 31 bits, as
/// [`crate::text::MAX_TEXT_BYTES`] does.
fn mark(bytes: &[u8], window: Window, places: &mut Vec<u32>) {
    places.clear();
    places.reserve(bytes.len() + 1);
    let by_units = matches!(window, Window::Units(_));
    let mut at = 0;
    while at < bytes.len() {
        let (length, dense) = block::character(bytes, at);
        places.push(at as u32 | u32::from(dense && by_units) << 31);
        at += length;
    }
    places.push(at as u32);
}

/// The distinct features of one text, in the order of their first occurrence.
#[derive(Debug, Default, Clone)]
pub struct Features {
    table: DistinctHashes,
    /// The hashes of one block of windows: hashing is separate from look-up, so a mispredicted branch of the table does
    /// not delay the next hashes.
    block: Vec<u64>,
    scratch: block::BlockScratch,
    /// Which features of another text were met.
    met: Vec<u8>,
}

/// Windows hashed before they are looked up.
const BLOCK: usize = 1024;

/// What becomes of the hashes of a text's windows.
trait TakeHashes {
    /// A text with at most `expected` windows begins.
    fn begin(&mut self, expected: usize);
    /// The next hashes, at most [`BLOCK`].
    fn take(&mut self, hashes: &[u64]);
}

/// Each distinct hash is kept, and counted if `COUNTED`.
struct Insert<'a, const COUNTED: bool>(&'a mut DistinctHashes);

impl<const COUNTED: bool> TakeHashes for Insert<'_, COUNTED> {
    fn begin(&mut self, expected: usize) {
        self.0.clear::<COUNTED>(expected);
    }

    #[inline]
    fn take(&mut self, hashes: &[u64]) {
        self.0.insert::<COUNTED>(hashes);
    }
}

/// Those hashes of a table that the text has are marked.
struct Mark<'a>(&'a DistinctHashes, &'a mut [u8]);

impl TakeHashes for Mark<'_> {
    fn begin(&mut self, _expected: usize) {}

    #[inline]
    fn take(&mut self, hashes: &[u64]) {
        self.0.mark(hashes, self.1);
    }
}

/// Hashes the windows of a text block by block. The memory is for a block's hashes, its characters and its windows.
fn each_block(
    kernel: Kernel,
    text: &Compact,
    window: Window,
    (block, scratch, marks): (&mut [u64], &mut block::BlockScratch, &mut Vec<u32>),
    taker: &mut impl TakeHashes,
) {
    let (padded, len) = text.padded();
    let size = window.size() as usize;
    if len == 0 {
        taker.begin(0);
    } else if text.is_ascii() && len > size {
        let windows = len - size + 1;
        taker.begin(windows);
        for first in (0..windows).step_by(BLOCK) {
            let hashes = &mut block[..BLOCK.min(windows - first)];
            hash_ascii(kernel, &padded[first..], size, hashes);
            taker.take(hashes);
        }
    } else if text.is_ascii() {
        take_whole(taker, &padded[..len]);
    } else {
        let mut cutter = cut::Cutter::new(padded, len, window);
        let mut none = true;
        while let Some((begin, windows)) = cutter.next(kernel, scratch, marks) {
            let marks = &marks[..windows];
            if begin == 0 {
                taker.begin(if cutter.at_end() { marks.len() } else { usize::MAX });
            }
            let hashes = &mut block[..marks.len()];
            hash_marked(kernel, &padded[begin..], marks, hashes);
            none &= marks.is_empty();
            for hashes in hashes.chunks(BLOCK) {
                taker.take(hashes);
            }
        }
        if none {
            take_whole(taker, &padded[..len]);
        }
    }
}

/// A text shorter than a window is one.
fn take_whole(taker: &mut impl TakeHashes, bytes: &[u8]) {
    taker.begin(1);
    taker.take(&[crate::base::hash::xxh3_64(bytes)]);
}

impl Features {
    /// The features' hashes (XXH3-64 of their UTF-8), each once.
    pub fn hashes(&self) -> &[u64] {
        self.table.hashes()
    }

    /// How often each feature occurs; empty after [`Features::collect`] without counts.
    pub fn counts(&self) -> &[u32] {
        self.table.counts()
    }

    /// How many distinct features there are.
    pub fn len(&self) -> usize {
        self.hashes().len()
    }

    /// Whether the text has no features.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the features of `text`, and counts them if `counted`. The former content is lost.
    ///
    /// Complexity: linear in the length of the text.
    pub fn collect(&mut self, text: &Compact, window: Window, counted: bool, marks: &mut Vec<u32>) {
        self.collect_by(Kernel::active(), text, window, counted, marks);
    }

    /// [`Features::collect`] with the given kernel.
    ///
    /// # Panics
    /// Where this machine cannot run the kernel.
    pub fn collect_by(&mut self, kernel: Kernel, text: &Compact, window: Window, counted: bool, marks: &mut Vec<u32>) {
        assert!(kernel.is_available(), "{kernel:?} is no kernel of this machine");
        self.prepare_block();
        if counted {
            self.take::<true>(kernel, text, window, marks);
            self.table.finish_counts();
        } else {
            self.take::<false>(kernel, text, window, marks);
        }
    }

    /// Takes external features, given by their hashes in the order of the text.
    pub fn collect_hashes(&mut self, hashes: &[u64], counted: bool) {
        self.table.collect(hashes, counted);
    }

    fn take<const COUNTED: bool>(&mut self, kernel: Kernel, text: &Compact, window: Window, marks: &mut Vec<u32>) {
        let memory = (&mut *self.block, &mut self.scratch, marks);
        each_block(kernel, text, window, memory, &mut Insert::<COUNTED>(&mut self.table));
    }

    /// How many distinct windows of `text` are among the features of `held`; the features here stay as they are.
    ///
    /// Complexity: one look-up a window. A set of the windows is not made.
    pub fn count_shared(&mut self, text: &Compact, window: Window, held: &Self, marks: &mut Vec<u32>) -> usize {
        self.prepare_block();
        self.met.clear();
        self.met.resize(held.table.places_to_mark(), 0);
        let memory = (&mut *self.block, &mut self.scratch, marks);
        let mut mark = Mark(&held.table, &mut self.met);
        each_block(Kernel::active(), text, window, memory, &mut mark);
        self.met.iter().map(|&met| usize::from(met)).sum()
    }

    fn prepare_block(&mut self) {
        if self.block.is_empty() {
            self.block.resize(block::MOST_WINDOWS.max(BLOCK), 0);
        }
    }

    /// The index of the feature in [`Features::hashes`]; only after counting.
    pub fn place(&self, hash: u64) -> Option<usize> {
        self.table.place(hash)
    }

    /// From items in the order of the text, each with its feature's hash: the first item of each feature, in the order
    /// of [`Features::hashes`].
    pub(crate) fn firsts<T>(&self, items: impl Iterator<Item = (T, u64)>) -> impl Iterator<Item = T> {
        self.table.firsts(items)
    }

    /// The sums of the values of each feature's occurrences, given by their hashes; only after counting.
    pub(crate) fn sums(&self, hashes: &[u64], values: &[f64]) -> Vec<f64> {
        self.table.sums(hashes, values)
    }

    /// How many of some distinct features the text has.
    pub fn count_of(&self, hashes: &[u64]) -> usize {
        self.table.count_of(hashes)
    }

    /// Whether the text has the feature.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        self.table.contains(hash)
    }
}

#[cfg(test)]
mod tests;
