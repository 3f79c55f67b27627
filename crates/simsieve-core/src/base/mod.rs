//! What every other module stands on: errors, progress, the choice of kernels, hashes, threads, the binomial distribution. It knows no other module.

pub mod context;
pub mod error;
pub mod hash;
pub mod kernel;
pub mod progress;
#[cfg(target_arch = "x86_64")]
pub(crate) mod simd;
pub mod stats;
