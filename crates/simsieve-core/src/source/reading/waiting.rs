//! Streams that may have nothing to read for a long time: a terminal, a pipe. The user can stop the run while it waits.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::time::Duration;

use super::pass::ReadProgress;
use crate::base::error::{Error, Result};
use crate::base::os::is_readable;

/// Time between two looks at whether the run is stopped.
const PAUSE: Duration = Duration::from_millis(50);

/// A stream that is read as its bytes come in.
pub(in crate::source) struct Waiting<'a, 'r> {
    file: &'a File,
    progress: &'a ReadProgress<'r>,
    bytes: u64,
    /// What ended the waiting before the end of the stream.
    stopped: &'a Cell<Option<Error>>,
}

impl<'a, 'r> Waiting<'a, 'r> {
    /// The stream; `stopped` has the reason where the run is stopped while it waits.
    pub(in crate::source) fn new(
        file: &'a File,
        progress: &'a ReadProgress<'r>,
        stopped: &'a Cell<Option<Error>>,
    ) -> Self {
        Self {
            file,
            progress,
            bytes: 0,
            stopped,
        }
    }
}

impl Read for Waiting<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if is_readable(self.file, PAUSE) {
                match self.file.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => {
                        self.bytes += *read.as_ref().unwrap_or(&0) as u64;
                        return read;
                    }
                }
            }
            if let Err(error) = self.progress.tick(self.bytes) {
                self.stopped.set(Some(error));
                return Err(io::Error::other("the run was stopped"));
            }
        }
    }
}

/// The outcome of reading a stream, or what ended the waiting.
pub(in crate::source) fn unless_stopped<T>(outcome: Result<T>, stopped: &Cell<Option<Error>>) -> Result<T> {
    stopped.take().map_or(outcome, Err)
}

// macOS makes no pipe by `mknod`.
#[cfg(all(test, target_os = "linux"))]
#[path = "waiting_tests.rs"]
mod tests;
