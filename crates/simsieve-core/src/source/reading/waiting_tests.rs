//! The tests of `waiting.rs`.

use std::io::Write;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::progress::Progress;
use crate::source::{SourceSpec, Sources};

/// A user who stops the run when it has gone on for a while.
struct Stops(Instant);

impl Progress for Stops {
    fn tick(&mut self, _: &'static str, _: u64, _: u64) -> Result<()> {
        if self.0.elapsed() < Duration::from_millis(200) {
            return Ok(());
        }
        Err(Error::Interrupted)
    }
}

fn pipe(folder: &TempDir) -> std::path::PathBuf {
    let path = folder.path().join("pipe.jsonl");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    path
}

/// Whether nobody has opened a named pipe, or whoever has writes nothing: the run can be stopped.
#[test]
fn waiting_for_a_pipe_can_be_stopped() {
    let folder = TempDir::new().unwrap();
    let path = pipe(&folder);
    for threads in [1, 2] {
        for is_open in [false, true] {
            let begun = Instant::now();
            let specs = [
                SourceSpec::new(&path),
                SourceSpec::new(folder.path().join("pipe.jsonl")),
            ];
            let writer = is_open.then(|| std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap());
            let ctx = Context::new(threads, Stops(begun)).unwrap();
            let stopped = Sources::open(&specs[..threads], 1 << 20, &ctx);
            assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
            assert!(begun.elapsed() < Duration::from_secs(20));
            drop(writer);
        }
    }
}

/// A pipe is read to its end, however late its bytes come in.
#[test]
fn a_slow_pipe_is_read_whole() {
    let folder = TempDir::new().unwrap();
    let path = pipe(&folder);
    let to = path.clone();
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(120));
        let mut file = std::fs::OpenOptions::new().write(true).open(to).unwrap();
        for line in 0..3 {
            writeln!(file, "{{\"text\":\"{line}\"}}").unwrap();
            std::thread::sleep(Duration::from_millis(120));
        }
    });
    let store = Sources::open(&[SourceSpec::new(&path)], 1 << 20, &Context::silent(1)).unwrap();
    writer.join().unwrap();
    assert_eq!(store.len(), 3);
}
