//! The tests of the crate, against an issuer in memory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod keys;
mod sign_in;
mod support;
mod tokens;
