//! A file of a run directory that grows: values are appended, and count once they are committed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::place::unwritable;
use crate::base::error::{Error, Result};
use crate::base::os;
use crate::storage::column::{Element, bytes_of};
use crate::storage::paths::check_regular;

const BUFFER_BYTES: usize = 256 << 10;

/// A file that is written after its committed bytes.
pub struct Appender {
    folder: PathBuf,
    name: String,
    out: BufWriter<File>,
    bytes: u64,
    /// Of the bytes since the last commit.
    hash: Xxh3,
}

impl Appender {
    /// Opens a file of a directory. What follows its first `committed` bytes is removed.
    pub(super) fn open(folder: &Path, name: &str, committed: u64) -> Result<Self> {
        let open = || -> io::Result<File> {
            if committed == 0 {
                // Another file of this name may be mapped still; it must not be cut off.
                match fs::remove_file(folder.join(name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            } else {
                check_regular(&folder.join(name))?;
            }
            let mut options = OpenOptions::new();
            let options = options.write(true).create(true).truncate(false);
            let mut file = os::private(options).open(folder.join(name))?;
            file.set_len(committed)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|error| unwritable(folder, &error))?;
        Ok(Self {
            folder: folder.to_path_buf(),
            name: name.to_owned(),
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            bytes: committed,
            hash: Xxh3::new(),
        })
    }

    /// The file's name in the directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of the file, with those that are not committed.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends values, little-endian.
    ///
    /// # Errors
    /// [`Error::Storage`] where they cannot be written.
    pub fn push<T: Element>(&mut self, values: &[T]) -> Result<()> {
        self.push_bytes(&bytes_of(values))
    }

    /// Writes what is buffered, so that the file can be mapped.
    ///
    /// # Errors
    /// As [`Appender::push`].
    pub fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(|error| self.error(&error))
    }

    /// Ends a file that is not committed.
    ///
    /// # Errors
    /// As [`Appender::push`].
    pub fn close(mut self) -> Result<()> {
        self.flush()
    }

    fn push_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| self.error(&error))?;
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Makes all bytes durable; returns their number and the checksum of those since the last call.
    pub(super) fn sync(&mut self) -> Result<(u64, u128)> {
        let synced = self.out.flush().and_then(|()| self.out.get_ref().sync_data());
        synced.map_err(|error| self.error(&error))?;
        let checksum = self.hash.digest128();
        self.hash.reset();
        Ok((self.bytes, checksum))
    }

    fn error(&self, error: &io::Error) -> Error {
        unwritable(&self.folder, error)
    }
}

impl std::fmt::Debug for Appender {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The state of a hash is useless in debug output.
        out.debug_struct("Appender")
            .field("name", &self.name)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
