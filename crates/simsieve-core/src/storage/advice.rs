//! What the system is told of reads to come.

use std::fs::File;
use std::ops::Range;

/// Tells the system that a part of a file is read soon. It is no more than advice: where it cannot be given, nothing happens.
pub fn will_read(file: &File, span: Range<u64>) {
    #[cfg(target_os = "linux")]
    if let Some(length) = std::num::NonZeroU64::new(span.end.saturating_sub(span.start)) {
        let _ = rustix::fs::fadvise(file, span.start, Some(length), rustix::fs::Advice::WillNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, span);
}
