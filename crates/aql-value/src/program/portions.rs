//! How many lanes a program computes at one time.
//!
//! A program works instruction by instruction over all lanes of a batch, so that what a function makes for each of a
//! thousand rows is there at one time. That is drawn from the query's account, and where a lane takes much, later
//! evaluations take fewer lanes at one time.

use crate::memory::MemoryAccount;
use crate::{Result, Value};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// What calls may make at one time, if a single lane does not take more.
const PORTION_BYTES: u64 = 8 << 20;

/// Bytes that are drawn at one time; what is less is no danger.
const DRAWN_BYTES: u64 = 1 << 20;

/// What a lane takes, as far as it is known. Shared by all executions.
#[derive(Debug, Default)]
pub(super) struct LaneBytes(AtomicU64);

impl LaneBytes {
    /// Most lanes that are computed at one time; at least one.
    pub(super) fn portion(&self) -> usize {
        match self.0.load(Ordering::Relaxed) {
            0 => usize::MAX,
            bytes => usize::try_from(PORTION_BYTES / bytes).unwrap_or(usize::MAX).max(1),
        }
    }

    /// Takes note of an evaluation. One that took much is forgotten little by little.
    pub(super) fn note(&self, bytes: u64, lanes: usize) {
        let before = self.0.load(Ordering::Relaxed);
        if bytes > 0 || before > 0 {
            self.0.store((bytes / lanes.max(1) as u64).max(before / 2), Ordering::Relaxed);
        }
    }
}

/// What the values of one evaluation take.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    bytes: Cell<u64>,
    pending: Cell<u64>,
}

impl Drawn {
    /// Draws what a value takes that a call has just made; nothing for one that others have, too.
    pub(super) fn draw(&self, value: &Value, memory: &MemoryAccount) -> Result<()> {
        let pending = self.pending.get() + value.unshared_bytes() as u64;
        self.pending.set(pending);
        if pending >= DRAWN_BYTES {
            memory.charge(pending)?;
            self.bytes.set(self.bytes.get() + pending);
            self.pending.set(0);
        }
        Ok(())
    }

    /// Gives everything back, and says how much that was.
    pub(super) fn give_back(&self, memory: &MemoryAccount) -> u64 {
        self.pending.set(0);
        let bytes = self.bytes.take();
        if bytes > 0 {
            memory.release(bytes);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_take_much_are_computed_a_few_at_one_time() {
        let lane = LaneBytes::default();
        assert_eq!(lane.portion(), usize::MAX);
        lane.note(64 << 20, 64);
        assert_eq!(lane.portion(), 8);
        lane.note(1 << 30, 1);
        assert_eq!(lane.portion(), 1);
        (0..40).for_each(|_| lane.note(0, 1));
        assert_eq!(lane.portion(), usize::MAX);
    }

    #[test]
    fn what_is_drawn_is_given_back() {
        let memory = MemoryAccount::new(Some(4 << 20), None);
        let (drawn, text) = (Drawn::default(), "x".repeat(1 << 20));
        let made = || Value::from_str(&text);
        (0..3).for_each(|_| drawn.draw(&made(), &memory).unwrap());
        assert!(memory.used_bytes() > 3 << 20);
        let shared = made();
        let _other = shared.clone();
        drawn.draw(&shared, &memory).unwrap();
        assert_eq!(drawn.draw(&made(), &memory).unwrap_err().number(), 32);
        assert!(drawn.give_back(&memory) > 3 << 20);
        assert_eq!(memory.used_bytes(), 0);
    }
}
