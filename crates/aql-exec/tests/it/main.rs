//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p aql-exec --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;
mod collect;
mod graph;
mod isolation;
mod joins;
mod keys;
mod mdi;
mod modify;
mod parallel;
mod random;
mod read;
mod concurrent_reads;
mod repeated_scans;
mod spill;
mod vertex_identity;
