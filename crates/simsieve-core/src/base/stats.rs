//! The binomial distribution: tails and quantiles.
//!
//! Every logarithm and exponential is `libm`'s, so a recipe that is made from these numbers is the same on every machine.

/// The probability that a binomial(n, p) variable is at least `least`.
///
/// ```
/// use simsieve_core::base::stats::binomial_tail;
/// // At least nine of ten coins show heads: 11 of the 1,024 outcomes.
/// assert!((binomial_tail(10, 0.5, 9) - 11.0 / 1024.0).abs() < 1e-12);
/// ```
///
/// Complexity: linear in `n - least`.
pub fn binomial_tail(n: u32, p: f64, least: u32) -> f64 {
    if least == 0 {
        return 1.0;
    }
    let tail = upper_tails(n, p).take_while(|&(x, _)| x >= least).last();
    tail.map_or(0.0, |(_, tail)| tail.min(1.0))
}

/// The least `x` for which a binomial(n, p) variable exceeds `x` with probability at most `miss`.
///
/// ```
/// use simsieve_core::base::stats::binomial_quantile;
/// // More than eight of ten coins show heads in 11 of the 1,024 outcomes, more than seven in 56.
/// assert_eq!(binomial_quantile(10, 0.5, 11.5 / 1024.0), 8);
/// ```
///
/// Complexity: linear in `n - x`.
pub fn binomial_quantile(n: u32, p: f64, miss: f64) -> u32 {
    upper_tails(n, p).find(|&(_, tail)| tail > miss).map_or(0, |(x, _)| x)
}

/// Each `x` from `n` down to 1 with the probability that a binomial(n, p) variable is at least `x`. They are added in
/// ascending order, which keeps the sum precise.
fn upper_tails(n: u32, p: f64) -> impl Iterator<Item = (u32, f64)> {
    let certain = p >= 1.0;
    let odds = libm::log(p) - libm::log1p(-p);
    let mut log_mass = f64::from(n) * libm::log(p);
    let mut tail = 0.0;
    let possible = if p <= 0.0 { 0 } else { n };
    (1..=possible).rev().map(move |x| {
        if certain {
            return (x, 1.0);
        }
        tail += libm::exp(log_mass);
        log_mass += libm::log(f64::from(x)) - libm::log(f64::from(n - x + 1)) - odds;
        (x, tail)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The tail by its definition, from integer counts.
    fn plain_tail(n: u32, p: f64, least: u32) -> f64 {
        let ways = |x: u32| (0..x).fold(1.0, |ways, i| ways * f64::from(n - i) / f64::from(i + 1));
        let mass = |x: u32| ways(x) * p.powi(x as i32) * (1.0 - p).powi((n - x) as i32);
        (least..=n).map(mass).sum()
    }

    #[test]
    fn quantiles_are_those_of_the_binomial() {
        // Binomial(10, 0.5): P(X > 8) = 11/1024, P(X > 9) = 1/1024.
        assert_eq!(
            (
                binomial_quantile(10, 0.5, 11.5 / 1024.0),
                binomial_quantile(10, 0.5, 10.5 / 1024.0)
            ),
            (8, 9)
        );
        assert_eq!(
            (binomial_quantile(64, 0.0, 1e-6), binomial_quantile(64, 1.0, 1e-6)),
            (0, 64)
        );
    }

    #[test]
    fn tails_are_those_of_the_binomial() {
        assert!((binomial_tail(10, 0.5, 9) - 11.0 / 1024.0).abs() < 1e-12);
        assert_eq!((binomial_tail(10, 0.5, 0), binomial_tail(10, 0.5, 11)), (1.0, 0.0));
        for p in [0.0, 1.0] {
            assert_eq!((binomial_tail(10, p, 1), binomial_tail(10, p, 10)), (p, p));
            assert_eq!((binomial_tail(0, p, 0), binomial_tail(0, p, 1)), (1.0, 0.0));
        }
    }

    proptest! {
        #[test]
        fn tails_are_sums_of_the_definition(n in 0..60_u32, p in 0.0..1.0_f64, least in 0..62_u32) {
            let tail = binomial_tail(n, p, least);
            prop_assert!((tail - plain_tail(n, p, least)).abs() < 1e-10, "{tail}");
        }

        #[test]
        fn a_quantile_is_the_least_number_that_is_exceeded_so_rarely(n in 0..300_u32, p in 0.0..1.0_f64, miss in 1e-9..0.9_f64) {
            let x = binomial_quantile(n, p, miss);
            prop_assert!(binomial_tail(n, p, x + 1) <= miss);
            prop_assert!(x == 0 || binomial_tail(n, p, x) > miss);
        }
    }
}
