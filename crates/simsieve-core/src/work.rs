//! Threads: one pool a call, as wide as the caller asked.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// More threads than this are a slip of the hand: they would hold the machine up, not speed the work up.
pub const MOST_THREADS: usize = 1024;

/// A pool of `threads` threads; 0 for as many as there are cores. No result depends on the number.
///
/// # Errors
/// [`Error::Config`] for more than [`MOST_THREADS`], or where the system refuses to start them.
pub fn pool(threads: usize) -> Result<ThreadPool> {
    if threads > MOST_THREADS {
        return Err(Error::Config(format!(
            "threads {threads} is not allowed; it lies from 0 (all cores) to {MOST_THREADS}"
        )));
    }
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::Config(format!("cannot start {threads} threads: {error}; ask for fewer")))
}
