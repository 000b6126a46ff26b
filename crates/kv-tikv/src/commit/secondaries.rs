//! The end of a transaction's other keys, in the background.

use std::collections::VecDeque;
use std::sync::Arc;

use kv::{Error, Result};

use super::{Commit, batches};
use crate::client::Client;
use crate::protocol::kv::{BatchRollbackRequest, CommitRequest, Context, ResolveLockRequest};

impl Commit {
    /// Commits all keys but the primary one. A failure leaves locks behind, which readers resolve.
    pub(crate) fn commit_secondaries(&self, mut keys: Vec<Vec<u8>>, timestamp: u64) {
        keys.retain(|key| *key != self.primary);
        if keys.is_empty() {
            return;
        }
        let (client, start) = (Arc::clone(&self.client), self.start);
        tokio::spawn(async move {
            if let Err(error) = commit_keys(&client, keys, start, timestamp).await {
                tracing::debug!(target: "engines", "locks of a committed transaction remain: {error}");
            }
        });
    }

    /// Removes the locks of a transaction that has failed. A failure leaves locks behind, which
    /// readers remove once they have expired.
    pub(crate) fn roll_back(&self, keys: Vec<Vec<u8>>) {
        let (client, start) = (Arc::clone(&self.client), self.start);
        tokio::spawn(async move {
            if let Err(error) = roll_back_keys(&client, keys, start).await {
                tracing::debug!(target: "engines", "locks of a failed transaction remain: {error}");
            }
        });
    }
}

async fn commit_keys(client: &Client, keys: Vec<Vec<u8>>, start: u64, timestamp: u64) -> Result<()> {
    let mut retry = client.retry();
    let mut waiting = VecDeque::from(batches::of_keys(client, keys).await?);
    while let Some((region, keys)) = waiting.pop_front() {
        let request = CommitRequest { context: None, start_version: start, keys, commit_version: timestamp };
        match client.send(&region, &request, Context::default()).await {
            Ok(reply) if reply.error.is_none() => {}
            Ok(_) => return Err(Error::Conflict),
            Err(miss) => {
                retry.pause_at_least(miss.pause, &miss).await?;
                waiting.extend(batches::of_keys(client, request.keys).await?);
            }
        }
    }
    Ok(())
}

async fn roll_back_keys(client: &Client, keys: Vec<Vec<u8>>, start: u64) -> Result<()> {
    let mut retry = client.retry();
    let mut waiting = VecDeque::from(batches::of_keys(client, keys).await?);
    while let Some((region, keys)) = waiting.pop_front() {
        let request = BatchRollbackRequest { context: None, start_version: start, keys };
        if let Err(miss) = client.send(&region, &request, Context::default()).await {
            retry.pause_at_least(miss.pause, &miss).await?;
            waiting.extend(batches::of_keys(client, request.keys).await?);
        }
    }
    Ok(())
}

/// Ends all locks of a transaction between two keys, both included: they become its commit, or go
/// if `commit` is 0.
pub(crate) async fn settle_range(
    client: &Client,
    (first, last): (&[u8], &[u8]),
    start: u64,
    commit: u64,
) -> Result<()> {
    let mut next = first.to_vec();
    let mut retry = client.retry();
    loop {
        let region = client.region_of(&next).await?;
        let request = ResolveLockRequest {
            context: None,
            start_version: start,
            commit_version: commit,
            keys: Vec::new(),
        };
        match client.send(&region, &request, Context::default()).await {
            Err(miss) => retry.pause_at_least(miss.pause, &miss).await?,
            Ok(_) if region.is_before_end(last) => return Ok(()),
            Ok(_) => {
                next.clone_from(&region.end);
                retry = client.retry();
            }
        }
    }
}
