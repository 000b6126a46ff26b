//! Loads that become visible in one step: one transaction that is locked part by part, so its size
//! does not matter.
//!
//! The transaction's state is that of the beginning of the load. A caller that numbers its commits
//! begins the load first: of two commits that write a key, the later one then has the later number.
//!
//! A load that is small enough is committed as a whole. A larger one writes its locks as it
//! proceeds and keeps only its first and last key. Its commit is that of its first key. The locks
//! of the other keys are then settled region by region. Readers ignore the locks of a load in
//! progress.

use std::sync::Arc;

use kv::{BulkLoad, Durability, Error, Result};

use super::checked_mutation;
use crate::commit::mutations::Mutations;
use crate::commit::{Commit, Heartbeat, PATIENCE_MIN, settle_range};
use crate::shared::Shared;

/// The bytes after which a part of a load is written.
const PART_BYTES: usize = 16 << 20;

/// A load that becomes visible in one step.
pub(crate) struct AtomicLoad {
    store: Arc<Shared>,
    /// The timestamp of its beginning. Later commits of its keys are conflicts.
    start: u64,
    /// The pairs that are not written yet.
    part: Mutations,
    part_bytes: usize,
    last_key: Option<Vec<u8>>,
    large: Option<Large>,
}

/// The state of a load that has written locks.
struct Large {
    commit: Arc<Commit>,
    /// The cluster's keys of the first and of the last lock.
    first: Vec<u8>,
    last: Vec<u8>,
    _heartbeat: Heartbeat,
}

impl AtomicLoad {
    pub(crate) fn new(store: Arc<Shared>) -> Result<Self> {
        store.check_open()?;
        let start = store.now()?;
        Ok(AtomicLoad {
            store,
            start,
            part: Mutations::default(),
            part_bytes: 0,
            last_key: None,
            large: None,
        })
    }

    /// Writes the locks of the pairs so far.
    fn write_part(&mut self) -> Result<()> {
        self.store.check_open()?;
        let mut part = std::mem::take(&mut self.part);
        self.part_bytes = 0;
        let Some(last) = self.last_key.as_deref().map(|last| self.store.keys.data(last)) else {
            return Ok(());
        };
        let large = match &mut self.large {
            Some(large) => large,
            none => {
                let first = part.keys().into_iter().next();
                let (Some(first), Some(primary)) = (first, part.primary()) else { return Ok(()) };
                let (client, start) = (Arc::clone(&self.store.client), self.start);
                let begun = self.store.wait(async move {
                    let commit = Arc::new(Commit {
                        client,
                        start,
                        primary,
                        keys: u64::MAX >> 1,
                        after: start,
                        patience: PATIENCE_MIN,
                        may_fill_up: false,
                    });
                    let heartbeat = Heartbeat::start(&commit);
                    Ok((commit, heartbeat))
                })?;
                none.insert(Large { commit: begun.0, first, last: last.clone(), _heartbeat: begun.1 })
            }
        };
        large.last = last;
        let commit = Arc::clone(&large.commit);
        self.store.wait(async move { commit.prewrite_part(part).await })
    }
}

impl AtomicLoad {
    fn push(&mut self, key: &[u8], value: &[u8], is_insert: bool) -> Result<()> {
        let mutation = checked_mutation(&self.store, self.last_key.as_deref(), (key, value), is_insert)?;
        self.part_bytes += key.len() + value.len();
        let part = if is_insert { &mut self.part.checked } else { &mut self.part.unchecked };
        part.push(mutation);
        let last = self.last_key.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        if self.part_bytes >= PART_BYTES { self.write_part() } else { Ok(()) }
    }
}

impl BulkLoad for AtomicLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.push(key, value, false)
    }

    fn add_absent(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.push(key, value, true)
    }

    fn finish(mut self: Box<Self>, _: Durability) -> Result<()> {
        self.store.check_open()?;
        if self.large.is_none() {
            let part = std::mem::take(&mut self.part);
            return if part.len() == 0 {
                Ok(())
            } else {
                self.store.commit(Some(self.start), part, PATIENCE_MIN)
            };
        }
        self.write_part()?;
        let Some(Large { commit, first, last, .. }) = &self.large else { return Ok(()) };
        let (commit, first, last) = (Arc::clone(commit), first.clone(), last.clone());
        let finished = self.store.wait(async move {
            let timestamp = commit.commit_primary().await?;
            // The load is visible. A failure leaves locks that readers resolve.
            if let Err(error) = settle_range(&commit.client, (&first, &last), commit.start, timestamp).await {
                tracing::debug!(target: "engines", "locks of a load remain: {error}");
            }
            Ok(())
        });
        if matches!(finished, Ok(()) | Err(Error::Undetermined { .. })) {
            self.large = None;
        }
        finished
    }
}

/// Removes the locks of a load that was not finished.
impl Drop for AtomicLoad {
    fn drop(&mut self) {
        let Some(Large { commit, first, last, _heartbeat }) = self.large.take() else { return };
        self.store.spawn(async move {
            commit.roll_back(vec![commit.primary.clone()]);
            let settled = settle_range(&commit.client, (&first, &last), commit.start, 0).await;
            if let Err(error) = settled {
                tracing::debug!(target: "engines", "locks of a load remain: {error}");
            }
        });
    }
}
