//! What reading and parsing costs where records are encoded under one scheme and under two:
//! `cargo run --release --example one_pass -- FILE.jsonl [REPEATS]`.
//!
//! Prints CPU seconds of a pass, in the mean of the repeats (10 by default): ingest, encoding the same texts from memory, and the
//! difference, which is reading and parsing. Goal: under two schemes at most 1.25 times that of one.
#![allow(missing_docs)]

use std::sync::Arc;

use simsieve_core::base::context::Context;
use simsieve_core::base::error::Result;
use simsieve_core::base::kernel::Kernel;
use simsieve_core::dedup::combine::Combine;
use simsieve_core::dedup::ingest::{IngestOptions, ingest};
use simsieve_core::dedup::keep_order::KeepOrder;
use simsieve_core::encode::encoder::{Encoder, WorkerScratch};
use simsieve_core::encode::scheme::{DEFAULT, Scheme};
use simsieve_core::source::{DEFAULT_MAX_RECORD_BYTES, SourceSpec, Sources};

/// Seconds of all processors that this process has used, where the system tells.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |at: usize| stat.split(' ').nth(at).and_then(|field| field.parse::<f64>().ok());
    (ticks(13).unwrap_or(0.0) + ticks(14).unwrap_or(0.0)) / 100.0
}

/// The mean CPU seconds of some work.
fn mean(repeats: u32, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let start = cpu();
    for _ in 0..repeats {
        work()?;
    }
    Ok((cpu() - start) / f64::from(repeats))
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_default();
    let repeats = arguments.next().and_then(|repeats| repeats.parse().ok()).unwrap_or(10);
    let ctx = Context::silent(1);
    let sources = Arc::new(Sources::open(&[SourceSpec::new(path)], DEFAULT_MAX_RECORD_BYTES, &ctx)?);
    let options = IngestOptions {
        text_field: vec!["text".to_owned()],
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(&["first"])?,
        batch: 0,
    };
    let schemes = [Scheme::parse(DEFAULT)?, Scheme::parse("chars64")?];
    let mut encoders = Vec::new();
    for scheme in &schemes {
        encoders.push(Encoder::new(scheme, None, Kernel::active())?);
    }
    let read = ingest(Arc::clone(&sources), &options, &encoders[..1], Combine::Any, &ctx)?;
    let mut texts = Vec::with_capacity(read.order.len());
    for &position in &read.order {
        texts.push(read.with_text(position, &mut Vec::new(), str::to_owned)?);
    }
    let mut rest = [0.0; 2];
    for (schemes, rest) in (1..).zip(&mut rest) {
        let encoders = &encoders[..schemes];
        let all = mean(repeats, || {
            ingest(Arc::clone(&sources), &options, encoders, Combine::Any, &ctx).map(drop)
        })?;
        let encoding = mean(repeats, || {
            for encoder in encoders {
                let (mut scratch, mut batch) = (WorkerScratch::default(), encoder.batch(texts.len()));
                for text in &texts {
                    // These texts were encoded before, so none is refused.
                    let _ = encoder.encode(text, &mut scratch, &mut batch);
                }
            }
            Ok(())
        })?;
        *rest = all - encoding;
        println!("{schemes} schemes: ingest {all:.3} s, encoding {encoding:.3} s, reading and parsing {rest:.3} s");
    }
    println!("{:.2} times the reading and parsing of one", rest[1] / rest[0]);
    Ok(())
}
