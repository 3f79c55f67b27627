//! Documents that are in memory already: each text is a record as it is, line breaks and all.

use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::source::Source;
use crate::base::error::Result;
use crate::source::format::{Layout, RecordFormat};
use crate::source::identity::Identity;
use crate::source::profile::Profile;
use crate::source::spans::Spans;

/// Texts, one after another.
#[derive(Debug)]
pub(in crate::source) struct MemorySource {
    bytes: Vec<u8>,
    identity: Identity,
    profile: Arc<Profile>,
    spans: Arc<Spans>,
}

impl MemorySource {
    pub(in crate::source) fn of<S: AsRef<str>>(texts: impl IntoIterator<Item = S>, of_memory: bool) -> Self {
        let mut spans = Spans::default();
        let mut bytes = Vec::new();
        let mut digest = Xxh3::new();
        for text in texts {
            let text = text.as_ref().as_bytes();
            spans.push(bytes.len() as u64, text.len() as u64);
            bytes.extend_from_slice(text);
            digest.update(&(text.len() as u64).to_le_bytes());
        }
        spans.shrink();
        digest.update(&bytes);
        let size = bytes.len() as u64;
        let mut profile = Profile::new(Path::new("texts"), Layout::new(RecordFormat::Raw, u64::MAX), size);
        profile.of_memory = of_memory;
        Self {
            bytes,
            identity: Identity::of_bytes(size, &digest),
            profile: Arc::new(profile),
            spans: Arc::new(spans),
        }
    }
}

impl Source for MemorySource {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn profile(&self) -> &Arc<Profile> {
        &self.profile
    }

    fn spans(&self) -> &Arc<Spans> {
        &self.spans
    }

    fn lent(&self) -> Option<&[u8]> {
        Some(&self.bytes)
    }

    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> Result<()> {
        buffer.copy_from_slice(&self.bytes[start as usize..][..buffer.len()]);
        Ok(())
    }

    /// Nobody else can write to the texts.
    fn check_unchanged(&self) -> Result<()> {
        Ok(())
    }
}
