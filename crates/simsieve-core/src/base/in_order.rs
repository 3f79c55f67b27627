//! A loop whose steps run on all threads, and whose results are taken in order without a wait for the last step of a group.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc;

use rayon::ThreadPool;

use super::error::Result;
use super::pools::PerThread;

/// Does `work` on each of `n` steps on the threads of a pool, each with a scratch, and passes what it gives to `take` on this
/// thread, in order. As many steps as `ahead` says, one at least, are begun and not taken. A pool of one thread takes turns with this
/// one, which may be that thread.
///
/// # Errors
/// The first of `take`; after it no step begins.
pub(crate) fn in_order<S: Send, T: Send>(
    pool: &ThreadPool,
    n: usize,
    ahead: impl Fn() -> usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
    mut take: impl FnMut(usize, T) -> Result<()>,
) -> Result<()> {
    let threads = pool.current_num_threads();
    let scratches = PerThread::new(threads);
    let step = |at| scratches.with(&scratch, |own| work(own, at));
    if threads == 1 {
        return (0..n).try_for_each(|at| take(at, pool.install(|| step(at))));
    }
    let step = &step;
    let (sender, receiver) = mpsc::channel();
    pool.in_place_scope(|scope| {
        // The steps that are begun, from the first one on that is not taken.
        let (mut begun, mut done) = (0, VecDeque::new());
        for at in 0..n {
            while begun < n && begun < at + ahead().max(1) {
                let (sender, begins) = (sender.clone(), begun);
                scope.spawn(move |_| {
                    let result = catch_unwind(AssertUnwindSafe(|| step(begins)));
                    // Nobody receives it after an error.
                    let _ = sender.send((begins, result));
                });
                done.push_back(None);
                begun += 1;
            }
            while let Some(None) = done.front() {
                let (of, result) = receiver.recv().expect("this thread has a sender too");
                done[of - at] = Some(result.unwrap_or_else(|panic| resume_unwind(panic)));
            }
            take(at, done.pop_front().flatten().expect("the step is done"))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::base::context::Context;
    use crate::base::error::Error;

    #[test]
    fn steps_are_taken_in_order_and_no_more_are_ahead() {
        for threads in [1, 2, 5] {
            for (n, ahead) in [(0, 3), (1, 0), (400, 1), (400, 7)] {
                let ctx = Context::silent(threads);
                let (begun, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let work = |own: &mut usize, at: usize| {
                    assert!(begun.fetch_add(1, Ordering::SeqCst) <= taken.load(Ordering::SeqCst) + ahead);
                    *own += 1;
                    (at, *own)
                };
                let take = |at: usize, (same, own): (usize, usize)| {
                    assert!(taken.fetch_add(1, Ordering::SeqCst) == at && same == at && own > 0);
                    Ok(())
                };
                in_order(ctx.pool().unwrap(), n, || ahead, || 0, work, take).unwrap();
                assert_eq!(taken.into_inner(), n);
            }
        }
    }

    #[test]
    fn after_an_error_no_step_begins() {
        for threads in [1, 3] {
            let ctx = Context::silent(threads);
            let begun = AtomicUsize::new(0);
            let work = |(): &mut (), _| begun.fetch_add(1, Ordering::SeqCst);
            let take = |at, _| if at == 5 { Err(Error::Interrupted) } else { Ok(()) };
            let ended = in_order(ctx.pool().unwrap(), 1000, || 4, || (), work, take);
            assert!(matches!(ended, Err(Error::Interrupted)));
            assert!(begun.load(Ordering::SeqCst) <= 9);
        }
    }

    #[test]
    fn a_panic_on_a_thread_reaches_the_caller() {
        for threads in [1, 3] {
            let ctx = Context::silent(threads);
            let pool = ctx.pool().unwrap();
            let work = |(): &mut (), at: usize| assert!(at != 7, "the seventh step");
            let run = || in_order(pool, 20, || 4, || (), work, |_, ()| Ok(()));
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }
}
