//! The files of a stage at work in a run directory.

use serde::Serialize;

use super::{Appender, RunDir};
use crate::base::error::Result;
use crate::storage::column::Element;
use crate::storage::form::{ColumnName, ColumnSink, Stage, is_of_schemes, of_scheme};

/// A stage that writes its columns, open behind what was committed.
#[derive(Debug)]
pub struct StageFiles<'a, S> {
    dir: &'a RunDir,
    stage: Stage<S>,
    /// Each file by the name of its column and the number of its scheme.
    files: Vec<((&'static str, usize), Appender)>,
}

impl<'a, S: Serialize> StageFiles<'a, S> {
    /// Opens all columns of a stage for this many schemes. What a killed run wrote after its last commit is removed.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::base::error::Error::Storage) where they cannot be written;
    /// [`Error::Resume`](crate::base::error::Error::Resume) where an input of the stage is not finished.
    pub fn open(dir: &'a RunDir, stage: Stage<S>, schemes: usize) -> Result<Self> {
        dir.check_inputs(stage)?;
        let file = |id: (&'static str, usize)| Ok((id, dir.appender(&of_scheme(id.0, id.1))?));
        Ok(Self {
            dir,
            stage,
            files: stage.files(schemes).map(file).collect::<Result<_>>()?,
        })
    }

    /// Opens another column too, which the stage of other runs does not have.
    ///
    /// # Errors
    /// As [`StageFiles::open`].
    pub fn with<T: Element>(mut self, column: ColumnName<T>) -> Result<Self> {
        self.files.push((column.id(), self.dir.appender(&column.to_string())?));
        Ok(self)
    }

    /// The directory.
    pub const fn dir(&self) -> &'a RunDir {
        self.dir
    }

    /// The names of the columns of schemes.
    pub fn of_schemes(&self) -> Vec<String> {
        let all = self.files.iter().filter(|((name, _), _)| is_of_schemes(name));
        all.map(|((name, scheme), _)| of_scheme(name, *scheme)).collect()
    }

    /// The file of a column.
    ///
    /// # Panics
    /// Where the stage does not list the column.
    pub fn file<T: Element>(&mut self, column: ColumnName<T>) -> &mut Appender {
        let file = self.files.iter_mut().find(|(id, _)| *id == column.id());
        &mut file.expect("a stage writes the columns that it lists").1
    }

    /// Makes the files durable, with the state that the stage goes on from. `removed` are columns that no stage needs any more.
    ///
    /// # Errors
    /// As [`RunDir::commit`].
    pub fn commit(&mut self, done: bool, state: &S, removed: &[String]) -> Result<()> {
        let files = self.files.iter_mut().map(|(_, file)| file);
        self.dir.commit(self.stage, done, state, files, removed)
    }
}

impl<S: Serialize> ColumnSink for StageFiles<'_, S> {
    fn put<T: Element>(&mut self, column: ColumnName<T>, values: &[T]) -> Result<()> {
        self.file(column).push(values)
    }
}
