//! The log of a run directory: a line for each commit, each with its checksum.
//!
//! A line is the XXH3-64 of its JSON in 16 hexadecimal digits, a space, and the JSON. A last line that is cut off was never
//! committed and is removed. Any other line that does not match its checksum is damage.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::Value;

use super::place::LOG;
use crate::base::hash::xxh3_64;
use crate::base::os;
use crate::storage::paths::{check_regular, open_regular};

/// The open log, and what was in it.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) entries: Vec<Value>,
}

/// Opens or creates the log of a directory. `None` where a line before the last is damaged.
pub(super) fn open(folder: &Path) -> io::Result<Option<Opened>> {
    let path = folder.join(LOG);
    if path.exists() {
        check_regular(&path)?;
    }
    let mut options = OpenOptions::new();
    let options = options.read(true).append(true).create(true);
    let Some((opened, whole)) = entries(os::private(options).open(path)?)? else {
        return Ok(None);
    };
    opened.file.set_len(whole as u64)?;
    Ok(Some(opened))
}

/// Reads the log of a directory, and leaves it as it is. `None` where a line before the last is damaged.
pub(super) fn read(folder: &Path) -> io::Result<Option<Opened>> {
    Ok(entries(open_regular(&folder.join(LOG))?)?.map(|(opened, _)| opened))
}

/// The entries of a log, and the bytes of its whole lines.
fn entries(mut file: File) -> io::Result<Option<(Opened, usize)>> {
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let (mut entries, mut whole) = (Vec::new(), 0);
    while let Some(end) = text[whole..].iter().position(|&byte| byte == b'\n') {
        let Some(entry) = parse(&text[whole..whole + end]) else {
            break;
        };
        entries.push(entry);
        whole += end + 1;
    }
    // The line that is cut off is the last.
    let rest = text[whole..].strip_suffix(b"\n").unwrap_or(&text[whole..]);
    if rest.contains(&b'\n') {
        return Ok(None);
    }
    Ok(Some((Opened { file, entries }, whole)))
}

/// Appends an entry, durably.
pub(super) fn append(file: &mut File, entry: &Value) -> io::Result<()> {
    let json = entry.to_string();
    let line = format!("{:016x} {json}\n", xxh3_64(json.as_bytes()));
    file.write_all(line.as_bytes())?;
    file.sync_data()
}

fn parse(line: &[u8]) -> Option<Value> {
    let (checksum, rest) = line.split_at_checked(16)?;
    let json = rest.strip_prefix(b" ")?;
    let checksum = u64::from_str_radix(std::str::from_utf8(checksum).ok()?, 16).ok()?;
    let entry = (xxh3_64(json) == checksum).then(|| serde_json::from_slice(json));
    entry?.ok()
}
