//! Words of scripts that put no space between them, cut into characters in a row.

/// The number of characters in a row that make a word.
const WIDTH: usize = 4;

/// What [`super::word_options::WordOptions::canonical`] says of the cut.
pub(super) const CANONICAL: &str = "runs in the blocks of Thai, Lao, Myanmar and Khmer cut into every 4 characters";

/// Whether a character belongs to a script without spaces: by Unicode's blocks, which no later version of it moves.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        // Thai, followed by Lao; Myanmar and its two extensions in the first plane; Khmer and its symbols.
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}'
        | '\u{1780}'..='\u{17FF}' | '\u{19E0}'..='\u{19FF}')
}

/// Gives the words of a run that is not Han. The run is cut where such scripts begin and end. A part in such a script
/// gives every four characters in a row, or itself where it has no more.
///
/// Complexity: linear in the length of the run.
pub(super) fn each_word(run: &str, mut word: impl FnMut(&str)) {
    let mut from = 0;
    while let Some(first) = run[from..].chars().next() {
        let unspaced = is_unspaced(first);
        let end = run[from..]
            .find(|c| is_unspaced(c) != unspaced)
            .map_or(run.len(), |length| from + length);
        let part = &run[from..end];
        if unspaced {
            each_four(part, &mut word);
        } else {
            word(part);
        }
        from = end;
    }
}

fn each_four(part: &str, mut word: impl FnMut(&str)) {
    // Each character after the first four ends one more.
    let ends = part.char_indices().map(|(at, c)| at + c.len_utf8()).skip(WIDTH - 1);
    let mut windows = part.char_indices().map(|(at, _)| at).zip(ends).peekable();
    if windows.peek().is_none() {
        word(part);
    }
    windows.for_each(|(begin, end)| word(&part[begin..end]));
}

#[cfg(test)]
#[path = "unspaced_scripts_tests.rs"]
mod tests;
