//! From documents to a saved run.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

use super::{MAGIC, VERSION};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::dedup::documents::Documents;
use crate::runs::rethreshold::SavedPairs;
use crate::source::{SourceStamp, unreadable};
use crate::storage::atomic::AtomicFile;
use crate::storage::paths::sink_error;

/// Saves a run, whole or not at all. `settings` is the caller's own and comes back as it is; `pairs` are those of
/// [`SavedPairs::find`], or none.
///
/// # Errors
/// [`Error::Config`] where a source is no file; [`Error::Sink`] where the file cannot be written.
pub fn save(
    documents: &Documents,
    settings: &str,
    pairs: Option<&SavedPairs>,
    sink: &Path,
    ctx: &Context<'_>,
) -> Result<()> {
    documents.refuse_combined("a saved run")?;
    let copies = documents.copies(ctx)?;
    let header = header(documents, settings, pairs)?;
    // Stamps of files that changed meanwhile would vouch for what was not read.
    documents.store.check_unchanged()?;
    let mut out = Hashed {
        out: AtomicFile::create_as_is(sink)?,
        hash: Xxh3::new(),
    };
    let failed = |error: &io::Error| sink_error(sink, error);
    let head = out
        .write_all(MAGIC)
        .and_then(|()| out.write_all(&VERSION.to_le_bytes()));
    head.map_err(|error| failed(&error))?;
    let encoder = zstd::stream::write::Encoder::new(out, 1).map_err(|error| failed(&error))?;
    let mut sections = Sections {
        out: encoder,
        sink,
        ctx,
        bytes: 0,
    };
    sections.bytes(header.to_string().as_bytes())?;
    sections.numbers(&documents.fingerprints, u64::to_le_bytes)?;
    sections.numbers(&documents.valid, |valid| [u8::from(valid)])?;
    sections.bytes(&documents.sketches)?;
    sections.numbers(&documents.digests, u128::to_le_bytes)?;
    sections.numbers(&documents.sizes, u32::to_le_bytes)?;
    sections.numbers(&documents.order, u32::to_le_bytes)?;
    sections.bytes(&documents.labels.bytes)?;
    sections.numbers(&documents.labels.ends, |end| (end as u64).to_le_bytes())?;
    sections.numbers(copies, u32::to_le_bytes)?;
    sections.bytes(failures(documents).to_string().as_bytes())?;
    if let Some(pairs) = pairs {
        sections.numbers(&pairs.edges, |edge| edge.later.to_le_bytes())?;
        sections.numbers(&pairs.edges, |edge| edge.earlier.to_le_bytes())?;
        sections.numbers(&pairs.edges, |edge| edge.distance.to_le_bytes())?;
        sections.numbers(&pairs.similarities, f64::to_le_bytes)?;
    }
    let Hashed { mut out, hash } = sections.out.finish().map_err(|error| failed(&error))?;
    out.append(&hash.digest128().to_le_bytes())?;
    out.commit()
}

fn header(documents: &Documents, settings: &str, pairs: Option<&SavedPairs>) -> Result<Value> {
    let recipe = &documents.recipe;
    let sources = documents.store.stamps()?;
    Ok(json!({
        "settings": settings,
        "scheme": documents.scheme.spec(),
        "scheme_digest": documents.scheme.digest(),
        "recipe": recipe.to_json(),
        "text_field": documents.fields.text,
        "id_field": documents.fields.id,
        "sources": sources.iter().map(source).collect::<Result<Vec<_>>>()?,
        "pairs": pairs.map(|pairs| pairs.edges.len()),
    }))
}

fn source(stamp: &SourceStamp) -> Result<Value> {
    let absolute = std::path::absolute(&stamp.path).map_err(|error| unreadable(&stamp.path, &error))?;
    let (Some(name), Some(path)) = (stamp.path.to_str(), absolute.to_str()) else {
        return Err(Error::Config(format!(
            "the source {} has a name that is not UTF-8, so this run cannot be saved; rename it or link to it",
            stamp.path.display()
        )));
    };
    Ok(json!({
        "name": name,
        "path": path,
        "format": stamp.format.to_string(),
        "size": stamp.stamp.size,
        "modified": stamp.stamp.modified,
        "records": stamp.records,
        "old": stamp.old,
    }))
}

fn failures(documents: &Documents) -> Value {
    let failures = documents.failures.iter();
    failures
        .map(|(position, failure)| json!([position, failure.code, failure.message]))
        .collect()
}

struct Sections<'a, 'c, W: Write> {
    out: W,
    sink: &'a Path,
    ctx: &'a Context<'c>,
    bytes: u64,
}

impl<W: Write> Sections<'_, '_, W> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.numbers(bytes, |byte| [byte])
    }

    /// Writes a column, `N` bytes an item.
    fn numbers<T: Copy, const N: usize>(&mut self, values: &[T], bytes_of: impl Fn(T) -> [u8; N]) -> Result<()> {
        const ITEMS: usize = 1 << 17;
        self.write(&((values.len() * N) as u64).to_le_bytes())?;
        let mut piece = Vec::new();
        for values in values.chunks(ITEMS) {
            piece.clear();
            piece.extend(values.iter().flat_map(|&value| bytes_of(value)));
            self.write(&piece)?;
            self.bytes += piece.len() as u64;
            self.ctx.tick("save", self.bytes, 0)?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| sink_error(self.sink, &error))
    }
}

/// Hashes what passes.
struct Hashed {
    out: AtomicFile,
    hash: Xxh3,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
