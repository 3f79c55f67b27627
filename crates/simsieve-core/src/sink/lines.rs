//! Kept records as lines of text: texts in memory, and the paths of files.

use std::path::Path;
use std::sync::Arc;

use super::target::{Begun, Target};
use super::{Decided, Sink};
use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::source::{BOM, RecordFormat, Sources};

/// Bytes of texts that are read at a time.
const BATCH_BYTES: u64 = 4 << 20;

/// A text file with one record a line.
#[derive(Debug)]
pub struct LineSink {
    target: Target,
    buffer: Vec<u8>,
    positions: Vec<usize>,
    is_empty: bool,
}

impl LineSink {
    /// A sink at this name.
    pub fn new(path: &Path) -> Self {
        Self {
            target: Target::new(path),
            buffer: Vec::new(),
            positions: Vec::new(),
            is_empty: true,
        }
    }
}

impl Sink<Decided<'_>> for LineSink {
    fn check(&self, sources: &Sources) -> Result<()> {
        self.target.check(sources)
    }

    fn begin(&mut self, sources: &Arc<Sources>) -> Result<()> {
        self.target.begin(sources)
    }

    fn write(&mut self, batch: &Decided<'_>) -> Result<()> {
        let Self {
            target,
            buffer,
            positions,
            is_empty,
        } = self;
        let path = target.path().to_path_buf();
        let Begun { sources, file } = target.begun()?;
        let refused = |what: Message| {
            let sink = path.display();
            Error::Config(msg!(
                "{what} has a line break, so it cannot be a line of {sink}; write to a .jsonl file"
            ))
        };
        positions.clear();
        for position in batch.kept() {
            // The sink has the paths of files, so no file is read.
            if sources.format_of(position) != RecordFormat::File {
                positions.push(position);
                continue;
            }
            let name = sources.file_of(position).map(|file| file.path).unwrap_or_default();
            let bytes = name.as_os_str().as_encoded_bytes();
            if bytes.contains(&b'\n') {
                return Err(refused(msg!("the path {name:?}", name = name.display())));
            }
            file.append(bytes)?;
            file.append(b"\n")?;
        }
        sources.fetch(positions, BATCH_BYTES, buffer, |position, text| {
            if text.contains(&b'\n') || text.ends_with(b"\r") {
                return Err(refused(msg!("the text at position {position}")));
            }
            // A first text that begins as a byte order mark would be read as one.
            if *is_empty && text.starts_with(BOM) {
                file.append(BOM)?;
            }
            *is_empty = false;
            file.append(text)?;
            file.append(b"\n")
        })
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.target.commit()
    }
}
