//! One state of an index: what its newest manifest names, open for reading.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::manifest::{self, Manifest, Named};
use super::segment::{Content, Opening, Place, Row, Segment};
use super::texts::{Dictionary, TextReader};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_64;
use crate::base::kernel::Kernel;
use crate::collection::combine::Combine;
use crate::encode::encoder::{Encoder, SearchOptions};
use crate::encode::paths::Paths;
use crate::encode::scheme::Scheme;
use crate::recipe::search_keys::each_equal;
use crate::recipe::{BRUTE_BELOW, Recipe};
use crate::search::documents::searched;
use crate::search::feature_bits::most_bits_of_both;
use crate::search::sample::frozen;
use crate::storage::artifact::{Artifact, ArtifactKind, Held};
use crate::storage::form::{ColumnName, ColumnSink, Stored};
use crate::storage::packed::Packer;

/// The file of a frozen set: the paths of each scheme, and the dictionary of the texts.
const FROZEN: ArtifactKind = ArtifactKind {
    name: "frozen",
    version: 8,
    oldest: 8,
    has_pieces: false,
    noun: "frozen set of an index",
    instead: "name the directory of an index",
    renew: "make the index anew of its sources",
    repair: "restore the index from a snapshot, or make it anew of its sources",
};
const DICTIONARY: ColumnName<u8> = ColumnName::new("dictionary");

/// Writes a frozen set as that of a manifest.
pub(crate) fn write_frozen(
    folder: &Path,
    manifest: &mut Manifest,
    paths: &[Option<Arc<Paths>>],
    dictionary: &[u8],
    ctx: &Context<'_>,
) -> Result<()> {
    let name = manifest.name(manifest::FROZEN, manifest.epoch);
    let path = folder.join(&name);
    let mut out = Packer::create(&path, &FROZEN, ctx)?;
    let states = frozen::put(&mut out, paths)?;
    out.put(DICTIONARY, dictionary)?;
    out.finish(frozen::FREEZE, &states);
    manifest.frozen = Named::new(name, out.commit(&serde_json::json!({}))?);
    Ok(())
}

/// Refreeze if the number of documents has grown by this factor.
const GROWTH: u64 = 16;

/// Refreeze if the largest bucket exceeds this size and has grown by the factor below.
const CROWD: usize = 1024;
const CROWD_GROWTH: usize = 4;

/// An open index at one moment. It does not change; files that it has open stay readable when their names are gone.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) manifest: Manifest,
    pub(crate) schemes: Vec<Scheme>,
    pub(crate) recipes: Vec<Recipe>,
    /// What [`State::most_bits_of_both`] gives of each scheme, once it is asked for.
    bits_of_both: Vec<OnceLock<u32>>,
    pub(crate) rule: Combine,
    pub(crate) paths: Vec<Option<Arc<Paths>>>,
    /// The digests of these paths.
    pub(crate) frozen_digests: Vec<Option<String>>,
    pub(crate) dictionary: Arc<Dictionary>,
    /// The file of the frozen set.
    held: Option<Arc<Held>>,
    pub(crate) segments: Vec<Arc<Segment>>,
    /// The rows of each segment that were removed.
    pub(crate) gone: Vec<Arc<HashSet<Row>>>,
}

impl State {
    /// Opens what a manifest names. Segments that `before` has open are taken over.
    pub(crate) fn open(
        folder: &Path,
        manifest: Manifest,
        schemes: Vec<Scheme>,
        before: Option<&Self>,
        whole: bool,
        ctx: &Context<'_>,
    ) -> Result<Self> {
        let digests: Vec<String> = schemes.iter().map(Scheme::digest).collect();
        if digests != manifest.schemes {
            return Err(Error::Digest {
                message: msg!(
                    "{folder}: the index was made with scheme {was}, and the program or a model has made {now} of its \
                     settings; open it with the version that made it, or make it anew",
                    folder = folder.display(),
                    was = manifest.schemes.join(", "),
                    now = digests.join(", ")
                ),
                digests: [manifest.schemes.join(", "), digests.join(", ")],
            });
        }
        let recipes = manifest.recipes.iter().map(|text| Recipe::from_json(text));
        let recipes: Vec<Recipe> = recipes.collect::<Result<_>>()?;
        let rule = Combine::parse(&manifest.combine)?;
        let same_epoch = before.filter(|before| before.manifest.frozen == manifest.frozen && !whole);
        let (paths, frozen_digests, dictionary, held) = if let Some(before) = same_epoch {
            let Self {
                paths,
                frozen_digests,
                dictionary,
                held,
                ..
            } = before;
            let dictionary = Arc::clone(dictionary);
            (paths.clone(), frozen_digests.clone(), dictionary, held.clone())
        } else {
            let path = folder.join(&manifest.frozen.name);
            let of = Artifact::open(&path, &FROZEN, &mut |done, total| ctx.tick("read", done, total))?;
            manifest.frozen.check(&path, of.checksum())?;
            let paths = frozen::read(&of)?.unwrap_or_default();
            let mut searched = recipes.iter().take(searched(recipes.len(), rule)).enumerate();
            let has_paths = |at: usize| paths.get(at).is_some_and(Option::is_some);
            if !searched.all(|(at, recipe)| recipe.paths.is_none() || has_paths(at)) {
                return Err(of.damaged(frozen::FREEZE));
            }
            let digests = paths
                .iter()
                .map(|paths| Some(frozen::digest_of(paths.as_deref()?)))
                .collect();
            let dictionary = Arc::new(Dictionary::new(of.read(DICTIONARY)?));
            (paths, digests, dictionary, of.held().map(Arc::new))
        };
        let bits_of_both = match same_epoch {
            Some(before) => before.bits_of_both.clone(),
            None => vec![OnceLock::new(); recipes.len()],
        };
        let mut state = Self {
            manifest,
            schemes,
            recipes,
            bits_of_both,
            rule,
            paths,
            frozen_digests,
            dictionary,
            held,
            segments: Vec::new(),
            gone: Vec::new(),
        };
        let mut segments = Vec::new();
        for file in &state.manifest.segments {
            let open = same_epoch.and_then(|before| {
                let at = before.manifest.segments.iter().position(|other| other == file)?;
                before.segments.get(at).cloned()
            });
            segments.push(if let Some(open) = open {
                open
            } else {
                let how = Opening {
                    dated: state.manifest.window().is_some(),
                    whole,
                };
                let encoders = state.encoders(ctx.kernel());
                Arc::new(Segment::open(folder, file, &encoders, how, ctx)?)
            });
        }
        state.segments = segments;
        let follows = |before: &&Self| state.manifest.follows(&before.manifest);
        state.gone = state.removed(same_epoch.filter(follows));
        state.check_read()?;
        Ok(state)
    }

    /// A state of a new epoch without segments, by which rows are encoded before its frozen set is opened.
    pub(crate) fn unwritten(
        &self,
        manifest: Manifest,
        recipes: Vec<Recipe>,
        paths: Vec<Option<Arc<Paths>>>,
        dictionary: Arc<Dictionary>,
    ) -> Self {
        Self {
            manifest,
            schemes: self.schemes.clone(),
            bits_of_both: vec![OnceLock::new(); recipes.len()],
            recipes,
            rule: self.rule,
            paths,
            frozen_digests: Vec::new(),
            dictionary,
            held: None,
            segments: Vec::new(),
            gone: Vec::new(),
        }
    }

    /// Makes sure that no file has shrunk since it was opened.
    pub(crate) fn check_files(&self) -> Result<()> {
        let mut segments = self.segments.iter().filter_map(|segment| segment.held.as_ref());
        self.check_frozen()?;
        segments.try_for_each(Held::check)
    }

    /// Makes sure that what was read of the files was whole.
    pub(crate) fn check_read(&self) -> Result<()> {
        let mut segments = self.segments.iter().filter_map(|segment| segment.held.as_ref());
        segments.try_for_each(Held::check_read)
    }

    /// Makes sure that the file of the frozen set has not shrunk: records are encoded by it before a segment is read.
    pub(crate) fn check_frozen(&self) -> Result<()> {
        self.held.iter().try_for_each(|held| held.check())
    }

    /// The rows that were removed of each segment. What the state before knew of its segments stays, and new tombstones are added.
    fn removed(&self, before: Option<&Self>) -> Vec<Arc<HashSet<Row>>> {
        let same_undone = before.filter(|before| before.manifest.undone == self.manifest.undone);
        let before_of = |segment: &Arc<Segment>| {
            let before = same_undone?;
            let at = before.segments.iter().position(|other| Arc::ptr_eq(other, segment))?;
            Some(Arc::clone(&before.gone[at]))
        };
        let of_segment = |segment: &Arc<Segment>| {
            let known = before_of(segment);
            let is_new = |of: &&Arc<Segment>| known.is_none() || before_of(of).is_none();
            let mut gone = known.clone().unwrap_or_default();
            for of in self.segments.iter().filter(is_new) {
                for number in of.tombstones_within(segment, |batch| !self.is_undone(batch)) {
                    if let Some(row) = segment.row_of(number) {
                        Arc::make_mut(&mut gone).insert(row);
                    }
                }
            }
            gone
        };
        self.segments.iter().map(of_segment).collect()
    }

    /// Whether a batch was undone.
    pub(crate) fn is_undone(&self, batch: u32) -> bool {
        self.manifest.undone.contains(&batch)
    }

    /// Whether a row is in the index.
    pub(crate) fn is_live(&self, place: Place<Row>) -> bool {
        let gone = &self.gone[place.segment as usize];
        (gone.is_empty() || !gone.contains(&place.row))
            && (self.manifest.undone.is_empty() || !self.is_undone(self.segment(place).batch(place.row)))
    }

    /// The segment of a document.
    pub(crate) fn segment<R>(&self, place: Place<R>) -> &Segment {
        &self.segments[place.segment as usize]
    }

    /// The number of a document.
    pub(crate) fn number(&self, place: Place<Row>) -> u64 {
        self.segment(place).number(place.row)
    }

    /// The encoders of the schemes: with sketches and keys of those that are searched.
    pub(crate) fn encoders(&self, kernel: Kernel) -> Vec<Encoder<'_>> {
        let searched = self.searched();
        let each = self.schemes.iter().zip(&self.recipes).enumerate();
        each.map(|(at, (scheme, recipe))| {
            let search = SearchOptions {
                sketches: at < searched && recipe.threshold.by_similarity(),
                paths: self.paths.get(at).and_then(Option::as_deref),
                ..SearchOptions::default()
            };
            Encoder::new(scheme, search, kernel)
        })
        .collect()
    }

    /// The most bits in which near documents differ under a scheme, whatever their sizes: counted weights have no such bound.
    pub(crate) fn most_bits(&self, scheme: usize) -> u32 {
        let (recipe, weights) = (&self.recipes[scheme], self.schemes[scheme].weights());
        if recipe.threshold.by_similarity() && weights.counted() {
            u32::MAX
        } else {
            recipe.max_bits
        }
    }

    /// The most bits in which both sketches of near texts that have a second one differ together under a scheme.
    pub(crate) fn most_bits_of_both(&self, scheme: usize) -> u32 {
        *self.bits_of_both[scheme].get_or_init(|| most_bits_of_both(&self.recipes[scheme]))
    }

    /// How many of the schemes are searched.
    pub(crate) fn searched(&self) -> usize {
        searched(self.schemes.len(), self.rule)
    }

    /// The rows of documents with a label that are in the index.
    pub(crate) fn with_label(&self, label: &[u8]) -> impl Iterator<Item = Place<Row>> + use<> {
        self.with_labels(&[label]).into_iter().map(|(_, place)| place)
    }

    /// The rows of documents with some labels that are in the index, each with the number of its label.
    pub(crate) fn with_labels<L: AsRef<[u8]>>(&self, labels: &[L]) -> Vec<(usize, Place<Row>)> {
        let mut found = Vec::new();
        let wanted = labels.iter().enumerate().flat_map(|(of, label)| {
            let (hash, segments) = (xxh3_64(label.as_ref()), self.segments.iter().enumerate());
            segments.map(move |(at, segment)| segment.labels.wanted(hash, (of, at)))
        });
        each_equal(wanted, |items, (of, at)| {
            let rows = self.segments[at].with_label(items, labels[of].as_ref());
            let live = rows.map(|row| Place::new(at, row)).filter(|&place| self.is_live(place));
            found.extend(live.map(|place| (of, place)));
        });
        found
    }

    /// Whether a document has this content. A dropped one has the fields of its representative; where that is gone, its fields are not
    /// known.
    pub(crate) fn is_same(&self, place: Place<Row>, content: Content) -> bool {
        let (segment, row) = (self.segment(place), place.row);
        let kept = match row {
            Row::Kept(_) => place.kept(),
            Row::Dropped(row) => self
                .live_row_of(segment.dropped.representatives.at(row as usize))
                .and_then(Place::kept),
        };
        let own = kept.and_then(|kept| self.segment(kept).group(kept.row).first().copied());
        (segment.identity(row), segment.date(row)) == (content.identity, content.date)
            && (own.is_none() || own == content.group)
    }

    /// The place of a document that is in the index.
    pub(crate) fn live_row_of(&self, number: u64) -> Option<Place<Row>> {
        let rows = self.segments.iter().enumerate();
        let mut places = rows.filter_map(|(at, segment)| Some(Place::new(at, segment.row_of(number)?)));
        places.find(|&place| self.is_live(place))
    }

    /// The kept documents that are in the index, in order.
    pub(crate) fn kept(&self) -> impl Iterator<Item = Place> + '_ {
        let of_segment = |at: usize| (0..self.segments[at].len() as u32).map(move |row| Place::new(at, row));
        let places = (0..self.segments.len()).flat_map(of_segment);
        places.filter(|&place| self.is_live(place.of_any()))
    }

    /// The number of kept and of dropped documents.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let mut counts = (0, 0);
        for (at, segment) in self.segments.iter().enumerate() {
            let (kept, dropped) = (segment.len(), segment.dropped.numbers.len());
            if self.gone[at].is_empty() && self.manifest.undone.is_empty() {
                counts = (counts.0 + kept, counts.1 + dropped);
                continue;
            }
            let live = |row: &Row| self.is_live(Place::new(at, *row));
            counts.0 += (0..kept as u32).map(Row::Kept).filter(live).count();
            counts.1 += (0..dropped as u32).map(Row::Dropped).filter(live).count();
        }
        counts
    }

    /// Kept documents from which on a new frozen set is due.
    pub(crate) fn refreeze_at(&self) -> u64 {
        let due = |recipe: &Recipe| match recipe.paths {
            _ if !recipe.threshold.by_similarity() => 0,
            None => BRUTE_BELOW,
            Some(_) => GROWTH << recipe.log2_n,
        };
        self.recipes
            .iter()
            .take(self.searched())
            .map(due)
            .filter(|&at| at > 0)
            .min()
            .unwrap_or(0)
    }

    /// Kept documents with one search key, about and at most.
    pub(crate) fn bucket(&self) -> usize {
        self.segments.iter().map(|segment| segment.bucket).sum()
    }

    /// Whether many documents have a search key in common that few had when the frozen set was made: a text with that key is compared with
    /// all of them.
    pub(crate) fn is_crowded(&self) -> bool {
        self.bucket() > CROWD.max(CROWD_GROWTH * self.manifest.bucket)
    }

    /// A reader of texts.
    pub(crate) fn reader(&self) -> TextReader<'_> {
        TextReader::new(&self.dictionary)
    }

    /// The text of a kept document.
    pub(crate) fn text<'r>(&self, place: Place, reader: &'r mut TextReader<'_>) -> Result<&'r str> {
        let segment = self.segment(place);
        let text = reader.text(place.segment as usize, &segment.texts, place.row as usize);
        text.ok_or_else(|| segment.damaged_text(place.row))
    }
}

/// Whether a file that a manifest names is gone: a writer has merged it meanwhile, so there is a newer manifest.
pub(crate) fn is_gone(error: &Error, folder: &Path) -> bool {
    let Error::Source { path, .. } = error else {
        return false;
    };
    path.starts_with(folder) && fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}
