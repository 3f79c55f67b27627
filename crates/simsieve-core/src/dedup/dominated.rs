//! Texts whose fingerprint is decided by one feature: it has more than half of the weight, so each bit is that of its hash.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::dedup::documents::SchemeDocuments;
use crate::encode::scheme::Scratch;
use crate::encode::weight::Weights;
use crate::source::RecordBuffer;

/// How many of some texts have a fingerprint that one feature decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dominated {
    /// Texts that were looked at.
    pub texts: u64,
    /// Those with such a fingerprint.
    pub decided: u64,
    /// The position of the first of them.
    pub example: Option<u32>,
}

/// Texts that are looked at; of fewer, all.
pub const SAMPLED: u32 = 2000;

/// Looks at texts of the new documents; `None` where each feature counts once, or there are none.
///
/// # Errors
/// A source has changed, or the threads cannot be started.
pub fn dominated(documents: SchemeDocuments<'_>, ctx: &Context<'_>) -> Result<Option<Dominated>> {
    let encoding = documents.encoding;
    if !encoding.scheme.has_features() || encoding.scheme.weights() == Weights::Once {
        return Ok(None);
    }
    let mut positions = sampled(documents);
    positions.retain(|&position| encoding.valid[position as usize]);
    let decided: Result<Vec<bool>> = ctx.pool()?.install(|| {
        let positions = positions.par_iter();
        positions
            .map_init(<(RecordBuffer, Scratch)>::default, |(buffer, scratch), &position| {
                documents.extract(position, buffer, scratch)?;
                Ok(is_decided_by_one(&scratch.weights))
            })
            .collect()
    });
    let decided = decided?;
    Ok(Some(Dominated {
        texts: positions.len() as u64,
        decided: decided.iter().filter(|&&is_one| is_one).count() as u64,
        example: decided.iter().position(|&is_one| is_one).map(|at| positions[at]),
    }))
}

/// The positions of the new documents that are looked at, in order.
pub(super) fn sampled(documents: SchemeDocuments<'_>) -> Vec<u32> {
    let new = documents.run.collection.sources.new_len() as u32;
    let mut positions: Vec<u32> = if new <= SAMPLED {
        (0..new).collect()
    } else {
        let draw = |at: u32| (mix(mix(documents.recipe.seed) ^ u64::from(at)) % u64::from(new)) as u32;
        (0..SAMPLED).map(draw).collect()
    };
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// Whether one of several weights is more than all others together.
fn is_decided_by_one(weights: &[u32]) -> bool {
    let greatest = weights.iter().max().map_or(0, |&weight| u64::from(weight));
    let all: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    weights.len() > 1 && 2 * greatest > all
}

#[cfg(test)]
mod tests {
    use super::is_decided_by_one;

    #[test]
    fn one_weight_of_several_decides_above_a_half() {
        assert!(is_decided_by_one(&[3, 1, 1]));
        assert!(!is_decided_by_one(&[2, 1, 1]));
        assert!(!is_decided_by_one(&[5]));
        assert!(!is_decided_by_one(&[]));
        assert!(is_decided_by_one(&[u32::MAX, 0]));
    }
}
