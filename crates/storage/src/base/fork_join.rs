//! Fork-join parallelism while processors are idle: divides large batches of lookups and the rows
//! of long results between two threads. Long scans, and queries that run on several threads, take
//! turns of the same kind.

use std::num::NonZero;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;

use kv::{BLOCK_BYTES_MAX, Error, Result, Values};
use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// The minimum number of keys to divide. Lookups of fewer keys end before another thread would
/// help.
const DIVIDED_KEYS_MIN: usize = 512;

/// A function that looks keys up as [`kv::Snapshot::get_many`] does.
type Read<'r> = &'r (dyn Fn(&[&[u8]]) -> Result<Values> + Sync);

/// Turns that let a thread divide its work: one less than there are processors. With many clients
/// no turn is left, and each client keeps to its own thread.
///
/// Each turn has a pool of two threads. In a shared pool, a thread that waits for the other half of
/// its work would take over work of another request, which may take long.
pub struct ForkJoin {
    free: Mutex<Vec<usize>>,
    /// The pool of each turn, started on first use; `None` if its threads cannot start.
    pools: Box<[OnceLock<Option<ThreadPool>>]>,
}

impl Default for ForkJoin {
    fn default() -> Self {
        ForkJoin::new(available_parallelism().map_or(1, NonZero::get) - 1)
    }
}

impl ForkJoin {
    fn new(turns: usize) -> Self {
        let pools = (0..turns).map(|_| OnceLock::new()).collect();
        ForkJoin { free: Mutex::new((0..turns).collect()), pools }
    }

    /// Takes a turn without waiting; `None` if all are taken.
    pub fn take(self: &Arc<Self>) -> Option<Turn> {
        let number = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        Some(Turn { of: Arc::clone(self), number })
    }

    /// Runs two functions, concurrently if the caller is part of divided work or a turn is free.
    ///
    /// Either function may divide its own work further. A panic in either one reaches the caller.
    pub fn both<A: Send, B: Send>(
        self: &Arc<Self>,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if rayon_core::current_thread_index().is_some() {
            return rayon_core::join(first, second);
        }
        let turn = self.take();
        match turn.as_ref().and_then(Turn::pool) {
            Some(pool) => pool.install(|| rayon_core::join(first, second)),
            None => (first(), second()),
        }
    }

    /// Looks keys up with `read`. Returns one value for each key, in the order of the keys; like
    /// `read`, it may end early.
    ///
    /// Divides many keys, because most of the time goes into waiting for memory. Each thread takes
    /// one part of the sorted keys, and so reads its own tables and blocks.
    pub(crate) fn look_up(self: &Arc<Self>, keys: &[&[u8]], read: Read<'_>) -> Result<Values> {
        if keys.len() < DIVIDED_KEYS_MIN {
            return read(keys);
        }
        let mut sorted: Vec<(&[u8], usize)> = keys.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let (sorted, places): (Vec<&[u8]>, Vec<usize>) = sorted.into_iter().unzip();
        let values = self.look_up_sorted(&sorted, read)?;
        if values.len() < keys.len() {
            // Values are long, and the first keys are wanted, not the least.
            return read(keys);
        }
        Ok(values.moved_to(&places))
    }

    fn look_up_sorted(self: &Arc<Self>, keys: &[&[u8]], read: Read<'_>) -> Result<Values> {
        if keys.len() < DIVIDED_KEYS_MIN {
            return read(keys);
        }
        let (first, second) = keys.split_at(keys.len() / 2);
        let (first, second) =
            self.both(|| self.look_up_sorted(first, read), || self.look_up_sorted(second, read));
        let (mut values, second_half) = (first?, second);
        if values.len() < keys.len() / 2 {
            return Ok(values);
        }
        if !values.append(&second_half?) {
            return Err(Error::TooLarge { limit_bytes: BLOCK_BYTES_MAX });
        }
        Ok(values)
    }
}

/// One turn of a [`ForkJoin`], free again when this is dropped.
pub struct Turn {
    of: Arc<ForkJoin>,
    number: usize,
}

impl Turn {
    fn pool(&self) -> Option<&ThreadPool> {
        let make = || {
            let builder = ThreadPoolBuilder::new().num_threads(2);
            builder.thread_name(|_| "fork-join".to_owned()).build().ok()
        };
        self.of.pools.get(self.number)?.get_or_init(make).as_ref()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.of.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.number);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn with_turns(turns: usize) -> Arc<ForkJoin> {
        Arc::new(ForkJoin::new(turns))
    }

    fn turns_left(threads: &ForkJoin) -> usize {
        threads.free.lock().unwrap().len()
    }

    #[test]
    fn both_things_are_done_with_a_turn_and_without() {
        for turns in [0, 1, 3] {
            let threads = with_turns(turns);
            let inner = || threads.both(|| 2, || 3);
            assert_eq!(threads.both(|| 1, inner), (1, (2, 3)));
            assert_eq!(turns_left(&threads), turns);
        }
    }

    #[test]
    fn two_things_at_the_same_time_may_wait_for_each_other() {
        let barrier = std::sync::Barrier::new(2);
        with_turns(1).both(|| barrier.wait(), || barrier.wait());
    }

    #[test]
    fn a_panic_comes_to_who_asked_and_ends_the_turn() {
        let threads = with_turns(1);
        let asked =
            std::panic::AssertUnwindSafe(|| threads.both(|| (), || std::panic::resume_unwind(Box::new(1))));
        assert!(std::panic::catch_unwind(asked).is_err());
        assert_eq!(threads.both(|| 1, || 2), (1, 2));
        assert_eq!(turns_left(&threads), 1);
    }

    #[test]
    fn values_come_in_the_order_of_the_keys() {
        let keys: Vec<[u8; 4]> = (0..1001u32).map(u32::to_be_bytes).collect();
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
        let read = |keys: &[&[u8]]| {
            let mut values = Values::new();
            // Every third key is absent.
            assert!(keys.iter().all(|key| values.push(Some(*key).filter(|key| key[3] % 3 > 0))));
            Ok(values)
        };
        for count in [0, 1, 511, 512, 1001] {
            let mut keys = keys[..count].to_vec();
            keys.sort_unstable_by_key(|key| std::cmp::Reverse(key[3]));
            let (found, expected) = (with_turns(1).look_up(&keys, &read).unwrap(), read(&keys).unwrap());
            assert!(found.iter().eq(expected.iter()));
        }
    }
}
