//! Finished stages in one file: an [artifact](super::artifact) whose sections are their columns, and whose header has their states.
//!
//! No column is compressed, so readers view all of them in the mapped file.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::artifact::{Artifact, ArtifactKind, Writer};
use super::atomic::AtomicFile;
use super::column::{Column, Element};
use super::form::{ColumnName, ColumnSink, Stage, Stored};
use crate::base::context::Context;
use crate::base::error::{Error, Result};

/// Packs stages into a file, which appears complete or not at all.
#[derive(Debug)]
pub struct Packer<'a, 'c> {
    out: Writer<'a, AtomicFile>,
    stages: Map<String, Value>,
    ctx: &'a Context<'c>,
}

impl<'a, 'c> Packer<'a, 'c> {
    /// Begins a file.
    ///
    /// # Errors
    /// [`Error::Sink`] where it cannot be written, here and below.
    pub fn create(sink: &'a Path, kind: &ArtifactKind, ctx: &'a Context<'c>) -> Result<Self> {
        Ok(Self {
            out: Writer::new(AtomicFile::create_as_is(sink)?, sink, kind)?,
            stages: Map::new(),
            ctx,
        })
    }

    /// Adds a column of the values that `fill` hands over slice by slice.
    pub fn fill<T: Element>(
        &mut self,
        column: ColumnName<T>,
        fill: impl FnOnce(&mut dyn FnMut(&[T]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let (ctx, name) = (self.ctx, column.to_string());
        self.out.filled(&name, fill, &mut |bytes| ctx.tick("save", bytes, 0))
    }

    /// Ends a stage whose columns were put.
    pub fn finish<S: Serialize>(&mut self, stage: Stage<S>, state: &S) {
        self.stages.insert(stage.to_string(), json!(state));
    }

    /// Ends the file, and gives its checksum.
    pub fn commit(self, about: &impl Serialize) -> Result<u128> {
        let header = json!({"about": about, "stages": self.stages});
        let (file, checksum) = self.out.summed(&header)?;
        file.commit().map(|()| checksum)
    }
}

impl ColumnSink for Packer<'_, '_> {
    fn put<T: Element>(&mut self, column: ColumnName<T>, values: &[T]) -> Result<()> {
        self.fill(column, |push| push(values))
    }
}

impl Stored for Artifact {
    fn finished(&self, stage: &str) -> Option<Value> {
        self.header()["stages"].get(stage).cloned()
    }

    fn read<T: Element>(&self, column: ColumnName<T>) -> Result<Column<T>> {
        self.column(&column.to_string(), ..)
    }

    fn is_foreign(&self) -> bool {
        true
    }

    fn damaged(&self, part: impl fmt::Display) -> Error {
        let part = part.to_string();
        self.unreadable(msg!("its part {part:?} (values that do not fit)"))
    }
}
