//! The owner of a computation, as algorithms see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use errors::Result;
use owner::{Charge, Interrupt, Owner};

/// The owner of a computation and its progress. Clones share both.
#[derive(Clone, Debug)]
pub struct Work {
    owner: Owner,
    progress: Arc<Progress>,
}

/// The edges between two checks of the interrupt in a loop.
pub(crate) const CHECK_EVERY: usize = 1 << 14;

/// The checks of one loop over edges.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checks {
    edges: usize,
}

impl Checks {
    /// Counts edges, and checks the interrupt once there are more than [`CHECK_EVERY`].
    ///
    /// Errors: those of [`Work::check`].
    pub(crate) fn note(&mut self, work: &Work, edges: usize) -> Result<()> {
        self.edges += edges;
        if self.edges > CHECK_EVERY {
            self.edges = 0;
            work.check()?;
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Work {
    /// Makes the work of an owner.
    pub fn new(owner: Owner) -> Self {
        Work { owner, progress: Arc::default() }
    }

    /// Returns an error if the computation was ended.
    ///
    /// Errors: 1500 and the like, as [`Interrupt::check`].
    pub fn check(&self) -> Result<()> {
        self.owner.interrupt.check()
    }

    /// Returns the interrupt that ends the computation.
    pub fn interrupt(&self) -> &Interrupt {
        &self.owner.interrupt
    }

    /// Charges memory that is about to be allocated. It is released when the charge is dropped.
    ///
    /// Errors: 32 beyond the limit.
    pub fn reserve(&self, bytes: u64) -> Result<Charge> {
        let mut charge = Charge::new(Arc::clone(&self.owner.memory));
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// Charges `count` elements of type `T`, as [`Work::reserve`].
    pub fn reserve_for<T>(&self, count: usize) -> Result<Charge> {
        self.reserve((count as u64).saturating_mul(size_of::<T>() as u64))
    }

    /// Says that `done` of `total` steps are done. The unit is the algorithm's own.
    pub fn set_progress(&self, done: u64, total: u64) {
        self.progress.total.store(total, Ordering::Relaxed);
        self.progress.done.store(done, Ordering::Relaxed);
    }

    /// Returns the steps that are done, and their total; 0 while no total is known.
    pub fn progress(&self) -> (u64, u64) {
        (self.progress.done.load(Ordering::Relaxed), self.progress.total.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
impl Default for Work {
    /// Makes work without limits, for tests.
    fn default() -> Self {
        let memory = Arc::new(owner::MemoryAccount::new(None, None));
        Work::new(Owner { interrupt: Interrupt::new(), memory })
    }
}
