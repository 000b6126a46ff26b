//! The tests of the crate's interface, a module a file.
//!
//! `cargo test -p aql-value --test it NAME` runs those whose path contains NAME.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod program_limits;
mod thread_meter;

use allocation_meter::PeakAllocator;

// It counts by thread, so tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: PeakAllocator = PeakAllocator;
