//! Threads: one pool a call, as wide as the caller asked.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// A pool of `threads` threads; 0 for as many as there are cores. No result depends on the number.
pub fn pool(threads: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::Config(format!("cannot start {threads} threads: {error}; ask for fewer")))
}
