//! The errors of the core. Each kind is for one thing that the caller does next.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::message::{Message, Shown, Value};

/// Every failure that ends a call. A bad record is no error of the run: see [`crate::source::Failure`].
#[derive(Debug)]
pub enum Error {
    /// An option has a value that is not allowed: correct the call.
    Config(Message),
    /// A source cannot be read completely: repair or replace the file.
    Source {
        /// The file as the user named it.
        path: PathBuf,
        /// What is wrong and what to do.
        message: Message,
    },
    /// A sink cannot be written: nothing is left at its name.
    Sink {
        /// The file as the user named it.
        path: PathBuf,
        /// What is wrong and what to do.
        message: Message,
    },
    /// Fingerprints, keys or a recipe belong to another digest: make both with one scheme and one version.
    Digest {
        /// What was compared, and what to do.
        message: Message,
        /// The two digests in hex.
        digests: [String; 2],
    },
    /// A file of the run's own, in a run directory or a temporary folder, cannot be written.
    Storage {
        /// Where, what is wrong, and what to do.
        message: Message,
        /// Whether the same call can succeed later: after room was made, or after another process has ended.
        retryable: bool,
    },
    /// A run cannot go on from what a run directory holds: restore what it began with, or begin again.
    Resume(Message),
    /// The answer would be larger than the caller allows (`max_pairs`).
    TooMany(Message),
    /// The scheme cannot use a text of the caller: correct or omit the text.
    Text {
        /// Its number among the texts of the call, from 0.
        index: usize,
        /// The code with which a record of that text would fail.
        code: &'static str,
        /// What is wrong and what to do.
        message: Message,
    },
    /// The memory is used up: a column of this many bytes cannot be had.
    Memory(usize),
    /// The caller asked to stop.
    Interrupted,
}

impl Error {
    /// What is wrong and what to do.
    pub fn message(&self) -> Message {
        match self {
            Self::Config(message)
            | Self::Resume(message)
            | Self::TooMany(message)
            | Self::Digest { message, .. }
            | Self::Storage { message, .. } => message.clone(),
            Self::Source { path, message } | Self::Sink { path, message } => {
                msg!("{path}: {message}").with_id(message.id)
            }
            Self::Text { index, message, .. } => msg!("text {index}: {message}"),
            Self::Memory(bytes) => msg!(
                "the memory is used up: {bytes} more bytes were asked for; take a smaller batch, or a machine with more memory"
            ),
            Self::Interrupted => msg!("interrupted"),
        }
    }
}

impl Shown for Error {
    fn value(&self) -> Value {
        Value::Message(self.message())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message())
    }
}

impl std::error::Error for Error {}

/// The core's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whether the same call can succeed after an error of the system: there was no room, or the device was busy.
pub(crate) fn is_retryable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::ResourceBusy
            | io::ErrorKind::TimedOut
            | io::ErrorKind::Interrupted
            | io::ErrorKind::WouldBlock
    )
}

/// A failure of opening or reading a file.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::NotFound => msg!("does not exist; check the name"),
        io::ErrorKind::PermissionDenied => {
            msg!("may not be read; grant the right to read it, or run as its owner")
        }
        _ => msg!("cannot be read: {error}; check the file and the disk it is on"),
    };
    Error::Source {
        path: path.to_path_buf(),
        message,
    }
}
