//! Several sources in order: the records of a run, by position.
//!
//! In come sources or texts, once; out go blocks of bytes by position, from several threads at a time.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::member::Member;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::os;
use crate::source::failure::{Cause, Failure};
use crate::source::format::csv::Header;
use crate::source::format::encoding::SourceEncoding;
use crate::source::format::record::{Fields, Record};
use crate::source::format::scan::Terminator;
use crate::source::format::{Format, RecordFormat, SourceSpec, parse_file};
use crate::source::identity::{Inode, RowsDigest};
use crate::source::kinds::block::Block;
use crate::source::kinds::memory::MemorySource;
use crate::source::kinds::source::{Source, check_ascending, not_a_block, read_from};
use crate::source::opening::open::Stdin;
use crate::source::opening::open_all::open_all;
use crate::source::profile::{FileRecord, LeftOut, Location, Profile, file_values};
use crate::source::spans::Spans;

/// All sources of a run. Takes 2.25 bytes a record in the mean; the texts stay where they are.
#[derive(Debug)]
pub struct Sources {
    members: Vec<Member>,
    /// The sources from here on are old: see [`Sources::against`].
    old_from: usize,
    /// The fields that hold the text of old records, where others than asked for do.
    old_text: Vec<String>,
}

impl Sources {
    /// Opens every source, checks it, and finds its records. A record of more than `max_record_bytes` (its terminator not
    /// counted) is never loaded whole and fails when it is parsed. Stage `read` counts bytes as they are on
    /// disk.
    pub fn open(specs: &[SourceSpec], max_record_bytes: u64, ctx: &Context<'_>) -> Result<Self> {
        let mut stdin = io::stdin().lock();
        Self::open_with(specs, max_record_bytes, (&mut stdin, os::stdin()), ctx)
    }

    /// As [`Sources::open`], with the stream that `-` means, and the same as a file where it is one.
    pub(in crate::source) fn open_with(
        specs: &[SourceSpec],
        limit: u64,
        stdin: (&mut dyn Read, Option<File>),
        ctx: &Context<'_>,
    ) -> Result<Self> {
        let (stream, file) = stdin;
        open_all(specs, Stdin { stream, file }, limit, ctx).map(Self::of)
    }

    /// Documents that are in memory already: each text is a record as it is, line breaks and all.
    pub fn from_texts<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        Self::of(vec![Arc::new(MemorySource::of(texts, false))])
    }

    /// The texts of records that are in memory; messages and decisions name the records.
    pub fn from_records<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        Self::of(vec![Arc::new(MemorySource::of(texts, true))])
    }

    /// The records of sources, in their order.
    pub fn of(sources: Vec<Arc<dyn Source>>) -> Self {
        Self::of_parts(sources.into_iter().map(|source| {
            let spans = Arc::clone(source.spans());
            (source, spans)
        }))
    }

    /// Sources and the spans of those of their records that count, in their order.
    fn of_parts(parts: impl Iterator<Item = (Arc<dyn Source>, Arc<Spans>)>) -> Self {
        let mut first = 0;
        let member = |(source, spans): (Arc<dyn Source>, Arc<Spans>)| {
            let member = Member {
                first,
                profile: Arc::clone(source.profile()),
                source,
                spans,
            };
            first = member.end();
            member
        };
        let members: Vec<_> = parts.map(member).collect();
        Self {
            old_from: members.len(),
            members,
            old_text: Vec::new(),
        }
    }

    /// The first `count` of these records, at their positions; all sources stay. Both read the same open files.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let part = |member: &Member| {
            let wanted = count.saturating_sub(member.first);
            let spans = if wanted < member.spans.len() {
                Arc::new(member.spans.first(wanted))
            } else {
                Arc::clone(&member.spans)
            };
            (Arc::clone(&member.source), spans)
        };
        Self {
            old_from: self.old_from,
            old_text: self.old_text.clone(),
            ..Self::of_parts(self.members.iter().map(part))
        }
    }

    /// The records of one of [`Sources::counts`], from position 0 on; `None` where there is none. Both read the same open files.
    pub fn only(&self, source: usize) -> Option<Self> {
        let part = |member: &Member| (Arc::clone(&member.source), Arc::clone(&member.spans));
        let members = self.members.chunk_by(|_, next| next.profile.goes_on).nth(source)?;
        Some(Self::of_parts(members.iter().map(part)))
    }

    /// The new sources, in order: the name that the user gave, and the number of records. Ranges of a collection are one.
    pub fn counts(&self) -> impl Iterator<Item = (&Path, usize)> {
        let new = self.members[..self.old_from].chunk_by(|_, next| next.profile.goes_on);
        let len = |members: &[Member]| members.iter().map(|member| member.spans.len()).sum();
        new.map(move |members| (members[0].profile.path.as_path(), len(members)))
    }

    /// These records, which keep their positions, followed by the old ones, with which they are compared. Both read the same
    /// open files; nothing is copied.
    #[must_use]
    pub fn against(&self, old: &Self) -> Self {
        let members = self.members.iter().chain(&old.members);
        Self {
            old_from: self.members.len(),
            ..Self::of_parts(members.map(|member| (Arc::clone(&member.source), Arc::clone(&member.spans))))
        }
    }

    /// Other new records, followed by the old ones of these.
    #[must_use]
    pub fn with_new(&self, new: &Self) -> Self {
        let members = new.members.iter().chain(&self.members[self.old_from..]);
        Self {
            old_from: new.members.len(),
            ..Self::of_parts(members.map(|member| (Arc::clone(&member.source), Arc::clone(&member.spans))))
        }
    }

    /// These records, with other text fields for the old ones.
    #[must_use]
    pub fn with_old_text(self, old_text: Vec<String>) -> Self {
        Self { old_text, ..self }
    }

    /// The sources, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Source>> {
        self.members.iter().map(|member| &member.source)
    }

    /// Whether these were made by [`Sources::against`], even if there are no old records.
    pub fn is_against(&self) -> bool {
        self.old_from < self.members.len()
    }

    /// How many records are new: all of them, unless these were made by [`Sources::against`]. The new records have the
    /// positions below, the old ones those from here on.
    pub fn new_len(&self) -> usize {
        if self.is_against() {
            self.members[self.old_from].first
        } else {
            self.len()
        }
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.members.last().map_or(0, Member::end)
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of all sources, decompressed.
    pub fn bytes_read(&self) -> u64 {
        self.members.iter().map(|member| member.profile.bytes_read).sum()
    }

    /// A digest of the content of all sources. Rows have the same digest however many spools took them.
    pub fn digest(&self) -> u128 {
        let mut digest = RowsDigest::default();
        for member in &self.members {
            let is_rows = member.profile.layout.format == RecordFormat::Row;
            let rows = if is_rows { member.source.spans().len() } else { 1 };
            digest.join(member.source.identity().digest, rows);
        }
        digest.get()
    }

    /// Lines that are no records because they are white space only (JSON lines).
    pub fn blank_lines(&self) -> u64 {
        self.members.iter().map(|member| member.profile.scan.blank_lines).sum()
    }

    /// What is in folders and is no record.
    pub fn left_out(&self) -> LeftOut {
        let each = self.members.iter().map(|member| &member.profile.left_out);
        each.fold(LeftOut::default(), LeftOut::with)
    }

    /// The files that are read.
    pub fn inodes(&self) -> HashSet<Inode> {
        self.iter().flat_map(|source| source.inodes()).collect()
    }

    /// Whether the first source begins with a byte order mark.
    pub fn has_bom(&self) -> bool {
        self.members.first().is_some_and(|member| member.profile.bom)
    }

    /// All sources that have a name of their own, in order.
    pub(crate) fn named(&self) -> impl Iterator<Item = &Path> {
        let profiles = self.members.iter().map(|member| &*member.profile);
        let named = profiles.filter(|profile| profile.layout.format != RecordFormat::Raw);
        named.map(|profile| profile.path.as_path())
    }

    /// The new sources as the user named them, in order.
    pub fn source_names(&self) -> impl Iterator<Item = &Path> {
        self.new_profiles().map(|profile| profile.path.as_path())
    }

    /// Name, encoding, and whether that was detected, of every source for which one was asked. Of a folder it is each encoding other
    /// than UTF-8 that was found in it, and the name has the number of files.
    pub fn encodings(&self) -> impl Iterator<Item = (PathBuf, &'static str, bool)> {
        self.members.iter().flat_map(|member| member.profile.encodings())
    }

    /// Of every table with fields that begin with a quote: its name, whether quotes are around fields, how many rows would fail
    /// if they were, how many such fields hold what looks like rows, and how many lines follow the first one in these.
    pub fn quotes(&self) -> impl Iterator<Item = (&Path, bool, u64, u64, u64)> {
        self.members.iter().filter_map(|member| member.profile.quotes())
    }

    /// Name and sign between fields of every table.
    pub fn delimiters(&self) -> impl Iterator<Item = (&Path, u8)> {
        let profiles = self.members.iter().map(|member| &*member.profile);
        profiles.filter_map(|Profile { path, layout, .. }| {
            Some((path.as_path(), layout.header.as_ref()?.dialect().delimiter))
        })
    }

    /// Cuts all positions into consecutive blocks, each of one source: see [`Source::blocks`].
    pub fn blocks(&self, max_bytes: u64) -> Vec<Range<usize>> {
        let mut blocks = Vec::new();
        for member in &self.members {
            let of_source = member.source.blocks(max_bytes).into_iter();
            let counted = of_source.take_while(|range| range.start < member.spans.len());
            let placed = counted.map(|range| range.start + member.first..(range.end + member.first).min(member.end()));
            blocks.extend(placed);
        }
        blocks
    }

    /// Reads one of [`Sources::blocks`], or a part of one, in a single read.
    pub fn read<'b>(&'b self, range: Range<usize>, buffer: &'b mut Vec<u8>) -> Result<Block<'b>> {
        let Some(Member { first, source, .. }) = self.members.get(self.source_of(range.start)) else {
            return Err(not_a_block(&range));
        };
        if range.start < *first {
            return Err(not_a_block(&range));
        }
        let block = source.read(range.start - first..range.end.max(range.start) - first, buffer)?;
        Ok(block.from(*first))
    }

    /// Reads one record, without its terminator; of a record beyond the limit only the head.
    pub fn read_record<'b>(&'b self, position: usize, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        let block = self.read(position..position + 1, buffer)?;
        Ok(block.record(position))
    }

    /// Reads records by ascending positions, and passes each to `each`. Those of one source are fetched together, in
    /// batches of about `max_bytes` that are read: see [`Source::fetch`].
    ///
    /// # Errors
    /// As [`Source::fetch`], and the first error of `each`.
    pub fn fetch(
        &self,
        positions: &[usize],
        max_bytes: u64,
        buffer: &mut Vec<u8>,
        mut each: impl FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        check_ascending(positions, self.len())?;
        let mut local = Vec::new();
        let mut rest = positions;
        while let Some(&start) = rest.first() {
            let member = &self.members[self.source_of(start)];
            let (mut bytes, mut end) = (0, 0);
            local.clear();
            for &position in rest.iter().take_while(|position| **position < member.end()) {
                let span = member.spans.loaded(position - member.first);
                bytes += span.end - read_from(end, &span);
                end = span.end;
                if bytes > max_bytes && !local.is_empty() {
                    break;
                }
                local.push(position - member.first);
            }
            let (now, behind) = rest.split_at(local.len());
            let fetched = member.source.fetch(&local, buffer)?;
            for (place, position) in now.iter().enumerate() {
                each(*position, fetched.record(place))?;
            }
            rest = behind;
        }
        Ok(())
    }

    /// Reads at most `max_bytes` of a record, and returns its true length in bytes too.
    pub(crate) fn read_head<'b>(
        &'b self,
        position: usize,
        max_bytes: u64,
        buffer: &'b mut Vec<u8>,
    ) -> Result<(&'b [u8], u64)> {
        let (member, local) = self.member_of(position);
        member.read_head(local, max_bytes, buffer)
    }

    /// Parses the record at `position`, whose bytes the caller has read (see [`Block::record`]).
    pub fn parse<'a>(&self, position: usize, bytes: &'a [u8], fields: &Fields) -> Result<Record<'a>, Failure> {
        let fields = self.fields_of(position < self.new_len(), fields);
        self.parse_bytes(position, bytes, &fields)
            .map_err(|(code, message)| Failure::new(code, msg!("{place}: {message}", place = self.locate(position))))
    }

    /// The fields of a new or of an old record.
    fn fields_of<'f>(&self, is_new: bool, fields: &'f Fields) -> Cow<'f, Fields> {
        if is_new || self.old_text.is_empty() {
            return Cow::Borrowed(fields);
        }
        Cow::Owned(Fields {
            text: self.old_text.clone(),
            ..fields.clone()
        })
    }

    fn parse_bytes<'a>(&self, position: usize, bytes: &'a [u8], fields: &Fields) -> Result<Record<'a>, Cause> {
        let (member, local) = self.member_of(position);
        let layout = &member.profile.layout;
        if let Some(length) = member.spans.overlong(local) {
            return Err(layout.too_long(length));
        }
        if layout.format == RecordFormat::Lines(Format::Text) && !fields.values.is_empty() {
            let modified = member.source.identity().modified;
            let values = file_values(&fields.values, &member.profile.path, modified);
            return Ok(Record {
                values,
                ..layout.parse(bytes, fields)?
            });
        }
        if layout.format != RecordFormat::File {
            return layout.parse(bytes, fields);
        }
        // A file of a folder: its whole text, labelled with its path from the folder on.
        let Some(file) = member.source.file(local) else {
            return layout.parse(bytes, fields);
        };
        if let Some(Failure { code, message }) = file.failure {
            return Err((*code, message.clone()));
        }
        // A name that is no UTF-8 has failed above.
        let name = serde_json::Value::from(&*file.name.to_string_lossy()).to_string();
        Ok(Record {
            id: Some(name.into_bytes().into()),
            values: file_values(&fields.values, &file.path, file.modified),
            ..parse_file(bytes, file.kind, file.encoding, fields)?
        })
    }

    /// The file and line of a record.
    pub fn locate(&self, position: usize) -> Location<'_> {
        let (member, local) = self.member_of(position);
        member.locate(local)
    }

    /// Makes sure that no source has changed since it was opened: see [`Source::check_unchanged`].
    pub fn check_unchanged(&self) -> Result<()> {
        self.iter().try_for_each(|source| source.check_unchanged())
    }

    /// The columns of the first new source that is a table.
    pub fn columns(&self) -> Option<&[String]> {
        self.new_profiles()
            .find_map(|profile| profile.layout.header.as_deref().map(Header::names))
    }

    /// Makes sure that every source has the fields that are wanted. Old records are not ordered, so they need none for that.
    pub fn check_fields(&self, fields: &Fields) -> Result<()> {
        for (at, Member { profile, spans, .. }) in self.members.iter().enumerate() {
            // No texts in memory are no records, too.
            let ordered = at < self.old_from && !(spans.is_empty() && profile.layout.format == RecordFormat::Raw);
            let fields = self.fields_of(at < self.old_from, fields);
            profile.layout.check_fields(&fields, ordered, &profile.path)?;
        }
        Ok(())
    }

    /// The layout of every new source's records, in order.
    pub(crate) fn formats(&self) -> impl Iterator<Item = RecordFormat> {
        self.new_profiles().map(|profile| profile.layout.format)
    }

    /// The encoding of every new source, in order.
    pub(crate) fn source_encodings(&self) -> impl Iterator<Item = SourceEncoding> {
        self.new_profiles().map(|profile| profile.layout.encoding)
    }

    /// The layout of the source a record is in.
    pub(crate) fn format_of(&self, position: usize) -> RecordFormat {
        self.member_of(position).0.profile.layout.format
    }

    /// The encoding of the source a record is in.
    pub(crate) fn encoding_of(&self, position: usize) -> SourceEncoding {
        self.member_of(position).0.profile.layout.encoding
    }

    /// The header of a source that is a table and has one.
    pub(crate) fn header(&self, source: usize) -> Option<&Header> {
        self.members.get(source)?.profile.layout.header.as_deref()
    }

    /// The record as a file, where its source is a folder.
    pub fn file_of(&self, position: usize) -> Option<FileRecord<'_>> {
        let (member, local) = self.member_of(position);
        member.source.file(local)
    }

    /// The index of the source a record is in.
    pub(crate) fn source_of(&self, position: usize) -> usize {
        // Sources without records share their first position with the next one; the last of equals has the record.
        self.members
            .partition_point(|member| member.first <= position)
            .saturating_sub(1)
    }

    /// The true length of a record in bytes if it is beyond the limit.
    pub(crate) fn overlong(&self, position: usize) -> Option<u64> {
        let (member, local) = self.member_of(position);
        member.spans.overlong(local)
    }

    /// A record's span in its source, terminator included.
    ///
    /// # Errors
    /// [`Error::Config`] where the source did not keep it whole.
    pub(crate) fn whole_span(&self, position: usize) -> Result<Range<u64>> {
        let (member, local) = self.member_of(position);
        if member.profile.cuts_overlong && member.spans.overlong(local).is_some() {
            return Err(Error::Config(msg!(
                "{place}: the record is beyond the limit and was not kept whole, so it cannot be written; \
                 raise the limit with {@max_record_bytes}",
                place = self.locate(position)
            )));
        }
        Ok(member.spans.span(local))
    }

    /// Reads bytes of a source; those in memory are lent, not copied.
    pub(crate) fn read_span<'b>(
        &'b self,
        source: usize,
        span: Range<u64>,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        self.members[source].source.read_span(span, buffer)
    }

    /// The terminator to write after a record that has none, if this is one.
    pub(crate) fn missing_terminator(&self, position: usize) -> Option<Terminator> {
        let (member, local) = self.member_of(position);
        let scan = &member.profile.scan;
        let is_open = scan.open_end && local + 1 == member.source.spans().len();
        is_open.then(|| scan.terminator.unwrap_or(Terminator::Lf))
    }

    /// The source a record is in, and its position there.
    pub(in crate::source) fn member_of(&self, position: usize) -> (&Member, usize) {
        let member = &self.members[self.source_of(position)];
        (member, position - member.first)
    }

    fn new_profiles(&self) -> impl Iterator<Item = &Profile> {
        self.members[..self.old_from].iter().map(|member| &*member.profile)
    }
}
