//! The pattern of interest: of the tokens of a user's scheme those stay that the user's pattern takes.

use std::collections::HashSet;

use super::UnusableText;
use super::custom::{CustomRule, Given};
use super::cut::Tokens;

impl CustomRule {
    /// Which of these tokens are of interest; each distinct one is asked for once.
    fn interesting<'a>(&self, tokens: impl Iterator<Item = &'a str>) -> Result<HashSet<&'a str>, UnusableText> {
        let mut asked = HashSet::new();
        let distinct: Vec<&str> = tokens.filter(|token| asked.insert(*token)).collect();
        let kept = self.functions().interests(&distinct).map_err(UnusableText::new)?;
        let rows = distinct.into_iter().zip(kept);
        Ok(rows.filter_map(|(token, keep)| keep.then_some(token)).collect())
    }

    /// The characters of `text` that are of interest.
    pub(super) fn interesting_characters(&self, text: &str) -> Result<String, UnusableText> {
        let ends = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
        let kept = self.interesting(ends.clone())?;
        Ok(ends.filter(|character| kept.contains(character)).collect())
    }

    /// Keeps the tokens that are of interest.
    pub(super) fn keep_interesting(&self, tokens: &mut Tokens) -> Result<(), UnusableText> {
        if self.by_interest {
            let all: Vec<String> = tokens.iter().map(str::to_owned).collect();
            let kept = self.interesting(all.iter().map(String::as_str))?;
            // Empty where parts of speech do not weigh.
            let factors = std::mem::take(&mut tokens.factors);
            tokens.begin();
            for (at, token) in all
                .iter()
                .enumerate()
                .filter(|(_, token)| kept.contains(token.as_str()))
            {
                tokens.add(token);
                tokens.factors.extend(factors.get(at));
            }
        }
        Ok(())
    }

    /// Keeps the features that are of interest; what is no text stays.
    pub(super) fn keep_interesting_given(&self, given: Vec<Given>) -> Result<Vec<Given>, UnusableText> {
        if !self.by_interest {
            return Ok(given);
        }
        let text = |given: &Given| match given {
            Given::Text(text, _) => Some(text.clone()),
            Given::Hash(..) => None,
        };
        let texts: Vec<String> = given.iter().filter_map(text).collect();
        let kept = self.interesting(texts.iter().map(String::as_str))?;
        let stays = |given: &Given| !matches!(given, Given::Text(text, _) if !kept.contains(text.as_str()));
        Ok(given.into_iter().filter(stays).collect())
    }
}
