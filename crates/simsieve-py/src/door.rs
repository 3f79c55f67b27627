//! The one door from Python into long work: it releases the interpreter, handles Ctrl-C, and reports progress.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use simsieve_core::base::context::{self, Context};
use simsieve_core::base::error::{Error, Result};
use simsieve_core::base::progress::{Progress, Silent};

use crate::errors::{internal_error, to_python};

/// Greatest pause between checks for signals, and least pause between reports: short enough for Ctrl-C, long enough to
/// cost nothing.
const PAUSE: Duration = Duration::from_millis(50);

/// Stack of the worker thread: as large as the usual stack of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// One call into the core: whether it must end, and the exception that ends it. All threads of the call share it.
#[derive(Default)]
pub struct Session {
    stopped: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Session {
    /// The call that this thread works for.
    pub fn current() -> Option<Arc<Self>> {
        context::shared()?.downcast().ok()
    }

    /// Ends the call with an exception; the first of several counts.
    pub fn stop(&self, raised: PyErr) {
        self.raised
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(raised);
        self.stopped.store(true, Ordering::Release);
    }

    /// Whether the call must end.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// The result of the call: the exception if there is one, else the outcome of its work.
    fn outcome<T>(&self, result: PyResult<T>) -> PyResult<T> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(result, Err)
    }
}

/// Runs short work in the calling thread, with the interpreter or without it.
pub fn here<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let session = Arc::new(Session::default());
    let result = whole(|| context::with_shared(session.clone(), work));
    session.outcome(result)
}

/// Runs `work` as [`run`] does, and if it `is_brief` on the calling thread, without other threads and reports: to start one takes
/// longer than some hundred microseconds of work.
pub fn run_or_here<T: Send>(
    py: Python<'_>,
    is_brief: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Context<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    if !is_brief || progress.is_some() {
        return run(py, threads, progress, work);
    }
    py.detach(|| {
        here(|| {
            let done = Context::new(threads, Silent).and_then(|ctx| work(&ctx.on_this_thread()));
            done.map_err(|error| to_python(&error))
        })
    })
}

/// Does short work; a panic in it is an error of simsieve, which callers can catch.
pub fn whole<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal_error(&message_of(&*panic))))
}

/// Runs `work` with `threads` threads (0: all cores) and the interpreter released. `progress` is called with (stage, done,
/// total) at most 20 times a second.
///
/// The work has its own thread, and the calling thread waits. Python handles signals only in its main thread, so Ctrl-C
/// works even while other threads call slow functions of the user.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Context<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let session = Arc::new(Session::default());
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (sender, reports) = mpsc::channel();
            let shared = Arc::clone(&session);
            let mut reporter = Reporter {
                sender: progress.is_some().then_some(sender.clone()),
                session: Arc::clone(&session),
                reported: None,
            };
            let worker = thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    // Dropping the sender shows the receiver that no report follows.
                    let _end = sender;
                    context::with_shared(shared, || work(&Context::new(threads, &mut reporter)?))
                });
            let worker = worker.map_err(|error| Error::Config(msg!("cannot start a thread: {error}")))?;
            attend(&reports, progress.as_ref(), &session);
            worker.join().unwrap_or_else(|panic| {
                session.stop(internal_error(&message_of(&*panic)));
                Err(Error::Interrupted)
            })
        })
    });
    session.outcome(result.map_err(|error| to_python(&error)))
}

/// What a panic says.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it does not say which")
        .to_owned()
}

/// A report of progress: stage, done, total, and a channel to confirm that it was shown.
type Report = (&'static str, u64, u64, mpsc::SyncSender<()>);

/// Shows incoming reports and checks for signals until the work is done. Where no report comes, the last one is shown again, so that
/// the caller sees that time passes.
fn attend(reports: &mpsc::Receiver<Report>, progress: Option<&Py<PyAny>>, session: &Session) {
    let mut last = None;
    loop {
        let shown = match reports.recv_timeout(PAUSE) {
            Ok((stage, done, total, shown)) => {
                last = Some((stage, done, total));
                Some(shown)
            }
            Err(mpsc::RecvTimeoutError::Timeout) => None,
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        };
        let answer = Python::attach(|py| {
            py.check_signals()?;
            match (progress, last) {
                (Some(progress), Some(report)) if !session.stopped() => progress.call1(py, report).map(drop),
                _ => Ok(()),
            }
        });
        if let Err(raised) = answer {
            session.stop(raised);
        }
        if let Some(shown) = shown {
            // There is no receiver only after the work was stopped.
            let _ = shown.send(());
        }
    }
}

struct Reporter {
    sender: Option<mpsc::Sender<Report>>,
    session: Arc<Session>,
    reported: Option<Instant>,
}

impl Progress for Reporter {
    fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        let is_end = done == 0 || done == total;
        let due = is_end || self.reported.is_none_or(|last| last.elapsed() >= PAUSE);
        if let (Some(sender), true, false) = (&self.sender, due, self.session.stopped()) {
            self.reported = Some(Instant::now());
            let (shown, wait) = mpsc::sync_channel(1);
            if sender.send((stage, done, total, shown)).is_ok() {
                // An error means that the receiver is gone, so the call is over.
                let _ = wait.recv();
            }
        }
        if self.session.stopped() {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}
