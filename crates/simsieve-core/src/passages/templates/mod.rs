//! Templates: parts of text that many documents share, though the documents are not near one another.
//!
//! In: the records of a collection, and for each the group of near documents that it belongs to. Out: parts, with the documents that have
//! them.
//!
//! 1. Anchors, of windows that are nearly as long as a template must be. An anchor in documents of many groups makes a *crowd*.
//! 2. Crowds, those of most groups first: a part grows around the anchor, letter by letter, on the side where more documents agree. It
//!    is as long as documents times letters grow. No text is taken for two parts, and of a large crowd a sample is read.
//! 3. All records are read once more, and those that have a part are counted, as [`encode::input::templates`](crate::encode::input::templates)
//!    finds it. The caller groups the records anew for this, by their text without the parts.
//!
//! A part counts once for each group, and once for all records of nothing but parts. So copies of one document make no template, nor does a
//! message that people copy with small changes.

mod count;
mod grow;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::Records;
use super::gather::Reading;
use super::options::Options;
use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::check_number;
use crate::collection::labels::Labels;
use crate::encode::input::templates::Templates;
use crate::source::{Failure, Sources};
use crate::storage::run_dir::SortedRuns;
use crate::text::anchors::Windows;
pub use count::Part;
use grow::Search;

/// The parts that grew in a collection.
#[derive(Debug)]
pub struct Found {
    /// The parts.
    pub templates: Templates,
    /// The group of each record by the whole texts, and the least groups of a part.
    groups: Vec<u32>,
    least: usize,
    options: Options,
    /// What was read.
    pub sources: Arc<Sources>,
    /// Records that are no documents, by position.
    pub failures: Vec<(usize, Failure)>,
    labels: Labels,
}

impl Found {
    /// The label of a record as raw JSON.
    pub fn label(&self, position: usize) -> Option<&[u8]> {
        self.labels.get(position)
    }

    /// The parts that records of enough groups have, those of most groups first; `groups` has that of each record, by its text without
    /// the parts. Records of nothing but parts are one group. A part whose documents are mostly alike without it is a text that was copied, and
    /// is left out.
    ///
    /// # Errors
    /// As [`find`].
    pub fn counted(&self, groups: &[u32], ctx: &Context<'_>) -> Result<Vec<Part>> {
        let fields = self.options.fields();
        let records = Records {
            sources: &self.sources,
            fields: &fields,
            scheme: &self.options.scheme,
        };
        let groups = count::Groups {
            whole: &self.groups,
            rest: groups,
        };
        count::counted(&records, &self.templates, groups, self.least, &self.options, ctx)
    }
}

/// Finds the parts of at least `options.min_length` letters that records of at least `least` groups have; `groups` has that of each
/// record.
///
/// Complexity: linear in the texts, n log n in their anchors; memory of 16 bytes an anchor, a fifth of a letter each, or of a run
/// directory's bound, and of the parts.
///
/// # Errors
/// [`Error::Source`](crate::base::error::Error::Source) where a source cannot be read or has changed;
/// [`Error::Storage`](crate::base::error::Error::Storage) where the run directory cannot be written.
///
/// # Panics
/// Where `groups` has not one value a record, or the length is less than [`LEAST`](crate::encode::input::templates::LEAST).
pub fn find(sources: &Arc<Sources>, options: &Options, least: u32, groups: &[u32], ctx: &Context<'_>) -> Result<Found> {
    assert_eq!(groups.len(), sources.len(), "a group for each record");
    check_number(sources.len())?;
    let fields = options.fields();
    let (pool, windows) = (ctx.pool()?, Windows::within(options.min_length));
    let reading = Reading {
        sources,
        fields: &fields,
        scheme: &options.scheme,
        windows,
        whole: false,
        signed: usize::MAX,
        ctx,
    };
    let mut anchors = SortedRuns::new(options.place("anchors"), 0);
    let side = reading.side(0..sources.len(), None, &mut anchors, None, None)?;
    let anchors = anchors.finish_mapped(pool)?;
    let search = Search {
        records: Records {
            sources,
            fields: &fields,
            scheme: &options.scheme,
        },
        groups,
        least: least.max(1) as usize,
        length: options.min_length as usize,
        window: windows.characters() as usize,
    };
    let crowds = search.crowds(&anchors, options, ctx)?;
    let grown = search.grown(&anchors, &crowds, ctx)?;
    Ok(Found {
        templates: grown,
        groups: groups.to_vec(),
        least: search.least,
        options: options.clone(),
        sources: Arc::clone(sources),
        failures: side.failures,
        labels: side.labels,
    })
}
