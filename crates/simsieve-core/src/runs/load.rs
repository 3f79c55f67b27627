//! From a saved run to documents.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use super::{DIGEST_BYTES, HEAD_BYTES, MAGIC, VERSION};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::dedup::candidates::{Edge, Rows};
use crate::dedup::documents::{Columns, Documents, Labels};
use crate::dedup::recipe::Recipe;
use crate::encode::scheme::Scheme;
use crate::runs::rethreshold::SavedPairs;
use crate::source::{FAILURE_CODES, Failure, Fields, Format, SourceStamp, Stamp, Store, unreadable};

/// A saved run, checked to be whole; the columns are still to be read.
#[derive(Debug)]
pub struct SavedRun {
    path: PathBuf,
    file: Arc<File>,
    header: Value,
    sources: Vec<SourceStamp>,
}

type Sections = zstd::stream::read::Decoder<'static, BufReader<Span>>;

/// A span of a file, read at a place of its own: several may read one file at a time.
struct Span {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Read for Span {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = (self.end - self.at).min(buffer.len() as u64) as usize;
        let read = self.file.read_at(&mut buffer[..wanted], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl SavedRun {
    /// Opens a saved run and reads it through once, to see that it is whole.
    ///
    /// # Errors
    /// [`Error::Source`] where it is no saved run, one of another version, cut off or damaged.
    pub fn open(path: &Path, ctx: &Context<'_>) -> Result<Self> {
        let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
        check(path, &mut file, ctx)?;
        let mut run = Self {
            path: path.to_path_buf(),
            file: Arc::new(file),
            header: Value::Null,
            sources: Vec::new(),
        };
        let (_, header) = run.sections()?;
        run.header = header;
        run.sources = run.header["sources"]
            .as_array()
            .and_then(|sources| sources.iter().map(source).collect())
            .ok_or_else(|| run.wrong("its list of sources"))?;
        Ok(run)
    }

    /// What the caller gave to [`super::save`].
    pub fn settings(&self) -> &str {
        self.header["settings"].as_str().unwrap_or_default()
    }

    /// The sources of the run, in order, the new ones first: by the names they had where these still lead to them, and
    /// else from the root.
    pub fn sources(&self) -> &[SourceStamp] {
        &self.sources
    }

    /// How many pairs were saved with it, where they were.
    pub fn pairs(&self) -> Option<u64> {
        self.header["pairs"].as_u64()
    }

    /// The documents of the run over its sources, which are open, and its pairs where they were saved.
    ///
    /// # Errors
    /// [`Error::Source`] where a source is not what it was; [`Error::Config`] where the scheme, or this version's recipe,
    /// is another.
    pub fn documents(&self, store: Arc<Store>, scheme: &Scheme) -> Result<(Documents, Option<SavedPairs>)> {
        self.check_sources(&store)?;
        let recipe = self.recipe(scheme)?;
        let (mut sections, _) = self.sections()?;
        let n = store.len();
        let mut next = |what, width| self.section(&mut sections, what, width);
        let fingerprints = numbers(&next("fingerprints", n * 8 * scheme.words())?, u64::from_le_bytes);
        let valid = next("valid", n)?.into_iter().map(|byte| byte != 0).collect();
        let sketches = next("sketches", n * recipe.sketch_bytes)?;
        let digests = numbers(&next("digests", n * 16)?, u128::from_le_bytes);
        let sizes = numbers(&next("sizes", n * 4)?, u32::from_le_bytes);
        let order: Vec<u32> = numbers(&next("order", ANY)?, u32::from_le_bytes);
        let bytes = next("labels", ANY)?;
        let ends: Vec<usize> = numbers(&next("ends", n * 8)?, |end| u64::from_le_bytes(end) as usize);
        let copies: Vec<u32> = numbers(&next("copies", order.len() * 4)?, u32::from_le_bytes);
        let failures = self.failures(&next("failures", ANY)?)?;
        let labels_fit = ends.is_sorted() && ends.last().copied().unwrap_or(0) == bytes.len();
        if !labels_fit || !order_fits(&store, &order, &failures) || !copies_fit(&copies, &order, &digests) {
            return Err(self.wrong("its columns"));
        }
        let pairs = match self.pairs() {
            None => None,
            Some(count) => {
                let bytes = count.checked_mul(4).and_then(|bytes| usize::try_from(bytes).ok());
                let bytes = bytes.ok_or_else(|| self.wrong("the number of its pairs"))?;
                let later = numbers(&next("later", bytes)?, u32::from_le_bytes);
                let earlier = numbers(&next("earlier", bytes)?, u32::from_le_bytes);
                let distance = numbers(&next("distance", bytes)?, u32::from_le_bytes);
                let similarities = numbers(&next("similarity", ANY)?, f64::from_le_bytes);
                let edge = |((later, earlier), distance)| Edge {
                    later,
                    distance,
                    earlier,
                };
                let edges = later.into_iter().zip(earlier).zip(distance).map(edge).collect();
                Some(SavedPairs { edges, similarities })
            }
        };
        let columns = Columns {
            store,
            scheme: scheme.clone(),
            fingerprints,
            valid,
            sketches,
            digests,
            sizes,
            order,
            failures,
            labels: Labels { bytes, ends },
            fields: Fields {
                text: self.texts("text_field")?,
                id: self.text("id_field")?,
                values: Vec::new(),
                takes: scheme.takes(),
            },
            copies: OnceLock::from(copies),
        };
        let documents = Documents::of(recipe, columns);
        if let Some(pairs) = &pairs {
            self.check_pairs(&documents, pairs)?;
        }
        Ok((documents, pairs))
    }

    fn recipe(&self, scheme: &Scheme) -> Result<Recipe> {
        let (saved, here) = (self.text("scheme_digest")?, scheme.digest());
        if saved != here {
            return Err(Error::Config(format!(
                "{}: its fingerprints are of scheme {} (digest {saved}), and this scheme is {} (digest {here}); run on the \
                 sources again",
                self.path.display(),
                self.text("scheme")?,
                scheme.spec()
            )));
        }
        let saved = Recipe::from_json(&self.text("recipe")?).map_err(|_| self.wrong("its recipe"))?;
        let records = 1 << saved.log2_n.min(63);
        let recipe = Recipe::new(scheme, saved.threshold, saved.recall, saved.seed, records)?;
        if saved != recipe {
            return Err(Error::Config(format!(
                "{}: was saved by a version of simsieve that searches otherwise (recipe digest {}, here {}); run on the \
                 sources again",
                self.path.display(),
                saved.digest(),
                recipe.digest()
            )));
        }
        Ok(recipe)
    }

    fn check_sources(&self, store: &Store) -> Result<()> {
        let now = store.stamps()?;
        for (was, now) in self.sources.iter().zip(&now) {
            if was.stamp != now.stamp || was.records != now.records {
                return Err(Error::Source {
                    path: was.path.clone(),
                    message: format!(
                        "changed since {} was saved ({} bytes and {} records then, {} and {} now); run on the sources again",
                        self.path.display(),
                        was.stamp.size,
                        was.records,
                        now.stamp.size,
                        now.records
                    ),
                });
            }
        }
        if self.sources.len() == now.len() && self.sources.iter().zip(&now).all(|(was, now)| was.old == now.old) {
            return Ok(());
        }
        Err(Error::Config(format!(
            "{} was made of {} sources, and {} are given",
            self.path.display(),
            self.sources.len(),
            now.len()
        )))
    }

    fn check_pairs(&self, documents: &Documents, pairs: &SavedPairs) -> Result<()> {
        let rows = Rows::of(documents, documents.copies(&Context::silent(1))?).len() as u32;
        let by_similarity = documents.recipe.threshold.by_similarity();
        let measured = if by_similarity { pairs.edges.len() } else { 0 };
        let fit = |edge: &Edge| edge.earlier < edge.later && edge.later < rows;
        if pairs.similarities.len() == measured && pairs.edges.is_sorted() && pairs.edges.iter().all(fit) {
            return Ok(());
        }
        Err(self.wrong("its pairs"))
    }

    fn failures(&self, bytes: &[u8]) -> Result<Vec<(usize, Failure)>> {
        let rows: Vec<(usize, String, String)> =
            serde_json::from_slice(bytes).map_err(|_| self.wrong("its failures"))?;
        let failure = |(position, code, message): (usize, String, String)| {
            let known = FAILURE_CODES.iter().find(|(known, _)| *known == code);
            let (code, _) = known.ok_or_else(|| self.wrong(&format!("the failure {code:?}")))?;
            Ok((position, Failure::new(code, message)))
        };
        rows.into_iter().map(failure).collect()
    }

    /// The sections behind the header, and the header.
    fn sections(&self) -> Result<(Sections, Value)> {
        let unread = |error: io::Error| unreadable(&self.path, &error);
        let bytes = self.file.metadata().map_err(unread)?.len();
        let frame = Span {
            file: Arc::clone(&self.file),
            at: HEAD_BYTES,
            end: bytes.saturating_sub(DIGEST_BYTES).max(HEAD_BYTES),
        };
        let mut sections = zstd::stream::read::Decoder::new(frame).map_err(unread)?;
        let header = self.section(&mut sections, "header", ANY)?;
        let header = serde_json::from_slice(&header).map_err(|_| self.wrong("its header"))?;
        Ok((sections, header))
    }

    /// The next section, of `expected` bytes.
    fn section(&self, sections: &mut Sections, what: &str, expected: usize) -> Result<Vec<u8>> {
        let damaged = |_| self.wrong(what);
        let mut length = [0; 8];
        sections.read_exact(&mut length).map_err(damaged)?;
        let length = u64::from_le_bytes(length);
        let mut bytes = Vec::new();
        // A number of pairs beyond all memory is no reason to end the program.
        if expected != ANY && (length != expected as u64 || bytes.try_reserve_exact(expected).is_err()) {
            return Err(self.wrong(what));
        }
        // Grows with what there is, not with what the length promises.
        sections.take(length).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 != length {
            return Err(self.wrong(what));
        }
        Ok(bytes)
    }

    fn text(&self, name: &str) -> Result<String> {
        let text = self.header[name].as_str();
        text.map(str::to_owned).ok_or_else(|| self.wrong(name))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>> {
        let list = self.header[name].as_array();
        let texts = list.and_then(|list| list.iter().map(|text| text.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| self.wrong(name))
    }

    fn wrong(&self, what: &str) -> Error {
        Error::Source {
            path: self.path.clone(),
            message: format!("is a saved run, but {what} cannot be read; save the run again"),
        }
    }
}

/// Said of a section whose length is not known beforehand.
const ANY: usize = usize::MAX;

fn numbers<T, const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&bytes| number(bytes)).collect()
}

/// Whether every record of the store stands in the order or failed, once, the old ones first.
fn order_fits(store: &Store, order: &[u32], failures: &[(usize, Failure)]) -> bool {
    let is_old = |position: &&u32| **position as usize >= store.new_len();
    let mut told = vec![false; store.len()];
    let failed = failures.iter().map(|(position, _)| *position);
    let mut positions = order.iter().map(|&position| position as usize).chain(failed);
    order.len() + failures.len() == told.len()
        && positions.all(|position| {
            told.get_mut(position)
                .is_some_and(|told| !std::mem::replace(told, true))
        })
        && failures.is_sorted_by_key(|(position, _)| *position)
        && !order.iter().skip_while(is_old).any(|position| is_old(&position))
}

/// Whether each place has a first copy that is its own first and has its digest.
fn copies_fit(copies: &[u32], order: &[u32], digests: &[u128]) -> bool {
    let digest = |place: usize| digests[order[place] as usize];
    let fits = |(place, &first): (usize, &u32)| {
        let first = first as usize;
        first <= place && copies[first] as usize == first && digest(first) == digest(place)
    };
    copies.iter().enumerate().all(fits)
}

fn source(value: &Value) -> Option<SourceStamp> {
    let (name, path) = (Path::new(value["name"].as_str()?), Path::new(value["path"].as_str()?));
    // From another folder the name leads elsewhere.
    let same = std::path::absolute(name).is_ok_and(|absolute| absolute == path);
    Some(SourceStamp {
        path: if same { name.into() } else { path.into() },
        format: value["format"].as_str()?.parse::<Format>().ok()?,
        stamp: Stamp {
            size: value["size"].as_u64()?,
            modified: value["modified"].as_i64()?,
        },
        records: value["records"].as_u64()?,
        old: value["old"].as_bool()?,
    })
}

/// Makes sure that a file is a saved run of this version, whole.
fn check(path: &Path, file: &mut File, ctx: &Context<'_>) -> Result<()> {
    let unread = |error: io::Error| unreadable(path, &error);
    let wrong = |message: &str| {
        Err(Error::Source {
            path: path.to_path_buf(),
            message: message.to_owned(),
        })
    };
    let metadata = file.metadata().map_err(unread)?;
    if !metadata.is_file() {
        return wrong("is no file; name one that --save-run wrote");
    }
    let mut head = [0; HEAD_BYTES as usize];
    let known = metadata.len() >= HEAD_BYTES + DIGEST_BYTES && file.read_exact(&mut head).is_ok();
    if !known || head[..8] != *MAGIC {
        return wrong("is no saved run; name a file that --save-run wrote");
    }
    let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    if version != VERSION {
        return wrong(&format!(
            "is a saved run of version {version}, and this simsieve reads version {VERSION}; run on the sources again"
        ));
    }
    let mut hash = Xxh3::new();
    hash.update(&head);
    let total = metadata.len() - DIGEST_BYTES;
    let mut done = HEAD_BYTES;
    let mut buffer = vec![0; 1 << 20];
    while done < total {
        ctx.tick("check", done, total)?;
        let wanted = (total - done).min(buffer.len() as u64) as usize;
        file.read_exact(&mut buffer[..wanted]).map_err(unread)?;
        hash.update(&buffer[..wanted]);
        done += wanted as u64;
    }
    let mut digest = [0; DIGEST_BYTES as usize];
    file.read_exact(&mut digest).map_err(unread)?;
    if u128::from_le_bytes(digest) != hash.digest128() {
        return wrong("is a saved run that is cut off or damaged; save the run again");
    }
    Ok(())
}
