//! Features of a text: windows of characters.

pub mod windows;
