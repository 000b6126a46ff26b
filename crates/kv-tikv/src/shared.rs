//! The parts of an open store that snapshots, scans, transactions and loads share.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use kv::{ClosedFlag, Error, LivingSnapshots, Result};

use crate::commit::Commit;
use crate::commit::mutations::Mutations;
use crate::keys::Keys;
use crate::membership::Membership;
use crate::membership::formats::Format;
use crate::options::{DIRTY_READ_AGE_MAX, TikvOptions};
use crate::protocol::kv::{Mutation, Op};
use crate::replica_reads::{Answering, ReadAt};
use crate::runtime::Threads;
use crate::topology::client::Client;
use crate::topology::pd::{self, SafePoints};
use crate::values;
use crate::versions::Versions;

/// Maximum size in bytes of one key and its value: a store writes them as one entry of its log,
/// which has at most 8 MiB.
pub(crate) const PAIR_BYTES_MAX: usize = 7 << 20;

/// The connected client and the state of the store.
pub(crate) struct Shared {
    pub(crate) client: Arc<Client>,
    threads: Arc<Threads>,
    pub(crate) keys: Keys,
    pub(crate) options: TikvOptions,
    pub(crate) membership: Membership,
    pub(crate) format: Format,
    pub(crate) safe_points: SafePoints,
    closed: ClosedFlag,
    pub(crate) snapshots: Arc<LivingSnapshots>,
    pub(crate) versions: Arc<Versions>,
}

impl Shared {
    /// Makes the state of a connected client.
    pub(crate) fn new(
        client: Arc<Client>,
        threads: Arc<Threads>,
        keys: Keys,
        options: TikvOptions,
        (membership, format): (Membership, Format),
    ) -> Arc<Shared> {
        let safe_points = SafePoints::new(format!("persea-{:016x}", membership.identity()));
        Arc::new(Shared {
            client,
            threads,
            keys,
            options,
            membership,
            format,
            safe_points,
            closed: ClosedFlag::default(),
            snapshots: Arc::default(),
            versions: Arc::default(),
        })
    }

    /// Checks that the store is open, and that the server's lease has not ended.
    ///
    /// Errors: [`Error::Closed`], [`Error::LeaseEnded`], [`Error::Unavailable`] if the lease could
    /// not be renewed and seems to have expired.
    pub(crate) fn check_open(&self) -> Result<()> {
        self.closed.check()?;
        self.client.fence.check_about(self.client.timestamps.milliseconds_now())
    }

    /// Makes every later call fail.
    pub(crate) fn refuse(&self) {
        self.closed.set();
    }

    /// Ends the threads.
    pub(crate) fn stop(&self) {
        self.threads.stop();
    }

    /// Runs a future on the engine's threads and waits for its result.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.threads.wait(future)
    }

    /// Runs a future on the engine's threads.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.threads.spawn(future);
    }

    /// Returns a timestamp of now.
    pub(crate) fn now(&self) -> Result<u64> {
        let client = Arc::clone(&self.client);
        self.wait(async move {
            let now = client.timestamps.next().await?;
            client.fence.check(now).map(|()| now)
        })
    }

    /// Returns the state of a dirty read, which is `not_before` or later.
    pub(crate) fn dirty_read(&self, not_before: u64) -> Result<ReadAt> {
        // PD may have removed the states before the safe point.
        let floor = not_before.max(self.versions.safe_point());
        let now_ms = self.client.timestamps.milliseconds_now();
        let age_ms = self.options.dirty_read_age.min(DIRTY_READ_AGE_MAX).as_millis() as u64;
        let oldest = pd::from_milliseconds(now_ms.saturating_sub(DIRTY_READ_AGE_MAX.as_millis() as u64));
        let ceiling = self.client.replicas.ceiling().map(|ceiling| ceiling.at).filter(|at| *at >= oldest);
        if age_ms == 0 && ceiling.is_none() {
            return Ok(ReadAt { at: self.now()?, answering: Answering::AnyAfterLeader });
        }
        let wanted = pd::from_milliseconds(now_ms.saturating_sub(age_ms));
        let at = ceiling.map_or(wanted, |ceiling| wanted.min(ceiling)).max(floor);
        Ok(ReadAt { at, answering: Answering::Any })
    }

    /// Commits mutations.
    pub(crate) fn commit(&self, start: Option<u64>, mutations: Mutations, patience: Duration) -> Result<()> {
        self.check_open()?;
        let client = Arc::clone(&self.client);
        self.wait(async move {
            let start = match start {
                Some(start) => start,
                None => client.timestamps.next().await?,
            };
            Commit::run(client, start, mutations, patience).await
        })
    }

    /// Returns the mutation that sets a key, or removes it.
    pub(crate) fn mutation(&self, key: &[u8], value: Option<&[u8]>, is_insert: bool) -> Result<Mutation> {
        if key.len() + value.map_or(0, <[u8]>::len) > PAIR_BYTES_MAX {
            return Err(Error::TooLarge { limit_bytes: PAIR_BYTES_MAX });
        }
        let op = match (value, is_insert) {
            (Some(_), true) => Op::Insert,
            (Some(_), false) => Op::Put,
            // The key was absent and stays absent. A removal could hit the key of another server.
            (None, true) => Op::Lock,
            (None, false) => Op::Del,
        };
        let value = if matches!(op, Op::Put | Op::Insert) { value.map(values::encode) } else { None };
        Ok(Mutation { op: op as i32, key: self.keys.data(key), value: value.unwrap_or_default() })
    }
}
