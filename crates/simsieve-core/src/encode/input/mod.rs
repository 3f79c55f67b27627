//! What the text of a record is taken for.

pub mod external;
pub(crate) mod html_elements;
pub mod html_text;
pub mod pattern;
pub mod templates;

use external::External;
use html_text::Extract;

/// What the text of a record is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// A text.
    Text,
    /// A page of HTML, whose text is taken.
    HtmlText(Extract),
    /// A page of HTML, whose elements are the features.
    HtmlElements,
    /// A list of tokens.
    Tokens,
    /// A fingerprint that the user brings.
    External(External),
}

impl Input {
    /// What is extracted of pages: `none`, `text` or `main`.
    pub const fn extract_name(self) -> &'static str {
        match self {
            Self::HtmlText(extract) => extract.name(),
            _ => "none",
        }
    }

    /// Whether a record's text is taken for a page of HTML.
    pub const fn takes_pages(self) -> bool {
        matches!(self, Self::HtmlText(_) | Self::HtmlElements)
    }

    /// Why the text of a record is not one that can be extracted or cleaned.
    pub(crate) const fn why_no_text(self) -> &'static str {
        match self {
            Self::External(_) => "its texts are fingerprints",
            Self::Tokens => "its documents are lists of tokens",
            Self::Text | Self::HtmlText(_) | Self::HtmlElements => "its features are the page's elements",
        }
    }
}
