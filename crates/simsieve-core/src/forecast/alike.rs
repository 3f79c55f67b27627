//! Whether unrelated texts have mostly the same features, such as texts of few letters.

use crate::encode::scheme::Scheme;
use crate::search::sample::texts::Sample;

/// Texts drawn at random that have few different features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alike {
    /// Texts that were drawn.
    pub texts: u32,
    /// The different features of all of them.
    pub different: u64,
    /// Features of one of them in the mean.
    pub features: u64,
    /// Characters of a window of which unrelated texts share one in [`RARELY`]; `None` where features are no windows, and where no
    /// window is that long.
    pub window: Option<u32>,
}

/// Texts that are drawn, and the fewest that say something.
const DRAWN: usize = 64;
const LEAST_DRAWN: usize = 32;
/// They are alike if a text has one of this many of all different features.
const ALIKE_OF: u64 = 4;
/// See [`Alike::window`].
const RARELY: f64 = 10_000.0;
/// The longest window that a scheme has.
const LONGEST_WINDOW: f64 = 64.0;

/// Whether each of some texts has a large part of all features of all of them. The order of a sample is that of digests, so its first
/// texts are drawn at random.
pub(super) fn alike(sample: &Sample, scheme: &Scheme) -> Option<Alike> {
    let drawn = sample.len().min(DRAWN);
    if drawn < LEAST_DRAWN {
        return None;
    }
    let mut all: Vec<u64> = (0..drawn).flat_map(|at| sample.features(at)).copied().collect();
    let features = all.len() as u64 / drawn as u64;
    all.sort_unstable();
    all.dedup();
    let different = all.len() as u64;
    if features * ALIKE_OF < different {
        return None;
    }
    // Each further character of a window makes as many times more windows.
    let longer = libm::log(RARELY * features as f64) / libm::log(different.max(2) as f64);
    let window = (f64::from(scheme.window().size()) * longer).ceil();
    Some(Alike {
        texts: drawn as u32,
        different,
        features,
        window: (scheme.has_windows() && window <= LONGEST_WINDOW).then_some(window as u32),
    })
}
