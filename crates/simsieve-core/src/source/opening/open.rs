//! Opening a source that the user names: which kind it is, every check, and the scan of a plain file.
//!
//! In comes a [`SourceSpec`]; out goes a [`Source`]. A source that cannot be read to its end is an error of the whole run.

use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use super::spooled::{Input, spool};
use crate::base::error::Result;
use crate::base::os::{FileAt, done_with, open_at_once};
use crate::source::error::{changed, unreadable};
use crate::source::format::detect::{check_encoding, check_magic, format_of_file};
use crate::source::format::encoding::{BOM, EncodingProbe, utf16_of};
use crate::source::format::scan::Scanner;
use crate::source::format::sniff::dialect_of;
use crate::source::format::{Format, SourceSpec};
use crate::source::identity::{Identity, read_up_to};
use crate::source::kinds::file::{Body, FileSource, Scanned, check_same};
use crate::source::kinds::folder::FolderSource;
use crate::source::kinds::source::Source;
use crate::source::reading::pass::{Again, CHUNK_BYTES, HEAD_BYTES, ReadProgress, TICK_BYTES, fill, grammar_of};
use crate::source::reading::search::FoundFiles;
use crate::source::reading::waiting::{Waiting, unless_stopped};
use crate::source::spans::Spans;
use crate::storage::compression::Compression;

/// Of a file of more bytes that is spooled the system need not keep what it has read: only the spool is read again.
const MOST_CACHED: u64 = 256 << 20;

/// What `-` reads.
pub(in crate::source) struct Stdin<'a> {
    pub(in crate::source) stream: &'a mut dyn Read,
    /// The same stream as a file, which shows whether it is a regular one.
    pub(in crate::source) file: Option<File>,
}

/// Spools standard input.
pub(in crate::source) fn open_stdin(
    spec: &SourceSpec,
    stdin: &mut Stdin<'_>,
    limit: u64,
    progress: &ReadProgress<'_>,
) -> Result<Arc<dyn Source>> {
    let format = spec.format.unwrap_or(Format::Jsonl);
    // A regular file that is redirected to standard input can change like any other.
    let identity = stdin.file.as_ref().map(Identity::of_file).transpose();
    let identity = identity.map_err(|error| unreadable(&spec.path, &error))?.flatten();
    let stopped = Cell::new(None);
    let mut waiting = stdin.file.as_ref().map(|file| Waiting::new(file, progress, &stopped));
    let input = Input {
        stream: match &mut waiting {
            Some(waiting) => waiting,
            None => stdin.stream,
        },
        file: stdin.file.as_ref().zip(identity),
        named: None,
    };
    let source = unless_stopped(spool(spec, format, input, limit, progress), &stopped)?;
    Ok(Arc::new(source))
}

/// Opens a file, and scans it.
pub(in crate::source) fn open_named(
    spec: &SourceSpec,
    limit: u64,
    progress: &mut ReadProgress<'_>,
) -> Result<Arc<dyn Source>> {
    let path = spec.path.as_path();
    if let Some(below) = &spec.below {
        return Ok(Arc::new(FolderSource::of(
            spec,
            FoundFiles::of_file(spec, below)?,
            limit,
            progress,
        )?));
    }
    let file = open_at_once(spec.place()).map_err(|error| unreadable(path, &error))?;
    // Taken before the first byte is read: what is written meanwhile makes another identity.
    let identity = Identity::of_file(&file).map_err(|error| unreadable(path, &error))?;
    let format = format_of_file(spec)?;
    let named = Compression::of_name(path);
    let Some(identity) = identity else {
        // A pipe that is named, such as a shell's <(...): as stdin, except that the name may give the compression.
        let stopped = Cell::new(None);
        let input = Input {
            stream: &mut Waiting::new(&file, &*progress, &stopped),
            file: None,
            named: (named != Compression::Plain).then_some(named),
        };
        let source = unless_stopped(spool(spec, format, input, limit, progress), &stopped)?;
        return Ok(Arc::new(source));
    };
    let mut head = [0; HEAD_BYTES];
    let head_bytes = read_up_to(&file, &mut head, 0).map_err(|error| unreadable(path, &error))?;
    check_magic(path, named, &head[..head_bytes.min(4)])?;
    let is_wide = utf16_of(&head[..head_bytes], spec.encoding).is_some();
    let source = if named == Compression::Plain && !is_wide && format != Format::Json {
        in_place(spec, format, (file, identity), limit, progress)
    } else {
        let input = Input {
            stream: &mut &file,
            file: Some((&file, identity)),
            named: Some(named),
        };
        let source = spool(spec, format, input, limit, progress);
        if identity.size > MOST_CACHED {
            done_with(&file);
        }
        source
    }?;
    progress.done += identity.size;
    Ok(Arc::new(source))
}

/// Scans a plain file where it is.
fn in_place(
    spec: &SourceSpec,
    format: Format,
    (mut file, identity): (File, Identity),
    limit: u64,
    progress: &ReadProgress<'_>,
) -> Result<FileSource> {
    let path = spec.path.as_path();
    let mut probe = EncodingProbe::new(spec.encoding);
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut filled = fill(&mut file, &mut chunk).map_err(|error| unreadable(path, &error))?;
    check_encoding(path, &chunk[..filled], spec.encoding)?;
    let bom = chunk[..filled].starts_with(BOM);
    let mut skip = if bom { BOM.len() } else { 0 };
    let dialect = dialect_of(format, spec, &chunk[skip..filled]);
    let mut spans = Spans::default();
    let mut scanner = Scanner::new(&mut spans, None, grammar_of(format, dialect), limit, skip as u64);
    let mut bytes_read = 0;
    let mut next_tick = 0;
    while filled > 0 {
        probe.feed(&chunk[skip..filled]);
        // Without a spool nothing is written, so nothing can fail here.
        scanner
            .feed(&chunk[skip..filled])
            .map_err(|error| unreadable(path, &error))?;
        skip = 0;
        bytes_read += filled as u64;
        if bytes_read >= next_tick {
            progress.tick(bytes_read)?;
            next_tick = bytes_read + TICK_BYTES;
        }
        if scanner.records() >= spec.most_records {
            break;
        }
        filled = fill(&mut file, &mut chunk).map_err(|error| unreadable(path, &error))?;
    }
    if filled == 0 && bytes_read != identity.size {
        return Err(changed(path));
    }
    let (scan, _) = scanner.finish(Some(&file)).map_err(|error| unreadable(path, &error))?;
    let mut again = Again {
        path,
        spans,
        scan,
        start: if bom { BOM.len() as u64 } else { 0 },
        read: &|bytes, start| file.read_exact_at(bytes, start),
        go_on: &|| progress.tick(bytes_read),
    };
    let found = again.quoting(spec, dialect, limit).and_then(|(dialect, quoted)| {
        let encoding = again.encoding(probe, bom)?;
        Ok((encoding, again.header(dialect, limit, encoding)?, quoted))
    });
    // Before any message on what was found, which may be half of the old bytes and half of the new ones.
    check_same(&file, &identity, path)?;
    let (encoding, header, quoted) = found?;
    let Again { spans, scan, .. } = again;
    let scanned = Scanned {
        bom,
        bytes_read,
        encoding,
        header,
        quoted,
        scan,
        spans,
    };
    Ok(FileSource::of_lines(
        spec,
        (format, limit),
        Body::InPlace(file),
        identity,
        scanned,
    ))
}
