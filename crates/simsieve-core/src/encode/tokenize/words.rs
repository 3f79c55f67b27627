//! The words of a text.

use std::ops::Range;

use super::tokens::Tokens;
use super::word_options::WordOptions;
use crate::base::kernel::Kernel;
use crate::text::normalise::ascii::next_gap;
use crate::text::segment;
use crate::text::{Class, Compact, class_of};

/// Takes `n` words in a row of the normalised text; a text with fewer words is one token.
pub(super) fn take(tokens: &mut Tokens, n: usize, text: &Compact, words: &WordOptions) {
    take_words(tokens, utf8(text), words);
    tokens.join(n);
}

/// Takes the words of a text: of symbols too, where it has nothing else.
pub(super) fn take_words(tokens: &mut Tokens, text: &str, words: &WordOptions) {
    let before = tokens.spans.len();
    take_words_by(tokens, Kernel::active(), text, words);
    if tokens.spans.len() == before && !words.by_tag() && counted(text) == Class::Symbol {
        take_words_plainly(tokens, text, Class::Symbol, words);
    }
}

/// The class of characters that are in words: symbols where a text has nothing else.
fn counted(text: &str) -> Class {
    let has_letters = text.chars().any(|c| class_of(c) == Class::Plain);
    if has_letters { Class::Plain } else { Class::Symbol }
}

/// Words of ASCII by a kernel; those with other characters one at a time. Whatever is between them, a gap in
/// ASCII ends every word, so that a text may be cut there.
fn take_words_by(tokens: &mut Tokens, kernel: Kernel, text: &str, words: &WordOptions) {
    if words.by_tag() {
        return take_tagged(tokens, text, words);
    }
    if words.has_stop_words() {
        return take_words_plainly(tokens, text, Class::Plain, words);
    }
    let (mut joined, mut at) = (std::mem::take(&mut tokens.joined), 0);
    while at < text.len() {
        let base = tokens.text.len() + usize::from(!tokens.text.is_empty());
        at = joined.take(kernel, text, at, base, &mut tokens.spans);
        if !joined.text().is_empty() {
            if !tokens.text.is_empty() {
                tokens.text.push(' ');
            }
            tokens.text.push_str(joined.text());
        }
        let end = next_gap(text, at);
        take_words_plainly(tokens, &text[at..end], Class::Plain, words);
        at = end;
    }
    tokens.joined = joined;
}

/// [`take_words`] character by character, where words have no tags.
fn take_words_plainly(tokens: &mut Tokens, text: &str, class: Class, words: &WordOptions) {
    let (segmenter, mode, hmm) = (words.segmenter(), words.mode(), words.hmm());
    let mut room = std::mem::take(&mut tokens.segment);
    each_run(text, class, |run, is_han| {
        if is_han {
            let han = &text[run];
            segmenter.cut(han, mode, hmm, &mut room, |place| add_word(tokens, &han[place], words));
        } else {
            words.each_of_run(&text[run], |word| add_word(tokens, word, words));
        }
    });
    tokens.segment = room;
}

/// Takes the words of a text that have a tag which is asked for.
///
/// The whole text is tagged, since the text before a word affects its tag. Han words are those of the tagger, cut
/// at the ends of their run; any other run has the tag that it begins with.
pub(super) fn take_tagged(tokens: &mut Tokens, text: &str, words: &WordOptions) {
    let mut room = std::mem::take(&mut tokens.segment);
    // Where each tagged word ends; together they are the text.
    let mut tagged: Vec<(usize, Option<f64>)> = Vec::new();
    words.segmenter().tag(text, words.hmm(), &mut room, |place, tag| {
        tagged.push((place.end, words.tags().factor(tag)));
    });
    tokens.segment = room;
    let mut next = 0;
    // Places are asked for in ascending order.
    let mut at = |place: usize| {
        while tagged[next].0 <= place {
            next += 1;
        }
        tagged[next]
    };
    each_run(text, counted(text), |run, is_han| {
        if is_han {
            let mut begin = run.start;
            while begin < run.end {
                let (end, factor) = at(begin);
                let end = end.min(run.end);
                add_tagged(tokens, &text[begin..end], factor, words);
                begin = end;
            }
        } else {
            let whole = &text[run.clone()];
            words.each_of_run(whole, |word| {
                let (_, factor) = at(run.start + (word.as_ptr() as usize - whole.as_ptr() as usize));
                add_tagged(tokens, word, factor, words);
            });
        }
    });
}

fn add_tagged(tokens: &mut Tokens, word: &str, factor: Option<f64>, words: &WordOptions) {
    if let Some(factor) = factor
        && !words.is_stop_word(word)
    {
        tokens.add(word);
        if words.tags().weigh() {
            tokens.factors.push(factor);
        }
    }
}

/// A stop word is not added, so that its neighbours come together.
pub(super) fn add_word(tokens: &mut Tokens, word: &str, words: &WordOptions) {
    if !words.is_stop_word(word) {
        tokens.add(word);
    }
}

/// Calls `each` with the runs of Han, and of other characters of a class, and whether it is of Han.
fn each_run(text: &str, class: Class, mut each: impl FnMut(Range<usize>, bool)) {
    let kind = |c: char| (class_of(c) == class).then(|| segment::HAN.contains(&u32::from(c)));
    let mut run: Option<(usize, bool)> = None;
    let ends = text
        .char_indices()
        .map(|(at, c)| (at, kind(c)))
        .chain([(text.len(), None)]);
    for (at, kind) in ends {
        if run.map(|(_, han)| han) != kind {
            if let Some((from, is_han)) = run {
                each(from..at, is_han);
            }
            run = kind.map(|han| (at, han));
        }
    }
}

pub(super) fn utf8(text: &Compact) -> &str {
    simdutf8::basic::from_utf8(text.normalised()).expect("the normaliser writes UTF-8")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn words_by_every_kernel_are_the_plain_ones(
            text in "([a-zA-Z]{0,20}|[ '.,_:;0-9-]{0,6}|don['’]t|[\\x00-\\x7f]{0,70}|[éß’中文字々カ각\u{a0}\u{2028}\u{1F600}𠮷]{0,5}|\\PC{0,6}){0,30}",
            n in 1..9_usize,
        ) {
            let words = WordOptions::default();
            let mut plain = Tokens::default();
            take_words_plainly(&mut plain, &text, Class::Plain, &words);
            for kernel in Kernel::available() {
                let mut tokens = Tokens::default();
                take_words_by(&mut tokens, kernel, &text, &words);
                prop_assert_eq!(tokens.iter().collect::<Vec<_>>(), plain.iter().collect::<Vec<_>>(), "{:?}", kernel);
                let rows = plain.spans.len().min(n).max(1);
                let rows = plain.iter().collect::<Vec<_>>().windows(rows).map(|row| row.join(" ")).collect::<Vec<_>>();
                tokens.join(n);
                prop_assert_eq!(tokens.iter().collect::<Vec<_>>(), rows, "{:?}", kernel);
            }
        }
    }
}
