//! The limits of an isolate.

use std::time::Instant;

/// The bounds of everything that runs in an isolate.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum size of all values together, in bytes.
    ///
    /// It also bounds the time of a single builtin function, which nothing interrupts.
    pub memory_bytes: usize,
    /// The maximum depth of the stack in bytes, at most 16 MiB.
    ///
    /// The thread's own stack must be larger by at least 256 KiB.
    pub stack_bytes: usize,
    /// The moment at which a running script ends.
    pub deadline: Option<Instant>,
}

impl Default for Limits {
    /// Returns 64 MiB of memory, 512 KiB of stack, and no deadline.
    fn default() -> Self {
        Limits { memory_bytes: 64 << 20, stack_bytes: 512 << 10, deadline: None }
    }
}
