//! Keys on their way to the machine of their partition: a piece has some texts' keys of one partition, and what is compared of
//! these texts.
//!
//! All numbers of a piece are little-endian. A piece has the numbers of texts and of keys. Then come the positions,
//! sizes and words of the texts, the keys, and the text of each key.

use crate::base::error::{Error, Result};
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::distributed::search::Search;
use crate::encode::encoder::{EncodedBatch, Encoder};
use crate::encode::paths::FAMILY;
use crate::encode::sketch::{SKETCH_WORDS, narrow};
use crate::search::candidates::masked_key;

/// The texts and keys of one partition.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) positions: Vec<i64>,
    pub(super) sizes: Vec<u32>,
    /// What [`Layout`] says of each text.
    pub(super) words: Vec<u64>,
    pub(super) keys: Vec<u64>,
    /// Of each key the text in this piece.
    pub(super) texts: Vec<u32>,
}

/// What is sent of a text to be compared: its sketch, and its fingerprint where that is no part of the sketch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    sketch: usize,
    fingerprint: usize,
    width: u32,
    sent: usize,
}

impl Layout {
    pub(super) fn of(search: &Search) -> Self {
        let by_similarity = search.recipe.threshold.by_similarity();
        let fingerprint = search.scheme.words();
        let both = !(by_similarity && search.scheme.is_part_of_sketch());
        let sketch = if by_similarity { SKETCH_WORDS } else { 0 };
        Self {
            sketch,
            fingerprint,
            width: search.scheme.width(),
            sent: sketch + if both { fingerprint } else { 0 },
        }
    }

    fn push(&self, batch: &EncodedBatch, row: usize, out: &mut Vec<u64>) {
        out.extend_from_slice(&batch.sketches[row * self.sketch..][..self.sketch]);
        if self.sent > self.sketch {
            out.extend_from_slice(&batch.fingerprints[row * self.fingerprint..][..self.fingerprint]);
        }
    }

    /// Adds a text of a piece to rows that are compared.
    fn read(&self, words: &[u64], size: u32, rows: &mut EncodedBatch) {
        rows.sketches.extend_from_slice(&words[..self.sketch]);
        let start = rows.fingerprints.len();
        if self.sent > self.sketch {
            rows.fingerprints.extend_from_slice(&words[self.sketch..]);
        } else {
            rows.fingerprints.resize(start + self.fingerprint, 0);
            narrow(words, self.width, &mut rows.fingerprints[start..]);
        }
        rows.sizes.push(size);
        rows.valid.push(true);
    }
}

/// Gathers keys into the pieces of partitions.
#[derive(Debug)]
pub(super) struct PieceWriter {
    layout: Layout,
    /// Partitions are `2^log2`.
    log2: u32,
    parts: Vec<Piece>,
    bytes: usize,
}

impl PieceWriter {
    pub(super) fn new(search: &Search, log2: u32) -> Self {
        Self {
            layout: Layout::of(search),
            log2,
            parts: vec![Piece::default(); 1 << log2],
            bytes: 0,
        }
    }

    /// Adds the keys of a text, which is a row of a batch.
    pub(super) fn add(&mut self, position: i64, batch: &EncodedBatch, row: usize, keys: &[u64]) {
        for &key in keys {
            let part = &mut self.parts[key.checked_shr(64 - self.log2).unwrap_or(0) as usize];
            if part.positions.last() != Some(&position) {
                part.positions.push(position);
                part.sizes.push(batch.sizes[row]);
                self.layout.push(batch, row, &mut part.words);
                self.bytes += 12 + 8 * self.layout.sent;
            }
            part.keys.push(key);
            part.texts.push(part.positions.len() as u32 - 1);
            self.bytes += 12;
        }
    }

    /// Bytes of all pieces.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the pieces that are not empty, each with its partition.
    pub(super) fn take(&mut self) -> Vec<(u32, Vec<u8>)> {
        self.bytes = 0;
        let parts = self.parts.iter_mut().map(std::mem::take).enumerate();
        let filled = parts.filter(|(_, piece)| !piece.keys.is_empty());
        filled.map(|(part, piece)| (part as u32, piece.to_bytes())).collect()
    }
}

impl Piece {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 + 12 * (self.positions.len() + self.keys.len()) + 8 * self.words.len());
        for count in [self.positions.len(), self.keys.len()] {
            bytes.extend_from_slice(&(count as u64).to_le_bytes());
        }
        for position in &self.positions {
            bytes.extend_from_slice(&position.to_le_bytes());
        }
        for size in &self.sizes {
            bytes.extend_from_slice(&size.to_le_bytes());
        }
        for word in self.words.iter().chain(&self.keys) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for text in &self.texts {
            bytes.extend_from_slice(&text.to_le_bytes());
        }
        bytes
    }

    /// Reads a piece and adds its texts to `rows` and its keys to `keys`, each with its row. The positions of the rows go to
    /// `positions`.
    pub(super) fn read(
        bytes: &[u8],
        layout: Layout,
        rows: &mut EncodedBatch,
        positions: &mut Vec<i64>,
        mut key: impl FnMut(u64, u32),
    ) -> Result<()> {
        let wrong = || Error::Config(msg!("a piece of search keys is damaged"));
        let (head, rest) = bytes.split_at_checked(16).ok_or_else(wrong)?;
        let (counts, _) = head.as_chunks::<8>();
        let [texts, keys] = [0, 1].map(|at| usize::try_from(u64::from_le_bytes(counts[at])).unwrap_or(usize::MAX));
        let a_text = 12 + 8 * layout.sent;
        let needed = texts
            .checked_mul(a_text)
            .and_then(|bytes| bytes.checked_add(keys.checked_mul(12)?));
        if needed != Some(rest.len()) {
            return Err(wrong());
        }
        let (at_positions, rest) = rest.split_at(8 * texts);
        let (sizes, rest) = rest.split_at(4 * texts);
        let (words, rest) = rest.split_at(8 * layout.sent * texts);
        let (at_keys, of) = rest.split_at(8 * keys);
        let first = positions.len() as u32;
        let mut own = vec![0; layout.sent];
        let (at_positions, sizes, words) = (at_positions.as_chunks().0, sizes.as_chunks().0, words.as_chunks().0);
        for at in 0..texts {
            positions.push(i64::from_le_bytes(at_positions[at]));
            for (own, &word) in own.iter_mut().zip(&words[at * layout.sent..]) {
                *own = u64::from_le_bytes(word);
            }
            layout.read(&own, u32::from_le_bytes(sizes[at]), rows);
        }
        for (&found, &text) in at_keys.as_chunks().0.iter().zip(of.as_chunks().0) {
            let text = u32::from_le_bytes(text);
            if text as usize >= texts {
                return Err(wrong());
            }
            key(u64::from_le_bytes(found), first + text);
        }
        Ok(())
    }
}

/// The search keys of a row, where they do not come from paths, which the encoder follows: one for each table of agreeing bits.
pub(super) fn table_keys(search: &Search, fingerprint: &[u64], keys: &mut Vec<u64>) {
    let key = |(table, mask): (u64, &Vec<u64>)| mix(table << 32 | u64::from(masked_key(fingerprint, mask))) & !FAMILY;
    keys.extend((0..).zip(&search.tables.masks).map(key));
}

/// The encoder of a search.
pub(super) fn encoder(search: &Search, kernel: Kernel) -> Encoder<'_> {
    Encoder::new(&search.scheme, search.options(), kernel)
}
