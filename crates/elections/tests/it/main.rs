//! Groups of members with their own threads, folders and clocks.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test panics if it fails")]

mod group;
mod leading;
mod options;
