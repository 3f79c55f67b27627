//! Unix: descriptors, inodes, modes.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::fd::AsFd;
pub(crate) use std::os::unix::fs::FileExt as FileAt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};

use super::PRIVATE_FILE;

const PRIVATE_FOLDER: u32 = 0o700;

/// Device and inode: equal for two names of one file or folder.
pub(crate) fn number_of(_: &Path, metadata: &Metadata) -> [u64; 2] {
    birth_of(metadata)
}

/// Device and inode: another one after a file was replaced.
pub(crate) fn birth_of(metadata: &Metadata) -> [u64; 2] {
    [metadata.dev(), metadata.ino()]
}

/// Opens a file. A named pipe is opened at once, although nobody may write to it yet.
pub(crate) fn open_at_once(path: &Path) -> io::Result<File> {
    let is_pipe = fs::metadata(path)?.file_type().is_fifo();
    let mut options = OpenOptions::new();
    if is_pipe {
        options.custom_flags(OFlags::NONBLOCK.bits() as i32);
    }
    options.read(true).open(path)
}

/// Waits until a stream has bytes or has ended; false after `pause`.
pub(crate) fn is_readable(file: &File, pause: Duration) -> bool {
    let pause = Timespec::try_from(pause).ok();
    poll(&mut [PollFd::new(file, PollFlags::IN)], pause.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Standard input as a file.
pub(crate) fn stdin() -> Option<File> {
    io::stdin().as_fd().try_clone_to_owned().ok().map(File::from)
}

/// Standard output without the writer of the standard library, which would search all bytes for line ends.
pub(crate) fn stdout() -> io::Result<impl Write> {
    let mut stdout = io::stdout().lock();
    stdout.flush()?;
    Ok(File::from(stdout.as_fd().try_clone_to_owned()?))
}

/// Exchanges two names of one file system in one step.
pub(crate) fn exchange_names(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// A file that is made is the owner's alone.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(PRIVATE_FILE)
}

/// A folder that is made is the owner's alone.
pub(crate) fn private_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder.mode(PRIVATE_FOLDER)
}

/// Makes an open file the owner's alone.
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(PRIVATE_FILE))
}

/// A temporary file or folder with this mode, which the umask narrows.
pub(crate) fn with_mode<'a, 'p, 's>(
    builder: &'a mut tempfile::Builder<'p, 's>,
    mode: u32,
) -> &'a mut tempfile::Builder<'p, 's> {
    builder.permissions(Permissions::from_mode(mode))
}

/// Gives a file to the owner of another. Only root can; for others the file stays theirs, as with any tool that replaces files.
pub(crate) fn give_to_owner(file: &File, of: &Metadata) {
    let _ = std::os::unix::fs::fchown(file, Some(of.uid()), Some(of.gid()));
}

/// Tells the system that a part of a file is read soon.
pub(crate) fn will_read(file: &File, span: Range<u64>) {
    #[cfg(target_os = "linux")]
    if let Some(length) = std::num::NonZeroU64::new(span.end.saturating_sub(span.start)) {
        let _ = rustix::fs::fadvise(file, span.start, Some(length), rustix::fs::Advice::WillNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, span);
}

/// Tells the system that a file is not read again, so that it need not keep its pages.
pub(crate) fn done_with(file: &File) {
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// Gives memory that is free in the allocator back to the system.
///
/// Large columns are freed while others grow. The allocator of glibc keeps their memory between blocks that are in use.
pub(crate) fn release_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes no pointer and may run beside all others.
    unsafe {
        libc::malloc_trim(0);
    }
}
