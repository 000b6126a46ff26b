//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p aql-syntax --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;
mod errors;
mod expressions;
mod limits;
mod round_trip;
mod statements;
mod walk;
