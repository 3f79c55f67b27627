//! Templates: parts that many texts share and that weigh nothing, as a file has them.
//!
//! In: a file of JSON lines, each with the version of the form and a text; what else is on a line is for people. Out: a text without the
//! templates in it, each with a line break in its place.
//!
//! A template is found by its letters, so case, width, punctuation and spaces do not count. Every occurrence has an anchor at one place of
//! the template, by which it is looked up: the cost does not depend on the number of templates.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use serde_json::Value;

use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::base::message::Message;
use crate::encode::tokenize::stop_words;
use crate::text::anchors::{Windows, certain_anchor, each_anchor};
use crate::text::letters::{Letter, take_letters};
use crate::text::{NORMALISER, UNICODE_VERSION};

/// The field that marks a line as a template and gives its version.
pub const FIELD: &str = "simsieve_template";

/// The version that is written, and the only one that is read.
pub const VERSION: u64 = 1;

/// Windows that give every template an anchor.
const WINDOWS: Windows = Windows::of_bytes(0);

/// The least letters of a template.
pub const LEAST: u32 = Windows::LEAST;

/// Parts of texts, by their letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates {
    /// The letters of each, in order, each once.
    parts: Vec<Box<[u32]>>,
    /// By the hash of an anchor: the templates that have it at one place, and which letter of them that is.
    places: HashMap<u64, Vec<(u32, u32)>>,
}

impl Templates {
    /// Reads a file of templates.
    ///
    /// # Errors
    /// [`Error::Source`] where the file cannot be read, has no template, or a line is none, and with which line.
    pub fn load(path: &str) -> Result<Self> {
        let text = stop_words::read(path)?;
        let wrong = |message| Error::Source {
            path: Path::new(path).into(),
            message,
        };
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        let written = lines.filter(|(_, line)| !line.trim().is_empty());
        let parts: Vec<Vec<Letter>> = written
            .map(|(at, line)| template(line, at + 1).map_err(wrong))
            .collect::<Result<_>>()?;
        if parts.is_empty() {
            return Err(wrong(msg!(
                "has no template: `simsieve templates SOURCE -o FILE` writes those of a source; leave {@ignore} out where it finds none"
            )));
        }
        Ok(Self::of(parts.iter().map(Vec::as_slice)))
    }

    /// Those of some runs of letters, each of at least [`LEAST`].
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a [Letter]>) -> Self {
        let mut runs: Vec<&[Letter]> = runs.collect();
        let ids = |run: &[Letter]| run.iter().map(Letter::id).collect::<Box<[u32]>>();
        runs.sort_by_cached_key(|run| ids(run));
        runs.dedup_by_key(|run| ids(run));
        let mut places: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
        for (part, run) in runs.iter().enumerate() {
            let (hash, letter) = certain_anchor(WINDOWS, run).expect("a template is long enough to have an anchor");
            places.entry(hash).or_default().push((part as u32, letter));
        }
        Self {
            parts: runs.iter().map(|run| ids(run)).collect(),
            places,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The letters of one.
    pub(crate) fn letters_of(&self, part: usize) -> u32 {
        self.parts[part].len() as u32
    }

    /// Calls `each` with every place of a template among letters, and which one it is.
    ///
    /// Complexity: linear in the letters, and in what the templates of a place have in common.
    pub(crate) fn each_place(&self, letters: &[Letter], mut each: impl FnMut(u32, Range<usize>)) {
        each_anchor(WINDOWS, letters, |hash, at| {
            for &(part, offset) in self.places.get(&hash).into_iter().flatten() {
                let ids = &self.parts[part as usize];
                let Some(start) = (at as usize).checked_sub(offset as usize) else {
                    continue;
                };
                let run = letters.get(start..start + ids.len());
                if run.is_some_and(|run| run.iter().zip(ids).all(|(letter, id)| letter.id() == *id)) {
                    each(part, start..start + ids.len());
                }
            }
        });
    }

    /// The text without the templates in it; `None` where it has none. `letters` is room.
    pub fn without(&self, text: &str, letters: &mut Vec<Letter>) -> Option<String> {
        take_letters(text, letters);
        let mut places = Vec::new();
        self.each_place(letters, |_, range| {
            places.push((letters[range.start].start, letters[range.end - 1].end));
        });
        if places.is_empty() {
            return None;
        }
        places.sort_unstable();
        let mut rest = String::with_capacity(text.len());
        let mut places = places.into_iter().peekable();
        let mut gone = 0;
        for (point, c) in (0..).zip(text.chars()) {
            while let Some((_, end)) = places.next_if(|&(start, _)| start <= point) {
                if gone <= point {
                    rest.push('\n');
                }
                gone = gone.max(end);
            }
            if point >= gone {
                rest.push(c);
            }
        }
        Some(rest)
    }

    /// All that can move a character, in words.
    pub(crate) fn canonical(&self) -> String {
        let mut bytes = Vec::new();
        for part in &self.parts {
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.extend(part.iter().flat_map(|id| id.to_le_bytes()));
        }
        let digest = xxh3_128(&bytes);
        format!("ignore {digest:032x}, letters of {NORMALISER}, unicode {UNICODE_VERSION}\n")
    }
}

/// The letters of the template in line `at`; the first line is 1.
fn template(line: &str, at: usize) -> Result<Vec<Letter>, Message> {
    let read: Value = serde_json::from_str(line).unwrap_or_default();
    let (version, text) = (&read[FIELD], read["text"].as_str());
    let (Some(text), false) = (text, version.is_null()) else {
        return Err(msg!(
            "line {at} is no template: write {example}, or leave the line out",
            example = format!("{{\"{FIELD}\": {VERSION}, \"text\": \"...\"}}")
        ));
    };
    if version.as_u64() != Some(VERSION) {
        return Err(msg!(
            "line {at} is a template of version {version}, and this simsieve reads version {known}: make the file anew by `simsieve templates`",
            known = VERSION
        ));
    }
    let mut letters = Vec::new();
    take_letters(text, &mut letters);
    if letters.len() < LEAST as usize {
        return Err(msg!(
            "line {at}: the template {text:?} has {count} letters, and {least} are the fewest allowed: leave the line out, and take short parts out by {@strip}",
            count = letters.len(),
            least = LEAST
        ));
    }
    Ok(letters)
}
