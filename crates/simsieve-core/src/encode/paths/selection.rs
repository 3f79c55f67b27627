//! Which features a text selects: those with the least priorities.
//!
//! The priority of a feature is its draw under a seed, divided by its weight. A text selects a fixed number of
//! features, so no text is left without a key by chance. A near copy selects nearly the same. A selection by a bound
//! for each draw selects that number only in the mean: at the same mean it loses 0.25 % of the equal texts, and more
//! keys are needed for the same recall (docs/explanation/chosen-paths.md).

use super::draw;
use super::rarity::Rarity;
use crate::base::kernel::Kernel;

/// The weights of a text with at most this many features are looked up once.
const FEW: usize = 64;
/// The sum of the weights of a text with more features is estimated from about this many.
const SUMMED: usize = 32;
/// All draws are below it.
const ALL: u64 = 1 << 32;

/// The working memory of one thread.
#[derive(Debug, Default, Clone)]
pub struct PathScratch {
    /// Places of selected features: those of each level of a walk follow those of the level above.
    pub(super) places: Vec<u32>,
    /// Features that may be selected.
    drawn: Vec<Drawn>,
}

/// A feature that may be selected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawn {
    priority: f64,
    hash: u64,
    at: u32,
}

/// The features of a text with their weights.
pub(super) struct Selection<'a> {
    kernel: Kernel,
    rarity: &'a Rarity,
    pub(super) features: &'a [u64],
    /// Empty where every weight is 1.
    weights: &'a [u32],
    /// About the sum of the weights by rarity, and that of the squared weights alone. They bound the first draws that are looked at,
    /// and change no result.
    total: f64,
    even_total: f64,
    /// The largest squared weight.
    most_square: f64,
    /// One through the weight by rarity of each feature, where these are few.
    inverse: [f64; FEW],
}

fn squared(weight: u32) -> f64 {
    f64::from(weight) * f64::from(weight)
}

impl<'a> Selection<'a> {
    pub(super) fn of(kernel: Kernel, rarity: &'a Rarity, features: &'a [u64], weights: &'a [u32]) -> Self {
        let mut selection = Self {
            kernel,
            rarity,
            features,
            weights,
            total: 0.0,
            even_total: features.len() as f64,
            most_square: 1.0,
            inverse: [0.0; FEW],
        };
        if !weights.is_empty() {
            selection.even_total = weights.iter().map(|&weight| squared(weight)).sum();
            selection.most_square = weights.iter().copied().max().map_or(0.0, squared);
        }
        if features.len() <= FEW {
            for (at, &hash) in features.iter().enumerate() {
                let (weight, inverse) = rarity.weight_and_inverse(hash);
                let (weight, inverse) = if weights.is_empty() {
                    (f64::from(weight), inverse)
                } else {
                    let weight = f64::from(weight) * selection.square(at);
                    (weight, 1.0 / weight)
                };
                selection.total += weight;
                selection.inverse[at] = inverse;
            }
        } else {
            let step = features.len() / SUMMED;
            let sum: f64 = (0..features.len()).step_by(step).map(|at| selection.rare(at)).sum();
            selection.total = sum * step as f64;
        }
        selection
    }

    #[inline]
    fn square(&self, at: usize) -> f64 {
        self.weights.get(at).map_or(1.0, |&weight| squared(weight))
    }

    #[inline]
    fn rare(&self, at: usize) -> f64 {
        f64::from(self.rarity.weight(self.features[at])) * self.square(at)
    }

    /// Appends the places of the `most` features with the least priorities under a seed, in the order of the features. Features
    /// without weight are never selected. Equal priorities are in the order of the hashes.
    pub(super) fn least(&self, most: usize, even: bool, seed: u64, scratch: &mut PathScratch) {
        if most == 0 || self.features.is_empty() || self.most_square == 0.0 {
            return;
        }
        let PathScratch { places, drawn } = scratch;
        let start = places.len();
        let (total, rarest) = if even {
            (self.even_total, 1.0)
        } else {
            (self.total, f64::from(self.rarity.most()))
        };
        // Enough features have a lower priority than this, in most cases.
        let wanted = most as f64 + 1.5 * (most as f64).sqrt() + 1.0;
        let mut bound = wanted * ALL as f64 / total.max(1.0);
        loop {
            // No weight lifts a greater draw below the bound.
            let draws = ((bound * rarest * self.most_square) as u64).saturating_add(1).min(ALL);
            let complete = draws == ALL;
            let most_priority = if complete { f64::INFINITY } else { bound };
            drawn.clear();
            let mut look = |at: usize, priority: f64| {
                if priority < most_priority {
                    drawn.push(Drawn {
                        priority,
                        hash: self.features[at],
                        at: at as u32,
                    });
                }
            };
            if !even && self.features.len() <= FEW {
                draw::priorities(self.kernel, self.features, &self.inverse, seed, most_priority, look);
            } else {
                draw::below(self.kernel, self.features, seed, draws, places);
                for &at in &places[start..] {
                    let at = at as usize;
                    let inverse = 1.0 / if even { self.square(at) } else { self.rare(at) };
                    look(at, draw::draw(self.features[at], seed) as f64 * inverse);
                }
                places.truncate(start);
            }
            if complete || drawn.len() >= most {
                break;
            }
            bound *= 3.0;
        }
        if drawn.len() > most {
            drawn.select_nth_unstable_by(most - 1, |a, b| {
                a.priority.total_cmp(&b.priority).then(a.hash.cmp(&b.hash))
            });
            drawn.truncate(most);
            drawn.sort_unstable_by_key(|feature| feature.at);
        }
        places.extend(drawn.iter().map(|feature| feature.at));
    }
}
