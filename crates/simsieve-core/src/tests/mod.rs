//! The laws of the core, by name: each fast path against a naive oracle.

mod against;
mod candidates;
mod changed;
mod combine;
mod containment;
pub mod decide;
mod forged;
mod form;
mod index;
mod index_crowds;
mod index_model;
mod index_power;
mod jaccard;
mod one_pass;
mod relation;
mod rethreshold;
mod run_dir;
mod slots;
pub mod support;
pub mod verdicts;
