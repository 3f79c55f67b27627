//! What reading and parsing costs where records are encoded under one scheme and under two:
//! `cargo run --release --example one_pass -- FILE.jsonl [REPEATS]`.
//!
//! Prints the least CPU seconds of the repeats (10 by default): ingest, encoding the same texts from memory, and the
//! difference, which is reading and parsing. Goal: under two schemes at most 1.25 times that of one.
#![allow(missing_docs)]

use std::sync::Arc;

use simsieve_core::base::context::Context;
use simsieve_core::base::error::Result;
use simsieve_core::base::kernel::Kernel;
use simsieve_core::collection::combine::Combine;
use simsieve_core::collection::ingest::{IngestOptions, ingest};
use simsieve_core::collection::keep_order::KeepOrder;
use simsieve_core::collection::relation::Rules;
use simsieve_core::encode::encoder::{Encoder, SearchOptions, WorkerScratch};
use simsieve_core::encode::scheme::{DEFAULT, Scheme};
use simsieve_core::source::{DEFAULT_MAX_RECORD_BYTES, RecordBuffer, SourceSpec, Sources};

/// Seconds that the threads of this process have had a processor, where the system counts them. The pool's thread stays.
fn cpu() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = threads.filter_map(|thread| {
        let line = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        line.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
}

/// The CPU seconds of some work.
fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = cpu();
    work()?;
    Ok(cpu() - start)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_default();
    let repeats = arguments
        .next()
        .and_then(|repeats| repeats.parse().ok())
        .unwrap_or(10_u32);
    let ctx = Context::silent(1);
    let sources = Arc::new(Sources::open(&[SourceSpec::new(path)], DEFAULT_MAX_RECORD_BYTES, &ctx)?);
    let options = IngestOptions {
        text_field: vec!["text".to_owned()],
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(&["first"])?,
        rules: Rules::default(),
        batch: 0,
        run_dir: None,
    };
    let schemes = [Scheme::parse(DEFAULT)?, Scheme::parse("chars64")?];
    let mut encoders = Vec::new();
    for scheme in &schemes {
        encoders.push(Encoder::new(scheme, SearchOptions::default(), Kernel::active()));
    }
    let read = ingest(Arc::clone(&sources), &options, &encoders[..1], Combine::Any, &ctx)?;
    let mut texts = Vec::with_capacity(read.order.len());
    for &position in &read.order {
        texts.push(read.with_text(position, &mut RecordBuffer::default(), str::to_owned)?);
    }
    // The four are timed in turn, so that other work on the machine disturbs them alike.
    let mut least = [[f64::MAX; 2]; 2];
    for _ in 0..repeats {
        for (schemes, least) in (1..).zip(&mut least) {
            let encoders = &encoders[..schemes];
            let all = timed(|| ingest(Arc::clone(&sources), &options, encoders, Combine::Any, &ctx).map(drop))?;
            // In the order of ingest, each text under all schemes, so that the caches serve both alike.
            let encoding = timed(|| {
                let mut work = Vec::new();
                for encoder in encoders {
                    work.push((encoder, WorkerScratch::default(), encoder.batch(texts.len())?));
                }
                for text in &texts {
                    for (encoder, scratch, batch) in &mut work {
                        // These texts were encoded before, so none is refused.
                        let _ = encoder.encode(text, scratch, batch);
                    }
                }
                Ok(())
            })?;
            *least = [least[0].min(all), least[1].min(encoding)];
        }
    }
    let rest = least.map(|[all, encoding]| all - encoding);
    for (schemes, ([all, encoding], rest)) in (1..).zip(least.iter().zip(rest)) {
        println!("{schemes} schemes: ingest {all:.3} s, encoding {encoding:.3} s, reading and parsing {rest:.3} s");
    }
    println!("{:.2} times the reading and parsing of one", rest[1] / rest[0]);
    Ok(())
}
