//! The border.
