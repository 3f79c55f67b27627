//! How long-running work reports progress, and how the caller stops it.

use super::error::Result;

/// Receives the progress of a call, on the thread that started the work. It is called often: be cheap, and throttle what you
/// show.
pub trait Progress {
    /// `done` of `total` units of the named stage are done. An error stops the work and is returned to its caller.
    fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()>;
}

impl<P: Progress + ?Sized> Progress for &mut P {
    fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        (**self).tick(stage, done, total)
    }
}

/// Shows nothing and never stops the work.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn tick(&mut self, _stage: &'static str, _done: u64, _total: u64) -> Result<()> {
        Ok(())
    }
}
