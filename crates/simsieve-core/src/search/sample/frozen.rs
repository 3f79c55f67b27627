//! Frozen paths as parts: files of a run directory, or what is sent to another machine.

use std::sync::Arc;

use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::ingest::pieces::of_scheme;
use crate::encode::paths::{Paths, Rarity, Rates, Verdicts};
use crate::recipe::{PathOptions, Recipe};
use crate::search::sample::freeze;
use crate::search::sample::similar::Similar;
use crate::search::sample::texts::Sample;
use crate::storage::run_dir::{Appender, RunDir};

/// Frozen paths, and the sample of which they were made; `None` where it was taken in another run.
#[derive(Debug)]
pub struct Frozen {
    pub(crate) paths: Arc<Paths>,
    pub(crate) sample: Option<Similar>,
}

impl Frozen {
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
pub(super) fn write(dir: &RunDir, stage: &str, each: &[Option<Frozen>]) -> Result<()> {
    let (mut files, mut states) = (Vec::new(), Vec::new());
    for (at, paths) in each.iter().enumerate() {
        let Some(Frozen { paths, .. }) = paths else {
            states.push(Value::Null);
            continue;
        };
        let mut classes = dir.appender(&of_scheme(at, "rarity"))?;
        classes.push(paths.rarity.classes())?;
        let mut verdicts = dir.appender(&of_scheme(at, "verdicts"))?;
        verdicts.push(&paths.verdicts.entries())?;
        files.extend([classes, verdicts]);
        states.push(state_of(paths));
    }
    let mut files: Vec<&mut Appender> = files.iter_mut().collect();
    dir.commit(stage, true, &Value::Array(states), &mut files, &[])
}

/// The paths of each scheme from what [`write`] wrote.
pub(super) fn read(dir: &RunDir, state: &Value) -> Result<Vec<Option<Frozen>>> {
    let states = state.as_array().map_or(&[][..], Vec::as_slice);
    let read = |(at, state): (usize, &Value)| {
        if state.is_null() {
            return Ok(None);
        }
        let name = of_scheme(at, "rarity");
        let paths = paths(
            state,
            dir.column::<u8>(&name)?.to_vec(),
            &dir.column::<u64>(&of_scheme(at, "verdicts"))?,
        );
        let paths = Arc::new(paths.ok_or_else(|| dir.damaged(&name))?);
        Ok(Some(Frozen { paths, sample: None }))
    };
    states.iter().enumerate().map(read).collect()
}

/// What frozen paths are besides their classes of rarity and their verdicts.
pub(crate) fn state_of(paths: &Paths) -> Value {
    let Rates { first, further, even } = paths.rates;
    // The bits of a number, so that it comes back exact.
    let numbers = [further, paths.mean_keys, paths.rarity.mean()].map(f64::to_bits);
    json!({"first": first, "even": even, "numbers": numbers, "weights": paths.rarity.weights()})
}

/// 32 hex digits of frozen paths: the XXH3-128 of their state as JSON, the classes of rarity, and the verdicts in ascending order, 8
/// bytes each, least byte first.
pub(crate) fn digest_of(paths: &Paths) -> String {
    let mut hash = Xxh3::new();
    hash.update(state_of(paths).to_string().as_bytes());
    hash.update(paths.rarity.classes());
    for entry in paths.verdicts.entries() {
        hash.update(&entry.to_le_bytes());
    }
    format!("{:032x}", hash.digest128())
}

/// Frozen paths of their state, classes of rarity and entries of verdicts; `None` where these are of no paths.
pub(crate) fn paths(state: &Value, classes: Vec<u8>, verdicts: &[u64]) -> Option<Paths> {
    let numbers = state["numbers"]
        .as_array()?
        .iter()
        .map(|bits| bits.as_u64().map(f64::from_bits));
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    let &[further, mean_keys, mean] = &numbers[..] else {
        return None;
    };
    let whole = |name: &str| u32::try_from(state[name].as_u64()?).ok();
    let weights = state["weights"].as_array()?.iter();
    let weights = weights.map(|weight| u32::try_from(weight.as_u64()?).ok());
    Some(Paths {
        rates: Rates {
            first: whole("first")?,
            further,
            even: whole("even")?,
        },
        rarity: Rarity::of_parts(classes, &weights.collect::<Option<Vec<u32>>>()?, mean)?,
        verdicts: Verdicts::of_entries(verdicts)?,
        mean_keys,
    })
}
