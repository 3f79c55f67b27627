//! Opening the sources that the user names, alone and together.

pub(super) mod open;
pub(super) mod open_all;
pub(super) mod spooled;
