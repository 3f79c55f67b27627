//! A text as units: lines, sentences or paragraphs, which together are the whole text.

use std::ops::Range;

use icu_properties::CodePointSetData;
use icu_properties::props::SentenceTerminal;

use crate::base::error::{Error, Result};

/// What is compared and removed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A line.
    Line,
    /// A sentence of a line.
    Sentence,
    /// Lines without an empty one between them.
    Paragraph,
    /// Three sentences that follow one another; the next three begin one sentence later.
    ThreeSentences,
}

impl Unit {
    const ALL: [(&'static str, Self); 4] = [
        ("line", Self::Line),
        ("sentence", Self::Sentence),
        ("paragraph", Self::Paragraph),
        ("3-sentences", Self::ThreeSentences),
    ];

    /// Reads a name.
    ///
    /// # Errors
    /// [`Error::Config`] for another name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|row| row.1).ok_or_else(|| {
            Error::Config(msg!(
                "unit {name:?} is not known: allowed are line, sentence, paragraph and 3-sentences"
            ))
        })
    }

    /// How many spans of [`take_spans`] one is.
    pub(super) const fn spans(self) -> usize {
        if matches!(self, Self::ThreeSentences) { 3 } else { 1 }
    }
}

/// A piece of a text, in bytes: its body, and up to `end` what separates it from the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub(super) start: usize,
    pub(super) body: usize,
    pub(super) end: usize,
}

impl Span {
    /// Without what separates it from the next one.
    pub const fn body(&self) -> Range<usize> {
        self.start..self.body
    }
}

/// Writes the pieces of a text into `spans`, whose former content is lost. They follow one another without a gap.
///
/// Complexity: linear in the length of the text.
pub fn take_spans(text: &str, unit: Unit, spans: &mut Vec<Span>) {
    spans.clear();
    let (mut start, mut after_empty) = (0, false);
    while start < text.len() {
        let Range { start: body, end } = line_break(text.as_bytes(), start);
        match unit {
            Unit::Line => spans.push(Span { start, body, end }),
            Unit::Paragraph => {
                let is_empty = text[start..body].trim().is_empty();
                match spans.last_mut() {
                    Some(last) if is_empty => last.end = end,
                    Some(last) if !after_empty => (last.body, last.end) = (body, end),
                    _ => spans.push(Span {
                        start,
                        body: if is_empty { start } else { body },
                        end,
                    }),
                }
                after_empty = is_empty;
            }
            Unit::Sentence | Unit::ThreeSentences => {
                let mut from = start;
                while from < body {
                    let (stop, next) = sentence(&text[from..body]);
                    push_sentence(
                        text,
                        spans,
                        Span {
                            start: from,
                            body: from + stop,
                            end: from + next,
                        },
                    );
                    from += next;
                }
                if from < end {
                    match spans.last_mut() {
                        Some(last) => last.end = end,
                        None => spans.push(Span {
                            start,
                            body: start,
                            end,
                        }),
                    }
                }
            }
        }
        start = end;
    }
}

/// The first line break from a place on, or the end: LF, CR with LF or alone, VT, FF, NEL, U+2028 or U+2029.
fn line_break(bytes: &[u8], from: usize) -> Range<usize> {
    let mut at = from;
    let begins = |byte: &u8| matches!(byte, b'\n'..=b'\r' | 0xC2 | 0xE2);
    while let Some(more) = bytes[at..].iter().position(begins) {
        at += more;
        let length = match bytes[at..] {
            [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
            [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
            [0xC2 | 0xE2, ..] => 0,
            _ => 1,
        };
        if length > 0 {
            return at..at + length;
        }
        at += 1;
    }
    bytes.len()..bytes.len()
}

/// White space alone is no sentence: it separates.
fn push_sentence(text: &str, spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if text[span.body()].trim().is_empty() => last.end = span.end,
        _ => spans.push(span),
    }
}

/// Where the first sentence of a line ends, and where the next one begins.
fn sentence(line: &str) -> (usize, usize) {
    let mut chars = line.char_indices().peekable();
    while let Some((_, c)) = chars.next() {
        if !is_mark(c) {
            continue;
        }
        let is_loose = LOOSE.contains(c);
        while chars.next_if(|(_, c)| is_end(*c)).is_some() {}
        let stop = chars.peek().map_or(line.len(), |(at, _)| *at);
        while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        let next = chars.peek().map_or(line.len(), |(at, _)| *at);
        // A point in a number or a name ends nothing.
        if !is_loose || next > stop || next == line.len() {
            return (stop, next);
        }
    }
    (line.len(), line.len())
}

/// Marks that stand in numbers, names and addresses too, so that they end a sentence before white space alone.
const LOOSE: &str = ".!?．﹒۔։";

/// Whether the character ends a sentence: Unicode's `Sentence_Terminal`, the ellipsis, and the marks of Khmer and Tibetan, which the
/// property leaves out.
fn is_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '។' | '៕' | '\u{F0D}'..='\u{F12}')
        || !c.is_ascii() && CodePointSetData::new::<SentenceTerminal>().contains(c)
}

/// What may follow the mark that ends a sentence, and belongs to it.
fn is_end(c: char) -> bool {
    const CLOSING: &str = "\"')]}”’」』）】》〉»";
    CLOSING.contains(c) || is_mark(c)
}

/// The parts of a text that go with some of its units, in bytes, ascending and apart: what separates a unit from the next one goes with
/// it. Where the last unit goes, so does what separated it from the one before.
pub(super) fn parts(spans: &[Span], unit: Unit, units: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let (mut out, mut last) = (Vec::<Range<usize>>::new(), 0);
    for first in units {
        let end = (first + unit.spans()).min(spans.len());
        for span in &spans[first..end] {
            match out.last_mut() {
                Some(part) if span.start <= part.end => part.end = part.end.max(span.end),
                _ => out.push(span.start..span.end),
            }
        }
        last = end;
    }
    let is_open = spans.last().is_some_and(|span| span.body == span.end);
    if let Some(part) = out.last_mut().filter(|_| is_open && last == spans.len()) {
        let before = spans.partition_point(|span| span.end <= part.start);
        if let Some(before) = before.checked_sub(1) {
            part.start = spans[before].body;
        }
    }
    out
}

#[cfg(test)]
#[path = "units_tests.rs"]
mod tests;
