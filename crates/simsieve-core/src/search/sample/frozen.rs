//! Frozen paths as parts: files of a run directory, or what is sent to another machine.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use xxhash_rust::xxh3::Xxh3;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::encode::paths::{Fates, Paths, Rarity, Rates};
use crate::recipe::{PathOptions, Recipe};
use crate::search::sample::freeze;
use crate::search::sample::similar::Similar;
use crate::search::sample::texts::Sample;
use crate::storage::form::{ColumnSink, Stored, stage};
use crate::storage::run_dir::{RunDir, StageFiles};

stage! {
    /// Freezes the paths of each scheme that is searched by paths; the state of the others is null.
    FREEZE: Vec<Option<FrozenState>> = "freeze" after [] {
        /// The classes of rarity of features, a byte each.
        RARITY: u8 = "rarity.N",
        /// The fates on paths, as they are in a digest.
        VERDICTS: u64 = "verdicts.N",
    }
}

/// Frozen paths and their sample; `None` if another run took the sample.
#[derive(Debug)]
pub struct Frozen {
    pub(crate) paths: Arc<Paths>,
    pub(crate) sample: Option<Similar>,
}

impl Frozen {
    /// Paths that were made before.
    pub(super) fn known(paths: Arc<Paths>) -> Self {
        Self { paths, sample: None }
    }

    /// Texts that a sampled one stands for, where the sample is here.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.sample.as_ref().map(|similar| similar.rate)
    }

    /// The paths of a sample, of a collection of `scale` times as many records.
    pub(super) fn of(
        sample: Sample,
        scale: f64,
        (recipe, options): (&Recipe, PathOptions),
        ctx: &Context<'_>,
    ) -> Result<Self> {
        let kernel = ctx.kernel();
        let similar = || Similar::new(sample.sorted(), scale, recipe, kernel);
        let similar = ctx.pool()?.install(similar);
        Ok(Self {
            paths: Arc::new(freeze::paths(&similar, recipe, options, ctx)?),
            sample: Some(similar),
        })
    }
}

/// Writes the paths of each scheme and ends the stage.
pub(super) fn write(dir: &RunDir, each: &[Option<Frozen>]) -> Result<()> {
    let mut files = StageFiles::open(dir, FREEZE, each.len())?;
    let paths: Vec<_> = each
        .iter()
        .map(|frozen| Some(Arc::clone(&frozen.as_ref()?.paths)))
        .collect();
    let states = put(&mut files, &paths)?;
    files.commit(true, &states, &[])
}

/// Puts the paths of each scheme into their columns, and gives the state of the stage.
pub(crate) fn put(sink: &mut impl ColumnSink, each: &[Option<Arc<Paths>>]) -> Result<Vec<Option<FrozenState>>> {
    for (at, paths) in each.iter().enumerate() {
        if let Some(paths) = paths {
            sink.put(RARITY.of(at), paths.rarity.classes())?;
            sink.put(VERDICTS.of(at), &paths.fates.entries())?;
        }
    }
    Ok(each
        .iter()
        .map(|paths| Some(FrozenState::of(paths.as_deref()?)))
        .collect())
}

/// The paths of each scheme from what [`put`] has put; `None` where the stage is not finished.
pub(crate) fn read(stored: &impl Stored) -> Result<Option<Vec<Option<Arc<Paths>>>>> {
    let Some(states) = stored.state(FREEZE)? else {
        return Ok(None);
    };
    let read = |(at, state): (usize, &Option<FrozenState>)| {
        let Some(state) = state else {
            return Ok(None);
        };
        let paths = paths(
            state,
            stored.read(RARITY.of(at))?.to_vec(),
            &stored.read(VERDICTS.of(at))?,
        );
        let paths = paths.ok_or_else(|| stored.damaged(RARITY.of(at)))?;
        Ok(Some(Arc::new(paths)))
    };
    states.iter().enumerate().map(read).collect::<Result<_>>().map(Some)
}

/// What frozen paths are besides their classes of rarity and their fates. As JSON it is part of their digest, so its fields are in
/// alphabetical order.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FrozenState {
    even: u32,
    first: u32,
    /// The bits of further rates, mean keys and mean rarity, so that they come back exact.
    numbers: [u64; 3],
    weights: Vec<u32>,
}

impl FrozenState {
    /// That of paths.
    pub(crate) fn of(paths: &Paths) -> Self {
        let Rates { first, further, even } = paths.rates;
        Self {
            even,
            first,
            numbers: [further, paths.mean_keys, paths.rarity.mean()].map(f64::to_bits),
            weights: paths.rarity.weights().to_vec(),
        }
    }

    /// Its canonical text.
    pub(crate) fn to_json(&self) -> String {
        json!(self).to_string()
    }
}

/// 32 hex digits of frozen paths: the XXH3-128 of their state as JSON, the classes of rarity, and the fates in ascending order, 8
/// bytes each, least byte first.
pub(crate) fn digest_of(paths: &Paths) -> String {
    let mut hash = Xxh3::new();
    hash.update(FrozenState::of(paths).to_json().as_bytes());
    hash.update(paths.rarity.classes());
    for entry in paths.fates.entries() {
        hash.update(&entry.to_le_bytes());
    }
    format!("{:032x}", hash.digest128())
}

/// Frozen paths of their state, classes of rarity and entries of fates; `None` where these are of no paths.
pub(crate) fn paths(state: &FrozenState, classes: Vec<u8>, fates: &[u64]) -> Option<Paths> {
    let [further, mean_keys, mean] = state.numbers.map(f64::from_bits);
    Some(Paths {
        rates: Rates {
            first: state.first,
            further,
            even: state.even,
        },
        rarity: Rarity::of_parts(classes, &state.weights, mean)?,
        fates: Fates::of_entries(fates)?,
        mean_keys,
    })
}
