//! What a custom scheme does to a text before its features are taken.

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use super::characters::category;
use super::normal_form::Form;
use crate::encode::unusable_text::UnusableText;
use crate::text::html;
use crate::text::{Class, Compact, Fold, Normaliser, class_of};

/// A step on a text's way to its features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The visible text of a page.
    Markup,
    /// The normalised text, as every other scheme has it.
    Usual,
    /// The same without spaces and punctuation.
    Compact,
    /// A Unicode normal form.
    Form(Form),
    /// Full case folding.
    Casefold,
    /// Lower case.
    Lower,
    /// Runs of white space become one space, none at the ends.
    Spaces,
    /// Without white space.
    NoSpaces,
    /// Without punctuation (what the compact text leaves out, but for white space).
    NoPunctuation,
    /// Without decimal digits.
    NoDigits,
    /// Traditional Chinese made Simplified, Chinese numerals written in digits, or marks left out.
    Fold(Fold),
}

impl Step {
    /// Every step by its name.
    pub const ALL: [(&'static str, Self); 17] = [
        ("markup", Self::Markup),
        ("usual", Self::Usual),
        ("compact", Self::Compact),
        ("nfc", Self::Form(Form::Nfc)),
        ("nfd", Self::Form(Form::Nfd)),
        ("nfkc", Self::Form(Form::Nfkc)),
        ("nfkd", Self::Form(Form::Nfkd)),
        ("casefold", Self::Casefold),
        ("lower", Self::Lower),
        ("spaces", Self::Spaces),
        ("no-spaces", Self::NoSpaces),
        ("no-punctuation", Self::NoPunctuation),
        ("no-digits", Self::NoDigits),
        ("t2s", Self::Fold(Fold::CHARACTERS)),
        ("tw2sp", Self::Fold(Fold::WORDS)),
        ("numerals", Self::Fold(Fold::NUMERALS)),
        ("marks", Self::Fold(Fold::MARKS)),
    ];

    pub(super) fn apply(self, text: &str) -> Result<String, UnusableText> {
        let normalised = |keep_all: bool| {
            let mut out = Compact::default();
            Normaliser::new(keep_all).run(text, &mut out);
            String::from_utf8(out.compact().to_vec()).expect("the normaliser writes UTF-8")
        };
        let case = CaseMapper::new();
        let without = |drop: &dyn Fn(char) -> bool| text.chars().filter(|&c| !drop(c)).collect();
        Ok(match self {
            Self::Markup => {
                let mut out = String::new();
                let read = html::text(text, &mut html::PageScratch::default(), &mut out);
                read.map_err(|error| UnusableText::new(error.message()))?;
                out
            }
            Self::Usual => normalised(true),
            Self::Compact => normalised(false),
            Self::Form(form) => form.of(text),
            Self::Casefold => case.fold_string(text).into_owned(),
            Self::Lower => case
                .lowercase_to_string(text, &LanguageIdentifier::UNKNOWN)
                .into_owned(),
            Self::Spaces => text.split_whitespace().collect::<Vec<_>>().join(" "),
            Self::NoSpaces => without(&char::is_whitespace),
            Self::NoPunctuation => {
                without(&|c| GeneralCategoryGroup::Punctuation.contains(category(c)) && class_of(c) != Class::Plain)
            }
            Self::NoDigits => without(&|c| category(c) == GeneralCategory::DecimalNumber),
            Self::Fold(fold) => fold.apply(text),
        })
    }
}
