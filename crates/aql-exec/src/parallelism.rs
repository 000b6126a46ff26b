//! The threads of one query.

use std::num::NonZero;
use std::thread::available_parallelism;

/// The conditions under which a query that only reads divides a scan among threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parallelism {
    /// Maximum number of threads that one query runs on, its own included; 1: no other thread.
    ///
    /// The store has fewer turns for other threads ([`storage::ForkJoin`]), which queries share.
    pub threads: usize,
    /// Blocks of documents that a query scans alone first. Most scans end before.
    pub blocks_alone: usize,
    /// True if threads start without a turn of the store, and even if they save no time: for tests.
    pub is_forced: bool,
}

impl Parallelism {
    /// The default of `blocks_alone`: about 30,000 small documents, or five milliseconds.
    pub const BLOCKS_ALONE: usize = 32;

    /// Returns the conditions for at most `threads` threads; 0: one for each processor.
    pub fn of_threads(threads: usize) -> Self {
        let processors = || available_parallelism().map_or(1, NonZero::get);
        let threads = if threads == 0 { processors() } else { threads };
        Self { threads, blocks_alone: Self::BLOCKS_ALONE, is_forced: false }
    }
}

impl Default for Parallelism {
    /// Returns the conditions for a thread for each processor.
    fn default() -> Self {
        Self::of_threads(0)
    }
}
