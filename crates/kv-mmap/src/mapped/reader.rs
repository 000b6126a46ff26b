//! The readers of a version of the mapped file.
//!
//! LMDB keeps the pages of a version while a read transaction of it is open. One thread at a time
//! may use a read transaction. So a version has several of them, and a reader borrows one for the
//! duration of a call.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use heed::RoTxn;
use kv::{Error, KeyRange, Result};

use super::environment::{Environment, ReadTransaction, Tables};
use super::{keys, samples};
use crate::error::map;
use crate::samples::Sample;

/// The reading of one state of the tables.
pub(crate) struct Reader<'a> {
    tables: &'a Tables,
    transaction: &'a RoTxn<'a>,
}

impl Reader<'_> {
    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<&[u8]>> {
        keys::get(self.tables, self.transaction, key)
    }

    /// Passes the pairs of a range to `visit`, ascending or descending, until it returns false.
    /// Returns false if `visit` did.
    pub(crate) fn walk(
        &self,
        range: &KeyRange,
        reverse: bool,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<bool> {
        keys::walk(self.tables, self.transaction, range, reverse, visit)
    }

    /// Returns samples of a range in ascending order.
    pub(crate) fn samples(&self, range: &KeyRange) -> Result<Vec<Sample>> {
        samples::of_range(self.tables.samples, self.transaction, range)
    }
}

/// A state of the tables that does not change, with its read transactions.
pub(crate) struct Readers {
    environment: Environment,
    /// LMDB's number of the transaction that wrote this state.
    number: usize,
    pool: Mutex<Pool>,
    returned: Condvar,
    readers_max: usize,
    /// The bytes of pages that hold no data of this state.
    free_bytes: u64,
}

struct Pool {
    idle: Vec<ReadTransaction>,
    /// The number of open transactions, idle or in use.
    open: usize,
    is_expired: bool,
}

impl Readers {
    /// Opens the current state of the tables.
    pub(crate) fn open(environment: &Environment) -> Result<Self> {
        let first = environment.begin_read().map_err(map("beginning to read the tables"))?;
        Ok(Readers {
            number: first.id(),
            free_bytes: environment.total_bytes().saturating_sub(environment.used_bytes(&first)?),
            environment: environment.clone(),
            pool: Mutex::new(Pool { idle: vec![first], open: 1, is_expired: false }),
            returned: Condvar::new(),
            readers_max: std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8),
        })
    }

    /// Returns the bytes of pages that hold no data of this state.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.free_bytes
    }

    /// Returns the size of the mapped file in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.environment.file_bytes()
    }

    /// Reads the state. Errors: [`Error::SnapshotExpired`].
    pub(crate) fn read<T>(&self, read: impl FnOnce(Reader<'_>) -> Result<T>) -> Result<T> {
        let borrowed = Borrowed { transaction: Some(self.take()?), readers: self };
        match &borrowed.transaction {
            Some(transaction) => read(Reader { tables: &self.environment.tables, transaction }),
            None => Err(Error::SnapshotExpired),
        }
    }

    fn take(&self) -> Result<ReadTransaction> {
        let mut readers = self.lock();
        loop {
            if readers.is_expired {
                return Err(Error::SnapshotExpired);
            }
            if let Some(transaction) = readers.idle.pop() {
                return Ok(transaction);
            }
            if let Some(transaction) = self.open_another(&mut readers) {
                return Ok(transaction);
            }
            readers = self.returned.wait(readers).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Opens one more read transaction. That is possible only while the state is the current one.
    fn open_another(&self, readers: &mut Pool) -> Option<ReadTransaction> {
        if readers.open >= self.readers_max {
            return None;
        }
        let transaction = self.environment.begin_read().ok()?;
        (transaction.id() == self.number).then(|| {
            readers.open += 1;
            transaction
        })
    }

    /// Opens all read transactions, before the state ceases to be the current one.
    pub(crate) fn prepare_for_successor(&self) {
        let mut readers = self.lock();
        while let Some(transaction) = self.open_another(&mut readers) {
            readers.idle.push(transaction);
        }
    }

    /// Makes every later read fail with [`Error::SnapshotExpired`], so that the pages of the state
    /// can be used again.
    pub(crate) fn expire(&self) {
        let mut readers = self.lock();
        readers.is_expired = true;
        readers.open -= readers.idle.len();
        readers.idle.clear();
        self.returned.notify_all();
    }

    fn give_back(&self, transaction: ReadTransaction) {
        let mut readers = self.lock();
        if readers.is_expired {
            readers.open -= 1;
        } else {
            readers.idle.push(transaction);
            self.returned.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A read transaction in use. It goes back when this is dropped.
struct Borrowed<'a> {
    transaction: Option<ReadTransaction>,
    readers: &'a Readers,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(transaction) = self.transaction.take() {
            self.readers.give_back(transaction);
        }
    }
}
