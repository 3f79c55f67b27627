//! Files of the checked format around any bytes. Checksums keep chance out of such files, but not a program that is not ours, so
//! the laws put the right ones to any bytes.
//!
//! A law's bytes are a directory in JSON, the end of a line, and the bytes of its sections one after another: as [`opened`] makes
//! them of a whole file.

use serde_json::Value;
use simsieve_core::base::hash::xxh3_128;

const PREAMBLE_BYTES: usize = 64;
const TRAILER_BYTES: usize = 40;

/// The parts of a file that simsieve wrote.
pub struct Parts {
    /// Its first bytes, which name its kind and version.
    pub preamble: Vec<u8>,
    /// Its directory, and its sections, all uncompressed.
    pub loose: Vec<u8>,
}

pub fn opened(file: &[u8]) -> Parts {
    let trailer = &file[file.len() - TRAILER_BYTES..];
    let offset = u64::from_le_bytes(*trailer.first_chunk().unwrap()) as usize;
    let mut directory: Value = serde_json::from_slice(&file[offset..file.len() - TRAILER_BYTES]).unwrap();
    let mut contents = Vec::new();
    for section in directory["sections"].as_array_mut().unwrap() {
        let [offset, bytes] = ["offset", "bytes"].map(|name| section[name].as_u64().unwrap() as usize);
        let content = &file[offset..offset + bytes];
        let content = if section["zstd"].as_bool().unwrap() {
            zstd::decode_all(content).unwrap()
        } else {
            content.to_vec()
        };
        section["zstd"] = false.into();
        section["bytes"] = content.len().into();
        // What the laws fill in.
        section["offset"] = Value::Null;
        section["xxh3_128"] = Value::Null;
        contents.extend(content);
    }
    Parts {
        preamble: file[..PREAMBLE_BYTES].to_vec(),
        loose: [directory.to_string().as_bytes(), b"\n", &contents].concat(),
    }
}

/// The directory of some bytes, where they have one, and what follows it.
pub fn split(loose: &[u8]) -> (&[u8], Option<Value>, &[u8]) {
    let end = loose.iter().position(|&byte| byte == b'\n').unwrap_or(loose.len());
    let (directory, rest) = loose.split_at(end);
    (
        directory,
        serde_json::from_slice(directory).ok(),
        rest.get(1..).unwrap_or_default(),
    )
}

/// A file whose checksums are right and whose sections are where they must be; all else is as the bytes have it. `change` is for
/// what the bytes cannot know.
pub fn sealed(preamble: &[u8], loose: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (written, directory, mut rest) = split(loose);
    let mut file = preamble.to_vec();
    let mut written = written.to_vec();
    if let Some(mut directory) = directory {
        if let Some(sections) = directory.get_mut("sections").and_then(Value::as_array_mut) {
            for section in sections.iter_mut().filter(|section| section.is_object()) {
                let wanted = section["bytes"].as_u64().unwrap_or(0).min(rest.len() as u64) as usize;
                let (content, behind) = rest.split_at(wanted);
                rest = behind;
                section["offset"] = file.len().into();
                section["bytes"] = wanted.into();
                section["xxh3_128"] = format!("{:032x}", xxh3_128(content)).into();
                file.extend(content);
                file.resize(file.len().next_multiple_of(64), 0);
            }
        }
        change(&mut directory);
        written = directory.to_string().into_bytes();
    }
    seal(&file, &written)
}

/// A file whose directory has the right checksum.
pub fn seal(file: &[u8], directory: &[u8]) -> Vec<u8> {
    let checksum = xxh3_128(&[&file[..PREAMBLE_BYTES], directory].concat());
    [
        file,
        directory,
        &(file.len() as u64).to_le_bytes(),
        &checksum.to_le_bytes(),
        b"simsieve end.\r\n\n",
    ]
    .concat()
}
