//! From counts to integer weights: rounded once, so every later sum is exact.

/// How a feature's count becomes its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// 1 for every distinct feature, however often it occurs.
    Once,
    /// The count.
    Tf,
    /// 1 + ln(count), in steps of 1/256.
    Log,
    /// The inverse document frequency of a model, in steps of 1/256.
    Idf,
    /// (1 + ln(count)) times the inverse document frequency, in steps of 1/256.
    LogIdf,
    /// The count times the inverse document frequency, in steps of 1/256 and at most 2^32 - 1 of them.
    CountIdf,
    /// By document frequency and the entropies of a word's neighbours, by the scheme's rule, in steps of 2^-20; made
    /// with the features.
    Entropy,
    /// By a custom scheme, with this many fraction bits; made with the features.
    Own(u8),
    /// The share of the text times an inverse document frequency that belongs to the scheme, in steps of 2^-24; made
    /// with the features, never from a count alone.
    TfIdf,
    /// As [`Weights::TfIdf`], with the document frequencies of a model.
    TfIdfOfModel,
    /// The decays of a page's elements, in steps of 2^-20; made with the features, as those of [`Weights::TfIdf`] are.
    Decayed,
    /// By this rule, times the factor of a word's part of speech, in steps of 2^-16; made with the features.
    Tagged(&'static Self),
}

impl Weights {
    /// Every rule that a scheme on characters may have, with its name.
    pub const ALL: [(&'static str, Self); 6] = [
        ("once", Self::Once),
        ("tf", Self::Tf),
        ("log", Self::Log),
        ("idf", Self::Idf),
        ("log-idf", Self::LogIdf),
        ("tf-idf", Self::CountIdf),
    ];

    /// The names of all of them, for messages.
    pub const NAMES: &'static str = "once, tf, log, idf, log-idf, tf-idf";

    /// The name in a scheme's spec.
    pub fn name(self) -> &'static str {
        let other = match self {
            Self::Decayed => "decay",
            Self::Entropy => "entropy",
            Self::Own(_) => "own",
            Self::Tagged(rule) => return rule.name(),
            _ => "tf-idf",
        };
        Self::ALL
            .iter()
            .find(|(_, rule)| *rule == self)
            .map_or(other, |(name, _)| name)
    }

    /// Whether features have different weights, so they must be counted.
    pub const fn counted(self) -> bool {
        !matches!(self, Self::Once)
    }

    /// Whether weights come from a model of document frequencies.
    pub const fn needs_model(self) -> bool {
        match self {
            Self::Tagged(rule) => rule.needs_model(),
            _ => matches!(
                self,
                Self::Idf | Self::LogIdf | Self::CountIdf | Self::Entropy | Self::TfIdfOfModel
            ),
        }
    }

    /// This rule with factors of parts of speech; `None` if it makes weights with the features.
    pub const fn tagged(self) -> Option<Self> {
        Some(Self::Tagged(match self {
            Self::Once => &Self::Once,
            Self::Tf => &Self::Tf,
            Self::Log => &Self::Log,
            Self::Idf => &Self::Idf,
            Self::LogIdf => &Self::LogIdf,
            Self::CountIdf => &Self::CountIdf,
            _ => return None,
        }))
    }

    /// The weight of a feature before rounding, for the rules that [`Weights::tagged`] accepts.
    pub fn exact(self, count: u32, idf: f64) -> f64 {
        match self {
            Self::Tf => f64::from(count),
            Self::Log => log_factor(count),
            Self::Idf => idf,
            Self::LogIdf => log_factor(count) * idf,
            Self::CountIdf => f64::from(count) * idf,
            _ => 1.0,
        }
    }

    /// The rule that also weighs by document frequency; `None` if there is none.
    pub const fn with_idf(self) -> Option<Self> {
        match self {
            Self::Once | Self::Idf => Some(Self::Idf),
            Self::Tf | Self::CountIdf => Some(Self::CountIdf),
            Self::Log | Self::LogIdf => Some(Self::LogIdf),
            Self::Entropy => Some(Self::Entropy),
            Self::TfIdf | Self::TfIdfOfModel => Some(Self::TfIdfOfModel),
            Self::Tagged(rule) => match rule.with_idf() {
                Some(rule) => rule.tagged(),
                None => None,
            },
            Self::Decayed | Self::Own(_) => None,
        }
    }

    /// Fraction bits of the integer weight.
    ///
    /// With 20 bits for the rules with a model, the squares of 28,000 rare features would sum to more than 64 bits. An
    /// idf is up to 23 at 2^32 documents; 11 bits always fit. 8 bits change a weight by at most 1/512 of itself,
    /// because none is below 1. The kernels add most weights in 16 bits.
    pub const fn fraction_bits(self) -> u32 {
        match self {
            Self::Once | Self::Tf => 0,
            Self::Log | Self::Idf | Self::LogIdf | Self::CountIdf => 8,
            Self::Tagged(_) => 16,
            Self::Entropy | Self::Decayed => 20,
            Self::Own(bits) => bits as u32,
            Self::TfIdf | Self::TfIdfOfModel => 24,
        }
    }

    /// The integer weight of a feature that occurs `count` times (at least once); under a model, of a feature of all
    /// documents.
    ///
    /// ```
    /// use simsieve_core::encode::weight::Weights;
    /// assert_eq!([1, 2, 3].map(|n| Weights::Log.of(n)), [256, 433, 537]);
    /// ```
    #[inline]
    pub fn of(self, count: u32) -> u32 {
        match self {
            Self::Tf => count,
            Self::Idf => 256,
            Self::CountIdf => count.saturating_mul(256),
            Self::Log | Self::LogIdf => {
                if count == 1 {
                    256
                } else {
                    log_weight(count)
                }
            }
            _ => 1,
        }
    }

    /// The integer weight of a feature that occurs `count` times and has this idf; rounded once, half to even.
    #[inline]
    pub fn with_idf_of(self, count: u32, idf: f64) -> u32 {
        match self {
            Self::Idf => (256.0 * idf).round_ties_even() as u32,
            Self::LogIdf => (256.0 * (log_factor(count) * idf)).round_ties_even() as u32,
            // A weight beyond 32 bits becomes the greatest weight: a feature with 700,000 occurrences in a text and
            // more.
            Self::CountIdf => (256.0 * (f64::from(count) * idf)).round_ties_even() as u32,
            _ => self.of(count),
        }
    }

    /// Writes the weight of every count, with an idf of 1.
    pub fn write(self, counts: &[u32], weights: &mut Vec<u32>) {
        weights.clear();
        match self {
            Self::Tf => weights.extend_from_slice(counts),
            Self::CountIdf => weights.extend(counts.iter().map(|&count| self.of(count))),
            Self::Log | Self::LogIdf => {
                // The table is fetched once, not at every count.
                let table = &*TABLE;
                let weight = |&count: &u32| table.get(count as usize).copied().unwrap_or_else(|| log_weight(count));
                weights.extend(counts.iter().map(weight));
            }
            _ => weights.resize(counts.len(), self.of(1)),
        }
    }
}

const TABLED: usize = 1024;

/// The weights of small counts.
static TABLE: std::sync::LazyLock<[u32; TABLED]> =
    std::sync::LazyLock::new(|| std::array::from_fn(|count| exact_log_weight(count as u32)));

/// 1 + ln(count), of small counts by table.
#[inline]
fn log_factor(count: u32) -> f64 {
    static FACTORS: std::sync::LazyLock<[f64; TABLED]> =
        std::sync::LazyLock::new(|| std::array::from_fn(|count| 1.0 + libm::log(count.max(1) as f64)));
    match FACTORS.get(count as usize) {
        Some(&factor) => factor,
        None => 1.0 + libm::log(f64::from(count)),
    }
}

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
#[path = "rule_tests.rs"]
mod tests;
