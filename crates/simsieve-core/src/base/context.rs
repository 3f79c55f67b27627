//! Threads: one pool a call, as wide as the caller asked; and what all threads of a call know of their caller.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::base::error::{Error, Result};

/// What a caller lets the threads of its call share; the core hands it on and does not look at it.
pub type Shared = Arc<dyn Any + Send + Sync>;

thread_local! {
    static SHARED: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

/// What this thread's call shares.
pub fn shared() -> Option<Shared> {
    SHARED.with_borrow(Option::clone)
}

/// Does `work` as a call that shares `value`: in this thread, and in those of every [`pool`] that it makes.
///
/// ```
/// use simsieve_core::base::context::{pool, shared, with_shared};
/// let seen = with_shared(std::sync::Arc::new(7_u8), || pool(2).unwrap().install(shared));
/// assert_eq!(seen.unwrap().downcast_ref::<u8>(), Some(&7));
/// assert!(shared().is_none());
/// ```
pub fn with_shared<T>(value: Shared, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there, however the work ends.
    struct Back(Option<Shared>);
    impl Drop for Back {
        fn drop(&mut self) {
            SHARED.set(self.0.take());
        }
    }
    let _back = Back(SHARED.replace(Some(value)));
    work()
}

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
    let shared = shared();
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |_| SHARED.with_borrow_mut(|place| place.clone_from(&shared)))
        .build()
        .map_err(|error| Error::Config(format!("cannot start {threads} threads: {error}; ask for fewer")))
}
