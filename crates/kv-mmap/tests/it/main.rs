//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p kv-mmap --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod conformance;
mod encryption;
mod full;
mod long_keys;
mod store;
