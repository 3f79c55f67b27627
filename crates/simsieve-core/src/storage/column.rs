//! Columns of plain values, owned or viewed in the bytes of a file.
//!
//! In: values, or a range of [`Bytes`] that holds them little-endian. Out: a slice. On little-endian machines a column
//! of a file is the mapped memory itself, without a copy.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::mem::size_of;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::checked::{CheckedCastError, try_cast_slice};
use bytemuck::{CheckedBitPattern, NoUninit, PodCastError};
use memmap2::Mmap;
use yoke::Yoke;

use super::pieces::Pieces;
use crate::base::error::{Error, Result};

/// A value of fixed size that a file stores little-endian.
pub trait Element: CheckedBitPattern + NoUninit + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The name of the type in files.
    const NAME: &'static str;

    /// Appends the value's bytes.
    fn append_to(self, bytes: &mut Vec<u8>);

    /// The value of `size_of::<Self>()` bytes; `None` if no value has these bytes.
    fn of_bytes(bytes: &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ident),*) => {$(
        impl Element for $number {
            const NAME: &'static str = stringify!($number);

            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn of_bytes(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self::from_le_bytes)
            }
        }
    )*};
}

numbers!(u8, u16, u32, i32, u64, i64, u128, f64);

/// Makes an enum of one byte a value of columns.
macro_rules! byte_element {
    ($enum:ty, $name:literal) => {
        impl $crate::storage::column::Element for $enum {
            const NAME: &'static str = $name;

            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.push(self as u8);
            }

            fn of_bytes(bytes: &[u8]) -> Option<Self> {
                bytemuck::checked::try_pod_read_unaligned(bytes).ok()
            }
        }
    };
}
pub(crate) use byte_element;

/// Makes a struct without padding a value of columns, by its fields in the order in which they are stored.
macro_rules! fields_element {
    ($struct:ty, $name:literal, $($field:ident),*) => {
        impl $crate::storage::column::Element for $struct {
            const NAME: &'static str = $name;

            fn append_to(self, bytes: &mut Vec<u8>) {
                $($crate::storage::column::Element::append_to(self.$field, bytes);)*
            }

            fn of_bytes(mut bytes: &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::storage::column::next_of(&mut bytes)?),* })
            }
        }
    };
}
pub(crate) use fields_element;

/// The bytes of values as files have them.
pub(super) fn bytes_of<T: Element>(values: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(values));
    }
    let mut bytes = Vec::with_capacity(size_of_val(values));
    for &value in values {
        value.append_to(&mut bytes);
    }
    Cow::Owned(bytes)
}

/// The value that bytes begin with; takes its bytes off.
pub(crate) fn next_of<T: Element>(bytes: &mut &[u8]) -> Option<T> {
    T::of_bytes(bytes.split_off(..size_of::<T>())?)
}

impl Element for bool {
    const NAME: &'static str = "bool";

    fn append_to(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

/// The bytes of a file: mapped into memory, or read if the file system cannot map.
pub struct Bytes {
    source: Source,
    pieces: Option<Pieces>,
}

enum Source {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Bytes {
    /// The bytes of a regular file.
    ///
    /// A mapped file must not be written to in place. Files of [`super::artifact`] are replaced by a rename, which does
    /// not change the mapped file.
    ///
    /// # Errors
    /// The system's error if the file can be neither mapped nor read.
    pub fn of_file(mut file: &File) -> io::Result<Self> {
        // SAFETY: the mapping is private and read-only. `AtomicFile` never writes to a file that has its name, so the bytes change
        // only if another program writes to the file in place; the documentation forbids that.
        let mapped = unsafe { Mmap::map(file) };
        if let Ok(mapped) = mapped {
            return Ok(Source::Mapped(mapped).into());
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }

    /// These bytes, whose pieces are looked at when values of them are first read.
    pub(super) fn guarded(self, pieces: Pieces) -> Self {
        Self {
            pieces: Some(pieces),
            ..self
        }
    }

    /// Whether something that was read was damaged.
    pub(super) fn is_damaged(&self) -> bool {
        self.pieces.as_ref().is_some_and(Pieces::is_damaged)
    }

    fn check(&self, range: Range<usize>) {
        if let Some(pieces) = &self.pieces {
            pieces.check(self, range);
        }
    }
}

impl From<Source> for Bytes {
    fn from(source: Source) -> Self {
        Self { source, pieces: None }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Source::Owned(bytes).into()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.source {
            Source::Mapped(mapped) => mapped,
            Source::Owned(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.source {
            Source::Mapped(_) => "mapped",
            Source::Owned(_) => "owned",
        };
        write!(out, "Bytes({} {kind})", self.len())
    }
}

/// An array of values: owned, or viewed in the bytes of a file. Both deref to a slice.
///
/// ```
/// use std::sync::Arc;
/// use simsieve_core::storage::column::{Bytes, Column};
/// let owned = Column::from(vec![1_u32, 2, 3]);
/// let bytes = Arc::new(Bytes::from(vec![1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]));
/// let viewed = Column::<u32>::view(&bytes, 0..12).unwrap();
/// assert_eq!((owned[1], &viewed[1..]), (2, &owned[1..]));
/// ```
#[derive(Clone)]
pub struct Column<T: Element>(Values<T>);

#[derive(Clone)]
enum Values<T: Element> {
    Owned(Vec<T>),
    Viewed(View<T>),
    /// In a file whose pieces are looked at when they are first read; the flag says that all of this column were.
    Guarded(View<T>, Arc<AtomicBool>),
}

type View<T> = Yoke<&'static [T], Arc<Bytes>>;

impl<T: Element> Column<T> {
    /// The values in a range of bytes. They are copied only if the machine is big-endian or the range is not aligned.
    ///
    /// Returns `None` if the bytes are not a whole number of valid values. Panics if the range is outside.
    pub fn view(bytes: &Arc<Bytes>, range: Range<usize>) -> Option<Self> {
        let copied = |range: Range<usize>| {
            bytes.check(range.clone());
            Self::copy(&bytes[range])
        };
        if cfg!(target_endian = "big") {
            return copied(range);
        }
        let attached = Yoke::try_attach_to_cart(Arc::clone(bytes), |bytes| try_cast_slice(&bytes[range.clone()]));
        match attached {
            Ok(attached) if bytes.pieces.is_some() => Some(Self(Values::Guarded(attached, Arc::default()))),
            Ok(attached) => Some(Self(Values::Viewed(attached))),
            Err(CheckedCastError::PodCastError(PodCastError::TargetAlignmentGreaterAndInputNotAligned)) => {
                copied(range)
            }
            Err(_) => None,
        }
    }

    /// As [`Column::view`], copied on every machine.
    pub(super) fn copy(bytes: &[u8]) -> Option<Self> {
        let values = bytes
            .chunks(size_of::<T>())
            .map(T::of_bytes)
            .collect::<Option<Vec<T>>>()?;
        Some(Self(Values::Owned(values)))
    }

    /// Whether the values are in the bytes of a file.
    pub const fn is_viewed(&self) -> bool {
        matches!(self.0, Values::Viewed(_) | Values::Guarded(..))
    }

    /// The values as a mutable vector; viewed values are copied first.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if self.is_viewed() {
            self.0 = Values::Owned(self.to_vec());
        }
        match &mut self.0 {
            Values::Owned(values) => values,
            Values::Viewed(_) | Values::Guarded(..) => unreachable!("copied above"),
        }
    }

    /// The number of values.
    #[inline]
    pub fn len(&self) -> usize {
        self.raw().len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values, of whose pieces none is looked at: whoever reads some calls [`Column::touch`] for them.
    #[inline]
    pub(crate) fn raw(&self) -> &[T] {
        match &self.0 {
            Values::Owned(values) => values,
            Values::Viewed(viewed) | Values::Guarded(viewed, _) => viewed.get(),
        }
    }

    /// Looks at the pieces in which some values are, where nobody has done so.
    #[inline]
    pub(crate) fn touch(&self, range: Range<usize>) {
        if let Values::Guarded(view, all) = &self.0
            && !all.load(Ordering::Relaxed)
        {
            let (bytes, size) = (view.backing_cart(), size_of::<T>());
            let start = view.get().as_ptr().addr() - bytes.as_ptr().addr();
            bytes.check(start + range.start * size..start + range.end * size);
        }
    }

    /// One value; its piece is looked at.
    #[inline]
    pub(crate) fn at(&self, at: usize) -> T {
        self.touch(at..at + 1);
        self.raw()[at]
    }

    /// Some values, whose pieces are checked; `None` if the range ends beyond the column.
    #[inline]
    pub(crate) fn some(&self, range: Range<usize>) -> Option<&[T]> {
        let some = self.raw().get(range.clone())?;
        self.touch(range);
        Some(some)
    }

    /// Whether the pieces are looked at one by one, so that the meaning of the values was not checked when the file was opened.
    pub(crate) const fn is_guarded(&self) -> bool {
        matches!(self.0, Values::Guarded(..))
    }

    /// Notes that a value does not fit, as if its piece were damaged.
    pub(crate) fn refuse(&self) {
        if let Values::Guarded(view, _) = &self.0
            && let Some(pieces) = &view.backing_cart().pieces
        {
            pieces.refuse();
        }
    }
}

impl<T: Element> Deref for Column<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Values::Owned(values) => values,
            Values::Viewed(viewed) => viewed.get(),
            Values::Guarded(view, all) => {
                if !all.load(Ordering::Relaxed) {
                    self.touch(0..view.get().len());
                    all.store(true, Ordering::Relaxed);
                }
                view.get()
            }
        }
    }
}

impl<T: Element> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Values::Owned(values))
    }
}

impl<T: Element> FromIterator<T> for Column<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::from(Vec::from_iter(values))
    }
}

impl<T: Element> Default for Column<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T: Element> PartialEq for Column<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Element + Eq> Eq for Column<T> {}

impl<'a, T: Element> IntoIterator for &'a Column<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Element> fmt::Debug for Column<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 16;
        let first = &self[..self.len().min(SHOWN)];
        write!(out, "Column({} {}: {first:?}", self.len(), T::NAME)?;
        out.write_str(if self.len() > SHOWN { ", ...)" } else { ")" })
    }
}

/// An empty vector with room for `len` values, or [`Error::Memory`] where they cannot be had: for columns as long as the
/// collection.
pub fn with_room<T>(len: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values
        .try_reserve_exact(len)
        .map_err(|_| Error::Memory(len.saturating_mul(size_of::<T>())))?;
    Ok(values)
}
