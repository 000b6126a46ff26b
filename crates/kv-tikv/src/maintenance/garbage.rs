//! The collection of old versions.
//!
//! TiKV keeps every version of a key until it is told the oldest state that anybody reads. In a
//! cluster with TiDB, TiDB does that. Elsewhere nobody would, and the data would grow with every
//! change, so the server with the lowest number does it:
//!
//! 1. PD ends reads of states that are older than [`KEPT`], as far as no server holds one.
//! 2. The locks of all transactions that began before are turned into commits, or removed. A
//!    store may then forget how such a transaction has ended.
//! 3. PD tells the stores the oldest state that they must keep. They remove older versions while
//!    they merge their files.
//!
//! The procedure is the one of TiDB's garbage collection worker, as TiKV's documentation describes
//! it. A cluster with keys of other programs is left alone: their locks may follow other rules.

use std::sync::{Arc, Weak};
use std::time::Duration;

use kv::background::{Pauses, Task};
use kv::{Error, KeyRange, Result};
use tokio::task::JoinSet;

use crate::fetch::PageSpec;
use crate::protocol::garbage::ScanLockRequest;
use crate::protocol::kv::Context;
use crate::refusals::{self, Meaning};
use crate::shared::Shared;
use crate::topology::client::Client;
use crate::topology::pd;
use crate::topology::regions::Region;

/// The time between two rounds.
const INTERVAL: Duration = Duration::from_secs(300);

/// The age of states that are kept at least.
pub(crate) const KEPT: Duration = Duration::from_secs(600);

/// The number of regions whose locks are looked for concurrently.
const CONCURRENT_REGIONS: usize = 4;

/// Maximum number of locks in one reply.
const LOCKS_MAX: u32 = 1024;

/// The bytes of a key that are logged.
const SHOWN_BYTES: usize = 32;

/// The keys of all programs are between these: they begin with letters. Before and behind, unistore
/// shows records of its own.
const FIRST_KEY: &[u8] = &[2];
const LAST_KEY: &[u8] = &[u8::MAX];

/// The result of one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Collected {
    /// Versions before this state may be removed.
    Before(u64),
    /// Another server of this store does it.
    ByOther,
    /// The cluster has keys of other programs, such as this one.
    NotAlone(Vec<u8>),
}

/// The work of the thread.
pub(crate) struct Collector {
    store: Weak<Shared>,
    pauses: Pauses,
}

impl Collector {
    pub(crate) fn new(store: &Arc<Shared>) -> Self {
        Collector { store: Arc::downgrade(store), pauses: Pauses::default() }
    }
}

impl Task for Collector {
    fn run(&self) {
        let mut was_alone = true;
        while self.pauses.wait(INTERVAL) {
            let Some(store) = self.store.upgrade() else { return };
            match collect(&store, KEPT) {
                Ok(Collected::NotAlone(key)) if was_alone => {
                    was_alone = false;
                    let key = key.get(..SHOWN_BYTES.min(key.len())).unwrap_or_default();
                    tracing::info!(
                        target: "engines",
                        "other programs use the TiKV cluster too, so old versions are theirs to collect; a key of theirs begins \
                         with '{}'",
                        key.escape_ascii()
                    );
                }
                Ok(Collected::Before(_)) => was_alone = true,
                Ok(Collected::NotAlone(_) | Collected::ByOther) => {}
                Err(Error::LeaseEnded | Error::Closed) => return,
                Err(error) => {
                    tracing::warn!(target: "engines", "old versions are not collected: {error}");
                }
            }
        }
    }

    fn stop(&self) {
        self.pauses.stop();
    }
}

/// Lets the cluster remove versions that no state of the last `kept` needs.
///
/// Errors: those of PD and of the stores.
pub(crate) fn collect(store: &Arc<Shared>, kept: Duration) -> Result<Collected> {
    store.check_open()?;
    let this = Arc::clone(store);
    store.wait(async move {
        let client = &this.client;
        let members = this.membership.members(client).await?;
        if members.first().is_none_or(|first| first.number != this.membership.number()) {
            return Ok(Collected::ByOther);
        }
        let now = client.timestamps.next().await?;
        if let Some(key) = key_of_other(&this, now).await? {
            return Ok(Collected::NotAlone(key));
        }
        let kept_ms = u64::try_from(kept.as_millis()).unwrap_or(u64::MAX);
        let target = pd::from_milliseconds(pd::milliseconds(now).saturating_sub(kept_ms));
        let readable = client.pd.end_reads_before(target).await?;
        let safe = settle_locks(client, readable).await?;
        client.pd.let_go_before(safe).await?;
        Ok(Collected::Before(safe))
    })
}

/// Returns a key of the cluster outside of the store, if there is one.
async fn key_of_other(store: &Shared, at: u64) -> Result<Option<Vec<u8>>> {
    let own = store.keys.whole();
    let before = KeyRange::new(FIRST_KEY.to_vec(), own.start);
    let after = KeyRange::new(own.end, LAST_KEY.to_vec());
    for range in [before, after] {
        let mut rest = Some(range);
        while let Some(range) = rest.filter(|range| !range.is_empty()) {
            let spec = PageSpec { range, reverse: false, keys_only: true, is_passing: true };
            let page = store.client.page(&spec, 1, at).await?;
            if let Some(pair) = page.pairs.into_iter().next() {
                return Ok(Some(pair.key));
            }
            rest = page.rest;
        }
    }
    Ok(None)
}

/// Ends the transactions that began up to `readable` and whose locks are left. Returns the oldest
/// state that must be kept: a transaction that still lives needs those since its start.
async fn settle_locks(client: &Arc<Client>, readable: u64) -> Result<u64> {
    let mut tasks = JoinSet::new();
    let mut safe = readable;
    for region in client.regions_in(&[], &[], usize::MAX).await? {
        if tasks.len() >= CONCURRENT_REGIONS
            && let Some(ended) = tasks.join_next().await
        {
            safe = safe.min(ended.map_err(|_| Error::Closed)??);
        }
        let client = Arc::clone(client);
        tasks.spawn(async move { settle_range(&client, &region, readable).await });
    }
    while let Some(ended) = tasks.join_next().await {
        safe = safe.min(ended.map_err(|_| Error::Closed)??);
    }
    Ok(safe)
}

/// Does so for the keys of a region, which may have been divided or merged since.
async fn settle_range(client: &Client, region: &Region, readable: u64) -> Result<u64> {
    let mut safe = readable;
    let mut next = region.start.clone();
    let mut retry = client.retry();
    loop {
        let part = client.region_of(&next).await?;
        let request = ScanLockRequest {
            context: None,
            max_version: readable,
            start_key: next.clone(),
            limit: LOCKS_MAX,
            end_key: region.end.clone(),
        };
        let locks = match client.send(&part, &request, Context::default()).await {
            Ok(reply) => match reply.error.map(refusals::meaning) {
                None => reply.locks,
                Some(Meaning::Failure(failure)) => return Err(failure),
                Some(Meaning::Locked(_)) => {
                    return Err(Error::Transient { reason: "a lock has a lock".into() });
                }
            },
            Err(miss) => {
                miss.pause(&mut retry).await?;
                continue;
            }
        };
        for lock in &locks {
            if client.resolve(std::slice::from_ref(lock), None, &mut retry).await?.must_wait {
                safe = safe.min(lock.lock_version.saturating_sub(1));
            }
        }
        retry = client.retry();
        match locks.last() {
            Some(last) if locks.len() >= LOCKS_MAX as usize => next = kv::successor(&last.key),
            _ if part.end.is_empty() || (!region.end.is_empty() && part.end >= region.end) => {
                return Ok(safe);
            }
            _ => next.clone_from(&part.end),
        }
    }
}
