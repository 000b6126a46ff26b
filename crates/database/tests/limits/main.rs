//! What hostile queries may not do: run on when they were ended, overflow the stack, or take the time of the square of
//! their length.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod budget;
#[path = "../sessions/common.rs"]
#[allow(dead_code, reason = "shared with the tests of sessions")]
mod common;
mod size;
mod time;
