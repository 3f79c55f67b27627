//! From texts to rows, on the machine of a partition of digests: copies of one text are together.

use std::sync::Arc;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::xxh3_128;
use crate::base::kernel::Kernel;
use crate::base::message::Message;
use crate::collection::ingest::group_of;
use crate::distributed::besides::{RecordValues, RowValues};
use crate::distributed::pieces::{PieceWriter, encoder, table_keys};
use crate::distributed::search::Search;
use crate::distributed::texts::TextColumn;
use crate::encode::encoder::{EncodedBatch, Encoder, SearchOptions, WorkerScratch};
use crate::encode::paths::FAMILY;
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
use crate::text::{Compact, Normaliser};

/// Why a text fails, by its number: code and message.
pub type Failures = Vec<(usize, &'static str, Message)>;

/// What copies of one text share.
#[derive(Debug, Default)]
pub struct Digests {
    /// The digest of the exact form of each text, and of all that is compared besides; 0 of a text that fails or is missing.
    pub digests: Vec<u128>,
    /// The same of the first scheme, without facts and dates: it is equal where the texts are.
    pub marks: Vec<u128>,
    /// The same under all schemes.
    pub wholes: Vec<u128>,
    /// The group of each text is 0 where nothing must be equal.
    pub values: RowValues,
    /// Texts that the scheme cannot use.
    pub failures: Failures,
}

/// The digests of some texts under schemes that must agree, and what their rows carry.
///
/// # Errors
/// As [`TextColumn::get`].
pub fn digests(
    (scheme, also): (&Scheme, &[&Scheme]),
    texts: TextColumn<'_>,
    besides: &RecordValues<'_>,
) -> Result<Digests> {
    let count = texts.len();
    let (mut found, mut scratch) = (Digests::default(), Scratch::default());
    (found.digests, found.marks, found.wholes) = (vec![0; count], vec![0; count], vec![0; count]);
    found.values.groups = vec![0; count];
    let (exact, mut normalised) = (Normaliser::new(true), Compact::default());
    for at in 0..count {
        let date = besides.read(at, &mut found.values)?;
        let Some(text) = texts.get(at)? else { continue };
        if let Err(message) = date {
            found.failures.push((at, "bad_date", message));
            continue;
        }
        let fields = besides.equal.map(|fields| fields.get(at)).transpose()?.flatten();
        let fields = fields.map_or(0, |fields| xxh3_128(fields.as_bytes()));
        let mut digest = |scheme: &Scheme| {
            scheme.normalise(text, &mut scratch)?;
            Ok::<_, UnusableText>(xxh3_128(scratch.text.exact()))
        };
        let made = digest(scheme).and_then(|mark| {
            let whole = also.iter().try_fold(mark, |whole, scheme| {
                Ok(xxh3_128([whole, digest(scheme)?].map(u128::to_le_bytes).as_flattened()))
            });
            let group = group_of(fields, &besides.same, scheme, text, (&exact, &mut normalised));
            Ok((mark, whole?, group?))
        });
        match made {
            Ok((mark, whole, group)) => {
                found.values.groups[at] = group as u64;
                (found.marks[at], found.wholes[at]) = (mark ^ group, whole ^ group);
                found.digests[at] = found.wholes[at] ^ besides.digest(&found.values);
            }
            Err(unusable) => found.failures.push((at, unusable.code(), unusable.message().clone())),
        }
    }
    Ok(found)
}

/// What some rows became.
#[derive(Debug, Default)]
pub struct EncodedRows {
    /// The position of the first copy of each row: its own where it is the first.
    pub first: Vec<i64>,
    /// A row for each text; zeros of a copy, of a text that failed, and of one without features.
    pub batch: EncodedBatch,
    /// Texts that the scheme cannot use.
    pub failures: Failures,
}

/// Encodes rows in order of their digests; copies of one text are in keep order. Digests may go on from one call to the next.
#[derive(Debug)]
pub struct EncodePass {
    search: Arc<Search>,
    digest: Option<u128>,
    /// The different texts with features of the digest at hand, which are all but always one.
    firsts: Vec<First>,
    scratch: WorkerScratch,
    spare: Scratch,
    /// For the other schemes.
    others: WorkerScratch,
    pieces: PieceWriter,
}

#[derive(Debug)]
struct First {
    position: i64,
    text: String,
    /// Its exact forms, once a text in another writing has its digest.
    exact: Option<ExactForms>,
}

/// The exact form of a text under each scheme; `None` where one cannot use it.
type ExactForms = Option<Vec<Vec<u8>>>;

fn exact_forms(search: &Search, text: &str, scratch: &mut Scratch) -> ExactForms {
    let each = search.schemes().map(|scheme| {
        scheme.normalise(text, scratch).ok()?;
        Some(scratch.text.exact().to_vec())
    });
    each.collect()
}

impl EncodePass {
    /// A pass whose keys are for `2^log2` partitions.
    pub fn new(search: Arc<Search>, log2: u32) -> Self {
        let pieces = PieceWriter::new(&search, log2);
        Self {
            search,
            digest: None,
            firsts: Vec::new(),
            scratch: WorkerScratch::default(),
            spare: Scratch::default(),
            others: WorkerScratch::default(),
            pieces,
        }
    }

    /// Encodes further rows of these groups. A text that is missing has failed before.
    ///
    /// # Errors
    /// As [`TextColumn::get`], or an interrupt.
    ///
    /// # Panics
    /// Where the columns are of different lengths.
    pub fn push(
        &mut self,
        digests: &[u128],
        groups: &[u64],
        positions: &[i64],
        texts: TextColumn<'_>,
        ctx: &Context<'_>,
    ) -> Result<EncodedRows> {
        assert_eq!(
            [digests.len(), groups.len(), positions.len()],
            [texts.len(); 3],
            "columns of one length"
        );
        let mut rows = EncodedRows {
            first: positions.to_vec(),
            ..EncodedRows::default()
        };
        for (at, (&digest, &position)) in digests.iter().zip(positions).enumerate() {
            if at.is_multiple_of(1024) {
                ctx.tick("encode", at as u64, texts.len() as u64)?;
            }
            if self.digest != Some(digest) {
                self.digest = Some(digest);
                self.firsts.clear();
            }
            let text = texts.get(at)?;
            match text.and_then(|text| self.first_of(text)) {
                Some(first) => {
                    rows.first[at] = first;
                    encoder(&self.search, ctx.kernel()).encode_failed(at, &mut rows.batch);
                }
                None => self.encode((at, position, groups[at]), text, &mut rows, ctx.kernel()),
            }
        }
        Ok(rows)
    }

    /// The position of the text that this one is a copy of.
    fn first_of(&mut self, text: &str) -> Option<i64> {
        if let Some(first) = self.firsts.iter().find(|first| first.text == text) {
            return Some(first.position);
        }
        if self.firsts.is_empty() {
            return None;
        }
        // Texts that differ under one digest are all but impossible.
        let own = exact_forms(&self.search, text, &mut self.spare)?;
        for first in &mut self.firsts {
            let exact = &mut first.exact;
            let exact = exact.get_or_insert_with(|| exact_forms(&self.search, &first.text, &mut self.spare));
            if exact.as_ref() == Some(&own) {
                return Some(first.position);
            }
        }
        None
    }

    /// Whether a text has a fingerprint under the other schemes, where it must have one.
    fn agrees(&mut self, text: &str, kernel: Kernel) -> std::result::Result<bool, UnusableText> {
        let mut all = true;
        for (scheme, _) in &self.search.also {
            let encoder = Encoder::new(scheme, SearchOptions::default(), kernel);
            let has_one = encoder.fingerprint(text, &mut self.others, &mut vec![0; scheme.words()])?;
            all &= has_one || scheme.is_optional();
        }
        Ok(all)
    }

    fn encode(
        &mut self,
        (at, position, group): (usize, i64, u64),
        text: Option<&str>,
        rows: &mut EncodedRows,
        kernel: Kernel,
    ) {
        let search = Arc::clone(&self.search);
        let (encoder, batch) = (encoder(&search, kernel), &mut rows.batch);
        let done = text.map(|text| -> std::result::Result<(), UnusableText> {
            encoder.encode(text, &mut self.scratch, batch)?;
            batch.valid[at] &= self.agrees(text, kernel)?;
            Ok(())
        });
        let Some(Ok(())) = done else {
            encoder.encode_failed(at, batch);
            if let Some(Err(unusable)) = done {
                rows.failures.push((at, unusable.code(), unusable.message().clone()));
            }
            return;
        };
        let mut keys = std::mem::take(&mut batch.keys);
        if let Some(text) = text.filter(|_| batch.valid[at]) {
            let words = search.scheme.words();
            table_keys(&search, &batch.fingerprints[at * words..][..words], &mut keys);
            // Texts of different groups share no bucket.
            for key in &mut keys {
                *key ^= group & !FAMILY;
            }
            self.pieces.add(position, batch, at, &keys);
            // A text without features is nobody's copy.
            self.firsts.push(First {
                position,
                text: text.to_owned(),
                exact: None,
            });
        }
        keys.clear();
        batch.keys = keys;
        if let Some(count) = batch.key_counts.last_mut() {
            *count = 0;
        }
    }

    /// Bytes of the pieces that were not taken yet.
    pub const fn gathered_bytes(&self) -> usize {
        self.pieces.bytes()
    }

    /// Takes the pieces of keys, each with its partition.
    pub fn take_pieces(&mut self) -> Vec<(u32, Vec<u8>)> {
        self.pieces.take()
    }
}
