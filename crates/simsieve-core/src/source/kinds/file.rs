//! A source whose body is one file: itself, or the spool that its bytes were copied to.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use super::source::Source;
use crate::base::error::Result;
use crate::base::os::{FileAt, will_read};
use crate::source::error::{changed, unread, unreadable};
use crate::source::format::encoding::SourceEncoding;
use crate::source::format::quoting::Quoted;
use crate::source::format::scan::Scan;
use crate::source::format::{Format, Header, Layout, RecordFormat, SourceSpec};
use crate::source::identity::Identity;
use crate::source::profile::Profile;
use crate::source::spans::Spans;
use crate::source::spool::Spooled;

/// Where the bytes of a source are.
#[derive(Debug)]
pub(in crate::source) enum Body {
    /// In the file itself.
    InPlace(File),
    /// In a spool, which nobody else writes to. Sources of one spool share it.
    Spooled(Arc<Spooled>),
}

/// A plain file, a compressed one, a stream, or rows.
#[derive(Debug)]
pub(in crate::source) struct FileSource {
    pub(in crate::source) body: Body,
    pub(in crate::source) identity: Identity,
    pub(in crate::source) profile: Arc<Profile>,
    pub(in crate::source) spans: Arc<Spans>,
}

/// What was found of a source of lines by reading it to its end.
pub(in crate::source) struct Scanned {
    /// Whether it begins with a byte order mark.
    pub(in crate::source) bom: bool,
    /// Its bytes, decompressed.
    pub(in crate::source) bytes_read: u64,
    pub(in crate::source) encoding: SourceEncoding,
    /// The first row of a table.
    pub(in crate::source) header: Option<Arc<Header>>,
    pub(in crate::source) quoted: Quoted,
    pub(in crate::source) scan: Scan,
    pub(in crate::source) spans: Spans,
}

impl FileSource {
    /// A source of lines in a format, with a limit for each record. A spool has only the head of a record beyond the limit.
    pub(in crate::source) fn of_lines(
        spec: &SourceSpec,
        (format, limit): (Format, u64),
        body: Body,
        identity: Identity,
        scanned: Scanned,
    ) -> Self {
        let Scanned {
            bom,
            bytes_read,
            encoding,
            header,
            quoted,
            scan,
            mut spans,
        } = scanned;
        spans.shrink();
        let layout = Layout {
            choice: spec.encoding,
            encoding,
            header,
            ..Layout::new(RecordFormat::Lines(format), limit)
        };
        let profile = Profile {
            bom,
            cuts_overlong: matches!(body, Body::Spooled(_)),
            of_memory: spec.of_memory,
            quoted,
            scan,
            ..Profile::new(&spec.path, layout, bytes_read)
        };
        Self {
            body,
            identity,
            profile: Arc::new(profile),
            spans: Arc::new(spans),
        }
    }
}

impl Source for FileSource {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn profile(&self) -> &Arc<Profile> {
        &self.profile
    }

    fn spans(&self) -> &Arc<Spans> {
        &self.spans
    }

    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> Result<()> {
        let read = match &self.body {
            Body::InPlace(file) => file.read_exact_at(buffer, start),
            Body::Spooled(copy) => copy.read_exact_at(buffer, start),
        };
        read.map_err(|error| unread(&self.profile.path, &error))
    }

    fn announce(&self, span: Range<u64>) {
        match &self.body {
            Body::InPlace(file) => will_read(file, span),
            Body::Spooled(copy) => copy.announce(span),
        }
    }

    /// A spool has the source as it was when it was opened.
    fn check_unchanged(&self) -> Result<()> {
        match &self.body {
            Body::InPlace(file) => check_same(file, &self.identity, &self.profile.path),
            Body::Spooled(_) => Ok(()),
        }
    }
}

/// Makes sure that an open file is the one that was found.
pub(in crate::source) fn check_same(file: &File, identity: &Identity, path: &std::path::Path) -> Result<()> {
    let now = Identity::of_file(file).map_err(|error| unreadable(path, &error))?;
    if now.as_ref() == Some(identity) {
        Ok(())
    } else {
        Err(changed(path))
    }
}
