//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p kv-rocksdb --test it NAME` runs those whose path contains NAME.

mod conformance;
mod full;
mod log_damage;
mod opening;
mod ranges;
