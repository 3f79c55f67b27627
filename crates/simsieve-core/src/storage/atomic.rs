//! A sink that appears complete or not at all.
//!
//! In: a name, then bytes. Out, at commit: a file. Every output of simsieve is written through an [`AtomicFile`].

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::compression::Compression;
use super::paths::is_stdio;
use super::paths::{folder_of, resolve, sink_error};
#[cfg(test)]
use super::recorded::{FileStep, note};
use crate::base::error::{Error, Result};
use crate::base::os;

const BUFFER_BYTES: usize = 256 << 10;

/// A file that is being written. Dropped without [`AtomicFile::commit`], it leaves nothing.
pub struct AtomicFile {
    sink: PathBuf,
    compressor: Compressor,
    place: Placement,
}

/// The place of the bytes until the commit.
#[derive(Debug)]
enum Placement {
    /// To a file beside the sink, which then takes its name.
    Beside { temporary: TempPath, target: PathBuf },
    /// To a nameless file, which is then copied to standard output.
    Stdout,
    /// Directly to a device or named pipe, which cannot be replaced.
    Direct,
}

enum Compressor {
    Plain(BufWriter<File>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl AtomicFile {
    /// Begins a file at `sink` (`-` is standard output), compressed by the extension of its name. An existing file
    /// stays until the commit. A symbolic link stays, and its target is replaced. Permissions are kept.
    pub fn create(sink: &Path) -> Result<Self> {
        Self::compressed(sink, Compression::of_name(sink), false)
    }

    /// As [`AtomicFile::create`], but only the owner may read the file, whatever the mode of one that it replaces.
    pub fn create_private(sink: &Path) -> Result<Self> {
        Self::compressed(sink, Compression::of_name(sink), true)
    }

    /// As [`AtomicFile::create`], but never compressed.
    pub fn create_as_is(sink: &Path) -> Result<Self> {
        Self::compressed(sink, Compression::Plain, false)
    }

    fn compressed(sink: &Path, compression: Compression, private: bool) -> Result<Self> {
        let (file, place) = if is_stdio(sink) {
            let file = tempfile::tempfile().map_err(|error| no_spool(sink, &error))?;
            (file, Placement::Stdout)
        } else {
            open_place(sink, private)?
        };
        let buffer = BufWriter::with_capacity(BUFFER_BYTES, file);
        let compressor = match compression {
            Compression::Plain => Compressor::Plain(buffer),
            Compression::Gzip => Compressor::Gzip(flate2::write::GzEncoder::new(buffer, flate2::Compression::new(6))),
            Compression::Zstd => {
                let encoder = zstd::stream::write::Encoder::new(buffer, 3).and_then(|mut encoder| {
                    // As the zstd tool does: corruption is found when the file is read.
                    encoder.include_checksum(true)?;
                    // Bytes are packed beside the work that makes them. They are the same for any number of threads but none.
                    encoder.multithread(packing_threads())?;
                    Ok(encoder)
                });
                Compressor::Zstd(encoder.map_err(|error| sink_error(sink, &error))?)
            }
        };
        Ok(Self {
            sink: sink.to_path_buf(),
            compressor,
            place,
        })
    }

    /// The sink as the user named it.
    pub fn path(&self) -> &Path {
        &self.sink
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|error| self.error(&error))
    }

    /// Finishes the file and puts it at its name, durably. A closed reader of standard output is a normal end.
    pub fn commit(self) -> Result<()> {
        let Self {
            sink,
            compressor,
            place,
        } = self;
        let spooled = matches!(place, Placement::Stdout);
        let failed = |error: &io::Error| {
            if spooled {
                no_spool(&sink, error)
            } else {
                sink_error(&sink, error)
            }
        };
        let mut file = compressor.finish().map_err(|error| failed(&error))?;
        match place {
            // Devices and pipes have nothing to sync.
            Placement::Direct => Ok(()),
            Placement::Stdout => {
                file.rewind().map_err(|error| failed(&error))?;
                match copy_to_stdout(&mut file) {
                    Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(sink_error(&sink, &error)),
                    _ => Ok(()),
                }
            }
            Placement::Beside { temporary, target } => {
                file.sync_all().map_err(|error| failed(&error))?;
                #[cfg(test)]
                let from = note_synced(&temporary);
                temporary
                    .persist(&target)
                    .map_err(|error| sink_error(&sink, &error.error))?;
                #[cfg(test)]
                note(|| FileStep::Renamed(from, target.clone()));
                sync_folder(&target).map_err(|error| sink_error(&sink, &error))?;
                #[cfg(test)]
                note(|| FileStep::NamesSynced);
                Ok(())
            }
        }
    }

    /// The error for a failed write to this sink.
    pub(crate) fn error(&self, error: &io::Error) -> Error {
        match self.place {
            Placement::Stdout => no_spool(&self.sink, error),
            Placement::Beside { .. } | Placement::Direct => sink_error(&self.sink, error),
        }
    }
}

impl fmt::Debug for AtomicFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The compressors do not implement `Debug`.
        out.debug_struct("AtomicFile")
            .field("sink", &self.sink)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.compressor {
            Compressor::Plain(out) => out.write(bytes),
            Compressor::Gzip(out) => out.write(bytes),
            Compressor::Zstd(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.compressor {
            Compressor::Plain(out) => out.flush(),
            Compressor::Gzip(out) => out.flush(),
            Compressor::Zstd(out) => out.flush(),
        }
    }
}

impl Compressor {
    /// Flushes the bytes and returns the file.
    fn finish(self) -> io::Result<File> {
        let buffer = match self {
            Self::Plain(buffer) => buffer,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
        };
        buffer.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// Notes that the bytes of a file are on the disk, and gives its name.
#[cfg(test)]
fn note_synced(path: &Path) -> PathBuf {
    note(|| FileStep::Synced(path.to_path_buf(), fs::read(path).unwrap_or_default()));
    path.to_path_buf()
}

/// Threads that pack what is written to one file.
fn packing_threads() -> u32 {
    const MOST: usize = 2;
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MOST)) as u32
}

/// Gives two names of one file system to what the other had, in one step: at no time is one of them without its file or folder.
///
/// # Errors
/// Where a name is missing, or the file system cannot exchange names.
pub fn exchange_names(one: &Path, other: &Path) -> io::Result<()> {
    os::exchange_names(one, other)
}

/// Opens the temporary file of a named sink.
fn open_place(sink: &Path, private: bool) -> Result<(File, Placement)> {
    let existing = fs::metadata(sink).ok();
    if let Some(metadata) = &existing {
        if metadata.is_dir() {
            return Err(Error::Sink {
                path: sink.to_path_buf(),
                message: msg!("is a folder; name a file in it"),
            });
        }
        if !metadata.is_file() {
            let file = OpenOptions::new()
                .write(true)
                .open(sink)
                .map_err(|error| sink_error(sink, &error))?;
            return Ok((file, Placement::Direct));
        }
    }
    let target = resolve(sink).map_err(|error| sink_error(sink, &error))?;
    let prefix = os::hidden_prefix(target.file_name());
    let mode = if private { os::PRIVATE_FILE } else { os::NEW_FILE };
    let temporary = os::with_mode(tempfile::Builder::new().prefix(&prefix).suffix(".part"), mode)
        .tempfile_in(folder_of(&target))
        .map_err(|error| sink_error(sink, &error))?;
    let (file, temporary) = temporary.into_parts();
    if let Some(metadata) = existing {
        os::give_to_owner(&file, &metadata);
        if !private {
            file.set_permissions(metadata.permissions())
                .map_err(|error| sink_error(sink, &error))?;
        }
    }
    Ok((file, Placement::Beside { temporary, target }))
}

/// Makes the new name durable.
fn sync_folder(target: &Path) -> io::Result<()> {
    match File::open(folder_of(target)).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync folders, and some folders can be written but not opened; the file exists
        // anyway.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        other => other,
    }
}

fn copy_to_stdout(file: &mut File) -> io::Result<()> {
    let mut stdout = os::stdout()?;
    io::copy(file, &mut stdout)?;
    stdout.flush()
}

/// A failure of the temporary file of standard output.
fn no_spool(sink: &Path, error: &io::Error) -> Error {
    Error::Sink {
        path: sink.to_path_buf(),
        message: msg!(
            "what goes to standard output waits in a temporary file, and the temporary folder {temp_dir} \
             cannot take it: {error}; free some space, or set TMPDIR to a folder with room",
            temp_dir = std::env::temp_dir().display()
        ),
    }
}
