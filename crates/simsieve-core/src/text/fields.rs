//! The texts of several fields as one text, of which each can be taken again.

use std::borrow::Cow;

/// What follows the line break between two texts; in a text itself it becomes a space.
const MARK: char = '\u{1E}';
/// What stands between two texts.
const BETWEEN: &str = "\n\u{1E}";

/// Which of the texts a scheme takes: the first one with a value, of `count` texts from number `first` on, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldPart {
    /// The number of the first text.
    pub first: usize,
    /// How many texts stand for one another.
    pub count: usize,
}

impl FieldPart {
    /// Takes the text; empty where none of them has a value.
    ///
    /// ```
    /// use simsieve_core::text::fields::{FieldPart, joined};
    /// let text = joined(&["a title".into(), "".into(), "its authors".into()]);
    /// assert_eq!(FieldPart { first: 0, count: 1 }.of(&text), "a title");
    /// assert_eq!(FieldPart { first: 1, count: 2 }.of(&text), "its authors");
    /// ```
    pub fn of(self, text: &str) -> &str {
        let mut texts = text.split(BETWEEN).skip(self.first).take(self.count);
        texts.find(|text| !text.trim().is_empty()).unwrap_or("")
    }
}

/// Joins texts, of which [`FieldPart::of`] gives each.
pub fn joined(texts: &[Cow<'_, str>]) -> String {
    let whole = texts.join(BETWEEN);
    if memchr::memchr_iter(MARK as u8, whole.as_bytes()).count() == texts.len() - 1 {
        return whole;
    }
    let plain: Vec<String> = texts.iter().map(|text| text.replace(MARK, " ")).collect();
    plain.join(BETWEEN)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Each text is given again, whatever it holds; of several that stand for one another the first one with a value.
        #[test]
        fn every_text_is_taken_again(texts in prop::collection::vec("[a \n\u{1E}]{0,4}", 1..5), first in 0_usize..5, count in 1_usize..4) {
            let whole = joined(&texts.iter().map(|text| Cow::Borrowed(&**text)).collect::<Vec<_>>());
            let plain: Vec<String> = texts.iter().map(|text| text.replace(MARK, " ")).collect();
            let wanted = plain.iter().skip(first).take(count).find(|text| !text.trim().is_empty());
            prop_assert_eq!(FieldPart { first, count }.of(&whole).trim(), wanted.map_or("", |text| text.trim()));
        }
    }
}
