//! Inverse document frequencies.

/// The inverse document frequency of a feature that `frequency` of `documents` documents have: `ln((N + 1) / (n + 1)) +
/// 1`. A feature that every document has gets 1, the least value. This is the smoothed form of scikit-learn's
/// `TfidfTransformer`, after Sparck Jones, *Journal of Documentation* 28, 1972. `libm` is pure Rust: the same bits on
/// every machine.
///
/// ```
/// use simsieve_core::encode::weight::idf;
/// assert_eq!(idf(3, 3), 1.0);
/// assert!((idf(3, 0) - 2.386_294).abs() < 1e-6);
/// ```
pub fn idf(documents: u64, frequency: u64) -> f64 {
    let frequency = frequency.min(documents);
    libm::log((documents as f64 + 1.0) / (frequency as f64 + 1.0)) + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idf_is_at_least_one_and_falls_with_the_frequency() {
        for documents in [1, 2, 1000, u64::from(u32::MAX), u64::MAX] {
            let points = (0..64).map(|shift| documents >> (63 - shift)).chain([documents]);
            let idfs: Vec<f64> = points.map(|frequency| idf(documents, frequency)).collect();
            assert!(idfs.windows(2).all(|w| w[0] >= w[1]), "{documents}");
            assert!((idfs[64] - 1.0).abs() < 1e-12 && idfs[0] < 46.0);
        }
        assert!((idf(9, 40) - 1.0).abs() < 1e-12, "prefixes may be shared");
    }
}
