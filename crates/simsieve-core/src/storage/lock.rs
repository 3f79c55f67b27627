//! The lock of a directory that one process writes. The system releases it when the process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::base::error::{Error, Result, is_retryable};

/// The name of the file.
pub(crate) const LOCK: &str = "lock";

/// Locks a directory for this process. The file says who has it: a process, its host, and since when in seconds of Unix time.
///
/// # Errors
/// [`Error::Storage`] that names the holder, where another process has the lock; or where the file cannot be written.
pub(crate) fn exclusive(folder: &Path) -> Result<File> {
    let failed = |error: &io::Error| Error::Storage {
        message: msg!(
            "{folder}: the index cannot be written: {error}; grant the right, or take another folder",
            folder = folder.display()
        ),
        retryable: is_retryable(error),
    };
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(folder.join(LOCK)).map_err(|error| failed(&error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(folder, &mut file)),
        Err(TryLockError::Error(error)) => return Err(failed(&error)),
    }
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let program = program();
    let holder = json!({"process": std::process::id(), "program": program, "host": host.trim(), "since": since});
    let write = |file: &mut File| {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{holder}")
    };
    write(&mut file).map_err(|error| failed(&error))?;
    Ok(file)
}

/// The program of this process, with its command: no other word, since one may have a password.
fn program() -> String {
    let mut words = std::env::args_os().map(|word| {
        let name = Path::new(&word).file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    });
    let first = words.next().unwrap_or_default();
    let Some(own) = words.find(|word| word == "simsieve") else {
        return first;
    };
    let command = words.next().unwrap_or_default();
    let inner = words.next().filter(|_| command == "index").unwrap_or_default();
    format!("{own} {command} {inner}").trim_end().to_owned()
}

fn in_use(folder: &Path, file: &mut File) -> Error {
    let mut text = String::new();
    let _ = file.read_to_string(&mut text);
    let holder: Value = serde_json::from_str(&text).unwrap_or_default();
    let since = holder["since"].as_u64().unwrap_or(0);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_secs());
    Error::Storage {
        message: msg!(
            "{folder} is written by process {process} ({program}) on {host} since {seconds} s; wait for its end, or give \
             {`wait`} with the seconds to wait",
            folder = folder.display(),
            program = holder["program"].as_str().unwrap_or("?").to_owned(),
            process = holder["process"].as_u64().unwrap_or(0),
            host = holder["host"].as_str().unwrap_or("?").to_owned(),
            seconds = now.saturating_sub(since)
        ),
        retryable: true,
    }
}
