//! Admission of large texts: they are planned one at a time. Planned concurrently, each would get a
//! part of the memory, and all of them would be refused.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aql_value::{Interrupt, Waiting};
use errors::Result;

/// Bytes that planning usually takes per byte of text: for objects with names, texts and numbers.
const BYTES_PER_BYTE: u64 = 36;

/// A text is large if planning it takes more than one part in `SHARE` of all queries' memory.
const SHARE: u64 = 4;

/// Time between two checks of whether a waiting query was ended.
const LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// The gate that admits one large text at a time.
#[derive(Debug, Default)]
pub(crate) struct LargeTexts {
    is_busy: Mutex<bool>,
    freed: Condvar,
}

/// The permit to plan a large text, returned on drop.
pub(crate) struct Permit<'a>(&'a LargeTexts);

impl LargeTexts {
    /// Waits for a permit; `None` for a text that is not large and needs none.
    ///
    /// `memory_bytes` is the memory of all queries. Errors: 1500 for a query that was ended while
    /// it waited.
    pub(crate) fn permit(
        &self,
        text: &str,
        memory_bytes: u64,
        interrupt: &Interrupt,
    ) -> Result<Option<Permit<'_>>> {
        if (text.len() as u64).saturating_mul(BYTES_PER_BYTE) <= memory_bytes / SHARE {
            return Ok(None);
        }
        let (mut is_busy, mut waiting) = (self.lock(), None);
        while *is_busy {
            waiting.get_or_insert_with(Waiting::begin);
            interrupt.check()?;
            (is_busy, _) =
                self.freed.wait_timeout(is_busy, LOOK_INTERVAL).unwrap_or_else(PoisonError::into_inner);
        }
        *is_busy = true;
        Ok(Some(Permit(self)))
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.lock() = false;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn large_texts_wait_for_each_other_and_others_do_not() {
        let (texts, interrupt) = (LargeTexts::default(), Interrupt::new());
        let large = "x".repeat(1 << 20);
        assert!(texts.permit("RETURN 1", 64 << 20, &interrupt).unwrap().is_none());
        let first = texts.permit(&large, 64 << 20, &interrupt).unwrap();
        assert!(first.is_some());
        assert!(texts.permit(&large, 1 << 30, &interrupt).unwrap().is_none());
        let impatient = Interrupt::with_max_runtime(Duration::from_millis(20));
        assert_eq!(texts.permit(&large, 64 << 20, &impatient).err().unwrap().number(), 1500);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| texts.permit(&large, 64 << 20, &interrupt).unwrap().is_some());
            // It would get its permit in this time.
            std::thread::sleep(Duration::from_millis(10));
            assert!(!second.is_finished());
            drop(first);
            assert!(second.join().unwrap());
        });
    }
}
