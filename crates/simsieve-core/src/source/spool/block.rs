//! One block: its header, its frame, its checksum.

use std::io;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Bytes of the contents of a block. Verification reads single records: larger blocks cost it more than they save in room.
pub(in crate::source) const BLOCK_BYTES: usize = 16 << 10;

/// Bytes before the frame.
pub(super) const HEADER_BYTES: usize = 16;

/// The level of compression. Level 1 packs smaller, by a sixth for short questions and a third for texts of invented words, and takes more
/// CPU time to write and to read.
const LEVEL: i32 = -1;

/// What a header says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) packed: u32,
    pub(super) contents: u32,
    checksum: u64,
}

impl Header {
    pub(super) fn of(bytes: [u8; HEADER_BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Self {
            packed: word(0),
            contents: word(4),
            checksum: u64::from(word(8)) | u64::from(word(12)) << 32,
        }
    }
}

/// Makes blocks.
pub(super) struct Packer(zstd::bulk::Compressor<'static>);

impl Packer {
    pub(super) fn new() -> io::Result<Self> {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
        // The header has the size and a checksum already.
        compressor.include_contentsize(false)?;
        Ok(Self(compressor))
    }

    /// Appends a block to `out`; `number` is its place among the blocks.
    pub(super) fn pack(&mut self, number: u64, contents: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let start = out.len();
        let frame = start + HEADER_BYTES;
        out.resize(frame + zstd::zstd_safe::compress_bound(contents.len()), 0);
        let packed = self.0.compress_to_buffer(contents, &mut out[frame..])?;
        out.truncate(frame + packed);
        let checksum = xxh3_64_with_seed(&out[frame..], number);
        out[start..start + 4].copy_from_slice(&(packed as u32).to_le_bytes());
        out[start + 4..start + 8].copy_from_slice(&(contents.len() as u32).to_le_bytes());
        out[start + 8..frame].copy_from_slice(&checksum.to_le_bytes());
        Ok(())
    }
}

/// Reads blocks.
pub(super) struct Unpacker(zstd::bulk::Decompressor<'static>);

impl Unpacker {
    pub(super) fn new() -> io::Result<Self> {
        zstd::bulk::Decompressor::new().map(Self)
    }

    /// Fills `contents` from a block with its header.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] where the block is not as it was written.
    pub(super) fn unpack(&mut self, number: u64, block: &[u8], contents: &mut [u8]) -> io::Result<()> {
        let header = block.first_chunk().copied().map(Header::of);
        let whole = header.is_some_and(|header| {
            let frame = &block[HEADER_BYTES..];
            header.packed as usize == frame.len()
                && header.contents as usize == contents.len()
                && header.checksum == xxh3_64_with_seed(frame, number)
        });
        let filled = if whole {
            self.0.decompress_to_buffer(&block[HEADER_BYTES..], contents).ok()
        } else {
            None
        };
        if filled == Some(contents.len()) {
            Ok(())
        } else {
            Err(damaged(number))
        }
    }
}

/// The error for a block that is not as it was written.
pub(super) fn damaged(number: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("block {number} is cut off or changed"),
    )
}
