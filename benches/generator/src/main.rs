//! Writes large collections with known copies: `generator FILE --documents N [--pages] [--seed S] [--shards K] [--truth FILE] [--bson]`.
//!
//! A line of JSON has `id` and `text`. With `--bson` there are documents of BSON, one after another, with `_id` and `text`. With `--shards K` the files are `NAME-00000.EXT` and so on; a name that ends in `.zst` is
//! compressed. `--truth` writes an unsigned 32-bit number for each document, little-endian: the number of its original, and in the
//! highest bit whether it is an exact copy. `--only FILE` writes the documents whose numbers that file has, one a line, and no
//! others. Equal arguments give equal bytes, whatever the number of threads.

mod chance;
mod documents;
mod words;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::Instant;

use documents::{Documents, Form, Kind};

/// The documents that a thread writes at a time.
const PIECE: u64 = 20_000;
const EXACT: u32 = 1 << 31;

struct Arguments {
    path: PathBuf,
    documents: u64,
    seed: u64,
    shards: u64,
    form: Form,
    truth: Option<PathBuf>,
    only: Option<PathBuf>,
    bson: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut found = Arguments {
        path: PathBuf::new(),
        documents: 1_000_000,
        seed: 1,
        shards: 1,
        form: Form::Questions,
        truth: None,
        only: None,
        bson: false,
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let mut value = || given.next().ok_or(format!("{name} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("{text:?} is no number"));
        match name.as_str() {
            "--documents" => found.documents = number(value()?)?,
            "--seed" => found.seed = number(value()?)?,
            "--shards" => found.shards = number(value()?)?.max(1),
            "--truth" => found.truth = Some(value()?.into()),
            "--only" => found.only = Some(value()?.into()),
            "--pages" => found.form = Form::Pages,
            "--bson" => found.bson = true,
            _ if name.starts_with('-') || found.path != PathBuf::new() => {
                return Err(format!("unknown argument {name:?}"));
            }
            _ => found.path = name.into(),
        }
    }
    if found.path == PathBuf::new() || found.documents > u64::from(EXACT) {
        return Err(
            "usage: generator FILE --documents N [--pages] [--seed S] [--shards K] [--truth FILE] [--bson]; N is at most 2^31"
                .into(),
        );
    }
    Ok(found)
}

/// What a thread has made: the lines of a piece, and its truth.
struct Piece {
    lines: Vec<u8>,
    truth: Vec<u8>,
}

fn line(documents: &Documents, number: u64, lines: &mut String) {
    write!(lines, "{{\"id\": \"q{number:09}\", \"text\": \"").expect("a string takes everything");
    documents.write(number, lines);
    lines.push_str("\"}\n");
}

/// Write the documents that a file names.
fn write_only(numbers: &Path, given: &Arguments) -> io::Result<u64> {
    let documents = Documents::new(given.form, given.seed);
    let mut lines = String::new();
    for number in std::fs::read_to_string(numbers)?.lines() {
        line(&documents, number.parse().map_err(io::Error::other)?, &mut lines);
    }
    std::fs::write(&given.path, &lines)?;
    Ok(lines.len() as u64)
}

/// Appends a document of BSON; `text` is room that it may use.
fn bson(documents: &Documents, number: u64, text: &mut String, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    for name in ["_id", "text"] {
        text.clear();
        if name == "_id" {
            write!(text, "q{number:09}").expect("a string takes everything");
        } else {
            documents.write(number, text);
        }
        out.push(2);
        out.extend_from_slice(name.as_bytes());
        out.push(0);
        out.extend_from_slice(&(text.len() as u32 + 1).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
        out.push(0);
    }
    out.push(0);
    let length = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

fn piece(documents: &Documents, first: u64, end: u64, given: &Arguments, compressed: bool) -> io::Result<Piece> {
    let (mut lines, mut text, mut binary) = (String::new(), String::new(), Vec::new());
    let mut truth = Vec::with_capacity(4 * (end - first) as usize);
    for number in first..end {
        if given.bson {
            bson(documents, number, &mut text, &mut binary);
        } else {
            line(documents, number, &mut lines);
        }
        let (kind, original) = documents.truth(number);
        let exact = if kind == Kind::Exact { EXACT } else { 0 };
        truth.extend_from_slice(&(original as u32 | exact).to_le_bytes());
    }
    // Frames of Zstandard that follow one another are one stream.
    let lines = if given.bson { binary } else { lines.into_bytes() };
    let lines = if compressed {
        zstd::bulk::compress(&lines, 3)?
    } else {
        lines
    };
    Ok(Piece { lines, truth })
}

fn shard_path(path: &Path, shard: u64, shards: u64) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, "jsonl"));
    if shards == 1 {
        path.to_owned()
    } else {
        path.with_file_name(format!("{stem}-{shard:05}.{ending}"))
    }
}

fn run(given: &Arguments) -> io::Result<u64> {
    let documents = Documents::new(given.form, given.seed);
    let compressed = given.path.extension().is_some_and(|ending| ending == "zst");
    let mut truth = given.truth.as_ref().map(File::create).transpose()?.map(BufWriter::new);
    let threads = std::thread::available_parallelism()?.get() as u64;
    let mut size = 0;
    for shard in 0..given.shards {
        let (start, end) = (
            given.documents * shard / given.shards,
            given.documents * (shard + 1) / given.shards,
        );
        let mut file = File::create(shard_path(&given.path, shard, given.shards))?;
        let pieces = (end - start).div_ceil(PIECE);
        // One channel a thread keeps the order: piece p comes from thread p modulo their number.
        std::thread::scope(|scope| {
            let channels: Vec<_> = (0..threads)
                .map(|thread| {
                    let (send, receive) = sync_channel(2);
                    let documents = &documents;
                    scope.spawn(move || {
                        for at in (thread..pieces).step_by(threads as usize) {
                            let first = start + at * PIECE;
                            let made = piece(documents, first, end.min(first + PIECE), given, compressed);
                            if send.send(made).is_err() {
                                break;
                            }
                        }
                    });
                    receive
                })
                .collect();
            for at in 0..pieces {
                let made = channels[(at % threads) as usize].recv().map_err(io::Error::other)??;
                file.write_all(&made.lines)?;
                size += made.lines.len() as u64;
                if let Some(truth) = &mut truth {
                    truth.write_all(&made.truth)?;
                }
            }
            io::Result::Ok(())
        })?;
    }
    truth.map_or(Ok(()), |mut file| file.flush())?;
    Ok(size)
}

fn main() {
    let given = arguments().unwrap_or_else(|message| {
        eprintln!("generator: {message}");
        std::process::exit(2)
    });
    let start = Instant::now();
    let written = given
        .only
        .as_ref()
        .map_or_else(|| run(&given), |numbers| write_only(numbers, &given));
    match written {
        Ok(size) => {
            let seconds = start.elapsed().as_secs_f64();
            let megabytes = size as f64 / 1e6;
            eprintln!(
                "{} documents, {megabytes:.1} MB, {seconds:.1} s, {:.0} MB/s",
                given.documents,
                megabytes / seconds
            );
        }
        Err(error) => {
            eprintln!("generator: {}: {error}", given.path.display());
            std::process::exit(1)
        }
    }
}
