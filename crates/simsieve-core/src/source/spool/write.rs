//! Writing: bytes are gathered, and full blocks go to the file. The end can be taken back.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

use super::block::{BLOCK_BYTES, Packer};
use super::read::{Blocks, Spooled};
use crate::base::os::{FileAt, make_private};

/// Bytes that are gathered before their blocks are written.
const GATHERED_BYTES: usize = 64 * BLOCK_BYTES;

/// A body that is being written, whose end can be taken back.
pub(in crate::source) struct Spool {
    packer: Packer,
    blocks: Blocks,
    /// The bytes that follow those of the blocks.
    pending: Vec<u8>,
    packed: Vec<u8>,
}

impl Spool {
    /// A spool in a temporary file without a name: in `folder`, or the system's folder of temporary files.
    pub(in crate::source) fn new(folder: Option<&Path>) -> io::Result<Self> {
        Self::of(private_file(folder)?)
    }

    /// A spool in an empty file.
    pub(in crate::source) fn of(file: File) -> io::Result<Self> {
        Ok(Self {
            packer: Packer::new()?,
            blocks: Blocks::new(file),
            pending: Vec::new(),
            packed: Vec::new(),
        })
    }

    pub(in crate::source) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() < GATHERED_BYTES {
            return Ok(());
        }
        let full = self.pending.len() / BLOCK_BYTES * BLOCK_BYTES;
        self.write(full)
    }

    /// Writes the first bytes that are gathered.
    fn write(&mut self, bytes: usize) -> io::Result<()> {
        let start = self.blocks.end();
        self.packed.clear();
        for contents in self.pending[..bytes].chunks(BLOCK_BYTES) {
            let number = self.blocks.len() as u64;
            self.packer.pack(number, contents, &mut self.packed)?;
            self.blocks.offsets.push(start + self.packed.len() as u64);
        }
        self.blocks.file.write_all_at(&self.packed, start)?;
        self.blocks.bytes += bytes as u64;
        self.pending.drain(..bytes);
        Ok(())
    }

    /// Forgets everything from `offset` on.
    pub(in crate::source) fn rewind(&mut self, offset: u64) -> io::Result<()> {
        if let Some(left) = offset.checked_sub(self.blocks.bytes) {
            self.pending.truncate(left as usize);
            return Ok(());
        }
        let block = offset / BLOCK_BYTES as u64;
        let start = block * BLOCK_BYTES as u64;
        // What remains of a block is gathered again.
        self.pending.clear();
        self.pending.resize((offset - start) as usize, 0);
        self.blocks.read_exact_at(&mut self.pending, start)?;
        self.blocks.truncate(block as usize);
        Ok(())
    }

    /// Fills a buffer from `start` of the body on.
    pub(in crate::source) fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> io::Result<()> {
        let written = self.blocks.bytes.saturating_sub(start).min(buffer.len() as u64) as usize;
        let (now, behind) = buffer.split_at_mut(written);
        if written > 0 {
            self.blocks.read_exact_at(now, start)?;
        }
        let from = (start + written as u64).saturating_sub(self.blocks.bytes) as usize;
        let gathered = self.pending.get(from..from + behind.len());
        behind.copy_from_slice(gathered.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    /// The finished copy. Its file ends where the last block ends.
    pub(in crate::source) fn finish(mut self) -> io::Result<Spooled> {
        self.write(self.pending.len())?;
        self.blocks.file.set_len(self.blocks.end())?;
        self.blocks.offsets.shrink_to_fit();
        Ok(Spooled::new(self.blocks))
    }
}

/// A temporary file that has no name, and that only its owner may open by any other way.
pub(super) fn private_file(folder: Option<&Path>) -> io::Result<File> {
    let file = folder.map_or_else(tempfile::tempfile, tempfile::tempfile_in)?;
    make_private(&file)?;
    Ok(file)
}

impl fmt::Debug for Spool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Spool")
            .field("blocks", &self.blocks)
            .finish_non_exhaustive()
    }
}
