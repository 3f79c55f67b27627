//! The letters of records side by side, so that each text is read once, however many pairs it has.
//!
//! A record is one byte, which says how many bytes a letter takes, the number of its letters, and these: one byte each where all are of
//! Latin-1, else two or four. Where each letter is one code point, a bit for each code point of the text says whether it is a letter.

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
        self.record(position).map(|(letters, _)| letters)
    }

    /// Writes a record's letters with their places into `letters`, if these are here.
    pub(super) fn take(&self, position: u32, letters: &mut Vec<Letter>) -> bool {
        let Some((packed, places)) = self.record(position) else {
            return false;
        };
        letters.clear();
        for (at, &bits) in places.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let start = 8 * at as u32 + bits.trailing_zeros();
                letters.push(Letter::of_point(packed.id(letters.len()), start));
                bits &= bits - 1;
            }
        }
        !places.is_empty()
    }

    /// A record's letters, and the bits of their places.
    fn record(&self, position: u32) -> Option<(Slice<'_>, &[u8])> {
        let at = (position as usize).checked_sub(self.first)?;
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let (&width, bytes) = self.bytes.get(start..end)?.split_first()?;
        let (count, bytes) = bytes.split_first_chunk()?;
        let (letters, places) = bytes.split_at_checked(u32::from_le_bytes(*count) as usize * usize::from(width))?;
        let letters = match width {
            1 => Slice::One(Of(letters)),
            2 => Slice::Two(Of(letters.as_chunks().0)),
            _ => Slice::Four(Of(letters.as_chunks().0)),
        };
        Some((letters, places))
    }
}

/// Packed letters of a record, by how many bytes each takes.
pub(super) enum Slice<'a> {
    One(Of<'a, u8>),
    Two(Of<'a, [u8; 2]>),
    Four(Of<'a, [u8; 4]>),
}

impl Slice<'_> {
    fn id(&self, at: usize) -> u32 {
        match self {
            Self::One(letters) => letters.id(at),
            Self::Two(letters) => letters.id(at),
            Self::Four(letters) => letters.id(at),
        }
    }
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
    bytes.extend_from_slice(&(letters.len() as u32).to_le_bytes());
    for letter in letters {
        bytes.extend_from_slice(&point_of(letter.id()).to_le_bytes()[..width]);
    }
    let mut next = 0;
    let is_plain = letters
        .iter()
        .all(|letter| std::mem::replace(&mut next, letter.end) <= letter.start && letter.end == letter.start + 1);
    if is_plain {
        let places = bytes.len();
        bytes.resize(places + next.div_ceil(8) as usize, 0);
        for letter in letters {
            bytes[places + letter.start as usize / 8] |= 1 << (letter.start % 8);
        }
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
