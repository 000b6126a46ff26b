//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p aql-plan --test it NAME` runs those whose path contains NAME.

mod common;
mod bind_errors;
