//! Standard output as a sink, in a process of its own: the tests' own output stays clean.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::storage::atomic::AtomicFile;

/// The variable with the file that the child writes after its commit.
const MARKER: &str = "SIMSIEVE_TEST_MARKER";

/// More than a pipe holds.
const BYTES: usize = 1 << 20;

fn child(marker: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "sink::stdout_tests::writes"])
        .env(MARKER, marker)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What the child does.
#[test]
#[ignore = "run by the others in a process of its own"]
fn writes() {
    let Some(marker) = std::env::var_os(MARKER) else { return };
    let mut dropped = AtomicFile::create(Path::new("-")).unwrap();
    dropped.append(b"~~~ never committed ~~~").unwrap();
    drop(dropped);
    let mut sink = AtomicFile::create(Path::new("-")).unwrap();
    sink.append(&vec![b'#'; BYTES]).unwrap();
    sink.commit().unwrap();
    std::fs::write(marker, "committed").unwrap();
}

/// Committed bytes arrive whole, and other bytes do not arrive at all.
#[test]
fn arrives_whole() {
    let folder = tempfile::TempDir::new().unwrap();
    let mut child = child(&folder.path().join("marker"));
    let mut bytes = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();

    assert!(child.wait().unwrap().success());
    assert_eq!(memchr::memchr_iter(b'#', &bytes).count(), BYTES);
    assert!(!bytes.contains(&b'~'));
}

/// A reader that goes away early is a normal end.
#[test]
fn broken_pipe() {
    let folder = tempfile::TempDir::new().unwrap();
    let marker = folder.path().join("marker");
    let mut child = child(&marker);
    let mut stdout = child.stdout.take().unwrap();
    // The harness prints first; the reader leaves with the data's first byte.
    let mut byte = [0];
    while byte != [b'#'] {
        stdout.read_exact(&mut byte).unwrap();
    }
    drop(stdout);
    child.wait().unwrap();

    assert_eq!(std::fs::read_to_string(marker).unwrap(), "committed");
}
