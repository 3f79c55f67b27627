//! Models as files: [artifacts](crate::storage::artifact) of kind `model`.
//!
//! The header has the features' spec and digest, `bits`, `limit`, `documents`, the model's digest, and the bits of the
//! neighbours or null. The sections are `prefixes` and `counts` (u64 each), and `neighbours` (u128) if the model counts
//! them.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

use super::{MOST_LIMIT, Model, Neighbours, PAIRS_A_FEATURE, WHOLE};
use crate::base::error::{Error, Result};
use crate::base::hash::mask;
use crate::encode::model::feature_rule::FeatureRule;
use crate::storage::artifact::{Artifact, ArtifactKind, Packing, Writer};
use crate::storage::atomic::AtomicFile;
use crate::storage::column::Bytes;
use crate::storage::compression::Compression;
use crate::storage::paths::is_stdio;

pub(super) const KIND: ArtifactKind = ArtifactKind {
    name: "model",
    version: 3,
    oldest: 3,
    has_pieces: false,
    noun: "model",
    instead: "`simsieve fit` makes models",
    renew: "fit it again",
    repair: "copy or fit it again",
};
/// What a model in memory is called in messages.
const IN_MEMORY: &str = "the model";
/// Sorted prefixes and small counts shrink to about half.
const PACKING: Packing = Packing::Zstd(3);

impl Model {
    /// Writes the model to a file, which appears complete or not at all.
    ///
    /// # Errors
    /// [`Error::Sink`] if that fails; [`Error::Config`] for a name with the extension of a compression.
    pub fn save(&self, path: &Path) -> Result<()> {
        Self::check_sink(path)?;
        self.write(AtomicFile::create(path)?, path)?.commit()
    }

    /// The bytes of the model's file, for another process.
    ///
    /// # Errors
    /// Never in memory; as [`Model::save`] otherwise.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.write(Vec::new(), Path::new(IN_MEMORY))
    }

    fn write<W: Write>(&self, out: W, path: &Path) -> Result<W> {
        let mut out = Writer::new(out, path, &KIND)?;
        let silent = &mut |_| Ok(());
        out.column("prefixes", PACKING, self.entries.iter().map(|entry| entry.0), silent)?;
        out.column("counts", PACKING, self.entries.iter().map(|entry| entry.1), silent)?;
        if let Some(neighbours) = &self.neighbours {
            out.column("neighbours", PACKING, neighbours.entries().iter().copied(), silent)?;
        }
        out.finish(&self.header())
    }

    fn header(&self) -> Value {
        json!({
            "features": self.rule.spec(),
            "features_digest": self.rule.digest(),
            "bits": self.bits,
            "limit": self.limit,
            "documents": self.documents,
            "neighbour_bits": self.neighbour_bits(),
            "digest": self.digest(),
        })
    }

    /// Refuses names that are not allowed for a model, before any work.
    ///
    /// # Errors
    /// [`Error::Config`] for standard output, and for a name with the extension of a compression.
    pub fn check_sink(path: &Path) -> Result<()> {
        if is_stdio(path) || !matches!(Compression::of_name(path), Compression::Plain) {
            return Err(Error::Config(msg!(
                "{path}: a model goes to a file of its own and is compressed already; give a name such as \
                 corpus.model",
                path = path.display()
            )));
        }
        Ok(())
    }

    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Source`] if there is no file, or it is not a model, or it is cut off or damaged.
    pub fn load(path: &Path) -> Result<Self> {
        Self::of_artifact(&Artifact::open(path, &KIND, &mut |_, _| Ok(()))?)
    }

    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    /// [`Error::Source`] as [`Model::load`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let path = Path::new(IN_MEMORY);
        Self::of_artifact(&Artifact::of_bytes(
            path,
            &KIND,
            Bytes::from(bytes),
            &mut |_, _| Ok(()),
        )?)
    }

    /// Reads a model from an intact file, which another program may have written.
    fn of_artifact(file: &Artifact) -> Result<Self> {
        let header = file.header();
        let number = |name: &str, most: u64| {
            let number = header[name].as_u64().filter(|&number| number <= most);
            number.ok_or_else(|| file.unreadable(msg!("its {name:?}")))
        };
        let text = |name: &str| {
            header[name]
                .as_str()
                .ok_or_else(|| file.unreadable(msg!("its {name:?}")))
        };
        let hash =
            |name: &str| u128::from_str_radix(text(name)?, 16).map_err(|_| file.unreadable(msg!("its {name:?}")));
        let rule = FeatureRule::read(text("features")?, hash("features_digest")?).map_err(|error| Error::Source {
            path: file.path().to_path_buf(),
            message: msg!("{error}; fit it again"),
        })?;
        let bits = number("bits", u64::from(WHOLE))? as u32;
        let limit = number("limit", MOST_LIMIT as u64)? as usize;
        let documents = number("documents", u64::MAX)?;
        let prefixes = file.column::<u64>("prefixes", ..=limit)?;
        let counts = file.column::<u64>("counts", prefixes.len()..=prefixes.len())?;
        let in_order = prefixes.windows(2).all(|pair| pair[0] < pair[1]);
        if !in_order || prefixes.iter().any(|prefix| prefix & !mask(bits) != 0) || counts.contains(&0) {
            return Err(file.unreadable(msg!("the order of its entries")));
        }
        let neighbours = if header["neighbour_bits"].is_null() {
            None
        } else {
            let bits = number("neighbour_bits", u64::from(u32::MAX))? as u32;
            let pairs = file.column::<u128>("neighbours", ..=limit * PAIRS_A_FEATURE)?;
            let read = Neighbours::read(bits, pairs.to_vec());
            Some(read.ok_or_else(|| file.unreadable("the order of its neighbours"))?)
        };
        if rule.has_neighbours() != neighbours.is_some() {
            return Err(file.unreadable("its section \"neighbours\""));
        }
        let entries = prefixes.iter().copied().zip(counts.iter().copied()).collect();
        let model = Self::new(rule, (bits, entries), limit, documents, neighbours);
        if model.digest != hash("digest")? {
            return Err(Error::Source {
                path: file.path().to_path_buf(),
                message: msg!(
                    "is a model of digest {digest}, but its header has digest {value}; copy or fit it again",
                    digest = model.digest(),
                    value = text("digest")?
                ),
            });
        }
        Ok(model)
    }

    /// The digest of the model's content, an XXH3-128. The bytes are the length of the features' spec (u32), the spec,
    /// the features' digest (u128), and bits (u32). Then limit, documents, the number of entries, all prefixes and all
    /// counts follow (u64 each). If neighbours are counted, their bits (u32), their number (u64) and the pairs with
    /// their counts (u128 each) follow. Numbers are little-endian.
    pub(super) fn content_digest(&self) -> u128 {
        let spec = self.rule.spec();
        let mut hash = Xxh3::new();
        hash.update(&(spec.len() as u32).to_le_bytes());
        hash.update(spec.as_bytes());
        hash.update(&self.rule.digest_bits().to_le_bytes());
        hash.update(&self.bits.to_le_bytes());
        for number in [self.limit as u64, self.documents, self.entries.len() as u64] {
            hash.update(&number.to_le_bytes());
        }
        self.entries
            .iter()
            .for_each(|(prefix, _)| hash.update(&prefix.to_le_bytes()));
        self.entries
            .iter()
            .for_each(|(_, count)| hash.update(&count.to_le_bytes()));
        if let Some(neighbours) = &self.neighbours {
            hash.update(&neighbours.bits().to_le_bytes());
            hash.update(&(neighbours.entries().len() as u64).to_le_bytes());
            neighbours
                .entries()
                .iter()
                .for_each(|entry| hash.update(&entry.to_le_bytes()));
        }
        hash.digest128()
    }
}
