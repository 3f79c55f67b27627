//! The tests of `open_all.rs`.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::*;
use crate::base::progress::Progress;

/// The last report, if reports are wanted.
struct Reported<'a>(Option<&'a mut (u64, u64)>);

impl Progress for Reported<'_> {
    fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        let last = self.0.as_deref_mut().ok_or(Error::Interrupted)?;
        assert_eq!(stage, "read");
        assert!(last.0 <= done && done <= total);
        *last = (done, total);
        Ok(())
    }
}

fn gzip(folder: &Path, name: &str, bytes: &[u8]) -> SourceSpec {
    let path = folder.join(name);
    let mut encoder = flate2::write::GzEncoder::new(File::create(&path).unwrap(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap();
    SourceSpec::new(path)
}

fn opened(specs: &[SourceSpec], ctx: &Context<'_>) -> Result<Vec<Arc<dyn Source>>> {
    let stdin = Stdin {
        stream: &mut &b""[..],
        file: None,
    };
    open_all(specs, stdin, 1 << 20, ctx)
}

#[test]
fn sources_keep_their_order_and_progress_ends_at_the_total() {
    let folder = tempfile::tempdir().unwrap();
    let specs: Vec<SourceSpec> = (0..9)
        .map(|shard| {
            let lines = "{}\n".repeat(shard * 50_000);
            gzip(folder.path(), &format!("{shard}.jsonl.gz"), lines.as_bytes())
        })
        .collect();
    for threads in [1, 2, 5] {
        let mut last = (0, 0);
        let ctx = Context::new(threads, Reported(Some(&mut last))).unwrap();
        let sources = opened(&specs, &ctx).unwrap();
        let lengths: Vec<usize> = sources.iter().map(|source| source.spans().len()).collect();
        assert_eq!(lengths, (0..9).map(|shard| shard * 50_000).collect::<Vec<_>>());
        drop(ctx);
        assert_eq!(last, (bytes_on_disk(&specs), bytes_on_disk(&specs)));
    }
}

#[test]
fn the_first_of_several_bad_sources_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let long = "{\"text\":\"a\"}\n".repeat(1 << 20);
    let mut specs = vec![gzip(folder.path(), "good.jsonl.gz", b"{}\n")];
    let slow = gzip(folder.path(), "slow.jsonl.gz", long.as_bytes());
    let packed = std::fs::read(&slow.path).unwrap();
    std::fs::write(&slow.path, &packed[..packed.len() - 20]).unwrap();
    specs.push(slow);
    specs.push(SourceSpec::new(folder.path().join("missing.jsonl")));
    for threads in [1, 2, 4] {
        let error = opened(&specs, &Context::silent(threads)).unwrap_err().to_string();
        assert!(error.contains("slow.jsonl.gz"), "{error}");
    }
}

#[test]
fn standard_input_keeps_its_place_and_is_not_read_if_a_file_is_bad() {
    let folder = tempfile::tempdir().unwrap();
    let one = gzip(folder.path(), "one.jsonl.gz", b"{}\n");
    let two = gzip(folder.path(), "two.jsonl.gz", b"{}\n{}\n");
    let specs = [
        one,
        SourceSpec::new("-"),
        two,
        SourceSpec::new(folder.path().join("missing.jsonl")),
    ];
    for threads in [1, 2] {
        let mut stream = &b"{}\n{}\n{}\n"[..];
        let mut open = |specs: &[SourceSpec]| {
            let stdin = Stdin {
                stream: &mut stream,
                file: None,
            };
            open_all(specs, stdin, 1 << 20, &Context::silent(threads))
        };
        let error = open(&specs).unwrap_err().to_string();
        assert!(error.contains("missing.jsonl"), "{error}");
        let lengths: Vec<usize> = open(&specs[..3])
            .unwrap()
            .iter()
            .map(|source| source.spans().len())
            .collect();
        assert_eq!(lengths, [1, 3, 2]);
    }
}

#[test]
fn an_interrupt_ends_every_thread() {
    let folder = tempfile::tempdir().unwrap();
    let long = "{\"text\":\"a\"}\n".repeat(1 << 20);
    let specs: Vec<SourceSpec> = (0..3)
        .map(|shard| gzip(folder.path(), &format!("{shard}.jsonl.gz"), long.as_bytes()))
        .collect();
    for threads in [1, 2] {
        let ctx = Context::new(threads, Reported(None)).unwrap();
        assert!(matches!(opened(&specs, &ctx), Err(Error::Interrupted)));
    }
}
