//! The texts of a segment: zstd frames of some kilobytes each, so that one text costs one small read.
//!
//! Texts follow one another in the order of rows. An index has at most one dictionary in its life, and a frame says whether it needs it,
//! so a merge copies frames as they are.

use std::cell::RefCell;
use std::fmt;
use std::io;

use rayon::prelude::*;
use zstd::bulk::Compressor;
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{self, DCtx};

use crate::base::error::{Error, Result};
use crate::storage::column::Column;

/// Bytes of texts in a block, where one text has no more: it is unpacked in 3 microseconds, one of 4 KiB in 8. Of generated questions blocks
/// of 1, 4 and 8 KiB keep .50, .47 and .46 of the bytes.
const BLOCK_BYTES: usize = 1 << 10;
/// Bytes of a text that the dictionary is made of at most.
const TRAINED_BYTES: usize = 4 << 10;
/// The level of zstd.
const LEVEL: i32 = 3;
/// Bytes of a dictionary; and of the texts that it is made of, at least and at most.
const DICTIONARY_BYTES: usize = 64 << 10;
const LEAST_TRAINED: usize = 1 << 20;
const MOST_TRAINED: usize = 8 << 20;

/// Texts in blocks.
#[derive(Debug, Default, Clone)]
pub(crate) struct TextBlocks {
    /// Frames of zstd, one after another.
    pub(crate) bytes: Column<u8>,
    /// Where each frame ends.
    pub(crate) ends: Column<u64>,
    /// Of each text the number of its block, and in the lower 32 bits where it begins there.
    pub(crate) places: Column<u64>,
}

/// Texts that are packed together.
#[derive(Debug, Default)]
pub(crate) struct TextBatch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl TextBatch {
    pub(crate) fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len());
    }
}

/// The dictionary of the texts of an index, ready for use; an empty one has no effect.
pub(crate) struct Dictionary {
    pub(crate) bytes: Column<u8>,
    packs: EncoderDictionary<'static>,
    unpacks: DecoderDictionary<'static>,
}

impl Dictionary {
    pub(crate) fn new(bytes: Column<u8>) -> Self {
        Self {
            packs: EncoderDictionary::copy(&bytes, LEVEL),
            unpacks: DecoderDictionary::copy(&bytes),
            bytes,
        }
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Dictionary({} bytes)", self.bytes.len())
    }
}

/// A dictionary for texts like these; empty where they are too few.
pub(crate) fn dictionary_of(texts: &[String]) -> Vec<u8> {
    let (mut sample, mut sizes) = (Vec::new(), Vec::new());
    for text in texts {
        if sample.len() >= MOST_TRAINED {
            break;
        }
        let part = &text.as_bytes()[..text.len().min(TRAINED_BYTES)];
        sample.extend_from_slice(part);
        sizes.push(part.len());
    }
    if sample.len() < LEAST_TRAINED {
        return Vec::new();
    }
    // Texts that no dictionary helps have none.
    zstd::dict::from_continuous(&sample, &sizes, DICTIONARY_BYTES).unwrap_or_default()
}

fn failed(error: &io::Error) -> Error {
    Error::Storage {
        message: msg!("a text of the index cannot be packed: {error}"),
        retryable: false,
    }
}

impl TextBlocks {
    /// Adds batches of texts, each packed by a thread of the pool that this runs on.
    pub(crate) fn add(&mut self, batches: &[TextBatch], dictionary: &Dictionary) -> Result<()> {
        let packed = batches.par_iter().map(|batch| Self::pack(batch, dictionary));
        for one in packed.collect::<Result<Vec<_>>>()? {
            self.append(&one);
        }
        Ok(())
    }

    fn pack(batch: &TextBatch, dictionary: &Dictionary) -> Result<Self> {
        let mut packer = Compressor::with_prepared_dictionary(&dictionary.packs).map_err(|error| failed(&error))?;
        packer.include_checksum(true).map_err(|error| failed(&error))?;
        packer.include_contentsize(true).map_err(|error| failed(&error))?;
        let (mut bytes, mut ends, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        let mut close = |range: std::ops::Range<usize>, ends: &mut Vec<u64>| {
            bytes.extend(packer.compress(&batch.bytes[range]).map_err(|error| failed(&error))?);
            ends.push(bytes.len() as u64);
            Ok(())
        };
        let mut before = 0;
        for &end in &batch.ends {
            if end - start > BLOCK_BYTES && before > start {
                close(start..before, &mut ends)?;
                start = before;
            }
            places.push((ends.len() as u64) << 32 | (before - start) as u64);
            before = end;
        }
        if !places.is_empty() {
            close(start..before, &mut ends)?;
        }
        Ok(Self {
            bytes: bytes.into(),
            ends: ends.into(),
            places: places.into(),
        })
    }

    /// Adds the blocks of others, which have the same dictionary.
    pub(crate) fn append(&mut self, other: &Self) {
        let (bytes, blocks) = (self.bytes.len() as u64, self.ends.len() as u64);
        self.bytes.to_mut().extend_from_slice(&other.bytes);
        self.ends.to_mut().extend(other.ends.iter().map(|end| end + bytes));
        self.places
            .to_mut()
            .extend(other.places.iter().map(|place| place + (blocks << 32)));
    }

    /// Whether places and ends are those of this many texts.
    pub(crate) fn fit(&self, texts: usize) -> bool {
        self.places.len() == texts
            && self.places.is_sorted()
            && self
                .places
                .last()
                .is_none_or(|place| ((place >> 32) as usize) < self.ends.len())
            && self.ends.is_sorted()
            && self.ends.last().copied().unwrap_or(0) == self.bytes.len() as u64
    }
}

thread_local! {
    /// What unpacks the frames of a thread: to make one takes longer than to unpack some frames.
    static UNPACKER: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Reads texts one by one; the block that was unpacked last stays.
pub(crate) struct TextReader<'a> {
    dictionary: &'a Dictionary,
    block: Option<(usize, u64)>,
    bytes: Vec<u8>,
}

impl<'a> TextReader<'a> {
    pub(crate) const fn new(dictionary: &'a Dictionary) -> Self {
        Self {
            dictionary,
            block: None,
            bytes: Vec::new(),
        }
    }

    /// The text of a row of a segment that has a number of its own; `None` where the bytes are damaged.
    pub(crate) fn text(&mut self, segment: usize, texts: &TextBlocks, row: usize) -> Option<&str> {
        let place = texts.places.at(row);
        let block = place >> 32;
        if self.block != Some((segment, block)) {
            self.block = None;
            let start = if block == 0 {
                0
            } else {
                let before = block as usize - 1;
                texts.ends.some(before..before + 1)?[0]
            };
            let end = texts.ends.some(block as usize..block as usize + 1)?[0];
            let packed = texts.bytes.some(start as usize..end as usize)?;
            self.unpack(packed)?;
            self.block = Some((segment, block));
        }
        let start = place as u32 as usize;
        let next = texts
            .places
            .some(row + 1..row + 2)
            .filter(|next| next[0] >> 32 == block);
        let end = next.map_or(self.bytes.len(), |next| next[0] as u32 as usize);
        std::str::from_utf8(self.bytes.get(start..end)?).ok()
    }

    fn unpack(&mut self, packed: &[u8]) -> Option<()> {
        let size = usize::try_from(zstd_safe::get_frame_content_size(packed).ok()??).ok()?;
        // A frame of zstd is at most some thousand times as long unpacked.
        if size > packed.len().checked_mul(1 << 15)? {
            return None;
        }
        self.bytes.clear();
        self.bytes.try_reserve(size).ok()?;
        let (bytes, unpacks) = (&mut self.bytes, self.dictionary.unpacks.as_ddict());
        let unpacked = UNPACKER.with_borrow_mut(|unpacker| match zstd_safe::get_dict_id_from_frame(packed) {
            Some(_) => unpacker.decompress_using_ddict(bytes, packed, unpacks),
            // A block of an index that had no dictionary yet.
            None => unpacker.decompress(bytes, packed),
        });
        unpacked.is_ok_and(|unpacked| unpacked == size).then_some(())
    }
}
