//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p kv-tikv --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod cluster;
