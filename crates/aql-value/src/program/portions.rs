//! The number of lanes that a program computes in one pass.
//!
//! A program runs instruction by instruction over all lanes of a batch, so the results of a
//! function or a literal for a thousand rows are in memory together. Their bytes are charged to the
//! query's account. If a lane takes many, later evaluations compute fewer lanes in one pass.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use errors::Result;
use owner::MemoryAccount;

use crate::Value;

/// The bytes that the calls of one pass may produce, unless a single lane takes more.
const PORTION_BYTES: u64 = 8 << 20;

/// The bytes of one charge; a smaller amount is harmless.
const CHARGE_STEP_BYTES: u64 = 1 << 20;

/// The known bytes of a lane. All executions share it.
#[derive(Debug, Default)]
pub(super) struct LaneBytes(AtomicU64);

impl LaneBytes {
    /// Returns the maximum number of lanes in one pass; at least one.
    pub(super) fn portion(&self) -> usize {
        match self.0.load(Ordering::Relaxed) {
            0 => usize::MAX,
            bytes => usize::try_from(PORTION_BYTES / bytes).unwrap_or(usize::MAX).max(1),
        }
    }

    /// Records the bytes of an evaluation. The effect of an expensive one decays.
    pub(super) fn note(&self, bytes: u64, lanes: usize) {
        let before = self.0.load(Ordering::Relaxed);
        if bytes > 0 || before > 0 {
            self.0.store((bytes / lanes.max(1) as u64).max(before / 2), Ordering::Relaxed);
        }
    }
}

/// The bytes of one evaluation's values.
#[derive(Debug, Default)]
pub(super) struct Charged {
    bytes: Cell<u64>,
    pending: Cell<u64>,
}

impl Charged {
    /// Charges the bytes of a value that a call has just made; nothing for a shared value.
    pub(super) fn charge(&self, value: &Value, memory: &MemoryAccount) -> Result<()> {
        let pending = self.pending.get() + value.unshared_bytes() as u64;
        self.pending.set(pending);
        if pending >= CHARGE_STEP_BYTES {
            memory.charge(pending)?;
            self.bytes.set(self.bytes.get() + pending);
            self.pending.set(0);
        }
        Ok(())
    }

    /// Takes over bytes that were charged for values of the evaluation.
    pub(super) fn take_over(&self, bytes: u64) {
        self.bytes.set(self.bytes.get() + bytes);
    }

    /// Releases everything and returns the number of bytes.
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
    fn charged_bytes_are_released() {
        let memory = MemoryAccount::new(Some(4 << 20), None);
        let (charged, text) = (Charged::default(), "x".repeat(1 << 20));
        let made = || Value::from_str(&text);
        (0..3).for_each(|_| charged.charge(&made(), &memory).unwrap());
        assert!(memory.used_bytes() > 3 << 20);
        let shared = made();
        let _other = shared.clone();
        charged.charge(&shared, &memory).unwrap();
        assert_eq!(charged.charge(&made(), &memory).unwrap_err().number(), 32);
        assert!(charged.give_back(&memory) > 3 << 20);
        assert_eq!(memory.used_bytes(), 0);
    }
}
