//! The removal of a range: transactions that remove its keys, a page each, several concurrently.
//!
//! Older snapshots still read the old pairs, until the cluster collects them. The cluster's own
//! removals of a range are faster (`KvDeleteRange`, `UnsafeDestroyRange`), but also take the pairs
//! away from older snapshots: those of this server and of others, and those of backups and dirty
//! reads. Nobody but the cluster's garbage collection knows that all of them are gone.

use std::sync::Arc;

use kv::{Error, KeyRange, Result};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::commit::{Commit, PATIENCE_MIN};
use crate::fetch::PageSpec;
use crate::protocol::kv::{Mutation, Op};
use crate::shared::Shared;
use crate::topology::client::Client;

/// The number of regions that are read concurrently.
const CONCURRENT_REGIONS: usize = 4;

/// The number of transactions of one removal that run concurrently.
const CONCURRENT_REMOVALS: usize = 12;

/// The keys of one transaction. They fit into one message, which then commits in one phase.
const KEYS: usize = 2048;

/// Removes all keys of a range.
pub(crate) fn drop_range(store: &Shared, range: &KeyRange) -> Result<()> {
    store.check_open()?;
    if range.is_empty() {
        return Ok(());
    }
    let (client, range) = (Arc::clone(&store.client), store.keys.range(range));
    store.wait(async move {
        let (mut tasks, permits) = (JoinSet::new(), Arc::new(Semaphore::new(CONCURRENT_REMOVALS)));
        for region in client.regions_in(&range.start, &range.end, usize::MAX).await? {
            if tasks.len() >= CONCURRENT_REGIONS
                && let Some(ended) = tasks.join_next().await
            {
                ended.map_err(|_| Error::Closed)??;
            }
            let part = KeyRange::new(region.start.clone(), region.end.clone()).intersection(&range);
            tasks.spawn(empty(Arc::clone(&client), part, Arc::clone(&permits)));
        }
        while let Some(ended) = tasks.join_next().await {
            ended.map_err(|_| Error::Closed)??;
        }
        Ok(())
    })
}

/// Removes the keys of a range, page by page. The next pages are read while others are removed.
async fn empty(client: Arc<Client>, range: KeyRange, permits: Arc<Semaphore>) -> Result<()> {
    let mut rest = (!range.is_empty()).then_some(range);
    let mut removals = JoinSet::new();
    while let Some(range) = rest.take() {
        let permit = Arc::clone(&permits).acquire_owned().await.map_err(|_| Error::Closed)?;
        let at = client.timestamps.next().await?;
        let spec = PageSpec { range, reverse: false, keys_only: true, is_passing: true };
        let page = client.page(&spec, KEYS, at).await?;
        rest = page.rest;
        let client = Arc::clone(&client);
        removals.spawn(async move {
            let _permit = permit;
            remove(client, page.pairs.into_iter().map(|pair| pair.key).collect(), at).await
        });
        while let Some(ended) = removals.try_join_next() {
            ended.map_err(|_| Error::Closed)??;
        }
    }
    while let Some(ended) = removals.join_next().await {
        ended.map_err(|_| Error::Closed)??;
    }
    Ok(())
}

/// Removes keys that were read at a timestamp.
async fn remove(client: Arc<Client>, keys: Vec<Vec<u8>>, at: u64) -> Result<()> {
    let removal = |key| Mutation { op: Op::Del as i32, key, value: Vec::new() };
    let removals: Vec<Mutation> = keys.into_iter().map(removal).collect();
    let (mut start, mut retry) = (at, client.retry());
    loop {
        match Commit::run(Arc::clone(&client), start, removals.clone().into(), PATIENCE_MIN).await {
            Ok(()) => return Ok(()),
            // The removal of a key that is gone is none.
            Err(error) if error.is_retryable() || matches!(error, Error::Undetermined { .. }) => {
                retry.pause(&error).await?;
                start = client.timestamps.next().await?;
            }
            Err(error) => return Err(error),
        }
    }
}
