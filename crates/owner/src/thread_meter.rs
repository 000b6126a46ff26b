//! The net below all accounting: a query is charged for what its threads allocate.
//!
//! Code that builds large values charges their bytes to the query's account before it allocates
//! them. All other memory should be small, but code may break this rule. So each check of an
//! [`Interrupt`] compares the growth of the thread, which the global allocator counts, with the
//! growth of the account. The part that nobody has accounted for is charged, and the check fails
//! with error 32 where that exceeds a limit.
//!
//! A program without [`allocation_meter::CountingAllocator`] has no net.
//!
//! [`Interrupt`]: crate::Interrupt

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::sync::Arc;

use allocation_meter::thread_bytes;
use errors::Result;

use crate::memory::MemoryAccount;

/// The unaccounted bytes that are harmless.
const SLACK_BYTES: i64 = 1 << 20;

/// The change of the thread's bytes after which the account is looked at again.
const STEP_BYTES: i64 = 256 << 10;

/// The thread's bytes below and above which a check looks at the account.
#[derive(Clone, Copy)]
struct Bounds {
    low: i64,
    high: i64,
}

/// The bounds of a thread that runs no query.
const UNBOUNDED: Bounds = Bounds { low: i64::MIN, high: i64::MAX };

thread_local! {
    static BOUNDS: Cell<Bounds> = const { Cell::new(UNBOUNDED) };
    static STEP: RefCell<Option<Step>> = const { RefCell::new(None) };
}

/// A step of a query on this thread.
struct Step {
    /// The bytes of the thread at the beginning.
    thread_bytes: i64,
    account: Arc<MemoryAccount>,
    /// The accounted bytes at the beginning.
    accounted_bytes: u64,
    /// The bytes that the step has allocated and that no code has accounted for.
    unaccounted_bytes: u64,
}

/// The time in which the calling thread works for a query. Steps may nest: the innermost counts.
pub struct ThreadMeter {
    outer: Option<Step>,
    outer_bounds: Bounds,
    /// A step belongs to its thread.
    _not_send: PhantomData<*const ()>,
}

impl ThreadMeter {
    /// Begins a step of the query with this account; it ends when the value is dropped.
    #[must_use]
    pub fn enter(account: &Arc<MemoryAccount>) -> Self {
        let step = Step {
            thread_bytes: thread_bytes(),
            account: Arc::clone(account),
            accounted_bytes: account.accounted_bytes(),
            unaccounted_bytes: 0,
        };
        let bounds = Bounds { low: i64::MIN, high: step.thread_bytes.saturating_add(SLACK_BYTES) };
        let outer = STEP.with(|current| current.borrow_mut().replace(step));
        Self { outer, outer_bounds: BOUNDS.replace(bounds), _not_send: PhantomData }
    }
}

impl ThreadMeter {
    /// Checks that the query of the innermost step may take this many more bytes. Charges nothing.
    ///
    /// It is for code that has no account at hand. Errors: 32 if they would exceed a limit.
    pub fn check_room(bytes: usize) -> Result<()> {
        let check = |step: &Step| step.account.check_room(bytes as u64);
        STEP.with(|current| current.borrow().as_ref().map_or(Ok(()), check))
    }

    /// Returns the bytes by which the thread has grown since the step began; 0 if it has not.
    pub fn grown_bytes(&self) -> u64 {
        let began = STEP.with(|current| current.borrow().as_ref().map(|step| step.thread_bytes));
        began.map_or(0, |began| (thread_bytes() - began).max(0) as u64)
    }
}

impl Drop for ThreadMeter {
    fn drop(&mut self) {
        let grown = STEP.with(|current| {
            let own = current.replace(self.outer.take())?;
            let grown = thread_bytes() - own.thread_bytes;
            // The bytes of the inner step are not those of the outer one's query.
            if let Some(outer) = current.borrow_mut().as_mut() {
                outer.thread_bytes += grown;
            }
            Some(grown)
        });
        let grown = grown.unwrap_or(0);
        let Bounds { low, high } = self.outer_bounds;
        BOUNDS.set(Bounds { low: low.saturating_add(grown), high: high.saturating_add(grown) });
    }
}

/// Charges the step for what the thread has allocated, if that has changed much.
///
/// Errors: 32 if it exceeds the query's limit or that of all queries.
#[inline]
pub(crate) fn check() -> Result<()> {
    let Bounds { low, high } = BOUNDS.get();
    let bytes = thread_bytes();
    if bytes < low || bytes > high { reconcile() } else { Ok(()) }
}

#[cold]
fn reconcile() -> Result<()> {
    STEP.with(|current| current.borrow_mut().as_mut().map_or(Ok(()), Step::reconcile))
}

impl Step {
    fn reconcile(&mut self) -> Result<()> {
        let now = thread_bytes();
        let accounted = self.account.accounted_bytes() as i64 - self.accounted_bytes as i64;
        let unaccounted = now - self.thread_bytes - accounted;
        self.set_unaccounted(if unaccounted > SLACK_BYTES { unaccounted as u64 } else { 0 })?;
        let low = if self.unaccounted_bytes > 0 { now - STEP_BYTES } else { i64::MIN };
        BOUNDS.set(Bounds { low, high: now.saturating_add(STEP_BYTES) });
        Ok(())
    }

    /// After an error the bounds stay: the next check fails as well, unless memory is freed.
    fn set_unaccounted(&mut self, bytes: u64) -> Result<()> {
        match bytes.checked_sub(self.unaccounted_bytes) {
            Some(more) => self.account.charge_unaccounted(more)?,
            None => {
                self.account.release_unaccounted(self.unaccounted_bytes - bytes);
            }
        }
        self.unaccounted_bytes = bytes;
        Ok(())
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.account.release_unaccounted(self.unaccounted_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_nest_and_end() {
        let account = || Arc::new(MemoryAccount::unlimited());
        let outer = ThreadMeter::enter(&account());
        let high = BOUNDS.get().high;
        let inner = ThreadMeter::enter(&account());
        drop(inner);
        assert_eq!(BOUNDS.get().high, high);
        assert!(check().is_ok());
        drop(outer);
        assert_eq!(BOUNDS.get().high, i64::MAX);
    }

    #[test]
    fn what_is_unaccounted_gives_way_to_what_is_accounted() {
        let account = MemoryAccount::new(Some(100), None);
        account.charge_unaccounted(80).unwrap();
        assert_eq!((account.used_bytes(), account.accounted_bytes()), (80, 0));
        account.charge(90).unwrap();
        assert_eq!((account.used_bytes(), account.accounted_bytes()), (90, 90));
        assert_eq!(account.release_unaccounted(80), 0);
        assert_eq!(account.charge(11).unwrap_err().number(), 32);
        account.release(90);
        assert_eq!(account.used_bytes(), 0);
    }
}
