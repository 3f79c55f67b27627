//! A temporary file without a name, for what cannot be read in place.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A body that is being written, through a buffer whose end can be taken back.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    pending: Vec<u8>,
    /// Bytes of the body that are in the file. The pending ones follow them.
    flushed: u64,
}

impl Spool {
    pub(super) const BUFFER_BYTES: usize = 1 << 20;

    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            pending: Vec::with_capacity(2 * Self::BUFFER_BYTES),
            flushed: 0,
        })
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= Self::BUFFER_BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.file.write_all_at(&self.pending, self.flushed)?;
        self.flushed += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Forgets everything from `offset` on.
    pub(super) fn rewind(&mut self, offset: u64) {
        if let Some(left) = offset.checked_sub(self.flushed) {
            self.pending.truncate(left as usize);
        } else {
            self.flushed = offset;
            self.pending.clear();
        }
    }

    /// The file, which has what was flushed.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// The finished file. It ends where the body ends.
    pub(super) fn finish(mut self) -> io::Result<File> {
        self.flush()?;
        self.file.set_len(self.flushed)?;
        Ok(self.file)
    }
}
