//! Models as files.
//!
//! Little-endian throughout: the magic, the version (u32), the digest of the body (XXH3-128, which is the model's own), and
//! the body as one zstd frame. The body: the length of the features' spec (u32), the spec, the features' digest (u128), bits
//! (u32), limit, documents and the number of entries (u64 each), then all prefixes and all counts (u64 each). In version 2 there
//! follow the neighbours: bits (u32), the number of pairs (u64), and the pairs with their counts (u128 each). Models without
//! neighbours are of version 1.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use super::{MOST_LIMIT, Model, Neighbours, PAIRS_A_FEATURE, WHOLE};
use crate::base::error::{Error, Result};
use crate::base::hash::{mask, xxh3_128};
use crate::encode::scheme::feature_rule::FeatureRule;
use crate::storage::atomic::AtomicFile;
use crate::storage::compression::Compression;
use crate::storage::paths::is_stdio;

const MAGIC: &[u8; 16] = b"simsieve model\r\n";
const VERSION: u32 = 1;
const WITH_NEIGHBOURS: u32 = 2;
const LEVEL: i32 = 3;
/// No body is longer: the greatest limit, and room for all that stands before the entries.
const MOST_BODY: u64 = 16 * (1 + PAIRS_A_FEATURE) as u64 * MOST_LIMIT as u64 + 4096;

impl Model {
    /// Writes the model to a file, which appears whole or not at all.
    ///
    /// # Errors
    /// [`Error::Sink`] where that fails; [`Error::Config`] for a name that asks for a further compression.
    pub fn save(&self, path: &Path) -> Result<()> {
        Self::check_sink(path)?;
        let mut out = AtomicFile::create(path)?;
        out.append(MAGIC)?;
        let version = if self.neighbours.is_some() {
            WITH_NEIGHBOURS
        } else {
            VERSION
        };
        out.append(&version.to_le_bytes())?;
        out.append(&self.digest.to_le_bytes())?;
        let failed = |error: io::Error| Error::Sink {
            path: path.to_path_buf(),
            message: error.to_string(),
        };
        let mut frame = zstd::Encoder::new(&mut out, LEVEL).map_err(failed)?;
        frame.write_all(&self.body()).map_err(failed)?;
        frame.finish().map_err(failed)?;
        out.commit()
    }

    /// Refuses names that no model goes to, before any work is done.
    ///
    /// # Errors
    /// [`Error::Config`] for standard output, and for a name that asks for a further compression.
    pub fn check_sink(path: &Path) -> Result<()> {
        if is_stdio(path) || !matches!(Compression::of_name(path), Compression::Plain) {
            return Err(Error::Config(format!(
                "{}: a model goes to a file of its own and is compressed already; give a name such as corpus.model",
                path.display()
            )));
        }
        Ok(())
    }

    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Source`] where there is no file, where it is no model, or where it is cut off or damaged.
    pub fn load(path: &Path) -> Result<Self> {
        let failed = |message: String| Error::Source {
            path: path.to_path_buf(),
            message,
        };
        read(path).map_err(|why| {
            failed(match why {
                Why::NotRead(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    "the model may not be read; grant the right to read it, or run as its owner".to_owned()
                }
                Why::NotRead(error) => format!("the model cannot be read: {error}; `simsieve fit` makes models"),
                Why::Foreign => "is no model of simsieve; `simsieve fit` makes models".to_owned(),
                Why::Version(version) => {
                    format!("is a model of version {version}, and this simsieve reads versions {VERSION} and {WITH_NEIGHBOURS}; fit it again")
                }
                Why::Damaged(what) => format!("the model is cut off or damaged ({what}); copy or fit it again"),
                Why::Unknown(error) => format!("{error}; fit it again"),
            })
        })
    }

    /// All that the model says, as bytes.
    pub(super) fn body(&self) -> Vec<u8> {
        let spec = self.rule.spec();
        let mut body = Vec::with_capacity(128 + 16 * self.entries.len());
        body.extend((spec.len() as u32).to_le_bytes());
        body.extend(spec.as_bytes());
        body.extend(self.rule.digest_bits().to_le_bytes());
        body.extend(self.bits.to_le_bytes());
        for number in [self.limit as u64, self.documents, self.entries.len() as u64] {
            body.extend(number.to_le_bytes());
        }
        for (prefix, _) in &self.entries {
            body.extend(prefix.to_le_bytes());
        }
        for (_, count) in &self.entries {
            body.extend(count.to_le_bytes());
        }
        if let Some(neighbours) = &self.neighbours {
            body.extend(neighbours.bits().to_le_bytes());
            body.extend((neighbours.entries().len() as u64).to_le_bytes());
            body.extend(neighbours.entries().iter().flat_map(|entry| entry.to_le_bytes()));
        }
        body
    }
}

/// Why a file is no model.
enum Why {
    NotRead(io::Error),
    Foreign,
    Version(u32),
    Damaged(&'static str),
    Unknown(Error),
}

fn read(path: &Path) -> std::result::Result<Model, Why> {
    let mut file = File::open(path).map_err(Why::NotRead)?;
    let mut head = Vec::new();
    let header = MAGIC.len() + 4 + 16;
    (&mut file)
        .take(header as u64)
        .read_to_end(&mut head)
        .map_err(Why::NotRead)?;
    if !head.starts_with(&MAGIC[..head.len().min(MAGIC.len())]) || head.is_empty() {
        return Err(Why::Foreign);
    }
    let mut head = Cursor(
        head.get(MAGIC.len()..)
            .ok_or(Why::Damaged("it ends in its first line"))?,
    );
    let version = u32::from_le_bytes(head.take()?);
    if !matches!(version, VERSION | WITH_NEIGHBOURS) {
        return Err(Why::Version(version));
    }
    let digest = u128::from_le_bytes(head.take()?);
    let mut body = Vec::new();
    let frame = zstd::Decoder::new(file).map_err(Why::NotRead)?;
    // What is wrong with a frame is told by its end or by the digest.
    let read = frame.take(MOST_BODY + 1).read_to_end(&mut body);
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Why::Damaged("it ends too early")),
        Err(_) => Err(Why::Damaged("it cannot be decompressed")),
        Ok(_) if xxh3_128(&body) != digest => Err(Why::Damaged("its digest is another")),
        Ok(_) => parse(&body, digest, version == WITH_NEIGHBOURS),
    }
}

/// Reads a body whose digest is right; a program may have written it that is not ours.
fn parse(body: &[u8], digest: u128, with_neighbours: bool) -> std::result::Result<Model, Why> {
    let mut rest = Cursor(body);
    let length = u32::from_le_bytes(rest.take()?);
    let spec = str::from_utf8(rest.slice(length as usize)?).map_err(|_| Why::Damaged("its features have no name"))?;
    let rule = FeatureRule::read(spec, u128::from_le_bytes(rest.take()?)).map_err(Why::Unknown)?;
    let bits = u32::from_le_bytes(rest.take()?);
    let [limit, documents, length] = [rest.number()?, rest.number()?, rest.number()?];
    let (limit, length) = (limit as usize, length as usize);
    let sizes = Why::Damaged("its sizes do not fit");
    if bits > WHOLE || limit > MOST_LIMIT || length > limit || rule.has_neighbours() != with_neighbours {
        return Err(sizes);
    }
    let entries = rest.slice(16 * length)?;
    let neighbours = if with_neighbours {
        let (bits, length) = (u32::from_le_bytes(rest.take()?), rest.number()? as usize);
        if length > limit * PAIRS_A_FEATURE || rest.0.len() != 16 * length {
            return Err(sizes);
        }
        let number = |bytes: &[u8]| u128::from_le_bytes(*bytes.first_chunk().unwrap_or(&[0; 16]));
        let pairs = rest.0.chunks_exact(16).map(number).collect();
        Some(Neighbours::read(bits, pairs).ok_or(Why::Damaged("its neighbours are in disorder"))?)
    } else if rest.0.is_empty() {
        None
    } else {
        return Err(sizes);
    };
    let number = |bytes: &[u8]| u64::from_le_bytes(*bytes.first_chunk().unwrap_or(&[0; 8]));
    let (prefixes, counts) = entries.split_at(8 * length);
    let entries: Vec<(u64, u64)> = prefixes
        .chunks_exact(8)
        .map(number)
        .zip(counts.chunks_exact(8).map(number))
        .collect();
    let in_order = entries.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if !in_order || entries.iter().any(|entry| entry.0 & !mask(bits) != 0 || entry.1 == 0) {
        return Err(Why::Damaged("its entries are in disorder"));
    }
    Ok(Model {
        rule,
        bits,
        limit,
        documents,
        entries,
        neighbours,
        digest,
    })
}

/// What is left to read.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn slice(&mut self, length: usize) -> std::result::Result<&'a [u8], Why> {
        let (slice, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(Why::Damaged("it ends too early"))?;
        self.0 = rest;
        Ok(slice)
    }

    fn take<const N: usize>(&mut self) -> std::result::Result<[u8; N], Why> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(Why::Damaged("it ends too early"))?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn number(&mut self) -> std::result::Result<u64, Why> {
        self.take().map(u64::from_le_bytes)
    }
}
