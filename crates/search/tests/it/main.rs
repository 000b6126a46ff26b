//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p search --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod against_model;
mod any_value;
mod block_max;
