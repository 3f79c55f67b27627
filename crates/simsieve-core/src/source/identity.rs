//! What distinguishes a source from another, and from a later version of itself.
//!
//! A file has a size, a time of its last change, and a digest of its first and last 64 KiB. Size and time alone miss a
//! file that is written twice within one tick of the file system's clock (4 ms on many kernels), or whose time is put
//! back. The device and inode number are not part of it. So a copy of a file that keeps its time is the same source,
//! and a run can go on with the copy. The time of the last change of the inode is not part of it either, because
//! a hard link to a source, as `--link` makes it, changes that time.
//!
//! What has no time (a pipe, texts in memory, rows) is digested whole while it passes. Rows are digested one by one, so that
//! the same rows have the same digest when several spools take them.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::base::hash::hex;
use crate::base::os::{self, FileAt};

/// How much of each end of a file is digested.
const END_BYTES: u64 = 64 << 10;

/// What makes two names one file, or one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inode([u64; 2]);

impl Inode {
    pub(crate) fn of(path: &Path, metadata: &Metadata) -> Self {
        Self(os::number_of(path, metadata))
    }

    /// That of a regular file, links seen through.
    pub fn of_file(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
        Some(Self::of(path, &metadata))
    }
}

/// Size and time of a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Bytes.
    pub(super) size: u64,
    /// When it was last written to, in nanoseconds since 1970.
    pub(super) modified: i64,
}

impl Stamp {
    /// The stamp of a regular file; none of anything else, which cannot be read twice.
    pub(super) fn of(metadata: &Metadata) -> Option<Self> {
        metadata.is_file().then(|| Self {
            size: metadata.len(),
            modified: os::modified(metadata),
        })
    }
}

/// What distinguishes a source from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Bytes, as they are on disk.
    #[serde(rename = "bytes")]
    pub size: u64,
    /// When it was last written to, in nanoseconds since 1970. `None` if it is no file.
    pub modified: Option<i64>,
    /// XXH3-128 of the first and last 64 KiB of a file, of the names, sizes and times in a folder, or else of all bytes. Of
    /// rows it is a [`RowsDigest`].
    #[serde(with = "hex")]
    pub digest: u128,
}

impl Identity {
    /// The identity of an open file; `None` if it is no regular file.
    pub(super) fn of_file(file: &File) -> io::Result<Option<Self>> {
        let Some(Stamp { size, modified }) = Stamp::of(&file.metadata()?) else {
            return Ok(None);
        };
        let mut digest = Xxh3::new();
        let mut buffer = vec![0; END_BYTES.min(size) as usize];
        for start in [0, size.saturating_sub(END_BYTES).max(END_BYTES.min(size))] {
            let length = (size - start).min(END_BYTES) as usize;
            let read = read_up_to(file, &mut buffer[..length], start)?;
            digest.update(&buffer[..read]);
        }
        Ok(Some(Self {
            size,
            modified: Some(modified),
            digest: digest.digest128(),
        }))
    }

    /// The identity of rows.
    pub(super) fn of_rows(size: u64, digest: &RowsDigest) -> Self {
        Self {
            size,
            modified: None,
            digest: digest.get(),
        }
    }

    /// The identity of bytes that were all digested.
    pub(super) fn of_bytes(size: u64, digest: &Xxh3) -> Self {
        Self {
            size,
            modified: None,
            digest: digest.digest128(),
        }
    }
}

/// A digest of rows in their order: of each XXH3-128, joined as the digits of a number are. So the digest of all rows follows
/// from those of their parts.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct RowsDigest(u128);

impl RowsDigest {
    /// The base of the number, odd so that no row is lost.
    const BASE: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

    /// The digest of rows that were digested before.
    pub(super) const fn of(digest: u128) -> Self {
        Self(digest)
    }

    /// Adds a row.
    pub(super) fn add(&mut self, row: &[u8]) {
        self.join(xxh3_128(row), 1);
    }

    /// Adds this many rows, which have this digest.
    pub(super) fn join(&mut self, digest: u128, rows: usize) {
        self.0 = self
            .0
            .wrapping_mul(Self::BASE.wrapping_pow(rows as u32))
            .wrapping_add(digest);
    }

    /// The digest.
    pub(super) fn get(self) -> u128 {
        self.0
    }
}

/// Fills a buffer from a place of a file on, as far as the file goes.
pub(super) fn read_up_to(file: &File, buffer: &mut [u8], start: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], start + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
