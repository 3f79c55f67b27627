//! Words with their parts of speech, equal to `jieba.posseg` 0.42.1.
//!
//! Blocks differ from those of plain cutting: `%` and `-` are words of their own. The model for words outside the
//! dictionary differs too: a state is a place in a word together with a tag, 256 in all.

use std::ops::Range;
use std::sync::OnceLock;

use super::cut::{OF_TAGGED, find_route, pieces, place, split};
use super::data::{NEVER, TAGS};
use super::dictionary::Dictionary;
use super::scratch::CutScratch;
use super::trie::{FIRST_HAN, SYMBOLS, symbol};

/// The number of states.
const STATES: usize = 256;

/// A set of states.
type Set = [u64; STATES / 64];

/// The model. A state's number is 64 times its place (B, E, M, S), plus the tag's number in alphabetical order. Of two
/// equally likely states jieba takes the later pair of letters, which is the greater number here.
#[derive(Debug)]
struct Model {
    tags: Vec<Box<str>>,
    start: Vec<f64>,
    /// The steps' logarithms: by the state after, then by the state before.
    step: Vec<[f64; STATES]>,
    /// Which states may follow.
    follow: Vec<Set>,
    /// By character: its possible states; none if all are possible.
    allowed: Vec<Option<Set>>,
    /// By character: states with their emissions.
    emit: Vec<Vec<(u8, f64)>>,
}

const PLACE_E: u8 = 1;
const PLACE_M: u8 = 2;

fn members(set: &Set) -> impl Iterator<Item = usize> {
    (0..STATES).filter(|&state| set[state / 64] >> (state % 64) & 1 == 1)
}

fn put(set: &mut Set, state: usize) {
    set[state / 64] |= 1 << (state % 64);
}

impl Model {
    fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Model> = OnceLock::new();
        BUILTIN.get_or_init(|| Self::parse(TAGS))
    }

    /// Reads the sections of the file: names of tags, first states, steps, emissions and the states of characters. It
    /// numbers places B, M, E, S.
    fn parse(text: &str) -> Self {
        let mut model = Self {
            tags: Vec::new(),
            start: vec![NEVER; STATES],
            step: vec![[f64::NEG_INFINITY; STATES]; STATES],
            follow: vec![Set::default(); STATES],
            allowed: vec![None; SYMBOLS - usize::from(FIRST_HAN)],
            emit: vec![Vec::new(); SYMBOLS - usize::from(FIRST_HAN)],
        };
        let mut section = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if line.starts_with('@') {
                section = line;
                continue;
            }
            let mut fields = line.split('|');
            let head = fields.next().unwrap_or_default();
            match section {
                "@TAGS" => model.tags = line.split(',').map(Into::into).collect(),
                "@START" => {
                    let (state, likely) = state_and_number(head);
                    model.start[state] = likely;
                }
                "@TRANS" => {
                    let from = state_of(head);
                    for (to, likely) in fields.map(state_and_number) {
                        model.step[to][from] = likely;
                        put(&mut model.follow[from], to);
                    }
                }
                "@EMIT" => {
                    let state = state_of(head) as u8;
                    for (character, number) in fields.map(|field| field.split_once(',').expect("two fields")) {
                        if let Some(at) = place_of(character) {
                            model.emit[at].push((state, number.parse().expect("a number")));
                        }
                    }
                }
                _ => {
                    if let Some(at) = place_of(head) {
                        let set = model.allowed[at].get_or_insert_default();
                        fields.for_each(|field| put(set, state_of(field)));
                    }
                }
            }
        }
        model
    }

    /// The likeliest states of a run of Han characters.
    fn likeliest(&self, run: &[u16]) -> Vec<usize> {
        let at_character = |symbol: u16| usize::from(symbol - FIRST_HAN);
        let emissions = |symbol: u16| {
            let mut all = [NEVER; STATES];
            for &(state, likely) in &self.emit[at_character(symbol)] {
                all[usize::from(state)] = likely;
            }
            all
        };
        let all: Set = [!0; STATES / 64];
        let mut v = [0.0; STATES];
        let mut before: Vec<[u8; STATES]> = vec![[0; STATES]; run.len()];
        let mut now = self.allowed[at_character(run[0])].unwrap_or(all);
        let emit = emissions(run[0]);
        for y in members(&now) {
            v[y] = self.start[y] + emit[y];
        }
        for (t, &symbol) in run.iter().enumerate().skip(1) {
            let mut last: Vec<usize> = members(&now).filter(|&x| self.follow[x] != Set::default()).collect();
            let mut next = Set::default();
            for &x in &last {
                next = std::array::from_fn(|k| next[k] | self.follow[x][k]);
            }
            if last.is_empty() {
                // jieba fails here; no tested text reaches this point.
                (last, next) = (members(&now).collect(), all);
            }
            let allowed = self.allowed[at_character(symbol)].unwrap_or(all);
            now = std::array::from_fn(|k| next[k] & allowed[k]);
            if now == Set::default() {
                now = next;
            }
            let (emit, old) = (emissions(symbol), v);
            for y in members(&now) {
                let mut best = (f64::NEG_INFINITY, 0);
                for &x in &last {
                    let likely = old[x] + self.step[y][x] + emit[y];
                    if likely >= best.0 {
                        best = (likely, x);
                    }
                }
                v[y] = best.0;
                before[t][y] = best.1 as u8;
            }
        }
        let mut state = members(&now).fold(None, |best: Option<usize>, y| match best {
            Some(x) if v[x] > v[y] => Some(x),
            _ => Some(y),
        });
        let mut states = vec![0; run.len()];
        for t in (0..run.len()).rev() {
            let y = state.expect("there is always a state");
            states[t] = y;
            state = Some(usize::from(before[t][y]));
        }
        states
    }
}

/// The index of a Han character; `None` for others.
fn place_of(character: &str) -> Option<usize> {
    let symbol = character.chars().next().and_then(symbol)?;
    symbol.checked_sub(FIRST_HAN).map(usize::from)
}

/// The number of a state written as place and tag.
fn state_of(text: &str) -> usize {
    let (place, tag) = text.split_once(',').expect("a place and a tag");
    let place = match place {
        "0" => 0,
        "1" => PLACE_M,
        "2" => PLACE_E,
        _ => 3,
    };
    usize::from(place) * 64 + tag.parse::<usize>().expect("a tag's number")
}

fn state_and_number(text: &str) -> (usize, f64) {
    let (state, number) = text.rsplit_once(',').expect("a state and a number");
    (state_of(state), number.parse().expect("a number"))
}

/// The tag of a word without one.
const UNKNOWN: &str = "x";

/// See [`super::Segmenter::tag`].
pub(super) fn tag(
    words: &Dictionary,
    text: &str,
    hmm: bool,
    scratch: &mut CutScratch,
    mut each: impl FnMut(Range<usize>, &str),
) {
    assert!(
        text.len() <= crate::text::MAX_TEXT_BYTES,
        "a text of {} bytes",
        text.len()
    );
    split(
        text,
        &OF_TAGGED,
        scratch,
        &mut each,
        |scratch, each| {
            find_route(words, scratch);
            let offsets = &scratch.offsets;
            tag_block(words, scratch, hmm, |i, j, tag| each(place(offsets, i, j), tag));
        },
        |run, each| pieces(text, run, false, |piece| each(piece, UNKNOWN)),
    );
}

fn tag_block(words: &Dictionary, scratch: &CutScratch, hmm: bool, mut each: impl FnMut(usize, usize, &str)) {
    let symbols = &scratch.symbols[..];
    let known = |i: usize, j: usize| words.tag_of(&symbols[i..j]).unwrap_or(UNKNOWN);
    let joins = |at: usize| hmm || (symbols[at] < FIRST_HAN && (symbols[at] as u8).is_ascii_alphanumeric());
    let (mut at, mut open) = (0, 0);
    loop {
        let end = scratch.route[at].1 as usize;
        if at < symbols.len() && end == at + 1 && joins(at) {
            at = end;
            continue;
        }
        if open < at {
            if !hmm {
                each(open, at, "eng");
            } else if at == open + 1 || words.trie.has(&symbols[open..at]) {
                (open..at).for_each(|i| each(i, i + 1, known(i, i + 1)));
            } else {
                tag_unknown(symbols, open..at, &mut each);
            }
        }
        if at == symbols.len() {
            return;
        }
        each(at, end, known(at, end));
        (at, open) = (end, end);
    }
}

/// The tags that words may have, in ascending order: those of the dictionary, and those of the model.
pub(super) fn tags(words: &Dictionary) -> Vec<&str> {
    let model = Model::builtin().tags.iter().map(AsRef::as_ref);
    let mut all: Vec<&str> = words.tags().chain(model).chain(["eng", "m", UNKNOWN]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Tags a run of characters that is no word.
fn tag_unknown(symbols: &[u16], run: Range<usize>, each: &mut impl FnMut(usize, usize, &str)) {
    let mut at = run.start;
    for piece in symbols[run].chunk_by(|&a, &b| (a < FIRST_HAN) == (b < FIRST_HAN)) {
        let start = at;
        at += piece.len();
        if piece[0] < FIRST_HAN {
            ascii_pieces(piece, |i, j, tag| each(start + i, start + j, tag));
            continue;
        }
        let model = Model::builtin();
        let states = model.likeliest(piece);
        let tag = |state: usize| &*model.tags[state % 64];
        let (mut begin, mut done) = (0, 0);
        for (i, &state) in states.iter().enumerate() {
            match (state / 64) as u8 {
                0 => begin = i,
                PLACE_M => {}
                is => {
                    let from = if is == PLACE_E { begin } else { i };
                    each(start + from, start + i + 1, tag(state));
                    done = i + 1;
                }
            }
        }
        if done < piece.len() {
            each(start + done, at, tag(states[done]));
        }
    }
}

/// Numbers (`[.0-9]+`), then names (`[a-zA-Z0-9]+`), then the text between.
fn ascii_pieces(piece: &[u16], mut each: impl FnMut(usize, usize, &str)) {
    let byte = |at: usize| piece.get(at).map(|&symbol| symbol as u8);
    let is_number = |at: usize| byte(at).is_some_and(|byte| byte == b'.' || byte.is_ascii_digit());
    let is_name = |at: usize| byte(at).is_some_and(|byte| byte.is_ascii_alphanumeric());
    let is_sign = |at: usize| at < piece.len() && !is_number(at) && !is_name(at);
    let run = |at: usize, is: &dyn Fn(usize) -> bool| (at..piece.len()).find(|&at| !is(at)).unwrap_or(piece.len());
    let mut at = 0;
    while at < piece.len() {
        let (end, tag) = if is_number(at) {
            (run(at, &is_number), "m")
        } else if is_name(at) {
            (run(at, &is_name), "eng")
        } else {
            (run(at, &is_sign), UNKNOWN)
        };
        each(at, end, tag);
        at = end;
    }
}
