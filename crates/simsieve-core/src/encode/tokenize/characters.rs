//! Properties and mappings of characters.

use icu_casemap::CaseMapper;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

pub(crate) fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

/// Each character by Unicode's simple mapping.
pub(super) fn simple_lower(text: &str) -> String {
    text.chars().map(|c| CaseMapper::new().simple_lowercase(c)).collect()
}

/// What `\w` of Python's `re` takes, which are the characters of the general categories L and N, and the underscore.
pub(super) fn is_python_word(c: char) -> bool {
    c == '_' || GeneralCategoryGroup::Letter.contains(category(c)) || GeneralCategoryGroup::Number.contains(category(c))
}

/// Whether a character is a letter.
pub(super) fn is_letter(c: char) -> bool {
    GeneralCategoryGroup::Letter.contains(category(c))
}
