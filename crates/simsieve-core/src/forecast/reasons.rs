//! The recipe of a search and the reasons for it, as messages.

use super::{reach, tables};
use crate::base::message::Message;
use crate::encode::scheme::Scheme;
use crate::encode::sketch::SKETCH_BITS;
use crate::recipe::{PathOptions, Recipe, Threshold};

/// How the search finds its candidates.
pub fn describe(recipe: &Recipe, scheme: &Scheme) -> Message {
    match (recipe.paths, tables(recipe, scheme).len()) {
        (Some(PathOptions { first, .. }), _) => msg!("{first} chosen paths a text"),
        (None, 0) => msg!("every pair"),
        (None, count) => msg!("{count} tables of agreeing bits"),
    }
}

/// The reasons for the recipe, one sentence for each choice.
pub fn why(recipe: &Recipe, scheme: &Scheme) -> Vec<Message> {
    let threshold = recipe.threshold;
    let Some(options) = recipe.paths else {
        let (count, width) = (tables(recipe, scheme).len(), scheme.width());
        return vec![match threshold {
            Threshold::Distance(bits) if count == 0 => msg!(
                "Every pair is tested: at {bits} of {width} bits no choice of agreeing blocks costs less for this many documents."
            ),
            Threshold::Distance(bits) => msg!(
                "Two fingerprints within {bits} bits agree in one of {count} choices of blocks: no pair within the distance is \
                 missed."
            ),
            _ => msg!("Every pair is tested: below 8,192 documents keys would cost more than they save."),
        }];
    };
    let (equals, parts) = reach(recipe);
    let [equals, parts] = [equals, parts].map(|chance| format!("{chance:.3}"));
    vec![
        msg!(
            "Each text selects {first} of its features, rare ones most often, and {further} more in the mean for each path that \
             over {bucket} texts have.",
            first = options.first,
            further = format!("{:.1}", options.further),
            bucket = options.bucket
        ),
        match threshold {
            Threshold::Containment { max_ratio: ratio, .. } => msg!(
                "A pair at {threshold} meets in a path of two features with the probability {equals}, and where the kept text has \
                 {ratio} times as many features {parts}."
            ),
            _ => msg!(
                "A pair at {threshold} meets in a path of two features with the probability {equals}, and where one text is a part \
                 of the other {parts}."
            ),
        },
        if recipe.max_bits < SKETCH_BITS {
            msg!(
                "Pairs whose sketches differ in more than {bits} of {width} bits are not verified.",
                bits = recipe.max_bits,
                width = SKETCH_BITS
            )
        } else {
            msg!("The threshold is so low that sketches rule nothing out: each pair that meets is verified.")
        },
    ]
}
