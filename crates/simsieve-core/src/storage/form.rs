//! The form of a run on disk: stages, the columns that each of them writes, and the state that it goes on from.
//!
//! [`stage!`] names a stage and its columns once, with the types of the state and of the values. In a run directory a column is a file
//! that grows by commits ([`StageFiles`](super::run_dir::StageFiles)); in a segment of an index it is a section of one file
//! ([`Packer`](super::packed::Packer)). Both are written as a [`ColumnSink`] and read as [`Stored`].

use std::fmt;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::base::error::{Error, Result};
use crate::storage::column::{Column, Element};

/// The name of a column of one scheme: the number of the scheme replaces the `N` at its end. Any other name stays.
pub fn of_scheme(name: &str, scheme: usize) -> String {
    match name.strip_suffix(".N") {
        Some(base) => format!("{base}.{scheme}"),
        None => name.to_owned(),
    }
}

/// Whether each scheme has what is called so.
pub(super) fn is_of_schemes(name: &str) -> bool {
    name.strip_suffix(".N").is_some()
}

/// The name of a column, with the type of its values.
#[derive(Debug, Clone, Copy)]
pub struct ColumnName<T> {
    name: &'static str,
    scheme: usize,
    values: PhantomData<T>,
}

impl<T: Element> ColumnName<T> {
    /// A column of the run, or of the first scheme.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            scheme: 0,
            values: PhantomData,
        }
    }

    /// The column of one of the schemes.
    #[must_use]
    pub const fn of(self, scheme: usize) -> Self {
        Self { scheme, ..self }
    }

    /// The name and the number of the scheme.
    pub(super) const fn id(self) -> (&'static str, usize) {
        (self.name, self.scheme)
    }

    /// The name and that of the type of the values.
    pub const fn listed(self) -> Listed {
        (self.name, T::NAME)
    }
}

impl<T> fmt::Display for ColumnName<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&of_scheme(self.name, self.scheme))
    }
}

/// A column in the list of a stage: its name, and that of the type of its values.
pub type Listed = (&'static str, &'static str);

/// A step of a run whose results are stored.
#[derive(Debug)]
pub struct Stage<S> {
    /// Its name.
    pub name: &'static str,
    /// The stages whose results it reads.
    pub inputs: &'static [&'static str],
    /// The columns that it writes.
    pub columns: &'static [Listed],
    scheme: usize,
    state: PhantomData<fn() -> S>,
}

impl<S> Clone for Stage<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Stage<S> {}

impl<S> Stage<S> {
    /// A stage of the run, or of the first scheme.
    pub const fn new(name: &'static str, inputs: &'static [&'static str], columns: &'static [Listed]) -> Self {
        Self {
            name,
            inputs,
            columns,
            scheme: 0,
            state: PhantomData,
        }
    }

    /// The stage of one of the schemes.
    #[must_use]
    pub const fn of(self, scheme: usize) -> Self {
        Self { scheme, ..self }
    }

    /// Whether a stage of this name, which has the number of its scheme, is an input.
    pub(super) fn has_input(self, name: &str) -> bool {
        let base = |name: &str| name.rsplit_once('.').map_or(name, |(base, _)| base).to_owned();
        self.inputs.iter().any(|input| base(input) == base(name))
    }

    /// The names of its columns, each with the number of the scheme; what each scheme has, for `schemes` schemes.
    pub(super) fn files(self, schemes: usize) -> impl Iterator<Item = (&'static str, usize)> {
        self.columns.iter().flat_map(move |&(name, _)| {
            let schemes = if is_of_schemes(name) && !is_of_schemes(self.name) {
                0..schemes
            } else {
                self.scheme..self.scheme + 1
            };
            schemes.map(move |scheme| (name, scheme))
        })
    }
}

impl<S> fmt::Display for Stage<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&of_scheme(self.name, self.scheme))
    }
}

/// Names a stage, the type of its state, its inputs and its columns. What each scheme has ends in `.N`.
macro_rules! stage {
    (
        $(#[$about:meta])*
        $stage:ident: $state:ty = $name:tt after $inputs:tt {
            $($(#[$doc:meta])* $column:ident: $element:ty = $file:literal,)*
        }
    ) => {
        $($(#[$doc])*
        pub(crate) const $column: $crate::storage::form::ColumnName<$element> =
            $crate::storage::form::ColumnName::new($file);)*
        $(#[$about])*
        pub(crate) const $stage: $crate::storage::form::Stage<$state> =
            $crate::storage::form::Stage::new($name, &$inputs, &[$($column.listed()),*]);
    };
}
pub(crate) use stage;

/// What takes columns: the files of a stage, or a packed file.
pub trait ColumnSink {
    /// Adds values to a column.
    ///
    /// # Errors
    /// Where they cannot be written.
    fn put<T: Element>(&mut self, column: ColumnName<T>, values: &[T]) -> Result<()>;
}

/// A run that is stored: a run directory, or a packed file.
pub trait Stored {
    /// The state of a stage by its name, if it is finished.
    fn finished(&self, stage: &str) -> Option<Value>;

    /// A column, mapped.
    ///
    /// # Errors
    /// Where it is not there, or has other values.
    fn read<T: Element>(&self, column: ColumnName<T>) -> Result<Column<T>>;

    /// Whether another process may have written the columns, so that readers check the meaning of their values.
    fn is_foreign(&self) -> bool;

    /// The error for a part that no version of this program writes.
    fn damaged(&self, part: impl fmt::Display) -> Error;

    /// The state of a stage, if it is finished.
    ///
    /// # Errors
    /// [`Stored::damaged`] where the stage has no such state.
    fn state<S: DeserializeOwned>(&self, stage: Stage<S>) -> Result<Option<S>> {
        let state = self.finished(&stage.to_string());
        let state = state.map(|state| S::deserialize(state).map_err(|_| self.damaged(stage)));
        state.transpose()
    }

    /// Refuses a part whose values do not fit; those that this process has written are not looked at.
    ///
    /// # Errors
    /// [`Stored::damaged`], which names the part.
    fn check(&self, part: impl fmt::Display, fits: impl FnOnce() -> bool) -> Result<()> {
        if self.is_foreign() && !fits() {
            return Err(self.damaged(part));
        }
        Ok(())
    }

    /// A column whose values fit.
    ///
    /// # Errors
    /// Those of [`Stored::read`] and [`Stored::check`].
    fn fitting<T: Element>(&self, column: ColumnName<T>, fits: impl FnOnce(&[T]) -> bool) -> Result<Column<T>> {
        let values = self.read(column)?;
        self.check(column, || fits(values.raw()))?;
        Ok(values)
    }
}
