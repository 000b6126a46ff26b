//! A version of the mapped file: the state after one transaction of LMDB.
//!
//! LMDB keeps the pages of a version while a read transaction of it is open. One thread at a time
//! may use a read transaction. So a version has several of them, and a reader borrows one for the
//! duration of a call.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use heed::RoTxn;
use kv::{ClosedFlag, Error, Result};

use crate::environment::{Environment, ReadTransaction, Tables};
use crate::error::map;
use crate::format::FolderLock;

/// A state of the tables that does not change.
pub(crate) struct Version {
    environment: Environment,
    /// LMDB's number of the transaction that wrote this state.
    number: usize,
    readers: Mutex<Readers>,
    returned: Condvar,
    readers_max: usize,
    /// The pages that hold no data of this state.
    free_pages: u64,
}

/// A version, and the things that it needs to be open.
#[derive(Clone)]
pub(crate) struct VersionHandle {
    pub(crate) version: Arc<Version>,
    pub(crate) closed: ClosedFlag,
    /// The store cannot be opened again before its last reader is gone.
    pub(crate) _folder_lock: Arc<FolderLock>,
}

struct Readers {
    idle: Vec<ReadTransaction>,
    /// The number of open transactions, idle or in use.
    open: usize,
    is_expired: bool,
}

impl Version {
    /// Opens the current state of the tables.
    pub(crate) fn open(environment: &Environment) -> Result<Self> {
        let first = environment.begin_read().map_err(map("beginning to read the tables"))?;
        Ok(Version {
            number: first.id(),
            free_pages: environment.pages().saturating_sub(environment.used_pages(&first)?),
            environment: environment.clone(),
            readers: Mutex::new(Readers { idle: vec![first], open: 1, is_expired: false }),
            returned: Condvar::new(),
            readers_max: std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8),
        })
    }

    /// Returns the tables, for a transaction of [`Version::read`].
    pub(crate) fn tables(&self) -> &Tables {
        &self.environment.tables
    }

    /// Returns the number of pages that hold no data of this state.
    pub(crate) fn free_pages(&self) -> u64 {
        self.free_pages
    }

    /// Returns the size of the mapped file in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.environment.file_bytes()
    }

    /// Reads the state. Errors: [`Error::SnapshotExpired`].
    pub(crate) fn read<T>(&self, read: impl FnOnce(&RoTxn<'_>) -> Result<T>) -> Result<T> {
        let borrowed = Borrowed { transaction: Some(self.take()?), version: self };
        match &borrowed.transaction {
            Some(transaction) => read(transaction),
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
    fn open_another(&self, readers: &mut Readers) -> Option<ReadTransaction> {
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

    fn lock(&self) -> MutexGuard<'_, Readers> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A read transaction in use. It goes back when this is dropped.
struct Borrowed<'a> {
    transaction: Option<ReadTransaction>,
    version: &'a Version,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(transaction) = self.transaction.take() {
            self.version.give_back(transaction);
        }
    }
}
