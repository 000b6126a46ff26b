//! Transactions that wait for their collections without a thread.

use std::sync::Arc;
use std::time::Instant;

use errors::{Error, Result};

use super::distant_lock::DistantLock;
use super::{Joined, Transaction, TransactionOptions};
use crate::base::error;
use crate::locks::collection_lock::LockTicket;
use crate::store_core::StoreCore;
use crate::store_core::exclusive_lock::CollectionGuard;

/// A transaction that has not begun, because collections are locked.
///
/// It keeps its place in the queue of the collection that it waits for, and the locks that it has.
/// Dropping it releases them.
pub struct PendingTransaction {
    core: Arc<StoreCore>,
    options: TransactionOptions,
    joined: Vec<Joined>,
    ticket: Option<LockTicket>,
    /// The exclusive lock that other servers have yet to grant.
    distant: Option<DistantLock>,
    /// The beginning of the wait for the collection.
    waits_since: Option<Instant>,
}

impl PendingTransaction {
    pub(crate) fn new(core: Arc<StoreCore>, options: TransactionOptions) -> Self {
        PendingTransaction {
            core,
            options,
            joined: Vec::new(),
            ticket: None,
            distant: None,
            waits_since: None,
        }
    }

    /// Takes all locks that are free now. Returns true if none is missing.
    ///
    /// Errors: 1004 while writes are refused, 1203 if a collection was dropped.
    pub fn advance(&mut self) -> Result<bool> {
        for (collection, mode) in self.options.locks().into_iter().skip(self.joined.len()) {
            self.core.check_writable()?;
            let guard = if self.core.is_granted_by_others(mode) {
                let distant = match &self.distant {
                    Some(distant) => distant,
                    None => self.distant.insert(DistantLock::request(&self.core, collection)?),
                };
                distant.take()?
            } else {
                collection.lock.try_acquire(mode, &mut self.ticket).map(CollectionGuard::from)
            };
            let Some(guard) = guard else {
                self.waits_since.get_or_insert_with(Instant::now);
                return Ok(false);
            };
            self.distant = None;
            match self.waits_since.take() {
                Some(since) => self.core.lock_counts.note(mode, since, true),
                None => self.core.lock_counts.note_free(),
            }
            self.joined.push(Joined::locked(&self.core, collection, guard)?);
        }
        Ok(true)
    }

    /// Begins the transaction.
    ///
    /// Errors: those of [`PendingTransaction::advance`]; 18 if a lock is missing.
    pub fn begin(mut self) -> Result<Transaction> {
        if !self.advance()? {
            let locks = self.options.locks();
            let Some((missing, mode)) = locks.get(self.joined.len()) else {
                return Err(Error::internal("no lock is missing"));
            };
            self.core.lock_counts.note_timeout(*mode);
            return Err(error::lock_timeout(missing.name()));
        }
        Transaction::with_joined(&self.core, &self.options, self.joined)
    }
}
