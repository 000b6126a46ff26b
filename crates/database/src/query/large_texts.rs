//! Texts that leave no memory for others while they are planned, one after the other: beside each other each would have
//! a part of the memory, and all be refused.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use aql_value::{Interrupt, Result};

use crate::query::moment::MOMENT;

/// What planning mostly takes for each byte of a text: objects with names, texts and numbers.
const BYTES_PER_BYTE: u64 = 36;

/// A text is large if planning it takes more than this share of all queries' memory.
const SHARE: u64 = 4;

/// Sees to it that one large text at a time is planned.
#[derive(Debug, Default)]
pub(crate) struct LargeTexts {
    is_busy: Mutex<bool>,
    freed: Condvar,
}

/// The turn of a large text, until it is dropped.
pub(super) struct Turn<'a>(&'a LargeTexts);

impl LargeTexts {
    /// Waits for a turn; `None` for a text that is not large and needs none. `memory_bytes`: what all queries may take.
    ///
    /// Errors: 1500 for a query that was ended meanwhile.
    pub(super) fn turn(
        &self,
        text: &str,
        memory_bytes: u64,
        interrupt: &Interrupt,
    ) -> Result<Option<Turn<'_>>> {
        if (text.len() as u64).saturating_mul(BYTES_PER_BYTE) <= memory_bytes / SHARE {
            return Ok(None);
        }
        let mut is_busy = self.lock();
        while *is_busy {
            interrupt.check()?;
            (is_busy, _) = self.freed.wait_timeout(is_busy, MOMENT).unwrap_or_else(PoisonError::into_inner);
        }
        *is_busy = true;
        Ok(Some(Turn(self)))
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.lock() = false;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::time::Duration;

    use super::*;

    #[test]
    fn large_texts_wait_for_each_other_and_others_do_not() {
        let (texts, interrupt) = (LargeTexts::default(), Interrupt::new());
        let large = "x".repeat(1 << 20);
        assert!(texts.turn("RETURN 1", 64 << 20, &interrupt).unwrap().is_none());
        let first = texts.turn(&large, 64 << 20, &interrupt).unwrap();
        assert!(first.is_some());
        assert!(texts.turn(&large, 1 << 30, &interrupt).unwrap().is_none());
        let impatient = Interrupt::with_max_runtime(Duration::from_millis(20));
        assert_eq!(texts.turn(&large, 64 << 20, &impatient).err().unwrap().number(), 1500);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| texts.turn(&large, 64 << 20, &interrupt).unwrap().is_some());
            std::thread::sleep(Duration::from_millis(10));
            assert!(!second.is_finished());
            drop(first);
            assert!(second.join().unwrap());
        });
    }
}
