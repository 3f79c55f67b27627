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

/// Tells the system that a file is not read again, so that it need not keep what it has of it. As [`will_read`], it is no more than
/// advice.
pub fn done_with(file: &File) {
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}
