//! The standard library alone. Modes, owners and advice do nothing; hard links are not seen through; a stream is read as it blocks.

#![expect(clippy::unnecessary_wraps, reason = "signatures of the other side")]

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use crate::base::hash::xxh3_128;

/// One thread at a time moves the position of a file.
static POSITION: Mutex<()> = Mutex::new(());

/// Reads and writes at a position of a file; the file's own position stays.
pub(crate) trait FileAt {
    /// Reads some bytes from `start` on.
    fn read_at(&self, buffer: &mut [u8], start: u64) -> io::Result<usize>;
    /// Fills the buffer from `start` on.
    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> io::Result<()>;
    /// Writes all bytes from `start` on.
    fn write_all_at(&self, bytes: &[u8], start: u64) -> io::Result<()>;
}

impl FileAt for File {
    fn read_at(&self, buffer: &mut [u8], start: u64) -> io::Result<usize> {
        at(self, start, |mut file| file.read(buffer))
    }

    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> io::Result<()> {
        at(self, start, |mut file| file.read_exact(buffer))
    }

    fn write_all_at(&self, bytes: &[u8], start: u64) -> io::Result<()> {
        at(self, start, |mut file| file.write_all(bytes))
    }
}

/// Does something at a position of a file, and puts the position back.
fn at<T>(mut file: &File, start: u64, act: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
    let _held = POSITION.lock().unwrap_or_else(PoisonError::into_inner);
    let before = file.stream_position()?;
    file.seek(SeekFrom::Start(start))?;
    let done = act(file);
    file.seek(SeekFrom::Start(before))?;
    done
}

/// A digest of the name with links resolved: equal for two names of one file or folder, but for hard links.
pub(crate) fn number_of(path: &Path, _: &Metadata) -> [u64; 2] {
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let digest = xxh3_128(whole.as_os_str().as_encoded_bytes());
    [(digest >> 64) as u64, digest as u64]
}

/// The time at which a file was made: another one after the file was replaced.
pub(crate) fn birth_of(metadata: &Metadata) -> [u64; 2] {
    let made = metadata
        .created()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    [made.map_or(0, |since| since.as_nanos() as u64), 0]
}

/// Opens a file.
pub(crate) fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// True at once: the read that follows waits, and a run is stopped after it.
pub(crate) fn is_readable(_: &File, _: Duration) -> bool {
    true
}

/// Nothing: standard input is read as a stream.
pub(crate) fn stdin() -> Option<File> {
    None
}

/// Standard output.
pub(crate) fn stdout() -> io::Result<impl Write> {
    Ok(io::stdout().lock())
}

/// Fails: the standard library cannot exchange names.
pub(crate) fn exchange_names(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The system's own rule for new files.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// The system's own rule for new folders.
pub(crate) fn private_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder
}

/// Nothing.
pub(crate) fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

/// The builder's own rule.
pub(crate) fn with_mode<'a, 'p, 's>(
    builder: &'a mut tempfile::Builder<'p, 's>,
    _: u32,
) -> &'a mut tempfile::Builder<'p, 's> {
    builder
}

/// Nothing.
pub(crate) fn give_to_owner(_: &File, _: &Metadata) {}

/// Nothing.
pub(crate) fn will_read(_: &File, _: Range<u64>) {}

/// Nothing.
pub(crate) fn done_with(_: &File) {}

/// Nothing.
pub(crate) fn release_free() {}
