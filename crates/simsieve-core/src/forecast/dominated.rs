//! Texts whose fingerprint is decided by one feature: it has more than half of the weight, so each bit is that of its hash.

use crate::base::context::Context;
use crate::base::error::Result;
use crate::encode::scheme::Scratch;
use crate::encode::weight::Weights;
use crate::forecast::look_at::{LookedAt, look_at};
use crate::search::documents::SchemeDocuments;

/// Looks at texts of the new documents; `None` where each feature counts once, or there are none.
///
/// # Errors
/// A source has changed, or the threads cannot be started.
pub fn dominated(documents: SchemeDocuments<'_>, ctx: &Context<'_>) -> Result<Option<LookedAt>> {
    let scheme = &documents.encoding.scheme;
    if !scheme.has_features() || scheme.weights() == Weights::Once {
        return Ok(None);
    }
    let looked_at = look_at(documents, ctx, |position, buffer, scratch: &mut Scratch| {
        documents.extract(position, buffer, scratch)?;
        Ok(is_decided_by_one(&scratch.weights))
    });
    looked_at.map(Some)
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
