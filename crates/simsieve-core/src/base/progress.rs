//! How long work tells how far it is, and learns that it shall stop.

use crate::base::error::Result;

/// Called from one thread, the one that the work began in, a few times a second at most matters; every call must be cheap.
pub trait Monitor {
    /// `done` of `total` units of the named stage; an error stops the work and is returned to the caller.
    fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()>;
}

/// A monitor that says nothing and never stops.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Monitor for Silent {
    fn tick(&mut self, _stage: &'static str, _done: u64, _total: u64) -> Result<()> {
        Ok(())
    }
}
