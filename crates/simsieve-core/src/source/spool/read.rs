//! Reading: single blocks through a small cache of the thread, whole ones straight into the caller's buffer.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::block::{BLOCK_BYTES, HEADER_BYTES, Header, Unpacker, damaged};
use crate::base::os::{FileAt, will_read};

/// Blocks that a thread keeps: 2 MiB.
const CACHED_BLOCKS: usize = 128;

/// Blocks in a file, and where each begins.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) file: File,
    /// Tells spools apart in the caches.
    id: u64,
    /// Where each block begins in the file, and where the last one ends.
    pub(super) offsets: Vec<u64>,
    /// Bytes of the contents of all blocks.
    pub(super) bytes: u64,
}

impl Blocks {
    pub(super) fn new(file: File) -> Self {
        Self {
            file,
            id: next_id(),
            offsets: vec![0],
            bytes: 0,
        }
    }

    /// Finds the blocks of a file that was written before; `bytes` is the length of their contents.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] where the file has not these blocks.
    pub(super) fn open(file: File, bytes: u64) -> io::Result<Self> {
        let mut blocks = Self::new(file);
        let mut header = [0; HEADER_BYTES];
        while blocks.bytes < bytes {
            let start = blocks.end();
            let read = blocks.file.read_exact_at(&mut header, start);
            read.map_err(|_| damaged(blocks.len() as u64))?;
            let Header { packed, contents, .. } = Header::of(header);
            blocks.bytes += u64::from(contents);
            if contents as usize > BLOCK_BYTES || (contents as usize != BLOCK_BYTES && blocks.bytes != bytes) {
                return Err(damaged(blocks.len() as u64));
            }
            blocks.offsets.push(start + HEADER_BYTES as u64 + u64::from(packed));
        }
        Ok(blocks)
    }

    /// Forgets the blocks from this one on. Others will have their numbers, so no cache may hold these.
    pub(super) fn truncate(&mut self, block: usize) {
        self.offsets.truncate(block + 1);
        self.bytes = (block * BLOCK_BYTES) as u64;
        self.id = next_id();
    }

    /// Where the last block ends in the file.
    pub(super) fn end(&self) -> u64 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The contents of a block, by their offsets.
    fn contents(&self, block: usize) -> Range<u64> {
        let start = (block * BLOCK_BYTES) as u64;
        start..(start + BLOCK_BYTES as u64).min(self.bytes)
    }

    /// Fills a buffer from `start` of the contents on.
    pub(super) fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> io::Result<()> {
        let end = start + buffer.len() as u64;
        if end > self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        CACHE.with_borrow_mut(|cache| {
            let mut rest = buffer;
            let mut at = start;
            while at < end {
                let block = (at / BLOCK_BYTES as u64) as usize;
                let contents = self.contents(block);
                let (now, behind) = rest.split_at_mut((contents.end.min(end) - at) as usize);
                if contents.start == at && contents.end <= end {
                    cache.read(self, block, now)?;
                } else {
                    let from = (at - contents.start) as usize;
                    now.copy_from_slice(&cache.get(self, block)?[from..from + now.len()]);
                }
                at += now.len() as u64;
                rest = behind;
            }
            Ok(())
        })
    }
}

fn next_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(0);
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// The copy of a source, finished.
#[derive(Debug)]
pub(in crate::source) struct Spooled(Blocks);

impl Spooled {
    pub(super) const fn new(blocks: Blocks) -> Self {
        Self(blocks)
    }

    /// The copy that an earlier process wrote to a file; `bytes` is the length of the body.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] where the file has no such copy.
    pub(in crate::source) fn open(file: File, bytes: u64) -> io::Result<Self> {
        Blocks::open(file, bytes).map(Self)
    }

    /// Makes the copy durable.
    pub(in crate::source) fn sync(&self) -> io::Result<()> {
        self.0.file.sync_data()
    }

    /// Fills a buffer from `start` of the body on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] beyond the end, [`io::ErrorKind::InvalidData`] where the copy is damaged.
    pub(in crate::source) fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> io::Result<()> {
        self.0.read_exact_at(buffer, start)
    }

    /// Tells the system that bytes of the body are read soon.
    pub(in crate::source) fn announce(&self, span: Range<u64>) {
        let block = |at: u64| ((at / BLOCK_BYTES as u64) as usize).min(self.0.len());
        let end = self.0.len().min(block(span.end) + 1);
        will_read(&self.0.file, self.0.offsets[block(span.start)]..self.0.offsets[end]);
    }

    /// Bytes of the file.
    #[cfg(test)]
    pub(in crate::source) fn bytes_on_disk(&self) -> u64 {
        self.0.end()
    }
}

thread_local! {
    static CACHE: RefCell<Cache> = const { RefCell::new(Cache::new()) };
}

/// The blocks that a thread has read last, of any spool.
struct Cache {
    unpacker: Option<Unpacker>,
    packed: Vec<u8>,
    held: Vec<Held>,
    clock: u64,
}

struct Held {
    spool: u64,
    block: usize,
    used: u64,
    contents: Vec<u8>,
}

impl Cache {
    const fn new() -> Self {
        Self {
            unpacker: None,
            packed: Vec::new(),
            held: Vec::new(),
            clock: 0,
        }
    }

    /// Reads a whole block into a buffer of its length. It is not kept: a caller that takes whole blocks goes on to the
    /// next.
    fn read(&mut self, blocks: &Blocks, block: usize, buffer: &mut [u8]) -> io::Result<()> {
        let place = blocks.offsets[block]..blocks.offsets[block + 1];
        self.packed.resize((place.end - place.start) as usize, 0);
        let read = blocks.file.read_exact_at(&mut self.packed, place.start);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged(block as u64),
            _ => error,
        })?;
        if self.unpacker.is_none() {
            self.unpacker = Some(Unpacker::new()?);
        }
        match &mut self.unpacker {
            Some(unpacker) => unpacker.unpack(block as u64, &self.packed, buffer),
            None => Ok(()),
        }
    }

    fn get(&mut self, blocks: &Blocks, block: usize) -> io::Result<&[u8]> {
        self.clock += 1;
        let is_it = |held: &Held| held.spool == blocks.id && held.block == block;
        if let Some(at) = self.held.iter().position(is_it) {
            self.held[at].used = self.clock;
            return Ok(&self.held[at].contents);
        }
        let length = blocks.contents(block);
        let mut contents = self.room();
        contents.resize((length.end - length.start) as usize, 0);
        self.read(blocks, block, &mut contents)?;
        self.held.push(Held {
            spool: blocks.id,
            block,
            used: self.clock,
            contents,
        });
        Ok(self.held.last().map_or(&[], |held| &held.contents))
    }

    /// A buffer for one more block: that of the block that was used the longest time ago, where there are enough.
    fn room(&mut self) -> Vec<u8> {
        if self.held.len() < CACHED_BLOCKS {
            return Vec::with_capacity(BLOCK_BYTES);
        }
        let oldest = (0..self.held.len()).min_by_key(|at| self.held[*at].used).unwrap_or(0);
        self.held.swap_remove(oldest).contents
    }
}
