//! What one call works with: threads, kernel, progress, and the value that its caller shares with its threads.
//!
//! A [`Context`] is made once, at the border, and handed down. No result depends on it: threads and kernels change the time
//! of a call, never its answer.

use std::cell::{OnceCell, RefCell};

use rayon::ThreadPool;

use super::error::{Error, Result};
use super::kernel::Kernel;
pub use super::pools::Shared;
use super::pools::{self, Lease};
use super::progress::{Progress, Silent};
use super::tuning::Tuning;

thread_local! {
    static SHARED: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

/// The value that the call of this thread shares.
pub fn shared() -> Option<Shared> {
    SHARED.with_borrow(Option::clone).or_else(pools::shared)
}

/// Runs `work` as a call that shares `value` with this thread and with the threads of every pool that it makes.
///
/// ```
/// use simsieve_core::base::context::{Context, shared, with_shared};
/// let seen = with_shared(std::sync::Arc::new(7_u8), || Context::silent(2).pool().unwrap().install(shared));
/// assert_eq!(seen.unwrap().downcast_ref::<u8>(), Some(&7));
/// assert!(shared().is_none());
/// ```
pub fn with_shared<T>(value: Shared, work: impl FnOnce() -> T) -> T {
    /// Restores the former value, also after a panic.
    struct Restore(Option<Shared>);
    impl Drop for Restore {
        fn drop(&mut self) {
            SHARED.set(self.0.take());
        }
    }
    let _restore = Restore(SHARED.replace(Some(value)));
    work()
}

/// More threads than this are refused: they slow the work down.
pub const MOST_THREADS: usize = 1024;

/// Threads, kernel, sizes of steps and progress of one call.
///
/// The first use takes a pool, which serves this call alone and then the next one of as many threads. Progress is reported on
/// the thread that made the context; it is not `Sync`, so work on the pool cannot report.
pub struct Context<'a> {
    threads: usize,
    kernel: Kernel,
    /// The sizes of steps.
    pub tuning: Tuning,
    pool: OnceCell<Lease>,
    /// Whether the calling thread does the work, where it can.
    is_here: bool,
    progress: RefCell<Box<dyn Progress + 'a>>,
}

impl<'a> Context<'a> {
    /// A context of `threads` threads (0 for as many as there are cores) and the fastest kernel.
    ///
    /// # Errors
    /// [`Error::Config`] for more than [`MOST_THREADS`] threads.
    pub fn new(threads: usize, progress: impl Progress + 'a) -> Result<Self> {
        if threads > MOST_THREADS {
            return Err(Error::Config(msg!(
                "threads {threads} is not allowed; allowed: 0 (all cores) to {most_threads}",
                most_threads = MOST_THREADS
            )));
        }
        Ok(Self {
            threads,
            kernel: Kernel::active(),
            tuning: Tuning::DEFAULT,
            pool: OnceCell::new(),
            is_here: false,
            progress: RefCell::new(Box::new(progress)),
        })
    }

    /// A context without progress reports, of at most [`MOST_THREADS`] threads.
    pub fn silent(threads: usize) -> Self {
        Self::new(threads.min(MOST_THREADS), Silent).expect("an allowed number of threads")
    }

    /// The same context for work of the calling thread alone: brief work ends sooner than another thread wakes up. Where very many
    /// threads have called so, others do the work.
    ///
    /// ```
    /// use simsieve_core::base::context::Context;
    /// let (this, ctx) = (std::thread::current().id(), Context::silent(2).on_this_thread());
    /// assert!(ctx.pool().unwrap().install(|| std::thread::current().id() == this));
    /// ```
    #[must_use]
    pub fn on_this_thread(self) -> Self {
        Self { is_here: true, ..self }
    }

    /// A context of steps so small that few documents take many.
    #[cfg(test)]
    pub(crate) fn small(threads: usize) -> Self {
        Self::silent(threads).with_tuning(Tuning::SMALL)
    }

    /// The same context with the given kernel.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }

    /// The same context with other sizes of steps.
    #[must_use]
    pub fn with_tuning(self, tuning: Tuning) -> Self {
        Self { tuning, ..self }
    }

    /// The threads asked for; 0 for as many as there are cores.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    /// The kernel of the hot loops.
    pub const fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The threads of the call.
    ///
    /// # Errors
    /// [`Error::Config`] where the system refuses to start them.
    pub fn pool(&self) -> Result<&ThreadPool> {
        if let Some(lease) = self.pool.get() {
            return Ok(lease.pool());
        }
        let own = self.is_here.then(Lease::own).flatten();
        let lease = own.map_or_else(|| Lease::take(self.threads, shared()), Ok);
        let lease = lease.map_err(|error| {
            Error::Config(msg!(
                "cannot start {threads} threads: {error}; ask for fewer",
                threads = self.threads,
                error = error.to_string()
            ))
        })?;
        Ok(self.pool.get_or_init(|| lease).pool())
    }

    /// Does `ahead` on the threads of the call while `here` runs on this one, so that no core waits. A call of one thread does
    /// `here` first.
    ///
    /// ```
    /// use simsieve_core::base::context::Context;
    /// assert_eq!(Context::silent(2).beside(|| 1, || 2).unwrap(), (1, 2));
    /// ```
    ///
    /// # Errors
    /// As [`Context::pool`].
    pub fn beside<A: Send, B>(&self, ahead: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> Result<(A, B)> {
        let pool = self.pool()?;
        if pool.current_num_threads() == 1 {
            let done = here();
            return Ok((pool.install(ahead), done));
        }
        let mut made = None;
        let done = pool.in_place_scope(|scope| {
            scope.spawn(|_| made = Some(ahead()));
            here()
        });
        Ok((made.expect("a scope ends after its work"), done))
    }

    /// Reports that `done` of `total` units of the stage are done.
    ///
    /// # Errors
    /// The error with which the caller stops the work.
    pub fn tick(&self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        self.progress.borrow_mut().tick(stage, done, total)
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("threads", &self.threads)
            .field("kernel", &self.kernel)
            .finish_non_exhaustive()
    }
}
