//! The candidates of one row after another, in keep order, and what is known of the rows before it.

mod journal;
mod kept_members;
mod row_bits;
pub mod stream;
