//! Morsels: the parts of a scan that threads take one after the other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use storage::{Documents, KeyBound};

/// A range of documents by their keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Morsel {
    /// The lower end; `None` for no bound.
    pub(crate) from: Option<KeyBound>,
    /// The upper end; `None` for no bound.
    pub(crate) to: Option<KeyBound>,
}

impl Morsel {
    /// Returns the range of the documents after a key.
    pub(super) fn after(key: &str) -> Self {
        Self { from: Some(KeyBound { key: key.to_owned(), inclusive: false }), to: None }
    }

    /// Divides the range at keys that ascend within it.
    pub(super) fn divided_at(self, points: Vec<String>) -> Vec<Self> {
        let mut morsels = Vec::with_capacity(points.len() + 1);
        let mut from = self.from;
        for point in points {
            let to = Some(KeyBound { key: point.clone(), inclusive: false });
            let next = Some(KeyBound { key: point, inclusive: true });
            morsels.push(Self { from: std::mem::replace(&mut from, next), to });
        }
        morsels.push(Self { from, to: self.to });
        morsels
    }
}

/// The morsels that are left, in the order of the scan.
pub(super) struct Morsels {
    left: Mutex<std::iter::Enumerate<std::vec::IntoIter<Morsel>>>,
    first_number: u32,
    is_stopped: Arc<AtomicBool>,
}

impl Morsels {
    /// Creates a queue whose morsels are numbered from `first_number`.
    pub(super) fn new(morsels: Vec<Morsel>, first_number: u32) -> Self {
        let left = Mutex::new(morsels.into_iter().enumerate());
        Self { left, first_number, is_stopped: Arc::default() }
    }

    /// Takes the next morsel and its number. Each thread gets ascending numbers.
    pub(super) fn take(&self) -> Option<(u32, Morsel)> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        let (position, morsel) = self.left.lock().unwrap_or_else(PoisonError::into_inner).next()?;
        Some((self.first_number + position as u32, morsel))
    }

    /// Ends the work of all threads, for one that has failed.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns the flag that [`Morsels::stop`] sets.
    pub(super) fn stopped(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_stopped)
    }
}

/// The morsel that a scan reads. The scan and the thread that drives it share it.
#[derive(Debug, Default)]
pub(crate) struct CurrentMorsel(Mutex<Current>);

#[derive(Debug, Default)]
struct Current {
    morsel: Morsel,
    /// Blocks until the scan ends early; `None`: it does not.
    blocks_left: Option<usize>,
    /// The last key of a scan that ended early.
    last_key: Option<String>,
    /// The flag that ends the scan; `None` while no other thread scans.
    is_stopped: Option<Arc<AtomicBool>>,
}

impl CurrentMorsel {
    fn current(&self) -> MutexGuard<'_, Current> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the morsel of a scan alone, which ends early after `blocks` blocks.
    pub(super) fn set_alone(&self, morsel: Morsel, blocks: Option<usize>) {
        *self.current() = Current { morsel, blocks_left: blocks, ..Current::default() };
    }

    /// Sets the morsel of one of several scans, which ends early if the flag is set.
    pub(super) fn set(&self, morsel: Morsel, is_stopped: Arc<AtomicBool>) {
        *self.current() = Current { morsel, is_stopped: Some(is_stopped), ..Current::default() };
    }

    /// Returns the morsel, and true if other threads scan at the same time.
    pub(crate) fn get(&self) -> (Morsel, bool) {
        let current = self.current();
        (current.morsel.clone(), current.is_stopped.is_some())
    }

    /// Returns true if the scan must end early.
    pub(crate) fn is_over(&self) -> bool {
        let current = self.current();
        current.last_key.is_some()
            || current.is_stopped.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Notes a block that the scan has read.
    pub(crate) fn note_block(&self, documents: &Documents) {
        let mut current = self.current();
        let Some(left) = &mut current.blocks_left else { return };
        *left = left.saturating_sub(1);
        if *left == 0 {
            let last = documents.len().checked_sub(1).and_then(|last| documents.get(last));
            current.last_key = last.and_then(|last| Some(last.get("_key")?.as_str()?.to_owned()));
        }
    }

    /// Returns the last key of a scan that ended early because it has read so many blocks.
    pub(super) fn take_last_key(&self) -> Option<String> {
        self.current().last_key.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn morsels_follow_each_other_without_a_gap() {
        let bound = |key: &str, inclusive| Some(KeyBound { key: key.to_owned(), inclusive });
        let morsels = Morsel::after("b").divided_at(vec!["d".to_owned(), "f".to_owned()]);
        let expected = [
            Morsel { from: bound("b", false), to: bound("d", false) },
            Morsel { from: bound("d", true), to: bound("f", false) },
            Morsel { from: bound("f", true), to: None },
        ];
        assert_eq!(morsels, expected);
        let queue = Morsels::new(morsels, 1);
        assert_eq!(queue.take(), Some((1, expected[0].clone())));
        assert_eq!(queue.take(), Some((2, expected[1].clone())));
        queue.stop();
        assert_eq!(queue.take(), None);
    }
}
