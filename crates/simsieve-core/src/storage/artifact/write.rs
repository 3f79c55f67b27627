//! From columns to a file.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

use super::{ALIGNMENT, ArtifactKind, END_MARK, PIECES, Packing};
use crate::base::error::Result;
use crate::storage::column::{Element, bytes_of};
use crate::storage::paths::sink_error;
use crate::storage::pieces::Summing;

/// Values converted to bytes at a time.
const PIECE: usize = 1 << 16;

/// Writes one file, section by section. It never seeks, so any sink of bytes is allowed.
pub struct Writer<'a, W: Write> {
    out: Counted<W>,
    sink: &'a Path,
    preamble: [u8; super::PREAMBLE_BYTES],
    sections: Vec<Value>,
}

impl<'a, W: Write> Writer<'a, W> {
    /// Begins a file of a kind. `sink` is its name in messages.
    ///
    /// # Errors
    /// [`crate::base::error::Error::Sink`] if the bytes cannot be written, here and below.
    pub fn new(out: W, sink: &'a Path, kind: &ArtifactKind) -> Result<Self> {
        let mut writer = Self {
            out: Counted {
                out,
                bytes: 0,
                hash: Xxh3::new(),
                pieces: kind.has_pieces.then(Summing::new),
            },
            sink,
            preamble: kind.preamble(kind.version),
            sections: Vec::new(),
        };
        let preamble = writer.preamble;
        writer.put(&preamble)?;
        Ok(writer)
    }

    /// Writes a section of values. `progress` receives the bytes written so far and can stop the work.
    pub fn column<T: Element>(
        &mut self,
        name: &str,
        packing: Packing,
        values: impl IntoIterator<Item = T>,
        progress: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let sink = self.sink;
        self.section::<T>(name, packing, progress, |out, progress| match packing {
            Packing::Plain => put_values(out, sink, values, progress),
            Packing::Zstd(level) => {
                let failed = |error: io::Error| sink_error(sink, &error);
                let mut encoder = zstd::stream::write::Encoder::new(out, level).map_err(failed)?;
                let elements = put_values(&mut encoder, sink, values, progress)?;
                encoder.finish().map_err(failed)?;
                Ok(elements)
            }
        })
    }

    /// Writes a section, uncompressed, of the values that `fill` hands over slice by slice. `progress` is as above.
    pub fn filled<T: Element>(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn FnMut(&[T]) -> Result<()>) -> Result<()>,
        progress: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let sink = self.sink;
        self.section::<T>(name, Packing::Plain, progress, |out, progress| {
            let mut elements = 0;
            fill(&mut |values| {
                for piece in values.chunks(PIECE) {
                    out.write_all(&bytes_of(piece))
                        .map_err(|error| sink_error(sink, &error))?;
                    elements += piece.len() as u64;
                    progress(elements * size_of::<T>() as u64)?;
                }
                Ok(())
            })?;
            Ok(elements)
        })
    }

    /// Writes a section by `put`, which returns the number of its values.
    fn section<T: Element>(
        &mut self,
        name: &str,
        packing: Packing,
        progress: &mut dyn FnMut(u64) -> Result<()>,
        put: impl FnOnce(&mut Counted<W>, &mut dyn FnMut(u64) -> Result<()>) -> Result<u64>,
    ) -> Result<()> {
        self.align()?;
        let offset = self.out.bytes;
        self.out.hash.reset();
        let elements = put(&mut self.out, &mut |bytes| progress(offset + bytes))?;
        self.sections.push(json!({
            "name": name,
            "type": T::NAME,
            "length": elements,
            "offset": offset,
            "bytes": self.out.bytes - offset,
            "zstd": packing != Packing::Plain,
            "xxh3_128": format!("{:032x}", self.out.hash.digest128()),
        }));
        Ok(())
    }

    /// Writes the header and the end of the file, and returns the sink.
    pub fn finish(self, header: &Value) -> Result<W> {
        self.summed(header).map(|(out, _)| out)
    }

    /// As [`Writer::finish`], with the checksum in the end of the file: it is that of all of the file, for the directory has the checksum of
    /// each section.
    pub(crate) fn summed(mut self, header: &Value) -> Result<(W, u128)> {
        self.align()?;
        if let Some(pieces) = self.out.pieces.take() {
            self.filled(PIECES, |push| push(&pieces.finish()), &mut |_| Ok(()))?;
            self.align()?;
        }
        let offset = self.out.bytes;
        // Keys in ascending order and no spaces: serde_json writes a map of its own so.
        let directory = json!({"header": header, "sections": self.sections}).to_string();
        self.out.hash.reset();
        self.out.hash.update(&self.preamble);
        self.put(directory.as_bytes())?;
        let checksum = self.out.hash.digest128();
        self.put(&offset.to_le_bytes())?;
        self.put(&checksum.to_le_bytes())?;
        self.put(END_MARK)?;
        Ok((self.out.out, checksum))
    }

    fn align(&mut self) -> Result<()> {
        let gap = self.out.bytes.next_multiple_of(ALIGNMENT as u64) - self.out.bytes;
        self.put(&[0; ALIGNMENT][..gap as usize])
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| sink_error(self.sink, &error))
    }
}

/// Writes values in pieces, and returns their number.
fn put_values<T: Element>(
    out: &mut impl Write,
    sink: &Path,
    values: impl IntoIterator<Item = T>,
    progress: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<u64> {
    let (mut values, mut bytes) = (values.into_iter(), 0);
    let mut piece = Vec::new();
    loop {
        piece.clear();
        values
            .by_ref()
            .take(PIECE)
            .for_each(|value| value.append_to(&mut piece));
        if piece.is_empty() {
            return Ok(bytes / size_of::<T>() as u64);
        }
        out.write_all(&piece).map_err(|error| sink_error(sink, &error))?;
        bytes += piece.len() as u64;
        progress(bytes)?;
    }
}

impl<W: Write> fmt::Debug for Writer<'_, W> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The state of a hash is useless in debug output.
        out.debug_struct("Writer")
            .field("sink", &self.sink)
            .field("sections", &self.sections)
            .finish_non_exhaustive()
    }
}

/// Counts and hashes the bytes that pass.
struct Counted<W> {
    out: W,
    bytes: u64,
    hash: Xxh3,
    pieces: Option<Summing>,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        if let Some(pieces) = &mut self.pieces {
            pieces.add(&bytes[..written]);
        }
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
