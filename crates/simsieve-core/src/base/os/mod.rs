//! Everything that systems do differently: files at a position, their numbers, modes and owners, streams that wait, advice.
//!
//! `unix` is for Linux and macOS. `portable` needs only the standard library; the feature `portable-os` forces it on Unix, for tests.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::time::UNIX_EPOCH;

#[cfg(any(not(unix), feature = "portable-os"))]
mod portable;
#[cfg(all(unix, not(feature = "portable-os")))]
mod unix;

#[cfg(any(not(unix), feature = "portable-os"))]
pub(crate) use portable::*;
#[cfg(all(unix, not(feature = "portable-os")))]
pub(crate) use unix::*;

/// The modes of new files and folders; the umask narrows all but the first.
pub(crate) const PRIVATE_FILE: u32 = 0o600;
pub(crate) const NEW_FILE: u32 = 0o666;
pub(crate) const NEW_FOLDER: u32 = 0o777;

/// Fewer freed bytes are not worth a call of [`release_free`], which walks over all free memory.
pub(crate) const LEAST_RELEASED: usize = 8 << 20;

/// The time of the last write, in nanoseconds since 1970.
pub(crate) fn modified(of: &Metadata) -> i64 {
    let nanoseconds = |span: std::time::Duration| span.as_nanos().min(i64::MAX as u128) as i64;
    of.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => nanoseconds(after),
        Err(before) => -nanoseconds(before.duration()),
    })
}

/// The hidden prefix of a temporary name beside a target. A name has at most 255 bytes; the rest is for the end.
pub(crate) fn hidden_prefix(target: Option<&OsStr>) -> String {
    const NAME_BYTES: usize = 200;
    let name = target.map_or("sink".into(), OsStr::to_string_lossy);
    let mut end = name.len().min(NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!(".{}.", &name[..end])
}
