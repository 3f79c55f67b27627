//! Which sink the kept records go to: by its name, the format that is given, and the sources.

use std::path::Path;

use super::folder::{FolderSink, is_folder};
use super::kept::{KeptSink, check_fits};
use super::lines::LineSink;
use super::objects::ObjectSink;
use super::{Decided, Sink};
use crate::base::error::{Error, Result};
use crate::base::message::Shown;
use crate::source::{ENDINGS, Format, NamedFormat, RecordFormat, Sources, format_of_name};
use crate::storage::paths::is_stdio;

/// A sink of kept records, of any kind.
pub type AnyKeptSink = Box<dyn for<'a> Sink<Decided<'a>> + Send>;

/// How kept records come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Byte for byte.
    AsRead,
    /// As JSON objects, one a line; those that are such objects already, byte for byte.
    Objects,
    /// As JSON objects, in a list.
    List,
    /// Texts in memory or paths of files, one a line.
    Lines,
    /// The files of folders in a folder.
    Folder,
}

/// The sink of the kept records in the format that is `given`, or else that its name gives: any sink holds records of its own
/// format, JSON lines hold all. A name without an ending takes every format. With `link` a folder takes hard links.
///
/// # Errors
/// [`Error::Config`] where the sink cannot hold the records.
pub fn kept_sink(sources: &Sources, sink: &Path, given: Option<Format>, link: bool) -> Result<AnyKeptSink> {
    Ok(match way(sources, sink, given)? {
        Way::AsRead => Box::new(KeptSink::new(sink)),
        Way::Objects => Box::new(ObjectSink::new(sink)),
        Way::List => Box::new(ObjectSink::of_list(sink)),
        Way::Lines => Box::new(LineSink::new(sink)),
        Way::Folder => Box::new(FolderSink::new(sink, link)),
    })
}

/// Whether a sink is CSV or TSV and the sources are not: then it takes the fields of the records, and not the records as they are.
///
/// # Errors
/// [`Error::Config`] where the name's ending is none that can be written.
pub fn is_other_table(sources: &Sources, sink: &Path, given: Option<Format>) -> Result<bool> {
    if is_folder(sink) {
        return Ok(false);
    }
    let wanted = wanted_format(sink, given)?;
    let table = wanted.filter(|wanted| matches!(wanted, Format::Csv | Format::Tsv));
    Ok(table.is_some_and(|table| sources.formats().any(|format| format != RecordFormat::Lines(table))))
}

fn way(sources: &Sources, sink: &Path, given: Option<Format>) -> Result<Way> {
    if is_folder(sink) {
        if sources.formats().all(|format| format == RecordFormat::File) && given.is_none() {
            return Ok(Way::Folder);
        }
        let instead = match given {
            Some(_) => "leave output_format out, or name a file in it",
            None => "name a file in it",
        };
        return Err(Error::Config(msg!(
            "the output {sink} is a folder, and only the files of folders can be put there as they are; \
             {instead}",
            sink = sink.display()
        )));
    }
    let wanted = wanted_format(sink, given)?;
    let mut formats = sources.formats();
    let first = formats.next().unwrap_or(RecordFormat::Lines(Format::Jsonl));
    let is_mixed = formats.any(|format| format != first);
    match (first, wanted) {
        _ if is_mixed && wanted == Some(Format::Jsonl) => Ok(Way::Objects),
        _ if is_mixed && wanted == Some(Format::Json) => Ok(Way::List),
        _ if is_mixed => {
            let names: Vec<_> = sources.source_names().map(|name| name.display().to_string()).collect();
            Err(Error::Config(msg!(
                "the sources {names} are of different formats, so their records can be written together only \
                 as JSON lines, and not in the output {sink}; name an output in .jsonl, give {@output_format} \
                 jsonl, or make two runs",
                sink = sink.display()
            )))
        }
        (RecordFormat::Row, _) => Err(Error::Config(msg!(
            "the rows cannot be written to {sink} here; name an output in .parquet",
            sink = sink.display()
        ))),
        (_, Some(Format::Json)) => Ok(Way::List),
        (RecordFormat::Lines(Format::Json), None) => Ok(Way::Objects),
        (RecordFormat::File, None | Some(Format::Text)) | (RecordFormat::Raw, Some(Format::Text)) => Ok(Way::Lines),
        (RecordFormat::Lines(format), wanted) if wanted.is_none_or(|wanted| wanted == format) => {
            check_fits(sources, sink)?;
            Ok(Way::AsRead)
        }
        // The guard above has taken lines for a sink that wants nothing.
        (_, None | Some(Format::Jsonl)) => Ok(Way::Objects),
        (RecordFormat::Lines(format), Some(wanted)) => {
            Err(cannot_hold(sink, given.is_some(), wanted, format.to_string()))
        }
        (RecordFormat::Raw, Some(wanted)) => Err(cannot_hold(sink, given.is_some(), wanted, msg!("texts in memory"))),
        (RecordFormat::File, Some(wanted)) => Err(cannot_hold(sink, given.is_some(), wanted, msg!("a list of files"))),
    }
}

fn cannot_hold(sink: &Path, given: bool, wanted: Format, have: impl Shown) -> Error {
    let how = if given { "is to be" } else { "is named" };
    Error::Config(msg!(
        "the output {sink} {how} {wanted}, but the kept records come out as they are in the sources, as \
         {have}; give it the sources' ending, or .jsonl, which holds all",
        sink = sink.display(),
        wanted = wanted.to_string()
    ))
}

fn wanted_format(sink: &Path, given: Option<Format>) -> Result<Option<Format>> {
    if given.is_some() || is_stdio(sink) {
        return Ok(given);
    }
    match format_of_name(sink) {
        NamedFormat::None => Ok(None),
        NamedFormat::Known(format) => Ok(Some(format)),
        NamedFormat::Unknown(ending) => Err(Error::Config(msg!(
            "the output {sink} ends in .{ending}, which cannot be written; allowed are {endings}, and .parquet",
            sink = sink.display(),
            endings = ENDINGS
        ))),
    }
}
