//! Bulk loads: one transaction that is locked part by part, so its size does not matter.
//!
//! A load that fits into one transaction is one. A larger one writes its locks as it proceeds and
//! keeps only its first and last key. Its commit is that of its first key; the locks of the other
//! keys are then settled region by region. Readers ignore the locks of a load in progress.

use std::sync::Arc;

use kv::{BulkLoad, Durability, Error, Result};

use crate::commit::{Commit, Heartbeat, PATIENCE_MIN, settle_range};
use crate::protocol::kv::Mutation;
use crate::shared::Shared;

/// The bytes after which a part of a load is written.
const PART_BYTES: usize = 8 << 20;

/// A load.
pub(crate) struct TikvLoad {
    store: Arc<Shared>,
    /// The pairs that are not written yet.
    part: Vec<Mutation>,
    part_bytes: usize,
    last_key: Option<Vec<u8>>,
    large: Option<Large>,
}

/// The state of a load that has written locks.
struct Large {
    commit: Arc<Commit>,
    /// The cluster's key of the last lock.
    last: Vec<u8>,
    _heartbeat: Heartbeat,
}

impl TikvLoad {
    pub(crate) fn new(store: Arc<Shared>) -> Result<Self> {
        store.check_open()?;
        Ok(TikvLoad { store, part: Vec::new(), part_bytes: 0, last_key: None, large: None })
    }

    /// Writes the locks of the pairs so far.
    fn write_part(&mut self) -> Result<()> {
        self.store.check_open()?;
        let part = std::mem::take(&mut self.part);
        self.part_bytes = 0;
        let (Some(first), Some(last)) = (part.first(), part.last()) else { return Ok(()) };
        let last = last.key.clone();
        let large = match &mut self.large {
            Some(large) => large,
            none => {
                let (client, primary) = (Arc::clone(&self.store.client), first.key.clone());
                let begun = self.store.wait(async move {
                    let start = client.timestamps.next().await?;
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
                none.insert(Large { commit: begun.0, last: last.clone(), _heartbeat: begun.1 })
            }
        };
        large.last = last;
        let commit = Arc::clone(&large.commit);
        self.store.wait(async move { commit.prewrite_part(part).await })
    }
}

impl BulkLoad for TikvLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        kv::bulk::check_pair(self.last_key.as_deref(), key, value)?;
        let (bytes, limit_bytes) = (key.len(), self.store.keys.bytes_max());
        if bytes > limit_bytes {
            return Err(Error::KeyTooLong { bytes, limit_bytes });
        }
        let mutation = self.store.mutation(key, Some(value), false)?;
        self.part_bytes += key.len() + value.len();
        self.part.push(mutation);
        self.last_key = Some(key.to_vec());
        if self.part_bytes >= PART_BYTES { self.write_part() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>, _: Durability) -> Result<()> {
        self.store.check_open()?;
        if self.large.is_none() {
            let part = std::mem::take(&mut self.part);
            return if part.is_empty() { Ok(()) } else { self.store.commit(None, part.into(), PATIENCE_MIN) };
        }
        self.write_part()?;
        let Some(Large { commit, last, .. }) = &self.large else { return Ok(()) };
        let (commit, last) = (Arc::clone(commit), last.clone());
        let finished = self.store.wait(async move {
            let timestamp = commit.commit_primary().await?;
            // The load is visible. A failure leaves locks that readers resolve.
            if let Err(error) =
                settle_range(&commit.client, (&commit.primary, &last), commit.start, timestamp).await
            {
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
impl Drop for TikvLoad {
    fn drop(&mut self) {
        let Some(Large { commit, last, _heartbeat }) = self.large.take() else { return };
        self.store.spawn(async move {
            commit.roll_back(vec![commit.primary.clone()]);
            let settled = settle_range(&commit.client, (&commit.primary, &last), commit.start, 0).await;
            if let Err(error) = settled {
                tracing::debug!(target: "engines", "locks of a load remain: {error}");
            }
        });
    }
}
