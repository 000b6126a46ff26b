//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p storage --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod changes;
mod common;
mod crash;
mod created_together;
mod data_versions;
mod cursor_records;
mod definitions;
mod documents;
mod edge_ends;
mod edge_index_later;
mod followed_definitions;
mod indexes;
mod isolation;
mod loading;
mod model;
mod read_ahead;
mod read_cache;
mod servers;
mod servers_model;
mod shared_changes;
mod shared_loads;
mod text_indexes;
mod vectors;
mod views;
mod waits;
