//! Sources that are copied to a temporary file while they are scanned: streams, compressed files, UTF-16.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::base::error::{Error, Result};
use crate::source::error::{broken, no_spool, unreadable};
use crate::source::format::array::ArrayLines;
use crate::source::format::detect::{check_encoding, check_magic};
use crate::source::format::encoding::{BOM, EncodingChoice, EncodingProbe, FromUtf16, SourceEncoding, utf16_of};
use crate::source::format::scan::Scanner;
use crate::source::format::sniff::dialect_of;
use crate::source::format::{Format, SourceSpec};
use crate::source::identity::Identity;
use crate::source::kinds::file::{Body, FileSource, Scanned, check_same};
use crate::source::reading::pass::{
    Again, CHUNK_BYTES, HEAD_BYTES, ReadProgress, TICK_BYTES, fill, fill_counted, grammar_of,
};
use crate::source::spans::Spans;
use crate::source::spool::Spool;
use crate::storage::compression::Compression;

/// The largest window of a zstd frame that is decoded, as `zstd --long=31` writes it: dumps of whole web sites are packed so.
/// It bounds the decoder's memory to 2 GiB, which only such files take.
const ZSTD_WINDOW_LOG: u32 = 31;

/// What is spooled.
pub(in crate::source) struct Input<'a> {
    pub(in crate::source) stream: &'a mut dyn Read,
    /// The file that the stream is, where it is a regular one, as it was before the first byte was read.
    pub(in crate::source) file: Option<(&'a File, Identity)>,
    /// The compression that the name gives. Where it gives none, the first bytes do.
    pub(in crate::source) named: Option<Compression>,
}

/// Reads a stream to its end, or until it has as many records as are wanted, decompresses it, and scans it on its way to a temporary file.
pub(in crate::source) fn spool(
    spec: &SourceSpec,
    format: Format,
    input: Input<'_>,
    limit: u64,
    progress: &ReadProgress<'_>,
) -> Result<FileSource> {
    let path = spec.path.as_path();
    let Input { stream, file, named } = input;
    let known = file.map(|(_, identity)| identity);
    let made = copy(spec, format, (stream, named, known), limit, progress);
    // A file that is written meanwhile may look cut off or corrupt, or end in half a record. It is the change that counts.
    if let Some((file, identity)) = file
        && !matches!(made, Err(Error::Interrupted))
    {
        check_same(file, &identity, path)?;
    }
    made
}

#[allow(
    clippy::too_many_lines,
    reason = "one stream from its first byte to its last: each step takes what the former left"
)]
fn copy(
    spec: &SourceSpec,
    format: Format,
    (input, named, known): (&mut dyn Read, Option<Compression>, Option<Identity>),
    limit: u64,
    progress: &ReadProgress<'_>,
) -> Result<FileSource> {
    let path = spec.path.as_path();
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
        Compression::Gzip => Box::new(Members::new(packed)),
        Compression::Zstd => Box::new(zstd_decoder(packed).map_err(|error| unreadable(path, &error))?),
    };

    let mut chunk = vec![0; CHUNK_BYTES];
    let mut bytes_read = 0;
    let mut start = [0; HEAD_BYTES];
    let wide = match spec.encoding {
        EncodingChoice::Utf8 => None,
        EncodingChoice::Auto | EncodingChoice::Named(_) => {
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
    if format == Format::Json {
        if let (None, EncodingChoice::Named(encoding)) = (wide, spec.encoding) {
            return Err(Error::Config(msg!(
                "{path}: a JSON list is read in UTF-8 and UTF-16, and {@`encoding`} is {name}; leave \
                 that out, or convert the file",
                path = path.display(),
                name = encoding.name()
            )));
        }
        stream = Box::new(ArrayLines::new(stream));
    }
    // What was UTF-16 is UTF-8 from here on, and so is its mark.
    let choice = if wide.is_some() || format == Format::Json {
        EncodingChoice::Utf8
    } else {
        spec.encoding
    };
    let mut probe = EncodingProbe::new(choice);
    let mut read = |chunk: &mut [u8], bytes_read: &mut u64| match fill_counted(&mut stream, chunk) {
        (filled, None) => {
            *bytes_read += filled as u64;
            Ok(filled)
        }
        (filled, Some(error)) => Err(broken(path, compression, *bytes_read + filled as u64, &error)),
    };
    let mut filled = read(&mut chunk, &mut bytes_read)?;
    check_encoding(path, &chunk[..filled], choice)?;
    // The mark of a list is before its bracket.
    let bom = format != Format::Json && chunk[..filled].starts_with(BOM);
    let mut skip = if bom { BOM.len() } else { 0 };
    let dialect = dialect_of(format, spec, &chunk[skip..filled]);
    let mut digest = Xxh3::new();
    let mut spans = Spans::default();
    let no_spool = |error: &io::Error| no_spool(path, spec.spool_in.as_deref(), error);
    let new_spool = || Spool::new(spec.spool_in.as_deref());
    let spool = new_spool().map_err(|error| no_spool(&error))?;
    let mut scanner = Scanner::new(&mut spans, Some(spool), grammar_of(format, dialect), limit, 0);
    let mut next_tick = 0;
    while filled > 0 {
        if known.is_none() {
            digest.update(&chunk[..filled]);
        }
        probe.feed(&chunk[skip..filled]);
        scanner.feed(&chunk[skip..filled]).map_err(|error| no_spool(&error))?;
        skip = 0;
        if bytes_read >= next_tick {
            progress.tick(packed_bytes.get())?;
            next_tick = bytes_read + TICK_BYTES;
        }
        if scanner.records() >= spec.most_records {
            break;
        }
        filled = read(&mut chunk, &mut bytes_read)?;
    }
    let finished = scanner.finish(None).and_then(|(scan, spool)| {
        let copy = spool.map_or_else(new_spool, Ok)?.finish()?;
        Ok((scan, copy))
    });
    let (scan, copy) = finished.map_err(|error| no_spool(&error))?;
    let mut again = Again {
        path,
        spans,
        scan,
        start: 0,
        read: &|bytes, start| copy.read_exact_at(bytes, start),
        go_on: &|| progress.tick(packed_bytes.get()),
    };
    let (dialect, quoted) = again.quoting(spec, dialect, limit)?;
    let encoding = match wide {
        Some(encoding) => SourceEncoding {
            detected: spec.encoding == EncodingChoice::Auto,
            ..SourceEncoding::detected(encoding)
        },
        None => again.encoding(probe, bom)?,
    };
    let header = again.header(dialect, limit, encoding)?;
    let Again { spans, scan, .. } = again;
    let identity = known.unwrap_or_else(|| Identity::of_bytes(bytes_read, &digest));
    let scanned = Scanned {
        bom,
        bytes_read,
        encoding,
        header,
        quoted,
        scan,
        spans,
    };
    let body = Body::Spooled(Arc::new(copy));
    Ok(FileSource::of_lines(spec, (format, limit), body, identity, scanned))
}

/// The members of a gzip stream, one after another. Zero bytes after the last one pad it, as on a tape.
struct Members<R> {
    member: Option<flate2::bufread::GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    fn new(packed: R) -> Self {
        Self {
            member: Some(flate2::bufread::GzDecoder::new(packed)),
        }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let mut packed = self.member.take().map(flate2::bufread::GzDecoder::into_inner);
            while let Some(rest) = &mut packed {
                let bytes = rest.fill_buf()?;
                let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
                match (zeros, bytes.len()) {
                    (_, 0) => packed = None,
                    (0, _) => {
                        self.member = packed.take().map(flate2::bufread::GzDecoder::new);
                    }
                    (zeros, _) => rest.consume(zeros),
                }
            }
        }
        Ok(0)
    }
}

fn zstd_decoder<R: io::BufRead>(packed: R) -> io::Result<zstd::stream::read::Decoder<'static, R>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
    Ok(decoder)
}

/// Counts what is read from a source as it is on disk.
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
