//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p analyzers --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;
mod built_in;
mod definitions;
mod documented;
