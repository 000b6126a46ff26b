//! The server's tick: numbers that are never issued twice, even across restarts.
//!
//! A record in the engine holds a limit; ticks below it may have been issued. The limit moves ahead
//! one block at a time, so that a tick costs one atomic addition. A clean stop writes the exact
//! number; a crash skips the rest of the block.
//!
//! Servers that share a store reserve blocks from the same record, so those of one server are not
//! adjacent. They are smaller, and nobody gives back what is left of one.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use errors::{Error, ErrorCode, Result};
use kv::{Durability, Engine, TransactionOptions};

use crate::base::conflicts::repeat_on_conflict;
use crate::encoding::metadata::tick_key;
use crate::encoding::{FIRST_TICK, pack};

/// Ticks in one reserved block.
const BLOCK_TICKS: u64 = 1 << 20;

/// Ticks in one block of a server that shares the store.
const SHARED_BLOCK_TICKS: u64 = 1 << 16;

/// A source of numbers that are never issued twice.
pub(crate) enum IdSequence {
    /// Of a store that only this process can use.
    Own(OwnTicks),
    /// Of a store that several servers share.
    Shared(SharedTicks),
}

/// Blocks of ticks from a record that other servers also use.
pub(crate) struct SharedTicks {
    engine: Arc<dyn Engine>,
    /// The ticks that are left of the block.
    block: Mutex<Range<u64>>,
}

/// Ticks without gaps.
pub(crate) struct OwnTicks {
    engine: Arc<dyn Engine>,
    next: AtomicU64,
    /// The limit below which ticks may be issued.
    limit: AtomicU64,
    /// Held while the limit moves.
    moving: Mutex<()>,
}

/// Returns the limit of a record.
fn limit_of(record: Option<&[u8]>) -> Result<u64> {
    Ok(match record {
        Some(bytes) => pack::read_numbers::<1>(bytes, "tick")?[0].max(FIRST_TICK),
        None => FIRST_TICK,
    })
}

impl IdSequence {
    /// Continues after the stored limit.
    pub(crate) fn open(engine: Arc<dyn Engine>) -> Result<Self> {
        let start = limit_of(engine.snapshot()?.get_many(&[&tick_key()])?.iter().next().flatten())?;
        let (next, limit) = (AtomicU64::new(start), AtomicU64::new(start));
        Ok(IdSequence::Own(OwnTicks { engine, next, limit, moving: Mutex::new(()) }))
    }

    /// Takes blocks from a record that other servers also use.
    pub(crate) fn shared(engine: Arc<dyn Engine>) -> Self {
        IdSequence::Shared(SharedTicks { engine, block: Mutex::new(0..0) })
    }

    /// Returns a tick that no other caller gets.
    ///
    /// Errors: 1225 after 2^64 ticks, and those of the engine if it cannot store a new limit.
    pub(crate) fn next(&self) -> Result<u64> {
        match self {
            IdSequence::Own(ticks) => ticks.next(),
            IdSequence::Shared(ticks) => ticks.next(),
        }
    }

    /// Writes the exact number, so that a clean restart skips nothing.
    pub(crate) fn close(&self) -> Result<()> {
        match self {
            IdSequence::Own(ticks) => ticks.close(),
            IdSequence::Shared(_) => Ok(()),
        }
    }
}

impl SharedTicks {
    fn next(&self) -> Result<u64> {
        let mut block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tick) = block.next() {
            return Ok(tick);
        }
        *block = repeat_on_conflict(|| self.reserve())?;
        block.next().ok_or_else(out_of_ticks)
    }

    fn reserve(&self) -> Result<Range<u64>> {
        let mut transaction = self.engine.begin(TransactionOptions::default())?;
        let start = limit_of(transaction.get_many(&[&tick_key()])?.iter().next().flatten())?;
        let limit = start.checked_add(SHARED_BLOCK_TICKS).ok_or_else(out_of_ticks)?;
        transaction.put(&tick_key(), &pack::numbers(&[limit]))?;
        transaction.commit(Durability::Buffered)?;
        Ok(start..limit)
    }
}

impl OwnTicks {
    fn next(&self) -> Result<u64> {
        let tick = self.next.fetch_add(1, Ordering::Relaxed);
        if tick >= self.limit.load(Ordering::Acquire) {
            self.reserve(tick)?;
        }
        Ok(tick)
    }

    #[cold]
    fn reserve(&self, tick: u64) -> Result<()> {
        let _moving = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        if tick < self.limit.load(Ordering::Acquire) {
            return Ok(());
        }
        let limit = tick.checked_add(BLOCK_TICKS).ok_or_else(out_of_ticks)?;
        self.store(limit)?;
        debug_assert!(self.limit.load(Ordering::Acquire) < limit, "ticks would be issued twice");
        self.limit.store(limit, Ordering::Release);
        Ok(())
    }

    fn close(&self) -> Result<()> {
        let _moving = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        let next = self.next.load(Ordering::Relaxed).min(self.limit.load(Ordering::Acquire));
        self.limit.store(next, Ordering::Release);
        self.store(next)
    }

    fn store(&self, limit: u64) -> Result<()> {
        let mut transaction = self.engine.begin(TransactionOptions::default())?;
        transaction.put(&tick_key(), &pack::numbers(&[limit]))?;
        Ok(transaction.commit(Durability::Buffered)?)
    }
}

fn out_of_ticks() -> Error {
    Error::of(ErrorCode::OutOfKeys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Arc<dyn Engine> {
        kv::MemoryEngine::new()
    }

    #[test]
    fn ticks_ascend_without_gaps() {
        let ids = IdSequence::open(engine()).unwrap();
        let given: Vec<u64> = (0..1000).map(|_| ids.next().unwrap()).collect();
        let expected: Vec<u64> = (FIRST_TICK..FIRST_TICK + 1000).collect();
        assert_eq!(given, expected);
    }

    #[test]
    fn a_clean_stop_skips_nothing_and_a_crash_repeats_nothing() {
        let engine = engine();
        let ids = IdSequence::open(Arc::clone(&engine)).unwrap();
        let last = (0..10).map(|_| ids.next().unwrap()).last().unwrap();
        ids.close().unwrap();
        let after_stop = IdSequence::open(Arc::clone(&engine)).unwrap();
        assert_eq!(after_stop.next().unwrap(), last + 1);
        let after_crash = IdSequence::open(engine).unwrap();
        assert!(after_crash.next().unwrap() > last + 1);
    }

    #[test]
    fn servers_take_turns_with_blocks() {
        let engine = engine();
        let servers: Vec<_> = (0..2).map(|_| IdSequence::shared(Arc::clone(&engine))).collect();
        let mut seen = std::collections::HashSet::new();
        for round in 0..SHARED_BLOCK_TICKS + 10 {
            let server = &servers[(round % 7 > 3) as usize];
            assert!(seen.insert(server.next().unwrap()));
        }
        servers.iter().for_each(|server| server.close().unwrap());
        assert!(seen.insert(IdSequence::shared(engine).next().unwrap()));
    }

    #[test]
    fn the_limit_is_moved_when_a_block_is_used_up() {
        let ids = IdSequence::open(engine()).unwrap();
        let IdSequence::Own(ids) = ids else { panic!() };
        let first = ids.next().unwrap();
        ids.next.store(first + BLOCK_TICKS + 5, Ordering::Relaxed);
        assert_eq!(ids.next().unwrap(), first + BLOCK_TICKS + 5);
        assert!(ids.limit.load(Ordering::Relaxed) > first + BLOCK_TICKS + 5);
    }
}
