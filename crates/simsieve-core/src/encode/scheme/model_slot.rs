//! The model of a scheme: there, or only asked for.

use std::sync::Arc;

use crate::encode::model::Idf;

/// The model of a scheme whose weights need one.
#[derive(Debug, Clone)]
pub enum ModelSlot {
    /// It is asked for, and not there.
    Missing,
    /// It is there.
    Loaded(Arc<Idf>),
}

/// The model of a scheme: there, or only asked for.
pub trait ModelRef {
    /// The model, where it is there.
    fn idf(&self) -> Option<&Arc<Idf>>;
}

impl ModelRef for Arc<Idf> {
    fn idf(&self) -> Option<&Arc<Idf>> {
        Some(self)
    }
}

impl ModelRef for ModelSlot {
    fn idf(&self) -> Option<&Arc<Idf>> {
        match self {
            Self::Missing => None,
            Self::Loaded(idf) => Some(idf),
        }
    }
}
