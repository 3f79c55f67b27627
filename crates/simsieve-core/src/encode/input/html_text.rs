//! Pages of HTML whose text is taken: what a reader sees, or the main text.

use crate::encode::unusable_text::UnusableText;
use crate::text::html;

/// What is taken of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extract {
    /// All text that a reader sees, also of a text that is no page but has some markup.
    Text,
    /// The main text.
    Main,
}

impl Extract {
    /// Each by its name.
    pub const ALL: [(&'static str, Self); 2] = [("text", Self::Text), ("main", Self::Main)];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Main => "main",
        }
    }

    /// All that can move a character, in words.
    pub(crate) fn canonical(self) -> String {
        let tags = match self {
            Self::Text => ", where nothing else tells of a page only what looks like a tag is one",
            Self::Main => ", furniture by its name and its share of the text",
        };
        format!(
            "extract {} of pages, formulas and digits as markup has them, {}{tags}\n",
            self.name(),
            html::RULES
        )
    }

    pub(crate) fn run(self, html: &str, room: &mut html::PageScratch, out: &mut String) -> Result<(), UnusableText> {
        out.clear();
        html::text_with_pictures(html, self == Self::Main, room, out)
            .map_err(|error| UnusableText::new(error.message()))
    }
}
