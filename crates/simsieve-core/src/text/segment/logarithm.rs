//! The natural logarithm, correctly rounded.
//!
//! jieba takes its logarithms from the platform. If two paths have the same frequencies in another order, the last bit
//! decides between them. So it must be the same on every machine and equal to jieba's. Correct rounding gives both:
//! common platform libraries round all but a few arguments in a thousand correctly, and all of jieba's frequencies and
//! emissions.

/// An unevaluated sum of two doubles, the second at most half a unit in the last place of the first (Dekker 1971).
#[derive(Clone, Copy)]
struct Pair(f64, f64);

/// ln 2 in 107 bits.
const LN_2: Pair = Pair(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);

/// `a + b` without error.
fn sum(a: f64, b: f64) -> Pair {
    let s = a + b;
    let t = s - a;
    Pair(s, (a - (s - t)) + (b - t))
}

/// `a * b` without error, for factors far from the ends of the range: by halves of 26 bits.
fn product(a: f64, b: f64) -> Pair {
    let halves = |x: f64| {
        let big = x * 134_217_729.0;
        let high = big - (big - x);
        (high, x - high)
    };
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    let p = a * b;
    Pair(p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl Pair {
    fn plus(self, other: Self) -> Self {
        let Self(s, e) = sum(self.0, other.0);
        sum(s, e + (self.1 + other.1))
    }

    fn times(self, other: Self) -> Self {
        let Self(p, e) = product(self.0, other.0);
        sum(p, e + (self.0 * other.1 + self.1 * other.0))
    }

    fn over(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self.plus(other.times(Self(-first, 0.0)));
        let second = rest.0 / other.0;
        let rest = rest.plus(other.times(Self(-second, 0.0)));
        let Self(q, e) = sum(first, second);
        sum(q, e + rest.0 / other.0)
    }
}

/// ln `x` for a positive, finite, normal `x`, to within 2^-95 before it is rounded.
///
/// x = 2^e m with m near 1, and ln m = 2 artanh((m - 1) / (m + 1)), whose series gains five bits a term.
pub fn ln(x: f64) -> f64 {
    debug_assert!(x.is_normal() && x > 0.0, "ln({x})");
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7FF) as i32 - 1023;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let s = Pair(m - 1.0, 0.0).over(sum(m, 1.0));
    let square = s.times(s);
    // From the smallest term on: ln m = 2 s (1 + s^2/3 + s^4/5 + ...).
    let mut series = Pair(0.0, 0.0);
    for term in (0..24).rev() {
        let odd = Pair(f64::from(2 * term + 1), 0.0);
        series = series.times(square).plus(Pair(1.0, 0.0).over(odd));
    }
    let ln_m = s.times(series).times(Pair(2.0, 0.0));
    let whole = LN_2.times(Pair(f64::from(exponent), 0.0));
    let Pair(high, low) = whole.plus(ln_m);
    high + low
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_values_are_exact() {
        // To 30 digits: ln 3 = 1.09861228866810969139524523692, ln 10 = 2.30258509299404568401799145468.
        for (x, expected) in [
            (1.0, 0.0),
            (2.0, std::f64::consts::LN_2),
            (0.5, -std::f64::consts::LN_2),
            (3.0, 1.098_612_288_668_109_7),
            (10.0, std::f64::consts::LN_10),
            (1024.0, 6.931_471_805_599_453),
        ] {
            assert_eq!(ln(x).to_bits(), f64::to_bits(expected), "{x}");
        }
    }

    proptest! {
        #[test]
        fn a_library_that_errs_by_less_than_a_unit_is_never_further_away(x in 1e-12..1e18_f64) {
            let (ours, theirs) = (ln(x), libm::log(x));
            prop_assert!((ours - theirs).abs() <= ours.abs() * f64::EPSILON, "{x}: {ours} {theirs}");
        }

        #[test]
        fn whole_numbers_multiply_as_their_logarithms_add(a in 1_u32..60_000_000, b in 1_u32..60_000_000) {
            let (a, b) = (f64::from(a), f64::from(b));
            prop_assert!((ln(a * b) - (ln(a) + ln(b))).abs() < 2e-14);
        }
    }
}
