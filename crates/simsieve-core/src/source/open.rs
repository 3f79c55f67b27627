//! Opening a source: every check, the spooling and the scan.
//!
//! In comes a [`SourceSpec`], out goes a [`Source`] whose records are appended to the store's columns. Only
//! [`super::Store::open`] calls it. A source that cannot be read to its end is an error of the whole run.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::csv::Header;
use super::encoding::{Decided, Finder, FromUtf16, utf16_of};
use super::folder::Folder;
use super::format::{check_encoding, check_magic, format_of_file};
use super::scan::{Columns, Found, Grammar, Scanner, Spool};
use super::stamp::Stamp;
use super::store::{Body, RecordFormat, Source};
use super::{Asked, BOM, Format, SourceSpec};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::storage::compression::Compression;
use crate::storage::paths::is_stdio;

/// So much of a source tells whether it is UTF-16.
const HEAD_BYTES: usize = 4 << 10;

/// One read; larger ones fall out of the second-level cache before they are scanned.
const CHUNK_BYTES: usize = 512 << 10;

/// How many bytes pass between two calls of the monitor.
const TICK_BYTES: u64 = 8 << 20;

/// The largest window of a zstd frame that is decoded, as `zstd --long=31` writes it: dumps of whole web sites are packed so.
/// It bounds the decoder's memory to 2 GiB, which only such files take.
const ZSTD_WINDOW_LOG: u32 = 31;

/// Reports how much of all sources has been read.
pub(super) struct Progress<'m, 'c> {
    pub(super) ctx: &'m Context<'c>,
    /// Bytes of the sources as they lie on disk that are done with.
    pub(super) done: u64,
    /// Bytes of all sources on disk, as far as they can be told beforehand.
    pub(super) total: u64,
}

/// Opens one source and scans it; `stdin` is what `-` reads.
pub(super) fn open_source(
    spec: &SourceSpec,
    stdin: &mut dyn Read,
    limit: u64,
    columns: &mut Columns,
    progress: &mut Progress<'_, '_>,
) -> Result<Source> {
    let path = spec.path.as_path();
    if is_stdio(path) {
        let format = spec.format.unwrap_or(Format::Jsonl);
        return spool(spec, format, None, stdin, limit, columns, progress);
    }
    if path.is_dir() {
        return folder(spec, limit, columns, progress);
    }
    let (file, size, modified) = open_file(path)?;
    // Taken before the first byte is read: what is written meanwhile makes another stamp.
    let stamp = file.metadata().ok().and_then(|metadata| Stamp::of(&metadata));
    let named = Compression::of_name(path);
    let Some(size) = size else {
        // A pipe that is named, such as a shell's <(...): as stdin, except that the name may tell.
        let named = (named != Compression::Plain).then_some(named);
        return spool(
            spec,
            format_of_file(spec)?,
            named,
            &mut { file },
            limit,
            columns,
            progress,
        );
    };
    let format = format_of_file(spec)?;
    let mut head = [0; HEAD_BYTES];
    let head_bytes = fill_at(&file, &mut head).map_err(|error| unreadable(path, &error))?;
    check_magic(path, named, &head[..head_bytes.min(4)])?;
    let is_wide = utf16_of(&head[..head_bytes], spec.encoding).is_some();
    let mut source = if named == Compression::Plain && !is_wide {
        in_place(spec, format, (file, size, modified), limit, columns, progress)
    } else {
        spool(spec, format, Some(named), &mut { file }, limit, columns, progress)
    }?;
    source.stamp = stamp;
    progress.done += size;
    Ok(source)
}

/// Finds the files of a folder.
fn folder(spec: &SourceSpec, limit: u64, columns: &mut Columns, progress: &mut Progress<'_, '_>) -> Result<Source> {
    let path = spec.path.as_path();
    if let Some(format) = spec.format {
        return Err(source_error(
            path,
            format!(
                "is a folder, and only files are read as {format}; leave --input-format out, or name the files in it"
            ),
        ));
    }
    let first = columns.len();
    let folder = Folder::open(path, limit, columns, progress)?;
    Ok(Source {
        path: path.to_path_buf(),
        format: RecordFormat::File,
        bytes_read: folder.bytes(),
        body: Body::Folder(Arc::new(folder)),
        first,
        bom: false,
        header: None,
        stamp: None,
        asked: spec.encoding,
        decided: Decided::UTF8,
        found: Found::default(),
    })
}

/// Opens a file and tells its size and time if it is a regular one.
fn open_file(path: &Path) -> Result<(File, Option<u64>, Option<SystemTime>)> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let metadata = file.metadata().map_err(|error| unreadable(path, &error))?;
    let size = metadata.is_file().then_some(metadata.len());
    Ok((file, size, metadata.modified().ok()))
}

/// Scans a plain file where it lies.
fn in_place(
    spec: &SourceSpec,
    format: Format,
    (mut file, size, modified): (File, u64, Option<SystemTime>),
    limit: u64,
    columns: &mut Columns,
    progress: &mut Progress<'_, '_>,
) -> Result<Source> {
    let path = spec.path.as_path();
    let first = columns.len();
    let mut finder = Finder::new(spec.encoding);
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut filled = fill(&mut file, &mut chunk).map_err(|error| unreadable(path, &error))?;
    check_encoding(path, &chunk[..filled], spec.encoding)?;
    let bom = chunk[..filled].starts_with(BOM);
    let mut skip = if bom { BOM.len() } else { 0 };
    let mut scanner = Scanner::new(columns, None, grammar_of(format), limit, skip as u64);
    let mut bytes_read = 0;
    let mut next_tick = 0;
    while filled > 0 {
        finder.feed(&chunk[skip..filled]);
        // Without a spool nothing is written, so nothing can fail here.
        scanner
            .feed(&chunk[skip..filled])
            .map_err(|error| unreadable(path, &error))?;
        skip = 0;
        bytes_read += filled as u64;
        if bytes_read >= next_tick {
            progress.ctx.tick("read", progress.done + bytes_read, progress.total)?;
            next_tick = bytes_read + TICK_BYTES;
        }
        filled = fill(&mut file, &mut chunk).map_err(|error| unreadable(path, &error))?;
    }
    if bytes_read != size {
        return Err(changed(path));
    }
    let (found, _) = scanner.finish(Some(&file)).map_err(|error| unreadable(path, &error))?;
    let decided = finder.finish();
    let header = header_of(path, format, &found, Some(&file), limit, decided)?;
    let body = Body::InPlace {
        file: Arc::new(file),
        size,
        modified,
    };
    Ok(Source {
        path: path.to_path_buf(),
        format: RecordFormat::Lines(format),
        body,
        first,
        bom,
        header,
        stamp: None,
        asked: spec.encoding,
        decided,
        bytes_read,
        found,
    })
}

fn grammar_of(format: Format) -> Grammar {
    match (format, format.delimiter()) {
        (_, Some(delimiter)) => Grammar::Rows(delimiter),
        (Format::Jsonl, None) => Grammar::FilledLines,
        (_, None) => Grammar::Lines,
    }
}

/// Reads the header of a table; `file` has the body.
fn header_of(
    path: &Path,
    format: Format,
    found: &Found,
    file: Option<&File>,
    limit: u64,
    decided: Decided,
) -> Result<Option<Arc<Header>>> {
    let (Some(delimiter), Some((span, true_bytes)), Some(file)) = (format.delimiter(), &found.header, file) else {
        return Ok(None);
    };
    if *true_bytes > limit {
        return Err(source_error(
            path,
            format!(
                "has a header of {true_bytes} bytes, and the limit of a record is {limit}; raise --max-record-bytes"
            ),
        ));
    }
    let mut bytes = vec![0; (span.end - span.start) as usize];
    file.read_exact_at(&mut bytes, span.start)
        .map_err(|error| unreadable(path, &error))?;
    let header = Header::read(bytes, delimiter, decided).map_err(|message| source_error(path, message))?;
    Ok(Some(Arc::new(header)))
}

/// Reads a stream to its end, decompresses it, and scans it on its way to a temporary file. Where the name does not tell
/// the compression (`named`), the first bytes do.
fn spool(
    spec: &SourceSpec,
    format: Format,
    named: Option<Compression>,
    input: &mut dyn Read,
    limit: u64,
    columns: &mut Columns,
    progress: &mut Progress<'_, '_>,
) -> Result<Source> {
    let path = spec.path.as_path();
    let first = columns.len();
    let mut head = [0; 4];
    let head_bytes = fill(input, &mut head).map_err(|error| unreadable(path, &error))?;
    let head = &head[..head_bytes];
    if let Some(named) = named {
        check_magic(path, named, head)?;
    }
    let compression = Compression::of_magic(head);
    let packed_bytes = Cell::new(0);
    let packed = BufReader::with_capacity(
        256 << 10,
        head.chain(Counted {
            input,
            bytes: &packed_bytes,
        }),
    );
    let mut stream: Box<dyn Read + '_> = match compression {
        Compression::Plain => Box::new(packed),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
        Compression::Zstd => Box::new(zstd_decoder(packed).map_err(|error| unreadable(path, &error))?),
    };

    let mut chunk = vec![0; CHUNK_BYTES];
    let mut bytes_read = 0;
    let mut start = [0; HEAD_BYTES];
    let wide = match spec.encoding {
        Asked::Utf8 => None,
        Asked::Auto | Asked::Named(_) => {
            let (filled, error) = fill_counted(&mut stream, &mut start);
            if let Some(error) = error {
                return Err(broken(path, compression, filled as u64, &error));
            }
            let wide = utf16_of(&start[..filled], spec.encoding);
            let again = io::Cursor::new(start[..filled].to_vec()).chain(stream);
            stream = match wide {
                Some(encoding) => Box::new(FromUtf16::new(again, encoding)),
                None => Box::new(again),
            };
            wide
        }
    };
    let mut finder = Finder::new(if wide.is_some() { Asked::Utf8 } else { spec.encoding });
    let mut read = |chunk: &mut [u8], bytes_read: &mut u64| match fill_counted(&mut stream, chunk) {
        (filled, None) => {
            *bytes_read += filled as u64;
            Ok(filled)
        }
        (filled, Some(error)) => Err(broken(path, compression, *bytes_read + filled as u64, &error)),
    };
    let mut filled = read(&mut chunk, &mut bytes_read)?;
    // The mark of UTF-16 has become that of UTF-8.
    let asked = if wide.is_some() { Asked::Utf8 } else { spec.encoding };
    check_encoding(path, &chunk[..filled], asked)?;
    let bom = chunk[..filled].starts_with(BOM);
    let mut skip = if bom { BOM.len() } else { 0 };
    let spool = Spool::new().map_err(|error| no_spool(path, &error))?;
    let mut scanner = Scanner::new(columns, Some(spool), grammar_of(format), limit, 0);
    let mut next_tick = 0;
    while filled > 0 {
        finder.feed(&chunk[skip..filled]);
        scanner
            .feed(&chunk[skip..filled])
            .map_err(|error| no_spool(path, &error))?;
        skip = 0;
        if bytes_read >= next_tick {
            progress
                .ctx
                .tick("read", progress.done + packed_bytes.get(), progress.total)?;
            next_tick = bytes_read + TICK_BYTES;
        }
        filled = read(&mut chunk, &mut bytes_read)?;
    }
    let finished = scanner.finish(None).and_then(|(found, spool)| {
        let file = spool.map(Spool::finish).transpose()?;
        Ok((found, file))
    });
    let (found, file) = finished.map_err(|error| no_spool(path, &error))?;
    let decided = match wide {
        Some(encoding) => Decided {
            encoding,
            detected: spec.encoding == Asked::Auto,
            ascii: false,
        },
        None => finder.finish(),
    };
    let header = header_of(path, format, &found, file.as_ref(), limit, decided)?;
    let body = file.map_or_else(|| Body::Memory(Arc::default()), |file| Body::Spooled(Arc::new(file)));
    Ok(Source {
        path: path.to_path_buf(),
        format: RecordFormat::Lines(format),
        body,
        first,
        bom,
        header,
        stamp: None,
        asked: spec.encoding,
        decided,
        bytes_read,
        found,
    })
}

fn zstd_decoder<R: io::BufRead>(packed: R) -> io::Result<zstd::stream::read::Decoder<'static, R>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
    Ok(decoder)
}

/// Counts what is read from a source as it lies on disk.
struct Counted<'a> {
    input: &'a mut dyn Read,
    bytes: &'a Cell<u64>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.bytes.set(self.bytes.get() + read as u64);
        Ok(read)
    }
}

/// Reads until the buffer is full or the source at its end.
fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    match fill_counted(input, buffer) {
        (filled, None) => Ok(filled),
        (_, Some(error)) => Err(error),
    }
}

/// As [`fill`], but tells how far it came when it failed.
fn fill_counted(input: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}

/// The first bytes of a file, without moving where it is read.
fn fill_at(file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

pub(super) fn source_error(path: &Path, message: impl Into<String>) -> Error {
    Error::Source {
        path: path.to_path_buf(),
        message: message.into(),
    }
}

/// The source is not what it was when it was opened.
pub(super) fn changed(path: &Path) -> Error {
    source_error(
        path,
        "changed while it was read; let whatever writes it finish, then run again",
    )
}

/// A failure of opening or reading.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::NotFound => "does not exist; check the name".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "may not be read; grant the right to read it, or run as its owner".to_owned()
        }
        _ => format!("cannot be read: {error}; check the file and the disk it is on"),
    };
    source_error(path, message)
}

/// A failure of the stream itself: cut off or corrupt where it is compressed.
fn broken(path: &Path, compression: Compression, done: u64, error: &io::Error) -> Error {
    if compression == Compression::Plain {
        return unreadable(path, error);
    }
    let word = compression.word();
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof => format!("the {word} data is cut off"),
        _ => format!("the {word} data is corrupt ({error})"),
    };
    let message = format!("{what} after {done} decompressed bytes; nothing was done: fetch or write the file again");
    source_error(path, message)
}

/// A failure of the temporary file a source is spooled to.
pub(super) fn no_spool(path: &Path, error: &io::Error) -> Error {
    let folder = std::env::temp_dir();
    let why = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "has no room left".to_owned(),
        _ => format!("cannot be written: {error}"),
    };
    source_error(
        path,
        format!(
            "is decompressed or copied to a temporary file first, and the temporary folder {} {why}; free some space, or \
             set TMPDIR to a folder with room",
            folder.display()
        ),
    )
}
