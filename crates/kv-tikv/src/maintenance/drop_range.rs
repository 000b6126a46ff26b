//! The removal of a range: transactions that remove its keys, a page each.
//!
//! Older snapshots still read the old pairs, until the cluster collects them. The cluster's own
//! removal of a range (`UnsafeDestroyRange`) is faster, but also takes the pairs away from older
//! snapshots.

use std::sync::Arc;

use kv::{Error, KeyRange, Result};
use tokio::task::JoinSet;

use crate::commit::{Commit, PATIENCE_MIN};
use crate::fetch::PageSpec;
use crate::protocol::kv::{Mutation, Op};
use crate::shared::Shared;
use crate::topology::client::Client;

/// The number of regions that are emptied concurrently, and the keys of one transaction.
const CONCURRENT_REGIONS: usize = 4;
const KEYS: usize = 4096;

/// Removes all keys of a range.
pub(crate) fn drop_range(store: &Shared, range: &KeyRange) -> Result<()> {
    store.check_open()?;
    if range.is_empty() {
        return Ok(());
    }
    let (client, range) = (Arc::clone(&store.client), store.keys.range(range));
    store.wait(async move {
        let mut tasks = JoinSet::new();
        for region in client.regions_in(&range.start, &range.end, usize::MAX).await? {
            if tasks.len() >= CONCURRENT_REGIONS
                && let Some(ended) = tasks.join_next().await
            {
                ended.map_err(|_| Error::Closed)??;
            }
            let part = KeyRange::new(region.start.clone(), region.end.clone()).intersection(&range);
            tasks.spawn(empty(Arc::clone(&client), part));
        }
        while let Some(ended) = tasks.join_next().await {
            ended.map_err(|_| Error::Closed)??;
        }
        Ok(())
    })
}

async fn empty(client: Arc<Client>, range: KeyRange) -> Result<()> {
    let mut rest = (!range.is_empty()).then_some(range);
    let mut retry = client.retry();
    while let Some(range) = rest.clone() {
        let start = client.timestamps.next().await?;
        let spec = PageSpec { range, reverse: false, keys_only: true, is_passing: true };
        let page = client.page(&spec, KEYS, start).await?;
        let removal = |key| Mutation { op: Op::Del as i32, key, value: Vec::new() };
        let removals: Vec<Mutation> = page.pairs.into_iter().map(|pair| removal(pair.key)).collect();
        match Commit::run(Arc::clone(&client), start, removals.into(), PATIENCE_MIN).await {
            Ok(()) => {
                rest = page.rest;
                retry = client.retry();
            }
            // The page is read again: the removal of a key that is gone is none.
            Err(error) if error.is_retryable() || matches!(error, Error::Undetermined { .. }) => {
                retry.pause(&error).await?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
