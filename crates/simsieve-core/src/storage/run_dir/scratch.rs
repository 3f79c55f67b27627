//! A column that a stage makes from others and that no later run reads.

use std::mem::size_of;

use super::{Appender, RunDir};
use crate::base::error::Result;
use crate::storage::column::{Column, Element, with_room};

/// Bytes that are written at once.
const WRITTEN: usize = 64 << 10;

/// A column that is made value by value: in memory, or in a file of a directory that is removed as soon as it is mapped.
#[derive(Debug)]
pub struct ScratchColumn<'a, T: Element> {
    file: Option<(&'a RunDir, &'a str, Appender)>,
    pending: Vec<T>,
}

impl<'a, T: Element> ScratchColumn<'a, T> {
    /// A column of about `len` values, in a directory or in memory. Two of one name are not made at a time.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::base::error::Error::Storage) where the directory cannot be written;
    /// [`Error::Memory`](crate::base::error::Error::Memory) where there is not that much memory.
    pub fn new(dir: Option<&'a RunDir>, name: &'a str, len: usize) -> Result<Self> {
        let file = dir.map(|dir| Ok((dir, name, dir.appender(name)?))).transpose()?;
        let room = if file.is_some() { WRITTEN / size_of::<T>() } else { len };
        Ok(Self {
            file,
            pending: with_room(room)?,
        })
    }

    /// Adds a value.
    ///
    /// # Errors
    /// As [`Appender::push`].
    #[inline]
    pub fn push(&mut self, value: T) -> Result<()> {
        if self.file.is_some() && self.pending.len() >= WRITTEN / size_of::<T>() {
            self.write()?;
        }
        self.pending.push(value);
        Ok(())
    }

    /// Adds values.
    ///
    /// # Errors
    /// As [`Appender::push`].
    pub fn extend(&mut self, values: impl IntoIterator<Item = T>) -> Result<()> {
        values.into_iter().try_for_each(|value| self.push(value))
    }

    /// The column.
    ///
    /// # Errors
    /// As [`Appender::push`] and [`RunDir::column`].
    pub fn finish(mut self) -> Result<Column<T>> {
        self.write()?;
        let Some((dir, name, out)) = self.file else {
            return Ok(self.pending.into());
        };
        out.close()?;
        let column = dir.column(name)?;
        dir.discard(name);
        Ok(column)
    }

    fn write(&mut self) -> Result<()> {
        if let Some((.., out)) = &mut self.file {
            out.push(&self.pending)?;
            self.pending.clear();
        }
        Ok(())
    }
}
