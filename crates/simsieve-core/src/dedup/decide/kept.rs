//! What a run kept, listed in its run directory for a run since: see [`former`](crate::collection::former).

use crate::base::error::Result;
use crate::collection::former::{KEEP, KEPT, KeepState, ORIGINS};
use crate::dedup::decide::decisions::{Decision, Decisions};
use crate::recipe::Recipe;
use crate::search::documents::Documents;
use crate::storage::form::ColumnSink;
use crate::storage::run_dir::StageFiles;

/// Lists what a run kept in its run directory. The old documents that it had are kept by the runs before.
pub(crate) fn write(documents: &Documents, decisions: &Decisions) -> Result<()> {
    let collection = &documents.collection;
    let Some(dir) = collection.run_dir().filter(|dir| dir.stage(KEEP.name).is_none()) else {
        return Ok(());
    };
    let failed: Vec<usize> = collection.failures.iter().map(|(position, _)| *position).collect();
    let stays = |position: &usize| match decisions.decision.get(*position) {
        Some(decision) => *decision == Decision::Kept,
        None => failed.binary_search(position).is_err(),
    };
    let mut files = StageFiles::open(dir, KEEP, 0)?;
    let mut counts = vec![0; collection.sources.iter().len()];
    for position in (0..collection.len()).filter(stays) {
        let (source, origin) = collection.sources.original(position);
        counts[source] += 1;
        files.put(KEPT, &[position as u32])?;
        files.put(ORIGINS, &[origin as u32])?;
    }
    let paths = collection
        .sources
        .iter()
        .map(|source| source.profile().path().display().to_string());
    let state = KeepState {
        paths: paths.collect(),
        counts,
        recipes: documents.recipes.iter().map(Recipe::to_json).collect(),
    };
    files.commit(true, &state, &[])
}
