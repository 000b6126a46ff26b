//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p database --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;
mod analytics;
mod aql;
mod follow;
mod limits;
mod log_copy;
mod plan_cache;
mod random_queries;
mod sessions;
