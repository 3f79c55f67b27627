//! Streams that may have nothing to read for a long time: a terminal, a pipe. The user can stop the run while it waits.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

use super::pass::ReadProgress;
use crate::base::error::{Error, Result};

/// Time between two looks at whether the run is stopped.
const PAUSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// Opens a file. A named pipe is opened at once, although nobody may write to it yet.
pub(in crate::source) fn open(path: &Path) -> io::Result<File> {
    let is_pipe = std::fs::metadata(path)?.file_type().is_fifo();
    let mut options = OpenOptions::new();
    if is_pipe {
        options.custom_flags(OFlags::NONBLOCK.bits() as i32);
    }
    options.read(true).open(path)
}

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
            let ready = poll(&mut [PollFd::new(self.file, PollFlags::IN)], Some(&PAUSE));
            if ready.is_ok_and(|ready| ready > 0) {
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

#[cfg(test)]
#[path = "waiting_tests.rs"]
mod tests;
