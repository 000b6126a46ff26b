//! Loads of pairs that no reader knows yet, such as the entries of an index that is being built.
//!
//! Nobody can see that such a load is in progress, so it need not be one transaction. Each batch of
//! one region is a transaction of its own, which its store commits in one phase: it writes each
//! pair once, and neither locks nor their ends. Many batches of all regions are in flight while the
//! caller makes the next ones.

use std::sync::{Arc, Mutex, PoisonError};

use kv::{BulkLoad, Durability, Error, Result};
use tokio::sync::Semaphore;

use super::checked_mutation;
use crate::commit::{Commit, PATIENCE_MIN, batches_of};
use crate::protocol::kv::Mutation;
use crate::shared::Shared;
use crate::topology::client::Client;

/// The bytes of pairs that are divided into batches together.
const PART_BYTES: usize = 4 << 20;

/// Maximum number of batches in flight. Each has at most 512 KiB, or a single pair.
const BATCHES_MAX: u32 = 16;

/// Attempts to write a batch whose outcome is unknown. It may be written twice.
const ATTEMPTS: u32 = 3;

/// A load that is written as it proceeds.
pub(crate) struct PrivateLoad {
    store: Arc<Shared>,
    part: Vec<Mutation>,
    part_bytes: usize,
    last_key: Vec<u8>,
    /// The right to have a batch in flight.
    permits: Arc<Semaphore>,
    /// The first error of a batch.
    failure: Arc<Mutex<Option<Error>>>,
}

impl PrivateLoad {
    pub(crate) fn new(store: Arc<Shared>) -> Result<Self> {
        store.check_open()?;
        Ok(PrivateLoad {
            store,
            part: Vec::new(),
            part_bytes: 0,
            last_key: Vec::new(),
            permits: Arc::new(Semaphore::new(BATCHES_MAX as usize)),
            failure: Arc::default(),
        })
    }

    /// Begins to write the pairs so far. Waits while too many batches are in flight.
    fn write_part(&mut self) -> Result<()> {
        self.check()?;
        let part = std::mem::take(&mut self.part);
        self.part_bytes = 0;
        let (client, permits) = (Arc::clone(&self.store.client), Arc::clone(&self.permits));
        let failure = Arc::clone(&self.failure);
        self.store.wait(async move {
            for (_, batch) in batches_of(&client, part).await? {
                let permit = Arc::clone(&permits).acquire_owned().await.map_err(|_| Error::Closed)?;
                let (client, failure) = (Arc::clone(&client), Arc::clone(&failure));
                tokio::spawn(async move {
                    if let Err(error) = write(&client, batch).await {
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                    drop(permit);
                });
            }
            Ok(())
        })
    }

    /// Checks that the store is open, and that no batch has failed.
    fn check(&self) -> Result<()> {
        self.store.check_open()?;
        match &*self.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

/// Writes a batch of one region. If the region has been split since, its parts are one transaction.
async fn write(client: &Arc<Client>, batch: Vec<Mutation>) -> Result<()> {
    let mut attempts = 1;
    loop {
        let start = client.timestamps.next().await?;
        match Commit::run(Arc::clone(client), start, batch.clone().into(), PATIENCE_MIN).await {
            // The other transaction can only be an earlier attempt, which wrote the same.
            Err(Error::Undetermined { .. } | Error::Conflict) if attempts < ATTEMPTS => attempts += 1,
            outcome => return outcome,
        }
    }
}

impl BulkLoad for PrivateLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let last = Some(self.last_key.as_slice()).filter(|last| !last.is_empty());
        let mutation = checked_mutation(&self.store, last, (key, value), false)?;
        self.part_bytes += key.len() + value.len();
        self.part.push(mutation);
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        if self.part_bytes >= PART_BYTES { self.write_part() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>, _: Durability) -> Result<()> {
        self.write_part()?;
        let permits = Arc::clone(&self.permits);
        self.store.wait(async move {
            permits.acquire_many(BATCHES_MAX).await.map(drop).map_err(|_| Error::Closed)
        })?;
        self.check()
    }
}
