//! The letters of records side by side, so that no text is made into letters for each of its pairs.
//!
//! A record is one byte, which says how many bytes a letter takes, and its letters: one byte each where all are of Latin-1, else two or
//! four.

use super::align::Ids;
use crate::base::error::Result;
use crate::storage::column::Column;
use crate::storage::run_dir::{RunDir, ScratchColumn};
use crate::text::letters::{Letter, id_of, point_of};

/// Letters of records; a record may have none here.
#[derive(Debug, Default)]
pub(super) struct Packed {
    bytes: Column<u8>,
    ends: Vec<u64>,
    first: usize,
}

impl Packed {
    /// A record's letters; `None` where they are not here.
    pub(super) fn get(&self, position: u32) -> Option<Slice<'_>> {
        let at = (position as usize).checked_sub(self.first)?;
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let (width, bytes) = self.bytes.get(start..end)?.split_first()?;
        Some(match width {
            1 => Slice::One(Of(bytes)),
            2 => Slice::Two(Of(bytes.as_chunks().0)),
            _ => Slice::Four(Of(bytes.as_chunks().0)),
        })
    }
}

/// Packed letters of a record, by how many bytes each takes.
pub(super) enum Slice<'a> {
    One(Of<'a, u8>),
    Two(Of<'a, [u8; 2]>),
    Four(Of<'a, [u8; 4]>),
}

/// Letters of one width.
pub(super) struct Of<'a, T>(&'a [T]);

impl Ids for Of<'_, u8> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn id(&self, at: usize) -> u32 {
        self.0[at].into()
    }
}

impl Ids for Of<'_, [u8; 2]> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn id(&self, at: usize) -> u32 {
        id_of(u16::from_le_bytes(self.0[at]).into())
    }
}

impl Ids for Of<'_, [u8; 4]> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn id(&self, at: usize) -> u32 {
        id_of(u32::from_le_bytes(self.0[at]))
    }
}

/// Appends the letters of a record to packed ones.
pub(super) fn pack(letters: &[Letter], bytes: &mut Vec<u8>) {
    let most = letters.iter().map(|letter| point_of(letter.id())).max().unwrap_or(0);
    let width = if most < 1 << 8 {
        1
    } else if most < 1 << 16 {
        2
    } else {
        4
    };
    bytes.push(width as u8);
    for letter in letters {
        bytes.extend_from_slice(&point_of(letter.id()).to_le_bytes()[..width]);
    }
}

/// Packed letters that are being gathered.
pub(super) struct Packing<'a> {
    bytes: ScratchColumn<'a, u8>,
    ends: Vec<u64>,
    first: usize,
}

impl<'a> Packing<'a> {
    /// Those of the records from `first` on.
    pub(super) fn new(dir: Option<&'a RunDir>, first: usize) -> Result<Self> {
        Ok(Self {
            bytes: ScratchColumn::new(dir, "letters", 0)?,
            ends: Vec::new(),
            first,
        })
    }

    /// Adds records by their packed letters, and where each ends among these.
    pub(super) fn extend(&mut self, bytes: Vec<u8>, ends: &[u64]) -> Result<()> {
        let before = self.ends.last().copied().unwrap_or(0);
        self.ends.extend(ends.iter().map(|end| before + end));
        self.bytes.extend(bytes)
    }

    pub(super) fn finish(self) -> Result<Packed> {
        Ok(Packed {
            bytes: self.bytes.finish()?,
            ends: self.ends,
            first: self.first,
        })
    }
}
