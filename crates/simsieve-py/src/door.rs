//! The one door from Python into long work: it lets the interpreter go, hears Ctrl-C, and tells progress.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use simsieve_core::base::context::{self, Context};
use simsieve_core::base::error::{Error, Result};
use simsieve_core::base::progress::Progress;

use crate::errors::to_python;

/// How often Python is asked at least and told at most: often enough for Ctrl-C, rarely enough to cost nothing.
const PAUSE: Duration = Duration::from_millis(50);

/// Room for the thread that does the work: as much as the main thread of a program usually has.
const STACK_BYTES: usize = 8 << 20;

/// One call into the core: whether it shall end, and what was raised to end it. All threads of the call reach it.
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

    /// Ends the call with what was raised; of several the first counts.
    pub fn stop(&self, raised: PyErr) {
        self.raised
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(raised);
        self.stopped.store(true, Ordering::Release);
    }

    /// Whether the call shall end.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// What the call ends with: what was raised, or else the outcome of its work.
    fn outcome<T>(&self, result: PyResult<T>) -> PyResult<T> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(result, Err)
    }
}

/// Does short work in the calling thread, which keeps the interpreter.
pub fn here<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let session = Arc::new(Session::default());
    let result = context::with_shared(session.clone(), work);
    session.outcome(result)
}

/// Runs `work` with `threads` threads (0: all cores) and the interpreter released. `progress` is called with (stage, done,
/// total) at most 20 times a second.
///
/// The work has a thread of its own, and the calling one waits: Python hears signals in its main thread alone, and so
/// Ctrl-C is heard while other threads call functions of the user, however long these take.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Context<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let session = Arc::new(Session::default());
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            let shared = Arc::clone(&session);
            let mut teller = Teller {
                tell: progress.is_some().then_some(tell.clone()),
                session: Arc::clone(&session),
                told: None,
            };
            let worker = thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    // Whoever waits for news learns from the end of this that there will be none.
                    let _end = tell;
                    context::with_shared(shared, || work(&Context::new(threads, &mut teller)?))
                });
            let worker = worker.map_err(|error| Error::Config(format!("cannot start a thread: {error}")))?;
            attend(&told, progress.as_ref(), &session);
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    });
    session.outcome(result.map_err(|error| to_python(&error)))
}

/// News of the work: how far it is, and where to say that it was told.
type News = (&'static str, u64, u64, mpsc::SyncSender<()>);

/// Tells what comes in and hears signals until the work is done.
fn attend(told: &mpsc::Receiver<News>, progress: Option<&Py<PyAny>>, session: &Session) {
    loop {
        let news = match told.recv_timeout(PAUSE) {
            Ok(news) => Some(news),
            Err(mpsc::RecvTimeoutError::Timeout) => None,
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        };
        let answer = Python::attach(|py| {
            py.check_signals()?;
            match (progress, &news) {
                (Some(progress), Some((stage, done, total, _))) => {
                    progress.call1(py, (*stage, *done, *total)).map(drop)
                }
                _ => Ok(()),
            }
        });
        if let Err(raised) = answer {
            session.stop(raised);
        }
        if let Some((_, _, _, heard)) = news {
            // Nobody waits any more only where the work was given up.
            let _ = heard.send(());
        }
    }
}

struct Teller {
    tell: Option<mpsc::Sender<News>>,
    session: Arc<Session>,
    told: Option<Instant>,
}

impl Progress for Teller {
    fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        let is_end = done == 0 || done == total;
        let due = is_end || self.told.is_none_or(|told| told.elapsed() >= PAUSE);
        if let (Some(tell), true, false) = (&self.tell, due, self.session.stopped()) {
            self.told = Some(Instant::now());
            let (heard, hear) = mpsc::sync_channel(1);
            if tell.send((stage, done, total, heard)).is_ok() {
                // An error is the end of whoever hears, which is the end of the call.
                let _ = hear.recv();
            }
        }
        if self.session.stopped() {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}
