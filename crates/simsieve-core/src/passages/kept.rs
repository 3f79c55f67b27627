//! The anchors of a collection in a file, so that it is not read through again for each document that is held against it.
//!
//! In: a collection. Out: an [artifact](crate::storage::artifact) of kind `anchors`, 9 bytes an anchor. The texts stay in their sources,
//! whose identities are kept and compared.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::gather::{Reading, Side, hash, position};
use super::options::Options;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::columns::{FAILURES, LABEL_ENDS, LABELS};
use crate::collection::ingest::pieces::{Failures, failure_lines, read_failures, read_labels};
use crate::collection::labels::Labels;
use crate::source::Sources;
use crate::storage::artifact::{Artifact, ArtifactKind};
use crate::storage::column::Column;
use crate::storage::form::{ColumnSink, Stored, stage};
use crate::storage::packed::Packer;
use crate::storage::run_dir::SortedRuns;
use crate::text::anchors::Windows;

stage! {
    /// The anchors in order of their hashes, and the records that they are of.
    GATHER: () = "anchors" after [] {
        /// For each value of the highest bits of a hash, where its anchors begin; at the end the number of all.
        STARTS: u64 = "starts",
        /// The next 32 bits of each hash.
        HASHES: u32 = "hashes",
        /// The letter of each among those of all records, its lower half.
        PLACES: u32 = "places",
        /// The byte above, so that there may be 2^40 letters.
        HIGH_PLACES: u8 = "high_places",
        /// How many letters precede each record; at the end the number of all.
        FIRSTS: u64 = "firsts",
        /// Code points of each text.
        LENGTHS: u32 = "lengths",
        /// What its letters have in common with equal ones.
        SIGNATURES: u64 = "signatures",
    }
}

const KIND: ArtifactKind = ArtifactKind {
    name: "anchors",
    version: 2,
    oldest: 2,
    has_pieces: false,
    noun: "file of anchors",
    instead: "name a file of anchors, or one that is not there yet",
    renew: "remove it, and it is made again",
    repair: "remove it, and it is made again",
};

/// What anchors were made of.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct About {
    sources: Vec<Value>,
    scheme: String,
    text_field: Vec<String>,
    id_field: String,
    letters: u32,
}

impl About {
    fn of(sources: &Sources, options: &Options) -> Self {
        let each = sources
            .iter()
            .map(|source| json!([source.identity(), source.spans().len()]));
        Self {
            sources: each.collect(),
            scheme: options.scheme.digest(),
            text_field: options.text_field.clone(),
            id_field: options.id_field.clone(),
            letters: Windows::of_bytes(sources.bytes_read()).letters(),
        }
    }
}

/// The anchors of a collection, in a file.
#[derive(Debug)]
pub struct Anchors {
    starts: Column<u64>,
    hashes: Column<u32>,
    places: Column<u32>,
    high_places: Column<u8>,
    firsts: Column<u64>,
    lengths: Column<u32>,
    signatures: Column<u64>,
    labels: Labels,
    failures: Failures,
    windows: Windows,
}

impl Anchors {
    /// Opens a file of anchors and reads it through once. `None` where there is none, or it was made of other records or otherwise.
    ///
    /// # Errors
    /// [`Error::Source`](crate::base::error::Error::Source) where the file is another one, or is damaged.
    pub fn open(path: &Path, sources: &Sources, options: &Options, ctx: &Context<'_>) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let file = Artifact::open(path, &KIND, &mut |done, total| ctx.tick("check", done, total))?;
        let about = About::deserialize(&file.header()["about"]).map_err(|_| file.damaged("about"))?;
        if about != About::of(sources, options) {
            return Ok(None);
        }
        let n = sources.len();
        let anchors = Self {
            starts: file.read(STARTS)?,
            hashes: file.read(HASHES)?,
            places: file.read(PLACES)?,
            high_places: file.read(HIGH_PLACES)?,
            firsts: file.fitting(FIRSTS, |all| all.len() == n + 1 && all[0] == 0 && all.is_sorted())?,
            lengths: file.fitting(LENGTHS, |all| all.len() == n)?,
            signatures: file.fitting(SIGNATURES, |all| all.len() == n)?,
            labels: read_labels(&file, n)?,
            failures: read_failures(&file, n)?,
            windows: Windows::of_letters(about.letters),
        };
        let count = anchors.hashes.len();
        file.check(HIGH_PLACES, || anchors.high_places.len() == count)?;
        let all = anchors.firsts[n];
        file.check(PLACES, || {
            anchors.places.len() == count && (0..count).all(|at| anchors.letter(at) < all)
        })?;
        file.check(STARTS, || {
            let starts = &anchors.starts;
            starts.len() > 1
                && (starts.len() - 1).is_power_of_two()
                && starts.is_sorted()
                && starts.last() == Some(&(count as u64))
        })?;
        Ok(Some(anchors))
    }

    /// Reads a collection and writes its anchors to a file, which appears complete or not at all.
    ///
    /// # Errors
    /// Those of [`super::find`]; [`Error::Sink`](crate::base::error::Error::Sink) where the file cannot be written.
    pub fn make(path: &Path, sources: &Arc<Sources>, options: &Options, ctx: &Context<'_>) -> Result<Self> {
        let about = About::of(sources, options);
        let fields = options.fields();
        let reading = Reading {
            sources,
            fields: &fields,
            scheme: &options.scheme,
            windows: Windows::of_letters(about.letters),
            whole: true,
            signed: 0,
            ctx,
        };
        let mut anchors = SortedRuns::new(options.place("anchors"), 0);
        let side = reading.side(0..sources.len(), None, &mut anchors, None, None)?;
        let anchors = anchors.finish_mapped(ctx.pool()?)?;
        let mut out = Packer::create(path, &KIND, ctx)?;
        let bits = (anchors.len().max(1).ilog2().saturating_sub(4)).clamp(16, 24);
        let mut at = 0;
        let starts = (0..=1_u64 << bits).map(|bucket| {
            at += anchors[at..].partition_point(|&anchor| hash(anchor) >> (64 - bits) < bucket);
            at as u64
        });
        out.put(STARTS, &starts.collect::<Vec<_>>())?;
        out.fill(HASHES, |push| {
            each_piece(&anchors, |anchor| (hash(anchor) << bits >> 32) as u32, push)
        })?;
        let firsts = firsts(&anchors, sources.len());
        let letter = |anchor: u128| firsts[position(anchor) as usize] + u64::from(anchor as u32);
        out.fill(PLACES, |push| {
            each_piece(&anchors, |anchor| letter(anchor) as u32, push)
        })?;
        out.fill(HIGH_PLACES, |push| {
            each_piece(&anchors, |anchor| (letter(anchor) >> 32) as u8, push)
        })?;
        out.put(FIRSTS, &firsts)?;
        out.put(LENGTHS, &side.lengths)?;
        out.put(SIGNATURES, &side.signatures)?;
        out.put(LABELS, &side.labels.bytes)?;
        out.put(LABEL_ENDS, &side.labels.ends)?;
        out.put(FAILURES, &failure_lines(&side.failures))?;
        out.finish(GATHER, &());
        out.commit(&about)?;
        Self::open(path, sources, options, ctx)?.ok_or_else(|| Error::Source {
            path: path.to_path_buf(),
            message: msg!("another program has written it meanwhile; run again"),
        })
    }

    /// The windows that the anchors are.
    pub(super) const fn windows(&self) -> Windows {
        self.windows
    }

    /// The letter of an anchor among those of all records.
    fn letter(&self, at: usize) -> u64 {
        u64::from(self.high_places[at]) << 32 | u64::from(self.places[at])
    }

    /// The place of an anchor: the position of the record above, the letter below.
    pub(super) fn place(&self, at: usize) -> u64 {
        let letter = self.letter(at);
        let position = self.firsts.partition_point(|&first| first <= letter) - 1;
        (position as u64) << 32 | (letter - self.firsts[position])
    }

    /// Which anchors have a hash, in the order of their places.
    pub(super) fn of_hash(&self, hash: u64) -> Range<usize> {
        let bits = (self.starts.len() - 1).ilog2();
        let bucket = (hash >> (64 - bits)) as usize;
        let (start, end) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
        let (low, hashes) = ((hash << bits >> 32) as u32, &self.hashes[start..end]);
        let first = hashes.partition_point(|&other| other < low);
        let count = hashes[first..].partition_point(|&other| other == low);
        start + first..start + first + count
    }

    /// The records, after `new` new ones.
    pub(super) fn side(&self, new: usize) -> Side {
        let mut labels = Labels::default();
        labels.append(&self.labels);
        let failures = self
            .failures
            .iter()
            .map(|(position, failure)| (new + position, failure.clone()));
        Side {
            labels,
            lengths: self.lengths.to_vec(),
            failures: failures.collect(),
            signatures: self.signatures.to_vec(),
        }
    }
}

/// How many letters precede each of some records, as far as they have anchors; and the number of all.
fn firsts(anchors: &[u128], records: usize) -> Vec<u64> {
    let mut firsts = vec![0; records + 1];
    for &anchor in anchors {
        let letters = &mut firsts[position(anchor) as usize + 1];
        *letters = u64::from(anchor as u32 + 1).max(*letters);
    }
    for at in 1..firsts.len() {
        firsts[at] += firsts[at - 1];
    }
    firsts
}

/// Hands over a value of each anchor, some at a time.
fn each_piece<T>(anchors: &[u128], value: impl Fn(u128) -> T, push: &mut dyn FnMut(&[T]) -> Result<()>) -> Result<()> {
    for some in anchors.chunks(1 << 16) {
        push(&some.iter().map(|&anchor| value(anchor)).collect::<Vec<_>>())?;
    }
    Ok(())
}
