//! The end of a transaction's other keys, in the background.

use std::collections::VecDeque;
use std::sync::Arc;

use kv::{Error, Result};
use tokio::task::JoinSet;

use super::batches::CONCURRENT_BATCHES;
use super::{Commit, batches};
use crate::protocol::kv::{BatchRollbackRequest, CommitRequest, Context, ResolveLockRequest};
use crate::topology::client::Client;

impl Commit {
    /// Commits all keys but the primary one. A failure leaves locks behind, which readers resolve.
    pub(crate) fn commit_secondaries(&self, mut keys: Vec<Vec<u8>>, timestamp: u64) {
        keys.retain(|key| *key != self.primary);
        if keys.is_empty() {
            return;
        }
        let (client, start) = (Arc::clone(&self.client), self.start);
        tokio::spawn(async move {
            let commit = move |client: Arc<Client>, keys| async move {
                commit_keys(&client, keys, start, timestamp).await
            };
            if let Err(error) = in_batches(&client, keys, commit).await {
                tracing::debug!(target: "engines", "locks of a committed transaction remain: {error}");
            }
        });
    }

    /// Removes the locks of a transaction that has failed. A failure leaves locks behind, which
    /// readers remove once they have expired.
    pub(crate) fn roll_back(&self, keys: Vec<Vec<u8>>) {
        let (client, start) = (Arc::clone(&self.client), self.start);
        tokio::spawn(async move {
            let roll_back =
                move |client: Arc<Client>, keys| async move { roll_back_keys(&client, keys, start).await };
            if let Err(error) = in_batches(&client, keys, roll_back).await {
                tracing::debug!(target: "engines", "locks of a failed transaction remain: {error}");
            }
        });
    }
}

/// Processes keys with several concurrent messages. Returns the first error after all have ended.
async fn in_batches<F: Future<Output = Result<()>> + Send + 'static>(
    client: &Arc<Client>,
    keys: Vec<Vec<u8>>,
    end: impl Fn(Arc<Client>, Vec<Vec<u8>>) -> F,
) -> Result<()> {
    let mut tasks = JoinSet::new();
    let mut ended = Ok(());
    for (_, keys) in batches::of_keys(client, keys).await? {
        if tasks.len() >= CONCURRENT_BATCHES
            && let Some(task) = tasks.join_next().await
        {
            ended = ended.and(task.map_err(|_| Error::Closed)?);
        }
        tasks.spawn(end(Arc::clone(client), keys));
    }
    while let Some(task) = tasks.join_next().await {
        ended = ended.and(task.map_err(|_| Error::Closed)?);
    }
    ended
}

async fn commit_keys(client: &Client, keys: Vec<Vec<u8>>, start: u64, timestamp: u64) -> Result<()> {
    let mut retry = client.retry();
    let mut waiting = VecDeque::from(batches::of_keys(client, keys).await?);
    while let Some((region, keys)) = waiting.pop_front() {
        let request = CommitRequest { context: None, start_version: start, keys, commit_version: timestamp };
        match client.send(&region, &request, Context::finishing()).await {
            Ok(reply) if reply.error.is_none() => {}
            Ok(_) => return Err(Error::Conflict),
            Err(miss) => {
                miss.pause(&mut retry).await?;
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
        if let Err(miss) = client.send(&region, &request, Context::finishing()).await {
            miss.pause(&mut retry).await?;
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
        match client.send(&region, &request, Context::finishing()).await {
            Err(miss) => miss.pause(&mut retry).await?,
            Ok(_) if region.is_before_end(last) => return Ok(()),
            Ok(_) => {
                next.clone_from(&region.end);
                retry = client.retry();
            }
        }
    }
}
