//! Spools: copies of sources that cannot be read in place, as compressed blocks in a temporary file or a file of a run directory.
//!
//! A [`Spool`] takes bytes, and a [`Spooled`] gives them again by their offsets. All blocks but the last hold [`BLOCK_BYTES`], so
//! the block of an offset is known, and an index holds eight bytes a block. Each block has a checksum, which is compared whenever
//! the block is read. Files have mode 600.
//!
//! A block is its header in little-endian numbers, and one frame of zstd:
//!
//! ```text
//! u32 bytes of the frame | u32 bytes of the contents | u64 XXH3 of the frame, seeded with the block's number
//! ```

mod block;
mod read;
pub(super) mod row_state;
#[cfg(test)]
mod tests;
mod write;

pub(super) use read::Spooled;
pub(super) use write::Spool;
