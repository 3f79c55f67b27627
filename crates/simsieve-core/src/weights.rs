//! From counts to integer weights: made whole once, so that every later sum is exact.

/// How a feature's count becomes its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// 1 for every distinct feature, however often it occurs.
    Once,
    /// The count.
    Tf,
    /// 1 + ln(count), in steps of 1/256.
    Log,
}

impl Weights {
    /// Every rule with its name.
    pub const ALL: [(&'static str, Self); 3] = [("once", Self::Once), ("tf", Self::Tf), ("log", Self::Log)];

    /// The name in a scheme.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, rule)| *rule == self)
            .map_or("", |(name, _)| name)
    }

    /// Whether features must be counted.
    pub const fn counted(self) -> bool {
        !matches!(self, Self::Once)
    }

    /// Bits behind the point of the integer weight.
    pub const fn fraction_bits(self) -> u32 {
        match self {
            Self::Once | Self::Tf => 0,
            Self::Log => 8,
        }
    }

    /// The integer weight of a feature that occurs `count` times (at least once).
    ///
    /// ```
    /// use simsieve_core::weights::Weights;
    /// assert_eq!([1, 2, 3].map(|n| Weights::Log.of(n)), [256, 433, 537]);
    /// ```
    #[inline]
    pub fn of(self, count: u32) -> u32 {
        match self {
            Self::Once => 1,
            Self::Tf => count,
            Self::Log => {
                if count == 1 {
                    256
                } else {
                    log_weight(count)
                }
            }
        }
    }

    /// Writes the weight of every count.
    pub fn write(self, counts: &[u32], weights: &mut Vec<u32>) {
        weights.clear();
        match self {
            Self::Once => weights.resize(counts.len(), 1),
            Self::Tf => weights.extend_from_slice(counts),
            Self::Log => {
                // The table is asked for once, not at every count.
                let table = &*TABLE;
                let weight = |&count: &u32| table.get(count as usize).copied().unwrap_or_else(|| log_weight(count));
                weights.extend(counts.iter().map(weight));
            }
        }
    }
}

const TABLED: usize = 1024;

/// The weights of small counts.
static TABLE: std::sync::LazyLock<[u32; TABLED]> =
    std::sync::LazyLock::new(|| std::array::from_fn(|count| exact_log_weight(count as u32)));

/// 256 x (1 + ln count), rounded half to even. `libm` is pure Rust: the same bits on every machine.
fn log_weight(count: u32) -> u32 {
    TABLE
        .get(count as usize)
        .copied()
        .unwrap_or_else(|| exact_log_weight(count))
}

fn exact_log_weight(count: u32) -> u32 {
    if count == 0 {
        0
    } else {
        (256.0 * (1.0 + libm::log(f64::from(count)))).round_ties_even() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_weights_grow_and_stay_small() {
        let weights: Vec<u32> = (1..5000).map(|n| Weights::Log.of(n)).collect();
        assert!(weights.windows(2).all(|w| w[0] <= w[1]));
        assert_eq!(
            Weights::Log.of(u32::MAX),
            (256.0_f64 * (1.0 + 32.0 * std::f64::consts::LN_2)).round() as u32
        );
    }

    #[test]
    fn the_table_and_the_formula_agree_at_its_edge() {
        for count in 1020..1030 {
            assert_eq!(log_weight(count), exact_log_weight(count));
        }
        let counts: Vec<u32> = (1..2000).collect();
        for (_, rule) in Weights::ALL {
            let mut weights = Vec::new();
            rule.write(&counts, &mut weights);
            assert_eq!(weights, counts.iter().map(|&count| rule.of(count)).collect::<Vec<_>>());
        }
    }
}
