//! Pools of threads that last: to start one costs more than a small call takes.
//!
//! A call takes a pool for itself and gives it back, so the tasks of two calls never share a thread. A process that was made
//! by `fork` has the list of its parent's pools but not their threads: it leaves them alone.

use std::any::Any;
use std::cell::OnceCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// A value that the caller shares with all threads of its call. The core hands it on and does not look at it.
pub type Shared = Arc<dyn Any + Send + Sync>;

/// As many pools wait for the next call; more are ended.
const MOST_IDLE: usize = 8;
/// A larger pool is ended with its call: its threads would hold memory.
const MOST_THREADS_IDLE: usize = 64;

/// What each thread of a pool keeps from one task to the next: to fill new memory for each task may cost more than the task.
pub(crate) struct PerThread<T>(Vec<Mutex<Option<T>>>);

impl<T> PerThread<T> {
    /// Makes an empty slot for each of `threads` threads.
    pub(crate) fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| Mutex::new(None)).collect())
    }

    /// Does `work` with what the present thread of the pool has; it makes it where it has nothing, or uses it in another task.
    pub(crate) fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let place = &self.0[rayon::current_thread_index().unwrap_or(0) % self.0.len()];
        let mut own = lock(place).take().unwrap_or_else(make);
        let done = work(&mut own);
        *lock(place) = Some(own);
        done
    }
}

/// The place where the threads of a pool find the value that the present call shares with them.
type SharedPlace = Arc<Mutex<Option<Shared>>>;

thread_local! {
    static PLACE: OnceCell<SharedPlace> = const { OnceCell::new() };
    static OWN: OnceCell<Option<Arc<ThreadPool>>> = const { OnceCell::new() };
}

/// As many threads that call have a pool of themselves: what it takes is not given back when its thread ends.
const MOST_OWN: usize = 256;
static OWN_POOLS: AtomicUsize = AtomicUsize::new(0);

/// The pools that no call has now.
static IDLE: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// What the present call shares with this thread of a pool.
pub(super) fn shared() -> Option<Shared> {
    PLACE.with(|place| place.get().and_then(|place| lock(place).clone()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Pool {
    threads: Arc<ThreadPool>,
    /// The number of threads that was asked for; 0 for as many as there are cores.
    asked: usize,
    place: SharedPlace,
    process: u32,
}

/// A pool of one call; dropped, it waits for the next call.
pub(super) struct Lease {
    threads: Arc<ThreadPool>,
    /// What is given back; none of a thread's own.
    pool: Option<Pool>,
}

impl Lease {
    /// The pool of this thread alone, which runs all work at once and in place; none where there are too many.
    pub(super) fn own() -> Option<Self> {
        let start = || {
            if OWN_POOLS.fetch_add(1, Ordering::Relaxed) >= MOST_OWN {
                return None;
            }
            let builder = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
            builder.build().ok().map(Arc::new)
        };
        let threads = OWN.with(|own| own.get_or_init(start).clone())?;
        Some(Self { threads, pool: None })
    }

    /// Takes an idle pool of `asked` threads, or starts one. Its threads see `value`.
    pub(super) fn take(asked: usize, value: Option<Shared>) -> Result<Self, ThreadPoolBuildError> {
        let process = std::process::id();
        // The list may have been locked by another thread at the moment of a fork: then it stays so.
        let idle = IDLE.try_lock().ok().and_then(|mut idle| {
            if idle.iter().any(|pool| pool.process != process) {
                // To end a pool waits for its threads, which this process does not have.
                std::mem::forget(std::mem::take(&mut *idle));
            }
            let at = idle.iter().rposition(|pool| pool.asked == asked)?;
            Some(idle.swap_remove(at))
        });
        let pool = match idle {
            Some(pool) => pool,
            None => Pool::start(asked, process)?,
        };
        *lock(&pool.place) = value;
        Ok(Self {
            threads: Arc::clone(&pool.threads),
            pool: Some(pool),
        })
    }

    /// The threads.
    pub(super) fn pool(&self) -> &ThreadPool {
        &self.threads
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        *lock(&pool.place) = None;
        if pool.process != std::process::id() {
            std::mem::forget(pool);
        } else if pool.threads.current_num_threads() <= MOST_THREADS_IDLE
            && let Ok(mut idle) = IDLE.try_lock()
            && idle.len() < MOST_IDLE
        {
            idle.push(pool);
        }
    }
}

impl Pool {
    fn start(asked: usize, process: u32) -> Result<Self, ThreadPoolBuildError> {
        let place = SharedPlace::default();
        let theirs = Arc::clone(&place);
        let threads = ThreadPoolBuilder::new()
            .num_threads(asked)
            .start_handler(move |_| PLACE.with(|place| drop(place.set(Arc::clone(&theirs)))))
            .build()?;
        Ok(Self {
            threads: Arc::new(threads),
            asked,
            place,
            process,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::context::{Context, shared, with_shared};

    /// Two calls after one another have one pool, and each shares its own value with it; a call without a value shares none.
    #[test]
    fn a_pool_serves_the_next_call_and_forgets_the_last() {
        let seen = |ctx: &Context<'_>| {
            let of_thread = || (shared(), std::thread::current().id());
            ctx.pool().unwrap().install(of_thread)
        };
        // No other test asks for three threads.
        let (first, thread) = with_shared(Arc::new(1_u8), || seen(&Context::silent(3)));
        assert_eq!(first.unwrap().downcast_ref::<u8>(), Some(&1));
        let ctx = Context::silent(3);
        let ids = ctx.pool().unwrap().broadcast(|_| std::thread::current().id());
        assert!(ids.contains(&thread));
        assert!(seen(&ctx).0.is_none());
        // The pool is in use: another call has another one.
        let other = Context::silent(3);
        assert!(!ids.contains(&seen(&other).1));
    }
}
