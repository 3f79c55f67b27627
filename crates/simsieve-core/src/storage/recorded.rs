//! What a thread does to files, for tests that rebuild what a power cut may leave of it.

use std::cell::RefCell;
use std::path::PathBuf;

/// A step that a power cut may come before.
#[derive(Debug, Clone)]
pub(crate) enum FileStep {
    /// The bytes of a file are on the disk.
    Synced(PathBuf, Vec<u8>),
    /// A file has another name.
    Renamed(PathBuf, PathBuf),
    /// The names so far are on the disk.
    NamesSynced,
    /// A file is at its name, and nothing says when its bytes are on the disk.
    Unsynced(PathBuf, Vec<u8>),
    /// A name is gone.
    Removed(PathBuf),
}

thread_local! {
    static STEPS: RefCell<Option<Vec<FileStep>>> = const { RefCell::new(None) };
}

/// Notes a step, where steps are recorded.
pub(crate) fn note(step: impl FnOnce() -> FileStep) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.push(step());
        }
    });
}

/// Does some work, and gives the steps that this thread has taken.
pub(crate) fn recorded<T>(work: impl FnOnce() -> T) -> (T, Vec<FileStep>) {
    STEPS.set(Some(Vec::new()));
    let done = work();
    (done, STEPS.take().unwrap_or_default())
}
