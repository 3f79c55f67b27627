//! The base of all other modules: errors, progress, choice of kernels, hashes, sets of bits, threads, the system, the binomial
//! distribution. It imports no other module.

pub mod bits;
pub mod context;
pub mod error;
pub(crate) mod fetch;
pub mod hash;
pub(crate) mod in_order;
pub mod kernel;
pub(crate) mod lanes;
pub mod message;
pub(crate) mod os;
pub(crate) mod pools;
pub mod progress;
#[cfg(target_arch = "x86_64")]
pub(crate) mod simd;
pub mod stats;
pub mod tuning;
