//! Cutting: blocks of the text, the likeliest path through the dictionary, and the cutting of single characters.
//!
//! The rules are those of jieba 0.42.1, `Tokenizer.cut` and its callees; [`super::plain`] is their short form.

use std::collections::HashSet;
use std::ops::Range;

use super::data::States;
use super::dictionary::Dictionary;
use super::mode::Mode;
use super::scratch::CutScratch;
use super::trie::{FIRST_HAN, HAN};

/// The characters of a block, in which words are searched. All others are words of their own.
pub(super) struct Blocks {
    ascii: [bool; 128],
}

impl Blocks {
    /// Letters and digits, with the signs that a pattern of jieba's adds.
    const fn with(signs: &[u8]) -> Self {
        let mut ascii = [false; 128];
        let mut byte = 0;
        while byte < 128 {
            ascii[byte] = (byte as u8).is_ascii_alphanumeric();
            byte += 1;
        }
        let mut at = 0;
        while at < signs.len() {
            ascii[signs[at] as usize] = true;
            at += 1;
        }
        Self { ascii }
    }
}

/// The blocks that are cut into words (`re_han_default`).
pub(super) static OF_WORDS: Blocks = Blocks::with(b"+#&._%-");
/// The blocks that are cut into tagged words (`re_han_internal` of `posseg`).
pub(super) static OF_TAGGED: Blocks = Blocks::with(b"+#&._");

/// Calls `block` for each block, which is in `scratch`, and `rest` for each run of other characters, in order.
pub(super) fn split<T>(
    text: &str,
    blocks: &Blocks,
    scratch: &mut CutScratch,
    context: &mut T,
    mut block: impl FnMut(&mut CutScratch, &mut T),
    mut rest: impl FnMut(Range<usize>, &mut T),
) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        scratch.symbols.clear();
        scratch.offsets.clear();
        let start = at;
        while at < bytes.len() {
            let (symbol, width) = match bytes[at] {
                byte @ 0..=0x7F if blocks.ascii[byte as usize] => (u16::from(byte), 1),
                0xE4..=0xE9 => match han(bytes, at) {
                    Some(symbol) => (symbol, 3),
                    None => break,
                },
                _ => break,
            };
            scratch.symbols.push(symbol);
            scratch.offsets.push(at as u32);
            at += width;
        }
        if at > start {
            scratch.offsets.push(at as u32);
            block(scratch, context);
        }
        let start = at;
        while at < bytes.len() {
            at += match bytes[at] {
                byte @ 0..=0x7F if blocks.ascii[byte as usize] => break,
                0xE4..=0xE9 if han(bytes, at).is_some() => break,
                lead => char_width(lead),
            };
        }
        if at > start {
            rest(start..at, context);
        }
    }
}

/// The symbol of the Han character that begins here with a byte from 0xE4 to 0xE9, as those of U+4000 to U+9FFF do;
/// `None` outside the range. The bytes are UTF-8, so two follow.
#[inline]
fn han(bytes: &[u8], at: usize) -> Option<u16> {
    let tail = |k: usize| u32::from(bytes[at + k] & 0x3F);
    let code = u32::from(bytes[at] & 0xF) << 12 | tail(1) << 6 | tail(2);
    HAN.contains(&code).then(|| (code - HAN.start()) as u16 + FIRST_HAN)
}

/// The length of a character by its first byte.
const fn char_width(lead: u8) -> usize {
    match lead {
        0..=0x7F => 1,
        0x80..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0.. => 4,
    }
}

/// White space as Python's patterns have it: Unicode's, and the four separators of ASCII.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// The pieces of a run of characters outside all blocks: a line end of two characters, single white space, and between
/// them either each character or, `together`, all.
pub(super) fn pieces(text: &str, run: Range<usize>, together: bool, mut each: impl FnMut(Range<usize>)) {
    let mut open = run.start;
    let mut skip = false;
    for (at, c) in text[run.clone()].char_indices() {
        let at = run.start + at;
        if std::mem::take(&mut skip) {
            continue;
        }
        let space = is_space(c);
        if !space && together {
            continue;
        }
        if open < at {
            each(open..at);
        }
        skip = c == '\r' && text[at + 1..run.end].starts_with('\n');
        open = at + c.len_utf8() + usize::from(skip);
        each(at..open);
    }
    if open < run.end {
        each(open..run.end);
    }
}

/// The best path through the block; the longer of two equally likely words, as in jieba's `calc`.
pub(super) fn find_route(words: &Dictionary, scratch: &mut CutScratch) {
    let CutScratch {
        symbols,
        seconds,
        route,
        ..
    } = scratch;
    let (trie, log_total) = (&words.trie, words.log_total);
    let n = symbols.len();
    // The dictionary is larger than the caches. These fetches do not wait for one another; in the loop below each would end in a branch
    // that nobody can predict.
    seconds.clear();
    seconds.extend(symbols.windows(2).map(|two| trie.cell(trie.first(two[0]), two[1])));
    route.clear();
    route.resize(n + 1, (0.0, 0));
    for i in (0..n).rev() {
        let mut best = (f64::NEG_INFINITY, 0);
        let mut node = trie.first(symbols[i]);
        let mut end = i + 1;
        loop {
            if node.is_word() {
                let likely = node.weight - log_total + route[end].0;
                if likely >= best.0 {
                    best = (likely, end as u32);
                }
            }
            if end == n {
                break;
            }
            node = if end == i + 1 {
                seconds[i]
            } else {
                trie.cell(node, symbols[end])
            };
            if !node.is_of(symbols[end]) {
                break;
            }
            end += 1;
        }
        if best.1 == 0 {
            best = (0.0 - log_total + route[i + 1].0, i as u32 + 1);
        }
        route[i] = best;
    }
}

/// The pieces of ASCII outside the dictionary (`re_skip` of `finalseg`): letters and digits with an optional decimal
/// fraction and percent sign, and the text between them.
fn ascii_pieces(symbols: &[u16], run: Range<usize>, mut each: impl FnMut(Range<usize>)) {
    let class = |at: usize, is: fn(&u8) -> bool| at < run.end && is(&(symbols[at] as u8));
    let mut open = run.start;
    let mut at = run.start;
    while at < run.end {
        if !class(at, u8::is_ascii_alphanumeric) {
            at += 1;
            continue;
        }
        if open < at {
            each(open..at);
        }
        open = at;
        while class(at, u8::is_ascii_alphanumeric) {
            at += 1;
        }
        if class(at, |&byte| byte == b'.') && class(at + 1, u8::is_ascii_digit) {
            at += 1;
            while class(at, u8::is_ascii_digit) {
                at += 1;
            }
        }
        at += usize::from(class(at, |&byte| byte == b'%'));
        each(open..at);
        open = at;
    }
    if open < run.end {
        each(open..run.end);
    }
}

/// The data for cutting: the dictionary, and the words that the hidden Markov model must not make.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub dictionary: &'a Dictionary,
    pub forced: &'a HashSet<Box<str>>,
}

/// See [`super::Segmenter::cut`].
pub(super) fn cut(
    words: Words<'_>,
    text: &str,
    (mode, hmm): (Mode, bool),
    scratch: &mut CutScratch,
    mut each: impl FnMut(Range<usize>),
) {
    assert!(
        text.len() <= crate::text::MAX_TEXT_BYTES,
        "a text of {} bytes",
        text.len()
    );
    let each = &mut each;
    match mode {
        Mode::Full => split(
            text,
            &OF_WORDS,
            scratch,
            each,
            |scratch, each| cut_full(words, scratch, |i, j| each(place(&scratch.offsets, i, j))),
            |run, each| pieces(text, run, true, &mut *each),
        ),
        Mode::Exact => split(
            text,
            &OF_WORDS,
            scratch,
            each,
            |scratch, each| {
                cut_block(words, text, hmm, scratch, |offsets, _, i, j| each(place(offsets, i, j)));
            },
            |run, each| pieces(text, run, false, &mut *each),
        ),
        Mode::Search => split(
            text,
            &OF_WORDS,
            scratch,
            each,
            |scratch, each| {
                cut_block(words, text, hmm, scratch, |offsets, symbols, i, j| {
                    for length in 2..=3 {
                        for at in i..(j + 1).saturating_sub(length) {
                            if j - i > length && words.dictionary.trie.has(&symbols[at..at + length]) {
                                each(place(offsets, at, at + length));
                            }
                        }
                    }
                    each(place(offsets, i, j));
                });
            },
            |run, each| pieces(text, run, false, &mut *each),
        ),
    }
}

/// Cuts the block in `scratch` and calls `each` with its offsets, its symbols and a word's first character and end.
fn cut_block(
    words: Words<'_>,
    text: &str,
    hmm: bool,
    scratch: &mut CutScratch,
    mut each: impl FnMut(&[u32], &[u16], usize, usize),
) {
    find_route(words.dictionary, scratch);
    let CutScratch {
        symbols,
        offsets,
        route,
        before,
        states,
        ..
    } = scratch;
    let mut each = |i, j| each(offsets, symbols, i, j);
    let n = symbols.len();
    let joins = |at: usize| hmm || (symbols[at] < FIRST_HAN && (symbols[at] as u8).is_ascii_alphanumeric());
    let (mut at, mut open) = (0, 0);
    loop {
        // From `open` on are single characters, which are processed together.
        let end = if at < n { route[at].1 as usize } else { at };
        if end == at + 1 && joins(at) {
            at = end;
            continue;
        }
        if open < at {
            if !hmm || at == open + 1 {
                each(open, at);
            } else if words.dictionary.trie.has(&symbols[open..at]) {
                (open..at).for_each(|i| each(i, i + 1));
            } else {
                cut_unknown(words, text, (symbols, offsets), open..at, (before, states), &mut each);
            }
        }
        if at == n {
            return;
        }
        each(at, end);
        (at, open) = (end, end);
    }
}

/// Cuts a run of characters that is no word: Han by the hidden Markov model.
fn cut_unknown(
    words: Words<'_>,
    text: &str,
    (symbols, offsets): (&[u16], &[u32]),
    run: Range<usize>,
    (before, states): (&mut Vec<u8>, &mut Vec<usize>),
    each: &mut impl FnMut(usize, usize),
) {
    let mut at = run.start;
    for piece in symbols[run].chunk_by(|&a, &b| (a < FIRST_HAN) == (b < FIRST_HAN)) {
        let (start, end) = (at, at + piece.len());
        at = end;
        if piece[0] < FIRST_HAN {
            ascii_pieces(symbols, start..end, |piece| each(piece.start, piece.end));
            continue;
        }
        likeliest_states(States::builtin(), piece, before, states);
        let mut begin = start;
        for (i, &state) in (start..).zip(states.iter()) {
            match state {
                States::B => begin = i,
                States::M => {}
                _ => {
                    let begin = if state == States::E { begin } else { i };
                    if !words.forced.is_empty() && words.forced.contains(&text[place(offsets, begin, i + 1)]) {
                        (begin..=i).for_each(|i| each(i, i + 1));
                    } else {
                        each(begin, i + 1);
                    }
                }
            }
        }
    }
}

/// Calls `each` with every word of the dictionary in the block in `scratch`, as jieba's `cut_all` does.
///
/// jieba joins single letters and digits even across a word between them; here only adjacent ones are joined.
fn cut_full(words: Words<'_>, scratch: &CutScratch, mut each: impl FnMut(usize, usize)) {
    let (symbols, trie) = (&scratch.symbols[..], &words.dictionary.trie);
    let n = symbols.len();
    let is_letter = |at: usize| symbols[at] < FIRST_HAN && (symbols[at] as u8).is_ascii_alphanumeric();
    // The end of the words returned so far, and the letters not yet returned.
    let mut done = 0;
    let mut held: Option<Range<usize>> = None;
    for k in 0..n {
        if !is_letter(k)
            && let Some(held) = held.take()
        {
            each(held.start, held.end);
        }
        let ends = || {
            let first = trie.first(symbols[k]);
            let next = move |&(node, end): &_| Some((trie.next(node, *symbols.get(end)?)?, end + 1));
            let nodes = std::iter::successors(Some((first, k + 1)), next);
            nodes.filter(|(node, _)| node.is_word()).map(|(_, end)| end)
        };
        let mut found = ends();
        let (first, more) = (found.next().unwrap_or(k + 1), found.next().is_some());
        if !more && k >= done {
            if !is_letter(k) {
                each(k, first);
            } else if let Some(letters) = held.as_mut().filter(|letters| letters.end == k) {
                letters.end = first;
            } else if let Some(apart) = held.replace(k..first) {
                each(apart.start, apart.end);
            }
            done = first;
        } else {
            for end in ends().filter(|&end| end > k + 1) {
                each(k, end);
                done = end;
            }
        }
    }
    if let Some(held) = held {
        each(held.start, held.end);
    }
}

/// The bytes of the characters from `i` to before `j`.
#[inline]
pub(super) fn place(offsets: &[u32], i: usize, j: usize) -> Range<usize> {
    offsets[i] as usize..offsets[j] as usize
}

/// The likeliest states of a run of Han characters (Viterbi); of two equally likely states the later letter.
fn likeliest_states(model: &States, run: &[u16], before: &mut Vec<u8>, states: &mut Vec<usize>) {
    use States as Is;
    let emit = |symbol: u16| &model.emit[usize::from(symbol - FIRST_HAN)];
    let mut v = [0, 1, 2, 3].map(|y| model.start[y] + emit(run[0])[y]);
    before.clear();
    for &symbol in &run[1..] {
        let emit = emit(symbol);
        // The sums are jieba's, in its order: the last bit may decide.
        let best = |y: usize, low: usize, high: usize| {
            let (p, q) = (
                v[low] + model.step[low][y] + emit[y],
                v[high] + model.step[high][y] + emit[y],
            );
            if q >= p { (q, 1_u8) } else { (p, 0) }
        };
        let now = [
            best(Is::B, Is::E, Is::S),
            best(Is::E, Is::B, Is::M),
            best(Is::M, Is::B, Is::M),
            best(Is::S, Is::E, Is::S),
        ];
        before.push(now[0].1 | now[1].1 << 1 | now[2].1 << 2 | now[3].1 << 3);
        v = now.map(|state| state.0);
    }
    states.clear();
    states.resize(run.len(), 0);
    let mut state = if v[Is::S] >= v[Is::E] { Is::S } else { Is::E };
    states[run.len() - 1] = state;
    for at in (1..run.len()).rev() {
        let later = before[at - 1] >> state & 1 == 1;
        state = match (state == Is::B || state == Is::S, later) {
            (true, false) => Is::E,
            (true, true) => Is::S,
            (false, false) => Is::B,
            (false, true) => Is::M,
        };
        states[at - 1] = state;
    }
}
